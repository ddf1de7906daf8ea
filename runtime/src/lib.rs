//! A work-stealing, multi-threaded async runtime.
#![allow(dead_code, unused_imports, reason = "filled step by step")]

mod blocking;
mod dump;
mod hooks;
mod metrics;
mod park;
mod sync;
mod task;
mod threads;
mod watchdog;
