//! The thread that names the task that blocks a worker, while it blocks.
//!
//! Every period (a quarter of the threshold) it looks at each worker's poll counter and running task; a poll in which both have stood
//! still for the threshold is reported, once. No clock is read per poll: what the watchdog knows of a poll's age is when
//! it first saw it, so a report comes between one threshold and one threshold and two periods after the poll began.
//!
//! # Sleep
//!
//! An idle runtime makes no system calls, so the watchdog sleeps without limit while every worker is parked, and the
//! next worker that leaves its park wakes it: [`doze`]. It falls asleep only after a period without polls, so that a
//! worker which parks a thousand times a second does not wake it each time.
//!
//! The wake-up costs the worker some microseconds just when it is to poll what it was woken for. So it leaves it to a
//! parked peer, if there is one: that one keeps watch while anybody is awake (see `park::rest`) and wakes the watchdog
//! at the end of its first period. Of the workers that leave their parks at the same time, the last to look after the
//! fence finds nobody parked, and does it itself.

mod ages;
mod doze;

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{OnceLock, Weak};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use self::ages::Ages;
use self::doze::{Doing, Doze, Rouse};
use crate::hooks;
use crate::metrics::{ROOT, Source};
use crate::sync::{Arc, AtomicU64, Mutex, MutexGuard, Ordering};
use crate::trace::event;

/// How long an era of task ids lasts: as exact as ages are.
const ERA: Duration = Duration::from_secs(1);

/// Watches the workers of one runtime. The thread starts at the first [`Watchdog::worker_awake`].
pub(crate) struct Watchdog {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

struct Shared {
    threshold: Duration,
    period: Duration,
    doze: Doze,
    reports: AtomicU64,
    epoch: Instant,
    /// What is watched; set once, before the first worker runs.
    watched: OnceLock<Watched>,
}

struct Watched {
    source: Weak<dyn Source>,
    /// One for each worker; the thread writes.
    samples: Box<[Sample]>,
    ages: Mutex<Ages>,
}

/// When the thread first saw the poll that a worker is in.
#[derive(Default)]
struct Sample {
    polls: AtomicU64,
    /// Nanoseconds since the watchdog's epoch.
    since: AtomicU64,
}

/// What the thread itself remembers of a worker.
#[derive(Clone, Default)]
struct Memory {
    polls: u64,
    since: Duration,
    reported: bool,
}

impl Watchdog {
    pub(crate) fn new(threshold: Duration) -> Self {
        let shared = Shared {
            threshold,
            period: (threshold / 4).clamp(Duration::from_millis(1), Duration::from_secs(1)),
            doze: Doze::new(),
            reports: AtomicU64::new(0),
            epoch: Instant::now(),
            watched: OnceLock::new(),
        };
        Self { shared: Arc::new(shared), thread: Mutex::new(None) }
    }

    /// Which workers to watch; to be called once, before the first worker runs.
    pub(crate) fn watch(&self, source: Weak<dyn Source>) {
        let workers = source.upgrade().map_or(0, |source| source.workers().len());
        let samples = (0..workers).map(|_| Sample::default()).collect();
        // Err: called twice; the first stays.
        let _ = self.shared.watched.set(Watched { source, samples, ages: Mutex::default() });
    }

    /// A worker has left its park, and its counters say so: the watchdog must not sleep on, unless a parked peer keeps
    /// watch and calls this soon. A fence and a load while it is awake.
    #[inline]
    pub(crate) fn worker_awake(&self, peer_watches: impl FnOnce() -> bool) {
        if self.shared.doze.worker_awake(peer_watches) == Rouse::Wake {
            self.rouse();
        }
    }

    /// Polls reported so far.
    pub(crate) fn reports(&self) -> u64 {
        self.shared.reports.load(Ordering::Relaxed)
    }

    /// How long the poll that `worker` is in has been seen; `None` if it is younger than a period or over.
    pub(crate) fn seen_for(&self, worker: usize) -> Option<Duration> {
        let watched = self.shared.watched.get()?;
        let source = watched.source.upgrade()?;
        let sample = watched.samples.get(worker)?;
        let (polls, running) = source.workers()[worker].sample();
        let since = Duration::from_nanos(sample.since.load(Ordering::Relaxed));
        let seen = running != 0 && sample.polls.load(Ordering::Relaxed) == polls;
        seen.then(|| self.shared.now().saturating_sub(since))
    }

    /// For at least how long the task has existed.
    pub(crate) fn age(&self, id: u64) -> Option<Duration> {
        Some(self.shared.watched.get()?.ages().age(id, self.shared.now()))
    }

