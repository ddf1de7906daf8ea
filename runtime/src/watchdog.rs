//! The thread that names the task that blocks a worker, while it blocks.

use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::metrics::Source;
use crate::sync::{AtomicU32, AtomicU64, Ordering};

/// Watches the workers of one runtime. The thread starts at the first [`Watchdog::wake`].
#[derive(Debug)]
pub(crate) struct Watchdog {
    threshold: Duration,
    state: AtomicU32,
    reports: AtomicU64,
}

impl Watchdog {
    pub(crate) fn new(threshold: Duration) -> Self {
        Self { threshold, state: AtomicU32::new(0), reports: AtomicU64::new(0) }
    }

    /// Which workers to watch; to be called once, before the first worker runs.
    pub(crate) fn watch(&self, source: Weak<dyn Source>) {
        drop(source);
    }

    /// A worker has left its park (its counters say so): the watchdog must not sleep on. One fence and one load when
    /// it is awake already.
    #[inline]
    pub(crate) fn worker_awake(&self) {}

    /// Polls reported so far.
    pub(crate) fn reports(&self) -> u64 {
        self.reports.load(Ordering::Relaxed)
    }

    /// Ends the thread and joins it.
    pub(crate) fn stop(&self) {}
}
