//! A reference to a runtime, for any thread.

use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::sync::Arc;

use crate::context::{self, Entered};
use crate::current_thread;
use crate::dump::Dump;
use crate::error::NoRuntime;
use crate::metrics::{RuntimeMetrics, Source};
use crate::services::Services;
use crate::spawn::{self, Origin};
use crate::task_core::JoinHandle;
use crate::{block_on, worker};

/// A reference to a runtime: clones are cheap, and may be used on any thread.
///
/// It does not keep the runtime running: that is the [`Runtime`](crate::runtime::Runtime)'s part. Once that is gone, tasks
/// spawned through a handle are cancelled at once.
#[derive(Clone)]
pub struct Handle {
    scheduler: Scheduler,
}

/// The two flavours.
#[derive(Clone)]
pub(crate) enum Scheduler {
    MultiThread(Arc<worker::Scheduler>),
    CurrentThread(Arc<current_thread::Scheduler>),
}

impl Handle {
    /// The handle of the runtime that this thread has entered.
    ///
    /// # Panics
    ///
    /// Outside of a runtime. [`Handle::try_current`] returns an error instead.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse::runtime::{Handle, Runtime};
    ///
    /// let runtime = Runtime::new().unwrap();
    /// let handle = runtime.block_on(async { Handle::current() });
    /// let task = handle.spawn(async { 7 });
    /// assert_eq!(runtime.block_on(task).unwrap(), 7);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn current() -> Self {
        match Self::try_current() {
            Ok(handle) => handle,
            Err(error) => panic!("{error}"),
        }
    }

    /// The handle of the runtime that this thread has entered.
    ///
    /// # Errors
    ///
    /// [`NoRuntime`] outside of a runtime.
    ///
    /// # Examples
    ///
    /// ```
    /// assert!(wheelhouse::runtime::Handle::try_current().is_err());
    /// ```
    pub fn try_current() -> Result<Self, NoRuntime> {
        context::current().ok_or(NoRuntime(()))
    }

    /// Starts a task on the runtime. It runs whether the returned handle is awaited or dropped.
    ///
    /// A runtime that has shut down cancels the task at once.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wheelhouse::runtime::Runtime::new().unwrap();
    /// let task = runtime.handle().spawn(async { "done" });
    /// assert_eq!(runtime.block_on(task).unwrap(), "done");
    /// ```
    #[track_caller]
    pub fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.spawn_from(future, Origin::here())
    }

    pub(crate) fn spawn_from<F>(&self, future: F, origin: Origin<'_>) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        match &self.scheduler {
            Scheduler::MultiThread(scheduler) => scheduler.spawn(future, origin),
            Scheduler::CurrentThread(scheduler) => scheduler.spawn(future, origin),
        }
    }

    /// Runs a closure that may block on the runtime's pool of threads for such work.
    ///
    /// Once it has begun it runs to its end: aborting it or dropping its handle stops it only before. A runtime that
    /// has shut down cancels it at once.
    ///
    /// # Panics
    ///
    /// If no thread can be started for it and none is there; see the documentation of
    /// [`Builder::max_blocking_threads`](crate::runtime::Builder::max_blocking_threads).
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wheelhouse::runtime::Runtime::new().unwrap();
    /// let sum = runtime.handle().spawn_blocking(|| (1..=100).sum::<u32>());
    /// assert_eq!(runtime.block_on(sum).unwrap(), 5050);
    /// ```
    #[track_caller]
    pub fn spawn_blocking<F, R>(&self, f: F) -> JoinHandle<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        self.spawn_blocking_from(f, Origin::here())
    }

    #[track_caller]
    pub(crate) fn spawn_blocking_from<F, R>(&self, f: F, origin: Origin<'_>) -> JoinHandle<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        // Refused, the closure is dropped here: where the runtime is entered, as ever.
        let _entered = context::enter(self, None);
        match spawn::spawn_blocking(self.services(), f, origin) {
            Ok(join) | Err((join, crate::blocking::Refused::Closed)) => join,
            Err((_, crate::blocking::Refused::NoThread(refusal))) => panic!(
                "no thread can be started for blocking work (system error {}): raise the limit of threads, \
                 or call the closure in place",
                refusal.0
            ),
        }
    }

    /// Runs a future to its end on this thread, with the runtime entered.
    ///
    /// On a multi-thread runtime the workers drive timers and sockets, also while nobody is inside `block_on`. On a
    /// current-thread runtime only [`Runtime::block_on`](crate::runtime::Runtime::block_on) and this method do.
    ///
    /// # Panics
    ///
    /// On a thread that runs async code already: await the future there, or wrap the call in
    /// [`block_in_place`](crate::task::block_in_place). And if the future panics.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wheelhouse::runtime::Runtime::new().unwrap();
    /// let handle = runtime.handle().clone();
    /// let answer = std::thread::spawn(move || handle.block_on(async { 42 })).join().unwrap();
    /// assert_eq!(answer, 42);
    /// ```
    #[track_caller]
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        let location = Location::caller();
        match &self.scheduler {
            Scheduler::MultiThread(scheduler) => block_on::block_on(self, scheduler, future, location),
            Scheduler::CurrentThread(scheduler) => current_thread::block_on(self, scheduler, future, location),
        }
    }

    /// Enters the runtime on this thread until the guard is dropped: `spawn`, timers and sockets find it then.
    ///
    /// Guards may be nested, of one runtime or of several; each restores what was entered before it. They are dropped
    /// in the reverse order of their making: a guard that is held across an `.await` makes other tasks of the thread
    /// find this runtime instead of theirs.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wheelhouse::runtime::Runtime::new().unwrap();
    /// let _entered = runtime.handle().enter();
    /// let task = wheelhouse::spawn(async { 1 });
    /// # assert_eq!(runtime.block_on(task).unwrap(), 1);
    /// ```
    pub fn enter(&self) -> EnterGuard<'_> {
        EnterGuard { _entered: context::enter(self, None), _runtime: std::marker::PhantomData }
    }

    /// The runtime's figures: a view that reads them as they are asked for.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wheelhouse::runtime::Runtime::new().unwrap();
    /// assert!(runtime.handle().metrics().num_workers() >= 2);
    /// ```
    #[must_use]
    pub fn metrics(&self) -> RuntimeMetrics {
        RuntimeMetrics::new(self.source())
    }

    /// Every live task and what it does. It waits for no worker, so it works on a process that is stuck.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wheelhouse::runtime::Runtime::new().unwrap();
    /// let task = runtime.spawn(std::future::pending::<()>());
    /// assert_eq!(runtime.handle().dump().tasks()[0].id(), task.id());
    /// ```
    #[must_use]
    pub fn dump(&self) -> Dump {
        Dump::take(&*self.source())
    }

    /// Which kind of runtime this is.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse::runtime::{Runtime, RuntimeFlavor};
    ///
    /// let runtime = Runtime::new().unwrap();
    /// assert_eq!(runtime.handle().runtime_flavor(), RuntimeFlavor::MultiThread);
    /// ```
    #[must_use]
    pub fn runtime_flavor(&self) -> RuntimeFlavor {
        match self.scheduler {
            Scheduler::MultiThread(_) => RuntimeFlavor::MultiThread,
            Scheduler::CurrentThread(_) => RuntimeFlavor::CurrentThread,
        }
    }

    fn source(&self) -> Arc<dyn Source> {
        match &self.scheduler {
            Scheduler::MultiThread(scheduler) => scheduler.clone(),
            Scheduler::CurrentThread(scheduler) => scheduler.clone(),
        }
    }

    pub(crate) fn services(&self) -> &Services {
        match &self.scheduler {
            Scheduler::MultiThread(scheduler) => &scheduler.services,
            Scheduler::CurrentThread(scheduler) => &scheduler.services,
        }
    }

    pub(crate) fn scheduler(&self) -> &Scheduler {
        &self.scheduler
    }
}

impl From<Arc<worker::Scheduler>> for Handle {
    fn from(scheduler: Arc<worker::Scheduler>) -> Self {
        Self { scheduler: Scheduler::MultiThread(scheduler) }
    }
}

impl From<Arc<current_thread::Scheduler>> for Handle {
    fn from(scheduler: Arc<current_thread::Scheduler>) -> Self {
        Self { scheduler: Scheduler::CurrentThread(scheduler) }
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle").field("flavor", &self.runtime_flavor()).finish_non_exhaustive()
    }
}

/// The kinds of runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuntimeFlavor {
    /// All tasks run on the thread inside `block_on`.
    CurrentThread,
    /// Workers on threads of their own share the tasks.
    MultiThread,
}

/// Leaves a runtime when dropped; see [`Handle::enter`].
#[derive(Debug)]
#[must_use = "the runtime is entered only until the guard is dropped"]
pub struct EnterGuard<'a> {
    _entered: Entered,
    _runtime: std::marker::PhantomData<&'a Handle>,
}
