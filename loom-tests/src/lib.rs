//! Loom models of wheelhouse's races. Each concurrency core below is the production source itself, compiled
//! against loom's atomics through the `crate::sync` facade; the models stand in `models/`, one file a race.
#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    unused_imports,
    clippy::drop_non_drop,
    reason = "the sources are compiled here for their models alone, with facades that do less"
)]

extern crate alloc;

pub mod hooks;
pub mod sync;

#[path = "../../time/src/timer/mod.rs"]
pub mod timer;

#[path = "../../io/src/readiness/mod.rs"]
pub mod readiness;

#[path = "../../runtime/src/watchdog/doze.rs"]
pub mod doze;

#[path = "../../runtime/src/blocking/mod.rs"]
pub mod blocking;
#[path = "../../runtime/src/park/mod.rs"]
pub mod park;
#[path = "../../runtime/src/run_queue.rs"]
pub mod run_queue;
#[path = "../../runtime/src/task/mod.rs"]
pub mod task;

#[cfg(test)]
mod models;
