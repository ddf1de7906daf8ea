//! A work-stealing, multi-threaded async runtime.
#![allow(dead_code, unused_imports, reason = "filled step by step")]

extern crate alloc;

mod blocking;
mod coop;
mod dump;
mod hooks;
mod metrics;
mod park;
mod sync;
// The concurrency core of tasks; its public face is `task` below.
#[path = "task_api.rs"]
pub mod task;
#[path = "task/mod.rs"]
mod task_core;
#[cfg(test)]
mod task_tests;
mod threads;
mod trace;
mod watchdog;
