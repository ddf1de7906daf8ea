//! Tasks: spawned futures, and the handles to them.

pub use crate::task_core::{AbortHandle, Id, JoinError, JoinHandle};
pub(crate) use crate::task_core::{
    Header, Kind, Lifecycle, Meta, Notified, Owned, Schedule, Snapshot, Spawned, Task, spawn, spawn_unchecked,
};
