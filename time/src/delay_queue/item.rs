//! What goes into a delay queue, what names it there, and what comes out.

use std::time::Duration;

use crate::Instant;

/// Names one item of a [`DelayQueue`](super::DelayQueue).
///
/// A key is never used twice in the life of a queue: once its item has expired, was removed or cleared, it names
/// nothing. A key given to another queue than the one it came from names nothing useful.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// Distinguishes the items that occupy a slot one after the other. 64 bits are never used up.
    pub(super) id: u64,
    pub(super) slot: usize,
}

/// An item that left a [`DelayQueue`](super::DelayQueue), because its time had come or because it was removed.
#[derive(Debug)]
pub struct Expired<T> {
    pub(super) value: T,
    pub(super) deadline: Instant,
    pub(super) key: Key,
}

impl<T> Expired<T> {
    /// The item.
    pub fn get_ref(&self) -> &T {
        &self.value
    }

    /// The item.
    pub fn get_mut(&mut self) -> &mut T {
        &mut self.value
    }

    /// The item.
    pub fn into_inner(self) -> T {
        self.value
    }

    /// When it was due.
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// The key it had. Of a periodic item that expired, it stays valid.
    pub fn key(&self) -> Key {
        self.key
    }
}

#[derive(Debug)]
pub(super) struct Item<T> {
    pub(super) id: u64,
    pub(super) value: T,
    /// Boxed, since most items are not periodic.
    pub(super) every: Option<Box<Every<T>>>,
}

/// How a periodic item repeats. The function keeps `T: Clone` out of the queue's own bounds.
#[derive(Debug)]
pub(super) struct Every<T> {
    pub(super) period: Duration,
    pub(super) clone: fn(&T) -> T,
}
