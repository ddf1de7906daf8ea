//! When tasks were spawned, told by their ids.

use std::time::Duration;

/// So many entries are kept; when they are too many, every other one of the older half goes: old ages get coarser.
const MOST: usize = 1024;

/// The eras of task ids: `hooks::begin_id_era` says what an era is.
#[derive(Debug, Default)]
pub(super) struct Ages {
    /// When each era began, and the first id that belongs to it or a later one. Both rise.
    eras: Vec<(u64, Duration)>,
}

impl Ages {
    /// How long ago the last era began, at `now`; `None` before the first.
    pub(super) fn last(&self, now: Duration) -> Option<Duration> {
        self.eras.last().map(|(_, began)| now.saturating_sub(*began))
    }

    /// An era began.
    pub(super) fn push(&mut self, first: u64, began: Duration) {
        if self.eras.len() == MOST {
            let mut position = 0;
            self.eras.retain(|_| {
                position += 1;
                position > MOST / 2 || position % 2 == 1
            });
        }
        self.eras.push((first, began));
    }

    /// For at least how long the task `id` has existed at `now`: since the era after its own began.
    pub(super) fn age(&self, id: u64, now: Duration) -> Duration {
        let after = self.eras.partition_point(|(first, _)| *first <= id);
        self.eras.get(after).map_or(Duration::ZERO, |(_, began)| now.saturating_sub(*began))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn age_is_counted_from_the_era_after_the_tasks_own() {
        let mut ages = Ages::default();
        for (first, began) in [(100, 1), (200, 5), (300, 9)] {
            ages.push(first, Duration::from_secs(began));
        }
        let age = |id| ages.age(id, Duration::from_secs(10)).as_secs();
        assert_eq!([50, 100, 199, 200, 299, 300, 999].map(age), [9, 5, 5, 1, 1, 0, 0]);
    }

    #[test]
    fn old_eras_are_thinned_out_and_ages_stay_lower_bounds() {
        let mut ages = Ages::default();
        let eras = 10 * MOST as u64;
        for era in 0..eras {
            ages.push(era * 10, Duration::from_secs(era));
        }
        assert!(ages.eras.len() <= MOST);
        let now = Duration::from_secs(eras);
        for era in 0..eras {
            let (true_age, age) = (eras - era, ages.age(era * 10 + 5, now).as_secs());
            assert!(age <= true_age, "era {era}: {age} of {true_age}");
            assert!(age >= true_age / 4, "era {era}: {age} of {true_age}");
        }
    }
}
