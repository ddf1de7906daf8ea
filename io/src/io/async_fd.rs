//! Any pollable descriptor as a source.

use std::fmt;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::task::{Context, Poll, ready};

use crate::evented::{Evented, Exclusive, Shared};
use crate::readiness::{Interest, Ready, Snapshot};
use crate::sys::interest;

/// Any descriptor that the operating system can poll, as a source of readiness: a socket of another crate, an
/// eventfd, a terminal. Not regular files, which are always ready as far as the system is concerned.
///
/// The descriptor must be non-blocking. It is deregistered before the inner value is dropped; the inner value must
/// not close it sooner.
///
/// # Examples
///
/// ```
/// # mod support { include!("../../tests/support/mod.rs"); }
/// use std::io::{Read, Write};
/// use std::os::unix::net::UnixStream;
/// use wheelhouse_io::io::AsyncFd;
///
/// # support::run(async {
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
/// # }).unwrap();
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
    pub fn new(inner: T) -> io::Result<AsyncFd<T>> {
        AsyncFd::with_interest(inner, Interest::READABLE | Interest::WRITABLE)
    }

    /// Registers `inner`'s descriptor for `interest` alone.
    ///
    /// # Errors
    ///
    /// Those of [`new`](Self::new).
    pub fn with_interest(inner: T, interest: Interest) -> io::Result<AsyncFd<T>> {
        let descriptor = Descriptor(inner.as_raw_fd());
        Ok(AsyncFd { io: Evented::new(descriptor, interest::to_mio(interest), Ready::EMPTY)?, inner })
    }

    /// The inner value.
    pub fn get_ref(&self) -> &T {
        &self.inner
    }

    /// The inner value. Do not exchange its descriptor.
    pub fn get_mut(&mut self) -> &mut T {
        &mut self.inner
    }

    /// Deregisters the descriptor and gives the inner value back.
    pub fn into_inner(self) -> T {
        let AsyncFd { io, inner } = self;
        drop(io);
        inner
    }

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
    pub async fn writable_mut(&mut self) -> io::Result<AsyncFdReadyMutGuard<'_, T>> {
        self.ready_mut(Interest::WRITABLE).await
    }

    /// [`readable`](Self::readable) for hand-written futures. Every waker that waits is called.
    ///
    /// # Errors
    ///
    /// Those of [`ready`](Self::ready).
    pub fn poll_read_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<AsyncFdReadyGuard<'_, T>>> {
        let seen = ready!(self.io.poll_ready(cx, Interest::READABLE, Shared))?;
        Poll::Ready(Ok(AsyncFdReadyGuard { fd: self, interest: Interest::READABLE, seen }))
    }

    /// [`readable_mut`](Self::readable_mut) for hand-written futures. Only the last waker is kept.
    ///
    /// # Errors
    ///
    /// Those of [`ready`](Self::ready).
    pub fn poll_read_ready_mut(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<AsyncFdReadyMutGuard<'_, T>>> {
        let seen = ready!(self.io.poll_ready(cx, Interest::READABLE, Exclusive))?;
        Poll::Ready(Ok(AsyncFdReadyMutGuard { fd: self, interest: Interest::READABLE, seen }))
    }

    /// [`writable`](Self::writable) for hand-written futures. Every waker that waits is called.
    ///
    /// # Errors
    ///
    /// Those of [`ready`](Self::ready).
    pub fn poll_write_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<AsyncFdReadyGuard<'_, T>>> {
        let seen = ready!(self.io.poll_ready(cx, Interest::WRITABLE, Shared))?;
        Poll::Ready(Ok(AsyncFdReadyGuard { fd: self, interest: Interest::WRITABLE, seen }))
    }

    /// [`writable_mut`](Self::writable_mut) for hand-written futures. Only the last waker is kept.
    ///
    /// # Errors
    ///
    /// Those of [`ready`](Self::ready).
    pub fn poll_write_ready_mut(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<AsyncFdReadyMutGuard<'_, T>>> {
        let seen = ready!(self.io.poll_ready(cx, Interest::WRITABLE, Exclusive))?;
        Poll::Ready(Ok(AsyncFdReadyMutGuard { fd: self, interest: Interest::WRITABLE, seen }))
    }

    /// Runs `op` if the descriptor may be ready for `interest`. If `op` says `WouldBlock`, and only then, the
    /// readiness is taken back.
    ///
    /// # Errors
    ///
    /// `WouldBlock` when it is not ready; otherwise those of `op`.
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
    pub async fn async_io<R>(&self, interest: Interest, mut op: impl FnMut(&T) -> io::Result<R>) -> io::Result<R> {
        self.io.op(interest, |_| op(&self.inner)).await
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

/// The operation would have blocked, and the readiness was taken back: wait again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TryIoError(());

impl fmt::Display for TryIoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the operation would block")
    }
}

impl std::error::Error for TryIoError {}

/// The readiness that was seen, with the inner value by `&`. See [`AsyncFd::ready`].
pub struct AsyncFdReadyGuard<'a, T: AsRawFd> {
    fd: &'a AsyncFd<T>,
    interest: Interest,
    seen: Snapshot,
}

/// The readiness that was seen, with the inner value by `&mut`. See [`AsyncFd::ready_mut`].
pub struct AsyncFdReadyMutGuard<'a, T: AsRawFd> {
    fd: &'a mut AsyncFd<T>,
    interest: Interest,
    seen: Snapshot,
}

/// What both guards do alike.
macro_rules! guard {
    ($guard:ident, $inner:ty) => {
        impl<T: AsRawFd> $guard<'_, T> {
            /// What was ready when the guard was made.
            #[must_use]
            pub fn ready(&self) -> Ready {
                self.seen.ready(self.interest)
            }

            /// Takes back everything that was waited for, unless there was an event since. Only after the descriptor
            /// said `WouldBlock`: readiness taken back without is an event lost.
            pub fn clear_ready(&mut self) {
                self.clear_ready_matching(self.interest.mask());
            }

            /// Takes back `ready` alone, unless there was an event since.
            pub fn clear_ready_matching(&mut self, ready: Ready) {
                // An event since then is newer, and stays.
                let _ = self.fd.io.source().clear(self.seen, ready);
            }

            /// Runs `op`; if it says `WouldBlock`, takes the readiness back.
            ///
            /// # Errors
            ///
            /// [`TryIoError`] for `WouldBlock`; any other outcome of `op` is inside `Ok`.
            pub fn try_io<R>(&mut self, op: impl FnOnce($inner) -> io::Result<R>) -> Result<io::Result<R>, TryIoError> {
                match op(self.fd) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        self.clear_ready();
                        Err(TryIoError(()))
                    }
                    result => Ok(result),
                }
            }

            /// The inner value.
            #[must_use]
            pub fn get_inner(&self) -> &T {
                &self.fd.inner
            }
        }

        impl<T: AsRawFd + fmt::Debug> fmt::Debug for $guard<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($guard)).field("fd", &self.fd).field("ready", &self.ready()).finish()
            }
        }
    };
}

guard!(AsyncFdReadyGuard, &AsyncFd<T>);
guard!(AsyncFdReadyMutGuard, &mut AsyncFd<T>);

impl<T: AsRawFd> AsyncFdReadyMutGuard<'_, T> {
    /// The inner value by `&mut`.
    pub fn get_inner_mut(&mut self) -> &mut T {
        &mut self.fd.inner
    }
}
