//! hyper's I/O traits over our sockets and over any futures-io stream.

use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_io::{AsyncRead, AsyncWrite};
use hyper::rt::{Read, ReadBufCursor, Write};
use pin_project_lite::pin_project;

use crate::net::TcpStream;
#[cfg(unix)]
use crate::net::UnixStream;

/// A stream that reads into memory nobody has initialised: the sockets of [`net`](crate::net). Sealed, because
/// [`HyperIo`] believes the count that it returns.
pub trait ReadUninit: sealed::Sealed {
    /// Reads into the start of `buf` and tells how many bytes are initialised now; zero at the end of the stream.
    ///
    /// # Errors
    ///
    /// Those of the socket.
    fn poll_read_uninit(&mut self, cx: &mut Context<'_>, buf: &mut [MaybeUninit<u8>]) -> Poll<io::Result<usize>>;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! read_uninit {
    ($($stream:ty),*) => {
        $(
            impl sealed::Sealed for $stream {}

            impl ReadUninit for $stream {
                fn poll_read_uninit(
                    &mut self,
                    cx: &mut Context<'_>,
                    buf: &mut [MaybeUninit<u8>],
                ) -> Poll<io::Result<usize>> {
                    <$stream>::poll_read_uninit(self, cx, buf)
                }
            }
        )*
    };
}

read_uninit!(TcpStream);
#[cfg(unix)]
read_uninit!(UnixStream);

/// A socket as hyper's [`Read`] and [`Write`]: reads go straight into hyper's buffer, writes are vectored.
#[derive(Debug)]
pub struct HyperIo<S> {
    stream: S,
}

impl<S> HyperIo<S> {
    /// Wraps a socket.
    pub fn new(stream: S) -> Self {
        Self { stream }
    }

    /// The socket.
    pub fn get_ref(&self) -> &S {
        &self.stream
    }

    /// The socket, to be changed.
    pub fn get_mut(&mut self) -> &mut S {
        &mut self.stream
    }

    /// Takes the socket out again.
    pub fn into_inner(self) -> S {
        self.stream
    }
}

impl<S: ReadUninit + Unpin> Read for HyperIo<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, mut buf: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        // SAFETY: the sockets only write initialised bytes through the slice; `ReadUninit` is sealed.
        let free = unsafe { buf.as_mut() };
        let n = ready!(self.stream.poll_read_uninit(cx, free))?;
        // SAFETY: the socket has initialised the first `n` bytes of the free part; at the end of the stream `n` is zero.
        unsafe { buf.advance(n) };
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> Write for HyperIo<S> {
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
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }
}

pin_project! {
    /// Any futures-io stream, TLS for instance, as hyper's [`Read`] and [`Write`]. For a bare socket take [`HyperIo`]:
    /// futures-io reads into initialised memory only, so this one zeroes hyper's buffer first.
    #[derive(Debug)]
    pub struct FuturesIo<S> {
        #[pin]
        stream: S,
    }
}

impl<S> FuturesIo<S> {
    /// Wraps a stream.
    pub fn new(stream: S) -> Self {
        Self { stream }
    }

    /// The stream.
    pub fn get_ref(&self) -> &S {
        &self.stream
    }

    /// Takes the stream out again.
    pub fn into_inner(self) -> S {
        self.stream
    }
}

impl<S: AsyncRead> Read for FuturesIo<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, mut buf: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        let free = buf.initialize_unfilled();
        let room = free.len();
        let n = ready!(self.project().stream.poll_read(cx, free))?;
        assert!(n <= room, "the stream claims to have read more than the buffer holds: it breaks AsyncRead's contract");
        // SAFETY: all of the free part was initialised above, and `n` is no more than that.
        unsafe { buf.advance(n) };
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite> Write for FuturesIo<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.project().stream.poll_write(cx, buf)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.project().stream.poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.project().stream.poll_close(cx)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.project().stream.poll_write_vectored(cx, bufs)
    }
}
