//! One timer's node: its state, its waker, its links. It lies inside its owner's future, where the owner pinned it.
//!
//! # Fields
//!
//! | field | who |
//! | --- | --- |
//! | `cell` | see its own table |
//! | `waker` | stored by the owner (one at a time: it holds `Pin<&mut Entry>`), taken by the driver under the lock |
//! | `links`, `place` | whoever holds the lock of the shard in which the entry is linked; nobody while it is not linked |
//! | `owner` | the owner; the wheel never looks |
//! | `memory` | a model's stand-in for all of it |
//!
//! Last touches: the driver's is `StateCell::release`. The owner's is `Shard::release`, after which the memory may go.
//!
//! # Invariants
//!
//! 1. A linked entry is pinned and alive: its owner calls `Shard::release` before it lets go of the memory, and that
//!    unlinks. Established by `Shard::insert`, which takes `Pin<&mut Entry>`; `Sleep`'s drop keeps it.
//! 2. Links are read and written only under the lock of the shard in which the entry is linked.
//! 3. The owner's methods take `Pin<&mut Entry>`: there is one owner at a time. `&Entry` gives the state alone.

use core::marker::PhantomPinned;
use core::pin::Pin;
use core::ptr::NonNull;
use core::task::Waker;

use super::cell::{State, StateCell};
use super::list::Links;
use crate::hooks::Memory;
use crate::sync::{AtomicU32, AtomicWaker, Ordering, UnsafeCell};

/// The place of an entry that is in the pending list.
pub(crate) const IN_PENDING: u16 = u16::MAX;

/// One timer.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(super) cell: StateCell,
    pub(super) waker: AtomicWaker,
    pub(super) links: UnsafeCell<Links>,
    /// Which list it is in: level * 128 + position, or `IN_PENDING`.
    pub(super) place: UnsafeCell<u16>,
    owner: AtomicU32,
    pub(super) memory: Memory,
    _pinned: PhantomPinned,
}

// SAFETY: the links point to other entries of the same shard, and are used only under its lock (invariant 2).
unsafe impl Send for Entry {}
// SAFETY: `&Entry` gives access to atomics alone (invariant 3); the links are used only under the lock (invariant 2).
unsafe impl Sync for Entry {}

impl Entry {
    /// An idle entry. `owner` is its owner's to use.
    #[inline]
    pub(crate) fn new(owner: u32) -> Entry {
        Entry {
            cell: StateCell::new(),
            waker: AtomicWaker::new(),
            links: UnsafeCell::new(Links::default()),
            place: UnsafeCell::new(0),
            owner: AtomicU32::new(owner),
            memory: Memory::new(),
            _pinned: PhantomPinned,
        }
    }

    #[inline]
    pub(crate) fn state(&self) -> State {
        self.cell.state()
    }

    #[inline]
    pub(crate) fn owner(&self) -> u32 {
        // Relaxed: the owner alone uses it.
        self.owner.load(Ordering::Relaxed)
    }

    #[inline]
    pub(crate) fn set_owner(&self, owner: u32) {
        self.owner.store(owner, Ordering::Relaxed);
    }

    /// Stores the waker, then reads the state: in this order, a firing that the state does not show yet finds the waker.
    #[inline]
    pub(crate) fn poll(self: Pin<&mut Self>, waker: &Waker) -> State {
        self.waker.register(waker);
        self.cell.state()
    }

    /// The owner found the deadline reached when it was to file the entry.
    #[inline]
    pub(crate) fn elapse_idle(self: Pin<&mut Self>) {
        self.cell.elapse_idle();
    }

    /// The owner resets an entry that was never filed.
    #[inline]
    pub(crate) fn rest_unfiled(self: Pin<&mut Self>) {
        self.cell.rest();
    }

    /// The waker of the last poll, of an entry that is not linked.
    pub(crate) fn take_waker(self: Pin<&mut Self>) -> Option<Waker> {
        self.waker.take()
    }

    /// Puts a fresh waker slot in place of one that a panicking clone left half registered. The entry is not linked.
    pub(crate) fn renew_waker(self: Pin<&mut Self>) {
        debug_assert!(self.state().is_released());
        // SAFETY: the waker slot is not structurally pinned, nothing else is moved.
        let entry = unsafe { self.get_unchecked_mut() };
        entry.waker = AtomicWaker::new();
    }

    /// The pointer under which the wheel links it.
    #[inline]
    pub(super) fn pointer(self: Pin<&mut Self>) -> NonNull<Entry> {
        // SAFETY: the pointer is used to link the entry where it lies; it is not moved out of.
        NonNull::from(unsafe { self.get_unchecked_mut() })
    }
}
