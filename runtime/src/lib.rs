//! A work-stealing, multi-threaded async runtime.
#![allow(dead_code, unused_imports, reason = "filled step by step")]

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
mod dump;
mod error;
mod figures;
mod handle;
mod hooks;
mod join_set;
mod local_set;
mod metrics;
mod panics;
mod park;
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
    pub use crate::handle::{EnterGuard, Handle};
    pub use crate::metrics::{Bucket, Histogram, RuntimeMetrics};
    pub use crate::runtime_handle::Runtime;
    pub use crate::services::TaskMeta;
}

pub mod time {
    //! Timers: [`sleep`], [`timeout`], intervals, and the test clock.

    pub use wheelhouse_time::*;
}

pub mod net {
    //! Sockets.

    pub use wheelhouse_io::net::*;
}

pub mod io {
    //! What sockets have in common, and file descriptors of other kinds.

    pub use wheelhouse_io::io::*;
}

#[cfg(unix)]
pub mod signal {
    //! Signals of the operating system.

    pub use wheelhouse_io::signal::*;
}

pub use wheelhouse_macros::{main, test};

pub use self::task::spawn;

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
