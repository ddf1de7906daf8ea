//! Tasks: spawned futures, and the handles to them.

use core::future::{Future, poll_fn};
use core::task::Poll;

use crate::handle::Handle;
use crate::spawn::Origin;
#[path = "coop_api.rs"]
pub mod coop;

pub use self::coop::{consume_budget, unconstrained};
pub use crate::join_set::{JoinSet, SetBuilder};
pub use crate::local_set::{LocalEnterGuard, LocalSet, RunUntil, spawn_local};
pub use crate::task_builder::Builder;
pub use crate::task_core::{AbortHandle, Id, JoinError, JoinHandle};
pub use crate::task_local::{AccessError, LocalKey, TaskLocalFuture};

/// Starts a task on the runtime that this thread has entered. It runs whether the returned handle is awaited or dropped.
///
/// A runtime that shuts down cancels the task.
///
/// # Panics
///
/// Outside of a runtime; [`Handle::try_current`](crate::runtime::Handle::try_current) tells beforehand.
///
/// # Examples
///
/// ```
/// # wheelhouse::runtime::Runtime::new().unwrap().block_on(async {
/// let task = wheelhouse::spawn(async { 1 + 1 });
/// assert_eq!(task.await.unwrap(), 2);
/// # });
/// ```
#[track_caller]
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let origin = Origin::here();
    crate::context::with_current(|handle| match handle {
        Some(handle) => handle.spawn_from(future, origin),
        None => no_runtime(),
    })
}

/// Runs a closure that may block on the runtime's pool of threads for such work.
///
/// Once it has begun it runs to its end: aborting it or dropping its handle stops it only before.
///
/// # Panics
///
/// Outside of a runtime, and if no thread can be had; see [`Handle::spawn_blocking`](crate::runtime::Handle::spawn_blocking).
///
/// # Examples
///
/// ```
/// # wheelhouse::runtime::Runtime::new().unwrap().block_on(async {
/// let read = wheelhouse::task::spawn_blocking(|| std::fs::read_to_string("Cargo.toml"));
/// assert!(read.await.unwrap().is_ok());
/// # });
/// ```
#[track_caller]
pub fn spawn_blocking<F, R>(f: F) -> JoinHandle<R>
where
    F: FnOnce() -> R + Send + 'static,
    R: Send + 'static,
{
    let origin = Origin::here();
    match Handle::try_current() {
        Ok(handle) => handle.spawn_blocking_from(f, origin),
        Err(_) => no_runtime(),
    }
}

/// Runs a closure that may block here, on a thread that runs tasks: the worker moves to another thread meanwhile, with
/// its queue. Where no thread can be had the closure runs all the same, and the other workers take over what is queued.
///
/// The rest of the task waits for it. A future that can be polled beside it, in `select!` say, is better served by
/// [`spawn_blocking`].
///
/// On a thread that does not run tasks the closure is just called.
///
/// # Panics
///
/// On a current-thread runtime, which has no other thread; and if the closure panics.
///
/// # Examples
///
/// ```
/// # wheelhouse::runtime::Runtime::new().unwrap().block_on(async {
/// wheelhouse::spawn(async {
///     let total: u64 = wheelhouse::task::block_in_place(|| (0..1_000_000).sum());
///     assert_eq!(total, 499_999_500_000);
/// }).await.unwrap();
/// # });
/// ```
#[track_caller]
pub fn block_in_place<R>(f: impl FnOnce() -> R) -> R {
    crate::worker::launch::block_in_place(f)
}

/// Lets the other tasks run: the current one is polled again after all that are ready.
///
/// # Cancel safety
///
/// Dropping it loses nothing but the place in the queue.
///
/// # Examples
///
/// ```
/// # wheelhouse::runtime::Runtime::new().unwrap().block_on(async {
/// for _ in 0..3 {
///     wheelhouse::task::yield_now().await;
/// }
/// # });
/// ```
pub async fn yield_now() {
    let mut yielded = false;
    poll_fn(|cx| {
        if core::mem::replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        crate::coop::yield_current(cx);
        Poll::Pending
    })
    .await;
}

/// The id of the task that runs on this thread.
///
/// # Panics
///
/// Outside of a task; the future given to `block_on` is none. [`try_id`] returns `None` instead.
///
/// # Examples
///
/// ```
/// # wheelhouse::runtime::Runtime::new().unwrap().block_on(async {
/// let task = wheelhouse::spawn(async { wheelhouse::task::id() });
/// let id = task.id();
/// assert_eq!(task.await.unwrap(), id);
/// # });
/// ```
#[track_caller]
pub fn id() -> Id {
    match try_id() {
        Some(id) => id,
        None => panic!("`task::id` was called outside of a task: call it in a spawned task, or use `task::try_id`"),
    }
}

/// The id of the task that runs on this thread; `None` outside of a task.
///
/// # Examples
///
/// ```
/// assert!(wheelhouse::task::try_id().is_none());
/// ```
pub fn try_id() -> Option<Id> {
    crate::task_core::current_id()
}

#[track_caller]
#[cold]
fn no_runtime() -> ! {
    panic!("{}", crate::error::NoRuntime(()))
}
