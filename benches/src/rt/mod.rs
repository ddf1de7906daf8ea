//! What a job needs of a runtime, and one implementation a contestant: every job is written once, against [`Rt`].

mod hyper_io;
mod ours;
mod peer_smol;
mod peer_tokio;
mod sockets;

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::time::Duration;

pub(crate) use self::ours::{Wheelhouse, set_rescue};
pub(crate) use self::peer_smol::Smol;
pub(crate) use self::peer_tokio::Tokio;

/// A multi-threaded runtime under test.
pub(crate) trait Rt: Send + Sync + 'static {
    /// What the runtime is called.
    const NAME: &str;

    /// The runtime's own instant.
    type Instant: Copy + Send + Sync + 'static;
    /// The runtime's own sleep.
    type Sleep: Future<Output = ()> + Send + Sync + 'static;
    /// Resolves to a task's output; dropping it leaves the task running.
    type Join<T: Send + 'static>: Future<Output = T> + Send + 'static;
    /// A listening TCP socket.
    type Listener: Send + Sync + 'static;
    /// A TCP connection.
    type Stream: Send + 'static;
    /// The connection as hyper wants it.
    type HyperIo: hyper::rt::Read + hyper::rt::Write + Unpin + Send + 'static;
    /// The timers as hyper wants them.
    type HyperTimer: hyper::rt::Timer + Send + Sync + 'static;

    /// Builds a runtime of `workers` threads, runs `main` on it as a task, and shuts it down.
    fn run<F>(workers: usize, main: F) -> F::Output
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static;

    /// Spawns a task on the runtime that runs the caller.
    fn spawn<F>(future: F) -> Self::Join<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static;

    /// Spawns a task whose output nobody awaits.
    fn detach<F: Future<Output = ()> + Send + 'static>(future: F) {
        drop(Self::spawn(future));
    }

    /// Gives the other tasks a turn.
    fn yield_now() -> impl Future<Output = ()> + Send;

    /// A sleep of `duration`, which starts now.
    fn sleep(duration: Duration) -> Self::Sleep;

    /// A sleep up to `deadline`.
    fn sleep_until(deadline: Self::Instant) -> Self::Sleep;

    /// Moves a sleep's deadline.
    fn reset(sleep: Pin<&mut Self::Sleep>, deadline: Self::Instant);

    /// The runtime's instant that is `std`'s.
    fn instant(std: std::time::Instant) -> Self::Instant;

    /// `future`'s output, or `None` once `duration` is over.
    fn timeout<F>(duration: Duration, future: F) -> impl Future<Output = Option<F::Output>> + Send
    where
        F: Future + Send,
        F::Output: Send;

    /// Listens on a free port of the loopback interface.
    fn bind() -> impl Future<Output = io::Result<(Self::Listener, SocketAddr)>> + Send;

    /// The next connection, with Nagle's algorithm off.
    fn accept(listener: &Self::Listener) -> impl Future<Output = io::Result<Self::Stream>> + Send;

    /// A connection to `addr`, with Nagle's algorithm off.
    fn connect(addr: SocketAddr) -> impl Future<Output = io::Result<Self::Stream>> + Send;

    /// Reads some bytes; zero at the end of the stream.
    fn read(stream: &mut Self::Stream, buf: &mut [u8]) -> impl Future<Output = io::Result<usize>> + Send;

    /// Writes all of `buf`.
    fn write_all(stream: &mut Self::Stream, buf: &[u8]) -> impl Future<Output = io::Result<()>> + Send;

    /// Wraps a connection for hyper.
    fn hyper_io(stream: Self::Stream) -> Self::HyperIo;

    /// The timers for hyper.
    fn hyper_timer() -> Self::HyperTimer;
}

/// Fills `buf` from the stream.
pub(crate) async fn read_exact<R: Rt>(stream: &mut R::Stream, buf: &mut [u8]) -> io::Result<()> {
    let mut filled = 0;
    while filled < buf.len() {
        match R::read(stream, &mut buf[filled..]).await? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            n => filled += n,
        }
    }
    Ok(())
}

/// Sends back whatever comes until the peer closes.
pub(crate) async fn echo_back<R: Rt>(mut stream: R::Stream) {
    let mut buf = [0; 1024];
    while let Ok(n) = R::read(&mut stream, &mut buf).await {
        if n == 0 || R::write_all(&mut stream, &buf[..n]).await.is_err() {
            return;
        }
    }
}

/// Listens on a free port and echoes on every connection, one task each.
pub(crate) async fn echo_server<R: Rt>() -> io::Result<SocketAddr> {
    let (listener, addr) = R::bind().await?;
    R::detach(async move {
        while let Ok(stream) = R::accept(&listener).await {
            R::detach(echo_back::<R>(stream));
        }
    });
    Ok(addr)
}
