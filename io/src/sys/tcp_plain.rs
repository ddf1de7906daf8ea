//! TCP streams where the poller does not tell of urgent data: how much a receive has left is found out by the next one.

/// What the poller is to report of a stream.
pub(crate) const INTEREST: mio::Interest = mio::Interest::READABLE.add(mio::Interest::WRITABLE);

/// Whether an event tells of urgent data.
pub(crate) const TELLS_URGENT: bool = false;
