//! What both schedulers share: timers, sockets, the blocking pool, the live tasks, hooks and counters.

use std::sync::Arc;

use crossbeam_utils::CachePadded;
use wheelhouse_io::Io;
use wheelhouse_time::Timers;

use crate::listing::Listing;
use crate::metrics::{DriverCounters, WorkerCounters};
use crate::panics::contain;
use crate::spawn::{BlockingPool, Pooling};
use crate::task_core::{Notified, Owned};
use crate::watchdog::Watchdog;

/// A hook that is told a worker's number.
pub(crate) type ThreadHook = Arc<dyn Fn(usize) + Send + Sync>;
/// A hook that is told of a task.
pub(crate) type TaskHook = Arc<dyn Fn(&TaskMeta) + Send + Sync>;

/// What a task hook is told.
#[derive(Debug)]
pub struct TaskMeta {
    id: crate::task_core::Id,
}

impl TaskMeta {
    pub(crate) fn new(id: crate::task_core::Id) -> Self {
        Self { id }
    }

    /// The task's id.
    pub fn id(&self) -> crate::task_core::Id {
        self.id
    }
}

/// The user's hooks.
#[derive(Clone, Default)]
pub(crate) struct Hooks {
    pub(crate) thread_start: Option<ThreadHook>,
    pub(crate) thread_stop: Option<ThreadHook>,
    pub(crate) thread_park: Option<ThreadHook>,
    pub(crate) thread_unpark: Option<ThreadHook>,
    pub(crate) task_spawn: Option<TaskHook>,
    pub(crate) task_terminate: Option<TaskHook>,
    pub(crate) before_poll: Option<TaskHook>,
    pub(crate) after_poll: Option<TaskHook>,
}

impl Hooks {
    /// Whether any of them is told of the tasks of local sets.
    pub(crate) fn follow_tasks(&self) -> bool {
        let Self { task_spawn, task_terminate, before_poll, after_poll, .. } = self;
        [task_spawn, task_terminate, before_poll, after_poll].into_iter().any(Option::is_some)
    }
}

/// Calls a thread hook, if there is one. A panic in it is contained.
#[inline]
pub(crate) fn tell_thread(hook: Option<&ThreadHook>, worker: usize) {
    if let Some(hook) = hook {
        contain(|| hook(worker));
    }
}

/// Calls a task hook, if there is one. A panic in it is contained.
#[inline]
pub(crate) fn tell_task(hook: Option<&TaskHook>, id: crate::task_core::Id) {
    if let Some(hook) = hook {
        contain(|| hook(&TaskMeta::new(id)));
    }
}

/// What the schedulers share.
pub(crate) struct Services {
    pub(crate) timers: Timers,
    pub(crate) io: Io,
    /// Whether threads of the runtime find its timers.
    pub(crate) time: bool,
    /// Whether threads of the runtime find its reactor.
    pub(crate) sockets: bool,
    pub(crate) pool: BlockingPool,
    /// What its tasks share.
    pub(crate) pooling: Arc<Pooling>,
    pub(crate) owned: Owned,
    /// The tasks that are not in `owned`.
    pub(crate) listing: Listing,
    pub(crate) hooks: Arc<Hooks>,
    pub(crate) counters: Box<[CachePadded<WorkerCounters>]>,
    /// Whether it is noted when a task is queued: the counters have a histogram for it.
    pub(crate) times_queues: bool,
    pub(crate) driver: Arc<DriverCounters>,
    pub(crate) watchdog: Option<Watchdog>,
    /// Whether a panic in a task shuts the runtime down.
    pub(crate) panic_is_fatal: bool,
}

impl Services {
    /// A task is about to be queued.
    #[inline]
    pub(crate) fn stamp(&self, task: &Notified) {
        if self.times_queues {
            task.set_queued_at(self.counters[0].clock());
        }
    }
}
