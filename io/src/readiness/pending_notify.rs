//! Whether a notification is on its way to the reactor.
//!
//! # Word
//!
//! 0: none. Otherwise the time, in nanoseconds since some fixed instant and never 0, at which the pending
//! notification was written.
//!
//! # Edges
//!
//! | from | to | who | method | pair |
//! | --- | --- | --- | --- | --- |
//! | none | pending(now) | a notifier, who then writes | `request` | NOTIFY |
//! | pending(t), t too old | pending(now) | a notifier, who then writes again | `request` | NOTIFY |
//! | pending(t) | none | the seat's holder, after it took the notification's event | `consume` | NOTIFY |
//!
//! # Pairs
//!
//! NOTIFY is a store-then-load on two words. The notifier publishes work (a queue, a deadline), fences, and reads
//! this word; the seat's holder clears this word, fences, and looks for work. A notifier that reads *pending* and
//! writes nothing is therefore either before the clear, and its work is seen, or never reads that value.
//!
//! An old notification suppresses nothing: should one ever be lost, the next notifier repairs it.
//!
//! # Models
//!
//! `suppressed_notify_is_seen`.

use crate::sync::{AtomicU64, Ordering, fence};

/// How long a notification that nobody took suppresses further ones, in nanoseconds.
const STALE: u64 = 10_000_000;

#[derive(Debug)]
pub(crate) struct PendingNotify(AtomicU64);

/// What the notifier has to do.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Request {
    /// Write.
    Write,
    /// Nothing: a notification is on its way.
    Covered,
}

impl PendingNotify {
    pub(crate) fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Asks for a notification. `now` is called only when it is needed, and must not give 0.
    pub(crate) fn request(&self, now: impl Fn() -> u64) -> Request {
        // NOTIFY.request: work published above, the word read below
        fence(Ordering::SeqCst);
        let mut current = self.0.load(Ordering::Relaxed); // ordered by the fence
        loop {
            let now = now();
            if current != 0 && now.saturating_sub(current) < STALE {
                return Request::Covered;
            }
            // Relaxed: the fence above orders it; what is published travels with the fences, not with this word.
            match self.0.compare_exchange_weak(current, now, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Request::Write,
                Err(seen) => current = seen,
            }
        }
    }

    /// The write failed: cover nobody.
    pub(crate) fn failed(&self) {
        self.0.store(0, Ordering::Relaxed); // an extra write at worst
    }

    /// The seat's holder took the event: from here on it looks for work.
    pub(crate) fn consume(&self) {
        // NOTIFY.consume: the word cleared above the fence, work looked for below
        self.0.store(0, Ordering::Relaxed); // ordered by the fence
        fence(Ordering::SeqCst);
    }
}
