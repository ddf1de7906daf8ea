//! Any pollable descriptor as a source.

mod guard;
mod try_new;
mod wait;

use std::fmt;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};

use crate::evented::Evented;
use crate::readiness::Interest;

pub use guard::{AsyncFdReadyGuard, AsyncFdReadyMutGuard, TryIoError};
pub use try_new::AsyncFdTryNewError;

/// Any descriptor that the operating system can poll, as a source of readiness: a socket of another crate, an
/// eventfd, a terminal. Not regular files, which are always ready as far as the system is concerned.
///
/// The descriptor must be non-blocking. It is deregistered before the inner value is dropped; the inner value must
/// not close it sooner.
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
/// let mut buf = [0; 5];
/// loop {
///     let mut guard = b.readable().await?;
///     match guard.try_io(|fd| fd.get_ref().read(&mut buf)) {
///         Ok(read) => break assert_eq!(read?, 5),
///         Err(_would_block) => continue,
///     }
/// }
/// # Ok(())
/// # });
/// ```
pub struct AsyncFd<T: AsRawFd> {
    // Dropped in this order: the registration goes before the descriptor is closed.
    io: Evented<Descriptor>,
    inner: T,
}

/// The descriptor as it was when it was registered, whatever the inner value says later.
#[derive(Debug)]
struct Descriptor(RawFd);

impl mio::event::Source for Descriptor {
    fn register(&mut self, registry: &mio::Registry, token: mio::Token, interest: mio::Interest) -> io::Result<()> {
        mio::unix::SourceFd(&self.0).register(registry, token, interest)
    }

    fn reregister(&mut self, registry: &mio::Registry, token: mio::Token, interest: mio::Interest) -> io::Result<()> {
        mio::unix::SourceFd(&self.0).reregister(registry, token, interest)
    }

    fn deregister(&mut self, registry: &mio::Registry) -> io::Result<()> {
        mio::unix::SourceFd(&self.0).deregister(registry)
    }
}

impl<T: AsRawFd> AsyncFd<T> {
    /// Registers `inner`'s descriptor for reading and writing.
    ///
    /// # Errors
    ///
    /// Those of the operating system, `PermissionDenied` for a regular file among them;
    /// [`Error::NoRuntime`](crate::Error::NoRuntime) inside when no reactor is current.
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
    /// # drop(fd);
    /// # Ok(())
    /// # });
    /// ```
    pub fn new(inner: T) -> io::Result<AsyncFd<T>> {
        AsyncFd::with_interest(inner, Interest::READABLE | Interest::WRITABLE)
    }

    /// Registers `inner`'s descriptor for `interest` alone.
    ///
    /// # Errors
    ///
    /// Those of [`new`](Self::new).
    ///
    /// # Examples
    ///
    /// ```
    /// use std::os::unix::net::UnixStream;
    /// use wheelhouse_io::io::{AsyncFd, Interest};
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (a, _b) = UnixStream::pair()?;
    /// a.set_nonblocking(true)?;
    /// let fd = AsyncFd::with_interest(a, Interest::WRITABLE)?;
    /// fd.writable().await?;
    /// # Ok(())
    /// # });
    /// ```
    pub fn with_interest(inner: T, interest: Interest) -> io::Result<AsyncFd<T>> {
        Ok(AsyncFd::try_with_interest(inner, interest)?)
    }

    /// The inner value.
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
    /// assert!(fd.get_ref().peer_addr()?.is_unnamed());
    /// # Ok(())
    /// # });
    /// ```
    pub fn get_ref(&self) -> &T {
        &self.inner
    }

    /// The inner value. Do not exchange its descriptor.
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
    /// fd.get_mut().set_nonblocking(true)?;
    /// # Ok(())
    /// # });
    /// ```
    pub fn get_mut(&mut self) -> &mut T {
        &mut self.inner
    }

    /// Deregisters the descriptor and gives the inner value back.
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
    /// let a = fd.into_inner();
    /// # drop(a);
    /// # Ok(())
    /// # });
    /// ```
    pub fn into_inner(self) -> T {
        let AsyncFd { io, inner } = self;
        drop(io);
        inner
    }

    /// Runs `op` if the descriptor may be ready for `interest`. If `op` says `WouldBlock`, and only then, the
    /// readiness is taken back.
    ///
    /// # Errors
    ///
    /// `WouldBlock` when it is not ready; otherwise those of `op`.
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
    /// let b = AsyncFd::new(b)?;
    /// a.write_all(b"hello")?;
    /// b.readable().await?;
    /// assert_eq!(b.try_io(Interest::READABLE, |mut fd| fd.read(&mut [0; 8]))?, 5);
    /// # Ok(())
    /// # });
    /// ```
    pub fn try_io<R>(&self, interest: Interest, mut op: impl FnMut(&T) -> io::Result<R>) -> io::Result<R> {
        self.io.try_io(interest, |_| op(&self.inner))
    }

    /// Waits until `op` does not say `WouldBlock`. See [`try_io`](Self::try_io).
    ///
    /// # Errors
    ///
    /// Those of `op`, but for `WouldBlock`.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe if `op` is: it is not called again once it succeeded.
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
    /// let b = AsyncFd::new(b)?;
    /// a.write_all(b"hello")?;
    /// assert_eq!(b.async_io(Interest::READABLE, |mut fd| fd.read(&mut [0; 8])).await?, 5);
    /// # Ok(())
    /// # });
    /// ```
    pub async fn async_io<R>(&self, interest: Interest, mut op: impl FnMut(&T) -> io::Result<R>) -> io::Result<R> {
        self.io.op(interest, |_| op(&self.inner)).await
    }

    /// [`try_io`](Self::try_io) with the inner value by `&mut`.
    ///
    /// # Errors
    ///
    /// Those of [`try_io`](Self::try_io).
    pub fn try_io_mut<R>(&mut self, interest: Interest, mut op: impl FnMut(&mut T) -> io::Result<R>) -> io::Result<R> {
        self.io.try_io(interest, |_| op(&mut self.inner))
    }

    /// [`async_io`](Self::async_io) with the inner value by `&mut`.
    ///
    /// # Errors
    ///
    /// Those of [`async_io`](Self::async_io).
    ///
    /// # Cancel safety
    ///
    /// That of [`async_io`](Self::async_io).
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
    /// assert_eq!(b.async_io_mut(Interest::READABLE, |fd| fd.read(&mut [0; 8])).await?, 5);
    /// # Ok(())
    /// # });
    /// ```
    pub async fn async_io_mut<R>(
        &mut self,
        interest: Interest,
        mut op: impl FnMut(&mut T) -> io::Result<R>,
    ) -> io::Result<R> {
        self.io.op(interest, |_| op(&mut self.inner)).await
    }
}

impl<T: AsRawFd> AsRawFd for AsyncFd<T> {
    fn as_raw_fd(&self) -> RawFd {
        self.inner.as_raw_fd()
    }
}

impl<T: AsRawFd + AsFd> AsFd for AsyncFd<T> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.inner.as_fd()
    }
}

impl<T: AsRawFd + fmt::Debug> fmt::Debug for AsyncFd<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncFd").field("inner", &self.inner).finish_non_exhaustive()
    }
}
