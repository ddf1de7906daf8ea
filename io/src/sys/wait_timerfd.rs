//! A timer descriptor ends the wait: its precision is the kernel's, while the poller's own timeout is rounded to
//! milliseconds.
//!
//! It is registered edge-triggered and never read: setting it anew takes an expiry back that nobody has seen yet.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr;
use std::time::Duration;

use mio::unix::SourceFd;

use super::clock::ClockId;
use crate::reactor::Wait;

#[derive(Debug)]
pub(crate) struct WaitTimer {
    fd: OwnedFd,
    /// What the descriptor is armed for: `None` once it is disarmed or its event was seen.
    armed: Option<u64>,
}

/// What to hand to the poller, and whether the timer had to be set for it.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) timeout: Option<Duration>,
    pub(crate) updated: bool,
}

impl WaitTimer {
    pub(crate) fn new(registry: &mio::Registry, token: mio::Token, clock: ClockId) -> io::Result<Self> {
        // SAFETY: the call takes no pointers.
        let raw = unsafe { libc::timerfd_create(clock, libc::TFD_NONBLOCK | libc::TFD_CLOEXEC) };
        if raw < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: `raw` is a descriptor that the call above made and that nobody else owns.
        let fd = unsafe { OwnedFd::from_raw_fd(raw) };
        registry.register(&mut SourceFd(&fd.as_raw_fd()), token, mio::Interest::READABLE)?;
        Ok(Self { fd, armed: None })
    }

    /// Makes the timer hold exactly what `wait` asks for. An instant already past makes the poller return at once.
    pub(crate) fn prepare(&mut self, wait: Wait) -> io::Result<Prepared> {
        let wanted = match wait {
            Wait::Now | Wait::Until(0) => return Ok(Prepared { timeout: Some(Duration::ZERO), updated: false }),
            Wait::Until(instant) => Some(instant),
            Wait::Forever => None,
        };
        let updated = wanted != self.armed;
        if updated {
            self.set(wanted)?;
        }
        Ok(Prepared { timeout: None, updated })
    }

    /// The timer's event was seen: what it was armed for is over.
    pub(crate) fn expired(&mut self) {
        self.armed = None;
    }

    fn set(&mut self, instant: Option<u64>) -> io::Result<()> {
        // All zero disarms.
        let nanos = instant.unwrap_or(0);
        let zero = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        let seconds = libc::time_t::try_from(nanos / 1_000_000_000).unwrap_or(libc::time_t::MAX);
        // Below 10^9, which every c_long holds.
        let value = libc::timespec { tv_sec: seconds, tv_nsec: (nanos % 1_000_000_000) as libc::c_long };
        let spec = libc::itimerspec { it_interval: zero, it_value: value };
        // SAFETY: the descriptor is open (owned), `spec` lives through the call, and a null old value is allowed.
        let result =
            unsafe { libc::timerfd_settime(self.fd.as_raw_fd(), libc::TFD_TIMER_ABSTIME, &spec, ptr::null_mut()) };
        if result != 0 {
            return Err(io::Error::last_os_error());
        }
        self.armed = instant;
        Ok(())
    }
}
