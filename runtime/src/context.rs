//! What a thread knows of the runtime it is in.
//!
//! A thread *enters* a runtime: then `spawn`, timers and sockets find it. It is in a *scope* besides: a worker's, or a
//! `block_on`'s, in which it must not block; or none.

use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::rc::Rc;

use crate::coop::{self, BudgetGuard, UNLIMITED};
use crate::handle::Handle;

thread_local! {
    /// Counted, so that a look at it keeps no borrow: it may run a user's code, which may enter another runtime.
    static CURRENT: RefCell<Option<Rc<Handle>>> = const { RefCell::new(None) };
    static SCOPE: Cell<Scope> = const { Cell::new(Scope::Outside) };
    static BUDGET_LEFT: Rc<Cell<u8>> = Rc::new(Cell::new(UNLIMITED));
}

/// Whether a thread runs async code, and so must not block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// It may block.
    Outside,
    /// It is a worker, between and in polls.
    Worker,
    /// It polls the future given to `block_on`.
    BlockOn,
    /// The same on a current-thread runtime: the tasks have no other thread.
    BlockOnAlone,
}

/// The runtime that the thread has entered.
pub(crate) fn current() -> Option<Handle> {
    shared().as_deref().cloned()
}

/// Calls `f` with the runtime that the thread has entered.
pub(crate) fn with_current<R>(f: impl FnOnce(Option<&Handle>) -> R) -> R {
    f(shared().as_deref())
}

/// The slot's content, without a borrow that would outlast this call: what is done with it may enter a runtime.
fn shared() -> Option<Rc<Handle>> {
    // Err: the thread ends.
    CURRENT.try_with(|current| current.borrow().clone()).ok().flatten()
}

/// The thread's budget, shared by the leaf futures of time and io.
pub(crate) fn budget() -> Rc<Cell<u8>> {
    BUDGET_LEFT.try_with(Rc::clone).unwrap_or_else(|_| {
        let budget = Rc::new(Cell::new(UNLIMITED));
        // Never freed: `coop::enter_budget` counts on it that a thread's cell is there as long as any of its guards.
        std::mem::forget(budget.clone());
        budget
    })
}

/// Sets what is left of the thread's budget, and returns what was left before.
pub(crate) fn set_budget(left: u8) -> u8 {
    BUDGET_LEFT.try_with(|budget| budget.replace(left)).unwrap_or(UNLIMITED)
}

/// The thread's scope.
pub(crate) fn scope() -> Scope {
    SCOPE.try_with(Cell::get).unwrap_or(Scope::Outside)
}

/// Enters `handle`'s runtime until the guard is dropped. `worker`: the number of the worker that the thread is, if any.
/// On a thread that ends, whose slots are gone, nothing is entered.
pub(crate) fn enter(handle: &Handle, worker: Option<usize>) -> Entered {
    let services = handle.services();
    let time = services.time.then(|| wheelhouse_time::context::enter(&services.timers, worker, budget()));
    let io = services.sockets.then(|| wheelhouse_io::context::enter(&services.io, budget()));
    let _left = coop::enter_budget(budget());
    let entered = Rc::new(handle.clone());
    let before = CURRENT.try_with(|current| current.replace(Some(entered))).ok().flatten();
    Entered { before, _left, io, time, on_this_thread: PhantomData }
}

/// Leaves the runtime when dropped, and restores what was entered before.
#[derive(Debug)]
pub(crate) struct Entered {
    before: Option<Rc<Handle>>,
    _left: BudgetGuard,
    io: Option<wheelhouse_io::context::EnterGuard>,
    time: Option<wheelhouse_time::context::EnterGuard>,
    on_this_thread: PhantomData<*const ()>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.io.take();
        self.time.take();
        let before = self.before.take();
        // What is left may be the last handle of its runtime: dropped outside the borrow. Err: the thread ends.
        let left = CURRENT.try_with(|current| current.replace(before));
        drop(left);
    }
}

/// Puts the thread into `scope` until the guard is dropped; the budget comes back with the scope before.
pub(crate) fn enter_scope(scope: Scope) -> Scoped {
    let budget = set_budget(UNLIMITED);
    Scoped { before: SCOPE.replace(scope), budget, on_this_thread: PhantomData }
}

/// Restores the scope when dropped.
#[derive(Debug)]
pub(crate) struct Scoped {
    before: Scope,
    budget: u8,
    on_this_thread: PhantomData<*const ()>,
}

impl Drop for Scoped {
    fn drop(&mut self) {
        set_budget(self.budget);
        // Err: the thread ends.
        let _ = SCOPE.try_with(|scope| scope.set(self.before));
    }
}

/// Puts the thread into `inside`, the scope of a `block_on`.
#[track_caller]
pub(crate) fn enter_block_on(inside: Scope) -> Scoped {
    match scope() {
        Scope::Outside => enter_scope(inside),
        Scope::Worker => panic!(
            "`block_on` was called on a thread that runs tasks, which would stop all of them: \
             await the future instead, or wrap the call in `wheelhouse::task::block_in_place`"
        ),
        Scope::BlockOn | Scope::BlockOnAlone => panic!(
            "`block_on` was called inside of another `block_on`: await the future instead, \
             or wrap the call in `wheelhouse::task::block_in_place`"
        ),
    }
}
