//! Interests as the poller knows them: there is no priority data here.

use crate::readiness::Interest;

/// Errors are always reported; one who waits for nothing else registers for reading.
pub(crate) fn to_mio(interest: Interest) -> mio::Interest {
    match (interest.is_readable(), interest.is_writable()) {
        (true, true) => mio::Interest::READABLE | mio::Interest::WRITABLE,
        (false, true) => mio::Interest::WRITABLE,
        _ => mio::Interest::READABLE,
    }
}
