//! The sleep of a thread inside `block_on`, and how the simulated clock sees it.
//!
//! A caller is counted as awake from the moment that somebody decides to wake it, before it can notice: the count goes
//! up before the token is left. A wake-up that finds it awake takes the count back.
//!
//! # Models
//!
//! `park::block_on`: no lost wake-up. `park::advance`: the clock does not jump over a wake-up.

use super::{Activity, Parker, Unparked};

/// A `block_on` caller's sleep.
#[derive(Debug)]
pub(crate) struct BlockOnSleep {
    parker: Parker,
}

impl BlockOnSleep {
    pub(crate) fn new() -> Self {
        Self { parker: Parker::new() }
    }

    /// Sleeps until a wake-up comes, or came since the last sleep. `parked` is called when the caller counts as parked.
    pub(crate) fn park(&self, activity: &Activity, parked: impl FnOnce()) {
        self.parker.park_announced(|| {
            activity.end();
            parked();
        });
    }

    /// Wakes the caller.
    pub(crate) fn wake(&self, activity: &Activity) {
        activity.begin();
        match self.parker.unpark() {
            // The count goes over to the caller.
            Unparked::Woken => {}
            Unparked::Token | Unparked::TokenAlready | Unparked::InterruptDriver => activity.end(),
        }
    }
}
