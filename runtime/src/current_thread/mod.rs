//! The current-thread scheduler: one thread at a time, inside `block_on`, runs all tasks and drives timers and sockets.
//!
//! - [`Scheduler`]: what the handles share, and where a woken task goes.
//! - [`core`]: what the thread that runs the tasks has to itself, and how it gets it.
//! - [`run`]: `block_on` and its loop.
//! - [`shutdown`]: the end.

pub(crate) mod core;
mod run;
mod shutdown;

use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use self::core::{Core, CoreSlot};
pub(crate) use self::run::block_on;
use crate::driver::Bell;
use crate::panics::contain;
use crate::park::{Activity, Interrupt, Parker, Unparked};
use crate::services::{Services, tell_task};
use crate::spawn::{self, Origin};
use crate::sync::{AtomicBool, Mutex, Ordering};
use crate::task_core::{JoinHandle, Notified, Schedule, Task};

/// The builder's knobs for this flavour.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    /// Every so many polls tasks from other threads come first.
    pub(crate) global_queue_interval: u32,
    /// The driver is looked at after so many polls.
    pub(crate) event_interval: u32,
}

/// The current-thread scheduler: shared by its tasks and the handles to it.
pub(crate) struct Scheduler {
    pub(crate) config: Config,
    pub(crate) services: Services,
    /// Tasks woken by other threads.
    inbox: Mutex<Inbox>,
    slot: CoreSlot,
    /// The sleep of the thread that has the core.
    parker: Parker,
    bell: Bell,
    /// The `block_on` callers that wait without the core.
    activity: Activity,
    stopping: AtomicBool,
    /// It stops because a task panicked.
    panicked: AtomicBool,
}

#[derive(Default)]
struct Inbox {
    tasks: VecDeque<Notified>,
    /// Emptied for good.
    closed: bool,
}

impl Scheduler {
    pub(crate) fn new(config: Config, services: Services, core: Box<Core>, bell: Bell) -> Self {
        Self {
            config,
            services,
            inbox: Mutex::default(),
            slot: CoreSlot::new(core),
            parker: Parker::new(),
            bell,
            activity: Activity::new(),
            stopping: AtomicBool::new(false),
            panicked: AtomicBool::new(false),
        }
    }

    #[inline]
    pub(crate) fn spawn<F>(self: &Arc<Self>, future: F, origin: Origin<'_>) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        spawn::spawn(&self.services, self.clone(), future, origin, || Arc::clone(self).into())
    }

    /// How many tasks of other threads wait.
    pub(crate) fn inbox_len(&self) -> usize {
        self.inbox.lock().tasks.len()
    }

    /// Wakes the thread that has the core. The only way to do so.
    fn unpark(&self) {
        match self.parker.unpark() {
            // A repeated interruption costs a look at the clock; it repairs one that was lost.
            Unparked::InterruptDriver | Unparked::TokenAlready => self.bell.interrupt(),
            Unparked::Token | Unparked::Woken => {}
        }
    }

    pub(crate) fn interrupt(&self) {
        self.bell.interrupt();
    }

    fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }

    /// Queues a task from a thread that does not run the tasks. The caller keeps the scheduler alive.
    fn inject(&self, task: Notified) {
        let mut inbox = self.inbox.lock();
        if inbox.closed {
            drop(inbox);
            contain(|| drop(task));
            return;
        }
        inbox.tasks.push_back(task);
        drop(inbox);
        self.unpark();
    }
}

impl Schedule for Arc<Scheduler> {
    #[inline]
    fn schedule(&self, task: Notified) {
        self.services.stamp(&task);
        if let Err(task) = core::push_here(Arc::as_ptr(self), task) {
            // As soon as it is queued the task may run to its end, and take its reference to the scheduler, perhaps the
            // last one, with it: hence one of our own.
            let scheduler = Arc::clone(self);
            scheduler.inject(task);
        }
    }

    fn reschedule(&self, task: Notified) {
        self.schedule(task);
    }

    fn release(&self, task: &Task) -> bool {
        tell_task(self.services.hooks.task_terminate.as_ref(), task.id());
        self.services.owned.remove(task)
    }

    fn times_queues(&self) -> bool {
        self.services.times_queues
    }

    fn unhandled_panic(&self) {
        if self.services.panic_is_fatal {
            // Relaxed: read after `stopping`.
            self.panicked.store(true, Ordering::Relaxed);
            self.stopping.store(true, Ordering::Release);
            self.unpark();
        }
    }
}

impl fmt::Debug for Scheduler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("current_thread::Scheduler").field("config", &self.config).finish_non_exhaustive()
    }
}
