//! Sockets, pipes and signals for async Rust.
//!
//! The crate knows nothing of an executor. A [`Reactor`] waits for the operating system's events, an [`Io`] is the
//! shared handle through which sockets register with it, and [`context::enter`] makes one of them current on a
//! thread. The `wheelhouse` runtime does all of this; programs use the sockets through its `net`, `io` and `signal`
//! modules.
//!
//! # Platforms
//!
//! Linux is where it is tested: waits end by a timerfd, and a short read of a TCP stream spares the one that would find
//! nothing. For macOS, FreeBSD and Windows it type-checks, and goes through mio alone; nothing was run there. Unix
//! sockets, pipes, [`AsyncFd`](io::AsyncFd) and signals are Unix only.
//!
//! # fork
//!
//! A child process shares the poller with its parent, and takes its events away. Use a reactor only in the process
//! that made it; `exec` closes all of its descriptors.

extern crate alloc;

pub mod context;
#[doc(hidden)]
pub mod doc;
mod error;
mod evented;
mod handle;
pub mod io;
mod metrics;
pub mod net;
mod notifier;
mod offload;
mod reactor;
mod readiness;
#[cfg(unix)]
pub mod signal;
mod starved;
mod sync;
mod sys;
mod wake;

pub use error::Error;
pub use handle::Io;
pub use metrics::IoMetrics;
pub use notifier::Notifier;
pub use offload::{Blocking, Job};
pub use reactor::{Reactor, ReactorConfig, Turned, Wait};
pub use sys::clock::ClockId;

/// Nanoseconds on `clock`: what [`Wait::Until`] is compared with. 0 where the system does not know the clock.
///
/// # Examples
///
/// ```
/// use wheelhouse_io::{ReactorConfig, clock_now};
///
/// let clock = ReactorConfig::default().clock_id;
/// assert!(clock_now(clock) <= clock_now(clock));
/// ```
#[must_use]
pub fn clock_now(clock: ClockId) -> u64 {
    sys::clock::now(clock).unwrap_or(0)
}
