//! Points in time.

use core::fmt;
use core::ops::{Add, AddAssign, Sub, SubAssign};
use core::time::Duration;
use std::sync::OnceLock;

use super::{ClockKind, platform};
use crate::context;
use crate::timer::{Tick, nanos};

/// Where the kernel's zero lies on the line of instants: 36 years of room for what came before it.
pub(super) const ORIGIN: u64 = 1 << 60;

/// A point in time, in nanoseconds on one line that the whole process shares.
///
/// [`Instant::now`] reads the clock of the runtime that is entered on this thread, so a paused test clock is seen; with
/// none entered it reads the system's monotonic clock. All arithmetic saturates: nothing here overflows or panics.
///
/// It converts from and into [`std::time::Instant`].
///
/// # Examples
///
/// ```
/// use core::time::Duration;
/// use wheelhouse_time::Instant;
///
/// let start = Instant::now();
/// let later = start + Duration::from_millis(5);
/// assert_eq!(later - start, Duration::from_millis(5));
/// assert_eq!(start - later, Duration::ZERO);
/// assert_eq!(start + Duration::MAX, Instant::FAR_FUTURE);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(u64);

impl Instant {
    /// The end of the line, about 548 years after the machine was started. A timer set to it never fires.
    pub const FAR_FUTURE: Instant = Instant(u64::MAX);

    /// The present, by the clock of the runtime entered on this thread, else by the system's monotonic clock.
    #[must_use]
    pub fn now() -> Instant {
        context::now()
    }

    /// The time passed since this instant; zero if it lies ahead.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        Instant::now().duration_since(*self)
    }

    /// The time from `earlier` to this instant; zero where `earlier` is the later one.
    #[must_use]
    pub fn duration_since(&self, earlier: Instant) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }

    /// As [`duration_since`](Self::duration_since): the name that std gives to saturation.
    #[must_use]
    pub fn saturating_duration_since(&self, earlier: Instant) -> Duration {
        self.duration_since(earlier)
    }

    /// The time from `earlier` to this instant, or `None` where `earlier` is the later one.
    #[must_use]
    pub fn checked_duration_since(&self, earlier: Instant) -> Option<Duration> {
        self.0.checked_sub(earlier.0).map(Duration::from_nanos)
    }

    /// This instant plus `duration`, or `None` beyond the end of the line.
    #[must_use]
    pub fn checked_add(&self, duration: Duration) -> Option<Instant> {
        let nanos = u64::try_from(duration.as_nanos()).ok()?;
        self.0.checked_add(nanos).map(Instant)
    }

    /// This instant minus `duration`, or `None` before the start of the line.
    #[must_use]
    pub fn checked_sub(&self, duration: Duration) -> Option<Instant> {
        let nanos = u64::try_from(duration.as_nanos()).ok()?;
        self.0.checked_sub(nanos).map(Instant)
    }

    /// The same point in time on std's clock.
    #[must_use]
    pub fn into_std(self) -> std::time::Instant {
        let anchor = Anchor::get();
        if self >= anchor.ours {
            let ahead = self.duration_since(anchor.ours);
            let far = Duration::from_secs(60 * 60 * 24 * 365 * 30);
            anchor.std.checked_add(ahead).or_else(|| anchor.std.checked_add(far)).unwrap_or(anchor.std)
        } else {
            anchor.std.checked_sub(anchor.ours.duration_since(self)).unwrap_or(anchor.std)
        }
    }

    /// The same point in time as an instant of std's clock.
    #[must_use]
    pub fn from_std(std: std::time::Instant) -> Instant {
        let anchor = Anchor::get();
        match std.checked_duration_since(anchor.std) {
            Some(ahead) => anchor.ours + ahead,
            None => anchor.ours - anchor.std.duration_since(std),
        }
    }

    #[inline]
    pub(super) fn at(on_line: u64) -> Instant {
        Instant(on_line)
    }

    /// Nanoseconds on the line.
    #[inline]
    pub(super) fn on_line(self) -> u64 {
        self.0
    }

    /// The tick of this instant for timers whose epoch is at `epoch` on the line; tick 0 if it lies before that.
    #[inline]
    pub(crate) fn tick_since(self, epoch: u64) -> Tick {
        if self == Instant::FAR_FUTURE { Tick::NEVER } else { Tick::from_nanos(self.0.saturating_sub(epoch)) }
    }

    /// The present by the system's monotonic clock, whatever is entered on this thread.
    pub(crate) fn system() -> Instant {
        Instant(ORIGIN.saturating_add(platform::raw(ClockKind::Monotonic)))
    }
}

impl fmt::Debug for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Instant::FAR_FUTURE {
            return f.write_str("Instant(far future)");
        }
        let nanos = self.0 as i128 - ORIGIN as i128;
        let (sign, nanos) = if nanos < 0 { ("-", -nanos) } else { ("", nanos) };
        write!(f, "Instant({sign}{}.{:09}s)", nanos / 1_000_000_000, nanos % 1_000_000_000)
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;

    fn add(self, duration: Duration) -> Instant {
        Instant(self.0.saturating_add(nanos(duration)))
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, duration: Duration) {
        *self = *self + duration;
    }
}

impl Sub<Duration> for Instant {
    type Output = Instant;

    fn sub(self, duration: Duration) -> Instant {
        Instant(self.0.saturating_sub(nanos(duration)))
    }
}

impl SubAssign<Duration> for Instant {
    fn sub_assign(&mut self, duration: Duration) {
        *self = *self - duration;
    }
}

impl Sub<Instant> for Instant {
    type Output = Duration;

    fn sub(self, earlier: Instant) -> Duration {
        self.duration_since(earlier)
    }
}

impl From<std::time::Instant> for Instant {
    fn from(std: std::time::Instant) -> Instant {
        Instant::from_std(std)
    }
}

impl From<Instant> for std::time::Instant {
    fn from(instant: Instant) -> std::time::Instant {
        instant.into_std()
    }
}

/// One moment read on both clocks: every conversion goes through the same pair, so that a round trip is exact.
struct Anchor {
    std: std::time::Instant,
    ours: Instant,
}

impl Anchor {
    fn get() -> &'static Anchor {
        static ANCHOR: OnceLock<Anchor> = OnceLock::new();
        // Ours is read second: an instant of std's comes out late by a few nanoseconds rather than early.
        ANCHOR.get_or_init(|| Anchor { std: std::time::Instant::now(), ours: Instant::system() })
    }
}
