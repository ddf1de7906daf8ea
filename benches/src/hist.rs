//! A histogram that many threads record into without a lock and without allocating: 32 buckets a power of two, so a
//! quantile is right to 3%.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::sample::Sample;

const SUB_BITS: u32 = 5;
const SUBS: u64 = 1 << SUB_BITS;
const BUCKETS: usize = ((64 - SUB_BITS as usize) + 1) << SUB_BITS;

/// Counts of nanoseconds.
#[derive(Debug)]
pub(crate) struct Histogram {
    buckets: Box<[AtomicU64]>,
    max: AtomicU64,
    early: AtomicU64,
}

impl Default for Histogram {
    fn default() -> Self {
        let buckets = (0..BUCKETS).map(|_| AtomicU64::new(0)).collect();
        Self { buckets, max: AtomicU64::new(0), early: AtomicU64::new(0) }
    }
}

impl Histogram {
    /// Counts one value.
    pub(crate) fn record(&self, value: Duration) {
        let ns = u64::try_from(value.as_nanos()).unwrap_or(u64::MAX);
        // Relaxed: counters, read after the tasks that wrote them have been joined.
        self.buckets[index(ns)].fetch_add(1, Ordering::Relaxed);
        self.max.fetch_max(ns, Ordering::Relaxed);
    }

    /// Counts how late something came that was due `due` after its start and took `took`; too early is counted apart.
    pub(crate) fn record_lateness(&self, took: Duration, due: Duration) {
        match took.checked_sub(due) {
            Some(late) => self.record(late),
            None => {
                // Relaxed: as in `record`.
                self.early.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Counts how late it is after `due`; too early is counted apart.
    pub(crate) fn record_since(&self, due: Instant) {
        match Instant::now().checked_duration_since(due) {
            Some(late) => self.record(late),
            None => {
                // Relaxed: as in `record`.
                self.early.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// The value, in nanoseconds, that a share `q` of the counted ones does not exceed.
    pub(crate) fn quantile(&self, q: f64) -> f64 {
        let counts: Vec<u64> = self.buckets.iter().map(|bucket| bucket.load(Ordering::Relaxed)).collect();
        let total: u64 = counts.iter().sum();
        let rank = ((total as f64 * q).ceil() as u64).max(1);
        let mut seen = 0;
        for (i, count) in counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return upper_end(i).min(self.max.load(Ordering::Relaxed)) as f64;
            }
        }
        f64::NAN
    }

    /// p50, p99, p99.9 and the worst, in microseconds, and how many came early.
    pub(crate) fn summary(&self) -> Sample {
        Sample::of("p50", self.quantile(0.5) / 1e3)
            .with("p99", self.quantile(0.99) / 1e3)
            .with("p999", self.quantile(0.999) / 1e3)
            .with("worst", self.max.load(Ordering::Relaxed) as f64 / 1e3)
            .with("early", self.early.load(Ordering::Relaxed) as f64)
    }
}

fn index(ns: u64) -> usize {
    if ns < SUBS {
        return ns as usize;
    }
    let shift = 63 - ns.leading_zeros() - SUB_BITS;
    ((u64::from(shift) + 1) * SUBS + ((ns >> shift) - SUBS)) as usize
}

fn upper_end(index: usize) -> u64 {
    let index = index as u64;
    if index < SUBS {
        return index;
    }
    let shift = index / SUBS - 1;
    let base = (SUBS + index % SUBS) << shift;
    base + ((1 << shift) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_holds_its_own_upper_end_and_no_more() {
        for i in 0..BUCKETS - 1 {
            assert_eq!(index(upper_end(i)), i);
            assert_eq!(index(upper_end(i) + 1), i + 1);
        }
        assert_eq!(index(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn quantiles_are_within_a_bucket_of_the_truth() {
        let histogram = Histogram::default();
        for us in 1..=1000 {
            histogram.record(Duration::from_micros(us));
        }
        assert!((histogram.quantile(0.5) / 500e3 - 1.0).abs() < 0.04);
        assert!((histogram.quantile(0.99) / 990e3 - 1.0).abs() < 0.04);
        assert_eq!(histogram.quantile(1.0), 1e6);
    }

    #[test]
    fn what_comes_early_is_counted_apart() {
        let histogram = Histogram::default();
        histogram.record_lateness(Duration::from_micros(9), Duration::from_micros(10));
        histogram.record_lateness(Duration::from_micros(12), Duration::from_micros(10));
        let summary = histogram.summary();
        assert_eq!(summary.get("early"), Some(1.0));
        assert_eq!(summary.get("p50"), Some(2.0));
    }
}
