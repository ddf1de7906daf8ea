//! What is done with a task: one function an entry of its vtable, each the carrying-out of duties that the state word
//! hands out.
//!
//! Every call into user code (poll, the drop of a future or output, a waker) is contained: a panic ends up in the
//! task's outcome, or is dropped.

use alloc::boxed::Box;
use core::any::Any;
use core::future::Future;
use core::mem::ManuallyDrop;
use core::pin::Pin;
use core::ptr::NonNull;
use core::task::{Context, Poll};
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::duty::{Complete, Dropped, Idle, Start};
use super::error::{Failure, Payload};
use super::header::{Cell, Header, Stage};
use super::{Notified, Schedule, Task, waker};
use crate::hooks::{self, contain};

type Panic = Box<dyn Any + Send>;

/// Uses up a notified reference: polls the future unless the state word has other plans.
///
/// # Safety
///
/// `header` stands in a live `Cell<F, S>`; the caller gives up a notified reference. For a future that is not `Send`:
/// on its own thread.
pub(super) unsafe fn run<F, S>(header: NonNull<Header>)
where
    F: Future + 'static,
    F::Output: 'static,
    S: Schedule,
{
    // SAFETY: the caller's promise; the reference at hand keeps it alive.
    let cell = unsafe { Cell::<F, S>::of(header) };
    match cell.header.state.start() {
        Start::Poll => {
            // SAFETY: as promised by the caller; `start` made it the runner.
            unsafe { poll::<F, S>(header, cell) }
        }
        Start::Cancel => {
            // SAFETY: as promised by the caller; `start` made it the runner.
            unsafe { cancel::<F, S>(header) }
        }
        Start::Skip => {
            // SAFETY: the notified reference is the caller's.
            unsafe { drop_references(header, 1) }
        }
    }
}

/// Polls, and does what is due after it.
///
/// # Safety
///
/// As [`run`]; the caller is the runner.
#[inline(always)]
unsafe fn poll<F, S>(header: NonNull<Header>, cell: &Cell<F, S>)
where
    F: Future + 'static,
    F::Output: 'static,
    S: Schedule,
{
    cell.header.count_poll();
    // SAFETY: the caller is the runner until it gives the future up below.
    let span = unsafe { cell.header.span() };
    let scope = hooks::enter_poll(header.as_ptr().cast::<()>().cast_const(), span);
    let waker = waker::borrowed(header);
    let polled = catch_unwind(AssertUnwindSafe(|| {
        cell.stage.with_mut(|stage| {
            // SAFETY: the cell is alive.
            let future = unsafe { Stage::future_of(stage) };
            // SAFETY: the runner owns the stage, which holds the future (header's invariant 3).
            let future = unsafe { &mut *future };
            // SAFETY: the future never moves (header's invariant 4).
            unsafe { Pin::new_unchecked(future) }.poll(&mut Context::from_waker(&waker))
        })
    }));
    let outcome = match polled {
        Ok(Poll::Pending) => {
            let yielded = scope.yielded();
            drop(scope);
            // SAFETY: as promised by the caller.
            return unsafe { settle::<F, S>(header, cell, yielded) };
        }
        Ok(Poll::Ready(output)) => match drop_future(cell) {
            Ok(()) => Ok(output),
            Err(payload) => {
                contain(|| drop(output));
                Err(panicked(payload))
            }
        },
        Err(payload) => {
            cell.scheduler.unhandled_panic();
            contain(|| drop(drop_future(cell)));
            Err(panicked(payload))
        }
    };
    let stored = store(cell, outcome);
    drop(scope);
    // SAFETY: as promised by the caller; the future is dropped.
    unsafe { complete::<F, S>(header, cell, stored) }
}

/// The end of a pending poll.
///
/// # Safety
///
/// As [`poll`].
#[inline(always)]
unsafe fn settle<F, S>(header: NonNull<Header>, cell: &Cell<F, S>, yielded: bool)
where
    F: Future + 'static,
    F::Output: 'static,
    S: Schedule,
{
    match cell.header.state.idle(yielded) {
        Idle::Waits => {}
        Idle::Reschedule => {
            // SAFETY: the runner's reference is the notified one now.
            let task = unsafe { Notified::from_raw(header) };
            // SAFETY: the notified reference keeps the cell alive until it is handed over.
            let scheduler = unsafe { scheduler_of(cell) };
            scheduler.reschedule(task);
        }
        Idle::Cancel => {
            // SAFETY: the caller is still the runner.
            unsafe { cancel::<F, S>(header) }
        }
        Idle::Free => {
            // SAFETY: that was the last reference.
            unsafe { free::<F, S>(header) }
        }
    }
}

