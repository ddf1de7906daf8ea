//! The builder: every knob of a runtime.

mod assemble;
mod hooks;
mod tuning;

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::driver::Fault;
use crate::runtime::Runtime;
use crate::services::Hooks;
use crate::worker::launch::ThreadName;

/// What happens when a task panics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum UnhandledPanic {
    /// The panic goes to the task's [`JoinHandle`](crate::task::JoinHandle), and nobody else notices.
    #[default]
    Ignore,
    /// It goes there, and the runtime shuts down: its tasks are cancelled. On a current-thread runtime
    /// [`block_on`](Runtime::block_on) panics then.
    ShutdownRuntime,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flavour {
    MultiThread,
    CurrentThread,
}

/// Describes a runtime, and builds it.
///
/// # Examples
///
/// ```
/// use wheelhouse::runtime::Builder;
///
/// let runtime = Builder::new_multi_thread()
///     .worker_threads(2)
///     .thread_name("my-service")
///     .on_thread_start(|worker| println!("worker {worker} starts"))
///     .build()?;
/// runtime.block_on(async { println!("hello") });
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct Builder {
    flavour: Flavour,
    workers: Option<usize>,
    max_blocking_threads: usize,
    thread_name: ThreadName,
    stack_size: Option<usize>,
    keep_alive: Duration,
    hooks: Hooks,
    global_queue_interval: Option<u32>,
    event_interval: Option<u32>,
    timer_slack: Duration,
    suspend_aware: bool,
    start_paused: bool,
    auto_advance: bool,
    max_io_events: usize,
    seed: Option<u64>,
    unhandled_panic: UnhandledPanic,
    watchdog: Option<Duration>,
    poll_histogram: bool,
    rescue: bool,
    lost_interruptions: Option<Fault>,
    time: bool,
    sockets: bool,
}

