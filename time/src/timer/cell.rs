//! The state of one timer, in one word.
//!
//! # Word
//!
//! | value | state | meaning |
//! | --- | --- | --- |
//! | below `MARKS` | armed(t) | linked in a shard; t is the true deadline, in nanoseconds since the epoch |
//! | `IDLE` | idle | not linked; the firing side holds no reference |
//! | `PENDING` | pending | due, in the shard's pending list |
//! | `ELAPSED`, `SHUT` | outcome | unlinked; the firing side still holds a reference |
//! | `ELAPSED_RELEASED`, `SHUT_RELEASED` | outcome, released | unlinked; the firing side will not touch the entry again |
//!
//! The mark is the outcome: there is no second field to race on. Deadlines are clamped below the marks by `Tick`.
//!
//! # Edges
//!
//! | from | to | who | method | pair |
//! | --- | --- | --- | --- | --- |
//! | idle | armed(t) | owner, under the shard's lock | `arm` | the lock |
//! | idle | elapsed, released | owner, no lock | `elapse_idle` | - |
//! | armed(t) | armed(u), u >= t | owner, no lock | `extend` | - |
//! | armed(t) | armed(u), u < t | owner, under the lock, re-filing | `arm` | the lock |
//! | armed(t) | pending | driver, under the lock, only if t <= now | `mark_pending` | - |
//! | armed(t), t > now | armed(t) | driver, under the lock: filed anew, the cell untouched | `mark_pending` | - |
//! | pending | elapsed | driver, under the lock | `fire` | FIRE |
//! | armed, pending | shut | driver at shutdown, under the lock | `shut` | FIRE |
//! | outcome | outcome, released | driver, its last touch | `release` | LAST |
//! | armed, pending, outcome | idle | owner, under the lock, unlinking | `rest` | the lock |
//! | outcome, released | idle | owner, no lock | `rest` | LAST |
//! | outcome | seen | owner, no lock | `state` | FIRE |
//!
//! # Pairs
//!
//! - FIRE: publish in `fire` and `shut`, observe in `state`. What the driver did for the outcome is seen with it.
//! - LAST: publish in `release`, observe in `state`. Every touch of the driver happens before the owner's reuse of the
//!   entry, the freeing of its memory included.
//!
//! `extend` against `mark_pending` needs no pair: both are read-modify-writes of this word, and only its value matters.
//!
//! # Models
//!
//! poll_fire (FIRE), extend_mark_pending and extend_fire (`extend`, `mark_pending`), drop_fire (LAST), reset_earlier_fire
//! (`arm`), register_shutdown (`shut`).

use super::tick::{MARKS, Tick};
use crate::sync::{AtomicU64, Ordering};

const IDLE: u64 = u64::MAX;
const PENDING: u64 = u64::MAX - 1;
const ELAPSED: u64 = u64::MAX - 2;
const SHUT: u64 = u64::MAX - 3;
const ELAPSED_RELEASED: u64 = u64::MAX - 4;
const SHUT_RELEASED: u64 = u64::MAX - 5;

/// What a state cell says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Idle,
    Armed(Tick),
    Pending,
    Elapsed { released: bool },
    Shutdown { released: bool },
}

impl State {
    /// Whether the driver will not touch the entry again: its owner may free or reuse it without a lock.
    #[inline]
    pub(crate) fn is_released(self) -> bool {
        match self {
            State::Idle => true,
            State::Elapsed { released } | State::Shutdown { released } => released,
            State::Armed(_) | State::Pending => false,
        }
    }

    #[inline]
    fn of(word: u64) -> State {
        match word {
            IDLE => State::Idle,
            PENDING => State::Pending,
            ELAPSED => State::Elapsed { released: false },
            ELAPSED_RELEASED => State::Elapsed { released: true },
            SHUT => State::Shutdown { released: false },
            SHUT_RELEASED => State::Shutdown { released: true },
            tick => State::Armed(Tick::from_nanos(tick)),
        }
    }
}