/// Drops the claimed future and completes as cancelled (or as panicked, if the drop does).
///
/// # Safety
///
/// As [`run`]; the caller is the runner and gives up a reference.
pub(super) unsafe fn cancel<F, S>(header: NonNull<Header>)
where
    F: Future + 'static,
    F::Output: 'static,
    S: Schedule,
{
    // SAFETY: the caller's promise; the reference at hand keeps it alive.
    let cell = unsafe { Cell::<F, S>::of(header) };
    super::share_current();
    // SAFETY: the caller is the runner until `finish` gives the future up.
    let span = unsafe { cell.header.span() };
    let scope = hooks::enter_poll(header.as_ptr().cast::<()>().cast_const(), span);
    let failure = match drop_future(cell) {
        Ok(()) => Failure::Cancelled,
        Err(payload) => panicked(payload),
    };
    let stored = store(cell, Err(failure));
    drop(scope);
    // SAFETY: as promised by the caller; the future is dropped.
    unsafe { complete::<F, S>(header, cell, stored) }
}

#[cold]
fn panicked(payload: Panic) -> Failure {
    Failure::Panic(Payload::new(payload))
}

/// Drops the future in place; the caller is the runner.
#[inline(always)]
fn drop_future<F: Future, S>(cell: &Cell<F, S>) -> Result<(), Panic> {
    if !core::mem::needs_drop::<F>() {
        return Ok(());
    }
    catch_unwind(AssertUnwindSafe(|| {
        cell.stage.with_mut(|stage| {
            // SAFETY: the cell is alive.
            let future = unsafe { Stage::future_of(stage) };
            // SAFETY: the runner owns the stage, which holds the future (header's invariant 3); it is not used again.
            unsafe { future.drop_in_place() }
        });
    }))
}

/// Puts the outcome in its place; or drops it, and says false, if no join handle lives. The caller is the runner, the
/// future is dropped.
#[inline(always)]
fn store<F: Future, S>(cell: &Cell<F, S>, outcome: Result<F::Output, Failure>) -> bool {
    let wanted = cell.header.state.is_joined();
    if wanted {
        cell.stage.with_mut(|stage| {
            // SAFETY: the cell is alive.
            let output = unsafe { Stage::output_of(stage) };
            // SAFETY: the runner owns the stage, which holds nothing any more.
            unsafe { output.write(outcome) }
        });
    } else if core::mem::needs_drop::<F::Output>() || outcome.is_err() {
        contain(|| drop(outcome));
    }
    wanted
}

/// Decides the outcome, which is `stored` or gone, tells the join handle, leaves the owned list, and gives up the
/// runner's reference.
///
/// # Safety
///
/// As [`run`]; the caller is the runner, the future is dropped.
#[inline]
unsafe fn complete<F, S>(header: NonNull<Header>, cell: &Cell<F, S>, stored: bool)
where
    F: Future + 'static,
    F::Output: 'static,
    S: Schedule,
{
    // SAFETY: the runner's.
    unsafe { cell.header.close_span() };
    match cell.header.state.complete() {
        Complete::Keep => {}
        Complete::WakeJoin => {
            // SAFETY: `complete` found the slot offered: it is the caller's (state's SLOT).
            let waker = cell.header.join_waker.with_mut(|slot| unsafe { (*slot).take() });
            contain(|| {
                if let Some(waker) = waker {
                    waker.wake();
                }
            });
        }
        Complete::DropOutput => {
            if stored {
                // SAFETY: the join handle is gone since: the output is the caller's.
                unsafe { drop_output::<F, S>(header) }
            }
        }
    }
    // SAFETY: the runner's reference is alive; the view does not drop it.
    let task = ManuallyDrop::new(unsafe { Task::from_raw(header) });
    let unlinked = cell.scheduler.release(&task);
    // SAFETY: the runner's own, and the list's if it was handed back.
    unsafe { drop_references(header, 1 + u64::from(unlinked)) }
}

