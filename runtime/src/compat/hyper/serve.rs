//! A server in one line: accepts, serves HTTP/1.1 on a task a connection, and drains when it is told to stop.

use std::error::Error;
use std::fmt;
use std::future::{Future, IntoFuture, Pending, pending, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper::{Request, Response};

use super::drain::{Attendant, Drain};
use super::{HyperIo, HyperTimer};
use crate::net::{TcpListener, TcpStream};
use crate::time::timeout;

type BoxError = Box<dyn Error + Send + Sync>;

/// Serves HTTP/1.1 on `listener`: awaiting the result accepts connections and spawns a task for each.
///
/// `service` is cloned for each connection. tower services, axum's `Router` among them, become a hyper service by
/// hyper-util's `TowerToHyperService`.
///
/// # Errors
///
/// Resolves to an error when the listener fails for good. A connection that fails ends alone; running out of
/// descriptors only pauses accepting.
///
/// # Panics
///
/// Panics when awaited outside a runtime.
///
/// # Cancel safety
///
/// Dropping the future stops accepting; connections that are open go on.
pub fn serve<S>(listener: TcpListener, service: S) -> Serve<S> {
    Serve { listener, service, stop: pending(), drain: None, header_timeout: Duration::from_secs(30) }
}

/// A server about to run: what [`serve`] returns. Await it.
pub struct Serve<S, F = Pending<()>> {
    listener: TcpListener,
    service: S,
    stop: F,
    drain: Option<Duration>,
    header_timeout: Duration,
}

impl<S, F> Serve<S, F> {
    /// Stops when `signal` resolves, whatever its output: no new connection is accepted, the idle ones are closed, and
    /// those with a request in flight end after its response.
    pub fn graceful_shutdown<G: Future>(self, signal: G) -> Serve<S, G> {
        let Self { listener, service, stop: _, drain, header_timeout } = self;
        Serve { listener, service, stop: signal, drain, header_timeout }
    }

    /// Waits for the requests in flight at most so long. The connections left over go on as tasks of the runtime, which
    /// cancels them when it is shut down. Without this, the wait has no end of its own.
    #[must_use]
    pub fn drain_timeout(mut self, limit: Duration) -> Self {
        self.drain = Some(limit);
        self
    }

    /// Closes a connection that takes longer than this for a request's head; 30 s unless set.
    #[must_use]
    pub fn header_read_timeout(mut self, limit: Duration) -> Self {
        self.header_timeout = limit;
        self
    }
}

impl<S, F> fmt::Debug for Serve<S, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Serve").field("listener", &self.listener).finish_non_exhaustive()
    }
}

impl<S, F, B> IntoFuture for Serve<S, F>
where
    S: Service<Request<Incoming>, Response = Response<B>> + Clone + Send + 'static,
    S::Future: Send,
    S::Error: Into<BoxError>,
    F: Future + Send + 'static,
    F::Output: Send,
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<BoxError>,
{
    type Output = io::Result<()>;
    type IntoFuture = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(run(self))
    }
}

async fn run<S, F, B>(server: Serve<S, F>) -> io::Result<()>
where
    S: Service<Request<Incoming>, Response = Response<B>> + Clone + Send + 'static,
    S::Future: Send,
    S::Error: Into<BoxError>,
    F: Future,
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<BoxError>,
{
    let Serve { listener, service, stop, drain: limit, header_timeout } = server;
    let mut stop = pin!(stop);
    let mut drain = Drain::default();
    while let Some(accepted) = unless(stop.as_mut(), listener.accept()).await {
        match accepted {
            Ok((stream, _)) => {
                let _ = stream.set_nodelay(true);
                drop(crate::spawn(connection(stream, service.clone(), header_timeout, drain.join())));
            }
            Err(error) if is_the_peers(&error) => {}
            Err(error) if is_a_shortage(&error) => {
                // The listener itself waits until it is worth another try.
                tracing::warn!(%error, "no connection can be accepted for now");
            }
            Err(error) => return Err(error),
        }
    }
    drop(listener);
    match limit {
        Some(limit) => {
            if timeout(limit, drain.wait()).await.is_err() {
                tracing::warn!(?limit, "requests are still in flight: they are left behind");
            }
        }
        None => drain.wait().await,
    }
    Ok(())
}

async fn connection<S, B>(stream: TcpStream, service: S, header_timeout: Duration, attendant: Attendant)
where
    S: Service<Request<Incoming>, Response = Response<B>>,
    S::Error: Into<BoxError>,
    B: Body + 'static,
    B::Error: Into<BoxError>,
{
    let mut builder = http1::Builder::new();
    builder.timer(HyperTimer::new()).header_read_timeout(header_timeout);
    let mut connection = pin!(builder.serve_connection(HyperIo::new(stream), service).with_upgrades());
    let mut told = false;
    let outcome = poll_fn(|cx| {
        if !told && attendant.poll_closing(cx).is_ready() {
            told = true;
            connection.as_mut().graceful_shutdown();
        }
        connection.as_mut().poll(cx)
    });
    if let Err(error) = outcome.await {
        tracing::debug!(%error, "a connection failed");
    }
    drop(attendant);
}

/// `future`'s output, or `None` once `stop` resolves. `stop` is not polled again after that.
async fn unless<T>(mut stop: Pin<&mut impl Future>, future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    poll_fn(|cx| match stop.as_mut().poll(cx) {
        Poll::Ready(_) => Poll::Ready(None),
        Poll::Pending => future.as_mut().poll(cx).map(Some),
    })
    .await
}

/// The connection failed before it was accepted; the next one is not concerned.
fn is_the_peers(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}

/// Descriptors or memory have run out; they come back when connections end.
fn is_a_shortage(error: &io::Error) -> bool {
    #[cfg(unix)]
    let shortage = [libc::EMFILE, libc::ENFILE, libc::ENOBUFS, libc::ENOMEM, libc::ENOSPC];
    #[cfg(not(unix))]
    let shortage: [i32; 0] = [];
    error.raw_os_error().is_some_and(|code| shortage.contains(&code))
}
