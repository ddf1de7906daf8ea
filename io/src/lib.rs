//! Sockets, pipes and signals for async Rust.
#![allow(dead_code, unused_imports, reason = "filled step by step")]

mod readiness;
mod sync;
