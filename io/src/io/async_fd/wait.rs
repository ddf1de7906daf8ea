//! Waiting for a descriptor's readiness.

use std::io;
use std::os::fd::AsRawFd;
use std::task::{Context, Poll, ready};

use super::{AsyncFd, AsyncFdReadyGuard, AsyncFdReadyMutGuard};
use crate::evented::{Exclusive, Shared};
use crate::readiness::Interest;

impl<T: AsRawFd> AsyncFd<T> {
    /// Waits until the descriptor is ready for `interest`. The guard holds the readiness seen, to take it back when
    /// it turns out to be wrong.
    ///
    /// # Errors
    ///
    /// [`Error::ShutDown`](crate::Error::ShutDown) inside when the runtime is gone.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: readiness stays until it is taken back.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::io::Write;
    /// use std::os::unix::net::UnixStream;
    /// use wheelhouse_io::io::{AsyncFd, Interest};
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (mut a, b) = UnixStream::pair()?;
    /// b.set_nonblocking(true)?;
    /// let b = AsyncFd::new(b)?;
    /// a.write_all(b"hello")?;
    /// let guard = b.ready(Interest::READABLE | Interest::WRITABLE).await?;
    /// assert!(!guard.ready().is_empty());
    /// # Ok(())
    /// # });
    /// ```
    pub async fn ready(&self, interest: Interest) -> io::Result<AsyncFdReadyGuard<'_, T>> {
        let seen = self.io.ready(interest).await?;
        Ok(AsyncFdReadyGuard { fd: self, interest, seen })
    }

    /// [`ready`](Self::ready) whose guard gives the inner value by `&mut`.
    ///
    /// # Errors
    ///
    /// Those of [`ready`](Self::ready).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::io::{Read, Write};
    /// use std::os::unix::net::UnixStream;
    /// use wheelhouse_io::io::{AsyncFd, Interest};
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (mut a, b) = UnixStream::pair()?;
    /// b.set_nonblocking(true)?;
    /// let mut b = AsyncFd::new(b)?;
    /// a.write_all(b"hello")?;
    /// let mut guard = b.ready_mut(Interest::READABLE).await?;
    /// assert_eq!(guard.get_inner_mut().read(&mut [0; 8])?, 5);
    /// # Ok(())
    /// # });
    /// ```
    pub async fn ready_mut(&mut self, interest: Interest) -> io::Result<AsyncFdReadyMutGuard<'_, T>> {
        let seen = self.io.ready(interest).await?;
        Ok(AsyncFdReadyMutGuard { fd: self, interest, seen })
    }

    /// [`ready`](Self::ready) for reading.
    ///
    /// # Errors
    ///
    /// Those of [`ready`](Self::ready).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::io::{Read, Write};
    /// use std::os::unix::net::UnixStream;
    /// use wheelhouse_io::io::AsyncFd;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (mut a, b) = UnixStream::pair()?;
    /// b.set_nonblocking(true)?;
    /// let b = AsyncFd::new(b)?;
    /// a.write_all(b"hello")?;
    /// let mut guard = b.readable().await?;
    /// let read = guard.try_io(|fd| fd.get_ref().read(&mut [0; 8]));
    /// assert!(matches!(read, Ok(Ok(5))));
    /// # Ok(())
    /// # });
    /// ```
    pub async fn readable(&self) -> io::Result<AsyncFdReadyGuard<'_, T>> {
        self.ready(Interest::READABLE).await
    }

    /// [`ready_mut`](Self::ready_mut) for reading.
    ///
    /// # Errors
    ///
    /// Those of [`ready`](Self::ready).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::io::{Read, Write};
    /// use std::os::unix::net::UnixStream;
    /// use wheelhouse_io::io::AsyncFd;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (mut a, b) = UnixStream::pair()?;
    /// b.set_nonblocking(true)?;
    /// let mut b = AsyncFd::new(b)?;
    /// a.write_all(b"hello")?;
    /// let mut guard = b.readable_mut().await?;
    /// assert_eq!(guard.get_inner_mut().read(&mut [0; 8])?, 5);
    /// # Ok(())
    /// # });
    /// ```
    pub async fn readable_mut(&mut self) -> io::Result<AsyncFdReadyMutGuard<'_, T>> {
        self.ready_mut(Interest::READABLE).await
    }

    /// [`ready`](Self::ready) for writing.
    ///
    /// # Errors
    ///
    /// Those of [`ready`](Self::ready).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::os::unix::net::UnixStream;
    /// use wheelhouse_io::io::AsyncFd;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (a, _b) = UnixStream::pair()?;
    /// a.set_nonblocking(true)?;
    /// let fd = AsyncFd::new(a)?;
    /// assert!(fd.writable().await?.ready().is_writable());
    /// # Ok(())
    /// # });
    /// ```
    pub async fn writable(&self) -> io::Result<AsyncFdReadyGuard<'_, T>> {
        self.ready(Interest::WRITABLE).await
    }

    /// [`ready_mut`](Self::ready_mut) for writing.
    ///
    /// # Errors
    ///
    /// Those of [`ready`](Self::ready).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::io::Write;
    /// use std::os::unix::net::UnixStream;
    /// use wheelhouse_io::io::AsyncFd;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (a, _b) = UnixStream::pair()?;
    /// a.set_nonblocking(true)?;
    /// let mut fd = AsyncFd::new(a)?;
    /// let mut guard = fd.writable_mut().await?;
    /// assert_eq!(guard.get_inner_mut().write(b"x")?, 1);
    /// # Ok(())
    /// # });
    /// ```
    pub async fn writable_mut(&mut self) -> io::Result<AsyncFdReadyMutGuard<'_, T>> {
        self.ready_mut(Interest::WRITABLE).await
    }

    /// [`readable`](Self::readable) for hand-written futures. Every waker that waits is called.
    ///
    /// # Errors
    ///
    /// Those of [`ready`](Self::ready).
    ///
    /// # Examples
    ///
    /// ```
    /// use std::future::poll_fn;
    /// use std::io::Write;
    /// use std::os::unix::net::UnixStream;
    /// use wheelhouse_io::io::AsyncFd;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (mut a, b) = UnixStream::pair()?;
    /// b.set_nonblocking(true)?;
    /// let b = AsyncFd::new(b)?;
    /// a.write_all(b"hello")?;
    /// let guard = poll_fn(|cx| b.poll_read_ready(cx)).await?;
    /// assert!(guard.ready().is_readable());
    /// # Ok(())
    /// # });
    /// ```
    pub fn poll_read_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<AsyncFdReadyGuard<'_, T>>> {
        let seen = ready!(self.io.poll_ready(cx, Interest::READABLE, Shared))?;
        Poll::Ready(Ok(AsyncFdReadyGuard { fd: self, interest: Interest::READABLE, seen }))
    }

    /// [`readable_mut`](Self::readable_mut) for hand-written futures. Only the last waker is kept.
    ///
    /// # Errors
    ///
    /// Those of [`ready`](Self::ready).
    ///
    /// # Examples
    ///
    /// ```
    /// use std::io::Write;
    /// use std::os::unix::net::UnixStream;
    /// use wheelhouse_io::io::AsyncFd;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (mut a, b) = UnixStream::pair()?;
    /// b.set_nonblocking(true)?;
    /// let mut b = AsyncFd::new(b)?;
    /// a.write_all(b"hello")?;
    /// std::future::poll_fn(|cx| b.poll_read_ready_mut(cx).map_ok(drop)).await?;
    /// # Ok(())
    /// # });
    /// ```
    pub fn poll_read_ready_mut(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<AsyncFdReadyMutGuard<'_, T>>> {
        let seen = ready!(self.io.poll_ready(cx, Interest::READABLE, Exclusive))?;
        Poll::Ready(Ok(AsyncFdReadyMutGuard { fd: self, interest: Interest::READABLE, seen }))
    }

    /// [`writable`](Self::writable) for hand-written futures. Every waker that waits is called.
    ///
    /// # Errors
    ///
    /// Those of [`ready`](Self::ready).
    ///
    /// # Examples
    ///
    /// ```
    /// use std::future::poll_fn;
    /// use std::os::unix::net::UnixStream;
    /// use wheelhouse_io::io::AsyncFd;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (a, _b) = UnixStream::pair()?;
    /// a.set_nonblocking(true)?;
    /// let fd = AsyncFd::new(a)?;
    /// let guard = poll_fn(|cx| fd.poll_write_ready(cx)).await?;
    /// assert!(guard.ready().is_writable());
    /// # Ok(())
    /// # });
    /// ```
    pub fn poll_write_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<AsyncFdReadyGuard<'_, T>>> {
        let seen = ready!(self.io.poll_ready(cx, Interest::WRITABLE, Shared))?;
        Poll::Ready(Ok(AsyncFdReadyGuard { fd: self, interest: Interest::WRITABLE, seen }))
    }

    /// [`writable_mut`](Self::writable_mut) for hand-written futures. Only the last waker is kept.
    ///
    /// # Errors
    ///
    /// Those of [`ready`](Self::ready).
    ///
    /// # Examples
    ///
    /// ```
    /// use std::os::unix::net::UnixStream;
    /// use wheelhouse_io::io::AsyncFd;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (a, _b) = UnixStream::pair()?;
    /// a.set_nonblocking(true)?;
    /// let mut fd = AsyncFd::new(a)?;
    /// std::future::poll_fn(|cx| fd.poll_write_ready_mut(cx).map_ok(drop)).await?;
    /// # Ok(())
    /// # });
    /// ```
    pub fn poll_write_ready_mut(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<AsyncFdReadyMutGuard<'_, T>>> {
        let seen = ready!(self.io.poll_ready(cx, Interest::WRITABLE, Exclusive))?;
        Poll::Ready(Ok(AsyncFdReadyMutGuard { fd: self, interest: Interest::WRITABLE, seen }))
    }
}