impl Builder {
    /// A runtime with worker threads that steal tasks from each other.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wheelhouse::runtime::Builder;
    /// let runtime = Builder::new_multi_thread().worker_threads(2).build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn new_multi_thread() -> Self {
        Self::new(Flavour::MultiThread)
    }

    /// A runtime without threads of its own: tasks run on the thread that is inside
    /// [`block_on`](Runtime::block_on).
    ///
    /// # Examples
    ///
    /// ```
    /// # use wheelhouse::runtime::Builder;
    /// let runtime = Builder::new_current_thread().build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn new_current_thread() -> Self {
        Self::new(Flavour::CurrentThread)
    }

    fn new(flavour: Flavour) -> Self {
        Self {
            flavour,
            workers: None,
            max_blocking_threads: 512,
            thread_name: Arc::new(|_| "wheelhouse".to_owned()),
            stack_size: None,
            keep_alive: Duration::from_secs(10),
            hooks: Hooks::default(),
            global_queue_interval: None,
            event_interval: None,
            timer_slack: Duration::from_micros(50),
            suspend_aware: false,
            start_paused: false,
            auto_advance: true,
            max_io_events: 1024,
            seed: None,
            unhandled_panic: UnhandledPanic::Ignore,
            watchdog: Some(Duration::from_millis(100)),
            poll_histogram: false,
            rescue: true,
            lost_interruptions: None,
            time: true,
            sockets: true,
        }
    }

    /// How many workers there are. By default the environment variable `WHEELHOUSE_WORKER_THREADS` says it, or else as
    /// many as there are processors, but two at least: while one blocks, another must take over. Ignored by the
    /// current-thread flavour.
    ///
    /// 0 is an error of [`build`](Self::build), and so are more than 2,048.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wheelhouse::runtime::Builder;
    /// let runtime = Builder::new_multi_thread().worker_threads(4).build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn worker_threads(mut self, workers: usize) -> Self {
        self.workers = Some(workers);
        self
    }

    /// How many threads the pool for blocking work may have; 512 by default, 0 is an error of
    /// [`build`](Self::build). More work than that waits in a queue.
    ///
    /// If the system starts no further thread, the pool goes on with those it has. Only if it has none at all
    /// [`spawn_blocking`](Runtime::spawn_blocking) panics.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wheelhouse::runtime::Builder;
    /// let runtime = Builder::new_multi_thread().max_blocking_threads(16).build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn max_blocking_threads(mut self, threads: usize) -> Self {
        self.max_blocking_threads = threads;
        self
    }

    /// The name of the runtime's threads; `wheelhouse` by default.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wheelhouse::runtime::Builder;
    /// let runtime = Builder::new_multi_thread().thread_name("my-service").build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn thread_name(self, name: impl Into<String>) -> Self {
        let name = name.into();
        self.thread_name_fn(move || name.clone())
    }

    /// Gives each thread its name when it starts.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wheelhouse::runtime::Builder;
    /// let runtime = Builder::new_multi_thread().thread_name_fn(|| "one-of-many".to_owned()).build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn thread_name_fn(mut self, name: impl Fn() -> String + Send + Sync + 'static) -> Self {
        self.thread_name = Arc::new(move |_| name());
        self
    }

    /// Bytes of stack for each of the runtime's threads; the standard library's default by default. Less than 64 KiB count
    /// as 64 KiB, which the runtime needs itself. More than the system gives is an error of [`build`](Self::build).
    ///
    /// # Examples
    ///
    /// ```
    /// # use wheelhouse::runtime::Builder;
    /// let runtime = Builder::new_multi_thread().thread_stack_size(4 << 20).build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn thread_stack_size(mut self, bytes: usize) -> Self {
        self.stack_size = Some(bytes);
        self
    }

    /// How long a thread of the pool for blocking work stays without any; 10 s by default.
    ///
    /// # Examples
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use wheelhouse::runtime::Builder;
    /// let runtime = Builder::new_multi_thread().thread_keep_alive(Duration::from_secs(60)).build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn thread_keep_alive(mut self, keep_alive: Duration) -> Self {
        self.keep_alive = keep_alive;
        self
    }

    /// Loses each interruption of the driver for which `fault` says so.
    #[cfg(test)]
    pub(crate) fn with_lost_interruptions(mut self, fault: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.lost_interruptions = Some(Arc::new(fault));
        self
    }

    /// Does nothing: timers and sockets are on. Here for programs that come from elsewhere.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wheelhouse::runtime::Builder;
    /// let runtime = Builder::new_multi_thread().enable_all().build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn enable_all(self) -> Self {
        self
    }

    /// Does nothing: sockets are on. Here for programs that come from elsewhere.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wheelhouse::runtime::Builder;
    /// let runtime = Builder::new_multi_thread().enable_io().build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn enable_io(self) -> Self {
        self
    }

    /// Does nothing: timers are on. Here for programs that come from elsewhere.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wheelhouse::runtime::Builder;
    /// let runtime = Builder::new_multi_thread().enable_time().build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn enable_time(self) -> Self {
        self
    }

    /// Turns sockets off: making one in this runtime is an error.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wheelhouse::runtime::Builder;
    /// let runtime = Builder::new_multi_thread().disable_io().build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn disable_io(mut self) -> Self {
        self.sockets = false;
        self
    }

    /// Turns timers off: polling one in this runtime panics.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wheelhouse::runtime::Builder;
    /// let runtime = Builder::new_multi_thread().disable_time().build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn disable_time(mut self) -> Self {
        self.time = false;
        self
    }

    /// Builds the runtime and starts its workers.
    ///
    /// # Errors
    ///
    /// `InvalidInput` for a knob that is set to what cannot be, or a `WHEELHOUSE_WORKER_THREADS` that is no number; the
    /// system's, when it gives no descriptors or threads; `Unsupported` for a clock that the platform lacks.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wheelhouse::runtime::Builder;
    /// let runtime = Builder::new_multi_thread().build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn build(self) -> io::Result<Runtime> {
        assemble::assemble(self)
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("flavour", &self.flavour)
            .field("workers", &self.workers)
            .field("max_blocking_threads", &self.max_blocking_threads)
            .field("keep_alive", &self.keep_alive)
            .field("timer_slack", &self.timer_slack)
            .field("start_paused", &self.start_paused)
            .finish_non_exhaustive()
    }
}
