//! TCP streams where the poller tells of urgent data.
//!
//! A receive ends at an urgent mark, short, with bytes behind it. So a short receive is a sign of a drained stream as
//! long as no event has told of urgent data.

/// What the poller is to report of a stream.
pub(crate) const INTEREST: mio::Interest =
    mio::Interest::READABLE.add(mio::Interest::WRITABLE).add(mio::Interest::PRIORITY);

/// Whether an event tells of urgent data.
pub(crate) const TELLS_URGENT: bool = true;
