//! The builder: every knob of a runtime.

mod assemble;

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::driver::Fault;
use crate::runtime::Runtime;
use crate::services::{Hooks, TaskMeta};
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
    pub fn new_multi_thread() -> Self {
        Self::new(Flavour::MultiThread)
    }

    /// A runtime without threads of its own: tasks run on the thread that is inside
    /// [`block_on`](Runtime::block_on).
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
    /// 0 is an error of [`build`](Self::build).
    pub fn worker_threads(mut self, workers: usize) -> Self {
        self.workers = Some(workers);
        self
    }

    /// How many threads the pool for blocking work may have; 512 by default, 0 is an error of
    /// [`build`](Self::build). More work than that waits in a queue.
    ///
    /// If the system starts no further thread, the pool goes on with those it has. Only if it has none at all
    /// [`spawn_blocking`](Runtime::spawn_blocking) panics.
    pub fn max_blocking_threads(mut self, threads: usize) -> Self {
        self.max_blocking_threads = threads;
        self
    }

    /// The name of the runtime's threads; `wheelhouse` by default.
    pub fn thread_name(self, name: impl Into<String>) -> Self {
        let name = name.into();
        self.thread_name_fn(move || name.clone())
    }

    /// Gives each thread its name when it starts.
    pub fn thread_name_fn(mut self, name: impl Fn() -> String + Send + Sync + 'static) -> Self {
        self.thread_name = Arc::new(move |_| name());
        self
    }

    /// Bytes of stack for each of the runtime's threads; the standard library's default by default.
    pub fn thread_stack_size(mut self, bytes: usize) -> Self {
        self.stack_size = Some(bytes);
        self
    }

    /// How long a thread of the pool for blocking work stays without any; 10 s by default.
    pub fn thread_keep_alive(mut self, keep_alive: Duration) -> Self {
        self.keep_alive = keep_alive;
        self
    }

    /// Called on each thread of the runtime before it does anything else, with the worker's number. Threads of the pool
    /// for blocking work count on from the number of workers.
    pub fn on_thread_start(mut self, hook: impl Fn(usize) + Send + Sync + 'static) -> Self {
        self.hooks.thread_start = Some(Arc::new(hook));
        self
    }

    /// Called on each thread of the runtime before it ends; the number is that of
    /// [`on_thread_start`](Self::on_thread_start).
    pub fn on_thread_stop(mut self, hook: impl Fn(usize) + Send + Sync + 'static) -> Self {
        self.hooks.thread_stop = Some(Arc::new(hook));
        self
    }

    /// Called on a worker, with its number, before it goes to sleep for want of tasks. It may wake tasks.
    pub fn on_thread_park(mut self, hook: impl Fn(usize) + Send + Sync + 'static) -> Self {
        self.hooks.thread_park = Some(Arc::new(hook));
        self
    }

    /// Called on a worker, with its number, after it has woken.
    pub fn on_thread_unpark(mut self, hook: impl Fn(usize) + Send + Sync + 'static) -> Self {
        self.hooks.thread_unpark = Some(Arc::new(hook));
        self
    }

    /// Called on the spawning thread for each task, before it is queued.
    pub fn on_task_spawn(mut self, hook: impl Fn(&TaskMeta) + Send + Sync + 'static) -> Self {
        self.hooks.task_spawn = Some(Arc::new(hook));
        self
    }

    /// Called for each task after its future was dropped.
    pub fn on_task_terminate(mut self, hook: impl Fn(&TaskMeta) + Send + Sync + 'static) -> Self {
        self.hooks.task_terminate = Some(Arc::new(hook));
        self
    }

    /// Called before each poll of a task.
    pub fn on_before_task_poll(mut self, hook: impl Fn(&TaskMeta) + Send + Sync + 'static) -> Self {
        self.hooks.before_poll = Some(Arc::new(hook));
        self
    }

    /// Called after each poll of a task.
    pub fn on_after_task_poll(mut self, hook: impl Fn(&TaskMeta) + Send + Sync + 'static) -> Self {
        self.hooks.after_poll = Some(Arc::new(hook));
        self
    }

    /// Every so many polls a worker looks first at the tasks that other threads queued; 61 by default, 0 is an error of
    /// [`build`](Self::build).
    pub fn global_queue_interval(mut self, polls: u32) -> Self {
        self.global_queue_interval = Some(polls);
        self
    }

    /// A worker that is never out of tasks looks at timers and sockets after so many polls at the latest; 61 by default,
    /// 0 is an error of [`build`](Self::build). While it finds something there, it looks more often.
    pub fn event_interval(mut self, polls: u32) -> Self {
        self.event_interval = Some(polls);
        self
    }

    /// How soon after a turn that fired timers the driver may sleep for the next ones: it keeps crowds of timers from
    /// becoming a busy loop; 50 µs by default. Nothing else is delayed by it.
    pub fn timer_slack(mut self, slack: Duration) -> Self {
        self.timer_slack = slack;
        self
    }

    /// Whether timers count the time that the machine is suspended. [`build`](Self::build) fails where the platform has
    /// no such clock.
    pub fn count_suspended_time(mut self, count: bool) -> Self {
        self.suspend_aware = count;
        self
    }

    /// Whether the clock stands still from the start, for tests; see [`pause`](crate::time::pause).
    pub fn start_paused(mut self, paused: bool) -> Self {
        self.start_paused = paused;
        self
    }

    /// Whether a paused clock jumps to the next deadline when the runtime is idle; it does by default.
    pub fn auto_advance(mut self, auto: bool) -> Self {
        self.auto_advance = auto;
        self
    }

    /// How many events of sockets are taken at a time; 1024 by default, 0 is an error of [`build`](Self::build).
    pub fn max_io_events_per_tick(mut self, events: usize) -> Self {
        self.max_io_events = events;
        self
    }

    /// Makes the choices that are left to chance the same in each run: the peer that a worker steals from first.
    pub fn rng_seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// What happens when a task panics; nothing by default, but to its join handle.
    pub fn unhandled_panic(mut self, behaviour: UnhandledPanic) -> Self {
        self.unhandled_panic = behaviour;
        self
    }

    /// A poll that runs for longer than this is reported while it runs: a `tracing` event at WARN names the task, where
    /// it was spawned, the worker and its thread. 100 ms by default. [`Duration::MAX`] turns the watchdog off.
    pub fn watchdog(mut self, threshold: Duration) -> Self {
        self.watchdog = (threshold != Duration::MAX).then_some(threshold);
        self
    }

    /// Whether each poll's time is measured, for the histogram in the metrics; two readings of the clock a poll. Off by
    /// default.
    pub fn metrics_poll_time_histogram(mut self, on: bool) -> Self {
        self.poll_histogram = on;
        self
    }

    /// Whether idle workers keep watch over busy ones; they do by default.
    ///
    /// Without, a task that blocks its worker also keeps timers, sockets and the tasks queued behind it waiting. It
    /// costs next to nothing and is there to be measured.
    pub fn rescue_blocked_workers(mut self, rescue: bool) -> Self {
        self.rescue = rescue;
        self
    }

    /// Loses each interruption of the driver for which `fault` says so.
    #[cfg(test)]
    pub(crate) fn with_lost_interruptions(mut self, fault: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.lost_interruptions = Some(Arc::new(fault));
        self
    }

    /// Does nothing: timers and sockets are on. Here for programs that come from elsewhere.
    pub fn enable_all(self) -> Self {
        self
    }

    /// Does nothing: sockets are on. Here for programs that come from elsewhere.
    pub fn enable_io(self) -> Self {
        self
    }

    /// Does nothing: timers are on. Here for programs that come from elsewhere.
    pub fn enable_time(self) -> Self {
        self
    }

    /// Turns sockets off: making one in this runtime is an error.
    pub fn disable_io(mut self) -> Self {
        self.sockets = false;
        self
    }

    /// Turns timers off: polling one in this runtime panics.
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
