//! What the reactor counts.

use crate::sync::{AtomicU64, Ordering};

/// A snapshot of an [`Io`](crate::Io)'s counters, each since the reactor was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct IoMetrics {
    /// Turns of the reactor: system calls that asked for events.
    pub turns: u64,
    /// Events that sources were given.
    pub ready_events: u64,
    /// Notifications written; those that another one already covered are not counted.
    pub notifies: u64,
    /// Timers set or disarmed in the kernel for a wait.
    pub timer_updates: u64,
    /// Sources registered so far.
    pub registered: u64,
    /// Sources deregistered so far.
    pub deregistered: u64,
    /// Sources registered now.
    pub sources: u64,
    /// Accepts that failed for want of a descriptor or of memory, and whose listener is retried.
    pub starved_accepts: u64,
}

/// A counter that anybody may raise. All counters are statistics: no other memory hangs on them, so `Relaxed` does.
#[derive(Debug)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    pub(crate) fn add(&self, n: u64) {
        self.0.fetch_add(n, Ordering::Relaxed);
    }

    /// For a counter with one writer at a time: no read-modify-write.
    pub(crate) fn add_alone(&self, n: u64) {
        self.0.store(self.0.load(Ordering::Relaxed).wrapping_add(n), Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

#[derive(Debug)]
pub(crate) struct Counters {
    /// Written by the seat's holder alone.
    pub(crate) turns: Counter,
    /// Written by the seat's holder alone.
    pub(crate) ready_events: Counter,
    /// Written by the seat's holder alone.
    pub(crate) timer_updates: Counter,
    pub(crate) registered: Counter,
    pub(crate) deregistered: Counter,
    pub(crate) starved_accepts: Counter,
}

impl Counters {
    pub(crate) fn new() -> Self {
        Self {
            turns: Counter::new(),
            ready_events: Counter::new(),
            timer_updates: Counter::new(),
            registered: Counter::new(),
            deregistered: Counter::new(),
            starved_accepts: Counter::new(),
        }
    }
}
