//! The blocking pool: threads for work that may block, grown on demand and let go when idle.
//!
//! ★ concurrency core: imports only `core`, `alloc`, `std::panic`, `super`, `crate::sync` and `crate::hooks`, so that
//! the models compile this very source against loom. What the pool needs of the world, threads and a clock, comes
//! through [`Host`].
//!
//! # What holds
//!
//! B1. A job is run once or cancelled once, never both, never neither.
//! B2. While a job is queued and the pool is open, some thread is alive or being started: a thread leaves only with the
//!     queue seen empty under the lock, and whoever fails to start the last one empties the queue.
//! B3. Every wake-up of an idle thread is backed by a *claim*: the submitter moves one thread from `idle` to `claims`,
//!     and whichever thread wakes first, by notification or by its timeout, takes the claim and looks at the queue.
//! B4. No job, hook or host call runs under the lock.
//!
//! # Models
//!
//! `loom-tests/src/models/blocking`: `idle_exit` (B2, B3), `no_thread` (B2 under refusals), `shutdown` (B1, joins),
//! `drained` (DRAINED).

mod pool;
mod state;
mod thread;

use alloc::boxed::Box;
use core::time::Duration;

pub(crate) use pool::Pool;

extern crate alloc;

/// A unit of blocking work.
pub(crate) trait Job: Send + 'static {
    /// Runs it, on a thread of the pool.
    fn run(self);

    /// Gives it up without running it: the pool was shut down, or no thread can be had.
    fn cancel(self);
}

/// What a thread of the pool does from its start to its end.
pub(crate) type Body = Box<dyn FnOnce() + Send + 'static>;

/// What the pool needs of the world around it.
pub(crate) trait Host: Send + Sync + 'static {
    /// A started thread that can be joined; dropping it detaches the thread.
    type Thread: Send + 'static;

    /// Starts thread number `index` with `body`, or says that none can be had.
    fn start(&self, index: usize, body: Body) -> Result<Self::Thread, NoThread>;

    /// Waits until the thread has ended.
    fn join(&self, thread: Self::Thread);

    /// Whether the caller runs on `thread`.
    fn is_current(&self, thread: &Self::Thread) -> bool;

    /// Time since some fixed instant in the past.
    fn now(&self) -> Duration;

    /// The last job that was queued or running is over. Runs outside the lock.
    fn drained(&self) {}
}

/// The system would not start a thread; the code is the operating system's, 0 when there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoThread(pub(crate) i32);

/// How large the pool may grow, and how soon it shrinks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Config {
    /// At most this many threads; at least 1.
    pub(crate) max_threads: usize,
    /// An idle thread ends after this long; `Duration::MAX`: never.
    pub(crate) keep_alive: Duration,
}

/// Why a job was cancelled instead of queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// The pool is shut down.
    Closed,
    /// No thread is alive and none can be started.
    NoThread(NoThread),
}

/// How long a shutdown waits for the jobs that are running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Not at all.
    Not,
    /// At most this long; `Duration::MAX`: until all are over.
    AtMost(Duration),
}

/// The pool's size, for the metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Figures {
    /// Threads alive or being started.
    pub(crate) threads: usize,
    /// Threads that wait for a job.
    pub(crate) idle: usize,
    /// Jobs that no thread has taken yet.
    pub(crate) queue_depth: usize,
}
