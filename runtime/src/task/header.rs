//! The memory of a task: one allocation, of which the front does not depend on the future's type.
//!
//! # Who owns what, when
//!
//! | field | owner | last touch |
//! | --- | --- | --- |
//! | `state` | everybody, through its edges | `drop_references` |
//! | `polls` | written by the runner, read by snapshots | before `complete` |
//! | `links` | the owned list's lock | `Owned::remove`, before the list's reference is dropped |
//! | `join_waker` | the join handle while `JOIN_WAKER` is clear; the completing side once it completed with the bit set | see `state` |
//! | `extras.span` | the runner | before `complete` |
//! | `scheduler` | shared; used by wakers that made a notified reference and by the runner | dropped by `free` |
//! | `stage` | the runner until `COMPLETE`; then the join handle if there is one, else the runner | before its reference is dropped |
//!
//! # Invariants
//!
//! 1. A `NonNull<Header>` in a handle points to a whole live `Cell`, with provenance over all of it, for as long as
//!    the handle's reference is counted.
//! 2. The vtable was made for the `F` and `S` of the cell, in [`Cell::allocate`].
//! 3. `stage` holds the future until the runner drops it, then the output (written before `COMPLETE`), then nothing.
//! 4. The future never moves: it is written once, polled and dropped in place.

use alloc::boxed::Box;
use alloc::string::String;
use core::future::Future;
use core::mem::ManuallyDrop;
use core::num::NonZeroU64;
use core::panic::Location;
use core::ptr::NonNull;
use core::task::Waker;

use super::error::Failure;
use super::owned::Links;
use super::state::State;
use super::{Id, Schedule};
use crate::hooks;
use crate::sync::{AtomicU64, Ordering::Relaxed, UnsafeCell};

/// The front of a task's memory: the same whatever its future.
pub(crate) struct Header {
    pub(super) state: State,
    pub(super) vtable: &'static Vtable,
    polls: AtomicU64,
    pub(super) id: Id,
    pub(super) links: UnsafeCell<Links>,
    origin: Origin,
    pub(super) join_waker: UnsafeCell<Option<Waker>>,
}

/// A task's memory.
#[repr(C)]
pub(super) struct Cell<F: Future, S> {
    pub(super) header: Header,
    pub(super) scheduler: S,
    pub(super) stage: UnsafeCell<Stage<F>>,
}

/// The future, then its output, then nothing: invariant 3.
pub(super) union Stage<F: Future> {
    pub(super) future: ManuallyDrop<F>,
    pub(super) output: ManuallyDrop<Result<F::Output, Failure>>,
}

impl<F: Future> Stage<F> {
    /// Where the future is, while there is one.
    ///
    /// # Safety
    ///
    /// `stage` is valid.
    pub(super) unsafe fn future_of(stage: *mut Self) -> *mut F {
        // SAFETY: the caller's promise; `ManuallyDrop` is transparent.
        unsafe { &raw mut (*stage).future }.cast()
    }

    /// Where the output is, while there is one.
    ///
    /// # Safety
    ///
    /// `stage` is valid.
    pub(super) unsafe fn output_of(stage: *mut Self) -> *mut Result<F::Output, Failure> {
        // SAFETY: the caller's promise; `ManuallyDrop` is transparent.
        unsafe { &raw mut (*stage).output }.cast()
    }
}

/// What depends on the future's and the scheduler's types.
pub(super) struct Vtable {
    /// Uses up a notified reference: polls, or whatever the state word says.
    pub(super) run: unsafe fn(NonNull<Header>),
    /// Hands a notified reference to the scheduler.
    pub(super) schedule: unsafe fn(NonNull<Header>),
    /// Drops the claimed future and completes; uses up a reference.
    pub(super) cancel: unsafe fn(NonNull<Header>),
    /// Moves the output to a `Result<F::Output, Failure>`.
    pub(super) take_output: unsafe fn(NonNull<Header>, *mut ()),
    /// Drops the output in place.
    pub(super) drop_output: unsafe fn(NonNull<Header>),
    /// Frees the cell after its last reference.
    pub(super) free: unsafe fn(NonNull<Header>),
    /// Size of the cell in bytes.
    pub(super) size: usize,
}

/// What a task is, for dumps and spans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Spawned on a scheduler.
    Task,
    /// Spawned on a local set.
    Local,
    /// A closure on the blocking pool.
    Blocking,
    /// The main future of a thread.
    BlockOn,
}

