//! Interests as the poller knows them.

use crate::readiness::Interest;

/// Errors are always reported; one who waits for nothing else registers for reading.
pub(crate) fn to_mio(interest: Interest) -> mio::Interest {
    let mut wanted = interest.is_priority().then_some(mio::Interest::PRIORITY);
    if interest.is_writable() {
        wanted = Some(wanted.map_or(mio::Interest::WRITABLE, |other| other | mio::Interest::WRITABLE));
    }
    if interest.is_readable() {
        wanted = Some(wanted.map_or(mio::Interest::READABLE, |other| other | mio::Interest::READABLE));
    }
    wanted.unwrap_or(mio::Interest::READABLE)
}
