//! A list of every task and what it does.

use std::panic::Location;

/// What a scheduler knows of a live task.
#[derive(Clone, Debug)]
pub(crate) struct TaskInfo {
    pub(crate) id: u64,
    pub(crate) name: Option<String>,
    pub(crate) location: &'static Location<'static>,
    pub(crate) state: RawState,
    pub(crate) polls: u64,
}

/// The task word, read once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RawState {
    Running,
    Queued,
    Waiting,
}
