//! Ticks on a strict grid: none is ever lost, and the grid never moves.

use core::future::poll_fn;
use core::pin::Pin;
use core::task::{Context, Poll, ready};
use std::time::Duration;

use futures_core::{FusedStream, Stream};

use crate::interval::require_period;
use crate::sleep::{Sleep, sleep};
use crate::{Error, Instant};

/// A series of ticks on a strict grid. Made by [`Ticker::every`].
///
/// The first tick comes one period after the call. Each tick moves the grid on by exactly one period, however late it
/// was taken: after a delay the missed ticks come at once, one after the other, until the grid is caught up.
/// [`Interval`](crate::Interval) has other policies and ticks at once first.
///
/// Also a [`Stream`] of the scheduled instants, which never ends.
///
/// # Examples
///
/// A loop over [`sleep`] drifts by what its body costs; a ticker does not.
///
/// ```
/// use std::time::Duration;
/// use wheelhouse_time::{Instant, Ticker};
///
/// # wheelhouse_time::doc::block_on(async {
/// let period = Duration::from_millis(10);
/// let start = Instant::now();
/// let mut ticker = Ticker::every(period);
/// for _ in 0..5 {
///     ticker.next().await;
///     std::thread::sleep(Duration::from_millis(3)); // some work
/// }
/// assert!(start.elapsed() >= 5 * period);
/// # });
/// ```
#[derive(Debug)]
#[must_use = "a ticker does nothing unless it is polled"]
pub struct Ticker {
    /// Its deadline is the next point of the grid.
    sleep: Pin<Box<Sleep>>,
    period: Duration,
}

impl Ticker {
    /// Makes a ticker whose first tick comes one `period` from now.
    ///
    /// It belongs to the timers that are current here, or, when there are none, to those that are current at its first
    /// poll; it stays with them.
    ///
    /// # Units
    ///
    /// Any `Duration` above zero. Additions beyond the end of time stay at the end of time, which never comes.
    ///
    /// # Panics
    ///
    /// Panics if `period` is zero.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wheelhouse_time::Ticker;
    ///
    /// let ticker = Ticker::every(Duration::from_secs(1));
    /// assert_eq!(ticker.period(), Duration::from_secs(1));
    /// ```
    #[track_caller]
    pub fn every(period: Duration) -> Self {
        require_period(period);
        Self { sleep: Box::pin(sleep(period)), period }
    }

    /// Waits for the next tick and returns the point of the grid it belongs to.
    ///
    /// # Panics
    ///
    /// Panics when polled with no timers current, or after those it belongs to have shut down; see
    /// [`try_next`](Self::try_next).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: a tick that is not returned is not consumed.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wheelhouse_time::Ticker;
    ///
    /// # wheelhouse_time::doc::block_on(async {
    /// let mut ticker = Ticker::every(Duration::from_millis(2));
    /// let first = ticker.next().await;
    /// assert_eq!(ticker.next().await, first + Duration::from_millis(2));
    /// # });
    /// ```
    pub async fn next(&mut self) -> Instant {
        poll_fn(|cx| self.poll_tick(cx)).await
    }

    /// As [`next`](Self::next), with an error in place of the panic.
    ///
    /// # Errors
    ///
    /// [`Error::NoRuntime`] when polled with no timers current, [`Error::Shutdown`] after those it belongs to have
    /// shut down.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: a tick that is not returned is not consumed.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wheelhouse_time::{Error, Ticker};
    ///
    /// let mut ticker = Ticker::every(Duration::from_secs(1));
    /// let outside = futures::executor::block_on(ticker.try_next());
    /// assert!(matches!(outside, Err(Error::NoRuntime)));
    /// ```
    pub async fn try_next(&mut self) -> Result<Instant, Error> {
        poll_fn(|cx| self.try_poll_tick(cx)).await
    }

    /// Polls for the next tick. When pending, only the waker of the latest poll is woken.
    ///
    /// # Panics
    ///
    /// Panics with no timers current, or after those it belongs to have shut down; see
    /// [`try_poll_tick`](Self::try_poll_tick).
    #[track_caller]
    pub fn poll_tick(&mut self, cx: &mut Context<'_>) -> Poll<Instant> {
        Error::or_panic(self.try_poll_tick(cx))
    }

    /// As [`poll_tick`](Self::poll_tick), with an error in place of the panic.
    ///
    /// # Errors
    ///
    /// [`Error::NoRuntime`] with no timers current, [`Error::Shutdown`] after those it belongs to have shut down.
    pub fn try_poll_tick(&mut self, cx: &mut Context<'_>) -> Poll<Result<Instant, Error>> {
        ready!(self.sleep.as_mut().try_poll_elapsed(cx))?;
        let scheduled = self.sleep.deadline();
        self.sleep.as_mut().reset(scheduled + self.period);
        Poll::Ready(Ok(scheduled))
    }

    /// Starts the grid anew: the next tick comes one period from now.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wheelhouse_time::{Instant, Ticker};
    ///
    /// # wheelhouse_time::doc::block_on(async {
    /// let mut ticker = Ticker::every(Duration::from_millis(2));
    /// std::thread::sleep(Duration::from_millis(10)); // five ticks behind
    /// let now = Instant::now();
    /// ticker.reset(); // which no longer matter
    /// assert!(ticker.next().await >= now + Duration::from_millis(2));
    /// # });
    /// ```
    pub fn reset(&mut self) {
        self.reset_at(self.sleep.now());
    }

    /// Starts the grid at `origin`: the next tick comes at `origin` + one period. Saturates.
    ///
    /// When that is in the past, the task that waits is woken, and the ticks since then come at once.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wheelhouse_time::{Instant, Ticker};
    ///
    /// # wheelhouse_time::doc::block_on(async {
    /// let mut ticker = Ticker::every(Duration::from_millis(2));
    /// let origin = Instant::now() + Duration::from_millis(3);
    /// ticker.reset_at(origin);
    /// assert_eq!(ticker.next().await, origin + Duration::from_millis(2));
    /// # });
    /// ```
    pub fn reset_at(&mut self, origin: Instant) {
        self.sleep.as_mut().reset(origin + self.period);
    }

    /// Starts the grid `after` from now: the next tick comes at now + `after` + one period. Saturates.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wheelhouse_time::{Instant, Ticker};
    ///
    /// # wheelhouse_time::doc::block_on(async {
    /// let mut ticker = Ticker::every(Duration::from_millis(2));
    /// let now = Instant::now();
    /// ticker.reset_after(Duration::from_millis(3));
    /// assert!(ticker.next().await >= now + Duration::from_millis(5));
    /// # });
    /// ```
    pub fn reset_after(&mut self, after: Duration) {
        self.reset_at(self.sleep.now() + after);
    }

    /// The time from one tick to the next.
    pub fn period(&self) -> Duration {
        self.period
    }
}

impl Stream for Ticker {
    type Item = Instant;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Instant>> {
        self.poll_tick(cx).map(Some)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (usize::MAX, None)
    }
}

impl FusedStream for Ticker {
    /// Never: a ticker does not end.
    fn is_terminated(&self) -> bool {
        false
    }
}
