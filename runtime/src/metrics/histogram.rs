//! Histograms of durations with buckets that double.

use std::time::Duration;

use wheelhouse_time::Lateness;

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

/// How often durations fell into each of a number of ranges.
///
/// The counts are read one after the other while the runtime goes on: [`Histogram::count`] is their sum, but
/// [`Histogram::sum`] may be one duration ahead or behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    pub(super) buckets: Vec<Bucket>,
    pub(super) sum: Duration,
}

/// One range of a [`Histogram`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bucket {
    /// The longest duration that falls into it; `None` in the last one, which is open. A duration falls into the first
    /// bucket that can take it.
    pub upper: Option<Duration>,
    /// How many durations fell into it, and into no earlier one.
    pub count: u64,
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

    /// What has been recorded. Any thread.
    pub(crate) fn snapshot(&self) -> Histogram {
        let bucket = |(exponent, count): (u32, &Owned)| Bucket {
            upper: (exponent <= LAST).then(|| Duration::from_nanos(1 << exponent)),
            count: count.get(),
        };
        Histogram {
            buckets: (FIRST..).zip(&self.counts).map(bucket).collect(),
            sum: Duration::from_nanos(self.sum.get()),
        }
    }
}

impl Histogram {
    /// The ranges, in rising order; the last one is open.
    pub fn buckets(&self) -> &[Bucket] {
        &self.buckets
    }

    /// How many durations were recorded.
    pub fn count(&self) -> u64 {
        self.buckets.iter().map(|bucket| bucket.count).sum()
    }

    /// The sum of all durations recorded.
    pub fn sum(&self) -> Duration {
        self.sum
    }

    /// The mean of all durations recorded; `None` if there is none.
    pub fn mean(&self) -> Option<Duration> {
        let nanos = self.sum.as_nanos().checked_div(u128::from(self.count()))?;
        Some(Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX)))
    }

    /// The upper bound of the bucket in which the given share of the durations, from 0 to 1, ends: at most twice the
    /// true value. `None` if nothing was recorded or it ends in the open bucket.
    pub fn quantile(&self, share: f64) -> Option<Duration> {
        let rank = ((self.count() as f64 * share.clamp(0.0, 1.0)).ceil() as u64).max(1);
        let mut seen = 0;
        self.buckets
            .iter()
            .find(|bucket| {
                seen += bucket.count;
                seen >= rank
            })?
            .upper
    }
}

/// The same buckets as everywhere: what was less late than the first ends goes to the first, what was later than the
/// last ends to the open one.
impl From<&Lateness> for Histogram {
    fn from(lateness: &Lateness) -> Self {
        let mut histogram = Recorder::new().snapshot();
        for (bound, count) in lateness.buckets() {
            let takes = |bucket: &&mut Bucket| bucket.upper.is_none_or(|upper| bound <= upper);
            if let Some(bucket) = histogram.buckets.iter_mut().find(takes) {
                bucket.count += count;
            }
        }
        histogram.sum = lateness.sum();
        histogram
    }
}

/// The bucket whose upper bound is the first at or above `nanos`.
fn index(nanos: u64) -> usize {
    let bits = u64::BITS - nanos.saturating_sub(1).leading_zeros();
    (bits.clamp(FIRST, LAST + 1) - FIRST) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duration_falls_into_the_first_bucket_that_takes_it() {
        let recorder = Recorder::new();
        for nanos in [0, 1, 1024, 1025, 2048, 2049, 1 << 34, (1 << 34) + 1, u64::MAX / 2] {
            recorder.record(Duration::from_nanos(nanos));
        }
        let histogram = recorder.snapshot();
        let filled: Vec<_> = histogram.buckets().iter().filter(|bucket| bucket.count > 0).copied().collect();
        let upper = |nanos| Some(Duration::from_nanos(nanos));
        let expected = [(upper(1024), 3), (upper(2048), 2), (upper(4096), 1), (upper(1 << 34), 1), (None, 2)];
        assert_eq!(filled, expected.map(|(upper, count)| Bucket { upper, count }));
        assert_eq!(histogram.count(), 9);
        assert!(histogram.buckets().last().unwrap().upper.is_none());
    }

    #[test]
    fn quantile_is_the_bound_of_the_bucket_it_ends_in() {
        let recorder = Recorder::new();
        assert_eq!(recorder.snapshot().quantile(0.5), None);
        assert_eq!(recorder.snapshot().mean(), None);
        (0..90).for_each(|_| recorder.record(Duration::from_nanos(1_000)));
        (0..10).for_each(|_| recorder.record(Duration::from_nanos(1_000_000)));
        let histogram = recorder.snapshot();
        assert_eq!(histogram.quantile(0.0), Some(Duration::from_nanos(1024)));
        assert_eq!(histogram.quantile(0.9), Some(Duration::from_nanos(1024)));
        assert_eq!(histogram.quantile(0.91), Some(Duration::from_nanos(1 << 20)));
        assert_eq!(histogram.quantile(1.0), Some(Duration::from_nanos(1 << 20)));
        assert_eq!(histogram.mean(), Some(Duration::from_nanos(100_900)));
    }
}
