//! Threads for workers, and how a worker moves to another one.

use std::collections::VecDeque;
use std::io;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::local::Local;
use super::scheduler::Scheduler;
use crate::context::{self, Scope};
use crate::handle::Handle;
use crate::panics::contain;
use crate::run_queue::RunQueue;
use crate::services::tell_thread;
use crate::sync::{Arc, Condvar, Mutex, MutexGuard};
use crate::task_core::Notified;
use crate::threads::thread_name;

/// Gives thread `index` its name.
pub(crate) type ThreadName = Arc<dyn Fn(usize) -> String + Send + Sync>;

/// How long a thread whose worker has moved on waits for another one to take over.
const SPARE_PATIENCE: Duration = Duration::from_secs(5);

/// The threads that run the workers.
pub(crate) struct Threads {
    name: ThreadName,
    stack_size: Option<usize>,
    state: Mutex<State>,
    /// A worker waits for a spare thread.
    work: Condvar,
    /// The last thread has ended its work.
    ended: Condvar,
}

#[derive(Default)]
struct State {
    /// Threads that have been started and have not ended.
    alive: usize,
    handles: Vec<JoinHandle<()>>,
    /// Threads without a worker: theirs moved on while they blocked.
    spares: usize,
    /// Workers that wait for one of the spares; never more than there are spares.
    moving: VecDeque<Post>,
}

/// What a thread needs to be a worker.
struct Post {
    index: usize,
    queue: RunQueue<Notified>,
}

impl Threads {
    pub(crate) fn new(name: ThreadName, stack_size: Option<usize>) -> Self {
        Self { name, stack_size, state: Mutex::default(), work: Condvar::new(), ended: Condvar::new() }
    }

    /// Has a spare thread, or else a new one, run worker `index`.
    ///
    /// # Errors
    ///
    /// The system's, and the worker's queue.
    fn start(
        &self,
        scheduler: &Arc<Scheduler>,
        index: usize,
        queue: RunQueue<Notified>,
    ) -> Result<(), (io::Error, RunQueue<Notified>)> {
        let Some(post) = self.give_to_spare(Post { index, queue }) else { return Ok(()) };
        // The user's code, outside the lock.
        let mut builder = thread::Builder::new().name(thread_name(&*self.name, index));
        if let Some(size) = self.stack_size {
            builder = builder.stack_size(size);
        }
        let first = Arc::new(Mutex::new(Some(post)));
        let (given, shared) = (first.clone(), scheduler.clone());
        let mut state = self.lock();
        let started = builder.spawn(move || {
            let mut post = given.lock().take();
            while let Some(Post { index, queue }) = post {
                thread_main(&shared, index, queue);
                post = shared.threads.next_post(&shared);
            }
            shared.threads.end();
        });
        match started {
            Ok(thread) => {
                state.alive += 1;
                let (finished, running): (Vec<_>, _) =
                    std::mem::take(&mut state.handles).into_iter().partition(JoinHandle::is_finished);
                state.handles = running;
                state.handles.push(thread);
                drop(state);
                // Joined by the way. A panic was contained, or is a bug of this crate that its message told of.
                finished.into_iter().for_each(|thread| drop(thread.join()));
                Ok(())
            }
            Err(error) => {
                let post = first.lock().take();
                let queue = post.map(|post| post.queue);
                // The closure was dropped without being called: the post is still there.
                queue.map_or(Ok(()), |queue| Err((error, queue)))
            }
        }
    }

    /// Has a spare thread run the worker; it comes back if there is none.
    fn give_to_spare(&self, post: Post) -> Option<Post> {
        let mut state = self.lock();
        if state.spares <= state.moving.len() {
            return Some(post);
        }
        state.moving.push_back(post);
        drop(state);
        self.work.notify_one();
        None
    }

