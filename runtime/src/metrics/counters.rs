//! Counters written by one thread and read by any.

use std::time::{Duration, Instant};

use super::histogram::Recorder;
use crate::sync::{AtomicU64, Ordering};

/// The running task's id while a worker polls the future given to `block_on`.
pub(crate) const ROOT: u64 = u64::MAX;

/// A counter that one thread writes: a load and a store, never a locked instruction.
#[derive(Debug, Default)]
pub(crate) struct Owned(AtomicU64);

impl Owned {
    fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Adds `n`. Owner only.
    #[inline]
    pub(crate) fn add(&self, n: u64) {
        // Relaxed: a counter by itself; readers need no order between counters.
        self.0.store(self.0.load(Ordering::Relaxed).wrapping_add(n), Ordering::Relaxed);
    }

    /// The current value. Any thread.
    #[inline]
    pub(crate) fn get(&self) -> u64 {
        // Relaxed: see `add`.
        self.0.load(Ordering::Relaxed)
    }
}

/// What one worker counts. Its worker writes, everybody reads; each figure is published as it changes, so those of a
/// worker that is stuck in a poll are current.
///
/// Kept in a `CachePadded` by whoever holds the workers, so that no two workers write one line.
#[derive(Debug)]
pub(crate) struct WorkerCounters {
    /// Polls begun.
    pub(crate) polls: Owned,
    /// The id of the task being polled; 0 between polls.
    running: AtomicU64,
    /// How long the worker has been awake in all: a [`BusyWord`].
    busy: AtomicU64,
    pub(crate) parks: Owned,
    pub(crate) unparks: Owned,
    /// Searches that took something from a peer.
    pub(crate) steal_operations: Owned,
    /// Tasks taken from peers.
    pub(crate) steals: Owned,
    /// Tasks queued globally for want of the worker's own queue. Written by whoever runs on without it.
    overflows: AtomicU64,
    /// Polls that ended because the cooperative budget was used up.
    pub(crate) forced_yields: Owned,
    /// The worker's thread, as the operating system numbers it; 0 before it started.
    thread: AtomicU64,
    epoch: Instant,
    /// How long each poll took; `None` unless the builder asked for it.
    pub(crate) poll_times: Option<Recorder>,
    /// How long each task was queued before its poll; `None` unless the builder asked for it.
    pub(crate) schedule_latencies: Option<Recorder>,
}

impl WorkerCounters {
    /// `epoch` is the same for all workers of a runtime.
    pub(crate) fn new(epoch: Instant, histograms: bool) -> Self {
        Self {
            polls: Owned::new(),
            running: AtomicU64::new(0),
            busy: AtomicU64::new(0),
            parks: Owned::new(),
            unparks: Owned::new(),
            steal_operations: Owned::new(),
            steals: Owned::new(),
            overflows: AtomicU64::new(0),
            forced_yields: Owned::new(),
            thread: AtomicU64::new(0),
            epoch,
            poll_times: histograms.then(Recorder::new),
            schedule_latencies: histograms.then(Recorder::new),
        }
    }

    /// The worker's thread has started, or another one has taken the worker over. Call it on that thread.
    pub(crate) fn attach(&self) {
        // Relaxed: a figure by itself.
        self.thread.store(os_thread_id(), Ordering::Relaxed);
        self.set_awake();
    }

