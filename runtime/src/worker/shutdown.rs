//! The end of a scheduler.
//!
//! 1. `stop`: no worker begins another poll; all are woken.
//! 2. Each worker leaves its loop when its poll is over.
//! 3. The last one closes the list of live tasks and cancels each of them; a task that is spawned from then on is
//!    cancelled by its spawner. No worker polls any more, so nobody else touches the tasks' futures, except for polls
//!    in a blocking section, which end as cancelled.
//! 4. It ends timers and sockets: whoever waits for one from outside is woken. The descriptors are closed.
//! 5. It marks the queues as drained, and empties them.
//!
//! # Pairs
//!
//! DRAIN: whoever queues a task from outside fences and then looks at the mark; the last worker sets the mark, fences,
//! and then empties the queues. One sees the other: no task stays in a queue, with its reference to the scheduler.

use std::ptr;
use std::time::{Duration, Instant};

use super::local::Local;
use super::queue::settled;
use super::scheduler::Scheduler;
use crate::blocking::Wait;
use crate::context::{self, Scope};
use crate::panics::contain;
use crate::sync::{Ordering, fence};

/// How long a dropped runtime waits for blocking jobs.
pub(crate) const BLOCKING_PATIENCE: Duration = Duration::from_millis(500);

impl Scheduler {
    /// Makes the workers leave their loops.
    pub(crate) fn stop(&self) {
        if self.stopping.swap(true, Ordering::SeqCst) {
            return;
        }
        for k in 0..self.workers() {
            self.lounge.unpark(k);
        }
        self.lounge.interrupt();
        self.threads.release_spares();
    }

    /// A worker that never had a thread.
    pub(super) fn leave_unstarted(&self) {
        if self.running.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.finish();
        }
    }

    /// Shuts down and waits as long as `patience` says: for ever (None) for the polls that run, and a moment for
    /// blocking jobs; or for as long as it says for both. On a thread that runs async code it does not wait.
    pub(crate) fn shut_down(&self, patience: Option<Duration>) {
        self.stop();
        // A thread whose worker has moved on is one of those that would be waited for.
        let is_own_thread = Local::with_any(|local| local.is_some_and(|local| ptr::eq(&**local.scheduler(), self)));
        if is_own_thread || context::scope() != Scope::Outside || patience == Some(Duration::ZERO) {
            self.threads.detach();
            self.services.pool.shutdown(Wait::Not);
            if let Some(watchdog) = &self.services.watchdog {
                watchdog.stop(false);
            }
            return;
        }
        let deadline = patience.map(|patience| Instant::now().checked_add(patience)).unwrap_or_default();
        self.threads.join(deadline);
        let left = match patience {
            None => BLOCKING_PATIENCE,
            Some(_) => deadline.map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now())),
        };
        self.services.pool.shutdown(Wait::AtMost(left));
        if let Some(watchdog) = &self.services.watchdog {
            watchdog.stop(true);
        }
    }

    /// Empties the queues. What is in them was cancelled with all live tasks.
    pub(super) fn drain(&self) {
        let next = || {
            let mut remotes = self.remotes.iter();
            settled(&self.injector)
                .or_else(|| remotes.find_map(|remote| remote.take_lifo().or_else(|| remote.stealer.steal())))
        };
        while let Some(task) = next() {
            contain(|| drop(task));
        }
    }

    fn finish(&self) {
        self.services.owned.close_and_cancel_all();
        let mut wakes = Vec::new();
        // Nobody sits there any more: all workers have left.
        let _ = self.lounge.last_visit(|machine| machine.shut_down(&mut wakes));
        for waker in wakes {
            contain(|| waker.wake());
        }
        self.drained.store(true, Ordering::SeqCst);
        // DRAIN.publish
        fence(Ordering::SeqCst);
        self.drain();
    }
}

/// A worker has left its loop. The last one cleans up.
pub(super) fn leave(local: &Local) {
    let scheduler = local.scheduler();
    // What the driver collected is owed its call. The tasks go nowhere, but a waker may be a foreign one.
    local.call_wakers();
    local.counters().park();
    if scheduler.running.fetch_sub(1, Ordering::AcqRel) == 1 {
        scheduler.finish();
    }
}
