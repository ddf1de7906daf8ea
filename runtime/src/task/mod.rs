//! Tasks: one allocation each, a state word that says who may do what, and the handles to it. A concurrency core: it
//! imports only `core`, `alloc`, `std::panic`, `super`, `crate::sync` and `crate::hooks`.
//!
//! | file | what |
//! | --- | --- |
//! | `state`, `duty` | the task word and its edges, and what they oblige to |
//! | `header` | the memory of a task, who owns which part when |
//! | `harness` | poll, cancel, complete, free |
//! | `waker`, `join`, `abort` | the references that others hold |
//! | `owned` | the live tasks of a scheduler |
//! | `ready` | the tasks of a join set that ended |
//! | `inbox` | the tasks of a local set that other threads woke |
//! | `error`, `id` | what users see of them |

mod abort;
mod duty;
mod error;
mod harness;
mod header;
mod id;
mod inbox;
mod join;
mod owned;
mod ready;
mod state;
mod waker;

use core::fmt;
use core::future::Future;
use core::mem::ManuallyDrop;
use core::ptr::NonNull;

pub use self::abort::AbortHandle;
pub(crate) use self::duty::Lifecycle;
pub use self::error::JoinError;
pub(crate) use self::header::{Header, Kind, Meta};
pub use self::id::Id;
pub(crate) use self::inbox::Inbox;
pub use self::join::JoinHandle;
pub(crate) use self::owned::{Owned, Snapshot};
pub(crate) use self::ready::Ready;

use self::duty::Claim;
use self::header::Cell;
use crate::hooks;

/// Where notified tasks go. The cell holds one: an `Arc` or something like it.
///
/// # What an implementor keeps to
///
/// - Methods are called on a bitwise copy of the cell's value that is never dropped: a type is fine if it may be used
///   by reference from several threads and does not mind being moved while it is (`Arc`, a raw pointer).
/// - From the moment a task is pushed somewhere, another thread may run it to its end and free it together with the
///   cell's value. Whatever `schedule` and `reschedule` do after the push, waking a worker say, must be kept alive by
///   something else: the worker that the thread is, or a clone taken before the push.
/// - A task that cannot be queued any more is cancelled by dropping it (or [`Notified::abandon`]ed where it may not be
///   dropped on this thread).
pub(crate) trait Schedule: Send + Sync + 'static {
    /// Queues a task that was woken; on any thread.
    fn schedule(&self, task: Notified);

    /// Queues a task that was woken while it ran: behind all others.
    fn reschedule(&self, task: Notified);

    /// The task is complete: it leaves the owned list. True if it stood there: the list's reference is handed back.
    fn release(&self, task: &Task) -> bool;

    /// Whether tasks are to have room for [`Notified::set_queued_at`]; the same at every call.
    fn times_queues(&self) -> bool {
        false
    }

    /// A poll panicked; the panic is on its way to the join handle.
    fn unhandled_panic(&self) {}
}

/// A counted reference to a task.
pub(crate) struct Task(NonNull<Header>);

/// A counted reference with the right and the duty to poll once. Dropping it cancels the task.
pub(crate) struct Notified(NonNull<Header>);

/// A task that was made: its three references.
pub(crate) struct Spawned<T> {
    /// For the owned list.
    pub(crate) owned: Task,
    /// For a run queue, once the owned list has taken the task in.
    pub(crate) notified: Notified,
    /// For the user.
    pub(crate) join: JoinHandle<T>,
}

// SAFETY: a future that is not `Send` is polled and dropped on its own thread only: its scheduler sees to that, and
// `spawn` asks for it. Everything else in a cell is made for many threads.
unsafe impl Send for Task {}
// SAFETY: as above.
unsafe impl Sync for Task {}
// SAFETY: as above.
unsafe impl Send for Notified {}
// SAFETY: as above.
unsafe impl Sync for Notified {}

