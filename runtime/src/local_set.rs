//! Tasks that stay on one thread, and so need not be `Send`.
//!
//! A [`LocalSet`] is a future: whoever polls it runs its tasks, each poll a bounded number of them. It needs no runtime
//! of its own, and knows of none.
//!
//! # Who touches what
//!
//! - the queue: the set's thread alone. Wakes on that thread, while the set is polled, go there.
//! - the inbox: wakes of other threads, and of the own one while the set is not polled; they wake the set.
//! - the futures: polled and dropped on the set's thread, since the set is not `Send`. A wake that comes after the set
//!   was dropped finds the inbox closed, and gives its reference up.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use crate::coop;
use crate::runtime::Runtime;
use crate::spawn::Origin;
use crate::task::JoinHandle;
use crate::task_core::{Id, Inbox, Kind, Meta, Notified, Owned, Schedule, Spawned, Task, spawn_unchecked};

/// How many tasks a poll of the set runs before the rest of its thread has its turn.
const TASKS_A_POLL: usize = 61;
/// How many of them before tasks that others woke are looked for.
const TASKS_A_LOOK: usize = 31;

/// The number of the set itself among those that wait for it.
const SET: usize = 0;

thread_local! {
    /// The set that this thread polls or has entered. Set by `Entered`, which resets it. Counted: a user may drop the
    /// guards of `LocalSet::enter` in any order, and the sets between them.
    static CURRENT: RefCell<Option<Rc<Inner>>> = const { RefCell::new(None) };
}

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
    inner: Rc<Inner>,
}

/// The set's thread's side.
struct Inner {
    queue: RefCell<VecDeque<Notified>>,
    /// The set is being polled: what is queued now runs in this poll, or the poll wakes itself.
    polling: Cell<bool>,
    /// The last number given to a future that waits for the set; the set itself, as a future, is `SET`.
    waiters: Cell<usize>,
    /// A runtime lists its tasks in dumps.
    listed: Cell<bool>,
    shared: Arc<Shared>,
}

/// What the tasks, and through them other threads, reach of the set.
struct Shared {
    inbox: Inbox,
    owned: Arc<Owned>,
}

/// The scheduler in the tasks' cells.
#[derive(Clone)]
struct Local(Arc<Shared>);

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
                // What it would have run, others that wait for the set have to.
                this.set.inner.shared.inbox.leave(this.number);
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

/// Makes a set the thread's; restores what was there.
struct Entered {
    before: Option<Rc<Inner>>,
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
        Some(inner) => inner.spawn(future, origin),
        None => panic!(
            "`spawn_local` was called outside of a local set: run the code inside of `LocalSet::run_until`, or use \
             `LocalSet::spawn_local`"
        ),
    }
}

/// The set that this thread polls or has entered.
fn current() -> Option<Rc<Inner>> {
    // Err: the thread ends.
    CURRENT.try_with(|current| current.borrow().clone()).ok().flatten()
}

impl LocalSet {
    /// An empty set.
    pub fn new() -> Self {
        let shared = Arc::new(Shared { inbox: Inbox::new(), owned: Arc::new(Owned::new(1)) });
        let (polling, listed) = (Cell::new(false), Cell::new(false));
        Self { inner: Rc::new(Inner { queue: RefCell::default(), polling, waiters: Cell::new(SET), listed, shared }) }
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
        self.inner.spawn(future, origin)
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
        LocalEnterGuard { _entered: Entered::new(&self.inner) }
    }
}

impl Inner {
    #[track_caller]
    fn spawn<F>(&self, future: F, origin: Origin<'_>) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        let meta = Meta { id: Id::next(), kind: Kind::Local, name: origin.name, location: origin.location };
        // SAFETY: `Inner` stays on its thread: its queue and its drop, which are all that polls and drops the tasks'
        // futures, are on this thread; other threads give the reference of a task that is refused up.
        let spawned = unsafe { spawn_unchecked(future, Local(Arc::clone(&self.shared)), meta) };
        let Spawned { owned, notified, join } = spawned;
        match self.shared.owned.bind(owned) {
            Ok(()) => {
                self.queue.borrow_mut().push_back(notified);
                if !self.polling.get() {
                    // Whoever waits for the set has to poll it.
                    self.shared.inbox.wake();
                }
            }
            Err(owned) => {
                // The set is being dropped: the task is cancelled as those before it were.
                notified.abandon();
                owned.shutdown();
            }
        }
        join
    }

