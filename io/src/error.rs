//! The crate's own errors, carried inside [`std::io::Error`].

use std::fmt;
use std::io;

/// What can be wrong that is not the operating system's word.
///
/// It comes inside a [`std::io::Error`] of kind `Other`:
///
/// ```
/// use wheelhouse_io::Error;
///
/// // No reactor is current on this thread.
/// let std = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
/// let error = wheelhouse_io::net::TcpListener::from_std(std).unwrap_err();
/// assert_eq!(Error::inside(&error), Some(Error::NoRuntime));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// No reactor is current on this thread, so there is nothing to register a socket with.
    NoRuntime,
    /// The reactor is gone: its runtime was shut down while the socket lived elsewhere.
    ShutDown,
}

impl Error {
    /// The crate's own error inside `error`, if it is one.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::io;
    /// use wheelhouse_io::Error;
    ///
    /// let error = io::Error::from(Error::ShutDown);
    /// assert_eq!(Error::inside(&error), Some(Error::ShutDown));
    /// assert_eq!(Error::inside(&io::ErrorKind::NotFound.into()), None);
    /// ```
    #[must_use]
    pub fn inside(error: &io::Error) -> Option<Error> {
        error.get_ref()?.downcast_ref::<Error>().copied()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Error::NoRuntime => {
                "no I/O reactor is current on this thread: make the socket inside a runtime (in `block_on`, in a \
                 task, or under `Handle::enter`) whose I/O is not disabled"
            }
            Error::ShutDown => {
                "the runtime that this socket is registered with has shut down: keep the runtime alive as long as \
                 its sockets are used"
            }
        })
    }
}

impl std::error::Error for Error {}

impl From<Error> for io::Error {
    fn from(error: Error) -> io::Error {
        io::Error::other(error)
    }
}
