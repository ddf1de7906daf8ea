//! Instants, and the clock a runtime's timers follow: the kernel's, or one that a test holds still.
//!
//! What a platform must provide is in the `platform` modules at the end: raw nanoseconds of a clock that never stops.

use core::fmt;
use core::ops::{Add, AddAssign, Sub, SubAssign};
use core::time::Duration;
use std::sync::OnceLock;

use crate::context;
use crate::sync::{AtomicU64, Mutex, Ordering};
use crate::timer::{Tick, nanos};

/// Where the kernel's zero lies on the line of instants: 36 years of room for what came before it.
const ORIGIN: u64 = 1 << 60;

/// How far a clock can be advanced: 292 years after the epoch. It is short of every saturated deadline.
const FURTHEST: u64 = (1 << 63) - 1;

/// By how much a coarse reading of the clock may be behind: some ticks of the slowest kernel.
const COARSE: u64 = 64_000_000;

/// The value of `Clock::frozen` while the clock runs.
const RUNNING: u64 = u64::MAX;

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

/// Which of the system's clocks a runtime's timers follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ClockKind {
    /// The monotonic clock. On Linux it stands still while the machine is suspended.
    #[default]
    Monotonic,
    /// A clock that counts suspended time too; Linux and Android have one.
    Boottime,
}

/// The clock of one runtime.
///
/// | word | running | paused |
/// | --- | --- | --- |
/// | `frozen` | `RUNNING` | the tick the clock stands at |
/// | `base` | the raw reading that is tick 0 (wrapping) | unused |
///
/// Both words are written only under `changes`. A reader loads `frozen` first and `base` only while the clock runs:
/// `base` is stored before `frozen` goes back to `RUNNING` (CLOCK.resume), so it never pairs a new state with an old base.
#[derive(Debug)]
pub(crate) struct Clock {
    kind: ClockKind,
    /// The instant of tick 0.
    epoch: Instant,
    base: AtomicU64,
    frozen: AtomicU64,
    changes: Mutex<()>,
}

impl Clock {
    pub(crate) fn new(kind: ClockKind, paused: bool) -> Clock {
        Clock {
            kind,
            epoch: Instant::system(),
            base: AtomicU64::new(platform::raw(kind)),
            frozen: AtomicU64::new(if paused { 0 } else { RUNNING }),
            changes: Mutex::new(()),
        }
    }

    pub(crate) fn is_supported(kind: ClockKind) -> bool {
        platform::is_supported(kind)
    }

    #[inline]
    pub(crate) fn now(&self) -> Tick {
        // CLOCK.resume: pairs with the store in `resume`.
        let frozen = self.frozen.load(Ordering::Acquire);
        if frozen != RUNNING {
            return Tick::from_nanos(frozen);
        }
        self.reading()
    }

    /// Whether the clock has reached `tick`. For one that is well ahead, a reading of the kernel's last tick of its own
    /// settles it, which costs a quarter of a precise one: the coarse clock is never ahead, and behind by no more than
    /// `COARSE`. Where the kernel itself is late, a due timer may be taken for one that is not, and is found by a turn.
    #[inline]
    pub(crate) fn has_reached(&self, tick: Tick) -> bool {
        // CLOCK.resume: pairs with the store in `resume`.
        let frozen = self.frozen.load(Ordering::Acquire);
        if frozen != RUNNING {
            return tick.as_nanos() <= frozen;
        }
        if let Some(coarse) = platform::coarse(self.kind) {
            // Relaxed: as in `reading`.
            let ahead = tick.as_nanos().wrapping_sub(coarse.wrapping_sub(self.base.load(Ordering::Relaxed)));
            if (COARSE..=FURTHEST).contains(&ahead) {
                return false;
            }
        }
        tick <= self.reading()
    }

    /// The tick that the running clock shows; a raw reading behind the base is the start of time, not its end.
    #[inline]
    fn reading(&self) -> Tick {
        // Relaxed: ordered by the load of `frozen` in `now`, or by the lock.
        let passed = platform::raw(self.kind).wrapping_sub(self.base.load(Ordering::Relaxed));
        Tick::from_nanos(if passed > FURTHEST + ORIGIN { 0 } else { passed })
    }

    #[inline]
    pub(crate) fn instant(&self, tick: Tick) -> Instant {
        if tick == Tick::NEVER { Instant::FAR_FUTURE } else { Instant(self.epoch.0.saturating_add(tick.as_nanos())) }
    }

