//! wheelhouse's multi-thread runtime.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use futures::io::{AsyncReadExt, AsyncWriteExt};
use wheelhouse::compat::hyper::{HyperIo, HyperTimer};
use wheelhouse::net::{TcpListener, TcpStream};

use super::Rt;
use super::sockets::sockets;

static RESCUE: AtomicBool = AtomicBool::new(true);

/// Turns the rescue of blocked workers on or off for the runtimes built from now on.
pub(crate) fn set_rescue(on: bool) {
    // Relaxed: set by the thread that builds the runtime.
    RESCUE.store(on, Ordering::Relaxed);
}

/// wheelhouse, `new_multi_thread`.
#[derive(Debug)]
pub(crate) struct Wheelhouse;

/// A join handle that hands a task's panic on.
#[derive(Debug)]
pub(crate) struct Join<T>(wheelhouse::task::JoinHandle<T>);

impl<T> Future for Join<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        Pin::new(&mut self.0).poll(cx).map(|joined| joined.expect("a job's task panicked"))
    }
}

impl Rt for Wheelhouse {
    const NAME: &str = "wheelhouse";

    type Instant = wheelhouse::time::Instant;
    type Sleep = wheelhouse::time::Sleep;
    type Join<T: Send + 'static> = Join<T>;
    type Listener = TcpListener;
    type Stream = TcpStream;
    type HyperIo = HyperIo<TcpStream>;
    type HyperTimer = HyperTimer;

    fn run<F>(workers: usize, main: F) -> F::Output
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let builder = wheelhouse::runtime::Builder::new_multi_thread().worker_threads(workers);
        // Relaxed: set by this very thread.
        let builder = builder.rescue_blocked_workers(RESCUE.load(Ordering::Relaxed));
        let runtime = builder.build().expect("wheelhouse starts");
        runtime.block_on(async { wheelhouse::spawn(main).await.expect("the job panicked") })
    }

    fn spawn<F>(future: F) -> Join<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        Join(wheelhouse::spawn(future))
    }

    fn yield_now() -> impl Future<Output = ()> + Send {
        wheelhouse::task::yield_now()
    }

    fn sleep(duration: Duration) -> Self::Sleep {
        wheelhouse::time::sleep(duration)
    }

    fn sleep_until(deadline: Self::Instant) -> Self::Sleep {
        wheelhouse::time::sleep_until(deadline)
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
        wheelhouse::time::timeout(duration, future).await.ok()
    }

    sockets!();

    fn hyper_io(stream: TcpStream) -> Self::HyperIo {
        HyperIo::new(stream)
    }

    fn hyper_timer() -> Self::HyperTimer {
        HyperTimer::new()
    }
}
