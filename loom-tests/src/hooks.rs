//! Stand-in for each crate's `hooks` facade: counters and tracing cost nothing in a model.

#[path = "../../runtime/src/panics.rs"]
mod panics;

use core::num::NonZeroU64;
use core::panic::Location;
use core::sync::atomic::{AtomicU64, Ordering};
use core::task::{Context, Poll};

pub(crate) use panics::contain;

/// std's atomic on purpose: ids race with nothing that a model looks at.
static NEXT_TASK_ID: AtomicU64 = AtomicU64::new(1);

pub fn next_task_id() -> NonZeroU64 {
    NonZeroU64::new(NEXT_TASK_ID.fetch_add(1, Ordering::Relaxed)).expect("fewer than 2^64 tasks")
}

#[derive(Debug)]
pub struct TaskSpan;

impl TaskSpan {
    pub fn id(&self) -> Option<NonZeroU64> {
        None
    }
}

pub fn task_span(
    _: &'static str,
    _: Option<&str>,
    _: u64,
    _: usize,
    _: &'static Location<'static>,
) -> Option<TaskSpan> {
    None
}

#[derive(Debug, Clone, Copy)]
pub enum WakerOp {
    Clone,
    Wake,
    WakeByRef,
    Drop,
}

pub fn is_traced() -> bool {
    false
}

pub fn waker_event(_: WakerOp, _: impl FnOnce() -> Option<NonZeroU64>) {}

#[derive(Debug)]
pub struct PollScope;

impl PollScope {
    pub fn yielded(&self) -> bool {
        false
    }
}

pub fn enter_poll(_: *const (), _: Option<&TaskSpan>) -> PollScope {
    PollScope
}

#[derive(Debug)]
pub struct Unit;

impl Unit {
    pub fn made_progress(self) {}
}

pub fn poll_budget(_: &mut Context<'_>) -> Poll<Unit> {
    Poll::Ready(Unit)
}

/// The memory of one timer's entry: the driver reads it up to its last touch, the owner writes it when it lets go.
#[derive(Debug)]
pub(crate) struct Memory(loom::cell::UnsafeCell<()>);

impl Memory {
    pub(crate) fn new() -> Memory {
        Memory(loom::cell::UnsafeCell::new(()))
    }

    pub(crate) fn touch(&self) {
        self.0.with(|_| ());
    }

    pub(crate) fn free(&self) {
        self.0.with_mut(|_| ());
    }
}

/// No task is ever polled outside its worker here.
pub(crate) fn current_header() -> *const () {
    core::ptr::null()
}

pub(crate) fn seat_taken(_worker: usize) {}

pub(crate) fn seat_left(_worker: usize) {}
