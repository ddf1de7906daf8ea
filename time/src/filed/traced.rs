//! Where a timer was filed, and what a console is told of it: a span for the timer as a resource, open as long as it lives,
//! and a span for waiting for it, with an event a poll.
//!
//! # Word
//!
//! One pointer, so that a timer is no larger for it: null, or the shard; or, with bit 0 set, a box with the shard and the
//! spans. There is a box only if somebody listened when the timer was made. Shards are never freed, and shard and box are
//! aligned to more than one byte.
//!
//! A subscriber is a user's code: a panic in it ends here, and the span or the event is lost.

use core::fmt;
use core::panic::Location;
use core::ptr;
use core::task::Poll;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tracing::level_filters::{LevelFilter, STATIC_MAX_LEVEL};
use tracing::{Level, Span, trace, trace_span};

use crate::clock::Instant;
use crate::error::Error;
use crate::sync::Kept;
use crate::timer::Shard;

/// The shard in which a timer was filed last, and the timer's spans if there are any.
pub(crate) struct Filed(*const ());

/// What a timer has that somebody listens to.
struct Traced {
    shard: Option<Kept<Shard>>,
    /// The timer, as something that tasks wait for.
    resource: Span,
    /// The waiting.
    operation: Span,
}

const TRACED: usize = 1;

// SAFETY: the pointer is of a shard, which is `Sync` and lives for ever, or of a box of this value's own, whose content is
// `Send` and is changed by `&mut` alone.
unsafe impl Send for Filed {}
// SAFETY: as above, and the box's content is `Sync`.
unsafe impl Sync for Filed {}

const _: () = {
    const fn is_send_and_sync<T: Send + Sync>() {}
    is_send_and_sync::<Traced>();
    is_send_and_sync::<Kept<Shard>>();
    assert!(align_of::<Shard>() > TRACED && align_of::<Traced>() > TRACED);
};

impl Filed {
    /// Of a timer that is being made.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn new(deadline: Instant) -> Filed {
        if Level::TRACE <= STATIC_MAX_LEVEL && Level::TRACE <= LevelFilter::current() {
            return Filed::listened_to(deadline, Location::caller());
        }
        Filed(ptr::null())
    }

    #[cold]
    fn listened_to(deadline: Instant, location: &'static Location<'static>) -> Filed {
        let resource = contained(|| {
            trace_span!(
                target: "wheelhouse::time",
                parent: None,
                "runtime.resource",
                concrete_type = "Sleep",
                kind = "timer",
                is_internal = false,
                inherits_child_attrs = false,
                loc.file = location.file(),
                loc.line = location.line(),
                loc.col = location.column(),
            )
        });
        let resource = match resource {
            Some(resource) if !resource.is_disabled() => resource,
            _ => return Filed(ptr::null()),
        };
        let mut operation = Span::none();
        within(&resource, || {
            let span = || {
                trace_span!(
                    target: "wheelhouse::time",
                    "runtime.resource.async_op",
                    source = "Sleep::new",
                    inherits_child_attrs = false
                )
            };
            operation = contained(span).unwrap_or_else(Span::none);
        });
        let traced = Box::into_raw(Box::new(Traced { shard: None, resource, operation }));
        let filed = Filed(traced.map_addr(|address| address | TRACED).cast_const().cast());
        filed.reset(deadline);
        filed
    }

    #[inline(always)]
    fn is_traced(&self) -> bool {
        self.0.addr() & TRACED != 0
    }

    fn traced_pointer(&self) -> *mut Traced {
        self.0.map_addr(|address| address & !TRACED).cast_mut().cast()
    }

    fn traced(&self) -> Option<&Traced> {
        if !self.is_traced() {
            return None;
        }
        // SAFETY: with the bit set it is the box that `listened_to` made, which is this value's own and lives as long.
        Some(unsafe { &*self.traced_pointer() })
    }

    #[inline(always)]
    pub(crate) fn shard(&self) -> Option<Kept<Shard>> {
        if self.is_traced() {
            return self.traced()?.shard.clone();
        }
        // SAFETY: without the bit it is null or what `set` put here.
        unsafe { Kept::from_pointer(self.0.cast()) }
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, shard: Kept<Shard>) {
        if self.is_traced() {
            // SAFETY: as in `traced`, and `self` is borrowed for this alone.
            unsafe { &mut *self.traced_pointer() }.shard = Some(shard);
        } else {
            self.0 = shard.pointer().cast();
        }
    }

    /// Runs a poll of the timer, inside of its spans if it has any.
    #[inline(always)]
    pub(crate) fn polled(
        &mut self,
        poll: impl FnOnce(&mut Filed) -> Poll<Result<(), Error>>,
    ) -> Poll<Result<(), Error>> {
        let Some(traced) = self.traced() else { return poll(self) };
        // The spans stay where they are; clones of them, because the poll may set the shard beside them.
        let spans = contained(|| (traced.resource.clone(), traced.operation.clone()));
        let Some((resource, operation)) = spans else { return poll(self) };
        let mut outcome = Poll::Pending;
        within(&resource, || {
            within(&operation, || {
                outcome = poll(self);
                let is_ready = outcome.is_ready();
                contained(|| {
                    trace!(target: "runtime::resource::poll_op", op_name = "poll_elapsed", is_ready);
                });
            });
        });
        contained(|| drop((operation, resource)));
        outcome
    }

    /// The timer has another deadline.
    #[inline(always)]
    pub(crate) fn reset(&self, deadline: Instant) {
        let Some(traced) = self.traced() else { return };
        let left = deadline.saturating_duration_since(Instant::now());
        let duration = u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
        within(&traced.resource, || {
            contained(|| {
                trace!(
                    target: "runtime::resource::state_update",
                    duration,
                    duration.unit = "ms",
                    duration.op = "override",
                );
            });
        });
    }
}

impl Drop for Filed {
    #[inline(always)]
    fn drop(&mut self) {
        if self.is_traced() {
            // SAFETY: as in `traced`; nobody uses it afterwards.
            let traced = unsafe { Box::from_raw(self.traced_pointer()) };
            contained(|| drop(traced));
        }
    }
}

impl fmt::Debug for Filed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Filed").field("traced", &self.is_traced()).finish_non_exhaustive()
    }
}

/// What `f` returns, or nothing if it panics.
fn contained<R>(f: impl FnOnce() -> R) -> Option<R> {
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(value) => Some(value),
        Err(payload) => {
            // Its destructor may panic too.
            core::mem::forget(payload);
            None
        }
    }
}

/// Runs `f` with the span entered. It is left again by a panic of `f` too.
fn within(span: &Span, f: impl FnOnce()) {
    struct Left<'a>(&'a Span);
    impl Drop for Left<'_> {
        fn drop(&mut self) {
            contained(|| self.0.with_subscriber(|(id, subscriber)| subscriber.exit(id)));
        }
    }
    contained(|| span.with_subscriber(|(id, subscriber)| subscriber.enter(id)));
    let _left = Left(span);
    f();
}