/// What became of an attempt to extend.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Extended {
    /// The later deadline holds: the driver will find it.
    Extended,
    /// The driver was first: the caller looks at the state again.
    Marked,
}

/// What the driver found in a slot that came due.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Due {
    /// It is pending now, and was due at this tick: the caller fires it.
    Pending(u64),
    /// It is due at this later tick: the caller files it there.
    Later(u64),
}

/// The state word of one timer.
#[derive(Debug)]
pub(crate) struct StateCell(AtomicU64);

impl StateCell {
    pub(crate) fn new() -> StateCell {
        StateCell(AtomicU64::new(IDLE))
    }

    /// The owner's look, without a lock.
    #[inline]
    pub(crate) fn state(&self) -> State {
        // FIRE.observe, LAST.observe
        State::of(self.0.load(Ordering::Acquire))
    }

    /// Owner, under the lock of the shard that links the entry, with no other party's edge possible there.
    #[inline]
    pub(crate) fn arm(&self, tick: Tick) {
        // Relaxed: whoever acts on a deadline holds the lock, or is the owner itself.
        self.0.store(tick.as_nanos(), Ordering::Relaxed);
    }

    /// Owner, of an entry that is not linked: a deadline that had been reached when it was to be filed.
    #[inline]
    pub(crate) fn elapse_idle(&self) {
        // Relaxed: nobody else knows the entry.
        self.0.store(ELAPSED_RELEASED, Ordering::Relaxed);
    }

    /// Owner, without a lock.
    #[inline]
    pub(crate) fn extend(&self, from: Tick, to: Tick) -> Extended {
        debug_assert!(from <= to, "an earlier deadline is filed anew");
        // Relaxed: only the value matters, see Pairs.
        match self.0.compare_exchange(from.as_nanos(), to.as_nanos(), Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => Extended::Extended,
            Err(_) => Extended::Marked,
        }
    }

    /// Driver, under the lock: the deadline of a linked entry that is not pending.
    #[inline]
    pub(crate) fn deadline(&self) -> u64 {
        // Relaxed: only the value matters; an extension that comes later is found when the slot is opened.
        let tick = self.0.load(Ordering::Relaxed);
        debug_assert!(tick < MARKS, "a linked entry is armed");
        tick
    }

    /// Driver, under the lock, of a linked entry.
    #[inline]
    pub(crate) fn mark_pending(&self, now: u64) -> Due {
        // Relaxed, here and below: only the value matters, see Pairs.
        let mut tick = self.0.load(Ordering::Relaxed);
        loop {
            debug_assert!(tick < MARKS, "a linked entry is armed");
            if tick > now {
                return Due::Later(tick);
            }
            match self.0.compare_exchange_weak(tick, PENDING, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Due::Pending(tick),
                Err(extended) => tick = extended,
            }
        }
    }

    /// Driver, under the lock, of a pending entry. The caller takes the waker next, and then calls `release`.
    #[inline]
    pub(crate) fn fire(&self) {
        // FIRE.publish: the entry is unlinked above.
        self.0.store(ELAPSED, Ordering::Release);
    }

    /// Driver at shutdown, under the lock, of a linked entry. The caller takes the waker next, and then calls `release`.
    pub(crate) fn shut(&self) {
        // FIRE.publish: the entry is unlinked above. A swap, because the owner may be extending.
        self.0.swap(SHUT, Ordering::Release);
    }

    /// Driver, under the lock, once it has taken the waker: its last touch of the entry.
    #[inline]
    pub(crate) fn release(&self) {
        // Relaxed: since the outcome was stored, by this thread, only the owner writes, and it needs the lock to.
        let outcome = self.0.load(Ordering::Relaxed);
        // LAST.publish: the waker is taken above.
        self.0.store(if outcome == SHUT { SHUT_RELEASED } else { ELAPSED_RELEASED }, Ordering::Release);
    }

    /// Owner: under the lock, unlinking; or of an outcome that is released.
    #[inline]
    pub(crate) fn rest(&self) {
        // Relaxed: nobody else knows the entry any more.
        self.0.store(IDLE, Ordering::Relaxed);
    }
}
