//! tokio's I/O traits for every byte stream.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::TcpStream;
use super::split::{OwnedReadHalf, OwnedWriteHalf, ReadHalf, StreamEnd, WriteHalf};
use super::stream::{Readable, Writable};
use crate::evented::Exclusive;

fn read(source: &impl Readable, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
    // SAFETY: the memory goes to `poll_read_with` alone, which initialises and never the reverse.
    let unfilled = unsafe { buf.unfilled_mut() };
    let read = ready!(source.poll_read_with(cx, Exclusive, unfilled))?;
    // SAFETY: `poll_read_with` initialised that many bytes of the unfilled part.
    unsafe { buf.assume_init(read) };
    buf.advance(read);
    Poll::Ready(Ok(()))
}

macro_rules! tokio_read {
    ($([$($params:tt)*] $stream:ty, |$this:ident| $source:expr;)*) => {
        $(impl<$($params)*> AsyncRead for $stream {
            fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
                let $this: &Self = &self;
                read($source, cx, buf)
            }
        })*
    };
}

macro_rules! tokio_write {
    ($([$($params:tt)*] $stream:ty, |$this:ident| $sink:expr;)*) => {
        $(impl<$($params)*> AsyncWrite for $stream {
            fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
                let $this: &Self = &self;
                $sink.poll_write_with(cx, Exclusive, buf)
            }

            fn poll_write_vectored(
                self: Pin<&mut Self>,
                cx: &mut Context<'_>,
                bufs: &[IoSlice<'_>],
            ) -> Poll<io::Result<usize>> {
                let $this: &Self = &self;
                $sink.poll_write_vectored_with(cx, Exclusive, bufs)
            }

            fn is_write_vectored(&self) -> bool {
                true
            }

            fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
                Poll::Ready(Ok(()))
            }

            fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
                let $this: &Self = &self;
                Poll::Ready($sink.end())
            }
        })*
    };
}

tokio_read! {
    [] TcpStream, |this| this;
    ['a, S: Readable] ReadHalf<'a, S>, |this| &**this;
    [S: Readable] OwnedReadHalf<S>, |this| &**this;
}

tokio_write! {
    [] TcpStream, |this| this;
    ['a, S: Writable] WriteHalf<'a, S>, |this| (**this);
    [S: Writable + StreamEnd] OwnedWriteHalf<S>, |this| (**this);
}

#[cfg(unix)]
mod unix;
