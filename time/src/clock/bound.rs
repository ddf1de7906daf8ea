//! A reading of the clock that is never behind it and costs a third of a true one: to fix deadlines by.
//!
//! Most timers are armed and cancelled, and most of what that took was the one reading of the clock at the call. Where the
//! processor has a counter that the kernel itself tells the time by, a deadline does not need the kernel's exact word: an
//! upper bound of the present will do, since a timer may be a little late, and must never be early.
//!
//! # The bound
//!
//! A thread reads the counter, then the clock: its *anchor*. For [`WINDOW`] nanoseconds after that, the present is at most
//!
//! ```text
//! anchor's time + SLOP + (counter - anchor's counter) * factor
//! ```
//!
//! - The counter was read *before* the clock, so the span since is never underestimated, whatever came between the two.
//! - `factor` is the counter's nominal rate times [`MARGIN`] (9/8). The nominal rate is measured once, on the kernel's raw
//!   clock, which no correction touches. The monotonic clock runs faster or slower than that by 500 ppm at most in the
//!   hands of the kernel's own discipline, by 8.3% where a daemon makes up for much at once, and beyond 11% the kernel
//!   itself complains. The margin is wider than that.
//! - `SLOP` covers the clock's rounding, and that the processor may read the counter a little before it has finished what
//!   comes earlier in the program: a reading of the true clock, for instance, that the caller compares with later.
//! - Moving to another processor does not matter: the kernel tells the time by the same counters in the same way, which
//!   is why it uses them only where they agree.
//!
//! The window is short because the margin is wide: in 4 µs it adds up to 0.5 µs, and with all the rest a bound lies less
//! than a microsecond ahead of the clock. A thread that arms timers faster than that shares one reading among many; one that arms them slower
//! loses nothing worth a wider window, and soon [rests](REST) from trying.
//!
//! # Distrust
//!
//! Each anchor is checked against the one before: had the clock outrun the bound, or the counter outrun the clock by a
//! third, then the counter is not what it seems, and the whole process reads the true clock from then on. An anchor whose
//! two readings of the counter lie too far apart is not used: the thread was interrupted in between, and its bound would be
//! true but of little use.
//!
//! Bounds read on one thread never go back.

use core::cell::Cell;

use super::counter;
use super::platform;
use crate::clock::ClockKind;
use crate::sync::{AtomicU64, Mutex, Ordering};

/// How long an anchor serves, in nanoseconds.
pub(super) const WINDOW: u64 = 4_000;

/// What a bound adds to its anchor's time, in nanoseconds.
const SLOP: u64 = 64;

/// Numerator and denominator of the margin by which the clock may run faster than the counter says.
const MARGIN: (u64, u64) = (9, 8);

/// How many readings a thread takes from the true clock after an anchor that served nobody.
const REST: u32 = 15;

/// How long the counter is measured for its rate, in nanoseconds at least.
const MEASURE: u64 = 10_000_000;

/// The longest time between the two readings of the counter around one of the clock, in nanoseconds.
const WIDEST: u64 = 300;

/// As `WIDEST`, in counts, while the rate is not known.
const WIDEST_COUNTS: u64 = 4_000;

/// Anchors further apart than this many windows are not held against each other: the machine may have been suspended.
const COMPARABLE: u64 = 250_000;

/// How many fractional bits a factor has.
const FRACTION: u32 = 32;

/// Nobody has measured the rate yet.
const UNKNOWN: u64 = 0;

/// The counter is not to be used.
const DISTRUSTED: u64 = u64::MAX;

/// What there is to read.
pub(super) trait Source {
    /// The processor's counter.
    fn counter(&self) -> u64;
    /// The clock that bounds are for.
    fn clock(&self) -> u64;
    /// The clock that the rate is measured by.
    fn unadjusted(&self) -> u64;
}

/// The real thing.
struct Machine;

impl Source for Machine {
    #[inline]
    fn counter(&self) -> u64 {
        counter::read()
    }

    #[inline]
    fn clock(&self) -> u64 {
        platform::raw(ClockKind::Monotonic)
    }

    fn unadjusted(&self) -> u64 {
        counter::unadjusted_clock()
    }
}

static RATE: Rate = Rate::new();

thread_local! {
    static BOUND: Bound = const { Bound::new() };
}

/// No less than the raw reading of the monotonic clock, and less than a microsecond ahead of it.
#[inline]
pub(super) fn no_less_than_now() -> u64 {
    BOUND.with(|bound| bound.read(&Machine, &RATE))
}

/// Starts to measure the counter's rate, if that has not been done.
pub(super) fn prepare() {
    RATE.begin(&Machine, counter::is_steady);
}

/// A reading of a clock between two of the counter.
#[derive(Debug, Clone, Copy)]
struct Sandwich {
    before: u64,
    nanos: u64,
    after: u64,
}

impl Sandwich {
    fn take(source: &impl Source, clock: impl FnOnce() -> u64) -> Sandwich {
        let before = source.counter();
        let nanos = clock();
        Sandwich { before, nanos, after: source.counter() }
    }

    fn width(&self) -> u64 {
        self.after.wrapping_sub(self.before)
    }
}

/// What the process knows of its counter.
///
/// `factor` is [`UNKNOWN`], then nanoseconds per count with the margin in it, with [`FRACTION`] fractional bits, and
/// [`DISTRUSTED`] for good once the counter has been found out. `start` is used until the rate is known.
pub(super) struct Rate {
    factor: AtomicU64,
    start: Mutex<Option<Sandwich>>,
}

impl Rate {
    const fn new() -> Rate {
        Rate { factor: AtomicU64::new(UNKNOWN), start: Mutex::new(None) }
    }

