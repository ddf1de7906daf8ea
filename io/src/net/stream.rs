//! What all byte streams have in common: the I/O traits.

use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::task::{Context, Poll};

use crate::evented::Waits;

/// A source of bytes: what its I/O traits are made of.
pub(crate) trait Readable {
    /// Reads into `buf`, which is initialised as far as the result says.
    fn poll_read_with(
        &self,
        cx: &mut Context<'_>,
        how: impl Waits,
        buf: &mut [MaybeUninit<u8>],
    ) -> Poll<io::Result<usize>>;
}

/// A sink of bytes: what its I/O traits are made of. Nothing is buffered, so there is nothing to flush.
pub(crate) trait Writable {
    /// Writes from `buf`.
    fn poll_write_with(&self, cx: &mut Context<'_>, how: impl Waits, buf: &[u8]) -> Poll<io::Result<usize>>;

    /// Writes from `bufs`.
    fn poll_write_vectored_with(
        &self,
        cx: &mut Context<'_>,
        how: impl Waits,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>>;

    /// Tells the peer that nothing more will come. Doing so again is no error.
    fn end(&self) -> io::Result<()>;
}

/// `buf` as a place to read to.
pub(crate) fn as_uninit(buf: &mut [u8]) -> &mut [MaybeUninit<u8>] {
    let wider = std::ptr::from_mut(buf) as *mut [MaybeUninit<u8>];
    // SAFETY: the same live memory, borrowed as long, with a laxer type. The readers of this crate hand it to system
    // calls alone, which write initialised bytes: nothing ever makes a byte of it uninitialised.
    unsafe { &mut *wider }
}

/// How many buffers the system takes in one call: a write of more is short without being held up.
const MAX_BUFFERS: usize = 1024;

/// Whether a write of `bufs` that took `written` bytes was held up by a full buffer.
pub(crate) fn held_up(bufs: &[IoSlice<'_>], written: usize) -> bool {
    bufs.len() <= MAX_BUFFERS && written < bufs.iter().map(|buf| buf.len()).sum()
}

/// futures-io's `AsyncRead` for a [`Readable`]: by `&mut` its last waker counts, by shared reference any number of
/// tasks may wait.
macro_rules! async_read {
    ($stream:ty) => {
        impl ::futures_io::AsyncRead for $stream {
            fn poll_read(
                self: ::std::pin::Pin<&mut Self>,
                cx: &mut ::std::task::Context<'_>,
                buf: &mut [u8],
            ) -> ::std::task::Poll<::std::io::Result<usize>> {
                let buf = crate::net::stream::as_uninit(buf);
                crate::net::stream::Readable::poll_read_with(&*self, cx, crate::evented::Exclusive, buf)
            }
        }

        impl ::futures_io::AsyncRead for &$stream {
            fn poll_read(
                self: ::std::pin::Pin<&mut Self>,
                cx: &mut ::std::task::Context<'_>,
                buf: &mut [u8],
            ) -> ::std::task::Poll<::std::io::Result<usize>> {
                let buf = crate::net::stream::as_uninit(buf);
                crate::net::stream::Readable::poll_read_with(&**self, cx, crate::evented::Shared, buf)
            }
        }
    };
}
pub(crate) use async_read;

/// futures-io's `AsyncWrite` for a [`Writable`], in the same two ways.
macro_rules! async_write {
    ($stream:ty) => {
        crate::net::stream::async_write!(@ $stream, crate::evented::Exclusive, |this| &**this);
        crate::net::stream::async_write!(@ &$stream, crate::evented::Shared, |this| &***this);
    };
    (@ $stream:ty, $how:expr, |$this:ident| $sink:expr) => {
        impl ::futures_io::AsyncWrite for $stream {
            fn poll_write(
                self: ::std::pin::Pin<&mut Self>,
                cx: &mut ::std::task::Context<'_>,
                buf: &[u8],
            ) -> ::std::task::Poll<::std::io::Result<usize>> {
                let $this = &self;
                crate::net::stream::Writable::poll_write_with($sink, cx, $how, buf)
            }

            fn poll_write_vectored(
                self: ::std::pin::Pin<&mut Self>,
                cx: &mut ::std::task::Context<'_>,
                bufs: &[::std::io::IoSlice<'_>],
            ) -> ::std::task::Poll<::std::io::Result<usize>> {
                let $this = &self;
                crate::net::stream::Writable::poll_write_vectored_with($sink, cx, $how, bufs)
            }

            fn poll_flush(
                self: ::std::pin::Pin<&mut Self>,
                _cx: &mut ::std::task::Context<'_>,
            ) -> ::std::task::Poll<::std::io::Result<()>> {
                ::std::task::Poll::Ready(Ok(()))
            }

            fn poll_close(
                self: ::std::pin::Pin<&mut Self>,
                _cx: &mut ::std::task::Context<'_>,
            ) -> ::std::task::Poll<::std::io::Result<()>> {
                let $this = &self;
                ::std::task::Poll::Ready(crate::net::stream::Writable::end($sink))
            }
        }
    };
}
pub(crate) use async_write;
