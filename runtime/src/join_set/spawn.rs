//! How tasks come into a set.

use std::future::Future;

use super::JoinSet;
use crate::local_set::LocalSet;
use crate::runtime::Handle;
use crate::spawn::Origin;
use crate::task::{AbortHandle, Builder};

/// Spawns a task with a name into a set; made by [`JoinSet::build_task`].
#[derive(Debug)]
#[must_use = "a builder does nothing before it spawns"]
pub struct SetBuilder<'a, T> {
    set: &'a mut JoinSet<T>,
    builder: Builder<'a>,
}

impl<T: 'static> JoinSet<T> {
    /// Spawns a task on the runtime that this thread has entered, into the set.
    ///
    /// # Panics
    ///
    /// Outside of a runtime: [`spawn_on`](Self::spawn_on) takes the runtime's handle.
    #[track_caller]
    pub fn spawn<F>(&mut self, future: F) -> AbortHandle
    where
        F: Future<Output = T> + Send + 'static,
        T: Send,
    {
        self.insert(crate::task::spawn(future))
    }

    /// Spawns a task on the runtime of `handle`, into the set.
    #[track_caller]
    pub fn spawn_on<F>(&mut self, future: F, handle: &Handle) -> AbortHandle
    where
        F: Future<Output = T> + Send + 'static,
        T: Send,
    {
        self.insert(handle.spawn_from(future, Origin::here()))
    }

    /// Spawns a task on the local set that runs on this thread, into the set.
    ///
    /// # Panics
    ///
    /// Outside of a [`LocalSet`]: [`spawn_local_on`](Self::spawn_local_on) takes the local set.
    #[track_caller]
    pub fn spawn_local<F>(&mut self, future: F) -> AbortHandle
    where
        F: Future<Output = T> + 'static,
    {
        self.insert(crate::task::spawn_local(future))
    }

    /// Spawns a task on `local`, into the set.
    #[track_caller]
    pub fn spawn_local_on<F>(&mut self, future: F, local: &LocalSet) -> AbortHandle
    where
        F: Future<Output = T> + 'static,
    {
        self.insert(local.spawn_from(future, Origin::here()))
    }

    /// Runs a closure that may block on the blocking pool of the runtime that this thread has entered; its task is in
    /// the set. Once it has begun it runs to its end, whatever happens to the set.
    ///
    /// # Panics
    ///
    /// Outside of a runtime: [`spawn_blocking_on`](Self::spawn_blocking_on) takes the runtime's handle. And if no
    /// thread can be had.
    #[track_caller]
    pub fn spawn_blocking<F>(&mut self, f: F) -> AbortHandle
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send,
    {
        self.insert(crate::task::spawn_blocking(f))
    }

    /// Runs a closure that may block on the blocking pool of the runtime of `handle`; its task is in the set.
    ///
    /// # Panics
    ///
    /// If no thread can be had.
    #[track_caller]
    pub fn spawn_blocking_on<F>(&mut self, f: F, handle: &Handle) -> AbortHandle
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send,
    {
        self.insert(handle.spawn_blocking_from(f, Origin::here()))
    }

    /// Gives a task of the set a name.
    ///
    /// # Examples
    ///
    /// ```
    /// # wheelhouse::runtime::Runtime::new().unwrap().block_on(async {
    /// let mut set = wheelhouse::task::JoinSet::new();
    /// set.build_task().name("heartbeat").spawn(async { 7 }).unwrap();
    /// assert_eq!(set.join_all().await, [7]);
    /// # });
    /// ```
    pub fn build_task(&mut self) -> SetBuilder<'_, T> {
        SetBuilder { set: self, builder: Builder::new() }
    }
}

impl<'a, T: 'static> SetBuilder<'a, T> {
    /// Names the task, for dumps, the watchdog and spans.
    pub fn name(self, name: &'a str) -> Self {
        Self { builder: self.builder.name(name), ..self }
    }

    /// Spawns the task on the runtime that this thread has entered.
    ///
    /// # Errors
    ///
    /// None at present.
    ///
    /// # Panics
    ///
    /// Outside of a runtime.
    #[track_caller]
    pub fn spawn<F>(self, future: F) -> std::io::Result<AbortHandle>
    where
        F: Future<Output = T> + Send + 'static,
        T: Send,
    {
        Ok(self.set.insert(self.builder.spawn(future)?))
    }

    /// Spawns the task on the runtime of `handle`.
    ///
    /// # Errors
    ///
    /// None at present.
    #[track_caller]
    pub fn spawn_on<F>(self, future: F, handle: &Handle) -> std::io::Result<AbortHandle>
    where
        F: Future<Output = T> + Send + 'static,
        T: Send,
    {
        Ok(self.set.insert(self.builder.spawn_on(future, handle)?))
    }

    /// Spawns the task on the local set that runs on this thread.
    ///
    /// # Errors
    ///
    /// None at present.
    ///
    /// # Panics
    ///
    /// Outside of a [`LocalSet`].
    #[track_caller]
    pub fn spawn_local<F>(self, future: F) -> std::io::Result<AbortHandle>
    where
        F: Future<Output = T> + 'static,
    {
        Ok(self.set.insert(self.builder.spawn_local(future)?))
    }

    /// Runs a closure that may block on the blocking pool of the runtime that this thread has entered.
    ///
    /// # Errors
    ///
    /// If no thread can be had.
    ///
    /// # Panics
    ///
    /// Outside of a runtime.
    #[track_caller]
    pub fn spawn_blocking<F>(self, f: F) -> std::io::Result<AbortHandle>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send,
    {
        Ok(self.set.insert(self.builder.spawn_blocking(f)?))
    }
}
