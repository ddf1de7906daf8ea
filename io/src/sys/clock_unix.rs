//! The clocks of `clock_gettime`.

use std::io;

/// The platform's name of a clock.
pub type ClockId = libc::clockid_t;

/// The clock that a reactor waits on unless told otherwise.
pub(crate) const DEFAULT_CLOCK: ClockId = libc::CLOCK_MONOTONIC;

/// Nanoseconds on `clock`.
pub(crate) fn now(clock: ClockId) -> io::Result<u64> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a live timespec that the call may write.
    let result = unsafe { libc::clock_gettime(clock, &mut time) };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let nanos = u64::try_from(time.tv_nsec).unwrap_or(0);
    Ok(seconds.saturating_mul(1_000_000_000).saturating_add(nanos))
}
