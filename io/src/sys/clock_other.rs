//! std's monotonic clock, for platforms without `clock_gettime`.

use std::io;
use std::sync::OnceLock;
use std::time::Instant;

/// The platform's name of a clock: there is only one.
pub type ClockId = i32;

/// The clock that a reactor waits on unless told otherwise.
pub(crate) const DEFAULT_CLOCK: ClockId = 0;

static START: OnceLock<Instant> = OnceLock::new();

/// Nanoseconds since the first call in this process.
pub(crate) fn now(_clock: ClockId) -> io::Result<u64> {
    let start = *START.get_or_init(Instant::now);
    Ok(u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX))
}
