//! tokio's multi-thread runtime with its default features of time and I/O.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::Rt;
use super::hyper_io::{PeerTimer, TokioIo};
use super::sockets::sockets;

/// tokio, `new_multi_thread`.
#[derive(Debug)]
pub(crate) struct Tokio;

/// A join handle that hands a task's panic on.
#[derive(Debug)]
pub(crate) struct Join<T>(tokio::task::JoinHandle<T>);

impl<T> Future for Join<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        Pin::new(&mut self.0).poll(cx).map(|joined| joined.expect("a job's task panicked"))
    }
}

impl Rt for Tokio {
    const NAME: &str = "tokio";

    type Instant = tokio::time::Instant;
    type Sleep = tokio::time::Sleep;
    type Join<T: Send + 'static> = Join<T>;
    type Listener = TcpListener;
    type Stream = TcpStream;
    type HyperIo = TokioIo;
    type HyperTimer = PeerTimer<Self>;

    fn run<F>(workers: usize, main: F) -> F::Output
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(workers).enable_all().build();
        let runtime = runtime.expect("tokio starts");
        runtime.block_on(async { tokio::spawn(main).await.expect("the job panicked") })
    }

    fn spawn<F>(future: F) -> Join<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        Join(tokio::spawn(future))
    }

    fn yield_now() -> impl Future<Output = ()> + Send {
        tokio::task::yield_now()
    }

    fn sleep(duration: Duration) -> Self::Sleep {
        tokio::time::sleep(duration)
    }

    fn sleep_until(deadline: Self::Instant) -> Self::Sleep {
        tokio::time::sleep_until(deadline)
    }

    fn reset(sleep: Pin<&mut Self::Sleep>, deadline: Self::Instant) {
        sleep.reset(deadline);
    }

    fn instant(std: std::time::Instant) -> Self::Instant {
        std.into()
    }

    async fn timeout<F>(duration: Duration, future: F) -> Option<F::Output>
    where
        F: Future + Send,
        F::Output: Send,
    {
        tokio::time::timeout(duration, future).await.ok()
    }

    sockets!();

    fn hyper_io(stream: TcpStream) -> TokioIo {
        TokioIo(stream)
    }

    fn hyper_timer() -> Self::HyperTimer {
        PeerTimer::default()
    }
}
