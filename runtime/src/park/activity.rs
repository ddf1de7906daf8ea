//! The threads inside `block_on` that are awake: the test clock stands still while there is one.
//!
//! # Word
//!
//! `awake`: how many such threads are not parked. A thread is counted again by whoever wakes it, *before* it is woken:
//! from the moment a wake-up is visible, the caller it wakes counts as awake.
//!
//! # Models
//!
//! `park::advance`.

use crate::sync::{AtomicU64, AtomicUsize, Ordering};

/// Counts the `block_on` callers that are awake, and every change of anybody between parked and awake.
#[derive(Debug)]
pub(crate) struct Activity {
    awake: AtomicUsize,
    changes: AtomicU64,
}

impl Activity {
    pub(crate) fn new() -> Self {
        Self { awake: AtomicUsize::new(0), changes: AtomicU64::new(0) }
    }

    /// A caller is awake from now on.
    pub(crate) fn begin(&self) {
        self.awake.fetch_add(1, Ordering::SeqCst);
        self.change();
    }

    /// A caller is parked, or gone, from now on.
    pub(crate) fn end(&self) {
        self.change();
        self.awake.fetch_sub(1, Ordering::SeqCst);
    }

    /// Somebody went from parked to awake or back.
    pub(crate) fn change(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.awake.load(Ordering::SeqCst) == 0
    }

    /// The count of changes: two equal readings around a look at several words mean that the look was consistent.
    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::SeqCst)
    }
}