    fn factor(&self) -> u64 {
        // Relaxed, here and below: only the value matters.
        self.factor.load(Ordering::Relaxed)
    }

    #[cold]
    fn distrust(&self) {
        self.factor.store(DISTRUSTED, Ordering::Relaxed);
    }

    fn begin(&self, source: &impl Source, is_steady: impl FnOnce() -> bool) {
        let mut start = self.start.lock();
        if self.factor() != UNKNOWN || start.is_some() {
            return;
        }
        if is_steady() {
            *start = Some(Sandwich::take(source, || source.unadjusted()));
        } else {
            self.distrust();
        }
    }

    /// Ends the measurement that `begin` has started, if it has been going on for long enough.
    #[cold]
    fn measure(&self, source: &impl Source) {
        let mut start = self.start.lock();
        let Some(first) = *start else { return };
        let last = Sandwich::take(source, || source.unadjusted());
        if first.width() > WIDEST_COUNTS {
            *start = Some(last);
            return;
        }
        let nanos = last.nanos.saturating_sub(first.nanos);
        if self.factor() != UNKNOWN || nanos < MEASURE || last.width() > WIDEST_COUNTS {
            return;
        }
        self.factor.store(factor(nanos, last.before.wrapping_sub(first.before)), Ordering::Relaxed);
    }
}

/// The factor of a counter that made so many counts in `nanos`, if that is a likely rate: 0.5 to 10 GHz.
fn factor(nanos: u64, counts: u64) -> u64 {
    if counts < nanos / 2 || counts / 10 > nanos {
        return DISTRUSTED;
    }
    let nominal = (u128::from(nanos) << FRACTION).div_ceil(u128::from(counts));
    (nominal * u128::from(MARGIN.0)).div_ceil(u128::from(MARGIN.1)) as u64
}

/// One thread's anchor, in counts and nanoseconds.
pub(super) struct Bound {
    counter: Cell<u64>,
    /// The clock at `counter`, and the slop.
    nanos: Cell<u64>,
    factor: Cell<u64>,
    /// How many counts the anchor serves: 0 for none.
    window: Cell<u64>,
    /// The last bound handed out.
    last: Cell<u64>,
    /// How many readings are still taken from the clock before the counter is looked at again.
    rest: Cell<u32>,
}

impl Bound {
    const fn new() -> Bound {
        Bound {
            counter: Cell::new(0),
            nanos: Cell::new(0),
            factor: Cell::new(0),
            window: Cell::new(0),
            last: Cell::new(0),
            rest: Cell::new(0),
        }
    }

    #[inline]
    fn read(&self, source: &impl Source, rate: &Rate) -> u64 {
        let rest = self.rest.get();
        if rest > 0 {
            self.rest.set(rest - 1);
            return self.not_before_the_last(source.clock());
        }
        let passed = source.counter().wrapping_sub(self.counter.get());
        if passed >= self.window.get() {
            return self.renew(source, rate);
        }
        self.not_before_the_last(self.nanos.get() + self.spent(passed))
    }

    /// At most so much time has passed in so many counts of a window.
    #[inline]
    fn spent(&self, counts: u64) -> u64 {
        (counts * self.factor.get()) >> FRACTION
    }

    #[inline]
    fn not_before_the_last(&self, nanos: u64) -> u64 {
        let bound = nanos.max(self.last.get());
        self.last.set(bound);
        bound
    }

    /// The anchor is too old: reads the clock, and makes that the new one.
    #[cold]
    fn renew(&self, source: &impl Source, rate: &Rate) -> u64 {
        let factor = rate.factor();
        if factor == UNKNOWN || factor == DISTRUSTED {
            if factor == UNKNOWN {
                rate.measure(source);
            }
            self.window.set(0);
            self.rest.set(if factor == UNKNOWN { REST } else { u32::MAX });
            return self.not_before_the_last(source.clock());
        }
        let served = self.window.get() == 0 || self.last.get() >= self.nanos.get();
        let reading = Sandwich::take(source, || source.clock());
        let window = (WINDOW << FRACTION) / factor * MARGIN.0 / MARGIN.1;
        let narrow = reading.width() <= window * WIDEST / WINDOW;
        if self.contradicts(&reading, window) {
            rate.distrust();
        }
        if narrow {
            self.counter.set(reading.before);
            self.nanos.set(reading.nanos + SLOP);
            self.factor.set(factor);
        }
        let usable = narrow && served && rate.factor() == factor;
        self.window.set(if usable { window } else { 0 });
        self.rest.set(if usable { 0 } else { REST });
        self.not_before_the_last(reading.nanos)
    }

    /// Whether a new reading shows that the counter does not go with the clock as it should since the anchor.
    fn contradicts(&self, new: &Sandwich, window: u64) -> bool {
        let factor = self.factor.get();
        let most = new.after.wrapping_sub(self.counter.get());
        if factor == 0 || most > window * COMPARABLE {
            return false;
        }
        // The anchor's clock was read within `WIDEST` of its counter.
        let widest = window * WIDEST / WINDOW;
        let least = new.before.wrapping_sub(self.counter.get()).saturating_sub(widest);
        let passed = (new.nanos + SLOP).saturating_sub(self.nanos.get());
        let most = (u128::from(most) * u128::from(factor)) >> FRACTION;
        let least = (u128::from(least) * u128::from(factor) * 2 / 3) >> FRACTION;
        u128::from(passed) > most + u128::from(SLOP) || u128::from(passed) < least
    }
}

#[cfg(test)]
#[path = "bound/tests.rs"]
mod tests;