    /// A poll of task `id`, which was queued at the [`clock`](Self::clock)'s `queued_at`, begins. The guard's drop, on
    /// unwinding too, ends it.
    #[inline]
    pub(crate) fn poll(&self, id: u64, queued_at: impl FnOnce() -> Option<u64>) -> Poll<'_> {
        let start = self.poll_times.as_ref().map(|_| self.clock());
        if let (Some(start), Some(latencies)) = (start, &self.schedule_latencies) {
            if let Some(queued_at) = queued_at() {
                latencies.record(Duration::from_nanos(start.saturating_sub(queued_at)));
            }
        }
        self.polls.add(1);
        // Relaxed: the watchdog compares samples of one worker and tolerates a torn pair.
        self.running.store(id, Ordering::Relaxed);
        Poll { counters: self, start }
    }

    /// The poll in progress goes on, outside of the worker, which begins others. Returns the task, for `resume_poll`.
    pub(crate) fn leave_poll(&self) -> u64 {
        // Relaxed: the watchdog tolerates what is out of date.
        let id = self.running.load(Ordering::Relaxed);
        self.running.store(0, Ordering::Relaxed);
        id
    }

    /// The poll goes on in the worker after all.
    pub(crate) fn resume_poll(&self, id: u64) {
        // Relaxed: see above.
        self.running.store(id, Ordering::Relaxed);
    }

    /// The worker is about to park: a period of being busy is over.
    pub(crate) fn park(&self) {
        self.parks.add(1);
        // Relaxed, here and below: the owner writes; whoever must not miss the change has a fence of its own.
        let total = BusyWord(self.busy.load(Ordering::Relaxed)).total(self.clock());
        self.busy.store(BusyWord::parked(total).0, Ordering::Relaxed);
    }

    /// The worker has left its park.
    pub(crate) fn unpark(&self) {
        self.unparks.add(1);
        self.set_awake();
    }

    fn set_awake(&self) {
        let word = BusyWord(self.busy.load(Ordering::Relaxed));
        if !word.is_awake() {
            let now = self.clock();
            self.busy.store(BusyWord::awake(now, word.total(now)).0, Ordering::Relaxed);
        }
    }

    /// `tasks` were taken from a peer in one go.
    pub(crate) fn stole(&self, tasks: usize) {
        self.steal_operations.add(1);
        self.steals.add(tasks as u64);
    }

    /// A task went to the global queue because the worker's own has moved away from this thread. Any thread.
    pub(crate) fn overflowed(&self) {
        // Relaxed: a counter.
        self.overflows.fetch_add(1, Ordering::Relaxed);
    }

    /// What [`overflowed`](Self::overflowed) counts. Any thread.
    pub(crate) fn overflows(&self) -> u64 {
        self.overflows.load(Ordering::Relaxed)
    }

    /// Whether the worker is parked. Any thread.
    pub(crate) fn is_parked(&self) -> bool {
        !BusyWord(self.busy.load(Ordering::Relaxed)).is_awake()
    }

    /// The polls begun and the task being polled, 0 between polls. Any thread.
    pub(crate) fn sample(&self) -> (u64, u64) {
        (self.polls.get(), self.running.load(Ordering::Relaxed))
    }

    /// Time awake, the running period included. Any thread.
    pub(crate) fn busy(&self) -> Duration {
        Duration::from_nanos(BusyWord(self.busy.load(Ordering::Relaxed)).total(self.clock()))
    }

    /// The worker's thread as the operating system numbers it; 0 before it started.
    pub(crate) fn os_thread(&self) -> u64 {
        self.thread.load(Ordering::Relaxed)
    }

    /// Nanoseconds since the runtime began.
    pub(crate) fn clock(&self) -> u64 {
        u64::try_from(self.epoch.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

/// How long a worker has been awake in all, in one word, so that a reader never sees a period twice or not at all.
///
/// Parked: the total in nanoseconds. Awake, the top bit is set: the time since the epoch less the total when the worker
/// left its park, so that now less that is the total at any time.
#[derive(Clone, Copy)]
struct BusyWord(u64);

impl BusyWord {
    const AWAKE: u64 = 1 << 63;

    fn parked(total: u64) -> Self {
        Self(total & !Self::AWAKE)
    }

    fn awake(now: u64, total: u64) -> Self {
        Self(now.saturating_sub(total) | Self::AWAKE)
    }

    fn is_awake(self) -> bool {
        self.0 & Self::AWAKE != 0
    }

    fn total(self, now: u64) -> u64 {
        if self.is_awake() { now.saturating_sub(self.0 & !Self::AWAKE) } else { self.0 }
    }
}

/// One poll in progress.
#[derive(Debug)]
pub(crate) struct Poll<'a> {
    counters: &'a WorkerCounters,
    start: Option<u64>,
}

impl Poll<'_> {
    /// The poll has ended outside of its worker, whose counters are another thread's to write.
    pub(crate) fn end_outside(self) {
        let _ = crate::coop::take_forced_yields();
        std::mem::forget(self);
    }
}

impl Drop for Poll<'_> {
    #[inline]
    fn drop(&mut self) {
        self.counters.running.store(0, Ordering::Relaxed);
        let yields = crate::coop::take_forced_yields();
        if yields != 0 {
            self.counters.forced_yields.add(yields);
        }
        if let (Some(start), Some(times)) = (self.start, &self.counters.poll_times) {
            times.record(Duration::from_nanos(self.counters.clock().saturating_sub(start)));
        }
    }
}

/// What the driver's seat counts; its holder writes. `handoffs` and `rescues` may be added to by any worker.
#[derive(Debug)]
pub(crate) struct DriverCounters {
    /// Turns of the driver. Holder of the seat only.
    pub(crate) turns: Owned,
    /// I/O events taken. Holder of the seat only.
    pub(crate) ready_events: Owned,
    handoffs: AtomicU64,
    rescues: AtomicU64,
}

impl DriverCounters {
    pub(crate) fn new() -> Self {
        Self {
            turns: Owned::new(),
            ready_events: Owned::new(),
            handoffs: AtomicU64::new(0),
            rescues: AtomicU64::new(0),
        }
    }

    /// The sentinel took over a seat that was left empty.
    pub(crate) fn handed_off(&self) {
        self.handoffs.fetch_add(1, Ordering::Relaxed);
    }

    /// A task was taken out of a blocked worker's LIFO slot or queue.
    pub(crate) fn rescued(&self) {
        self.rescues.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn handoffs(&self) -> u64 {
        self.handoffs.load(Ordering::Relaxed)
    }

    pub(crate) fn rescues(&self) -> u64 {
        self.rescues.load(Ordering::Relaxed)
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn os_thread_id() -> u64 {
    // SAFETY: gettid takes nothing and cannot fail.
    let id = unsafe { libc::gettid() };
    u64::try_from(id).unwrap_or(0)
}

/// Elsewhere there is no portable number: a process-wide count in the order the threads started.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn os_thread_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    // Relaxed: each number is handed out once, that is all.
    NEXT.fetch_add(1, Ordering::Relaxed)
}