    /// Runs tasks, a bounded number; true if some are left over.
    fn run(&self, number: usize, cx: &Context<'_>) -> bool {
        for ran in 0..TASKS_A_POLL {
            if ran % TASKS_A_LOOK == 0 {
                self.look(number, cx);
            }
            let Some(task) = self.next(number, cx) else { return false };
            task.run();
        }
        self.look(number, cx);
        !self.queue.borrow().is_empty()
    }

    fn next(&self, number: usize, cx: &Context<'_>) -> Option<Notified> {
        let task = self.queue.borrow_mut().pop_front();
        task.or_else(|| {
            self.look(number, cx);
            self.queue.borrow_mut().pop_front()
        })
    }

    /// Takes in what others woke; from now on the next such wake wakes waiter `number`.
    fn look(&self, number: usize, cx: &Context<'_>) {
        // The waker's clone and drop are user code, which may come back here: no borrow across them.
        let mut tasks = VecDeque::new();
        self.shared.inbox.take(&mut tasks, number, cx.waker());
        self.queue.borrow_mut().append(&mut tasks);
    }

    /// Lets the runtime that polls the set first know of its tasks.
    fn list(&self) {
        if self.listed.get() {
            return;
        }
        crate::context::with_current(|handle| {
            if let Some(handle) = handle {
                handle.services().listing.add_set(&self.shared.owned);
                self.listed.set(true);
            }
        });
    }

    fn has_ended(&self) -> bool {
        self.shared.owned.is_empty()
    }

    /// Cancels all tasks, those that are spawned meanwhile too.
    fn close(&self) {
        let refused = self.shared.inbox.close();
        self.shared.owned.close_and_cancel_all();
        // Their tasks are complete: these are mere references.
        drop(refused);
        drop(self.queue.take());
    }
}

impl Entered {
    fn new(inner: &Rc<Inner>) -> Self {
        // Err: the thread ends; then there is nothing to restore either.
        let inner = Some(Rc::clone(inner));
        Self { before: CURRENT.try_with(|current| current.replace(inner)).ok().flatten() }
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        let before = self.before.take();
        // What is left may be the last of its set: dropped outside the borrow. Err: the thread ends.
        let left = CURRENT.try_with(|current| current.replace(before));
        drop(left);
    }
}

/// A poll of the set in progress.
struct Polling<'a> {
    inner: &'a Inner,
    before: bool,
    _entered: Entered,
}

impl<'a> Polling<'a> {
    fn begin(inner: &'a Rc<Inner>) -> Self {
        crate::task_core::share_current();
        inner.list();
        Self { inner, before: inner.polling.replace(true), _entered: Entered::new(inner) }
    }

    /// Runs tasks; those that are left over wake the caller.
    fn run(&self, number: usize, cx: &Context<'_>) {
        if self.inner.run(number, cx) {
            coop::yield_current(cx);
        }
    }
}

impl Drop for Polling<'_> {
    fn drop(&mut self) {
        self.inner.polling.set(self.before);
    }
}

impl Future for LocalSet {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let polling = Polling::begin(&self.inner);
        polling.run(SET, cx);
        if self.inner.has_ended() { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl<F: Future> Future for RunUntil<'_, F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let inner = &this.set.inner;
        if *this.number == SET {
            inner.waiters.set(inner.waiters.get() + 1);
            *this.number = inner.waiters.get();
        }
        let polling = Polling::begin(inner);
        if let Poll::Ready(output) = this.future.poll(cx) {
            // Another future may wait for the set, and nobody else tells it of what was queued here.
            inner.shared.inbox.wake();
            return Poll::Ready(output);
        }
        polling.run(*this.number, cx);
        Poll::Pending
    }
}

impl Drop for LocalSet {
    fn drop(&mut self) {
        let _entered = Entered::new(&self.inner);
        self.inner.close();
    }
}

impl Default for LocalSet {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for LocalSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalSet").field("tasks", &self.inner.shared.owned.len()).finish_non_exhaustive()
    }
}

impl<F> fmt::Debug for RunUntil<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunUntil").field("set", self.set).finish_non_exhaustive()
    }
}

impl fmt::Debug for Entered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entered").finish_non_exhaustive()
    }
}

impl Schedule for Local {
    fn schedule(&self, task: Notified) {
        match current() {
            Some(inner) if Arc::ptr_eq(&inner.shared, &self.0) && inner.polling.get() => {
                inner.queue.borrow_mut().push_back(task);
            }
            _ => {
                // The push may be the end of the task, and of its reference to the set.
                let shared = Arc::clone(&self.0);
                shared.inbox.push(task);
            }
        }
    }

    fn reschedule(&self, task: Notified) {
        self.schedule(task);
    }

    fn release(&self, task: &Task) -> bool {
        self.0.owned.remove(task)
    }
}
