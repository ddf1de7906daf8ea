//! Tasks with a name.

use std::future::Future;
use std::io;

use crate::blocking::Refused;
use crate::runtime::Handle;
use crate::spawn::{self, Origin};
use crate::task::JoinHandle;

/// Spawns a task with a name, which dumps, the watchdog and tracing spans show.
///
/// # Examples
///
/// ```
/// # wheelhouse::runtime::Runtime::new().unwrap().block_on(async {
/// let task = wheelhouse::task::Builder::new().name("heartbeat").spawn(async { 7 }).unwrap();
/// assert_eq!(task.await.unwrap(), 7);
/// # });
/// ```
#[derive(Debug, Clone, Copy, Default)]
#[must_use = "a builder does nothing before it spawns"]
pub struct Builder<'a> {
    name: Option<&'a str>,
}

impl<'a> Builder<'a> {
    /// A builder of a task without a name.
    pub fn new() -> Self {
        Self::default()
    }

    /// Names the task. The name is copied.
    pub fn name(self, name: &'a str) -> Self {
        Self { name: Some(name) }
    }

    /// Spawns the task on the runtime that this thread has entered: see [`spawn`](crate::spawn).
    ///
    /// # Errors
    ///
    /// None at present.
    ///
    /// # Panics
    ///
    /// Outside of a runtime: [`spawn_on`](Self::spawn_on) takes the runtime's handle.
    #[track_caller]
    pub fn spawn<F>(self, future: F) -> io::Result<JoinHandle<F::Output>>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        Ok(Handle::current().spawn_from(future, self.origin()))
    }

    /// Spawns the task on the runtime of `handle`.
    ///
    /// # Errors
    ///
    /// None at present.
    #[track_caller]
    pub fn spawn_on<F>(self, future: F, handle: &Handle) -> io::Result<JoinHandle<F::Output>>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        Ok(handle.spawn_from(future, self.origin()))
    }

    /// Spawns the task on the local set that runs on this thread: see [`spawn_local`](crate::task::spawn_local).
    ///
    /// # Errors
    ///
    /// None at present.
    ///
    /// # Panics
    ///
    /// Outside of a [`LocalSet`](crate::task::LocalSet).
    #[track_caller]
    pub fn spawn_local<F>(self, future: F) -> io::Result<JoinHandle<F::Output>>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        Ok(crate::local_set::spawn_from(future, self.origin()))
    }

    /// Runs a closure that may block on the blocking pool of the runtime that this thread has entered: see
    /// [`spawn_blocking`](crate::task::spawn_blocking).
    ///
    /// # Errors
    ///
    /// If no thread can be had, with the system's reason. The closure is dropped then.
    ///
    /// # Panics
    ///
    /// Outside of a runtime: [`spawn_blocking_on`](Self::spawn_blocking_on) takes the runtime's handle.
    #[track_caller]
    pub fn spawn_blocking<F, R>(self, f: F) -> io::Result<JoinHandle<R>>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        self.spawn_blocking_on(f, &Handle::current())
    }

    /// Runs a closure that may block on the blocking pool of the runtime of `handle`.
    ///
    /// # Errors
    ///
    /// If no thread can be had, with the system's reason. The closure is dropped then.
    #[track_caller]
    pub fn spawn_blocking_on<F, R>(self, f: F, handle: &Handle) -> io::Result<JoinHandle<R>>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        let _entered = crate::context::enter(handle, None);
        match spawn::spawn_blocking(handle.services(), f, self.origin()) {
            // A runtime that has shut down cancels the task: awaiting the handle says so.
            Ok(join) | Err((join, Refused::Closed)) => Ok(join),
            Err((_, Refused::NoThread(reason))) => Err(io::Error::from_raw_os_error(reason.0)),
        }
    }

    #[track_caller]
    fn origin(self) -> Origin<'a> {
        Origin { name: self.name, ..Origin::here() }
    }
}
