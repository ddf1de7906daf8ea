//! The watchdog's state word: whether its thread sleeps without limit.
//!
//! ★ concurrency core: imports only `core`, `alloc`, `std::panic`, `super`, `crate::sync` and `crate::hooks`.
//!
//! # Word
//!
//! | value | meaning |
//! | --- | --- |
//! | 0, asleep | the thread sleeps until it is woken, or is about to, or was never started |
//! | 1, awake | the thread looks at the workers every period, or somebody is on the way to wake or start it |
//! | 2, stopped | the thread ends; never left |
//!
//! # Edges
//!
//! | from | to | who | method | pair |
//! | --- | --- | --- | --- | --- |
//! | asleep | awake | a worker that is awake | [`worker_awake`](Doze::worker_awake) | DOZE |
//! | awake | asleep | the thread | [`fall_asleep`](Doze::fall_asleep) | DOZE |
//! | asleep | awake | the thread, which saw a worker awake | [`fall_asleep`](Doze::fall_asleep) | DOZE |
//! | any | stopped | the runtime | [`stop`](Doze::stop) | - |
//!
//! # Pairs
//!
//! DOZE, a store and a load on either side with a fence between them:
//!
//! | worker | thread |
//! | --- | --- |
//! | its counters := awake | word := asleep |
//! | fence | fence |
//! | reads the word; asleep: it becomes awake, and the thread is woken | reads the counters; one awake: the word becomes awake |
//!
//! Of the two fences one comes first, so one side at least sees the other's store: no worker polls unwatched.
//!
//! # Models
//!
//! `loom-tests/src/models/blocking/doze.rs`.

use crate::sync::{AtomicU32, Ordering, fence};

const ASLEEP: u32 = 0;
const AWAKE: u32 = 1;
const STOPPED: u32 = 2;

/// The state word.
#[derive(Debug)]
pub(crate) struct Doze(AtomicU32);

/// What a worker must do that has left its park.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Rouse {
    /// Wake the thread, or start it: nobody else does.
    Wake,
    /// Nothing.
    Nothing,
}

/// What the thread does next.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Doing {
    /// Sleep until the word is no longer asleep.
    Sleep,
    /// Go on looking.
    Watch,
}

impl Doze {
    /// Asleep: the thread starts when it is needed.
    pub(crate) fn new() -> Self {
        Self(AtomicU32::new(ASLEEP))
    }

    /// The caller is awake, and its counters say so. It may leave the waking to a parked peer that keeps watch and
    /// calls this soon: `peer_watches` is asked only when there is something to do.
    #[inline]
    pub(crate) fn worker_awake(&self, peer_watches: impl FnOnce() -> bool) -> Rouse {
        fence(Ordering::SeqCst); // DOZE: the worker's counters stand before this
        // Relaxed: the fence orders it.
        if self.0.load(Ordering::Relaxed) != ASLEEP || peer_watches() {
            return Rouse::Nothing;
        }
        // Relaxed: the thread takes nothing over but the word itself.
        match self.0.compare_exchange(ASLEEP, AWAKE, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => Rouse::Wake,
            Err(_) => Rouse::Nothing,
        }
    }

    /// The thread means to sleep; it does unless a worker is awake.
    pub(crate) fn fall_asleep(&self, all_parked: impl FnOnce() -> bool) -> Doing {
        // Relaxed, all of them: see the fence.
        if self.0.compare_exchange(AWAKE, ASLEEP, Ordering::Relaxed, Ordering::Relaxed).is_err() {
            return Doing::Watch;
        }
        fence(Ordering::SeqCst); // DOZE: the word stands before this
        if all_parked() {
            return Doing::Sleep;
        }
        // Err: the worker has done it, or the runtime stops.
        let _ = self.0.compare_exchange(ASLEEP, AWAKE, Ordering::Relaxed, Ordering::Relaxed);
        Doing::Watch
    }

    /// Whether the thread is to sleep on.
    pub(crate) fn is_asleep(&self) -> bool {
        // Relaxed: whoever changes it wakes the thread, which looks again.
        self.0.load(Ordering::Relaxed) == ASLEEP
    }

    /// The thread is to end; the caller wakes it.
    pub(crate) fn stop(&self) {
        // A read-modify-write like all others: none of them can come after it and undo it.
        self.0.swap(STOPPED, Ordering::AcqRel);
    }

    /// Whether the thread is to end.
    pub(crate) fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Acquire) == STOPPED
    }
}
