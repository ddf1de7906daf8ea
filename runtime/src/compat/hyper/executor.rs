//! hyper's executor: tasks of the runtime.

use std::future::Future;

use hyper::rt::Executor;

/// Spawns what hyper hands it on the current runtime.
///
/// # Panics
///
/// `execute` panics outside a runtime, as [`spawn`](crate::spawn) does.
#[derive(Debug, Clone, Copy, Default)]
pub struct HyperExecutor;

impl HyperExecutor {
    /// An executor for the runtime that each `execute` is called on.
    pub fn new() -> Self {
        Self
    }
}

impl<F> Executor<F> for HyperExecutor
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    #[track_caller]
    fn execute(&self, future: F) {
        drop(crate::spawn(future));
    }
}
