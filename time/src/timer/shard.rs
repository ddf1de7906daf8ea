//! A shard: a wheel behind a lock, and what it publishes to those who do not take the lock.
//!
//! A shard is never freed: it outlives its runtime and serves a later one. So an entry refers to its shard without a
//! count, and locking the shard of a runtime that is gone is sound, if futile: no entry of that runtime is linked any more,
//! and none is filed, since the shard's owner is another.
//!
//! # Published words
//!
//! `next` is at most the earliest deadline in the shard, and equal to it while nothing was cancelled or extended; it is 0
//! while something is pending. `work` is at most `next`: the tick at which a turn has something to do. Both are written
//! under the lock only.
//!
//! # Pairs
//!
//! PARK: an insertion that lowers a word links the entry, publishes the word, fences, and reads the promise. The driver
//! publishes the promise, fences, and reads the words. One of the two sees the other: `Hub::lowered` and
//! `Turner::prepare_park`. An insertion that lowers nothing has nothing to say: the words already name an earlier tick,
//! and whoever put that there has kept the protocol. Model: insert_park.

use alloc::vec::Vec;
use core::pin::Pin;
use core::task::Waker;

use super::cell::{Extended, State};
use super::driver::Hub;
use super::entry::Entry;
use super::metrics::TimerMetrics;
use super::tick::Tick;
use super::wheel::{Bite, Filed, NEVER, Wheel};
use crate::sync::{AtomicU64, CachePadded, Kept, Mutex, Ordering};

/// What became of an attempt to file an entry.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Inserted {
    Armed,
    /// The entry's runtime has shut down: it is idle still.
    Closed,
}

/// What a reset did.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Reset {
    /// The armed deadline was moved back without a lock: the caller counts it.
    Extended,
    /// The entry was filed anew at an earlier deadline.
    Refiled,
    /// The entry is idle: the next poll files it.
    Idle,
}

/// The words that others read without the lock.
#[derive(Debug)]
struct Published {
    next: AtomicU64,
    work: AtomicU64,
}

/// One shard of a runtime's timers.
#[derive(Debug)]
pub(crate) struct Shard {
    published: CachePadded<Published>,
    /// Extensions: by the one thread that files here, or by others through an addition.
    extended: CachePadded<AtomicU64>,
    wheel: CachePadded<Mutex<Wheel>>,
    hub: Kept<Hub>,
    /// Where tick 0 lies on the owners' line of time; the wheel never looks.
    epoch: AtomicU64,
}

impl Shard {
    pub(crate) fn new(hub: Kept<Hub>) -> Shard {
        Shard {
            epoch: AtomicU64::new(0),
            published: CachePadded::new(Published { next: AtomicU64::new(NEVER), work: AtomicU64::new(NEVER) }),
            extended: CachePadded::new(AtomicU64::new(0)),
            wheel: CachePadded::new(Mutex::new(Wheel::new())),
            hub,
        }
    }

    /// Opens the shard, which is new or was shut down, for the timers of `owner`.
    pub(crate) fn open(&self, owner: u32, epoch: u64) {
        let mut wheel = self.wheel.lock();
        wheel.begin(owner);
        self.publish(&wheel);
        self.extended.store(0, Ordering::Relaxed);
        // Relaxed: whoever reads it has filed a timer here since, under the lock.
        self.epoch.store(epoch, Ordering::Relaxed);
    }

    pub(crate) fn hub(&self) -> &Kept<Hub> {
        &self.hub
    }

