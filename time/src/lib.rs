//! Timers for async Rust: a sharded timing wheel with lock-free per-timer state cells.
//!
//! [`sleep`], [`timeout`] and their kin work under any executor. What drives them is [`Timers`] and its
//! [`TimerDriver`]: the wheelhouse runtime does so, and any event loop can; the example of [`Timers`] is such a loop.
//!
//! Deadlines are kept in nanoseconds and never rounded. No arithmetic here overflows: everything saturates.
//!
//! Feature `tracing`: while a `tracing` subscriber listens at TRACE, each timer is a span of a resource, as consoles look for
//! them. Off by default; on, it costs a timer one relaxed load, and no space.

extern crate alloc;

mod clock;
pub mod context;
pub mod delay_queue;
#[doc(hidden)]
pub mod doc;
mod error;
mod ext;
#[cfg(not(feature = "tracing"))]
#[path = "filed/plain.rs"]
mod filed;
#[cfg(feature = "tracing")]
#[path = "filed/traced.rs"]
mod filed;
mod hooks;
mod interval;
mod sleep;
mod sync;
mod test_clock;
#[cfg(test)]
mod tests;
mod ticker;
mod timeout;
mod timer;
mod timers;

pub use clock::{ClockKind, Instant};
pub use delay_queue::DelayQueue;
pub use error::{Elapsed, Error};
pub use ext::TimeoutExt;
pub use interval::{Interval, MissedTickBehavior, interval, interval_at};
pub use sleep::{Sleep, sleep, sleep_until};
pub use test_clock::{Advance, advance, pause, resume};
pub use ticker::Ticker;
pub use timeout::{Timeout, timeout, timeout_at};
pub use timer::{Interrupt, Lateness, Next, Tick, TimerMetrics, Turned};
pub use timers::{TimerDriver, Timers, TimersBuilder};

// `Sleep` holds one timer's links, state, waker slot, shard and deadline, and nothing else.
const _: () = assert!(size_of::<Sleep>() <= 72);
