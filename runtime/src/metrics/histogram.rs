//! Histograms of durations with buckets that double.

use std::time::Duration;

use super::counters::Owned;

/// The first bucket ends at 2^10 ns, about a microsecond; the last one before the open one at 2^34 ns, about 17 s.
const FIRST: u32 = 10;
const LAST: u32 = 34;
const BUCKETS: usize = (LAST - FIRST + 2) as usize;

/// A histogram that one thread writes and any reads.
#[derive(Debug)]
pub(crate) struct Recorder {
    counts: [Owned; BUCKETS],
    sum: Owned,
}

impl Recorder {
    pub(crate) fn new() -> Self {
        Self { counts: core::array::from_fn(|_| Owned::default()), sum: Owned::default() }
    }

    /// Counts one duration. Owner only.
    pub(crate) fn record(&self, took: Duration) {
        let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.counts[index(nanos)].add(1);
        self.sum.add(nanos);
    }
}

/// The bucket whose upper bound is the first at or above `nanos`.
fn index(nanos: u64) -> usize {
    let bits = u64::BITS - nanos.saturating_sub(1).leading_zeros();
    (bits.clamp(FIRST, LAST + 1) - FIRST) as usize
}
