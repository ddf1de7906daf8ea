//! The end of a current-thread scheduler: whoever has the core cancels the tasks and ends the driver.

use std::collections::VecDeque;
use std::time::Duration;

use super::Scheduler;
use super::core::Core;
use crate::blocking::Wait;
use crate::context::{self, Scope};
use crate::handle::Handle;
use crate::panics::contain;
use crate::sync::Ordering;
use crate::worker::BLOCKING_PATIENCE;

impl Scheduler {
    /// Shuts down: cancels the tasks here, or has the thread do it that runs them. Waits for blocking jobs as long as
    /// `patience` says, a moment if it says nothing, and not at all on a thread that runs async code.
    pub(crate) fn shut_down(&self, handle: &Handle, patience: Option<Duration>) {
        self.stopping.store(true, Ordering::SeqCst);
        let may_wait = context::scope() == Scope::Outside && patience != Some(Duration::ZERO);
        match self.slot.take() {
            Some(core) => {
                let _entered = context::enter(handle, Some(0));
                finish(self, core);
            }
            None => {
                self.unpark();
                if may_wait {
                    self.slot.wait_closed();
                }
            }
        }
        let wait = if may_wait { Wait::AtMost(patience.unwrap_or(BLOCKING_PATIENCE)) } else { Wait::Not };
        self.services.pool.shutdown(wait);
        if let Some(watchdog) = &self.services.watchdog {
            watchdog.stop(may_wait);
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
