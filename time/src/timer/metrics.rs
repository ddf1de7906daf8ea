//! What the timers count: kept in each shard under its lock, added up in a snapshot.

use core::time::Duration;

/// How late timers fired: counts by powers of two of nanoseconds.
///
/// # Examples
///
/// ```
/// use wheelhouse_time::Timers;
///
/// let (timers, _driver) = Timers::builder().build().unwrap();
/// let lateness = timers.metrics().lateness;
/// assert_eq!(lateness.count(), 0);
/// assert_eq!(lateness.buckets().count(), 64);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lateness {
    buckets: [u64; 64],
    /// In nanoseconds; stays at the top.
    sum: u64,
}

impl Lateness {
    pub(crate) fn new() -> Lateness {
        Lateness { buckets: [0; 64], sum: 0 }
    }

    /// How many timers were counted.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }

    /// How late all timers together were.
    #[must_use]
    pub fn sum(&self) -> Duration {
        Duration::from_nanos(self.sum)
    }

    /// Each bucket's upper bound, which is not part of it, and its count, from the least lateness up.
    pub fn buckets(&self) -> impl Iterator<Item = (Duration, u64)> + '_ {
        self.buckets.iter().enumerate().map(|(bucket, count)| (bound(bucket), *count))
    }

    /// An upper bound of the lateness of the given share of all timers, `0.99` for the 99th percentile; zero if none was
    /// counted.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Duration {
        let wanted = (self.count() as f64 * share.clamp(0.0, 1.0)).ceil() as u64;
        let mut seen = 0;
        for (bound, count) in self.buckets() {
            seen += count;
            if count > 0 && seen >= wanted {
                return bound;
            }
        }
        Duration::ZERO
    }

    /// Counts one timer.
    #[inline]
    pub(crate) fn record(&mut self, nanos: u64) {
        self.buckets[(64 - nanos.leading_zeros() as usize).min(63)] += 1;
        self.sum = self.sum.saturating_add(nanos);
    }

    fn add(&mut self, other: &Lateness) {
        for (mine, theirs) in self.buckets.iter_mut().zip(&other.buckets) {
            *mine += theirs;
        }
        self.sum = self.sum.saturating_add(other.sum);
    }
}

/// Bucket 0 holds what was not late at all, bucket k what was late by less than 2^k ns.
fn bound(bucket: usize) -> Duration {
    Duration::from_nanos(1 << bucket)
}

/// A snapshot of what a runtime's timers have done since it was built; see [`Timers::metrics`](crate::Timers::metrics).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TimerMetrics {
    /// Timers filed in the wheel: at a first poll, or anew after they had fired.
    pub armed: u64,
    /// Timers whose deadline came.
    pub fired: u64,
    /// Timers dropped or reset while they were armed.
    pub cancelled: u64,
    /// Resets to a later deadline, which took no lock.
    pub extended: u64,
    /// Moves of a timer from one level of the wheel to a lower one.
    pub cascaded: u64,
    /// How late the fired ones were when the driver found them.
    pub lateness: Lateness,
}

/// The counts of one shard, under its lock.
#[derive(Debug)]
pub(crate) struct Counters {
    pub(crate) armed: u64,
    pub(crate) fired: u64,
    pub(crate) cancelled: u64,
    pub(crate) cascaded: u64,
    pub(crate) lateness: Lateness,
}

impl Counters {
    pub(crate) fn new() -> Counters {
        Counters { armed: 0, fired: 0, cancelled: 0, cascaded: 0, lateness: Lateness::new() }
    }
}

impl TimerMetrics {
    pub(crate) fn new() -> TimerMetrics {
        TimerMetrics { armed: 0, fired: 0, cancelled: 0, extended: 0, cascaded: 0, lateness: Lateness::new() }
    }

    pub(crate) fn add(&mut self, counters: &Counters, extended: u64) {
        self.armed += counters.armed;
        self.fired += counters.fired;
        self.cancelled += counters.cancelled;
        self.extended += extended;
        self.cascaded += counters.cascaded;
        self.lateness.add(&counters.lateness);
    }
}
