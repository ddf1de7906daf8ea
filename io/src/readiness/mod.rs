//! Readiness: what the operating system said about a source, who waits to hear it, and whether the reactor was told to
//! look up.
//!
//! A concurrency core: these files import only `core`, `alloc`, `std::panic`, `super`, `crate::sync` and
//! `crate::hooks`, so that the models compile the very same source against loom.

mod cell;
mod interest;
mod pending_notify;
mod source;
mod waiters;

#[cfg(unix)]
pub(crate) use cell::Cleared;
pub(crate) use cell::Snapshot;
pub use interest::{Interest, Ready};
pub(crate) use pending_notify::{PendingNotify, Request};
pub(crate) use source::{Source, Waiting};
