//! A work-stealing, multi-threaded async runtime.
#![allow(dead_code, unused_imports, reason = "filled step by step")]

mod blocking;
mod hooks;
mod park;
mod sync;
mod task;