    #[inline]
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Relaxed)
    }

    /// Files an idle entry, whose waker is stored already.
    #[inline]
    pub(crate) fn insert(&self, entry: Pin<&mut Entry>, tick: Tick) -> Inserted {
        let mut wheel = self.wheel.lock();
        if wheel.owner != Some(entry.owner()) {
            return Inserted::Closed;
        }
        entry.cell.arm(tick);
        wheel.counters.armed += 1;
        let filed = wheel.insert(entry.pointer(), tick.as_nanos());
        let lowered = self.lower(filed);
        drop(wheel);
        if let Some(to) = lowered {
            self.hub.lowered(to);
        }
        Inserted::Armed
    }

    /// Sets another deadline for an entry that was filed here: without the lock if that is later than the armed one.
    #[inline]
    pub(crate) fn reset(&self, entry: Pin<&mut Entry>, to: Tick) -> Reset {
        match entry.cell.state() {
            State::Armed(from) if from <= to => match entry.cell.extend(from, to) {
                Extended::Extended => Reset::Extended,
                Extended::Marked => self.reset_locked(entry, to),
            },
            State::Idle => Reset::Idle,
            outcome if outcome.is_released() => {
                entry.cell.rest();
                Reset::Idle
            }
            _ => self.reset_locked(entry, to),
        }
    }

    fn reset_locked(&self, mut entry: Pin<&mut Entry>, to: Tick) -> Reset {
        let mut wheel = self.wheel.lock();
        match entry.cell.state() {
            State::Armed(_) => {
                let pointer = entry.as_mut().pointer();
                wheel.remove(pointer);
                entry.cell.arm(to);
                let filed = wheel.insert(pointer, to.as_nanos());
                let lowered = self.lower(filed);
                drop(wheel);
                if let Some(to) = lowered {
                    self.hub.lowered(to);
                }
                Reset::Refiled
            }
            state => {
                if state == State::Pending {
                    wheel.remove(entry.as_mut().pointer());
                }
                // An outcome is released by now: the driver takes its last touch under the lock.
                entry.cell.rest();
                Reset::Idle
            }
        }
    }

    /// Lets go of an entry for good: unlinks it if it is linked, waits for the driver's last touch if need be. No lock if
    /// it reads released already. The memory is the caller's again.
    #[inline]
    pub(crate) fn release(&self, entry: Pin<&mut Entry>) {
        if entry.cell.state().is_released() {
            entry.memory.free();
        } else {
            self.detach(entry);
        }
    }

    /// Takes the entry out, under the lock; it is idle then.
    pub(crate) fn detach(&self, mut entry: Pin<&mut Entry>) {
        let mut wheel = self.wheel.lock();
        if matches!(entry.cell.state(), State::Armed(_) | State::Pending) {
            wheel.remove(entry.as_mut().pointer());
            wheel.counters.cancelled += 1;
        }
        entry.cell.rest();
        drop(wheel);
        entry.memory.free();
    }

    /// Takes one bite of what is due at `now`.
    pub(crate) fn turn(&self, now: u64, limit: usize, wakes: &mut Vec<Waker>) -> Bite {
        let mut wheel = self.wheel.lock();
        let bite = wheel.turn(now, limit, wakes);
        self.publish(&wheel);
        bite
    }

    /// The published `next`.
    #[inline]
    pub(crate) fn next(&self) -> u64 {
        // Relaxed: a bound; `prepare_park` fences before it relies on it (PARK), a turn takes the lock.
        self.published.next.load(Ordering::Relaxed)
    }

    /// The published `work`.
    #[inline]
    pub(crate) fn work(&self) -> u64 {
        // Relaxed: as in `next`.
        self.published.work.load(Ordering::Relaxed)
    }

    /// The earliest deadline itself, under the lock.
    pub(crate) fn true_earliest(&self) -> u64 {
        let mut wheel = self.wheel.lock();
        let earliest = wheel.true_earliest();
        self.publish(&wheel);
        earliest
    }

    /// Closes the shard and ends up to `limit` timers. Returns whether some are left.
    pub(crate) fn shut(&self, limit: usize, wakes: &mut Vec<Waker>) -> bool {
        let mut wheel = self.wheel.lock();
        wheel.owner = None;
        let more = wheel.shut(limit, wakes);
        self.publish(&wheel);
        more
    }

    /// Counts an extension by the one thread that files in this shard.
    #[inline]
    pub(crate) fn note_extended_here(&self) {
        // Relaxed: a counter. A load and a store, because nobody else writes but by `note_extended`, which may get lost
        // then: a count, not a duty.
        self.extended.store(self.extended.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// Counts an extension by any thread.
    pub(crate) fn note_extended(&self) {
        // Relaxed: a counter.
        self.extended.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn add_metrics(&self, metrics: &mut TimerMetrics) {
        let wheel = self.wheel.lock();
        metrics.add(&wheel.counters, self.extended.load(Ordering::Relaxed));
    }

    /// The level at which an entry lies that is armed here.
    #[cfg(test)]
    pub(crate) fn level_of(&self, entry: &Entry) -> Option<usize> {
        let wheel = self.wheel.lock();
        matches!(entry.state(), State::Armed(_)).then(|| wheel.level_of(entry.into()))
    }

    /// Publishes after an insertion, under the lock. Returns the tick that the driver may have to hear of.
    #[inline]
    fn lower(&self, filed: Filed) -> Option<u64> {
        // Relaxed, here and in `publish`: the fence in `Hub::lowered` orders it (PARK).
        let next = self.published.next.load(Ordering::Relaxed);
        let work = self.published.work.load(Ordering::Relaxed);
        if filed.next < next {
            self.published.next.store(filed.next, Ordering::Relaxed);
        }
        let to = filed.next.min(filed.work);
        if to < work {
            // PARK.publish
            self.published.work.store(to, Ordering::Relaxed);
            return Some(to);
        }
        None
    }

    /// Publishes after a turn, under the lock.
    fn publish(&self, wheel: &Wheel) {
        let next = wheel.next();
        self.published.next.store(next, Ordering::Relaxed);
        self.published.work.store(wheel.work(next), Ordering::Relaxed);
    }
}
