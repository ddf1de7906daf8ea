//! Registration that gives the value back when it fails.

use std::error::Error;
use std::fmt;
use std::io;
use std::os::fd::AsRawFd;

use super::{AsyncFd, Descriptor};
use crate::evented::Evented;
use crate::readiness::{Interest, Ready};
use crate::sys::interest;

/// A descriptor could not be registered; the value is inside. See [`AsyncFd::try_new`].
pub struct AsyncFdTryNewError<T> {
    inner: T,
    cause: io::Error,
}

impl<T> AsyncFdTryNewError<T> {
    /// The value, and why it could not be registered.
    pub fn into_parts(self) -> (T, io::Error) {
        (self.inner, self.cause)
    }
}

impl<T> fmt::Debug for AsyncFdTryNewError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncFdTryNewError").field("cause", &self.cause).finish_non_exhaustive()
    }
}

impl<T> fmt::Display for AsyncFdTryNewError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.cause, f)
    }
}

impl<T> Error for AsyncFdTryNewError<T> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.cause)
    }
}

impl<T> From<AsyncFdTryNewError<T>> for io::Error {
    fn from(error: AsyncFdTryNewError<T>) -> io::Error {
        error.cause
    }
}

impl<T: AsRawFd> AsyncFd<T> {
    /// [`new`](Self::new) that gives `inner` back when it fails.
    ///
    /// # Errors
    ///
    /// Those of [`new`](Self::new), and `inner` with them.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::io::AsyncFd;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// // A file is always ready, and cannot be waited for.
    /// let path = std::env::current_exe()?;
    /// let (file, error) = AsyncFd::try_new(std::fs::File::open(&path)?).unwrap_err().into_parts();
    /// assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied);
    /// assert!(file.metadata()?.is_file());
    /// # Ok(())
    /// # });
    /// ```
    pub fn try_new(inner: T) -> Result<AsyncFd<T>, AsyncFdTryNewError<T>> {
        AsyncFd::try_with_interest(inner, Interest::READABLE | Interest::WRITABLE)
    }

    /// [`with_interest`](Self::with_interest) that gives `inner` back when it fails.
    ///
    /// # Errors
    ///
    /// Those of [`new`](Self::new), and `inner` with them.
    pub fn try_with_interest(inner: T, interest: Interest) -> Result<AsyncFd<T>, AsyncFdTryNewError<T>> {
        match Evented::new(Descriptor(inner.as_raw_fd()), interest::to_mio(interest), Ready::EMPTY) {
            Ok(io) => Ok(AsyncFd { io, inner }),
            Err(cause) => Err(AsyncFdTryNewError { inner, cause }),
        }
    }
}
