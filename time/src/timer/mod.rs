//! The concurrency core of the timers: the state cell of one timer, the wheel of one shard, the driver over all shards.
//!
//! These files import only `core`, `alloc`, their own kin and the `sync` and `hooks` facades, so that the models compile
//! the very same source against loom.

mod cell;
mod driver;
mod entry;
mod level;
mod list;
mod metrics;
mod shard;
mod tick;
mod wheel;

pub(crate) use cell::State;
pub use driver::{Interrupt, Next, Turned};
pub(crate) use driver::{Shards, Turner};
pub(crate) use entry::Entry;
pub use metrics::{Lateness, TimerMetrics};
pub(crate) use shard::{Inserted, Reset, Shard};
pub use tick::Tick;
pub(crate) use tick::nanos;
