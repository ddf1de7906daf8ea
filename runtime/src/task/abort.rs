//! A handle that can cancel a task and nothing else.

use core::fmt;
use core::panic::{RefUnwindSafe, UnwindSafe};
use core::ptr::NonNull;

use super::harness::drop_references;
use super::header::{Header, Kind};
use super::waker::submit;
use super::{Id, Notified};

/// A handle that can cancel a task, without the permission to wait for it.
///
/// It keeps the task's memory, not its future or its output.
pub struct AbortHandle {
    /// None if the output was taken when the handle was made.
    task: Option<NonNull<Header>>,
    id: Id,
}

// SAFETY: it reaches the state word, which is made for many threads, and the scheduler, which is `Send + Sync`.
unsafe impl Send for AbortHandle {}
// SAFETY: as above.
unsafe impl Sync for AbortHandle {}

impl UnwindSafe for AbortHandle {}
impl RefUnwindSafe for AbortHandle {}

impl AbortHandle {
    /// A handle to a task of which the caller has a reference.
    pub(super) fn new(task: Option<NonNull<Header>>, id: Id) -> Self {
        if let Some(task) = task {
            // SAFETY: the caller's reference keeps it alive.
            unsafe { task.as_ref() }.state.add_reference();
        }
        Self { task, id }
    }

    /// Cancels the task: see [`JoinHandle::abort`](super::JoinHandle::abort).
    pub fn abort(&self) {
        if let Some(task) = self.task {
            // SAFETY: the handle's reference keeps it alive.
            unsafe { abort(task) }
        }
    }

    /// Whether the task has ended: see [`JoinHandle::is_finished`](super::JoinHandle::is_finished).
    pub fn is_finished(&self) -> bool {
        // SAFETY: the handle's reference keeps it alive.
        self.task.is_none_or(|task| unsafe { task.as_ref() }.state.is_complete())
    }

    /// The id of the task.
    pub fn id(&self) -> Id {
        self.id
    }
}

/// Aborts a task.
///
/// # Safety
///
/// The caller has a reference.
pub(super) unsafe fn abort(task: NonNull<Header>) {
    // SAFETY: the caller's reference keeps it alive.
    let header = unsafe { task.as_ref() };
    match header.kind() {
        Kind::Task | Kind::Local | Kind::BlockOn => {
            // SAFETY: the caller's reference.
            unsafe { submit(task, header.state.abort()) }
        }
        // Its turn comes when a thread is free for it, which may be never: its scheduler cancels it at once.
        Kind::Blocking => {
            header.state.add_reference();
            // SAFETY: counted above. That it is queued already does not matter: whoever claims or starts it first has it.
            unsafe { Notified::from_raw(task) }.schedule();
        }
    }
}

impl Clone for AbortHandle {
    fn clone(&self) -> Self {
        Self::new(self.task, self.id)
    }
}

impl Drop for AbortHandle {
    fn drop(&mut self) {
        if let Some(task) = self.task {
            // SAFETY: the handle's reference ends here.
            unsafe { drop_references(task, 1) }
        }
    }
}

impl fmt::Debug for AbortHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AbortHandle").field("id", &self.id).finish_non_exhaustive()
    }
}
