//! The driver over all shards: until when to wait, and what to fire.
//!
//! # Word
//!
//! The promise: `AWAKE` (0) while the driver does not wait or will be awake soon whatever happens, else the tick at which
//! it will be awake by itself.
//!
//! # Edges
//!
//! | from | to | who | method |
//! | --- | --- | --- | --- |
//! | awake | tick | driver | `Turner::prepare_park` |
//! | tick | awake | driver | `Turner::awake` |
//! | tick | awake | an insertion of something earlier; the winner of the exchange interrupts the driver | `Hub::lowered` |
//!
//! # Pairs
//!
//! PARK, see shard.rs. Model: insert_park.

use alloc::sync::Arc as StdArc;
use alloc::vec::Vec;
use core::fmt;
use core::task::Waker;
use core::time::Duration;

use super::metrics::TimerMetrics;
use super::shard::Shard;
use super::tick::Tick;
use super::wheel::NEVER;
use crate::sync::{AtomicU64, CachePadded, Kept, Mutex, Ordering, fence};

/// The promise of a driver that does not wait.
const AWAKE: u64 = 0;

/// How many entries one turn handles at most.
const TURN: usize = 1024;

/// How many entries are handled under one hold of a shard's lock at most.
const HOLD: usize = 256;

/// How to end the driver's wait early.
///
/// # Examples
///
/// ```
/// use std::{sync::Arc, thread::Thread};
/// use wheelhouse_time::{Interrupt, Timers};
///
/// struct Unpark(Thread);
///
/// impl Interrupt for Unpark {
///     fn interrupt(&self) {
///         self.0.unpark();
///     }
/// }
///
/// let unpark = Arc::new(Unpark(std::thread::current()));
/// let (_timers, _driver) = Timers::builder().interrupt(unpark).build().unwrap();
/// ```
pub trait Interrupt: Send + Sync {
    /// Ends the wait that the driver is in or about to begin. Called from any thread, with no lock held.
    fn interrupt(&self);
}

/// Until when the driver may wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Not at all: there is more to do.
    Now,
    /// Until this tick, which may have passed already.
    At(Tick),
    /// Until it is interrupted: no timer is armed.
    Never,
}

/// What a turn did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Turned {
    /// How many timers fired. Those with nobody waiting added no waker.
    pub fired: usize,
    /// There was more to do than one turn may; the next one should come before any wait.
    pub more: bool,
    /// How late the latest of those fired was when the turn began.
    pub worst_lateness: Duration,
}

/// What the shards of one runtime share with their driver.
pub(crate) struct Hub {
    promise: CachePadded<AtomicU64>,
    interrupt: Mutex<Option<StdArc<dyn Interrupt>>>,
}

impl Hub {
    fn new() -> Hub {
        Hub { promise: CachePadded::new(AtomicU64::new(AWAKE)), interrupt: Mutex::new(None) }
    }

    /// Sets whom to interrupt, and drops whoever that was, outside the lock.
    fn set_interrupt(&self, interrupt: Option<StdArc<dyn Interrupt>>) {
        let before = core::mem::replace(&mut *self.interrupt.lock(), interrupt);
        drop(before);
    }

    /// An insertion has lowered a published word to `to`: if the driver waits beyond that, it is told.
    #[inline]
    pub(crate) fn lowered(&self, to: u64) {
        // PARK: the word is published above, the promise is read below.
        fence(Ordering::SeqCst);
        // Relaxed: the fence orders it.
        let promise = self.promise.load(Ordering::Relaxed);
        if promise > to {
            self.interrupt(promise);
        }
    }

    #[cold]
    fn interrupt(&self, promise: u64) {
        // Relaxed: the winner alone notifies, and the notifier orders what it has to. A loser leaves it to whoever was
        // first: another insertion, or the driver, which is awake or about to look at the words again.
        let won = self.promise.compare_exchange(promise, AWAKE, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if won {
            let interrupt = self.interrupt.lock().clone();
            if let Some(interrupt) = interrupt {
                interrupt.interrupt();
            }
        }
    }
}

impl fmt::Debug for Hub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hub").field("promise", &self.promise).finish_non_exhaustive()
    }
}

/// The shards of one runtime.
#[derive(Debug, Clone)]
pub(crate) struct Shards {
    hub: Kept<Hub>,
    shards: Vec<Kept<Shard>>,
}

impl Shards {
    /// Makes shards that nobody owns yet.
    pub(crate) fn new(count: usize) -> Shards {
        let hub = Kept::new(Hub::new());
        let shards = (0..count).map(|_| Kept::new(Shard::new(hub.clone()))).collect();
        Shards { hub, shards }
    }

    /// Opens shards that are new, or that were shut down and retired, for the timers of `owner`.
    pub(crate) fn open(&self, owner: u32, epoch: u64, interrupt: Option<StdArc<dyn Interrupt>>) {
        // Relaxed: nobody waits; a late reader of the word before interrupts once in vain.
        self.hub.promise.store(AWAKE, Ordering::Relaxed);
        self.hub.set_interrupt(interrupt);
        for shard in &self.shards {
            shard.open(owner, epoch);
        }
    }

