//! A four-way min-heap that knows where each of its entries lies.
//!
//! An entry is addressed by its slot, the index of its item in the queue's slab: `places` maps a slot to the entry's
//! index in `entries`, so that an entry in the middle can be moved or removed without a search. Four children a node
//! halve the depth against a binary heap, and the children of a node share one or two cache lines.

use crate::Instant;

const CHILDREN: usize = 4;

/// What the heap orders by: the deadline, then the age of the item, so that equal deadlines expire first in, first out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    pub(super) deadline: Instant,
    pub(super) id: u64,
    pub(super) slot: usize,
}

#[derive(Debug, Default)]
pub(super) struct Heap {
    entries: Vec<Entry>,
    /// `places[slot]` is the index in `entries`; meaningless for a slot that holds no entry.
    places: Vec<usize>,
}

impl Heap {
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Self { entries: Vec::with_capacity(capacity), places: Vec::with_capacity(capacity) }
    }

    pub(super) fn reserve(&mut self, additional: usize) {
        self.entries.reserve(additional);
        let slots = self.entries.len() + additional;
        self.places.reserve(slots.saturating_sub(self.places.len()));
    }

    pub(super) fn first(&self) -> Option<Entry> {
        self.entries.first().copied()
    }

    /// The deadline of the entry at `slot`, which must hold one.
    pub(super) fn deadline(&self, slot: usize) -> Instant {
        self.entries[self.places[slot]].deadline
    }

    pub(super) fn push(&mut self, entry: Entry) {
        if self.places.len() <= entry.slot {
            self.places.resize(entry.slot + 1, usize::MAX);
        }
        self.entries.push(entry);
        self.sift_up(self.entries.len() - 1);
    }

    /// Takes out the entry at `slot`, which must hold one.
    pub(super) fn remove(&mut self, slot: usize) -> Entry {
        let at = self.places[slot];
        let removed = self.entries.swap_remove(at);
        debug_assert_eq!(removed.slot, slot);
        if at < self.entries.len() {
            self.settle(at);
        }
        removed
    }

    /// Gives the entry at `slot`, which must hold one, another deadline.
    pub(super) fn update(&mut self, slot: usize, deadline: Instant) {
        let at = self.places[slot];
        debug_assert_eq!(self.entries[at].slot, slot);
        self.entries[at].deadline = deadline;
        self.settle(at);
    }

    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.places.clear();
    }

    /// Restores the order around `at`, whose entry may have become too small or too great for its place.
    fn settle(&mut self, at: usize) {
        if at > 0 && self.entries[at] < self.entries[parent(at)] {
            self.sift_up(at);
        } else {
            self.sift_down(at);
        }
    }

    fn sift_up(&mut self, mut at: usize) {
        let entry = self.entries[at];
        while at > 0 {
            let above = self.entries[parent(at)];
            if above <= entry {
                break;
            }
            self.put(at, above);
            at = parent(at);
        }
        self.put(at, entry);
    }

    fn sift_down(&mut self, mut at: usize) {
        let entry = self.entries[at];
        loop {
            let first = at * CHILDREN + 1;
            let end = (first + CHILDREN).min(self.entries.len());
            let Some(least) = (first..end).min_by_key(|&child| self.entries[child]) else { break };
            if entry <= self.entries[least] {
                break;
            }
            self.put(at, self.entries[least]);
            at = least;
        }
        self.put(at, entry);
    }

    fn put(&mut self, at: usize, entry: Entry) {
        self.entries[at] = entry;
        self.places[entry.slot] = at;
    }
}

fn parent(at: usize) -> usize {
    (at - 1) / CHILDREN
}
