//! A limit on the time of any future, written after it.

use core::future::IntoFuture;
use std::time::Duration;

use crate::Instant;
use crate::timeout::{Timeout, timeout, timeout_at};

/// [`timeout`] and [`timeout_at`] as methods of every future, and of everything that turns into one.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wheelhouse_time::{TimeoutExt, sleep};
///
/// # wheelhouse_time::doc::block_on(async {
/// let in_time = async { 7 }.timeout(Duration::from_secs(1)).await;
/// assert_eq!(in_time.unwrap(), 7);
///
/// let late = sleep(Duration::from_secs(3600)).timeout(Duration::from_millis(1)).await;
/// assert!(late.is_err());
/// # });
/// ```
pub trait TimeoutExt: IntoFuture + Sized {
    /// Limits the future to `limit`, counted from this call.
    ///
    /// # Units
    ///
    /// Any `Duration`; one that reaches beyond the end of time (`Duration::MAX`) never runs out.
    ///
    /// # Errors
    ///
    /// The future returned resolves to [`Elapsed`](crate::Elapsed) when the limit is reached first.
    ///
    /// # Cancel safety
    ///
    /// As the inner future's: dropping the `Timeout` drops it.
    #[track_caller]
    fn timeout(self, limit: Duration) -> Timeout<Self::IntoFuture> {
        timeout(limit, self)
    }

    /// Limits the future to the time before `deadline`.
    ///
    /// # Errors
    ///
    /// The future returned resolves to [`Elapsed`](crate::Elapsed) when the deadline is reached first.
    ///
    /// # Cancel safety
    ///
    /// As the inner future's: dropping the `Timeout` drops it.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wheelhouse_time::{Instant, TimeoutExt};
    ///
    /// # wheelhouse_time::doc::block_on(async {
    /// let deadline = Instant::now() + Duration::from_millis(5);
    /// let never = core::future::pending::<()>().deadline(deadline).await;
    /// assert!(never.is_err());
    /// # });
    /// ```
    #[track_caller]
    fn deadline(self, deadline: Instant) -> Timeout<Self::IntoFuture> {
        timeout_at(deadline, self)
    }
}

impl<F: IntoFuture> TimeoutExt for F {}
