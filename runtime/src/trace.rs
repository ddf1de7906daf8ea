//! The spans and events that `tracing` subscribers see of tasks: one relaxed load a site while nobody listens.

use core::num::NonZeroU64;
use core::panic::Location;

use tracing::level_filters::LevelFilter;
use tracing::{Span, trace, trace_span};

/// A task's span: open from the spawn to the drop of the future, entered around each poll.
#[derive(Debug)]
pub(crate) struct TaskSpan(Span);

/// What was done with a waker.
#[derive(Debug, Clone, Copy)]
pub(crate) enum WakerOp {
    Clone,
    Wake,
    WakeByRef,
    Drop,
}

/// Whether anybody may listen to spans and events of this depth: one relaxed load.
#[inline]
pub(crate) fn is_traced() -> bool {
    LevelFilter::current() >= LevelFilter::TRACE
}

/// The span of a task that is being spawned, if somebody listens.
pub(crate) fn task_span(
    kind: &'static str,
    name: Option<&str>,
    id: u64,
    size: usize,
    location: &'static Location<'static>,
) -> Option<TaskSpan> {
    if !is_traced() {
        return None;
    }
    new_span(kind, name, id, size, location)
}

#[cold]
fn new_span(
    kind: &'static str,
    name: Option<&str>,
    id: u64,
    size: usize,
    location: &'static Location<'static>,
) -> Option<TaskSpan> {
    let span = trace_span!(
        target: "wheelhouse::task",
        parent: None,
        "runtime.spawn",
        kind,
        task.name = name,
        task.id = id,
        size.bytes = size as u64,
        loc.file = location.file(),
        loc.line = location.line(),
        loc.col = location.column(),
    );
    if span.is_disabled() { None } else { Some(TaskSpan(span)) }
}

/// Tells of something done with a waker of the task whose span `id` names.
pub(crate) fn waker_event(op: WakerOp, id: impl FnOnce() -> Option<NonZeroU64>) {
    if is_traced() {
        if let Some(id) = id() {
            emit(op, id.get());
        }
    }
}

#[cold]
fn emit(op: WakerOp, id: u64) {
    match op {
        WakerOp::Clone => trace!(target: "runtime::waker", op = "waker.clone", task.id = id),
        WakerOp::Wake => trace!(target: "runtime::waker", op = "waker.wake", task.id = id),
        WakerOp::WakeByRef => trace!(target: "runtime::waker", op = "waker.wake_by_ref", task.id = id),
        WakerOp::Drop => trace!(target: "runtime::waker", op = "waker.drop", task.id = id),
    }
}

impl TaskSpan {
    /// The id that waker events carry.
    pub(crate) fn id(&self) -> Option<NonZeroU64> {
        self.0.id().map(|id| id.into_non_zero_u64())
    }

    /// Enters the span on this thread.
    #[cold]
    pub(crate) fn enter(&self) {
        self.0.with_subscriber(|(id, subscriber)| subscriber.enter(id));
    }

    /// Leaves the span, which was entered on this thread.
    #[cold]
    pub(crate) fn exit(&self) {
        self.0.with_subscriber(|(id, subscriber)| subscriber.exit(id));
    }
}
