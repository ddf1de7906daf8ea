//! A runtime: what owns the threads, and ends them.

use std::fmt;
use std::future::Future;
use std::io;
use std::time::Duration;

use crate::builder::Builder;
use crate::context;
use crate::handle::{EnterGuard, Handle, Scheduler};
use crate::task_core::JoinHandle;

/// A runtime: workers, timers, sockets and a pool for blocking work.
///
/// # Shutdown
///
/// Dropping it ends it: running polls are waited for, every task is cancelled, timers and sockets that live on
/// elsewhere answer with an error, and the threads are joined. Blocking jobs that run are waited for for half a second,
/// then left behind. [`shutdown_timeout`](Self::shutdown_timeout) sets another bound, and
/// [`shutdown_background`](Self::shutdown_background) waits for nothing; so does dropping it on a thread that runs
/// async code, where waiting would block other tasks, or the very thread that is waited for.
///
/// # Fork and abort
///
/// A child of `fork` has none of the threads: a runtime is of no use there, and is best left undropped (`exec`, or
/// `_exit`). With `panic = "abort"` a panic in a task ends the process.
///
/// # Examples
///
/// ```
/// use wheelhouse::runtime::Runtime;
///
/// let runtime = Runtime::new()?;
/// let sum = runtime.block_on(async {
///     let task = wheelhouse::spawn(async { 40 });
///     task.await.unwrap() + 2
/// });
/// assert_eq!(sum, 42);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Runtime {
    handle: Handle,
    ended: bool,
}

impl Runtime {
    /// A multi-thread runtime with everything as [`Builder`] has it by default.
    ///
    /// # Errors
    ///
    /// The system's, when it gives no descriptors or threads.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wheelhouse::runtime::Runtime::new()?;
    /// assert_eq!(runtime.block_on(async { 1 + 1 }), 2);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn new() -> io::Result<Self> {
        Builder::new_multi_thread().build()
    }

    pub(crate) fn from_handle(handle: Handle) -> Self {
        Self { handle, ended: false }
    }

    /// The runtime's handle.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wheelhouse::runtime::Runtime::new()?;
    /// let handle = runtime.handle().clone();
    /// std::thread::spawn(move || handle.spawn(async {})).join().unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Starts a task; see [`Handle::spawn`].
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wheelhouse::runtime::Runtime::new()?;
    /// let task = runtime.spawn(async { 5 });
    /// assert_eq!(runtime.block_on(task)?, 5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.handle.spawn(future)
    }

    /// Runs a closure that may block; see [`Handle::spawn_blocking`].
    ///
    /// # Panics
    ///
    /// As [`Handle::spawn_blocking`].
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wheelhouse::runtime::Runtime::new()?;
    /// let length = runtime.spawn_blocking(|| "blocking".len());
    /// assert_eq!(runtime.block_on(length)?, 8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn spawn_blocking<F, R>(&self, f: F) -> JoinHandle<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        self.handle.spawn_blocking(f)
    }

    /// Runs a future to its end on this thread; see [`Handle::block_on`].
    ///
    /// # Panics
    ///
    /// As [`Handle::block_on`].
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wheelhouse::runtime::Runtime::new()?;
    /// assert_eq!(runtime.block_on(async { "ready" }), "ready");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[track_caller]
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.handle.block_on(future)
    }

    /// Enters the runtime on this thread; see [`Handle::enter`].
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wheelhouse::runtime::Runtime::new()?;
    /// let _entered = runtime.enter();
    /// wheelhouse::spawn(async {});
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn enter(&self) -> EnterGuard<'_> {
        self.handle.enter()
    }

    /// Ends the runtime and waits for running polls and blocking jobs, but no longer than `patience`.
    ///
    /// What still runs then is left behind; it ends as soon as it returns.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let runtime = wheelhouse::runtime::Runtime::new()?;
    /// runtime.spawn_blocking(|| std::thread::sleep(Duration::from_secs(3600)));
    /// runtime.shutdown_timeout(Duration::from_millis(10));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn shutdown_timeout(mut self, patience: Duration) {
        self.end(Some(patience));
    }

    /// Ends the runtime without waiting for anything: its threads end by themselves.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wheelhouse::runtime::Runtime::new()?;
    /// runtime.shutdown_background();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn shutdown_background(self) {
        self.shutdown_timeout(Duration::ZERO);
    }

    fn end(&mut self, patience: Option<Duration>) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        // What is dropped here is dropped where its runtime is entered.
        let _entered = context::enter(&self.handle, None);
        match self.handle.scheduler() {
            Scheduler::MultiThread(scheduler) => scheduler.shut_down(patience),
            Scheduler::CurrentThread(scheduler) => scheduler.shut_down(&self.handle, patience),
        }
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        self.end(None);
    }
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runtime").field("handle", &self.handle).finish()
    }
}
