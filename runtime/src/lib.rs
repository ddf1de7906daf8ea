//! A work-stealing, multi-threaded async runtime whose heart is its timers.
//!
//! ```
//! use std::time::Duration;
//! use wheelhouse::time::{sleep, timeout};
//!
//! #[wheelhouse::main]
//! async fn main() {
//!     let task = wheelhouse::spawn(async {
//!         sleep(Duration::from_millis(20)).await;
//!         "done"
//!     });
//!     assert_eq!(timeout(Duration::from_secs(5), task).await.unwrap().unwrap(), "done");
//! }
//! ```
//!
//! # Where things are
//!
//! | module | what |
//! | --- | --- |
//! | [`runtime`] | [`Builder`](runtime::Builder), [`Runtime`](runtime::Runtime), [`Handle`](runtime::Handle); metrics and the dump of tasks |
//! | [`task`] | [`spawn`], join handles and sets, [`LocalSet`](task::LocalSet), [`spawn_blocking`](task::spawn_blocking), the cooperative budget |
//! | [`time`] | [`sleep`](time::sleep), [`timeout`](time::timeout), intervals, [`DelayQueue`](time::DelayQueue), the test clock |
//! | [`net`], [`io`] | sockets, pipes, file descriptors of other kinds |
//! | [`signal`] | signals of the operating system |
//!
//! # Features
//!
//! None is on by default. `hyper` adds `compat::hyper`: hyper's I/O, timer and executor traits, and a server with
//! graceful shutdown. `tokio-io` implements tokio's `AsyncRead` and `AsyncWrite` for the streams, beside those of
//! futures-io, which they always have. `tracing` tells `tracing` subscribers that listen at TRACE of each timer, in the
//! words that tokio-console looks for: a span `runtime.resource` as long as the timer lives, one for the waiting, and an
//! event a poll. Tasks and their wakers are told of without it.

extern crate alloc;

mod block_on;
mod blocking;
mod builder;
#[cfg(feature = "hyper")]
pub mod compat;
mod context;
mod coop;
mod current_thread;
mod driver;
#[cfg(test)]
mod driver_tests;
mod dump;
mod error;
mod figures;
mod handle;
mod hooks;
mod job;
mod join_set;
mod later;
mod listing;
mod local_set;
mod metrics;
mod panics;
mod park;
mod run_queue;
#[cfg(test)]
mod run_queue_tests;
#[path = "runtime.rs"]
mod runtime_handle;
mod services;
mod spawn;
mod sync;
// The concurrency core of tasks; its public face is `task` below.
#[path = "task_api.rs"]
pub mod task;
mod task_builder;
#[path = "task/mod.rs"]
mod task_core;
mod task_local;
#[cfg(test)]
mod task_tests;
mod threads;
mod trace;
mod watchdog;
mod worker;

pub mod runtime {
    //! Runtimes: how they are built, used and ended.

    pub use crate::builder::{Builder, UnhandledPanic};
    pub use crate::dump::{Dump, TaskDump, TaskState};
    pub use crate::error::NoRuntime;
    pub use crate::handle::{EnterGuard, Handle, RuntimeFlavor};
    pub use crate::metrics::{Bucket, Histogram, RuntimeMetrics};
    pub use crate::runtime_handle::Runtime;
    pub use crate::services::TaskMeta;
}

pub mod time {
    //! Timers: [`sleep`], [`timeout`], intervals, and the test clock.

    pub use std::time::Duration;
    pub use wheelhouse_time::*;

    pub mod error {
        //! The errors of timers.

        pub use wheelhouse_time::{Elapsed, Error};
    }
}

pub mod net {
    //! Sockets.

    pub use wheelhouse_io::net::*;
}

pub mod io {
    //! What sockets have in common, and file descriptors of other kinds.

    pub use wheelhouse_io::Error as ReactorError;
    pub use wheelhouse_io::io::*;
}

#[cfg(unix)]
pub mod signal {
    //! Signals of the operating system.

    pub use wheelhouse_io::signal::*;
}

/// # Examples
///
/// ```
/// #[wheelhouse::main]
/// async fn main() -> Result<(), wheelhouse::task::JoinError> {
///     let answer = wheelhouse::spawn(async { 6 * 7 }).await?;
///     assert_eq!(answer, 42);
///     Ok(())
/// }
/// ```
///
/// One thread, the caller's own:
///
/// ```
/// #[wheelhouse::main(flavor = "current_thread")]
/// async fn main() {
///     wheelhouse::task::yield_now().await;
/// }
/// ```
pub use wheelhouse_macros::main;
/// # Examples
///
/// A minute of sleep that takes no time:
///
/// ```no_run
/// use std::time::Duration;
/// use wheelhouse::time::sleep;
///
/// #[wheelhouse::test(start_paused = true)]
/// async fn sleeps_for_a_minute() {
///     sleep(Duration::from_secs(60)).await;
/// }
/// ```
pub use wheelhouse_macros::test;

pub use self::task::spawn;

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
