//! A task's `Waker`: a counted reference to its header.

use core::mem::ManuallyDrop;
use core::ptr::NonNull;
use core::task::{RawWaker, RawWakerVTable, Waker};

use super::duty::Wake;
use super::harness::drop_references;
use super::header::Header;
use crate::hooks::{self, WakerOp};

/// One for all tasks, at one address: `will_wake` compares it.
static VTABLE: RawWakerVTable = RawWakerVTable::new(clone, wake, wake_by_ref, drop_waker);

/// A waker that borrows the caller's reference.
pub(super) fn borrowed(header: NonNull<Header>) -> ManuallyDrop<Waker> {
    let raw = RawWaker::new(header.as_ptr().cast::<()>().cast_const(), &VTABLE);
    // SAFETY: the functions below keep `RawWakerVTable`'s contract; not counted, and so never dropped.
    ManuallyDrop::new(unsafe { Waker::from_raw(raw) })
}

/// # Safety
///
/// `data` is of a waker that lives.
unsafe fn header(data: *const ()) -> NonNull<Header> {
    // SAFETY: `borrowed` and `clone` put a header's pointer there.
    unsafe { NonNull::new_unchecked(data.cast_mut().cast()) }
}

unsafe fn clone(data: *const ()) -> RawWaker {
    // SAFETY: called through a living waker.
    let header = unsafe { header(data) };
    // SAFETY: the waker's reference keeps the header alive.
    let task = unsafe { header.as_ref() };
    task.state.add_reference();
    hooks::waker_event(WakerOp::Clone, || task.span_id());
    RawWaker::new(data, &VTABLE)
}

unsafe fn wake(data: *const ()) {
    // SAFETY: called through a living waker.
    let header = unsafe { header(data) };
    // SAFETY: the waker's reference keeps the header alive.
    let task = unsafe { header.as_ref() };
    let vtable = task.vtable;
    hooks::waker_event(WakerOp::Wake, || task.span_id());
    match task.state.wake_by_value() {
        Wake::Nothing => {}
        Wake::Submit => {
            // SAFETY: the waker's reference became the notified one.
            unsafe { (vtable.schedule)(header) }
        }
        Wake::Free => {
            // SAFETY: the waker's reference was the last.
            unsafe { (vtable.free)(header) }
        }
    }
}

unsafe fn wake_by_ref(data: *const ()) {
    // SAFETY: called through a living waker.
    let header = unsafe { header(data) };
    // SAFETY: the waker's reference keeps the header alive.
    let task = unsafe { header.as_ref() };
    hooks::waker_event(WakerOp::WakeByRef, || task.span_id());
    // SAFETY: alive.
    unsafe { submit(header, task.state.wake_by_ref()) }
}

unsafe fn drop_waker(data: *const ()) {
    // SAFETY: called through a living waker.
    let header = unsafe { header(data) };
    // SAFETY: the waker's reference keeps the header alive.
    let task = unsafe { header.as_ref() };
    hooks::waker_event(WakerOp::Drop, || task.span_id());
    // SAFETY: the waker's reference, which ends here.
    unsafe { drop_references(header, 1) }
}

/// Carries out what a wake (or an abort) that keeps its reference is told to do.
///
/// # Safety
///
/// The caller has a reference, and `duty` is fresh from the state word.
pub(super) unsafe fn submit(header: NonNull<Header>, duty: Wake) {
    match duty {
        // `Free` is for those that give their reference up.
        Wake::Nothing | Wake::Free => {}
        Wake::Submit => {
            // SAFETY: alive.
            let task = unsafe { header.as_ref() };
            // SAFETY: the edge made a notified reference.
            unsafe { (task.vtable.schedule)(header) }
        }
    }
}
