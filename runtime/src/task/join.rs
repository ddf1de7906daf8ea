//! The owned permission to wait for a task.

use core::fmt;
use core::future::Future;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::panic::{RefUnwindSafe, UnwindSafe};
use core::pin::Pin;
use core::ptr::NonNull;
use core::task::{Context, Poll, Waker, ready};

use super::abort::abort;
use super::duty::{JoinDrop, Offer};
use super::error::Failure;
use super::harness::drop_references;
use super::header::Header;
use super::{AbortHandle, Id, JoinError};
use crate::hooks;
use crate::hooks::contain;

/// An owned permission to wait for a task and to take its output.
///
/// Dropping it *detaches* the task, which goes on running; its output is dropped when it ends. To stop it, call
/// [`abort`](Self::abort).
///
/// Awaiting it returns the output, or a [`JoinError`] if the task panicked or was cancelled.
///
/// # Cancel safety
///
/// Awaiting `&mut handle` is cancel safe: nothing is lost, and the next one to wait gets the output.
pub struct JoinHandle<T> {
    /// None once the output was taken.
    task: Option<NonNull<Header>>,
    id: Id,
    output: PhantomData<T>,
}

// SAFETY: the handle hands out the `T` that another thread made, and drops it: `T: Send`. The task's own parts are
// reached through the state word, which is made for many threads.
unsafe impl<T: Send> Send for JoinHandle<T> {}
// SAFETY: nothing of `T` can be reached through a shared reference.
unsafe impl<T: Send> Sync for JoinHandle<T> {}

impl<T> UnwindSafe for JoinHandle<T> {}
impl<T> RefUnwindSafe for JoinHandle<T> {}
impl<T> Unpin for JoinHandle<T> {}

impl<T> JoinHandle<T> {
    /// # Safety
    ///
    /// The caller gives the reference that `JOIN` stands for, of a task whose output is `T`.
    pub(super) unsafe fn from_raw(task: NonNull<Header>, id: Id) -> Self {
        Self { task: Some(task), id, output: PhantomData }
    }

    fn header(&self) -> Option<&Header> {
        // SAFETY: the handle's reference keeps it alive.
        self.task.map(|task| unsafe { task.as_ref() })
    }

    /// Cancels the task.
    ///
    /// Its future is dropped at its next turn, by its runtime; awaiting the handle then returns an error of which
    /// [`is_cancelled`](JoinError::is_cancelled) is true. A task that finishes first keeps its output. A closure that
    /// waits for a thread of the blocking pool is dropped here and now; one that has begun cannot be stopped.
    ///
    /// May be called from any thread, inside a runtime or not.
    pub fn abort(&self) {
        if let Some(task) = self.task {
            // SAFETY: the handle's reference keeps it alive.
            unsafe { abort(task) }
        }
    }

    /// A handle that can cancel the task and nothing else.
    pub fn abort_handle(&self) -> AbortHandle {
        AbortHandle::new(self.task, self.id)
    }

    /// Whether the task has ended: its future is dropped, and awaiting returns at once.
    ///
    /// A task that was aborted has not ended before its runtime has dropped its future.
    pub fn is_finished(&self) -> bool {
        self.header().is_none_or(|header| header.state.is_complete())
    }

    /// The id of the task.
    pub fn id(&self) -> Id {
        self.id
    }

    /// Makes `waker` the one to be woken at the task's end; false if it has ended.
    pub(crate) fn watch(&mut self, waker: &Waker) -> bool {
        self.header().is_some_and(|header| !header.state.is_complete() && register(header, waker) == Offer::Done)
    }

    /// Takes the output if there is one, else makes `waker` the one to be woken.
    pub(crate) fn poll_output(&mut self, waker: &Waker) -> Poll<Result<T, JoinError>> {
        let Some(task) = self.task else { panic!("a JoinHandle was polled after it returned the output") };
        // SAFETY: the handle's reference keeps it alive.
        let header = unsafe { task.as_ref() };
        if !header.state.is_complete() && register(header, waker) == Offer::Done {
            return Poll::Pending;
        }
        self.task = None;
        let mut output = MaybeUninit::<Result<T, Failure>>::uninit();
        // SAFETY: complete, with a join handle: the output is the handle's, taken once since `task` is None from here
        // on; its type is `T` by `from_raw`.
        unsafe { (header.vtable.take_output)(task, output.as_mut_ptr().cast()) };
        // SAFETY: the handle's reference ends here.
        unsafe { drop_references(task, 1) };
        // SAFETY: `take_output` wrote it.
        let output = unsafe { output.assume_init() };
        Poll::Ready(output.map_err(|failure| JoinError::new(self.id, failure)))
    }
}

/// Makes `waker` the join waker; `Complete` if the task completed meanwhile.
fn register(header: &Header, waker: &Waker) -> Offer {
    if header.state.is_join_waker_offered() {
        // SAFETY: until the task completes, both sides at most read an offered slot; after it, only the completing
        // side takes the waker out, and then `retract` fails without a look at the slot.
        if header.state.join_retract() == Offer::Complete {
            return Offer::Complete;
        }
    }
    // From here on the slot is the join handle's: the bit is clear, and only this handle sets it.
    // SAFETY: the slot's owner looks at it.
    let same = header.join_waker.with(|slot| unsafe { (*slot).as_ref() }.is_some_and(|old| old.will_wake(waker)));
    if !same {
        let fresh = waker.clone();
        // SAFETY: the slot's owner replaces its content.
        let old = header.join_waker.with_mut(|slot| unsafe { (*slot).replace(fresh) });
        drop(old);
    }
    let offer = header.state.join_offer();
    if offer == Offer::Complete {
        empty(header);
    }
    offer
}

/// Empties the slot; the join handle owns it.
fn empty(header: &Header) {
    // SAFETY: the caller owns the slot.
    let waker = header.join_waker.with_mut(|slot| unsafe { (*slot).take() });
    contain(|| drop(waker));
}

impl<T> Future for JoinHandle<T> {
    type Output = Result<T, JoinError>;

    /// # Panics
    ///
    /// If polled again after it was ready.
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let budget = ready!(hooks::poll_budget(cx));
        let output = ready!(self.poll_output(cx.waker()));
        budget.made_progress();
        Poll::Ready(output)
    }
}

impl<T> Drop for JoinHandle<T> {
    fn drop(&mut self) {
        let Some(task) = self.task else { return };
        // SAFETY: the handle's reference keeps it alive until it is given up below.
        let header = unsafe { task.as_ref() };
        let vtable = header.vtable;
        match header.state.join_drop() {
            JoinDrop::Nothing => {}
            JoinDrop::DropWaker => {
                empty(header);
                // SAFETY: the handle's reference ends here.
                unsafe { drop_references(task, 1) }
            }
            JoinDrop::DropOutput => {
                // SAFETY: complete and not taken: the output is the handle's.
                unsafe { (vtable.drop_output)(task) };
                // SAFETY: the handle's reference ends here.
                unsafe { drop_references(task, 1) }
            }
            JoinDrop::Free => {
                // SAFETY: that was the last reference.
                unsafe { (vtable.free)(task) }
            }
        }
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").field("id", &self.id).finish_non_exhaustive()
    }
}
