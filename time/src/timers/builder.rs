//! How a runtime's timers are made.

use core::fmt;
use core::time::Duration;

use super::{Advances, REGISTRY, Shared, TimerDriver, Timers};
use crate::clock::{Clock, ClockKind};
use crate::error::Error;
use crate::sync::{Arc, AtomicBool, AtomicU32, Ordering};
use crate::timer::{Interrupt, Turner, nanos};

/// Describes a set of timers; see [`Timers::builder`].
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wheelhouse_time::{ClockKind, Timers};
///
/// let builder = Timers::builder().shards(4).clock(ClockKind::Monotonic).slack(Duration::from_micros(100));
/// let (timers, _driver) = builder.build().unwrap();
/// assert_eq!(timers.earliest(), None);
/// ```
#[derive(Clone)]
pub struct TimersBuilder {
    shards: usize,
    clock: ClockKind,
    slack: Duration,
    start_paused: bool,
    auto_advance: bool,
    interrupt: Option<std::sync::Arc<dyn Interrupt>>,
}

impl Default for TimersBuilder {
    fn default() -> Self {
        TimersBuilder {
            shards: 1,
            clock: ClockKind::default(),
            slack: Duration::from_micros(50),
            start_paused: false,
            auto_advance: true,
            interrupt: None,
        }
    }
}

impl TimersBuilder {
    /// How many threads get a shard to themselves; shards for foreign threads are added. 1 unless said.
    #[must_use]
    pub fn shards(mut self, shards: usize) -> Self {
        self.shards = shards;
        self
    }

    /// Which clock to follow: the monotonic one unless said.
    #[must_use]
    pub fn clock(mut self, clock: ClockKind) -> Self {
        self.clock = clock;
        self
    }

    /// How long after a turn that fired timers the next wait lasts at least; 50 µs unless said. It keeps a crowd of
    /// timers from turning the driver into a busy loop, and delays nothing otherwise.
    #[must_use]
    pub fn slack(mut self, slack: Duration) -> Self {
        self.slack = slack;
        self
    }

    /// Whether the clock stands still from the start, for tests.
    #[must_use]
    pub fn start_paused(mut self, paused: bool) -> Self {
        self.start_paused = paused;
        self
    }

    /// Whether a paused clock jumps to the next deadline when the runtime is idle; it does unless said.
    #[must_use]
    pub fn auto_advance(mut self, auto: bool) -> Self {
        self.auto_advance = auto;
        self
    }

    /// What to call when a timer is filed that is due before the driver planned to be awake.
    #[must_use]
    pub fn interrupt(mut self, interrupt: std::sync::Arc<dyn Interrupt>) -> Self {
        self.interrupt = Some(interrupt);
        self
    }

    /// Builds the timers and their driver.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] where the platform lacks the clock.
    pub fn build(self) -> Result<(Timers, TimerDriver), Error> {
        static IDS: AtomicU32 = AtomicU32::new(1);
        if !Clock::is_supported(self.clock) {
            return Err(Error::Unsupported);
        }
        let foreign = 1 + self.shards / 8;
        let clock = Clock::new(self.clock, self.start_paused);
        // Relaxed: only uniqueness matters.
        let id = IDS.fetch_add(1, Ordering::Relaxed);
        let shards = Shared::shards(self.shards + foreign);
        shards.open(id, clock.epoch(), self.interrupt.clone());
        let shared = Arc::new(Shared {
            id,
            shards,
            clock,
            workers: self.shards,
            auto_advance: self.auto_advance,
            interrupt: self.interrupt,
            advance: Advances::default(),
            shut: AtomicBool::new(false),
        });
        REGISTRY.lock().push((shared.id, Arc::downgrade(&shared)));
        let driver = TimerDriver::new(&shared, Turner::new(nanos(self.slack)));
        Ok((Timers { shared }, driver))
    }
}

impl fmt::Debug for TimersBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TimersBuilder")
            .field("shards", &self.shards)
            .field("clock", &self.clock)
            .field("slack", &self.slack)
            .field("start_paused", &self.start_paused)
            .field("auto_advance", &self.auto_advance)
            .finish_non_exhaustive()
    }
}
