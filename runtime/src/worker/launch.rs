//! Threads for workers, and how a worker moves to another one.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam_deque::Worker;

use super::local::Local;
use super::scheduler::Scheduler;
use crate::context::{self, Scope};
use crate::handle::Handle;
use crate::services::tell_thread;
use crate::task_core::Notified;

/// Gives thread `index` its name.
pub(crate) type ThreadName = Arc<dyn Fn(usize) -> String + Send + Sync>;

/// The threads that run the workers.
pub(crate) struct Threads {
    name: ThreadName,
    stack_size: Option<usize>,
    state: Mutex<State>,
    /// The last thread has ended its work.
    ended: Condvar,
}

#[derive(Default)]
struct State {
    /// Threads that have been started and have not ended.
    alive: usize,
    handles: Vec<JoinHandle<()>>,
}

impl Threads {
    pub(crate) fn new(name: ThreadName, stack_size: Option<usize>) -> Self {
        Self { name, stack_size, state: Mutex::default(), ended: Condvar::new() }
    }

    /// Starts a thread that runs worker `index`, with the queue it finds in `queue`.
    fn start(
        &self,
        scheduler: &Arc<Scheduler>,
        index: usize,
        queue: Arc<Mutex<Option<Worker<Notified>>>>,
    ) -> io::Result<()> {
        let mut builder = thread::Builder::new().name((self.name)(index));
        if let Some(size) = self.stack_size {
            builder = builder.stack_size(size);
        }
        let shared = scheduler.clone();
        let mut state = self.lock();
        let started = builder.spawn(move || {
            let queue = queue.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(queue) = queue {
                thread_main(&shared, index, queue);
            }
            shared.threads.end();
        })?;
        state.alive += 1;
        let finished: Vec<_> = state.handles.extract_finished();
        state.handles.push(started);
        drop(state);
        for thread in finished {
            // A panic was contained or is a bug of this crate, which its message told of.
            let _ = thread.join();
        }
        Ok(())
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
                None => self.ended.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(deadline) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left == Duration::ZERO {
                        state.handles.clear();
                        return false;
                    }
                    self.ended.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
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
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

trait ExtractFinished {
    fn extract_finished(&mut self) -> Self;
}

impl ExtractFinished for Vec<JoinHandle<()>> {
    fn extract_finished(&mut self) -> Self {
        let (finished, alive) = std::mem::take(self).into_iter().partition(JoinHandle::is_finished);
        *self = alive;
        finished
    }
}

/// Starts the workers.
///
/// # Errors
///
/// The system's, when it will not start a thread. Those that were started have ended then.
pub(crate) fn launch(scheduler: &Arc<Scheduler>, queues: Vec<Worker<Notified>>) -> io::Result<()> {
    let mut failure = None;
    for (index, queue) in queues.into_iter().enumerate() {
        if failure.is_none() {
            let queue = Arc::new(Mutex::new(Some(queue)));
            match scheduler.threads.start(scheduler, index, queue) {
                Ok(()) => continue,
                Err(error) => failure = Some(error),
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

fn thread_main(scheduler: &Arc<Scheduler>, index: usize, queue: Worker<Notified>) {
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
        super::run(&local);
        if !local.has_moved() {
            super::shutdown::leave(&local);
        }
    }
    tell_thread(hooks.thread_stop.as_ref(), index);
}

/// Moves the worker to a new thread, so that this one may block. False if there is none to be had: then the closure
/// runs here, and peers steal what is queued.
fn move_away(local: &Local) -> bool {
    let scheduler = local.scheduler();
    let Some(queue) = local.move_out() else { return true };
    let slot = Arc::new(Mutex::new(Some(queue)));
    match scheduler.threads.start(scheduler, local.index(), slot.clone()) {
        Ok(()) => true,
        Err(_) => {
            if let Some(queue) = slot.lock().unwrap_or_else(PoisonError::into_inner).take() {
                local.move_in(queue);
            }
            scheduler.offer_to_peer();
            false
        }
    }
}

/// Runs `f`, which may block, on a thread that runs async code.
#[track_caller]
pub(crate) fn block_in_place<R>(f: impl FnOnce() -> R) -> R {
    match context::scope() {
        Scope::Outside => return f(),
        Scope::BlockOn => {
            let current_thread = context::with_current(|handle| handle.is_some_and(Handle::is_current_thread));
            assert!(
                !current_thread,
                "`block_in_place` was called on a current-thread runtime, which has no other thread to go on with: \
                 use `spawn_blocking`, or a multi-thread runtime"
            );
        }
        Scope::Worker => Local::with_any(|local| {
            if let Some(local) = local {
                crate::task_core::share_current();
                move_away(local);
            }
        }),
    }
    let _scope = context::enter_scope(Scope::Outside);
    f()
}
