//! The spans and events that `tracing` subscribers see: one relaxed load a site while nobody listens.
//!
//! A subscriber is a user's code, and is called on every thread of the runtime, in the middle of what the thread does: a
//! panic in it ends where it is called. The span or the event is lost, and nothing else.

use core::num::NonZeroU64;
use core::panic::Location;

use tracing::level_filters::{LevelFilter, STATIC_MAX_LEVEL};
use tracing::{Level, Span, trace_span};

use crate::panics::contain;

/// Emits an event: its level, its target, and then as for the macros of `tracing`. A subscriber's panic ends here.
macro_rules! event {
    ($level:ident, $target:literal, $($rest:tt)+) => {
        if $crate::trace::is_heard(tracing::Level::$level) {
            $crate::panics::contain(|| tracing::event!(target: $target, tracing::Level::$level, $($rest)+));
        }
    };
}
pub(crate) use event;

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

/// Whether anybody may listen to spans and events of this level: one relaxed load.
#[inline]
pub(crate) fn is_heard(level: Level) -> bool {
    level <= STATIC_MAX_LEVEL && level <= LevelFilter::current()
}

/// Whether anybody may listen to the spans of tasks and the events of their wakers: one relaxed load.
#[inline]
pub(crate) fn is_traced() -> bool {
    is_heard(Level::TRACE)
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
    let mut span = Span::none();
    contain(|| {
        span = trace_span!(
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
    });
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
        WakerOp::Clone => event!(TRACE, "runtime::waker", op = "waker.clone", task.id = id),
        WakerOp::Wake => event!(TRACE, "runtime::waker", op = "waker.wake", task.id = id),
        WakerOp::WakeByRef => event!(TRACE, "runtime::waker", op = "waker.wake_by_ref", task.id = id),
        WakerOp::Drop => event!(TRACE, "runtime::waker", op = "waker.drop", task.id = id),
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
        contain(|| {
            self.0.with_subscriber(|(id, subscriber)| subscriber.enter(id));
        });
    }

    /// Leaves the span, which was entered on this thread.
    #[cold]
    pub(crate) fn exit(&self) {
        contain(|| {
            self.0.with_subscriber(|(id, subscriber)| subscriber.exit(id));
        });
    }
}

impl Drop for TaskSpan {
    fn drop(&mut self) {
        let span = std::mem::replace(&mut self.0, Span::none());
        contain(|| drop(span));
    }
}
