//! The task word: where a task is in its life, who may touch its future, its output and its join waker, and how
//! many references to it there are.
//!
//! # Word
//!
//! | bits | name | meaning |
//! | --- | --- | --- |
//! | 0 | `RUNNING` | somebody owns the future: it polls it or drops it |
//! | 1 | `NOTIFIED` | a [`Notified`](super::Notified) reference exists (or, while running, is owed at the poll's end) |
//! | 2 | `COMPLETE` | the future is gone, the outcome is decided; never cleared |
//! | 3 | `ABORTED` | the next one to own the future drops it instead of polling it |
//! | 4 | `JOIN` | a join handle lives and has not taken the output |
//! | 5 | `JOIN_WAKER` | the join waker's slot is full and belongs to the completing side |
//! | 6 | `SHARED` | no plain stores: somebody without a counted reference may change the word |
//! | 7.. | references | owned list, notified, join handle, abort handles, wakers |
//!
//! 57 bits of references do not overflow: one clone a nanosecond would take four years.
//!
//! # Edges
//!
//! | from | to | who | method | pair |
//! | --- | --- | --- | --- | --- |
//! | notified | running | the notified reference's holder | [`start`](State::start) | WAKE.observe |
//! | running | idle, reference dropped | the runner | [`idle`](State::idle) | POLL.publish, WAKE.observe |
//! | running, woken or yielding | notified | the runner | [`idle`](State::idle) | POLL.publish |
//! | idle | notified | a waker | [`wake_by_ref`](State::wake_by_ref), [`wake_by_value`](State::wake_by_value) | WAKE.publish |
//! | notified | notified (a read-modify-write all the same) | a waker | the same | WAKE.publish |
//! | running | running + notified | a waker | the same | WAKE.publish |
//! | idle | notified + aborted | any handle | [`abort`](State::abort) | WAKE.publish |
//! | notified, running | the same + aborted | any handle | [`abort`](State::abort) | WAKE.publish |
//! | idle, notified | running + aborted | the owned list, closing; the abort of a blocking task | [`claim`](State::claim) | POLL.observe |
//! | running | complete | the runner | [`complete`](State::complete) | OUTPUT.publish, SLOT.observe |
//! | not complete | + join waker | the join handle | [`join_offer`](State::join_offer) | SLOT.publish |
//! | not complete | - join waker | the join handle | [`join_retract`](State::join_retract) | SLOT.retract |
//! | any | - join | the join handle | [`join_drop`](State::join_drop) | OUTPUT.observe |
//! | any | one reference more or less | its holder | [`add_reference`](State::add_reference), [`drop_references`](State::drop_references) | FREE |
//!
//! *Exclusive*: the word says "notified (or running), two references, nothing else". The two are the owned list's and
//! the caller's own, so nobody else can change the word: the list's is used only by [`claim`](State::claim), which is
//! called once no worker starts polls any more (and a poll that outlives its worker in a blocking section has `SHARED`
//! set first). Then a plain store replaces the read-modify-write.
//!
//! # Pairs
//!
//! - WAKE: what was written before a wake is seen by the poll it causes. Every waker's edge is a read-modify-write,
//!   also when it changes nothing: the start that clears `NOTIFIED` acquires all of them.
//! - POLL: what one poll wrote is seen by the next, on whatever thread.
//! - OUTPUT: the output is written before `COMPLETE`, and read after it.
//! - SLOT: the join waker is written before `JOIN_WAKER` is set; whoever's transition finds the bit owns the slot.
//! - FREE: every use of a reference happens before the cell is freed by the last one.
//!
//! # Models
//!
//! `loom-tests/src/models/task/`: `word` (start, idle, wake, abort, claim, complete), `join` (offer, retract, drop
//! against complete), `owned` (claim against start).

