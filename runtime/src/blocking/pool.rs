//! The pool's handle: submit and shut down.

use core::time::Duration;

use super::alloc::vec::Vec;
use super::state::{Queued, State};
use super::{Config, Figures, Host, Job, NoThread, Refused, Wait, thread};
use crate::hooks::contain;
use crate::sync::{Arc, AtomicUsize, Condvar, Mutex, MutexGuard, Ordering};

/// A handle to a blocking pool; clones share it.
pub(crate) struct Pool<J: Job, H: Host> {
    shared: Arc<Shared<J, H>>,
}

/// Shared by the handles and every thread of the pool.
pub(super) struct Shared<J: Job, H: Host> {
    state: Mutex<State<J, H::Thread>>,
    /// Threads without work wait here.
    pub(super) work: Condvar,
    /// A shutdown waits here for the last thread to leave.
    left: Condvar,
    /// Jobs queued or running. Incremented before a job is queued, decremented when it is over.
    jobs: AtomicUsize,
    pub(super) config: Config,
    pub(super) host: H,
}

impl<J: Job, H: Host> Pool<J, H> {
    pub(crate) fn new(config: Config, host: H) -> Self {
        let state = Mutex::new(State::new());
        let (work, left) = (Condvar::new(), Condvar::new());
        Self { shared: Arc::new(Shared { state, work, left, jobs: AtomicUsize::new(0), config, host }) }
    }

    /// Queues a job. Refused, it has been cancelled before this returns.
    pub(crate) fn submit(&self, job: J) -> Result<(), Refused> {
        let shared = &*self.shared;
        // Relaxed: a thread that is not parked is counted before it parks, and its park orders this.
        shared.jobs.fetch_add(1, Ordering::Relaxed);
        let mut state = shared.lock();
        if state.closed {
            drop(state);
            shared.cancel([job]);
            return Err(Refused::Closed);
        }
        let queued = state.push(job, shared.config.max_threads);
        drop(state);
        match queued {
            Queued::Notify => shared.work.notify_one(),
            Queued::Start(index) => return self.start(index),
            Queued::Waits => {}
        }
        Ok(())
    }

    /// Takes no more jobs, cancels the queued ones and waits for the running ones as long as `wait` says; but for
    /// [`Wait::Not`], threads that run no job are waited for in any case, since they leave at once. True if every thread
    /// has ended; those that have not are detached. On a thread of the pool itself it does not wait.
    pub(crate) fn shutdown(&self, wait: Wait) -> bool {
        let shared = &*self.shared;
        let mut state = shared.lock();
        let queued = state.close();
        let inside = state.any_running(|thread| shared.host.is_current(thread));
        drop(state);
        shared.work.notify_all();
        shared.cancel(queued);

        let waits = wait != Wait::Not && !inside;
        let mut state = if waits { shared.wait_left(wait) } else { shared.lock() };
        let ended = state.all_left();
        let exited = if waits { state.take_exited() } else { Vec::new() };
        let detached = state.detach();
        drop(state);
        drop(detached);
        exited.into_iter().for_each(|thread| shared.host.join(thread));
        ended
    }

    /// Whether a job is queued or running.
    pub(crate) fn is_busy(&self) -> bool {
        // DRAINED.observe
        self.shared.jobs.load(Ordering::Acquire) != 0
    }

    /// A job that is running counts no longer: it is counted elsewhere.
    pub(crate) fn count_out(&self) {
        // DRAINED.publish: that it is counted elsewhere
        self.shared.finish();
    }

    /// It counts again, and is not counted elsewhere afterwards.
    pub(crate) fn count_in(&self) {
        // Relaxed: whoever no longer finds it counted elsewhere finds this, by what orders that count.
        self.shared.jobs.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn figures(&self) -> Figures {
        self.shared.lock().figures()
    }

    fn start(&self, index: usize) -> Result<(), Refused> {
        let shared = self.shared.clone();
        let started = self.shared.host.start(index, super::Box::new(move || thread::run(&shared, index)));
        let shared = &*self.shared;
        match started {
            Ok(thread) => {
                let mut state = shared.lock();
                state.started(index, thread);
                shared.unlock(state);
                Ok(())
            }
            Err(refusal) => shared.not_started(index, refusal),
        }
    }
}

impl<J: Job, H: Host> Shared<J, H> {
    pub(super) fn lock(&self) -> MutexGuard<'_, State<J, H::Thread>> {
        self.state.lock()
    }

    /// One job is over.
    pub(super) fn finish(&self) {
        // DRAINED.publish: what the job did is done
        if self.jobs.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.host.drained();
        }
    }

    /// A thread leaves. Joins those that left before it, so that whoever joins the last has joined all.
    pub(super) fn leave(&self, mut state: MutexGuard<'_, State<J, H::Thread>>, index: usize) {
        let before = state.leave(index);
        self.unlock(state);
        before.into_iter().for_each(|thread| self.host.join(thread));
    }

    /// Lets go of the lock after a thread or a handle went, and tells a shutdown.
    fn unlock(&self, state: MutexGuard<'_, State<J, H::Thread>>) {
        let closed = state.closed;
        drop(state);
        if closed {
            self.left.notify_all();
        }
    }

    fn not_started(&self, index: usize, refusal: NoThread) -> Result<(), Refused> {
        let mut state = self.lock();
        let orphans = state.not_started(index);
        self.unlock(state);
        if orphans.is_empty() {
            return Ok(());
        }
        self.cancel(orphans);
        Err(Refused::NoThread(refusal))
    }

    fn cancel(&self, jobs: impl IntoIterator<Item = J>) {
        for job in jobs {
            contain(|| job.cancel());
            self.finish();
        }
    }

    /// Waits for the threads to leave, for those that run a job only as long as `wait` says.
    fn wait_left(&self, wait: Wait) -> MutexGuard<'_, State<J, H::Thread>> {
        let end = match wait {
            Wait::Not => Some(Duration::ZERO),
            Wait::AtMost(Duration::MAX) => None,
            Wait::AtMost(limit) => self.host.now().checked_add(limit),
        };
        let mut expired = false;
        let mut state = self.lock();
        while !(state.all_left() || expired && state.idle_left()) {
            let left = end.filter(|_| !expired).map(|end| end.saturating_sub(self.host.now()));
            state = match left {
                None => self.left.wait(state),
                Some(Duration::ZERO) => {
                    expired = true;
                    state
                }
                Some(left) => self.left.wait_timeout(state, left).0,
            };
        }
        state
    }
}

impl<J: Job, H: Host> Clone for Pool<J, H> {
    fn clone(&self) -> Self {
        Self { shared: self.shared.clone() }
    }
}

impl<J: Job, H: Host> core::fmt::Debug for Pool<J, H> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Pool").field("config", &self.shared.config).field("figures", &self.figures()).finish()
    }
}