    #[inline]
    pub(crate) fn tick(&self, instant: Instant) -> Tick {
        instant.tick_since(self.epoch.0)
    }

    /// Where tick 0 lies on the line of instants.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.0
    }

    /// `tick`, or the last one that the clock can be moved to.
    pub(crate) fn reachable(tick: Tick) -> Tick {
        tick.min(Tick::from_nanos(FURTHEST))
    }

    /// `tick` as an absolute reading of the kernel's clock.
    pub(crate) fn raw(&self, tick: Tick) -> u64 {
        // Relaxed: only the driver's wait is computed from it, and a change of the base interrupts the driver.
        let base = self.base.load(Ordering::Relaxed);
        // A base beyond the middle stands for one before zero: the clock has been advanced by more than it has run.
        if base > FURTHEST {
            tick.as_nanos().saturating_sub(base.wrapping_neg())
        } else {
            tick.as_nanos().saturating_add(base)
        }
    }

    pub(crate) fn kind(&self) -> ClockKind {
        self.kind
    }

    pub(crate) fn is_paused(&self) -> bool {
        // Relaxed: a snapshot.
        self.frozen.load(Ordering::Relaxed) != RUNNING
    }

    pub(crate) fn pause(&self) {
        let _changes = self.changes.lock();
        if !self.is_paused() {
            self.frozen.store(self.reading().as_nanos(), Ordering::Release);
        }
    }

    pub(crate) fn resume(&self) {
        let _changes = self.changes.lock();
        // Relaxed: written under this lock only.
        let frozen = self.frozen.load(Ordering::Relaxed);
        if frozen != RUNNING {
            self.base.store(platform::raw(self.kind).wrapping_sub(frozen), Ordering::Relaxed);
            // CLOCK.resume: the base is written above.
            self.frozen.store(RUNNING, Ordering::Release);
        }
    }

    /// Moves a paused clock forward to `to`; one that runs, or is there already, stays. Returns whether it moved.
    pub(crate) fn move_to(&self, to: Tick) -> bool {
        let _changes = self.changes.lock();
        // Relaxed: written under this lock only.
        let frozen = self.frozen.load(Ordering::Relaxed);
        let to = to.as_nanos().min(FURTHEST);
        if frozen == RUNNING || to <= frozen {
            return false;
        }
        self.frozen.store(to, Ordering::Release);
        true
    }
}

#[cfg(unix)]
mod platform {
    use super::ClockKind;

    pub(crate) fn id(kind: ClockKind) -> libc::clockid_t {
        match kind {
            #[cfg(any(target_os = "linux", target_os = "android"))]
            ClockKind::Boottime => libc::CLOCK_BOOTTIME,
            _ => libc::CLOCK_MONOTONIC,
        }
    }

    pub(super) fn is_supported(kind: ClockKind) -> bool {
        kind == ClockKind::Monotonic || id(kind) != libc::CLOCK_MONOTONIC
    }

    /// Nanoseconds on the kernel's clock. A builder refuses the clocks that `is_supported` does not know.
    #[inline]
    pub(super) fn raw(kind: ClockKind) -> u64 {
        read(id(kind))
    }

    /// The same clock as of the kernel's last tick, where it has one that is cheaper to read.
    #[inline]
    pub(super) fn coarse(kind: ClockKind) -> Option<u64> {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        if kind == ClockKind::Monotonic {
            return Some(read(libc::CLOCK_MONOTONIC_COARSE));
        }
        let _ = kind;
        None
    }

    #[inline]
    fn read(clock: libc::clockid_t) -> u64 {
        let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: `now` is a writable timespec. A clock that does not exist leaves it as it is.
        unsafe { libc::clock_gettime(clock, &mut now) };
        (now.tv_sec as u64).saturating_mul(1_000_000_000).saturating_add(now.tv_nsec as u64)
    }
}

#[cfg(not(unix))]
mod platform {
    use super::ClockKind;
    use std::sync::OnceLock;

    pub(super) fn is_supported(kind: ClockKind) -> bool {
        kind == ClockKind::Monotonic
    }

    pub(super) fn coarse(_kind: ClockKind) -> Option<u64> {
        None
    }

    /// Nanoseconds since the first call.
    pub(super) fn raw(_kind: ClockKind) -> u64 {
        static START: OnceLock<std::time::Instant> = OnceLock::new();
        crate::timer::nanos(START.get_or_init(std::time::Instant::now).elapsed())
    }
}

#[cfg(unix)]
pub(crate) use platform::id as clock_id;
