//! The readiness word of one source.
//!
//! # Word
//!
//! | bits | what |
//! | --- | --- |
//! | 0..6 | [`Ready`]: what the last events said and nobody disproved since |
//! | 8 | the reactor is gone for good |
//! | 9 | some event told of priority data; stays set |
//! | 16..64 | tick: how many events were published; 48 bits, so it never comes round in a process' life |
//!
//! # Edges
//!
//! | from | to | who | method | pair |
//! | --- | --- | --- | --- | --- |
//! | (r, tick) | (r + new, tick + 1) | the seat's holder | `publish` | EVENT |
//! | (r, tick) | (r - seen, tick) | a task that found the source dry, if the tick is still the one it saw | `clear` | CLEAR |
//! | any | shut down | whoever shuts the reactor down | `shut_down` | EVENT |
//!
//! # Pairs
//!
//! * EVENT.publish / EVENT.observe: what the publisher did before (the other side's bytes are the kernel's, but the
//!   models put a plain cell in their place) is seen by whoever reads the bits.
//! * CLEAR: a clear carries the tick of the snapshot taken *before* the system call that found the source dry. An
//!   event published since then has moved the tick, and the clear does nothing: the news is newer than the call.
//!
//! Who waits for the word to change is in `source.rs`: the waiters' lock orders registration against `publish`.
//!
//! # Models
//!
//! `event_racing_clear_keeps_the_event` (publish, clear), `event_racing_registration_wakes` (publish, observe),
//! `shutdown_racing_registration_wakes` (`shut_down`).

use super::interest::{Interest, Ready};
use crate::sync::{AtomicU64, Ordering};

const SHUT_DOWN: u64 = 1 << 8;
const HAD_PRIORITY: u64 = 1 << 9;
const TICK: u64 = 1 << 16;

/// The word. See the module's header.
#[derive(Debug)]
pub(crate) struct ReadinessCell(AtomicU64);

/// What one load of the word said.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Snapshot(u64);

/// What became of a clear.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cleared {
    /// The bits are gone: wait for the next event.
    Done,
    /// An event came since the snapshot: try the operation again.
    Newer,
}

impl ReadinessCell {
    pub(crate) fn new(initial: Ready) -> Self {
        Self(AtomicU64::new(u64::from(initial.bits())))
    }

    /// What the word says now.
    pub(crate) fn observe(&self) -> Snapshot {
        // EVENT.observe
        Snapshot(self.0.load(Ordering::Acquire))
    }

    /// Adds an event's readiness and moves the tick.
    pub(crate) fn publish(&self, ready: Ready) {
        let lasting = if ready.is_priority() { HAD_PRIORITY } else { 0 };
        let mut current = self.0.load(Ordering::Relaxed); // a guess: the exchange below checks it
        loop {
            let next = (current | u64::from(ready.bits()) | lasting).wrapping_add(TICK);
            // EVENT.publish
            match self.0.compare_exchange_weak(current, next, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => return,
                Err(seen) => current = seen,
            }
        }
    }

    /// Takes `ready` back, unless an event was published since `seen`.
    pub(crate) fn clear(&self, seen: Snapshot, ready: Ready) -> Cleared {
        let mut current = self.0.load(Ordering::Relaxed); // a guess: the exchange below checks it
        loop {
            if !Snapshot(current).same_tick(seen) {
                return Cleared::Newer;
            }
            let next = current & !u64::from(ready.bits());
            // CLEAR: the exchange fails if the tick moved
            match self.0.compare_exchange_weak(current, next, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => return Cleared::Done,
                Err(other) => current = other,
            }
        }
    }

    /// Says that no event will ever come again.
    pub(crate) fn shut_down(&self) {
        // EVENT.publish
        self.0.fetch_or(SHUT_DOWN, Ordering::AcqRel);
    }
}

impl Snapshot {
    /// What of the readiness answers `interest`.
    pub(crate) fn ready(self, interest: Interest) -> Ready {
        self.all().intersection(interest)
    }

    /// The whole readiness.
    pub(crate) fn all(self) -> Ready {
        Ready::from_bits((self.0 & 0xff) as u8)
    }

    /// Whether the reactor is gone.
    pub(crate) fn is_shut_down(self) -> bool {
        self.0 & SHUT_DOWN != 0
    }

    /// Whether any event up to this one told of priority data.
    pub(crate) fn had_priority(self) -> bool {
        self.0 & HAD_PRIORITY != 0
    }

    /// Whether no event was published between the two.
    pub(crate) fn same_tick(self, other: Snapshot) -> bool {
        self.0 / TICK == other.0 / TICK
    }

    /// Whether somebody interested in `interest` has no reason to wait.
    pub(crate) fn answers(self, interest: Interest) -> bool {
        self.0 & (u64::from(interest.mask().bits()) | SHUT_DOWN) != 0
    }
}