/// Makes a task.
pub(crate) fn spawn<F, S>(future: F, scheduler: S, meta: Meta<'_>) -> Spawned<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
    S: Schedule,
{
    // SAFETY: everything is `Send`.
    unsafe { spawn_unchecked(future, scheduler, meta) }
}

/// Makes a task whose future need not be `Send`.
///
/// # Safety
///
/// If future or output are not `Send`: `run`, `shutdown` and the drop of notified references happen on the thread that
/// calls this, as long as the task is not complete; the scheduler sees to it.
pub(crate) unsafe fn spawn_unchecked<F, S>(future: F, scheduler: S, meta: Meta<'_>) -> Spawned<F::Output>
where
    F: Future + 'static,
    F::Output: 'static,
    S: Schedule,
{
    let header = Cell::allocate(future, scheduler, meta);
    Spawned {
        owned: Task(header),
        notified: Notified(header),
        // SAFETY: a fresh task has a reference for it, and the output's type is `F`'s.
        join: unsafe { JoinHandle::from_raw(header, meta.id) },
    }
}

/// The id of the task that this thread polls, or whose future it drops.
pub(crate) fn current_id() -> Option<Id> {
    let header = NonNull::new(hooks::current_header().cast::<Header>().cast_mut())?;
    // SAFETY: set for the time of the poll by `harness`, whose runner's reference keeps the task alive.
    Some(unsafe { header.as_ref() }.id)
}

impl Task {
    /// # Safety
    ///
    /// The caller gives a counted reference.
    unsafe fn from_raw(header: NonNull<Header>) -> Self {
        Self(header)
    }

    fn header(&self) -> NonNull<Header> {
        self.0
    }

    fn get(&self) -> &Header {
        // SAFETY: the reference keeps it alive.
        unsafe { self.0.as_ref() }
    }

    /// The task's id.
    pub(crate) fn id(&self) -> Id {
        self.get().id
    }

    /// Cancels the task here and now, unless it is being polled: then at the end of that poll.
    pub(crate) fn shutdown(self) {
        let header = ManuallyDrop::new(self).0;
        // SAFETY: the reference at hand keeps it alive.
        let task = unsafe { header.as_ref() };
        match task.state.claim() {
            Claim::Cancel => {
                // SAFETY: `claim` made the caller the runner; the reference is used up. A future that is not `Send`
                // is on its own thread (`spawn_unchecked`).
                unsafe { (task.vtable.cancel)(header) }
            }
            Claim::Nothing => {
                // SAFETY: the reference at hand ends here.
                unsafe { harness::drop_references(header, 1) }
            }
        }
    }
}

impl Notified {
    /// # Safety
    ///
    /// The caller gives a notified reference.
    pub(crate) unsafe fn from_raw(header: NonNull<Header>) -> Self {
        Self(header)
    }

    /// The bare reference, to be given back to [`from_raw`](Self::from_raw).
    pub(crate) fn into_raw(self) -> NonNull<Header> {
        ManuallyDrop::new(self).0
    }

    fn get(&self) -> &Header {
        // SAFETY: the reference keeps it alive.
        unsafe { self.0.as_ref() }
    }

    /// The task's id.
    pub(crate) fn id(&self) -> Id {
        self.get().id
    }

    /// Notes when the task is queued, if [`Schedule::times_queues`].
    pub(crate) fn set_queued_at(&self, at: u64) {
        self.get().set_queued_at(at);
    }

    /// When the task was queued; `None` if nobody noted it.
    pub(crate) fn queued_at(&self) -> Option<u64> {
        self.get().queued_at()
    }

    /// Hands the task to its scheduler.
    #[inline]
    pub(crate) fn schedule(self) {
        let header = self.into_raw();
        // SAFETY: the reference at hand keeps it alive.
        let vtable = unsafe { header.as_ref() }.vtable;
        // SAFETY: the notified reference is given up.
        unsafe { (vtable.schedule)(header) }
    }

    /// Polls the task, or cancels it if it was aborted; panics are contained.
    pub(crate) fn run(self) {
        let header = self.into_raw();
        // SAFETY: the reference at hand keeps it alive.
        let vtable = unsafe { header.as_ref() }.vtable;
        // SAFETY: the notified reference is used up; thread as `spawn_unchecked` asks.
        unsafe { (vtable.run)(header) }
    }

    /// Cancels the task here and now, if nobody else did.
    pub(crate) fn cancel(self) {
        Task(self.into_raw()).shutdown();
    }

    /// Gives the reference up without cancelling: for a scheduler whose closing cancels the task anyway.
    pub(crate) fn abandon(self) {
        drop(Task(self.into_raw()));
    }
}

/// The poll in progress on this thread, if any, goes on outside its worker: it may outlive the polls of its scheduler
/// (see "Exclusive" in the task word's header). Whoever runs a task, or drops a task's future, inside of another's poll
/// calls it first: what happens inside is then put down to the inner task.
pub(crate) fn share_current() {
    let header = hooks::current_header().cast::<Header>().cast_mut();
    if let Some(header) = NonNull::new(header) {
        // SAFETY: set for the time of the poll by `harness`, whose runner's reference keeps the task alive.
        unsafe { header.as_ref() }.state.share();
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        // SAFETY: the reference ends here.
        unsafe { harness::drop_references(self.0, 1) }
    }
}

impl Drop for Notified {
    fn drop(&mut self) {
        Task(self.0).shutdown();
    }
}

impl fmt::Debug for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Task").field(&self.id()).finish()
    }
}

impl fmt::Debug for Notified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Notified").field(&self.id()).finish()
    }
}