use super::duty::{Claim, Complete, Dropped, Idle, JoinDrop, Lifecycle, Offer, Start, Wake};
use crate::sync::{AtomicU64, Ordering::AcqRel, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

const RUNNING: u64 = 1;
const NOTIFIED: u64 = 1 << 1;
const COMPLETE: u64 = 1 << 2;
const ABORTED: u64 = 1 << 3;
const JOIN: u64 = 1 << 4;
const JOIN_WAKER: u64 = 1 << 5;
const SHARED: u64 = 1 << 6;
const REFERENCE: u64 = 1 << 7;

/// The owned list's reference and the one at hand, and nothing else: see "Exclusive" above.
const PAIR: u64 = 2 * REFERENCE;
/// What a fresh task's word is: the owned list's, the notified one's and the join handle's reference.
const FRESH: u64 = (3 * REFERENCE) | NOTIFIED | JOIN;

fn references(word: u64) -> u64 {
    word / REFERENCE
}

/// The task word.
#[derive(Debug)]
pub(super) struct State(AtomicU64);

impl State {
    /// A fresh task: notified, with a join handle; three references. Without a place in an owned list it is `shared`.
    #[inline]
    pub(super) fn new(shared: bool) -> Self {
        Self(AtomicU64::new(if shared { FRESH | SHARED } else { FRESH }))
    }

    /// Where the task is.
    pub(super) fn lifecycle(&self) -> Lifecycle {
        // Relaxed: a snapshot, out of date when it is read.
        let word = self.0.load(Relaxed);
        if word & COMPLETE != 0 {
            Lifecycle::Complete
        } else if word & RUNNING != 0 {
            Lifecycle::Running
        } else if word & NOTIFIED != 0 {
            Lifecycle::Queued
        } else {
            Lifecycle::Waiting
        }
    }

    /// Whether the output is decided.
    pub(super) fn is_complete(&self) -> bool {
        self.0.load(Acquire) & COMPLETE != 0 // OUTPUT.observe
    }

    /// Whether a join handle may still take the output. Once it is false it stays so.
    #[inline]
    pub(super) fn is_joined(&self) -> bool {
        // Relaxed: a true that is out of date is found out by `complete`.
        self.0.load(Relaxed) & JOIN != 0
    }

    /// From here on every transition is a read-modify-write.
    pub(super) fn share(&self) {
        // Relaxed: it orders nothing by itself; called by the runner, whose later transitions see it.
        self.0.fetch_or(SHARED, Relaxed);
    }

    /// notified -> running.
    #[inline]
    pub(super) fn start(&self) -> Start {
        let mut word = self.0.load(Acquire); // WAKE.observe, POLL.observe (exclusive)
        if word == NOTIFIED | PAIR {
            // Relaxed: exclusive, nobody reads it to learn of anything.
            self.0.store(RUNNING | PAIR, Relaxed);
            return Start::Poll;
        }
        loop {
            if word & (RUNNING | COMPLETE) != 0 {
                return Start::Skip;
            }
            let next = (word & !NOTIFIED) | RUNNING;
            // WAKE.observe, POLL.observe
            match self.0.compare_exchange_weak(word, next, AcqRel, Acquire) {
                Ok(_) if word & ABORTED != 0 => return Start::Cancel,
                Ok(_) => return Start::Poll,
                Err(now) => word = now,
            }
        }
    }

    /// running -> idle or notified, after a pending poll; `yielded`: the poll asked to be queued again without waking.
    #[inline]
    pub(super) fn idle(&self, yielded: bool) -> Idle {
        let mut word = self.0.load(Acquire); // WAKE.observe (exclusive)
        if word & !NOTIFIED == RUNNING | PAIR && (yielded || word & NOTIFIED != 0) {
            self.0.store(NOTIFIED | PAIR, Release); // POLL.publish
            return Idle::Reschedule;
        }
        loop {
            if word & ABORTED != 0 {
                return Idle::Cancel;
            }
            let (next, duty) = if yielded || word & NOTIFIED != 0 {
                ((word & !RUNNING) | NOTIFIED, Idle::Reschedule)
            } else {
                let next = (word & !RUNNING) - REFERENCE;
                (next, if references(next) == 0 { Idle::Free } else { Idle::Waits })
            };
            // POLL.publish, WAKE.observe
            match self.0.compare_exchange_weak(word, next, AcqRel, Acquire) {
                Ok(_) => return duty,
                Err(now) => word = now,
            }
        }
    }

    /// A wake that keeps the waker's reference.
    #[inline]
    pub(super) fn wake_by_ref(&self) -> Wake {
        // Relaxed: the exchange below orders.
        let mut word = self.0.load(Relaxed);
        loop {
            let (next, duty) = if word & COMPLETE != 0 {
                return Wake::Nothing;
            } else if word & (RUNNING | NOTIFIED) != 0 {
                (word | NOTIFIED, Wake::Nothing)
            } else {
                ((word | NOTIFIED) + REFERENCE, Wake::Submit)
            };
            // WAKE.publish, POLL.observe; also where nothing changes
            match self.0.compare_exchange_weak(word, next, AcqRel, Relaxed) {
                Ok(_) => return duty,
                Err(now) => word = now,
            }
        }
    }

    /// A wake that uses up the waker's reference.
    #[inline]
    pub(super) fn wake_by_value(&self) -> Wake {
        // Relaxed: the exchange below orders.
        let mut word = self.0.load(Relaxed);
        loop {
            let (next, duty) = if word & (COMPLETE | RUNNING | NOTIFIED) == 0 {
                (word | NOTIFIED, Wake::Submit) // the reference becomes the notified one
            } else {
                let mark = if word & COMPLETE != 0 { 0 } else { NOTIFIED };
                let next = (word | mark) - REFERENCE;
                (next, if references(next) == 0 { Wake::Free } else { Wake::Nothing })
            };
            // WAKE.publish, POLL.observe, FREE
            match self.0.compare_exchange_weak(word, next, AcqRel, Relaxed) {
                Ok(_) => return duty,
                Err(now) => word = now,
            }
        }
    }

    /// Asks for the future to be dropped; a task that is complete stays as it is.
    pub(super) fn abort(&self) -> Wake {
        // Relaxed: the exchange below orders.
        let mut word = self.0.load(Relaxed);
        loop {
            let (next, duty) = if word & (COMPLETE | ABORTED) != 0 {
                return Wake::Nothing;
            } else if word & (RUNNING | NOTIFIED) != 0 {
                (word | ABORTED, Wake::Nothing)
            } else {
                ((word | ABORTED | NOTIFIED) + REFERENCE, Wake::Submit)
            };
            // WAKE.publish
            match self.0.compare_exchange_weak(word, next, AcqRel, Relaxed) {
                Ok(_) => return duty,
                Err(now) => word = now,
            }
        }
    }

    /// idle or notified -> running + aborted, by the owned list's closing, by a notified reference that is dropped, or by
    /// the abort of a blocking task.
    /// A notified reference that is still somewhere finds out in [`start`](Self::start).
    pub(super) fn claim(&self) -> Claim {
        let mut word = self.0.load(Acquire);
        loop {
            let (next, duty) = if word & COMPLETE != 0 {
                return Claim::Nothing;
            } else if word & RUNNING != 0 {
                (word | ABORTED, Claim::Nothing)
            } else {
                ((word & !NOTIFIED) | RUNNING | ABORTED, Claim::Cancel)
            };
            // POLL.observe
            match self.0.compare_exchange_weak(word, next, AcqRel, Acquire) {
                Ok(_) => return duty,
                Err(now) => word = now,
            }
        }
    }

    /// running -> complete; the output is in its place.
    #[inline]
    pub(super) fn complete(&self) -> Complete {
        let word = self.0.load(Acquire);
        if word & !NOTIFIED == RUNNING | PAIR {
            self.0.store(COMPLETE | PAIR, Release); // FREE (exclusive: nobody waits for the output)
            return Complete::DropOutput;
        }
        let word = self.0.fetch_add(COMPLETE - RUNNING, AcqRel); // OUTPUT.publish, SLOT.observe
        if word & JOIN_WAKER != 0 {
            Complete::WakeJoin
        } else if word & JOIN != 0 {
            Complete::Keep
        } else {
            Complete::DropOutput
        }
    }

    /// The join handle hands the filled waker slot over.
    pub(super) fn join_offer(&self) -> Offer {
        self.join_exchange(|word| word | JOIN_WAKER) // SLOT.publish
    }

    /// The join handle takes the waker slot back.
    pub(super) fn join_retract(&self) -> Offer {
        self.join_exchange(|word| word & !JOIN_WAKER) // SLOT.retract
    }

    /// Whether the waker slot is handed over; only the join handle asks, and only it sets or clears the bit.
    pub(super) fn is_join_waker_offered(&self) -> bool {
        // Relaxed: the bit is the caller's own.
        self.0.load(Relaxed) & JOIN_WAKER != 0
    }

    /// The join handle goes away.
    #[inline]
    pub(super) fn join_drop(&self) -> JoinDrop {
        let mut word = FRESH; // most are dropped right after the spawn
        loop {
            let (next, duty) = if word & COMPLETE != 0 {
                return JoinDrop::DropOutput; // OUTPUT.observe: the completing side has read `JOIN` already
            } else if word & JOIN_WAKER != 0 {
                (word & !(JOIN | JOIN_WAKER), JoinDrop::DropWaker)
            } else {
                let next = (word & !JOIN) - REFERENCE;
                (next, if references(next) == 0 { JoinDrop::Free } else { JoinDrop::Nothing })
            };
            // OUTPUT.observe, SLOT.retract, FREE
            match self.0.compare_exchange_weak(word, next, AcqRel, Acquire) {
                Ok(_) => return duty,
                Err(now) => word = now,
            }
        }
    }

    /// One reference more, made from one that exists.
    #[inline]
    pub(super) fn add_reference(&self) {
        // Relaxed: the new reference is handed over by whatever orders its use.
        self.0.fetch_add(REFERENCE, Relaxed);
    }

    /// `count` references less.
    #[inline]
    pub(super) fn drop_references(&self, count: u64) -> Dropped {
        if references(self.0.load(Acquire)) == count {
            return Dropped::Free; // FREE: all that are left are the caller's, nobody can make new ones
        }
        let word = self.0.fetch_sub(count * REFERENCE, AcqRel); // FREE
        if references(word) == count { Dropped::Free } else { Dropped::Alive }
    }

    fn join_exchange(&self, edge: impl Fn(u64) -> u64) -> Offer {
        let mut word = self.0.load(Acquire);
        loop {
            if word & COMPLETE != 0 {
                return Offer::Complete; // OUTPUT.observe
            }
            match self.0.compare_exchange_weak(word, edge(word), AcqRel, Acquire) {
                Ok(_) => return Offer::Done,
                Err(now) => word = now,
            }
        }
    }
}
