//! How futures and closures become tasks of a scheduler.

use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::blocking::{Job, Pool, Refused};
use crate::context;
use crate::coop;
use crate::handle::Handle;
use crate::job;
use crate::later::Later;
use crate::listing::Listing;
use crate::services::{Hooks, Services, tell_task};
use crate::sync::{Arc, Mutex};
use crate::task_core::{self, Id, JoinHandle, Kind, Meta, Notified, Owned, Schedule, Spawned, Task};
use crate::threads::Threads;

/// The blocking pool, as the schedulers use it.
pub(crate) type BlockingPool = Pool<BlockingJob, Threads>;

/// What is known of a task before it is made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Origin<'a> {
    pub(crate) name: Option<&'a str>,
    pub(crate) location: &'static Location<'static>,
}

impl Origin<'_> {
    #[track_caller]
    pub(crate) fn here() -> Self {
        Self { name: None, location: Location::caller() }
    }
}

/// Makes a task of `future`, enters it in the list of live tasks, and queues it. `handle` is the runtime's.
#[inline]
pub(crate) fn spawn<F, S>(
    services: &Services,
    scheduler: S,
    future: F,
    origin: Origin<'_>,
    handle: impl FnOnce() -> Handle,
) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
    S: Schedule,
{
    let id = Id::next();
    let meta = Meta { id, kind: Kind::Task, name: origin.name, location: origin.location };
    let Spawned { owned, notified, join } = task_core::spawn(future, scheduler, meta);
    tell_task(services.hooks.task_spawn.as_ref(), id);
    match services.owned.bind(owned) {
        Ok(()) => notified.schedule(),
        Err(task) => {
            // The runtime shuts down: the task is cancelled as those before it were, with the runtime entered.
            let _entered = context::enter(&handle(), None);
            notified.abandon();
            task.shutdown();
        }
    }
    join
}

/// Runs `f` on the blocking pool.
///
/// # Errors
///
/// The join handle, of a task that is cancelled already, and why the pool did not take it.
pub(crate) fn spawn_blocking<F, R>(
    services: &Services,
    f: F,
    origin: Origin<'_>,
) -> Result<JoinHandle<R>, (JoinHandle<R>, Refused)>
where
    F: FnOnce() -> R + Send + 'static,
    R: Send + 'static,
{
    let id = Id::next();
    let meta = Meta { id, kind: Kind::Blocking, name: origin.name, location: origin.location };
    let (notified, join) = pooled(Closure(Some(f)), &services.pooling, meta);
    tell_task(services.hooks.task_spawn.as_ref(), id);
    match services.pool.submit(BlockingJob(notified)) {
        Ok(()) => Ok(join),
        Err(refused) => Err((join, refused)),
    }
}

/// Makes a task for the pool.
fn pooled<F>(future: F, pooling: &Arc<Pooling>, meta: Meta<'_>) -> (Notified, JoinHandle<F::Output>)
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let Spawned { owned, notified, join } = task_core::spawn(future, pooling.clone(), meta);
    // The list is there to be looked at, and is never closed: a blocking task ends by its job alone.
    drop(pooling.list.bind(owned));
    (notified, join)
}

/// The pool, for the calls of sockets that block: look-ups of names.
pub(crate) struct Offload {
    pool: BlockingPool,
    pooling: Arc<Pooling>,
}

impl Offload {
    pub(crate) fn new(services: &Services) -> Self {
        let Pooling { list, later, .. } = &*services.pooling;
        // They are no tasks of the user's: his hooks are not told of them.
        let pooling = Pooling { list: list.clone(), hooks: Arc::default(), later: later.clone() };
        Self { pool: services.pool.clone(), pooling: Arc::new(pooling) }
    }
}

impl wheelhouse_io::Blocking for Offload {
    fn run(&self, job: wheelhouse_io::Job) -> Result<(), wheelhouse_io::Job> {
        // The pool drops what it refuses, so the job waits beside its task, where it can be had back.
        let slot = Arc::new(Mutex::new(Some(job)));
        let ours = slot.clone();
        let run = move || {
            let job = ours.lock().take();
            if let Some(job) = job {
                job();
            }
        };
        let meta =
            Meta { id: Id::next(), kind: Kind::Blocking, name: Some("lookup"), location: Origin::here().location };
        let (notified, join) = pooled(Closure(Some(run)), &self.pooling, meta);
        drop(join);
        match self.pool.submit(BlockingJob(notified)) {
            Ok(()) => Ok(()),
            Err(_) => slot.lock().take().map_or(Ok(()), Err),
        }
    }
}

/// A closure that waits for a thread of the pool.
#[derive(Debug)]
pub(crate) struct BlockingJob(Notified);

impl Job for BlockingJob {
    fn run(self) {
        job::run(|| self.0.run());
    }

    fn cancel(self) {
        self.0.cancel();
    }
}

/// The scheduler of blocking tasks. They are queued once, and ready at their first poll.
pub(crate) struct Pooling {
    /// The list they stand in.
    list: Arc<Owned>,
    hooks: Arc<Hooks>,
    /// Where their closures are dropped.
    later: Later,
}

impl Pooling {
    pub(crate) fn new(listing: &Listing, hooks: Arc<Hooks>, later: Later) -> Self {
        Self { list: listing.pooled.clone(), hooks, later }
    }

    /// Whose pool it is.
    pub(crate) fn scheduler(&self) -> &Later {
        &self.later
    }
}

impl Schedule for Arc<Pooling> {
    fn schedule(&self, task: Notified) {
        // Woken though it never waits: it is aborted. If its job waits for a thread, that may be for long: the closure
        // is dropped here and now, and the thread finds a task that is complete. A closure that runs goes on.
        let handle = self.later.handle();
        let _entered = handle.as_ref().map(|handle| context::enter(handle, None));
        task.cancel();
    }

    fn reschedule(&self, task: Notified) {
        task.cancel();
    }

    fn release(&self, task: &Task) -> bool {
        tell_task(self.hooks.task_terminate.as_ref(), task.id());
        self.list.remove(task)
    }
}

/// A future that calls a closure at its first poll. The closure may block, and nothing limits it.
struct Closure<F>(Option<F>);

impl<F> Unpin for Closure<F> {}

impl<F: FnOnce() -> R, R> Future for Closure<F> {
    type Output = R;

    fn poll(mut self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<R> {
        let f = self.0.take().expect("a blocking task is polled once: its scheduler drops it afterwards");
        crate::context::set_budget(coop::UNLIMITED);
        Poll::Ready(f())
    }
}
