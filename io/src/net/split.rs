//! The two halves of a stream.

use std::error::Error;
use std::fmt;
use std::io::{self, IoSlice};
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_io::{AsyncRead, AsyncWrite};

use super::stream::{Readable, Writable, as_uninit};
use crate::evented::Exclusive;

/// The reading half of a borrowed stream. Everything that takes the stream by `&self` is reached through `Deref`.
#[derive(Debug)]
pub struct ReadHalf<'a, S>(&'a S);

/// The writing half of a borrowed stream. Closing it ends the stream; dropping it does not.
#[derive(Debug)]
pub struct WriteHalf<'a, S>(&'a S);

/// The reading half of a stream. Everything that takes the stream by `&self` is reached through `Deref`.
#[derive(Debug)]
pub struct OwnedReadHalf<S>(Arc<S>);

/// The writing half of a stream. Dropping it tells the peer that nothing more will come; [`forget`](Self::forget)
/// does not.
pub struct OwnedWriteHalf<S: StreamEnd>(Arc<S>);

/// What an [`OwnedWriteHalf`] needs to end its stream.
pub trait StreamEnd {
    /// Tells the peer that nothing more will come.
    fn end_stream(&self);
}

pub(crate) fn split<S>(stream: &mut S) -> (ReadHalf<'_, S>, WriteHalf<'_, S>) {
    (ReadHalf(stream), WriteHalf(stream))
}

pub(crate) fn into_split<S: StreamEnd>(stream: S) -> (OwnedReadHalf<S>, OwnedWriteHalf<S>) {
    let stream = Arc::new(stream);
    (OwnedReadHalf(stream.clone()), OwnedWriteHalf(stream))
}

impl<S: StreamEnd> OwnedReadHalf<S> {
    /// Puts the two halves of a stream together again.
    ///
    /// # Errors
    ///
    /// Gives both halves back if they are not of the same stream.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::UnixStream;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (stream, _peer) = UnixStream::pair()?;
    /// let (read, write) = stream.into_split();
    /// let stream = read.reunite(write).expect("halves of one stream");
    /// # drop(stream);
    /// # Ok(())
    /// # });
    /// ```
    pub fn reunite(self, write: OwnedWriteHalf<S>) -> Result<S, ReuniteError<S>> {
        if !Arc::ptr_eq(&self.0, &write.0) {
            return Err(ReuniteError(self, write));
        }
        let other = write.into_shared();
        drop(other);
        Ok(Arc::into_inner(self.0).expect("only the two halves share the stream"))
    }
}

impl<S: StreamEnd> OwnedWriteHalf<S> {
    /// Puts the two halves of a stream together again.
    ///
    /// # Errors
    ///
    /// Gives both halves back if they are not of the same stream.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::UnixStream;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (stream, _peer) = UnixStream::pair()?;
    /// let (read, write) = stream.into_split();
    /// let stream = write.reunite(read).expect("halves of one stream");
    /// # drop(stream);
    /// # Ok(())
    /// # });
    /// ```
    pub fn reunite(self, read: OwnedReadHalf<S>) -> Result<S, ReuniteError<S>> {
        read.reunite(self)
    }

    /// Drops the half without ending the stream.
    ///
    /// # Examples
    ///
    /// ```
    /// use futures::AsyncWriteExt;
    /// use wheelhouse_io::net::UnixStream;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (stream, peer) = UnixStream::pair()?;
    /// let (_read, write) = stream.into_split();
    /// write.forget();
    /// assert!(peer.try_read(&mut [0; 1]).is_err(), "no end of the stream yet");
    /// # Ok(())
    /// # });
    /// ```
    pub fn forget(self) {
        drop(self.into_shared());
    }

    fn into_shared(self) -> Arc<S> {
        let this = ManuallyDrop::new(self);
        // SAFETY: `this` is never dropped nor touched again, so the reference count it holds moves to the result.
        unsafe { std::ptr::read(&this.0) }
    }
}

impl<S: StreamEnd> Drop for OwnedWriteHalf<S> {
    fn drop(&mut self) {
        self.0.end_stream();
    }
}

impl<S: StreamEnd + fmt::Debug> fmt::Debug for OwnedWriteHalf<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OwnedWriteHalf").field(&self.0).finish()
    }
}

impl<S> Deref for ReadHalf<'_, S> {
    type Target = S;

    fn deref(&self) -> &S {
        self.0
    }
}

impl<S> Deref for WriteHalf<'_, S> {
    type Target = S;

    fn deref(&self) -> &S {
        self.0
    }
}

impl<S> Deref for OwnedReadHalf<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.0
    }
}

impl<S: StreamEnd> Deref for OwnedWriteHalf<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.0
    }
}

impl<S: Readable> AsyncRead for ReadHalf<'_, S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        self.0.poll_read_with(cx, Exclusive, as_uninit(buf))
    }
}

impl<S: Readable> AsyncRead for OwnedReadHalf<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        self.0.poll_read_with(cx, Exclusive, as_uninit(buf))
    }
}

impl<S: Writable> AsyncWrite for WriteHalf<'_, S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.0.poll_write_with(cx, Exclusive, buf)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.0.poll_write_vectored_with(cx, Exclusive, bufs)
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.0.end())
    }
}

impl<S: Writable + StreamEnd> AsyncWrite for OwnedWriteHalf<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.0.poll_write_with(cx, Exclusive, buf)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.0.poll_write_vectored_with(cx, Exclusive, bufs)
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.0.end())
    }
}

/// Two halves that are not of the same stream. Gives both back.
pub struct ReuniteError<S: StreamEnd>(pub OwnedReadHalf<S>, pub OwnedWriteHalf<S>);

impl<S: StreamEnd> fmt::Debug for ReuniteError<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReuniteError").finish_non_exhaustive()
    }
}

impl<S: StreamEnd> fmt::Display for ReuniteError<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the halves are not of the same stream")
    }
}

impl<S: StreamEnd> Error for ReuniteError<S> {}
