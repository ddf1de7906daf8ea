//! smol as its own `spawn` sets it up: one `async-executor`, `workers` threads that run it inside `smol::block_on`, and
//! async-io's reactor thread beside them.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;

use smol::io::{AsyncReadExt, AsyncWriteExt};
use smol::net::{TcpListener, TcpStream};

use super::Rt;
use super::hyper_io::{FuturesIo, PeerTimer};
use super::sockets::sockets;

static EXECUTOR: smol::Executor<'static> = smol::Executor::new();

/// smol on a static executor.
#[derive(Debug)]
pub(crate) struct Smol;

/// A task that is left running when its handle goes.
#[derive(Debug)]
pub(crate) struct Join<T>(Option<smol::Task<T>>);

impl<T> Future for Join<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        Pin::new(self.0.as_mut().expect("polled before it is dropped")).poll(cx)
    }
}

impl<T> Drop for Join<T> {
    fn drop(&mut self) {
        if let Some(task) = self.0.take() {
            task.detach();
        }
    }
}

/// A timer whose output is nothing.
#[derive(Debug)]
pub(crate) struct Sleep(smol::Timer);

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut self.0).poll(cx).map(drop)
    }
}

impl Rt for Smol {
    const NAME: &str = "smol";

    type Instant = std::time::Instant;
    type Sleep = Sleep;
    type Join<T: Send + 'static> = Join<T>;
    type Listener = TcpListener;
    type Stream = TcpStream;
    type HyperIo = FuturesIo<TcpStream>;
    type HyperTimer = PeerTimer<Self>;

    fn run<F>(workers: usize, main: F) -> F::Output
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let (stop, stopped) = async_channel::bounded::<()>(1);
        thread::scope(|scope| {
            for _ in 0..workers {
                let stopped = stopped.clone();
                scope.spawn(move || smol::block_on(EXECUTOR.run(stopped.recv())));
            }
            let output = futures::executor::block_on(EXECUTOR.spawn(main));
            drop(stop);
            output
        })
    }

    fn spawn<F>(future: F) -> Join<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        Join(Some(EXECUTOR.spawn(future)))
    }

    fn yield_now() -> impl Future<Output = ()> + Send {
        smol::future::yield_now()
    }

    fn sleep(duration: Duration) -> Sleep {
        Sleep(smol::Timer::after(duration))
    }

    fn sleep_until(deadline: Self::Instant) -> Sleep {
        Sleep(smol::Timer::at(deadline))
    }

    fn reset(mut sleep: Pin<&mut Sleep>, deadline: Self::Instant) {
        sleep.0.set_at(deadline);
    }

    fn instant(std: std::time::Instant) -> Self::Instant {
        std
    }

    async fn timeout<F>(duration: Duration, future: F) -> Option<F::Output>
    where
        F: Future + Send,
        F::Output: Send,
    {
        // smol's own idiom: the timer is made when the future has pended.
        smol::future::or(async { Some(future.await) }, async {
            smol::Timer::after(duration).await;
            None
        })
        .await
    }

    sockets!();

    fn hyper_io(stream: TcpStream) -> Self::HyperIo {
        FuturesIo::new(stream)
    }

    fn hyper_timer() -> Self::HyperTimer {
        PeerTimer::default()
    }
}
