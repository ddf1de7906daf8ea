//! Where a timer was filed, and nothing else: without the feature `tracing` nobody is told of timers.

use core::task::Poll;

use crate::clock::Instant;
use crate::error::Error;
use crate::sync::Kept;
use crate::timer::Shard;

/// The shard in which a timer was filed last.
#[derive(Debug)]
pub(crate) struct Filed(Option<Kept<Shard>>);

impl Filed {
    #[inline(always)]
    pub(crate) fn new(_deadline: Instant) -> Filed {
        Filed(None)
    }

    #[inline(always)]
    pub(crate) fn shard(&self) -> Option<Kept<Shard>> {
        self.0.clone()
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, shard: Kept<Shard>) {
        self.0 = Some(shard);
    }

    /// Runs a poll of the timer.
    #[inline(always)]
    pub(crate) fn polled(
        &mut self,
        poll: impl FnOnce(&mut Filed) -> Poll<Result<(), Error>>,
    ) -> Poll<Result<(), Error>> {
        poll(self)
    }

    /// The timer has another deadline.
    #[inline(always)]
    pub(crate) fn reset(&self, _deadline: Instant) {}
}
