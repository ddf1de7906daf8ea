//! The cooperative budget, and what a thread knows of the task it polls.
//!
//! The budget is a cell a thread, shared with the leaf futures of timers and I/O: 255 means unlimited, 0 used up.
//! Whoever polls a task gives it [`BUDGET`]; a leaf future that finds 0 wakes itself and is pending, one that makes
//! progress takes one.

use core::cell::Cell;
use core::ptr;
use core::task::{Context, Poll};
use std::rc::Rc;

use crate::trace::TaskSpan;

/// What a task may spend a poll.
const BUDGET: u8 = 128;
/// The value that stands for no limit.
pub(crate) const UNLIMITED: u8 = 255;

struct Current {
    /// The budget's cell while the thread is in a runtime, else null; kept alive by the [`BudgetGuard`]s.
    budget: Cell<*const Cell<u8>>,
    /// How many guards there are.
    guards: Cell<usize>,
    /// The header of the task being polled, null for none; alive for the time of the poll.
    header: Cell<*const ()>,
    /// Whether it asked to be queued again.
    yielded: Cell<bool>,
    /// Polls that the budget ended, since [`take_forced_yields`].
    forced_yields: Cell<u64>,
}

thread_local! {
    static CURRENT: Current = const {
        Current {
            budget: Cell::new(ptr::null()),
            guards: Cell::new(0),
            header: Cell::new(ptr::null()),
            yielded: Cell::new(false),
            forced_yields: Cell::new(0),
        }
    };
}

/// Makes `budget` the thread's; the guard puts back what was there, and the last guard puts back null.
///
/// A thread's guards all have the same cell, or one that is never freed (see `context::budget`): whatever the order in
/// which they are dropped, what one puts back is alive as long as there is another.
pub(crate) fn enter_budget(budget: Rc<Cell<u8>>) -> BudgetGuard {
    let previous = CURRENT.with(|current| {
        current.guards.set(current.guards.get() + 1);
        current.budget.replace(Rc::as_ptr(&budget))
    });
    BudgetGuard { previous, _budget: budget }
}

/// Puts the thread's previous budget back; not `Send`.
#[derive(Debug)]
pub(crate) struct BudgetGuard {
    previous: *const Cell<u8>,
    _budget: Rc<Cell<u8>>,
}

impl Drop for BudgetGuard {
    fn drop(&mut self) {
        let _ = CURRENT.try_with(|current| {
            let others = current.guards.get() - 1;
            current.guards.set(others);
            current.budget.set(if others == 0 { ptr::null() } else { self.previous });
        });
    }
}

impl Current {
    fn budget(&self) -> Option<&Cell<u8>> {
        // SAFETY: set by `enter_budget` or by a guard's drop, and alive while a guard is: see there.
        unsafe { self.budget.get().as_ref() }
    }
}

/// A poll in progress: the thread's current task, with a fresh budget, inside the task's span. Restores what was
/// current before.
///
/// Built in place and small: it is on the path of every poll.
#[derive(Debug)]
pub(crate) struct PollScope<'a> {
    header: *const (),
    span: Option<&'a TaskSpan>,
    yielded: bool,
    budget: u8,
}

/// Begins a poll of the task with that header.
#[inline(always)]
pub(crate) fn enter_poll(header: *const (), span: Option<&TaskSpan>) -> PollScope<'_> {
    if let Some(span) = span {
        span.enter();
    }
    CURRENT.with(|current| PollScope {
        header: current.header.replace(header),
        span,
        yielded: current.yielded.replace(false),
        budget: current.budget().map_or(UNLIMITED, |budget| budget.replace(BUDGET)),
    })
}

impl PollScope<'_> {
    /// Whether the task asked to be queued again. For a poll that is pending: one that has used up its budget is counted.
    #[inline(always)]
    pub(crate) fn yielded(&self) -> bool {
        CURRENT.with(|current| {
            if current.budget().is_some_and(|budget| budget.get() == 0) {
                current.forced_yields.set(current.forced_yields.get() + 1);
            }
            current.yielded.get()
        })
    }
}

impl Drop for PollScope<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        CURRENT.with(|current| {
            current.header.set(self.header);
            current.yielded.set(self.yielded);
            if let Some(budget) = current.budget() {
                budget.set(self.budget);
            }
        });
        if let Some(span) = self.span {
            span.exit();
        }
    }
}

/// Asks for the task of `cx` to be polled again, after everything that is queued already.
pub(crate) fn yield_current(cx: &Context<'_>) {
    // Err: the thread ends.
    let direct = CURRENT.try_with(|current| {
        let is_current = !current.header.get().is_null() && current.header.get() == cx.waker().data();
        if is_current {
            current.yielded.set(true);
        }
        is_current
    });
    if direct != Ok(true) {
        cx.waker().wake_by_ref();
    }
}

/// The header of the task this thread polls, null for none.
pub(crate) fn current_header() -> *const () {
    CURRENT.try_with(|current| current.header.get()).unwrap_or(ptr::null())
}

/// Whether the task that this thread polls may go on.
pub(crate) fn has_budget() -> bool {
    // Err: the thread ends, and nothing is limited.
    CURRENT.try_with(|current| current.budget().is_none_or(|budget| budget.get() > 0)).unwrap_or(true)
}

/// Nothing is limited until it is dropped.
#[derive(Debug)]
pub(crate) struct UnlimitedGuard {
    before: Option<u8>,
}

impl UnlimitedGuard {
    pub(crate) fn enter() -> Self {
        let before = CURRENT.try_with(|current| current.budget().map(|budget| budget.replace(UNLIMITED)));
        Self { before: before.ok().flatten() }
    }
}

impl Drop for UnlimitedGuard {
    fn drop(&mut self) {
        let Some(before) = self.before else { return };
        // Err: the thread ends.
        let _ = CURRENT.try_with(|current| current.budget().map(|budget| budget.set(before)));
    }
}

/// How often the budget ended a poll on this thread since the last call.
#[inline]
pub(crate) fn take_forced_yields() -> u64 {
    let take = |current: &Current| match current.forced_yields.get() {
        0 => 0,
        _ => current.forced_yields.take(),
    };
    CURRENT.try_with(take).unwrap_or(0)
}

/// A unit of budget that is spent if the operation it was asked for is ready; made by
/// [`poll_proceed`](crate::task::coop::poll_proceed).
#[derive(Debug)]
#[must_use = "an operation that is ready calls `made_progress`"]
pub struct RestoreOnPending(());

/// Ready if the budget allows to go on; else the task is woken, and pending.
pub(crate) fn poll_budget(cx: &mut Context<'_>) -> Poll<RestoreOnPending> {
    if has_budget() {
        return Poll::Ready(RestoreOnPending(()));
    }
    yield_current(cx);
    Poll::Pending
}

impl RestoreOnPending {
    /// Spends the unit: the operation was ready.
    pub fn made_progress(self) {
        let _ = CURRENT.try_with(|current| {
            if let Some(budget) = current.budget() {
                let left = budget.get();
                if left != UNLIMITED {
                    budget.set(left.saturating_sub(1));
                }
            }
        });
    }
}
