//! An intrusive, doubly linked list of entries, first in, first out. Its head lives in the shard.
//!
//! # Invariants
//!
//! 1. A list is reached only through `&mut`, which comes from the lock of its shard (entry invariant 2).
//! 2. Every entry in it is alive (entry invariant 1).
//! 3. An entry is in at most one list.

use core::ptr::NonNull;

use super::entry::Entry;

type Link = Option<NonNull<Entry>>;

/// The links of one entry.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Links {
    prev: Link,
    next: Link,
}

/// A list of entries.
#[derive(Debug, Default)]
pub(crate) struct List {
    head: Link,
    tail: Link,
}

// SAFETY: the entries are shared between threads under the lock of the shard (invariant 1), and `Entry` is `Sync`.
unsafe impl Send for List {}

impl List {
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.head.is_none()
    }

    #[inline]
    pub(crate) fn front(&self) -> Link {
        self.head
    }

    /// The entry after `entry`, which is in this list.
    #[inline]
    pub(crate) fn after(&self, entry: NonNull<Entry>) -> Link {
        links(entry).next
    }

    /// Adds an entry that is in no list and stays alive until it is removed.
    #[inline]
    pub(crate) fn push_back(&mut self, entry: NonNull<Entry>) {
        write(entry, |links| *links = Links { prev: self.tail, next: None });
        // SAFETY: `next_of` points into the list or its tail's links, which are this party's (invariant 1).
        unsafe { *self.next_of(self.tail) = Some(entry) };
        self.tail = Some(entry);
    }

    #[inline]
    pub(crate) fn pop_front(&mut self) -> Link {
        let entry = self.head?;
        self.remove(entry);
        Some(entry)
    }

    /// Takes out an entry that is in this list.
    #[inline]
    pub(crate) fn remove(&mut self, entry: NonNull<Entry>) {
        let Links { prev, next } = links(entry);
        // SAFETY: `next_of` points into the list or a neighbour's links, which are this party's (invariant 1).
        unsafe { *self.next_of(prev) = next };
        // SAFETY: the same holds for `prev_of`.
        unsafe { *self.prev_of(next) = prev };
    }

    /// Where the link to what follows `entry` is kept, or to the first entry for `None`. In a wheel with some hundred timers
    /// whether an entry has neighbours is a matter of chance, and a choice of addresses cannot be mispredicted as a branch
    /// can.
    #[inline]
    fn next_of(&mut self, entry: Link) -> *mut Link {
        match entry {
            // SAFETY: `at` hands out the links of an entry that is alive.
            Some(entry) => at(entry, |links| unsafe { &raw mut (*links).next }),
            None => &raw mut self.head,
        }
    }

    /// Where the link to what comes before `entry` is kept, or to the last entry for `None`.
    #[inline]
    fn prev_of(&mut self, entry: Link) -> *mut Link {
        match entry {
            // SAFETY: `at` hands out the links of an entry that is alive.
            Some(entry) => at(entry, |links| unsafe { &raw mut (*links).prev }),
            None => &raw mut self.tail,
        }
    }
}

#[inline]
fn links(entry: NonNull<Entry>) -> Links {
    // SAFETY: the entry is in a list of this shard, so it is alive (invariant 2).
    let entry = unsafe { entry.as_ref() };
    // SAFETY: the links are this party's while it holds the lock (invariant 1).
    entry.links.with(|links| unsafe { *links })
}

#[inline]
fn write(entry: NonNull<Entry>, change: impl FnOnce(&mut Links)) {
    // SAFETY: the links are this party's while it holds the lock (invariant 1), and no other borrow of them lives.
    at(entry, |links| change(unsafe { &mut *links }));
}

#[inline]
fn at<R>(entry: NonNull<Entry>, look: impl FnOnce(*mut Links) -> R) -> R {
    // SAFETY: the entry is in a list of this shard, or about to be, so it is alive (invariant 2).
    let entry = unsafe { entry.as_ref() };
    entry.links.with_mut(look)
}
