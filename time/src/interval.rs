//! Ticks at a period, with a choice of what happens to the ones that were missed.

use core::future::poll_fn;
use core::pin::Pin;
use core::task::{Context, Poll, ready};
use std::time::Duration;

use futures_core::Stream;

use crate::sleep::{Sleep, sleep, sleep_until};
use crate::{Error, Instant};

/// A tick that is later than this has been missed. A shorter period lowers it, see [`MissedTickBehavior`].
const TOLERANCE: Duration = Duration::from_millis(5);

/// Makes an [`Interval`] that ticks at once and then every `period`.
///
/// The grid starts at the call, not at the first poll. The interval belongs to the timers that are current here, or,
/// when there are none, to those that are current at its first poll; it stays with them.
///
/// # Units
///
/// Any `Duration` above zero. One that reaches beyond the end of time (`Duration::MAX`) ticks once, at the start.
///
/// # Panics
///
/// Panics if `period` is zero.
///
/// # Cancel safety
///
/// See [`Interval::tick`].
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wheelhouse_time::{Instant, interval};
///
/// # wheelhouse_time::doc::block_on(async {
/// let start = Instant::now();
/// let mut beat = interval(Duration::from_millis(10));
/// beat.tick().await; // at once
/// beat.tick().await;
/// beat.tick().await;
/// assert!(start.elapsed() >= Duration::from_millis(20));
/// # });
/// ```
#[track_caller]
pub fn interval(period: Duration) -> Interval {
    require_period(period);
    Interval::new(sleep(Duration::ZERO), period)
}

/// Makes an [`Interval`] that ticks at `start` and then every `period`.
///
/// A `start` in the past is the first missed tick; the policy decides about those after it.
///
/// # Units
///
/// Any `Duration` above zero; additions beyond the end of time stay at the end of time, which never comes.
///
/// # Panics
///
/// Panics if `period` is zero.
///
/// # Cancel safety
///
/// See [`Interval::tick`].
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wheelhouse_time::{Instant, interval_at};
///
/// # wheelhouse_time::doc::block_on(async {
/// let start = Instant::now() + Duration::from_millis(20);
/// let mut beat = interval_at(start, Duration::from_millis(5));
/// assert_eq!(beat.tick().await, start);
/// assert_eq!(beat.tick().await, start + Duration::from_millis(5));
/// # });
/// ```
#[track_caller]
pub fn interval_at(start: Instant, period: Duration) -> Interval {
    require_period(period);
    Interval::new(sleep_until(start), period)
}

#[track_caller]
pub(crate) fn require_period(period: Duration) {
    assert!(!period.is_zero(), "a period must be greater than zero; to run without a pause, use a loop that yields");
}

/// What an [`Interval`] does after a tick that was taken too late.
///
/// "Too late" is more than 5 ms after the scheduled instant, or more than one period where the period is shorter than
/// that. A smaller delay never moves the grid: it is the kernel's and the scheduler's jitter.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wheelhouse_time::{MissedTickBehavior, interval};
///
/// let mut beat = interval(Duration::from_millis(100));
/// assert_eq!(beat.missed_tick_behavior(), MissedTickBehavior::Burst);
/// beat.set_missed_tick_behavior(MissedTickBehavior::Skip);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MissedTickBehavior {
    /// Every missed tick is made up for, at once, until the grid is caught up: the next tick is one period after the
    /// *scheduled* instant of this one.
    #[default]
    Burst,
    /// The grid moves: the next tick is one period after *now*.
    Delay,
    /// Missed ticks are dropped: the next tick is the first point of the old grid strictly after *now*.
    Skip,
}

impl MissedTickBehavior {
    /// The tick after the one that was scheduled for `scheduled` and taken at `now`.
    fn following(self, scheduled: Instant, now: Instant, period: Duration) -> Instant {
        let late = now.duration_since(scheduled);
        if late <= TOLERANCE.min(period) {
            return scheduled + period;
        }
        match self {
            Self::Burst => scheduled + period,
            Self::Delay => now + period,
            Self::Skip => now + (period - remainder(late, period)),
        }
    }
}

/// `late % period`. Both counts of nanoseconds fit 64 bits except for periods of centuries, which exceed any lateness.
fn remainder(late: Duration, period: Duration) -> Duration {
    match (u64::try_from(late.as_nanos()), u64::try_from(period.as_nanos())) {
        (Ok(late), Ok(period)) => Duration::from_nanos(late % period),
        _ => late,
    }
}

/// A series of ticks, one period apart. Made by [`interval`] and [`interval_at`].
///
/// Also a [`Stream`] of the scheduled instants, which never ends.
#[derive(Debug)]
#[must_use = "an interval does nothing unless it is polled"]
pub struct Interval {
    /// Its deadline is the scheduled instant of the next tick.
    sleep: Pin<Box<Sleep>>,
    period: Duration,
    missed: MissedTickBehavior,
}

impl Interval {
    fn new(sleep: Sleep, period: Duration) -> Self {
        Self { sleep: Box::pin(sleep), period, missed: MissedTickBehavior::default() }
    }