/// Hands a notified reference to the scheduler.
///
/// # Safety
///
/// `header` stands in a live `Cell<F, S>`; the caller gives up a notified reference.
pub(super) unsafe fn schedule<F, S>(header: NonNull<Header>)
where
    F: Future + 'static,
    F::Output: 'static,
    S: Schedule,
{
    // SAFETY: the caller's promise.
    let cell = unsafe { Cell::<F, S>::of(header) };
    // SAFETY: the notified reference keeps the cell alive until it is handed over.
    let scheduler = unsafe { scheduler_of(cell) };
    // SAFETY: the notified reference is the caller's to give.
    let task = unsafe { Notified::from_raw(header) };
    scheduler.schedule(task);
}

/// The cell's scheduler, outside the cell: a task that is handed over may run, end and be freed before the call that
/// handed it over returns, and no reference into the cell may be alive then. See [`Schedule`] for the scheduler's own
/// part.
///
/// # Safety
///
/// The cell is alive now.
#[inline(always)]
unsafe fn scheduler_of<F: Future, S: Schedule>(cell: &Cell<F, S>) -> ManuallyDrop<S> {
    // SAFETY: a bitwise copy that is used by reference alone and never dropped; `Schedule` says that this is fine.
    ManuallyDrop::new(unsafe { core::ptr::read(&cell.scheduler) })
}

/// Moves the output out.
///
/// # Safety
///
/// `header` stands in a live, complete `Cell<F, S>`; the output is the caller's, who does not ask again; `target` is
/// a `Result<F::Output, Failure>` that may be written.
pub(super) unsafe fn take_output<F, S>(header: NonNull<Header>, target: *mut ())
where
    F: Future + 'static,
    F::Output: 'static,
    S: Schedule,
{
    // SAFETY: the caller's promise.
    let cell = unsafe { Cell::<F, S>::of(header) };
    let output = cell.stage.with_mut(|stage| {
        // SAFETY: the cell is alive.
        let output = unsafe { Stage::output_of(stage) };
        // SAFETY: complete, and the output is the caller's (header's invariant 3); it is not used again.
        unsafe { output.read() }
    });
    // SAFETY: the caller's promise.
    unsafe { target.cast::<Result<F::Output, Failure>>().write(output) }
}

/// Drops the output in place.
///
/// # Safety
///
/// `header` stands in a live, complete `Cell<F, S>`; the output is the caller's, who does not ask again.
pub(super) unsafe fn drop_output<F, S>(header: NonNull<Header>)
where
    F: Future + 'static,
    F::Output: 'static,
    S: Schedule,
{
    // SAFETY: the caller's promise.
    let cell = unsafe { Cell::<F, S>::of(header) };
    contain(|| {
        cell.stage.with_mut(|stage| {
            // SAFETY: the cell is alive.
            let output = unsafe { Stage::output_of(stage) };
            // SAFETY: complete, and the output is the caller's (header's invariant 3); it is not used again.
            unsafe { output.drop_in_place() }
        });
    });
}

/// Frees the cell; a future that nobody can wake any more is dropped with it.
///
/// # Safety
///
/// `header` stands in a live `Cell<F, S>` of which the caller gave up the last reference.
pub(super) unsafe fn free<F, S>(header: NonNull<Header>)
where
    F: Future + 'static,
    F::Output: 'static,
    S: Schedule,
{
    // SAFETY: the cell was made of a box in `allocate`, and nobody else has a reference.
    let cell = unsafe { Box::from_raw(header.cast::<Cell<F, S>>().as_ptr()) };
    if !cell.header.state.is_complete() {
        contain(|| drop(drop_future(&cell)));
    }
    // SAFETY: nobody else has a reference.
    if let Some(waker) = cell.header.join_waker.with_mut(|slot| unsafe { (*slot).take() }) {
        // Left there by a registration that a panic ended.
        contain(|| drop(waker));
    }
    drop(cell);
}

/// Gives up `count` references.
///
/// # Safety
///
/// They are the caller's, who does not use the task after them.
#[inline]
pub(super) unsafe fn drop_references(header: NonNull<Header>, count: u64) {
    // SAFETY: alive until the references are given up here.
    let task = unsafe { header.as_ref() };
    let vtable = task.vtable;
    match task.state.drop_references(count) {
        Dropped::Alive => {}
        Dropped::Free => {
            // SAFETY: that was the last reference, and the vtable is the cell's own.
            unsafe { (vtable.free)(header) }
        }
    }
}