    /// Ends the thread; joins it if `join`, unless it is the caller.
    pub(crate) fn stop(&self, join: bool) {
        self.shared.doze.stop();
        let Some(thread) = self.lock().take() else { return };
        thread.thread().unpark();
        if join && thread.thread().id() != thread::current().id() {
            // Err: a panic that the thread did not contain; it has ended either way.
            let _ = thread.join();
        }
    }

    #[cold]
    fn rouse(&self) {
        let mut slot = self.lock();
        if let Some(thread) = &*slot {
            return thread.thread().unpark();
        }
        let shared = self.shared.clone();
        match thread::Builder::new().name("wheelhouse-wdog".to_owned()).spawn(move || shared.run()) {
            Ok(thread) => *slot = Some(thread),
            // The state stays awake, so that this is not tried at each unpark.
            Err(error) => {
                drop(slot);
                event!(WARN, "wheelhouse::watchdog", %error, "the watchdog cannot be started");
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<JoinHandle<()>>> {
        self.thread.lock()
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        // Of a runtime that could not be started; or it has ended before.
        self.stop(false);
    }
}

impl Watched {
    fn ages(&self) -> MutexGuard<'_, Ages> {
        self.ages.lock()
    }

    /// Begins an era of task ids if the last one has lasted for `least`.
    fn begin_era(&self, now: Duration, least: Duration) {
        let mut ages = self.ages();
        if ages.last(now).is_none_or(|ago| ago >= least) {
            ages.push(hooks::begin_id_era(), now);
        }
    }
}

impl Shared {
    fn now(&self) -> Duration {
        self.epoch.elapsed()
    }

    fn run(&self) {
        let Some(watched) = self.watched.get() else { return };
        let mut memory = vec![Memory::default(); watched.samples.len()];
        let mut active = self.now();
        loop {
            if self.doze.is_stopped() {
                return;
            }
            let Some(source) = watched.source.upgrade() else { return };
            watched.begin_era(self.now(), ERA);
            // A subscriber that panics must not end the watch.
            let polled = catch_unwind(AssertUnwindSafe(|| self.look(&*source, &watched.samples, &mut memory)));
            let now = self.now();
            if polled.unwrap_or_else(|payload| {
                // Its destructor may panic as well.
                std::mem::forget(payload);
                true
            }) {
                active = now;
            }
            let asleep = now.saturating_sub(active) >= self.period && self.falls_asleep(&*source) == Doing::Sleep;
            drop(source);
            if !asleep {
                thread::park_timeout(self.period);
                continue;
            }
            // The tasks that are there will be as old as the sleep, at least.
            watched.begin_era(self.now(), Duration::ZERO);
            while self.doze.is_asleep() {
                thread::park();
            }
            active = self.now();
        }
    }

    /// Looks at every worker once. True if any has polled since the last look.
    fn look(&self, source: &dyn Source, samples: &[Sample], memory: &mut [Memory]) -> bool {
        let now = self.now();
        let mut active = false;
        for (worker, counters) in source.workers().iter().enumerate() {
            let (polls, running) = counters.sample();
            let known = &mut memory[worker];
            active |= running != 0 || polls != known.polls;
            if running == 0 || polls != known.polls {
                *known = Memory { polls, since: now, reported: false };
                let sample = &samples[worker];
                // Relaxed: a torn pair shows a poll as a period older or younger.
                sample.since.store(u64::try_from(now.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
                sample.polls.store(polls, Ordering::Relaxed);
                continue;
            }
            let elapsed = now.saturating_sub(known.since);
            if elapsed >= self.threshold && !known.reported {
                known.reported = true;
                // Relaxed: a counter.
                self.reports.fetch_add(1, Ordering::Relaxed);
                report(source, worker, running, elapsed);
            }
        }
        active
    }

    fn falls_asleep(&self, source: &dyn Source) -> Doing {
        self.doze.fall_asleep(|| source.workers().iter().all(|counters| counters.is_parked()))
    }
}

/// Tells of a poll that goes on.
fn report(source: &dyn Source, worker: usize, running: u64, elapsed: Duration) {
    let task = if running == ROOT { None } else { source.task(running) };
    let location = task.as_ref().map(|task| task.location);
    let name = if running == ROOT { Some("block_on") } else { task.as_ref().and_then(|task| task.name.as_deref()) };
    event!(
        WARN,
        "wheelhouse::watchdog",
        {
            task.id = (running != ROOT).then_some(running),
            task.name = name,
            spawn.location = location.map(tracing::field::display),
            worker,
            thread.id = source.workers()[worker].os_thread(),
            elapsed_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
        },
        "a poll blocks its worker: move blocking work to `spawn_blocking` or `block_in_place`, or yield more often"
    );
}

impl fmt::Debug for Watchdog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watchdog")
            .field("threshold", &self.shared.threshold)
            .field("reports", &self.reports())
            .finish_non_exhaustive()
    }
}
