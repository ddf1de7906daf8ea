//! hyper's `rt` traits over the peers' streams and timers.

use std::fmt;
use std::future::Future;
use std::io;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use futures::io::{AsyncRead, AsyncWrite};
use hyper::rt::{ReadBufCursor, Sleep, Timer};

use super::Rt;

/// A stream with futures-io's traits.
#[derive(Debug)]
pub(crate) struct FuturesIo<S> {
    stream: S,
    /// futures-io reads into initialised memory only.
    scratch: Box<[u8]>,
}

impl<S> FuturesIo<S> {
    pub(super) fn new(stream: S) -> Self {
        Self { stream, scratch: vec![0; 8 * 1024].into() }
    }
}

impl<S: AsyncRead + Unpin> hyper::rt::Read for FuturesIo<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, mut buf: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let room = buf.remaining().min(this.scratch.len());
        let n = ready!(Pin::new(&mut this.stream).poll_read(cx, &mut this.scratch[..room]))?;
        buf.put_slice(&this.scratch[..n]);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> hyper::rt::Write for FuturesIo<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_close(cx)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }
}

/// A tokio stream, read straight into hyper's buffer.
#[derive(Debug)]
pub(crate) struct TokioIo(pub(super) tokio::net::TcpStream);

impl hyper::rt::Read for TokioIo {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, mut buf: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        // SAFETY: tokio's `ReadBuf` only ever writes initialised bytes through the slice.
        let free = unsafe { buf.as_mut() };
        let mut read = tokio::io::ReadBuf::uninit(free);
        ready!(tokio::io::AsyncRead::poll_read(Pin::new(&mut self.0), cx, &mut read))?;
        let n = read.filled().len();
        // SAFETY: tokio filled, and so initialised, the first `n` bytes of the free part.
        unsafe { buf.advance(n) };
        Poll::Ready(Ok(()))
    }
}

impl hyper::rt::Write for TokioIo {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        tokio::io::AsyncWrite::poll_write(Pin::new(&mut self.0), cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        tokio::io::AsyncWrite::poll_flush(Pin::new(&mut self.0), cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        tokio::io::AsyncWrite::poll_shutdown(Pin::new(&mut self.0), cx)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        tokio::io::AsyncWrite::poll_write_vectored(Pin::new(&mut self.0), cx, bufs)
    }
}

/// A peer's timers behind hyper's trait.
pub(crate) struct PeerTimer<R>(PhantomData<fn() -> R>);

impl<R> Default for PeerTimer<R> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<R> fmt::Debug for PeerTimer<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PeerTimer")
    }
}

pin_project_lite::pin_project! {
    /// A peer's sleep as hyper wants it.
    struct PeerSleep<R: Rt> {
        #[pin]
        sleep: R::Sleep,
    }
}

impl<R: Rt> Future for PeerSleep<R> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.project().sleep.poll(cx)
    }
}

impl<R: Rt> Sleep for PeerSleep<R> {}

impl<R: Rt> Timer for PeerTimer<R> {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        Box::pin(PeerSleep::<R> { sleep: R::sleep(duration) })
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        Box::pin(PeerSleep::<R> { sleep: R::sleep_until(R::instant(deadline)) })
    }

    fn reset(&self, sleep: &mut Pin<Box<dyn Sleep>>, deadline: Instant) {
        match sleep.as_mut().downcast_mut_pin::<PeerSleep<R>>() {
            Some(peer) => R::reset(peer.project().sleep, R::instant(deadline)),
            None => *sleep = self.sleep_until(deadline),
        }
    }
}
