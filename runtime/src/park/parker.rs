//! One thread's sleep, and the token that ends it.
//!
//! # Word
//!
//! `state`: EMPTY (awake, no token), PARKED (asleep on the condition variable, or about to be), DRIVING (asleep in the
//! driver, or about to be), NOTIFIED (a token waits).
//!
//! # Edges
//!
//! | from | to | who | method |
//! | --- | --- | --- | --- |
//! | EMPTY | PARKED | owner | `park` |
//! | EMPTY | DRIVING | owner, in the seat | `enter_driver` |
//! | PARKED, DRIVING | EMPTY | owner, when its time is up | `park`, `leave_driver` |
//! | NOTIFIED | EMPTY | owner | `park`, `enter_driver`, `leave_driver` |
//! | any | NOTIFIED | anybody | `unpark` |
//!
//! # Pairs
//!
//! `PARKER.publish` (the swap to NOTIFIED) with `PARKER.observe` (the owner's way back to EMPTY): what the waker wrote
//! before it unparked is seen by the owner after it woke.
//!
//! # Models
//!
//! `park::parker` covers every edge; `park::seat` the edges through DRIVING.

use core::time::Duration;

use crate::sync::{AtomicU32, Condvar, Mutex, Ordering};

const EMPTY: u32 = 0;
const PARKED: u32 = 1;
const DRIVING: u32 = 2;
const NOTIFIED: u32 = 3;

/// A thread's sleep. One owner parks; anybody unparks.
#[derive(Debug)]
pub(crate) struct Parker {
    state: AtomicU32,
    lock: Mutex<()>,
    wake: Condvar,
}

/// What an unpark leaves to be done.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unparked {
    /// Nothing: the owner is awake, and finds the token when it wants to sleep.
    Token,
    /// The token of an earlier unpark is still there. Should the interruption of the driver that belonged to it have
    /// been lost, the caller may repeat it.
    TokenAlready,
    /// Nothing: the owner slept on its condition variable and was woken.
    Woken,
    /// The owner sleeps in the driver: the caller must interrupt the driver.
    InterruptDriver,
}

impl Parker {
    pub(crate) fn new() -> Self {
        Self { state: AtomicU32::new(EMPTY), lock: Mutex::new(()), wake: Condvar::new() }
    }

    /// Sleeps until a token comes or `timeout` has passed; true if there was a token, which is consumed.
    pub(crate) fn park(&self, timeout: Option<Duration>) -> bool {
        self.sleep(timeout, || {})
    }

    /// Sleeps until a token comes. `parked` is called if there was none, when an unpark finds the owner asleep.
    pub(crate) fn park_announced(&self, parked: impl FnOnce()) {
        self.sleep(None, parked);
    }

    fn sleep(&self, timeout: Option<Duration>, parked: impl FnOnce()) -> bool {
        // PARKER.observe
        if self.state.compare_exchange(NOTIFIED, EMPTY, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
            return true;
        }
        if self.state.compare_exchange(EMPTY, PARKED, Ordering::AcqRel, Ordering::Acquire).is_err() {
            // PARKER.observe: a token came since.
            self.state.swap(EMPTY, Ordering::AcqRel);
            return true;
        }
        parked();
        let mut guard = self.lock.lock();
        loop {
            // PARKER.observe: looked at under the lock, which `unpark` takes between the token and the notification.
            if self.state.compare_exchange(NOTIFIED, EMPTY, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
                return true;
            }
            let timed_out;
            (guard, timed_out) = match timeout {
                None => (self.wake.wait(guard), false),
                Some(timeout) => self.wake.wait_timeout(guard, timeout),
            };
            if timed_out {
                // PARKER.observe
                return self.state.swap(EMPTY, Ordering::AcqRel) == NOTIFIED;
            }
        }
    }

    /// Announces that the owner is about to sleep in the driver. False: a token was waiting (it is consumed), do not.
    #[must_use]
    pub(crate) fn enter_driver(&self) -> bool {
        if self.state.compare_exchange(EMPTY, DRIVING, Ordering::AcqRel, Ordering::Acquire).is_ok() {
            return true;
        }
        // PARKER.observe
        self.state.swap(EMPTY, Ordering::AcqRel);
        false
    }

    /// The owner is back from the driver; true if a token came meanwhile, which is consumed.
    #[must_use]
    pub(crate) fn leave_driver(&self) -> bool {
        // PARKER.observe
        self.state.swap(EMPTY, Ordering::AcqRel) == NOTIFIED
    }

    /// Leaves a token, and wakes the owner if it sleeps.
    ///
    /// This is the only way to mark a parker: a token left without the wake-up that belongs to it would swallow the
    /// next real one.
    pub(crate) fn unpark(&self) -> Unparked {
        // PARKER.publish
        match self.state.swap(NOTIFIED, Ordering::AcqRel) {
            PARKED => {
                // The owner looks at the state and begins to wait under the lock: after this it either waits or knows.
                drop(self.lock.lock());
                self.wake.notify_one();
                Unparked::Woken
            }
            DRIVING => Unparked::InterruptDriver,
            NOTIFIED => Unparked::TokenAlready,
            _ => Unparked::Token,
        }
    }
}
