//! The end of a current-thread scheduler: whoever has the core cancels the tasks and ends the driver.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::Scheduler;
use super::core::Core;
use crate::blocking::Wait;
use crate::context::{self, Scope};
use crate::handle::Handle;
use crate::panics::contain;
use crate::sync::Ordering;
use crate::worker::BLOCKING_PATIENCE;

impl Scheduler {
    /// Shuts down: cancels the tasks here, or has the thread do it that runs them. Waits for as long as `patience` says;
    /// for ever (None) for that thread and a moment for blocking jobs; and not at all on a thread that runs async code.
    pub(crate) fn shut_down(&self, handle: &Handle, patience: Option<Duration>) {
        self.stopping.store(true, Ordering::SeqCst);
        let may_wait = context::scope() == Scope::Outside && patience != Some(Duration::ZERO);
        let deadline = patience.and_then(|patience| Instant::now().checked_add(patience));
        match self.slot.take() {
            Some(core) => {
                let _entered = context::enter(handle, Some(0));
                finish(self, core);
            }
            None => {
                self.unpark();
                if may_wait {
                    self.slot.wait_closed(deadline);
                }
            }
        }
        let left = match patience {
            None => BLOCKING_PATIENCE,
            Some(_) => deadline.map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now())),
        };
        self.services.pool.shutdown(if may_wait { Wait::AtMost(left) } else { Wait::Not });
        if let Some(watchdog) = &self.services.watchdog {
            watchdog.stop(may_wait);
        }
    }

    /// The core was put back: if the runtime stops, whoever finds it there ends it.
    ///
    /// Whoever stops the runtime says so and then looks for the core, under the slot's lock; whoever puts it back does
    /// that under the same lock and then looks whether the runtime stops. One finds it.
    pub(super) fn finish_if_stopping(&self) {
        if self.is_stopping() {
            if let Some(core) = self.slot.take() {
                finish(self, core);
            }
        }
    }
}

/// Cancels every task, ends timers and sockets, and empties the queues.
pub(super) fn finish(scheduler: &Scheduler, core: Box<Core>) {
    let Core { mut machine, tasks, .. } = *core;
    scheduler.services.owned.close_and_cancel_all();
    let mut wakes = Vec::new();
    machine.shut_down(&mut wakes);
    drop(machine);
    for waker in wakes {
        contain(|| waker.wake());
    }
    let injected = {
        let mut inbox = scheduler.inbox.lock();
        inbox.closed = true;
        std::mem::take(&mut inbox.tasks)
    };
    let empty = |tasks: VecDeque<_>| tasks.into_iter().for_each(|task| contain(|| drop(task)));
    empty(tasks);
    empty(injected);
    scheduler.slot.close();
}
