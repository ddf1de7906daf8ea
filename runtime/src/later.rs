//! A scheduler, for what is made before it and must not keep it alive: the threads of the blocking pool, and the tasks
//! that wait for one.

use std::sync::{Arc, OnceLock, Weak};

use crate::handle::Handle;
use crate::{current_thread, worker};

/// Empty until the scheduler is made.
#[derive(Debug, Clone, Default)]
pub(crate) struct Later(Arc<OnceLock<WeakScheduler>>);

#[derive(Debug)]
enum WeakScheduler {
    MultiThread(Weak<worker::Scheduler>),
    CurrentThread(Weak<current_thread::Scheduler>),
}

impl Later {
    /// The scheduler is made.
    pub(crate) fn set(&self, handle: &Handle) {
        use crate::handle::Scheduler;
        // Err: filled twice, which does not happen.
        let _ = self.0.set(match handle.scheduler() {
            Scheduler::MultiThread(scheduler) => WeakScheduler::MultiThread(Arc::downgrade(scheduler)),
            Scheduler::CurrentThread(scheduler) => WeakScheduler::CurrentThread(Arc::downgrade(scheduler)),
        });
    }

    /// A number for it: no other has the same while this or a clone of it lives.
    pub(crate) fn address(&self) -> *const () {
        Arc::as_ptr(&self.0).cast()
    }

    /// The runtime, while it lives.
    pub(crate) fn handle(&self) -> Option<Handle> {
        match self.0.get()? {
            WeakScheduler::MultiThread(scheduler) => scheduler.upgrade().map(Handle::from),
            WeakScheduler::CurrentThread(scheduler) => scheduler.upgrade().map(Handle::from),
        }
    }
}
