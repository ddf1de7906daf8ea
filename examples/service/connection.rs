//! One connection: hyper, the word to end, and a timer that each request pushes back.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_channel::Receiver;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use wheelhouse::compat::hyper::{HyperIo, HyperTimer};
use wheelhouse::net::TcpStream;
use wheelhouse::time::{Instant, sleep};

use crate::routes;
use crate::server::{Service, add_one, count};

/// Requests of one connection. All of it is touched by the connection's own task only; atomics because hyper may hand a
/// request's future to another thread together with the connection.
#[derive(Debug, Default)]
struct Activity {
    begun: AtomicU64,
    ended: AtomicU64,
}

/// Serves one connection until the peer closes it, it idles too long, or `closing` is closed.
pub(crate) async fn connection(stream: TcpStream, service: Arc<Service>, closing: Receiver<()>) {
    add_one(&service.accepted);
    let _open = Open::new(&service.open);
    let _ = stream.set_nodelay(true);
    let activity = Arc::new(Activity::default());
    let answer = service_fn(|request| {
        let (service, activity) = (Arc::clone(&service), Arc::clone(&activity));
        add_one(&activity.begun);
        async move {
            let response = routes::answer(request, &service).await;
            add_one(&activity.ended);
            add_one(&service.requests);
            Ok::<_, Infallible>(response)
        }
    });
    let mut builder = http1::Builder::new();
    let mut http = pin!(builder.timer(HyperTimer::new()).serve_connection(HyperIo::new(stream), answer));
    let mut idle = pin!(sleep(service.idle));
    let mut closed = pin!(closing.recv());
    let (mut ending, mut seen) = (false, 0);
    let outcome = poll_fn(|cx| {
        if !ending && closed.as_mut().poll(cx).is_ready() {
            ending = true;
            http.as_mut().graceful_shutdown();
        }
        let outcome = http.as_mut().poll(cx);
        let (begun, ended) = (count(&activity.begun), count(&activity.ended));
        if outcome.is_pending() && !ending {
            if begun + ended != seen {
                // Later than it is armed for: no lock is taken, no timer is filed anew.
                seen = begun + ended;
                idle.as_mut().reset(Instant::now() + service.idle);
            }
            while idle.as_mut().poll(cx).is_ready() {
                if begun == ended {
                    ending = true;
                    add_one(&service.idled_out);
                    http.as_mut().graceful_shutdown();
                    return http.as_mut().poll(cx);
                }
                // A request takes longer than connections may idle.
                idle.as_mut().reset(Instant::now() + service.idle);
            }
        }
        outcome
    })
    .await;
    if let Err(error) = outcome {
        tracing::debug!(%error, "a connection failed");
    }
}

/// Counts as open until it is dropped.
struct Open<'a>(&'a AtomicU64);

impl<'a> Open<'a> {
    fn new(open: &'a AtomicU64) -> Self {
        add_one(open);
        Self(open)
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        // Relaxed: statistics.
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