    /// Lets go of what belongs to the runtime that has shut down.
    pub(crate) fn retire(&self) {
        self.hub.set_interrupt(None);
    }

    pub(crate) fn len(&self) -> usize {
        self.shards.len()
    }

    pub(crate) fn get(&self, index: usize) -> &Kept<Shard> {
        &self.shards[index]
    }

    /// Whether `shard` is one of these.
    #[inline]
    pub(crate) fn owns(&self, shard: &Shard) -> bool {
        self.hub.is(shard.hub())
    }

    /// At most the earliest deadline.
    #[inline]
    pub(crate) fn earliest(&self) -> u64 {
        self.shards.iter().map(|shard| shard.next()).min().unwrap_or(NEVER)
    }

    /// The tick at which a turn has something to do.
    #[inline]
    pub(crate) fn earliest_work(&self) -> u64 {
        self.shards.iter().map(|shard| shard.work()).min().unwrap_or(NEVER)
    }

    /// The earliest deadline itself; each shard's lock is taken in turn.
    pub(crate) fn true_earliest(&self) -> u64 {
        self.shards.iter().map(|shard| shard.true_earliest()).min().unwrap_or(NEVER)
    }

    /// Ends a bounded number of timers. Returns whether some are left.
    pub(crate) fn shutdown(&self, wakes: &mut Vec<Waker>) -> bool {
        let mut left = TURN;
        for shard in &self.shards {
            while left > 0 {
                wakes.reserve(HOLD);
                if !shard.shut(HOLD, wakes) {
                    break;
                }
                left -= HOLD;
            }
            if left == 0 {
                return true;
            }
        }
        false
    }

    pub(crate) fn metrics(&self) -> TimerMetrics {
        let mut metrics = TimerMetrics::new();
        for shard in &self.shards {
            shard.add_metrics(&mut metrics);
        }
        metrics
    }
}

/// What the holder of the driver's seat keeps from turn to turn.
#[derive(Debug)]
pub(crate) struct Turner {
    slack: u64,
    /// No wait ends before this tick: the start of the last turn that fired something, plus the slack.
    floor: u64,
    /// The last turn left something to do.
    more: bool,
    /// The shard that the next turn begins with.
    first: usize,
}

impl Turner {
    pub(crate) fn new(slack: u64) -> Turner {
        Turner { slack, floor: 0, more: false, first: 0 }
    }

    /// Publishes the promise and says how long to wait.
    pub(crate) fn prepare_park(&mut self, shards: &Shards) -> Next {
        self.promise(shards, Shards::earliest_work, self.floor)
    }

    /// As `prepare_park`, with neither slack nor head start.
    pub(crate) fn prepare_park_exact(&mut self, shards: &Shards) -> Next {
        self.promise(shards, Shards::earliest, 0)
    }

    fn promise(&mut self, shards: &Shards, earliest: fn(&Shards) -> u64, floor: u64) -> Next {
        let planned = earliest(shards);
        if self.more || planned == 0 {
            return Next::Now;
        }
        if planned <= floor {
            // It will be awake at the floor, and no insertion can make that earlier: nobody needs to interrupt it.
            return Next::At(Tick::from_nanos(floor));
        }
        // Relaxed: the fence orders it.
        shards.hub.promise.store(planned, Ordering::Relaxed);
        // PARK: the promise is published above, the words are read below.
        fence(Ordering::SeqCst);
        match earliest(shards).min(planned).max(floor) {
            NEVER => Next::Never,
            tick => Next::At(Tick::from_nanos(tick)),
        }
    }

    /// Takes the promise back.
    #[inline]
    pub(crate) fn awake(&mut self, shards: &Shards) {
        // Relaxed: whoever still reads the promise interrupts a driver that is awake, which costs a turn and no more.
        shards.hub.promise.store(AWAKE, Ordering::Relaxed);
    }

    /// A turn that finds nothing due: what the one before it left to do is gone, by a shutdown for instance.
    #[inline]
    pub(crate) fn nothing_due(&mut self) -> Turned {
        self.more = false;
        Turned::default()
    }

    /// Fires what is due at `now`: a bite of each due shard in turn, until nothing is left or the turn is full.
    pub(crate) fn turn(&mut self, shards: &Shards, now: u64, wakes: &mut Vec<Waker>) -> Turned {
        let mut turned = Turned::default();
        let mut room = TURN;
        let mut idle = 0;
        while idle < shards.len() && room > 0 {
            let shard = shards.get(self.first);
            self.first = (self.first + 1) % shards.len();
            if shard.work() > now {
                idle += 1;
                continue;
            }
            let limit = room.min(HOLD);
            wakes.reserve(limit);
            let bite = shard.turn(now, limit, wakes);
            // A shard that is done may be at work again at once, if its next head start is due: that is for another turn.
            idle = if bite.more { 0 } else { idle + 1 };
            room -= bite.handled.min(room);
            turned.fired += bite.fired;
            turned.more |= bite.more && room == 0;
            turned.worst_lateness = turned.worst_lateness.max(Duration::from_nanos(bite.worst));
        }
        turned.more |= room == 0 && shards.earliest_work() <= now;
        self.more = turned.more;
        if turned.fired > 0 {
            self.floor = now.saturating_add(self.slack);
        }
        turned
    }
}