    /// The worker of this thread has moved on: waits for another one. None: the thread ends.
    fn next_post(&self, scheduler: &Scheduler) -> Option<Post> {
        let deadline = Instant::now() + SPARE_PATIENCE;
        let mut state = self.lock();
        state.spares += 1;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let post = state.moving.pop_front();
            if post.is_some() || left.is_zero() || scheduler.is_stopping() {
                state.spares -= 1;
                return post;
            }
            state = self.work.wait_timeout(state, left).0;
        }
    }

    /// The scheduler stops: spare threads end.
    pub(super) fn release_spares(&self) {
        drop(self.lock());
        self.work.notify_all();
    }

    fn end(&self) {
        let mut state = self.lock();
        state.alive -= 1;
        if state.alive == 0 {
            self.ended.notify_all();
        }
    }

    /// Waits until every thread has ended, but not past `deadline`. True if they have.
    pub(super) fn join(&self, deadline: Option<Instant>) -> bool {
        let mut state = self.lock();
        while state.alive > 0 {
            state = match deadline {
                None => self.ended.wait(state),
                Some(deadline) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left == Duration::ZERO {
                        state.handles.clear();
                        return false;
                    }
                    self.ended.wait_timeout(state, left).0
                }
            };
        }
        let handles = std::mem::take(&mut state.handles);
        drop(state);
        for thread in handles {
            let _ = thread.join();
        }
        true
    }

    /// Lets go of the threads: nobody joins them.
    pub(super) fn detach(&self) {
        self.lock().handles.clear();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

/// Starts the workers.
///
/// # Errors
///
/// The system's, when it will not start a thread. Those that were started have ended then.
pub(crate) fn launch(scheduler: &Arc<Scheduler>, queues: Vec<RunQueue<Notified>>) -> io::Result<()> {
    let mut failure = None;
    for (index, queue) in queues.into_iter().enumerate() {
        if failure.is_none() {
            match scheduler.threads.start(scheduler, index, queue) {
                Ok(()) => continue,
                Err((error, _)) => failure = Some(error),
            }
        }
        // This worker never was: it leaves at once.
        scheduler.stop();
        scheduler.leave_unstarted();
    }
    match failure {
        None => Ok(()),
        Some(error) => {
            scheduler.threads.join(None);
            Err(error)
        }
    }
}

fn thread_main(scheduler: &Arc<Scheduler>, index: usize, queue: RunQueue<Notified>) {
    let handle = Handle::from(scheduler.clone());
    let _entered = context::enter(&handle, Some(index));
    let _scope = context::enter_scope(Scope::Worker);
    let hooks = &scheduler.services.hooks;
    let seed = scheduler.config.seed.wrapping_add(index as u64);
    let local = Local::new(scheduler.clone(), index, queue, seed);
    local.counters().attach();
    if let Some(watchdog) = &scheduler.services.watchdog {
        watchdog.worker_awake(|| false);
    }
    tell_thread(hooks.thread_start.as_ref(), index);
    {
        let _on_thread = local.enter();
        // User code is contained where it is called. A panic here is a bug of this crate: its message has been printed,
        // peers steal what the worker held, and the runtime can still end.
        contain(|| super::run(&local));
        if !local.has_moved() {
            super::shutdown::leave(&local);
        }
    }
    tell_thread(hooks.thread_stop.as_ref(), index);
}

/// Moves the worker to another thread, so that this one may block. Where none is to be had, the closure runs here all the
/// same, and peers steal what is queued.
fn move_away(local: &Local) {
    let scheduler = local.scheduler();
    let Some(queue) = local.move_out() else { return };
    // Before the worker goes on elsewhere: its counters are the other thread's then, and the simulated clock must not
    // take it for idle while this poll goes on.
    let task = local.counters().leave_poll();
    local.begin_section();
    if let Err((_, queue)) = scheduler.threads.start(scheduler, local.index(), queue) {
        local.end_section();
        local.counters().resume_poll(task);
        local.move_in(queue);
        scheduler.offer_to_peer();
    }
}

/// Runs `f`, which may block, on a thread that runs async code.
#[track_caller]
pub(crate) fn block_in_place<R>(f: impl FnOnce() -> R) -> R {
    match context::scope() {
        Scope::Outside => return f(),
        Scope::BlockOn => {}
        Scope::BlockOnAlone => panic!(
            "`block_in_place` was called on a current-thread runtime, which has no other thread to go on with: \
             use `spawn_blocking`, or a multi-thread runtime"
        ),
        // Between polls, in a hook say, the worker stays: its loop goes on with it.
        Scope::Worker => Local::with_any(|local| {
            if let Some(local) = local.filter(|local| local.is_polling()) {
                crate::task_core::share_current();
                move_away(local);
            }
        }),
    }
    let _scope = context::enter_scope(Scope::Outside);
    f()
}
