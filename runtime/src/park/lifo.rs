//! A worker's slot for the task it woke last, within reach of thieves.
//!
//! # Word
//!
//! `slot`: null, or a task that is to run next. The pointer is opaque here; whoever takes it out owns it.
//!
//! # Edges
//!
//! | from | to | who | method | pair |
//! | --- | --- | --- | --- | --- |
//! | null | task | owner | `put` (a store: nobody else fills the slot) | LIFO.publish |
//! | task | other task | owner | `put` | LIFO.publish |
//! | task | null | owner, or a thief | `take` | LIFO.observe |
//!
//! # Models
//!
//! `park::lifo`: the owner puts and takes while a thief takes; each task comes out exactly once.

use core::ptr::{self, NonNull};

use crate::sync::{AtomicPtr, Ordering};

/// A slot for one pointer: one owner fills it, anybody empties it.
#[derive(Debug)]
pub(crate) struct LifoSlot<T> {
    slot: AtomicPtr<T>,
}

impl<T> LifoSlot<T> {
    pub(crate) fn new() -> Self {
        Self { slot: AtomicPtr::new(ptr::null_mut()) }
    }

    /// Puts `task` into the slot and returns the one it displaces. Owner only.
    pub(crate) fn put(&self, task: NonNull<T>) -> Option<NonNull<T>> {
        // Relaxed: only this thread fills the slot, so null read here stays null.
        if self.slot.load(Ordering::Relaxed).is_null() {
            // LIFO.publish
            self.slot.store(task.as_ptr(), Ordering::Release);
            return None;
        }
        // LIFO.publish; Acquire because a thief may have emptied and this may return what the owner itself put: its own
        // writes need no ordering, but the edge is one edge.
        NonNull::new(self.slot.swap(task.as_ptr(), Ordering::AcqRel))
    }

    /// Takes the task out. Owner and thieves.
    pub(crate) fn take(&self) -> Option<NonNull<T>> {
        if self.is_empty() {
            return None;
        }
        // LIFO.observe
        NonNull::new(self.slot.swap(ptr::null_mut(), Ordering::AcqRel))
    }

    /// Whether the slot looked empty: a hint for everybody but the owner, and for the owner a "yes" is final.
    pub(crate) fn is_empty(&self) -> bool {
        // Relaxed: the pointer is not followed.
        self.slot.load(Ordering::Relaxed).is_null()
    }
}
