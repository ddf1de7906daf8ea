//! What a user sees of the counters.

use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;
use std::time::Duration;

use wheelhouse_time::TimerMetrics;

use super::histogram::Histogram;
use super::source::Source;
use super::{WorkerCounters, prometheus};

/// A runtime's figures, read as they are asked for; `Handle::metrics` returns it.
///
/// Counters start at 0, wrap at 2^64 and are published as they change: the figures of a worker that is stuck in a poll
/// are current. Reading waits for no worker and costs the workers nothing. Figures read one after the other are of
/// different instants.
///
/// All of it is on without any flag but for the two histograms per worker, which read the clock around each poll:
/// `Builder::metrics_poll_time_histogram` turns these on.
///
/// # Panics
///
/// The methods that take a worker's number panic when there is no such worker: [`num_workers`](Self::num_workers) says
/// how many there are, and they are numbered from 0.
///
/// # Examples
///
/// ```
/// # wheelhouse::runtime::Runtime::new()?.block_on(async {
/// let metrics = wheelhouse::runtime::Handle::current().metrics();
/// wheelhouse::spawn(async {}).await.unwrap();
/// let polls: u64 = (0..metrics.num_workers()).map(|worker| metrics.worker_poll_count(worker)).sum();
/// assert!(polls > 0);
/// println!("{}", metrics.to_prometheus());
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone)]
pub struct RuntimeMetrics {
    pub(super) source: Arc<dyn Source>,
}

impl RuntimeMetrics {
    pub(crate) fn new(source: Arc<dyn Source>) -> Self {
        Self { source }
    }

    /// How many workers there are: 1 on the current-thread flavour.
    pub fn num_workers(&self) -> usize {
        self.source.workers().len()
    }

    /// How many tasks are alive: spawned and not yet complete.
    pub fn num_alive_tasks(&self) -> usize {
        self.source.alive()
    }

    /// How many tasks wait in the global queue.
    pub fn global_queue_depth(&self) -> usize {
        self.source.global_depth()
    }

    /// How many tasks wait in the worker's own queue, its LIFO slot included.
    #[track_caller]
    pub fn worker_local_queue_depth(&self, worker: usize) -> usize {
        self.worker(worker);
        self.source.local_depth(worker)
    }

    /// How often the worker has parked for want of work.
    #[track_caller]
    pub fn worker_park_count(&self, worker: usize) -> u64 {
        self.worker(worker).parks.get()
    }

    /// How often the worker has left its park.
    #[track_caller]
    pub fn worker_unpark_count(&self, worker: usize) -> u64 {
        self.worker(worker).unparks.get()
    }

    /// How many polls the worker has begun; one that goes on counts.
    #[track_caller]
    pub fn worker_poll_count(&self, worker: usize) -> u64 {
        self.worker(worker).polls.get()
    }

    /// How many tasks the worker has taken from others.
    #[track_caller]
    pub fn worker_steal_count(&self, worker: usize) -> u64 {
        self.worker(worker).steals.get()
    }

    /// How often the worker has taken tasks from another.
    #[track_caller]
    pub fn worker_steal_operations(&self, worker: usize) -> u64 {
        self.worker(worker).steal_operations.get()
    }

    /// How many tasks went to the global queue for want of the worker's own.
    ///
    /// A worker's queue grows as it must and is never full. But after [`block_in_place`](crate::task::block_in_place) it
    /// has moved to another thread with its worker: what the rest of that poll wakes or spawns goes to the global queue,
    /// and is counted here.
    #[track_caller]
    pub fn worker_overflow_count(&self, worker: usize) -> u64 {
        self.worker(worker).overflows()
    }

    /// How long the worker has been awake in all, up to now: polling, or looking for work.
    #[track_caller]
    pub fn worker_total_busy_duration(&self, worker: usize) -> Duration {
        self.worker(worker).busy()
    }

