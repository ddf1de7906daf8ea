//! Tasks that stay on one thread, and so need not be `Send`.
//!
//! A [`LocalSet`] is a future: whoever polls it runs its tasks, each poll a bounded number of them. It needs no runtime
//! of its own. This file is what users see of it; [`set`] is what is inside.

mod set;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use self::set::{Entered, Polling, SET, Set, current};
use crate::runtime::Runtime;
use crate::spawn::Origin;
use crate::task::JoinHandle;

/// A set of tasks that stay on the thread that polls the set, and so need not be `Send`.
///
/// Its tasks run while the set is awaited, or one of its [`run_until`](Self::run_until) futures is: on a thread inside of
/// `block_on`, on either flavour of runtime, or under any other executor that runs futures which are not `Send`. Their
/// handles may go to other threads; so may their wakers.
///
/// As a future the set is ready when all its tasks have ended. When it is dropped, its tasks are cancelled, on its
/// thread.
///
/// # Cancel safety
///
/// Dropping the future that `&mut set.await` makes loses nothing: the tasks go on when the set is polled again.
///
/// # Examples
///
/// ```
/// use std::rc::Rc;
/// use wheelhouse::task::{LocalSet, spawn_local};
///
/// let runtime = wheelhouse::runtime::Runtime::new().unwrap();
/// let local = LocalSet::new();
/// let value = local.block_on(&runtime, async {
///     let shared = Rc::new(7);
///     let task = spawn_local({
///         let shared = Rc::clone(&shared);
///         async move { *shared + 1 }
///     });
///     task.await.unwrap() + *shared
/// });
/// assert_eq!(value, 15);
/// ```
pub struct LocalSet {
    set: Rc<Set>,
}

pin_project! {
    /// A future that runs on a local set, together with the set's tasks; made by [`LocalSet::run_until`].
    ///
    /// # Cancel safety
    ///
    /// That of the future inside; the set's tasks go on when the set is polled again.
    #[must_use = "futures do nothing unless they are awaited"]
    pub struct RunUntil<'a, F> {
        set: &'a LocalSet,
        // Its number among those that wait for the set; `SET` before the first poll.
        number: usize,
        #[pin]
        future: F,
    }

    impl<F> PinnedDrop for RunUntil<'_, F> {
        fn drop(this: Pin<&mut Self>) {
            if this.number != SET {
                this.set.set.leave(this.number);
            }
        }
    }
}

/// While it lives, [`spawn_local`] on this thread spawns on the set that it was made of; made by [`LocalSet::enter`].
#[derive(Debug)]
#[must_use = "the set is left when the guard is dropped"]
pub struct LocalEnterGuard {
    _entered: Entered,
}

/// Spawns a task on the local set that this thread polls or has entered.
///
/// # Panics
///
/// Outside of a [`LocalSet`]: run the code inside of [`LocalSet::run_until`], or use [`LocalSet::spawn_local`].
///
/// # Examples
///
/// ```
/// use wheelhouse::task::{LocalSet, spawn_local};
///
/// # wheelhouse::runtime::Runtime::new().unwrap().block_on(async {
/// let local = LocalSet::new();
/// local.run_until(async {
///     assert_eq!(spawn_local(async { 7 }).await.unwrap(), 7);
/// }).await;
/// # });
/// ```
#[track_caller]
pub fn spawn_local<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + 'static,
    F::Output: 'static,
{
    spawn_from(future, Origin::here())
}

#[track_caller]
pub(crate) fn spawn_from<F>(future: F, origin: Origin<'_>) -> JoinHandle<F::Output>
where
    F: Future + 'static,
    F::Output: 'static,
{
    match current() {
        Some(set) => set.spawn(future, origin),
        None => panic!(
            "`spawn_local` was called outside of a local set: run the code inside of `LocalSet::run_until`, or use \
             `LocalSet::spawn_local`"
        ),
    }
}

impl LocalSet {
    /// An empty set.
    pub fn new() -> Self {
        Self { set: Rc::new(Set::new()) }
    }

    /// Spawns a task on the set. It runs once the set is polled.
    ///
    /// # Examples
    ///
    /// ```
    /// # wheelhouse::runtime::Runtime::new().unwrap().block_on(async {
    /// let local = wheelhouse::task::LocalSet::new();
    /// let task = local.spawn_local(async { 7 });
    /// local.await;
    /// assert_eq!(task.await.unwrap(), 7);
    /// # });
    /// ```
    #[track_caller]
    pub fn spawn_local<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        self.spawn_from(future, Origin::here())
    }

    pub(crate) fn spawn_from<F>(&self, future: F, origin: Origin<'_>) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        self.set.spawn(future, origin)
    }

    /// Runs `future` to its end on the runtime, on this thread, together with the set's tasks. Those that have not ended
    /// with it go on when the set is polled again.
    ///
    /// # Panics
    ///
    /// As [`Runtime::block_on`].
    #[track_caller]
    pub fn block_on<F: Future>(&self, runtime: &Runtime, future: F) -> F::Output {
        runtime.block_on(self.run_until(future))
    }

    /// Runs `future` together with the set's tasks; inside of it, [`spawn_local`] spawns on this set.
    ///
    /// # Examples
    ///
    /// ```
    /// # wheelhouse::runtime::Runtime::new().unwrap().block_on(async {
    /// let local = wheelhouse::task::LocalSet::new();
    /// let value = local.run_until(async {
    ///     wheelhouse::task::spawn_local(async { 7 }).await.unwrap()
    /// }).await;
    /// assert_eq!(value, 7);
    /// # });
    /// ```
    pub fn run_until<F: Future>(&self, future: F) -> RunUntil<'_, F> {
        RunUntil { set: self, number: SET, future }
    }

    /// Makes [`spawn_local`] on this thread spawn on this set, until the guard is dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// let local = wheelhouse::task::LocalSet::new();
    /// let task = {
    ///     let _guard = local.enter();
    ///     wheelhouse::task::spawn_local(async { 7 })
    /// };
    /// # wheelhouse::runtime::Runtime::new().unwrap().block_on(local);
    /// assert!(task.is_finished());
    /// ```
    pub fn enter(&self) -> LocalEnterGuard {
        LocalEnterGuard { _entered: Entered::new(&self.set) }
    }
}

impl Future for LocalSet {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let polling = Polling::begin(&self.set);
        polling.run(SET, cx);
        if self.set.has_ended() { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl<F: Future> Future for RunUntil<'_, F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let set = &this.set.set;
        if *this.number == SET {
            *this.number = set.next_waiter();
        }
        let polling = Polling::begin(set);
        if let Poll::Ready(output) = this.future.poll(cx) {
            // Another future may wait for the set, and nobody else tells it of what was queued here.
            set.wake();
            return Poll::Ready(output);
        }
        polling.run(*this.number, cx);
        Poll::Pending
    }
}

impl Drop for LocalSet {
    fn drop(&mut self) {
        let _entered = Entered::new(&self.set);
        self.set.close();
    }
}

impl Default for LocalSet {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for LocalSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalSet").field("tasks", &self.set.len()).finish_non_exhaustive()
    }
}

impl<F> fmt::Debug for RunUntil<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunUntil").field("set", self.set).finish_non_exhaustive()
    }
}