/// What is known about a task when it is spawned.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Meta<'a> {
    pub(crate) id: Id,
    pub(crate) kind: Kind,
    pub(crate) name: Option<&'a str>,
    pub(crate) location: &'static Location<'static>,
}

/// What few tasks have.
struct Extras {
    location: &'static Location<'static>,
    name: Option<String>,
    /// The tracing id of `span`: for the events of wakers, whoever has `span`.
    span_id: Option<NonZeroU64>,
    span: UnsafeCell<Option<hooks::TaskSpan>>,
    /// When it was queued, as its scheduler counts time: written before it is queued, read by whoever takes it out.
    queued_at: AtomicU64,
}

/// A `&'static Location` or, if bit 0 is set, a `Box<Extras>`; the kind in bits 1 and 2. Both targets are aligned to 8.
struct Origin(NonNull<()>);

const EXTRAS: usize = 1;
const KIND_SHIFT: u32 = 1;
const TAGS: usize = 7;

impl Kind {
    /// The word for it in spans and dumps.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Task => "task",
            Self::Local => "local",
            Self::Blocking => "blocking",
            Self::BlockOn => "block_on",
        }
    }

    /// Whether tasks of this kind stand in an owned list.
    fn is_listed(self) -> bool {
        matches!(self, Self::Task | Self::Local)
    }
}

impl Header {
    #[inline(always)]
    fn new(vtable: &'static Vtable, meta: Meta<'_>, origin: Origin) -> Self {
        Self {
            state: State::new(!meta.kind.is_listed()),
            vtable,
            polls: AtomicU64::new(0),
            id: meta.id,
            links: UnsafeCell::new(Links::default()),
            origin,
            join_waker: UnsafeCell::new(None),
        }
    }

    pub(super) fn kind(&self) -> Kind {
        self.origin.kind()
    }

    pub(super) fn location(&self) -> &'static Location<'static> {
        self.origin.location()
    }

    pub(super) fn name(&self) -> Option<&str> {
        self.origin.extras().and_then(|extras| extras.name.as_deref())
    }

    pub(super) fn span_id(&self) -> Option<NonZeroU64> {
        self.origin.extras().and_then(|extras| extras.span_id)
    }

    pub(super) fn polls(&self) -> u64 {
        self.polls.load(Relaxed) // Relaxed: a counter
    }

    /// Counts a poll; the runner only.
    pub(super) fn count_poll(&self) {
        // Relaxed: a counter with one writer at a time.
        self.polls.store(self.polls.load(Relaxed).wrapping_add(1), Relaxed);
    }

    /// Notes when the task is queued, where there is room for it; see [`Schedule::times_queues`].
    pub(super) fn set_queued_at(&self, at: u64) {
        if let Some(extras) = self.origin.extras() {
            extras.queued_at.store(at, Relaxed); // Relaxed: the queue orders it
        }
    }

    /// When the task was queued; `None` if nobody noted it.
    pub(super) fn queued_at(&self) -> Option<u64> {
        let at = self.origin.extras()?.queued_at.load(Relaxed); // Relaxed: the queue orders it
        (at != 0).then_some(at)
    }

    /// The tracing span, for its owner.
    ///
    /// # Safety
    ///
    /// The caller is the runner.
    pub(super) unsafe fn span(&self) -> Option<&hooks::TaskSpan> {
        let extras = self.origin.extras()?;
        // SAFETY: the runner owns the slot (table above); it is emptied by `close_span` only, which the runner calls.
        extras.span.with(|span| unsafe { (*span).as_ref() })
    }

    /// Closes the tracing span.
    ///
    /// # Safety
    ///
    /// The caller is the runner, and uses no reference of `span` any more.
    pub(super) unsafe fn close_span(&self) {
        if let Some(extras) = self.origin.extras() {
            // SAFETY: the runner owns the slot (table above).
            drop(extras.span.with_mut(|span| unsafe { (*span).take() }));
        }
    }
}

impl Drop for Header {
    fn drop(&mut self) {
        self.origin.free();
    }
}

