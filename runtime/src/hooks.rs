//! What the concurrency cores need of the rest of the runtime: ids, the current task, the budget, tracing. The models
//! swap this module for one that does nothing.

use core::num::NonZeroU64;

pub(crate) use crate::coop::{current_header, enter_poll, poll_budget};
pub(crate) use crate::panics::contain;
pub(crate) use crate::trace::{TaskSpan, WakerOp, is_traced, task_span, waker_event};

use crate::sync::{AtomicU64, Ordering};
use crate::trace::event;

/// Ids that one thread takes at a time: the counter is shared, the runs are not.
const IDS_A_RUN: u64 = 1 << 12;

static NEXT_RUN: AtomicU64 = AtomicU64::new(1);

/// Each era begins new runs, so that an id tells in which era it was taken, and a clock need not be read for it.
static ERA: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The next id of this thread's run, and the run's era.
    static NEXT_ID: core::cell::Cell<(u64, u64)> = const { core::cell::Cell::new((0, 0)) };
}

/// A number that no task of this process has had.
pub(crate) fn next_task_id() -> NonZeroU64 {
    // Relaxed: an id taken just as an era begins may be of either.
    let era = ERA.load(Ordering::Relaxed);
    // A thread on its way out has no run any more: it takes one for this id alone.
    let id = NEXT_ID.try_with(|next| {
        let (mut id, begun) = next.get();
        if id % IDS_A_RUN == 0 || begun != era {
            id = next_run();
        }
        next.set((id + 1, era));
        id
    });
    let id = id.unwrap_or_else(|_| next_run());
    // SAFETY: runs start at `IDS_A_RUN`, and 2^52 of them do not run out.
    unsafe { NonZeroU64::new_unchecked(id) }
}

/// Begins an era; ids taken in it are at least the returned one, earlier ones are less.
pub(crate) fn begin_id_era() -> u64 {
    // Relaxed: see `next_task_id`.
    let first = NEXT_RUN.load(Ordering::Relaxed) * IDS_A_RUN;
    ERA.fetch_add(1, Ordering::Relaxed);
    first
}

#[cold]
fn next_run() -> u64 {
    // Relaxed: each number is handed out once, that is all.
    NEXT_RUN.fetch_add(1, Ordering::Relaxed) * IDS_A_RUN
}

/// A worker sits in the driver's seat to sleep there.
#[inline]
pub(crate) fn seat_taken(worker: usize) {
    event!(TRACE, "wheelhouse::worker", worker, "seat taken");
}

/// The worker has left the seat.
#[inline]
pub(crate) fn seat_left(worker: usize) {
    event!(TRACE, "wheelhouse::worker", worker, "seat left");
}
