//! What is inside of a local set: its queue, its inbox, and how a thread polls it.
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
use std::rc::Rc;
use std::sync::Arc;
use std::task::Context;

use crate::context;
use crate::coop;
use crate::services::{Hooks, TaskHook, tell_task};
use crate::spawn::Origin;
use crate::task_core::{
    Id, Inbox, JoinHandle, Kind, Meta, Notified, Owned, Schedule, Spawned, Task, share_current, spawn_unchecked,
};

thread_local! {
    /// The set that this thread polls or has entered. Set by `Entered`, which resets it. Counted: a user may drop the
    /// guards of `LocalSet::enter` in any order, and the sets between them.
    static CURRENT: RefCell<Option<Rc<Set>>> = const { RefCell::new(None) };
}

/// How many tasks a poll of the set runs before the rest of its thread has its turn.
const TASKS_A_POLL: usize = 61;
/// How many of them before tasks that others woke are looked for.
const TASKS_A_LOOK: usize = 31;

/// The number of the set itself among those that wait for it.
pub(super) const SET: usize = 0;

/// The set's thread's side.
pub(super) struct Set {
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
struct Local {
    shared: Arc<Shared>,
    /// Of the runtime in which the task was spawned, if one was entered and has hooks for tasks.
    hooks: Option<Arc<Hooks>>,
}

/// Makes a set the thread's; restores what was there.
pub(super) struct Entered {
    before: Option<Rc<Set>>,
}

/// A poll of the set in progress.
pub(super) struct Polling<'a> {
    set: &'a Set,
    before: bool,
    _entered: Entered,
}

/// The set that this thread polls or has entered.
pub(super) fn current() -> Option<Rc<Set>> {
    // Err: the thread ends.
    CURRENT.try_with(|current| current.borrow().clone()).ok().flatten()
}

/// The hooks of the runtime that this thread has entered, if any of them is told of tasks.
fn hooks() -> Option<Arc<Hooks>> {
    context::with_current(|handle| {
        let hooks = &handle?.services().hooks;
        hooks.follow_tasks().then(|| hooks.clone())
    })
}

impl Set {
    pub(super) fn new() -> Self {
        let shared = Arc::new(Shared { inbox: Inbox::new(), owned: Arc::new(Owned::new(1)) });
        let (polling, listed) = (Cell::new(false), Cell::new(false));
        Self { queue: RefCell::default(), polling, waiters: Cell::new(SET), listed, shared }
    }

    #[track_caller]
    pub(super) fn spawn<F>(&self, future: F, origin: Origin<'_>) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        let id = Id::next();
        let meta = Meta { id, kind: Kind::Local, name: origin.name, location: origin.location };
        let local = Local { shared: Arc::clone(&self.shared), hooks: hooks() };
        let on_spawn = local.hooks.as_ref().and_then(|hooks| hooks.task_spawn.clone());
        // SAFETY: `Set` stays on its thread: its queue and its drop, which are all that polls and drops the tasks'
        // futures, are on this thread; other threads give the reference of a task that is refused up.
        let spawned = unsafe { spawn_unchecked(future, local, meta) };
        let Spawned { owned, notified, join } = spawned;
        tell_task(on_spawn.as_ref(), id);
        match self.shared.owned.bind(owned) {
            Ok(()) => {
                self.queue.borrow_mut().push_back(notified);
                if !self.polling.get() {
                    // Whoever waits for the set has to poll it.
                    self.wake();
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
        let hooks = hooks();
        let tell = |hook: fn(&Hooks) -> Option<&TaskHook>, id| tell_task(hooks.as_deref().and_then(hook), id);
        for ran in 0..TASKS_A_POLL {
            if ran % TASKS_A_LOOK == 0 {
                self.look(number, cx);
            }
            let Some(task) = self.next(number, cx) else { return false };
            let id = task.id();
            tell(|hooks| hooks.before_poll.as_ref(), id);
            task.run();
            tell(|hooks| hooks.after_poll.as_ref(), id);
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
        context::with_current(|handle| {
            if let Some(handle) = handle {
                handle.services().listing.add_set(&self.shared.owned);
                self.listed.set(true);
            }
        });
    }

    /// Whether all tasks have ended.
    pub(super) fn has_ended(&self) -> bool {
        self.shared.owned.is_empty()
    }

    /// How many tasks have not ended.
    pub(super) fn len(&self) -> usize {
        self.shared.owned.len()
    }

    /// A number for another future that waits for the set.
    pub(super) fn next_waiter(&self) -> usize {
        self.waiters.set(self.waiters.get() + 1);
        self.waiters.get()
    }

    /// That future is gone: what it would have run, others that wait for the set have to.
    pub(super) fn leave(&self, waiter: usize) {
        self.shared.inbox.leave(waiter);
    }

    /// Has somebody who waits for the set poll it.
    pub(super) fn wake(&self) {
        self.shared.inbox.wake();
    }

    /// Cancels all tasks, those that are spawned meanwhile too.
    pub(super) fn close(&self) {
        let refused = self.shared.inbox.close();
        self.shared.owned.close_and_cancel_all();
        // Their tasks are complete: these are mere references.
        drop(refused);
        drop(self.queue.take());
    }
}

impl Entered {
    pub(super) fn new(set: &Rc<Set>) -> Self {
        // Err: the thread ends; then there is nothing to restore either.
        let set = Some(Rc::clone(set));
        Self { before: CURRENT.try_with(|current| current.replace(set)).ok().flatten() }
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

impl<'a> Polling<'a> {
    pub(super) fn begin(set: &'a Rc<Set>) -> Self {
        share_current();
        set.list();
        Self { set, before: set.polling.replace(true), _entered: Entered::new(set) }
    }

    /// Runs tasks; those that are left over wake the caller.
    pub(super) fn run(&self, number: usize, cx: &Context<'_>) {
        if self.set.run(number, cx) {
            coop::yield_current(cx);
        }
    }
}

impl Drop for Polling<'_> {
    fn drop(&mut self) {
        self.set.polling.set(self.before);
    }
}

impl Schedule for Local {
    fn schedule(&self, task: Notified) {
        match current() {
            Some(set) if Arc::ptr_eq(&set.shared, &self.shared) && set.polling.get() => {
                set.queue.borrow_mut().push_back(task);
            }
            _ => {
                // The push may be the end of the task, and of its reference to the set.
                let shared = Arc::clone(&self.shared);
                shared.inbox.push(task);
            }
        }
    }

    fn reschedule(&self, task: Notified) {
        self.schedule(task);
    }

    fn release(&self, task: &Task) -> bool {
        tell_task(self.hooks.as_deref().and_then(|hooks| hooks.task_terminate.as_ref()), task.id());
        self.shared.owned.remove(task)
    }
}

impl fmt::Debug for Entered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entered").finish_non_exhaustive()
    }
}
