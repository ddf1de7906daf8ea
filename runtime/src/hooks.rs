//! What the concurrency cores need of the runtime around them: the thread's budget, the running task's id.
//!
//! The models compile the cores against a twin of this file in which every function does nothing.

use core::cell::Cell;

thread_local! {
    static TASK_ID: Cell<u64> = const { Cell::new(0) };
}

/// The id of the task this thread polls; 0 outside of one.
pub(crate) fn current_task() -> u64 {
    TASK_ID.get()
}

/// Sets the id of the task this thread polls, and returns the one before it.
pub(crate) fn set_current_task(id: u64) -> u64 {
    TASK_ID.replace(id)
}