    /// Waits for the next tick and returns the instant it was *scheduled* for, which the wall may have passed.
    ///
    /// # Panics
    ///
    /// Panics when polled with no timers current, or after the runtime it belongs to has shut down; see
    /// [`try_tick`](Self::try_tick).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: a tick that is not returned is not consumed.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wheelhouse_time::interval;
    ///
    /// # wheelhouse_time::doc::block_on(async {
    /// let mut beat = interval(Duration::from_millis(2));
    /// let first = beat.tick().await;
    /// let second = beat.tick().await;
    /// assert_eq!(second - first, Duration::from_millis(2));
    /// # });
    /// ```
    pub async fn tick(&mut self) -> Instant {
        poll_fn(|cx| self.poll_tick(cx)).await
    }

    /// As [`tick`](Self::tick), with an error in place of the panic.
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
    /// use wheelhouse_time::{Error, interval};
    ///
    /// let mut beat = interval(Duration::from_secs(1));
    /// let outside = futures::executor::block_on(beat.try_tick());
    /// assert!(matches!(outside, Err(Error::NoRuntime)));
    /// ```
    pub async fn try_tick(&mut self) -> Result<Instant, Error> {
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
        let next = self.missed.following(scheduled, self.sleep.now(), self.period);
        self.sleep.as_mut().reset(next);
        Poll::Ready(Ok(scheduled))
    }

    /// Makes the next tick come one period from now.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wheelhouse_time::interval;
    ///
    /// let mut idle = interval(Duration::from_secs(60));
    /// idle.reset(); // something happened: count the minute anew
    /// ```
    pub fn reset(&mut self) {
        self.reset_after(self.period);
    }

    /// Makes the next tick come at once.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wheelhouse_time::interval;
    ///
    /// # wheelhouse_time::doc::block_on(async {
    /// let mut beat = interval(Duration::from_secs(3600));
    /// beat.tick().await;
    /// beat.reset_immediately();
    /// beat.tick().await; // without the hour's wait
    /// # });
    /// ```
    pub fn reset_immediately(&mut self) {
        self.reset_after(Duration::ZERO);
    }

    /// Makes the next tick come `after` from now, and the following ones a period apart from there. Saturates.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wheelhouse_time::interval;
    ///
    /// # wheelhouse_time::doc::block_on(async {
    /// let mut beat = interval(Duration::from_secs(3600));
    /// let first = beat.tick().await;
    /// beat.reset_after(Duration::from_millis(2));
    /// assert!(beat.tick().await >= first + Duration::from_millis(2));
    /// # });
    /// ```
    pub fn reset_after(&mut self, after: Duration) {
        self.reset_at(self.sleep.now() + after);
    }

    /// Makes the next tick come at `deadline`, and the following ones a period apart from there. A deadline in the
    /// past wakes the task that waits.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wheelhouse_time::interval;
    ///
    /// # wheelhouse_time::doc::block_on(async {
    /// let mut beat = interval(Duration::from_secs(3600));
    /// let next = beat.tick().await + Duration::from_millis(2);
    /// beat.reset_at(next);
    /// assert_eq!(beat.tick().await, next);
    /// # });
    /// ```
    pub fn reset_at(&mut self, deadline: Instant) {
        self.sleep.as_mut().reset(deadline);
    }

    /// What happens to missed ticks.
    pub fn missed_tick_behavior(&self) -> MissedTickBehavior {
        self.missed
    }

    /// Sets what happens to missed ticks; holds from the next tick on.
    pub fn set_missed_tick_behavior(&mut self, behavior: MissedTickBehavior) {
        self.missed = behavior;
    }

    /// The time from one tick to the next.
    pub fn period(&self) -> Duration {
        self.period
    }
}

impl Stream for Interval {
    type Item = Instant;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Instant>> {
        self.poll_tick(cx).map(Some)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (usize::MAX, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn skip_lands_strictly_after_now_even_on_a_grid_point() {
        let start = Instant::now();
        let next = MissedTickBehavior::Skip.following(start, start + 30 * MS, 10 * MS);
        assert_eq!(next, start + 40 * MS);
        let next = MissedTickBehavior::Skip.following(start, start + 31 * MS, 10 * MS);
        assert_eq!(next, start + 40 * MS);
    }

    #[test]
    fn a_period_below_the_tolerance_lowers_it() {
        let start = Instant::now();
        // 2 ms late at a period of 1 ms: a plain tolerance of 5 ms would keep the grid under every policy.
        assert_eq!(MissedTickBehavior::Delay.following(start, start + 2 * MS, MS), start + 3 * MS);
        assert_eq!(MissedTickBehavior::Delay.following(start, start + MS, MS), start + MS);
    }

    #[test]
    fn lateness_within_the_tolerance_keeps_the_grid() {
        let start = Instant::now();
        for policy in [MissedTickBehavior::Burst, MissedTickBehavior::Delay, MissedTickBehavior::Skip] {
            assert_eq!(policy.following(start, start + 5 * MS, 10 * MS), start + 10 * MS, "{policy:?}");
            // A clock that went back reads before the tick: as good as on time.
            assert_eq!(policy.following(start + MS, start, 10 * MS), start + 11 * MS, "{policy:?}");
        }
    }

    #[test]
    fn a_period_beyond_the_end_of_time_saturates_under_every_policy() {
        let start = Instant::now();
        for policy in [MissedTickBehavior::Burst, MissedTickBehavior::Delay, MissedTickBehavior::Skip] {
            let next = policy.following(start, start + 3600 * 1000 * MS, Duration::MAX);
            assert_eq!(next, start + Duration::MAX, "{policy:?}");
        }
    }
}
