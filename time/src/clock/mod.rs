//! The clock a runtime's timers follow: the kernel's, or one that a test holds still.
//!
//! What a platform must provide, in `unix` and `other`: raw nanoseconds of each clock that it supports, a coarse and
//! cheaper reading where it has one, and, where there are such, the kernel's names of its clocks; in `counter`: the
//! processor's counter, if the kernel tells the time by one.

mod bound;
#[cfg_attr(all(target_arch = "x86_64", target_os = "linux", not(miri)), path = "counter/tsc.rs")]
#[cfg_attr(not(all(target_arch = "x86_64", target_os = "linux", not(miri))), path = "counter/none.rs")]
mod counter;
mod instant;
#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(not(unix), path = "other.rs")]
mod platform;

use crate::sync::{AtomicU64, Mutex, Ordering};
use crate::timer::Tick;

pub use instant::Instant;
use instant::ORIGIN;
#[cfg(unix)]
pub(crate) use platform::id as clock_id;

/// How far a clock can be advanced: 292 years after the epoch. It is short of every saturated deadline.
const FURTHEST: u64 = (1 << 63) - 1;

/// By how much a coarse reading of the clock may be behind: some ticks of the slowest kernel.
const COARSE: u64 = 64_000_000;

/// From how many nanoseconds on a wait may be counted from a bound of the present.
const BY_THE_BOUND: u64 = 1_000_000;

/// The value of `Clock::frozen` while the clock runs.
const RUNNING: u64 = u64::MAX;

/// Which of the system's clocks a runtime's timers follow.
///
/// # Examples
///
/// ```
/// use wheelhouse_time::{ClockKind, Error, Timers};
///
/// match Timers::builder().clock(ClockKind::Boottime).build() {
///     Ok((timers, _driver)) => println!("counts suspended time: {:?}", timers.now()),
///     Err(Error::Unsupported) => println!("this platform has no such clock"),
///     Err(error) => panic!("{error}"),
/// }
/// ```
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
        bound::prepare();
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

    /// The instant `nanos` from now, saturating. A wait of a millisecond and more is counted from a bound of the present that
    /// is never behind it and less than a microsecond ahead: that costs a third of a reading, see `bound`. Only the
    /// monotonic clock has it.
    #[inline]
    pub(crate) fn after(&self, nanos: u64) -> Instant {
        // CLOCK.resume: pairs with the store in `resume`.
        let frozen = self.frozen.load(Ordering::Acquire);
        let present = if frozen != RUNNING {
            Tick::from_nanos(frozen)
        } else if nanos >= BY_THE_BOUND && self.kind == ClockKind::Monotonic {
            self.since_base(bound::no_less_than_now())
        } else {
            self.reading()
        };
        Instant::at(self.epoch.on_line().saturating_add(present.as_nanos()).saturating_add(nanos))
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

    /// The tick that the running clock shows.
    #[inline]
    fn reading(&self) -> Tick {
        self.since_base(platform::raw(self.kind))
    }

    /// The tick of a raw reading of the running clock; one behind the base is the start of time, not its end.
    #[inline]
    fn since_base(&self, raw: u64) -> Tick {
        // Relaxed: ordered by the load of `frozen` in `now`, or by the lock.
        let passed = raw.wrapping_sub(self.base.load(Ordering::Relaxed));
        Tick::from_nanos(if passed > FURTHEST + ORIGIN { 0 } else { passed })
    }

    #[inline]
    pub(crate) fn instant(&self, tick: Tick) -> Instant {
        if tick == Tick::NEVER {
            Instant::FAR_FUTURE
        } else {
            Instant::at(self.epoch.on_line().saturating_add(tick.as_nanos()))
        }
    }

    #[inline]
    pub(crate) fn tick(&self, instant: Instant) -> Tick {
        instant.tick_since(self.epoch.on_line())
    }

    /// Where tick 0 lies on the line of instants.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.on_line()
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
