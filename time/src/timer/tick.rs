//! The unit of the wheel: nanoseconds since a runtime's epoch. All rounding and saturation of ticks is in this file.

use core::time::Duration;

/// The lowest value of a state cell that is a mark and no deadline.
pub(crate) const MARKS: u64 = u64::MAX - 7;

/// A point in time as the timers count it: nanoseconds since the epoch of one [`Timers`](crate::Timers).
///
/// Ticks of different `Timers` have nothing to do with each other. Arithmetic saturates at [`Tick::NEVER`].
///
/// # Examples
///
/// ```
/// use core::time::Duration;
/// use wheelhouse_time::Tick;
///
/// let tick = Tick::from_nanos(1_000).saturating_add(Duration::from_micros(1));
/// assert_eq!(tick.as_nanos(), 2_000);
/// assert_eq!(tick.saturating_add(Duration::MAX), Tick::NEVER);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tick(u64);

impl Tick {
    /// The far future: 584 years after the epoch, a deadline that no clock ever reaches.
    pub const NEVER: Tick = Tick(MARKS - 1);

    /// The tick `nanos` nanoseconds after the epoch; what lies beyond [`Tick::NEVER`] becomes that.
    pub const fn from_nanos(nanos: u64) -> Tick {
        if nanos < MARKS { Tick(nanos) } else { Tick::NEVER }
    }

    /// Nanoseconds since the epoch.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// This tick plus `duration`, at most [`Tick::NEVER`].
    pub const fn saturating_add(self, duration: Duration) -> Tick {
        Tick::from_nanos(self.0.saturating_add(nanos(duration)))
    }

    /// The time from `earlier` to this tick; zero where `earlier` is the later one.
    pub const fn saturating_duration_since(self, earlier: Tick) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

/// `duration` in whole nanoseconds, saturating.
pub(crate) const fn nanos(duration: Duration) -> u64 {
    match duration.as_secs().checked_mul(1_000_000_000) {
        Some(whole) => whole.saturating_add(duration.subsec_nanos() as u64),
        None => u64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nanos_saturate_instead_of_overflowing() {
        assert_eq!(nanos(Duration::MAX), u64::MAX);
        assert_eq!(nanos(Duration::from_nanos(u64::MAX)), u64::MAX);
        assert_eq!(nanos(Duration::new(1, 1)), 1_000_000_001);
    }

    #[test]
    fn ticks_at_the_mark_and_beyond_become_never() {
        assert_eq!(Tick::from_nanos(MARKS - 2).as_nanos(), MARKS - 2);
        for at in [MARKS - 1, MARKS, MARKS + 1, u64::MAX] {
            assert_eq!(Tick::from_nanos(at), Tick::NEVER);
        }
        assert_eq!(Tick::from_nanos(MARKS - 2).saturating_add(Duration::from_nanos(1)), Tick::NEVER);
    }
}