    /// The mean time of a poll on the worker: exact with the poll-time histogram, otherwise the time awake divided by
    /// the polls, which includes looking for work. Zero before the first poll.
    #[track_caller]
    pub fn worker_mean_poll_time(&self, worker: usize) -> Duration {
        let counters = self.worker(worker);
        if let Some(times) = &counters.poll_times {
            return times.snapshot().mean().unwrap_or_default();
        }
        let nanos = counters.busy().as_nanos().checked_div(u128::from(counters.polls.get())).unwrap_or(0);
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    /// Whether `Builder::metrics_poll_time_histogram` is on.
    pub fn poll_time_histogram_enabled(&self) -> bool {
        self.source.workers().iter().any(|counters| counters.poll_times.is_some())
    }

    /// How long the worker's polls took; `None` unless the histograms are on.
    #[track_caller]
    pub fn worker_poll_time_histogram(&self, worker: usize) -> Option<Histogram> {
        self.worker(worker).poll_times.as_ref().map(super::Recorder::snapshot)
    }

    /// How long tasks were queued before the worker polled them; `None` unless the histograms are on.
    #[track_caller]
    pub fn worker_schedule_latency_histogram(&self, worker: usize) -> Option<Histogram> {
        self.worker(worker).schedule_latencies.as_ref().map(super::Recorder::snapshot)
    }

    /// The worker's thread, as the operating system numbers it; `None` before it has started.
    #[track_caller]
    pub fn worker_os_thread_id(&self, worker: usize) -> Option<u64> {
        Some(self.worker(worker).os_thread()).filter(|&id| id != 0)
    }

    /// How many polls ended because the task had used up its cooperative budget.
    pub fn budget_forced_yield_count(&self) -> u64 {
        self.sum(|counters| counters.forced_yields.get())
    }

    /// How many threads the blocking pool has, idle ones included.
    pub fn num_blocking_threads(&self) -> usize {
        self.source.blocking().threads
    }

    /// How many threads of the blocking pool wait for a job.
    pub fn num_idle_blocking_threads(&self) -> usize {
        self.source.blocking().idle
    }

    /// How many jobs wait for a thread of the blocking pool.
    pub fn blocking_queue_depth(&self) -> usize {
        self.source.blocking().queue_depth
    }

    /// What the timers have done: armed, fired, cancelled, extended without a lock, cascaded, and how late they fired.
    pub fn timers(&self) -> TimerMetrics {
        self.source.timers()
    }

    /// How often the driver, timers and I/O, has been turned.
    pub fn driver_turn_count(&self) -> u64 {
        self.source.driver().turns.get()
    }

    /// How many I/O events the driver has taken.
    pub fn io_driver_ready_count(&self) -> u64 {
        self.source.driver().ready_events.get()
    }

    /// How often a parked worker took over the driver that another, blocked or busy, had left.
    pub fn driver_handoff_count(&self) -> u64 {
        self.source.driver().handoffs()
    }

    /// How many tasks were taken out of the reach of a blocked worker.
    pub fn rescue_count(&self) -> u64 {
        self.source.driver().rescues()
    }

    /// How many polls the watchdog has reported as blocking their worker. 0 when it is off.
    pub fn watchdog_report_count(&self) -> u64 {
        self.source.watchdog().map_or(0, crate::watchdog::Watchdog::reports)
    }

    /// All figures in the Prometheus text format, version 0.0.4.
    ///
    /// Names start with `wheelhouse_`, durations are in seconds, figures of a worker have a `worker` label. Serve it as
    /// `text/plain; version=0.0.4`.
    pub fn to_prometheus(&self) -> String {
        prometheus::render(self, &[])
    }

    /// As [`to_prometheus`](Self::to_prometheus), with labels of your own on each sample: they tell several runtimes of
    /// one process apart.
    ///
    /// # Panics
    ///
    /// When a label's name is not one to Prometheus (letters, digits and `_`, no digit first), or is `worker` or `le`.
    ///
    /// # Examples
    ///
    /// ```
    /// # let runtime = wheelhouse::runtime::Runtime::new()?;
    /// let text = runtime.handle().metrics().to_prometheus_labelled(&[("runtime", "background")]);
    /// assert!(text.contains("wheelhouse_workers{runtime=\"background\"}"));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[track_caller]
    pub fn to_prometheus_labelled(&self, labels: &[(&str, &str)]) -> String {
        for (name, _) in labels {
            assert!(
                prometheus::is_label(name),
                "`{name}` cannot label a Prometheus sample here: use letters, digits and `_`, and neither `worker` nor `le`"
            );
        }
        prometheus::render(self, labels)
    }

    fn sum(&self, figure: impl Fn(&WorkerCounters) -> u64) -> u64 {
        self.source.workers().iter().map(|counters| figure(counters)).fold(0, u64::wrapping_add)
    }

    #[track_caller]
    fn worker(&self, worker: usize) -> &WorkerCounters {
        let workers = self.source.workers();
        match workers.get(worker) {
            Some(counters) => counters,
            None => panic!(
                "there is no worker {worker}: this runtime has {}, numbered from 0 (see `num_workers`)",
                workers.len()
            ),
        }
    }
}

// A panic can interrupt nothing here: it only reads.
impl UnwindSafe for RuntimeMetrics {}
impl RefUnwindSafe for RuntimeMetrics {}

impl fmt::Debug for RuntimeMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RuntimeMetrics")
            .field("num_workers", &self.num_workers())
            .field("num_alive_tasks", &self.num_alive_tasks())
            .field("global_queue_depth", &self.global_queue_depth())
            .finish_non_exhaustive()
    }
}
