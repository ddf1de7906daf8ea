//! What the workers share, and where a task goes that is woken.

use std::fmt;
use std::future::Future;

use crossbeam_deque::Injector;
use crossbeam_utils::CachePadded;

use super::home::Home;
use super::launch::Threads;
use super::local::Local;
use crate::driver::{Bell, Machine};
use crate::park::{LifoSlot, Lounge};
use crate::run_queue::{RunQueue, Stealer};
use crate::services::{Services, tell_task};
use crate::spawn::{self, Origin};
use crate::sync::{Arc, AtomicBool, AtomicUsize, Ordering, fence};
use crate::task_core::{Header, JoinHandle, Notified, Schedule, Task};

/// The builder's knobs for the workers.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    pub(crate) workers: usize,
    /// Every so many polls a worker takes from the global queue first.
    pub(crate) global_queue_interval: u32,
    /// A busy worker looks at the driver after so many polls at the most.
    pub(crate) event_interval: u32,
    pub(crate) seed: u64,
}

/// The multi-thread scheduler: shared by its workers, its tasks and the handles to it.
pub(crate) struct Scheduler {
    pub(crate) config: Config,
    pub(crate) services: Services,
    pub(crate) remotes: Box<[CachePadded<Remote>]>,
    /// Tasks queued by threads that are no workers, and what workers give away.
    pub(crate) injector: Injector<Notified>,
    pub(crate) lounge: Lounge<Machine, Bell>,
    pub(crate) threads: Threads,
    /// No worker begins another poll.
    pub(super) stopping: AtomicBool,
    /// The queues were emptied for good: whoever queues a task after that empties them again.
    pub(super) drained: AtomicBool,
    /// Workers that have not left their loop.
    pub(super) running: AtomicUsize,
}

/// What a worker's peers reach of it.
pub(crate) struct Remote {
    pub(crate) stealer: Stealer<Notified>,
    lifo: LifoSlot<Header>,
}

impl Remote {
    fn new(queue: &RunQueue<Notified>) -> CachePadded<Self> {
        CachePadded::new(Self { stealer: queue.stealer(), lifo: LifoSlot::new() })
    }

    /// Puts a task into the LIFO slot and returns the one it displaces. The worker itself only.
    #[inline]
    pub(crate) fn put_lifo(&self, task: Notified) -> Option<Notified> {
        let displaced = self.lifo.put(task.into_raw())?;
        // SAFETY: what is in the slot came from `into_raw`, and whoever takes it out has it alone.
        Some(unsafe { Notified::from_raw(displaced) })
    }

    /// Takes the task out of the LIFO slot.
    #[inline]
    pub(crate) fn take_lifo(&self) -> Option<Notified> {
        let task = self.lifo.take()?;
        // SAFETY: as in `put_lifo`.
        Some(unsafe { Notified::from_raw(task) })
    }

    #[inline]
    pub(crate) fn has_lifo(&self) -> bool {
        !self.lifo.is_empty()
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        drop(self.take_lifo());
    }
}

impl Scheduler {
    pub(crate) fn new(
        config: Config,
        services: Services,
        lounge: Lounge<Machine, Bell>,
        queues: &[RunQueue<Notified>],
        threads: Threads,
    ) -> Self {
        Self {
            remotes: queues.iter().map(Remote::new).collect(),
            injector: Injector::new(),
            lounge,
            threads,
            stopping: AtomicBool::new(false),
            drained: AtomicBool::new(false),
            running: AtomicUsize::new(config.workers),
            config,
            services,
        }
    }

    #[inline]
    pub(crate) fn workers(&self) -> usize {
        self.config.workers
    }

    #[inline]
    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }

    #[inline]
    pub(crate) fn spawn<F>(self: &Arc<Self>, future: F, origin: Origin<'_>) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        spawn::spawn(&self.services, Home::of(self), future, origin, || Arc::clone(self).into())
    }

    /// Queues a task for whoever comes first, and wakes a worker for it. The caller keeps the scheduler alive.
    pub(crate) fn inject(&self, task: Notified) {
        self.injector.push(task);
        // IDLE.claim, DRAIN.observe
        fence(Ordering::SeqCst);
        if self.drained.load(Ordering::Relaxed) {
            self.drain();
        }
        self.lounge.notify();
    }

    /// A worker queued something for itself: a parked peer may take it off its hands.
    #[inline]
    pub(crate) fn offer_to_peer(&self) {
        if self.lounge.idle.any_parked() {
            self.lounge.notify();
        }
    }
}

impl Schedule for Home {
    #[inline]
    fn schedule(&self, task: Notified) {
        self.services.stamp(&task);
        Local::with(Arc::as_ptr(self), |local| match local {
            Some(local) => local.push_next(task),
            None => remote(self, task),
        });
    }

    #[inline]
    fn reschedule(&self, task: Notified) {
        self.services.stamp(&task);
        Local::with(Arc::as_ptr(self), |local| match local {
            Some(local) => local.push_last(task),
            None => remote(self, task),
        });
    }

    #[inline]
    fn release(&self, task: &Task) -> bool {
        tell_task(self.services.hooks.task_terminate.as_ref(), task.id());
        self.services.owned.remove(task)
    }

    fn times_queues(&self) -> bool {
        self.services.times_queues
    }

    fn unhandled_panic(&self) {
        if self.services.panic_is_fatal {
            self.stop();
        }
    }
}

/// Queues a task from a thread that is no worker. As soon as it is queued it may run to its end, and take its
/// reference to the scheduler, perhaps the last one, with it: hence one of our own.
#[cold]
fn remote(scheduler: &Arc<Scheduler>, task: Notified) {
    Local::with_any(|local| {
        if let Some(local) = local.filter(|local| std::ptr::eq(&**local.scheduler(), &**scheduler)) {
            // The worker has moved to another thread, or it would have taken the task.
            local.counters().overflowed();
        }
    });
    let scheduler = Arc::clone(scheduler);
    scheduler.inject(task);
}

impl fmt::Debug for Scheduler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scheduler").field("config", &self.config).finish_non_exhaustive()
    }
}
