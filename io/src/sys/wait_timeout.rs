//! The poller's own timeout ends the wait: milliseconds, rounded up.

use std::io;
use std::time::Duration;

use super::clock::{self, ClockId};
use crate::reactor::Wait;

#[derive(Debug)]
pub(crate) struct WaitTimer {
    clock: ClockId,
}

/// What to hand to the poller, and whether the timer had to be set for it.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) timeout: Option<Duration>,
    pub(crate) updated: bool,
}

impl WaitTimer {
    pub(crate) fn new(_registry: &mio::Registry, _token: mio::Token, clock: ClockId) -> io::Result<Self> {
        clock::now(clock)?;
        Ok(Self { clock })
    }

    /// The timeout that `wait` asks for.
    pub(crate) fn prepare(&mut self, wait: Wait) -> io::Result<Prepared> {
        let timeout = match wait {
            Wait::Now => Some(Duration::ZERO),
            Wait::Until(instant) => Some(Duration::from_nanos(instant.saturating_sub(clock::now(self.clock)?))),
            Wait::Forever => None,
        };
        Ok(Prepared { timeout, updated: false })
    }

    /// There is no event to see here.
    pub(crate) fn expired(&mut self) {}
}