impl<F, S> Cell<F, S>
where
    F: Future + 'static,
    F::Output: 'static,
    S: Schedule,
{
    const VTABLE: Vtable = Vtable {
        run: super::harness::run::<F, S>,
        schedule: super::harness::schedule::<F, S>,
        cancel: super::harness::cancel::<F, S>,
        take_output: super::harness::take_output::<F, S>,
        drop_output: super::harness::drop_output::<F, S>,
        free: super::harness::free::<F, S>,
        size: size_of::<Self>(),
    };

    /// A fresh task with three references: see [`State::new`].
    #[inline]
    pub(super) fn allocate(future: F, scheduler: S, meta: Meta<'_>) -> NonNull<Header> {
        // Before the memory: a subscriber of tracing may panic.
        let origin = Origin::new(meta, Self::VTABLE.size, scheduler.times_queues());
        let cell = Box::into_raw(Box::<Self>::new_uninit()).cast::<Self>();
        // Written field by field: built on the stack and moved, it costs a good part of a spawn.
        // SAFETY: freshly allocated for `Self`.
        let header = unsafe { &raw mut (*cell).header };
        // SAFETY: a place in that allocation.
        unsafe { header.write(Header::new(&Self::VTABLE, meta, origin)) };
        // SAFETY: freshly allocated for `Self`.
        let home = unsafe { &raw mut (*cell).scheduler };
        // SAFETY: a place in that allocation.
        unsafe { home.write(scheduler) };
        // SAFETY: freshly allocated for `Self`.
        let stage = unsafe { &raw mut (*cell).stage };
        // SAFETY: a place in that allocation.
        unsafe { stage.write(UnsafeCell::new(Stage { future: ManuallyDrop::new(future) })) };
        // SAFETY: a box is never null.
        unsafe { NonNull::new_unchecked(cell) }.cast()
    }

    /// The cell behind a header.
    ///
    /// # Safety
    ///
    /// `header` stands in a live `Cell<F, S>` for all of `'a`.
    pub(super) unsafe fn of<'a>(header: NonNull<Header>) -> &'a Self {
        // SAFETY: `Cell` is `repr(C)` with the header first, and by invariant 1 the pointer covers all of it.
        unsafe { header.cast::<Self>().as_ref() }
    }
}

impl Origin {
    #[inline(always)]
    fn new(meta: Meta<'_>, size: usize, times_queues: bool) -> Self {
        let kind = (meta.kind as usize) << KIND_SHIFT;
        if meta.name.is_none() && !times_queues && !hooks::is_traced() {
            Self(NonNull::from(meta.location).cast::<()>().map_addr(|address| address | kind))
        } else {
            Self(Self::extra(meta, size).cast::<()>().map_addr(|address| address | EXTRAS | kind))
        }
    }

    #[cold]
    fn extra(meta: Meta<'_>, size: usize) -> NonNull<Extras> {
        let span = hooks::task_span(meta.kind.as_str(), meta.name, meta.id.get(), size, meta.location);
        let extras = Box::new(Extras {
            location: meta.location,
            name: meta.name.map(String::from),
            span_id: span.as_ref().and_then(hooks::TaskSpan::id),
            span: UnsafeCell::new(span),
            queued_at: AtomicU64::new(0),
        });
        // SAFETY: a box is never null.
        unsafe { NonNull::new_unchecked(Box::into_raw(extras)) }
    }

    fn target(&self) -> *mut () {
        self.0.as_ptr().map_addr(|address| address & !TAGS)
    }

    fn kind(&self) -> Kind {
        match (self.0.addr().get() & TAGS) >> KIND_SHIFT {
            0 => Kind::Task,
            1 => Kind::Local,
            2 => Kind::Blocking,
            _ => Kind::BlockOn,
        }
    }

    fn extras(&self) -> Option<&Extras> {
        if self.0.addr().get() & EXTRAS == 0 {
            return None;
        }
        // SAFETY: the tag says that `new` put a `Box<Extras>` here; it lives as long as `self`.
        Some(unsafe { &*self.target().cast::<Extras>() })
    }

    fn location(&self) -> &'static Location<'static> {
        match self.extras() {
            Some(extras) => extras.location,
            // SAFETY: without the tag it is the `&'static Location` that `new` put here.
            None => unsafe { &*self.target().cast::<Location<'static>>() },
        }
    }

    fn free(&mut self) {
        if self.0.addr().get() & EXTRAS != 0 {
            // SAFETY: `new` made it of a box; the only caller is the header's drop.
            drop(unsafe { Box::from_raw(self.target().cast::<Extras>()) });
        }
    }
}
