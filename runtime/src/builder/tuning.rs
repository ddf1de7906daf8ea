//! The knobs of time, fairness and watching.

use std::time::Duration;

use super::{Builder, UnhandledPanic};

impl Builder {
    /// Every so many polls a worker looks first at the tasks that other threads queued; 61 by default, 0 is an error of
    /// [`build`](Self::build).
    ///
    /// # Examples
    ///
    /// ```
    /// # use wheelhouse::runtime::Builder;
    /// let runtime = Builder::new_multi_thread().global_queue_interval(31).build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn global_queue_interval(mut self, polls: u32) -> Self {
        self.global_queue_interval = Some(polls);
        self
    }

    /// A worker that is never out of tasks looks at timers and sockets after so many polls at the latest; 61 by default,
    /// 0 is an error of [`build`](Self::build). While it finds something there, it looks more often.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wheelhouse::runtime::Builder;
    /// let runtime = Builder::new_multi_thread().event_interval(31).build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn event_interval(mut self, polls: u32) -> Self {
        self.event_interval = Some(polls);
        self
    }

    /// How soon after a turn that fired timers the driver may sleep for the next ones: it keeps crowds of timers from
    /// becoming a busy loop; 50 µs by default. Nothing else is delayed by it.
    ///
    /// # Examples
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use wheelhouse::runtime::Builder;
    /// let runtime = Builder::new_multi_thread().timer_slack(Duration::from_micros(100)).build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn timer_slack(mut self, slack: Duration) -> Self {
        self.timer_slack = slack;
        self
    }

    /// Whether timers count the time that the machine is suspended. [`build`](Self::build) fails where the platform has
    /// no such clock.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wheelhouse::runtime::Builder;
    /// let runtime = Builder::new_multi_thread().count_suspended_time(cfg!(target_os = "linux")).build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn count_suspended_time(mut self, count: bool) -> Self {
        self.suspend_aware = count;
        self
    }

    /// Whether the clock stands still from the start, for tests; see [`pause`](crate::time::pause).
    ///
    /// # Examples
    ///
    /// ```
    /// # use wheelhouse::runtime::Builder;
    /// let runtime = Builder::new_current_thread().start_paused(true).build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn start_paused(mut self, paused: bool) -> Self {
        self.start_paused = paused;
        self
    }

    /// Whether a paused clock jumps to the next deadline when the runtime is idle; it does by default.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wheelhouse::runtime::Builder;
    /// let runtime = Builder::new_current_thread().start_paused(true).auto_advance(false).build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn auto_advance(mut self, auto: bool) -> Self {
        self.auto_advance = auto;
        self
    }

    /// How many events of sockets are taken at a time; 1024 by default, 0 is an error of [`build`](Self::build). More than
    /// 65,536 count as 65,536; what is left over is taken the next time.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wheelhouse::runtime::Builder;
    /// let runtime = Builder::new_multi_thread().max_io_events_per_tick(256).build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn max_io_events_per_tick(mut self, events: usize) -> Self {
        self.max_io_events = events;
        self
    }

    /// Makes the choices that are left to chance the same in each run: the peer that a worker steals from first.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wheelhouse::runtime::Builder;
    /// let runtime = Builder::new_multi_thread().rng_seed(42).build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn rng_seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// What happens when a task panics; nothing by default, but to its join handle.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wheelhouse::runtime::Builder;
    /// let runtime = Builder::new_multi_thread().unhandled_panic(wheelhouse::runtime::UnhandledPanic::ShutdownRuntime).build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn unhandled_panic(mut self, behaviour: UnhandledPanic) -> Self {
        self.unhandled_panic = behaviour;
        self
    }

    /// A poll that runs for longer than this is reported while it runs: a `tracing` event at WARN names the task, where
    /// it was spawned, the worker and its thread. 100 ms by default. [`Duration::MAX`] turns the watchdog off.
    ///
    /// # Examples
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use wheelhouse::runtime::Builder;
    /// let runtime = Builder::new_multi_thread().watchdog(Duration::from_millis(20)).build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn watchdog(mut self, threshold: Duration) -> Self {
        self.watchdog = (threshold != Duration::MAX).then_some(threshold);
        self
    }

    /// Whether each poll's time is measured, for the histogram in the metrics; two readings of the clock a poll. Off by
    /// default.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wheelhouse::runtime::Builder;
    /// let runtime = Builder::new_multi_thread().metrics_poll_time_histogram(true).build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn metrics_poll_time_histogram(mut self, on: bool) -> Self {
        self.poll_histogram = on;
        self
    }

    /// Whether idle workers keep watch over busy ones; they do by default.
    ///
    /// Without, a task that blocks its worker also keeps timers, sockets and the tasks queued behind it waiting. It
    /// costs next to nothing and is there to be measured.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wheelhouse::runtime::Builder;
    /// let runtime = Builder::new_multi_thread().rescue_blocked_workers(false).build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn rescue_blocked_workers(mut self, rescue: bool) -> Self {
        self.rescue = rescue;
        self
    }
}
