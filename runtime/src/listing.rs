//! Live tasks that no scheduler owns, for dumps: those of the blocking pool and of local sets.

use crate::sync::{Arc, Mutex};
use std::sync::Weak;

use crate::task_core::{Owned, Snapshot};

/// Lists of tasks beside the scheduler's own.
#[derive(Debug)]
pub(crate) struct Listing {
    /// Queued on the blocking pool, or run by it.
    pub(crate) pooled: Arc<Owned>,
    /// Those of the local sets that a thread of the runtime has polled.
    sets: Mutex<Vec<Weak<Owned>>>,
}

impl Listing {
    pub(crate) fn new() -> Self {
        Self { pooled: Arc::new(Owned::new(4)), sets: Mutex::new(Vec::new()) }
    }

    /// A local set is polled here for the first time. Sets that are gone are forgotten.
    pub(crate) fn add_set(&self, tasks: &Arc<Owned>) {
        let mut sets = self.sets.lock();
        sets.retain(|set| set.strong_count() > 0);
        sets.push(Arc::downgrade(tasks));
    }

    /// What all of them are doing.
    pub(crate) fn snapshot(&self) -> Vec<Snapshot> {
        // Dropped outside the lock: the last reference may be among them.
        let sets: Vec<Arc<Owned>> = self.sets.lock().iter().filter_map(Weak::upgrade).collect();
        std::iter::once(&self.pooled).chain(&sets).flat_map(|tasks| tasks.snapshot()).collect()
    }
}
