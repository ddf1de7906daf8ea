//! The timers entered on this thread, and the thread's share of the cooperative budget.
//!
//! A runtime enters its timers on each of its threads; whoever drives [`Timers`] by hand does the same. While they are
//! entered, [`sleep`](crate::sleep) and its kin belong to them and [`Instant::now`] reads their clock.

use core::cell::Cell;
use core::fmt;
use core::marker::PhantomData;
use core::ptr;
use core::task::{Context, Poll};
use std::rc::Rc;

use crate::clock::Instant;
use crate::sync::{Arc, Kept};
use crate::timer::Shard;
use crate::timers::{Shared, Timers};

/// The budget of a thread that limits nothing.
pub const UNLIMITED: u8 = u8::MAX;

thread_local! {
    /// Null, or what `Rc::into_raw` gave: the slot owns one reference (CONTEXT). Every look goes through a plain pointer,
    /// because each poll of each timer takes one.
    static CURRENT: Cell<*const Current> = const { Cell::new(ptr::null()) };
}

/// What is entered on a thread.
pub(crate) struct Current {
    pub(crate) shared: Arc<Shared>,
    /// The shard in which this thread files its timers.
    pub(crate) shard: Kept<Shard>,
    budget: Rc<Cell<u8>>,
}

/// Enters `timers` on this thread until the guard is dropped; what was entered before comes back then.
///
/// `shard` is the index of the shard in which this thread files its timers, below the number given to
/// [`TimersBuilder::shards`](crate::TimersBuilder::shards): each of a runtime's workers has one to itself. With `None` the
/// thread shares one of those set aside for foreign threads.
///
/// `budget` counts how many more futures may complete before the running task must yield: a leaf future that finds it
/// at 0 wakes its task and pends, and one that completes takes one off. [`UNLIMITED`] is never counted down.
///
/// Guards are dropped in the reverse order of their making.
///
/// # Panics
///
/// Panics if `shard` is not below the number of shards the builder was given.
///
/// # Examples
///
/// ```
/// use std::{cell::Cell, rc::Rc};
/// use wheelhouse_time::{Timers, context};
///
/// let (timers, _driver) = Timers::builder().build().unwrap();
/// let _entered = context::enter(&timers, None, Rc::new(Cell::new(context::UNLIMITED)));
/// assert!(context::try_current().is_some());
/// ```
#[track_caller]
pub fn enter(timers: &Timers, shard: Option<usize>, budget: Rc<Cell<u8>>) -> EnterGuard {
    let shared = timers.shared();
    let shard = match shard {
        Some(index) => shared.worker_shard(index).clone(),
        None => shared.foreign_shard().clone(),
    };
    let current = Rc::new(Current { shared: Arc::clone(shared), shard, budget });
    EnterGuard { previous: CURRENT.replace(Rc::into_raw(current)), not_send: PhantomData }
}

/// The timers entered on this thread, if any.
#[must_use]
pub fn try_current() -> Option<Timers> {
    with(|current| current.map(|current| Timers::from_shared(&current.shared)))
}

/// Restores what was entered before, when it is dropped; see [`enter`].
#[must_use = "the timers are entered only until this is dropped"]
pub struct EnterGuard {
    /// Null or a reference, which goes back into the slot.
    previous: *const Current,
    not_send: PhantomData<*const ()>,
}

impl fmt::Debug for EnterGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnterGuard").finish_non_exhaustive()
    }
}

impl Drop for EnterGuard {
    fn drop(&mut self) {
        // Err: the thread ends, and what the guard owns is given up with the slot's content.
        let leaving = CURRENT.try_with(|slot| slot.replace(self.previous)).unwrap_or(self.previous);
        if !leaving.is_null() {
            // SAFETY: it came from `Rc::into_raw`, and its reference left the slot with it (CONTEXT). No look is under way:
            // none runs code of a user.
            drop(unsafe { Rc::from_raw(leaving) });
        }
    }
}

/// Leave to complete once; see [`poll_proceed`].
#[derive(Debug)]
#[must_use = "what completes must say so"]
pub struct Proceed(());

impl Proceed {
    /// Takes one off the budget: the future is about to return `Ready`.
    pub fn made_progress(self) {
        spend();
    }
}

/// Asks whether a leaf future may go on. With the budget used up, it wakes the task and is `Pending`; so must the
/// caller be, and the task runs again after the others had their turn. Otherwise a caller that completes calls
/// [`Proceed::made_progress`], and one that pends drops the answer.
///
/// Outside a runtime nothing is limited.
///
/// # Examples
///
/// A leaf future that takes part:
///
/// ```
/// use std::task::{Context, Poll, ready};
/// use wheelhouse_time::context;
///
/// fn poll_next(items: &mut Vec<u8>, cx: &mut Context<'_>) -> Poll<Option<u8>> {
///     let proceed = ready!(context::poll_proceed(cx));
///     proceed.made_progress();
///     Poll::Ready(items.pop())
/// }
/// # let mut cx = Context::from_waker(std::task::Waker::noop());
/// # assert_eq!(poll_next(&mut vec![1], &mut cx), Poll::Ready(Some(1)));
/// ```
pub fn poll_proceed(cx: &mut Context<'_>) -> Poll<Proceed> {
    if has_budget() {
        Poll::Ready(Proceed(()))
    } else {
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

/// Whether the running task may complete another future before it must yield.
#[must_use]
pub fn has_budget() -> bool {
    with(|current| current.is_none_or(|current| current.budget.get() > 0))
}

/// Takes one off the budget.
pub(crate) fn spend() {
    with(|current| {
        if let Some(current) = current {
            let left = current.budget.get();
            if left != UNLIMITED {
                current.budget.set(left.saturating_sub(1));
            }
        }
    });
}

/// Looks at what is entered here. No code of a user runs inside: it may enter something itself.
#[inline]
pub(crate) fn with<R>(look: impl FnOnce(Option<&Current>) -> R) -> R {
    // Err: the thread ends.
    let current = CURRENT.try_with(Cell::get).unwrap_or(ptr::null());
    // SAFETY: null, or the slot owns a reference (CONTEXT), which stays there during the look: see above.
    look(unsafe { current.as_ref() })
}

/// The present, by the entered clock or else the system's.
#[inline]
pub(crate) fn now() -> Instant {
    with(|current| match current {
        Some(current) => current.shared.clock().instant(current.shared.clock().now()),
        None => Instant::system(),
    })
}
