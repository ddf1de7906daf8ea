//! What can go wrong with a timer.

use core::fmt;
use core::task::Poll;

/// Why a timer could not be waited for, or a set of timers could not be built.
///
/// # Examples
///
/// ```
/// use wheelhouse_time::Error;
///
/// assert_eq!(Error::NoRuntime.to_string(), "no timers are entered on this thread");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A timer that belongs to no runtime yet was polled on a thread that has none entered.
    NoRuntime,
    /// The runtime the timer belongs to has shut down: it will never fire.
    Shutdown,
    /// The platform lacks the clock that the builder asked for.
    Unsupported,
    /// The key names nothing: its item has expired or was removed.
    StaleKey,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Error::NoRuntime => "no timers are entered on this thread",
            Error::Shutdown => "the runtime of this timer has shut down",
            Error::Unsupported => "this platform lacks the clock that was asked for",
            Error::StaleKey => "the item of this key has expired or was removed",
        })
    }
}

impl core::error::Error for Error {}

impl From<Error> for std::io::Error {
    fn from(error: Error) -> Self {
        let kind = match error {
            Error::Unsupported => std::io::ErrorKind::Unsupported,
            Error::StaleKey => std::io::ErrorKind::NotFound,
            Error::NoRuntime | Error::Shutdown => std::io::ErrorKind::Other,
        };
        std::io::Error::new(kind, error)
    }
}

impl Error {
    /// What a poll without a `try_` in its name makes of its twin's outcome.
    #[track_caller]
    pub(crate) fn or_panic<T>(polled: Poll<Result<T, Error>>) -> Poll<T> {
        match polled {
            Poll::Ready(Ok(value)) => Poll::Ready(value),
            Poll::Ready(Err(error)) => error.panic(),
            Poll::Pending => Poll::Pending,
        }
    }

    /// Panics with the remedy: these are the caller's bugs where no `try_` twin was used.
    #[track_caller]
    #[cold]
    pub(crate) fn panic(self) -> ! {
        match self {
            Error::NoRuntime => panic!(
                "a timer was polled on a thread without timers: enter a runtime first (`Handle::enter`, \
                 `Runtime::block_on`, or `wheelhouse_time::context::enter`), or use `try_poll_elapsed`"
            ),
            Error::Shutdown => panic!(
                "a timer was polled after its runtime had shut down: drop it, make a new one inside a living \
                 runtime, or use `try_poll_elapsed`"
            ),
            Error::StaleKey => panic!("{self}: look its key up with `try_remove` or `deadline`"),
            Error::Unsupported => {
                panic!("this platform lacks the clock that was asked for: use `ClockKind::Monotonic`")
            }
        }
    }
}

/// The error of a [`Timeout`](crate::Timeout) whose time ran out.
///
/// It converts into an [`std::io::Error`] of kind [`TimedOut`](std::io::ErrorKind::TimedOut).
///
/// # Examples
///
/// ```
/// use std::{future::pending, io, time::Duration};
/// use wheelhouse_time::timeout;
///
/// async fn reply() -> io::Result<u8> {
///     Ok(timeout(Duration::from_millis(1), pending::<u8>()).await?)
/// }
/// # wheelhouse_time::doc::block_on(async {
/// assert_eq!(reply().await.unwrap_err().kind(), io::ErrorKind::TimedOut);
/// # });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elapsed(());

impl Elapsed {
    pub(crate) fn new() -> Self {
        Elapsed(())
    }
}

impl fmt::Display for Elapsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the deadline has elapsed")
    }
}

impl core::error::Error for Elapsed {}

impl From<Elapsed> for std::io::Error {
    fn from(elapsed: Elapsed) -> Self {
        std::io::Error::new(std::io::ErrorKind::TimedOut, elapsed)
    }
}
