//! The driver, by hand or in a runtime's hands.

use core::fmt;
use core::task::Waker;

use super::{Shared, Timers};
use crate::sync::{Arc, Ordering};
use crate::timer::{Next, Tick, Turned, Turner};

/// After how many turns without an idle moment a busy runtime takes the next step of an `advance` nevertheless.
const PATIENCE: u32 = 32;

/// The one party that waits for a runtime's timers and fires them.
///
/// The holder repeats three steps: [`prepare_park`](Self::prepare_park) and wait until then or until
/// [`Interrupt::interrupt`](crate::Interrupt::interrupt) is called, [`awake`](Self::awake), [`turn`](Self::turn). Any thread may hold it; it never calls a
/// waker itself. The example of [`Timers`] is such a holder.
///
/// # Examples
///
/// A paused clock, moved by the driver:
///
/// ```
/// use std::{future::Future, pin::pin, task::{Context, Waker}, time::Duration};
/// use wheelhouse_time::{Timers, sleep};
///
/// let (timers, mut driver) = Timers::builder().start_paused(true).build().unwrap();
/// let _entered = timers.enter();
/// let mut sleep = pin!(sleep(Duration::from_secs(60)));
/// assert!(sleep.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
/// assert!(driver.auto_advance());
/// let mut wakes = Vec::new();
/// assert_eq!(driver.turn(&mut wakes).fired, 1);
/// assert_eq!(timers.now().as_nanos(), 60_000_000_000);
/// # wakes.drain(..).for_each(Waker::wake);
/// ```
pub struct TimerDriver {
    shared: Arc<Shared>,
    turner: Turner,
    /// Turns since the clock moved while an `advance` is going on.
    waited: u32,
}

impl TimerDriver {
    pub(super) fn new(shared: &Arc<Shared>, turner: Turner) -> TimerDriver {
        TimerDriver { shared: Arc::clone(shared), turner, waited: 0 }
    }

    /// Promises to be awake at the returned tick and says how long to wait: not at all, until that tick, or for ever.
    ///
    /// From here until [`awake`](Self::awake), whoever files an earlier timer calls
    /// [`Interrupt::interrupt`](crate::Interrupt::interrupt), once; the
    /// holder's wait must end then, also when the call comes before the wait began.
    pub fn prepare_park(&mut self) -> Next {
        if self.shared.clock.is_paused() {
            // No slack and no head start: the clock stands still, so a due timer is due now and any other is a jump away.
            // One may be due already: filed by a poll that read the clock before the last jump.
            return match self.turner.prepare_park_exact(&self.shared.shards) {
                Next::At(tick) if tick <= self.shared.clock.now() => Next::Now,
                next => next,
            };
        }
        self.turner.prepare_park(&self.shared.shards)
    }

    /// Takes the promise back; to be called after the wait, before the driver changes hands.
    pub fn awake(&mut self) {
        self.turner.awake(&self.shared.shards);
    }

    /// Fires what is due, at most 1,024 timers a call, and adds their wakers to `wakes` for the caller to call.
    pub fn turn(&mut self, wakes: &mut Vec<Waker>) -> Turned {
        if self.shared.advance.callers.load(Ordering::Relaxed) > 0 {
            self.waited += 1;
            if self.waited >= PATIENCE {
                self.advance_step();
            }
        }
        let earliest = self.shared.shards.earliest_work();
        if earliest >= Tick::NEVER.as_nanos() {
            return self.turner.nothing_due();
        }
        let now = self.shared.clock.now().as_nanos();
        if earliest > now {
            return self.turner.nothing_due();
        }
        self.turner.turn(&self.shared.shards, now, wakes)
    }

    /// Moves a paused clock exactly to the earliest deadline, and says whether it moved. The caller has made sure that the
    /// runtime is idle: no task ready or running, no I/O ready, no blocking job. A turn fires the timer then.
    ///
    /// It does nothing while the clock runs, and no more than [`advance_step`](Self::advance_step) where the builder said
    /// [`auto_advance(false)`](crate::TimersBuilder::auto_advance).
    pub fn auto_advance(&mut self) -> bool {
        if !self.shared.auto_advance {
            return self.advance_step();
        }
        self.step(Tick::NEVER)
    }

    /// As [`auto_advance`](Self::auto_advance), but no further than a running [`advance`](crate::advance) asks for. The
    /// caller has made sure that no task is ready or running; blocking jobs and I/O do not hold it up.
    pub fn advance_step(&mut self) -> bool {
        // Relaxed: ordered by the filing of the advance's own timer.
        match self.shared.advance.until.load(Ordering::Relaxed) {
            0 => false,
            until => self.step(Tick::from_nanos(until)),
        }
    }

    /// The timers that this drives.
    #[must_use]
    pub fn timers(&self) -> Timers {
        Timers::from_shared(&self.shared)
    }

    fn step(&mut self, limit: Tick) -> bool {
        self.waited = 0;
        if !self.shared.clock.is_paused() {
            return false;
        }
        let earliest = Tick::from_nanos(self.shared.shards.true_earliest());
        if earliest == Tick::NEVER && limit == Tick::NEVER {
            return false;
        }
        self.shared.clock.move_to(earliest.min(limit))
    }
}

impl fmt::Debug for TimerDriver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TimerDriver").field("timers", &self.timers()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use core::future::Future;
    use core::pin::pin;
    use core::task::Context;
    use core::time::Duration;

    use super::*;
    use crate::sleep;

    #[test]
    fn a_paused_clock_does_not_wait_for_what_is_due() {
        let (timers, mut driver) = Timers::builder().start_paused(true).build().unwrap();
        let _entered = timers.enter();
        let mut sleep = pin!(sleep(Duration::from_millis(5)));
        assert!(sleep.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        let due = Tick::from_nanos(5_000_000);
        assert_eq!(driver.prepare_park(), Next::At(due));
        driver.awake();
        // As if the poll had read the clock before this, and had filed the timer after.
        assert!(driver.shared.clock.move_to(due.saturating_add(Duration::from_millis(5))));
        assert_eq!(driver.prepare_park(), Next::Now);
        driver.awake();
        assert_eq!(driver.turn(&mut Vec::new()).fired, 1);
        assert_eq!(driver.prepare_park(), Next::Never);
    }
}
