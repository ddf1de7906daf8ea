//! A runtime's timers: the handle that everybody shares, the driver that one party holds, and their builder.

use core::fmt;
use core::task::Waker;
use core::time::Duration;
use std::sync::Weak;

use crate::clock::{Clock, ClockKind, Instant};
use crate::context::{self, EnterGuard};
use crate::error::Error;
use crate::sync::{Arc, AtomicU32, AtomicU64, AtomicUsize, Kept, Mutex, Ordering};
use crate::timer::{Interrupt, Next, Shard, Shards, Tick, TimerMetrics, Turned, Turner, nanos};

/// After how many turns without an idle moment a busy runtime takes the next step of an `advance` nevertheless.
const PATIENCE: u32 = 32;

/// What the parties of one runtime share.
pub(crate) struct Shared {
    /// Never 0; a timer that is not filed yet remembers its runtime by this.
    id: u32,
    clock: Clock,
    shards: Shards,
    /// How many of the shards belong to workers; the rest is for foreign threads.
    workers: usize,
    auto_advance: bool,
    interrupt: Option<std::sync::Arc<dyn Interrupt>>,
    advance: Advances,
}

/// The tick up to which `advance` has been asked to move the paused clock, and by how many callers.
#[derive(Default)]
pub(crate) struct Advances {
    callers: AtomicUsize,
    until: AtomicU64,
}

/// Every living `Shared` by its id: a timer that was made in one runtime and first polled in another finds its own.
static REGISTRY: Mutex<Vec<(u32, Weak<Shared>)>> = Mutex::new(Vec::new());

/// The shards of runtimes that are gone, for those to come: shards are never freed.
static RETIRED: Mutex<Vec<Shards>> = Mutex::new(Vec::new());

impl Shared {
    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Shards for a new runtime: those of one that is gone, if it had as many.
    fn shards(count: usize) -> Shards {
        let mut retired = RETIRED.lock();
        match retired.iter().position(|shards| shards.len() == count) {
            Some(index) => retired.swap_remove(index),
            None => Shards::new(count),
        }
    }

    pub(crate) fn by_id(id: u32) -> Option<Arc<Shared>> {
        let registry = REGISTRY.lock();
        registry.iter().find(|(known, _)| *known == id).and_then(|(_, shared)| shared.upgrade())
    }

    #[track_caller]
    pub(crate) fn worker_shard(&self, index: usize) -> &Kept<Shard> {
        assert!(
            index < self.workers,
            "shard {index} does not exist: the builder was given {} (`TimersBuilder::shards`)",
            self.workers
        );
        self.shards.get(index)
    }

    pub(crate) fn foreign_shard(&self) -> &Kept<Shard> {
        static THREADS: AtomicUsize = AtomicUsize::new(0);
        thread_local! {
            // Relaxed: only distinct numbers matter.
            static THREAD: usize = THREADS.fetch_add(1, Ordering::Relaxed);
        }
        let thread = THREAD.try_with(|number| *number).unwrap_or(0);
        self.shards.get(self.workers + thread % (self.shards.len() - self.workers))
    }

    /// Whether `shard` is one of this runtime's.
    pub(crate) fn owns(&self, shard: &Shard) -> bool {
        self.shards.owns(shard)
    }

    pub(crate) fn interrupt(&self) {
        if let Some(interrupt) = &self.interrupt {
            interrupt.interrupt();
        }
    }
}

impl Drop for Shared {
    /// Whoever still waits for a timer is told, if nobody has shut the timers down.
    fn drop(&mut self) {
        let mut wakes = Vec::new();
        while self.shards.shutdown(&mut wakes) {}
        wakes.drain(..).for_each(Waker::wake);
        REGISTRY.lock().retain(|(id, _)| *id != self.id);
        self.shards.retire();
        RETIRED.lock().push(self.shards.clone());
    }
}

/// The timers of one runtime: a handle to be cloned and shared between its threads.
///
/// They stand alone. Whoever has an event loop builds them, [enters](context::enter) them on the threads that make
/// timers, and holds the [`TimerDriver`], which says until when to wait and fires what is due.
///
/// # Examples
///
/// Timers driven by hand, without any scheduler:
///
/// ```
/// use std::{future::Future, pin::pin, task::{Context, Poll, Waker}, time::Duration};
/// use wheelhouse_time::{Next, Timers, sleep};
///
/// let (timers, mut driver) = Timers::builder().build().unwrap();
/// let _entered = timers.enter();
///
/// // Insert: a timer is filed at its first poll.
/// let mut sleep = pin!(sleep(Duration::from_millis(2)));
/// let mut cx = Context::from_waker(Waker::noop());
/// assert!(sleep.as_mut().poll(&mut cx).is_pending());
///
/// let mut wakes = Vec::new();
/// while sleep.as_mut().poll(&mut cx).is_pending() {
///     // Next deadline: until when may this thread wait?
///     if let Next::At(tick) = driver.prepare_park() {
///         std::thread::sleep(tick.saturating_duration_since(timers.now()));
///     }
///     driver.awake();
///     // Turn: take what is due, then wake it.
///     driver.turn(&mut wakes);
///     wakes.drain(..).for_each(Waker::wake);
/// }
/// assert!(sleep.is_elapsed());
/// ```
#[derive(Clone)]
pub struct Timers {
    shared: Arc<Shared>,
}

impl Timers {
    /// Starts to describe a set of timers.
    pub fn builder() -> TimersBuilder {
        TimersBuilder::default()
    }

    /// Enters these timers on this thread, as a foreign one and with no budget, until the guard is dropped.
    pub fn enter(&self) -> EnterGuard {
        context::enter(self, None, std::rc::Rc::new(core::cell::Cell::new(context::UNLIMITED)))
    }

    /// The earliest deadline there may be, or `None` if no timer is armed. It takes no lock, and may be earlier than the
    /// true one where timers were cancelled or set later.
    #[must_use]
    pub fn earliest(&self) -> Option<Tick> {
        match self.shared.shards.earliest() {
            never if never >= Tick::NEVER.as_nanos() => None,
            tick => Some(Tick::from_nanos(tick)),
        }
    }

    /// The present by this runtime's clock.
    #[must_use]
    pub fn now(&self) -> Tick {
        self.shared.clock.now()
    }

    /// Whether a turn would have something to do. The clock is read only if a timer is armed.
    #[must_use]
    pub fn is_due(&self) -> bool {
        let earliest = self.shared.shards.earliest_work();
        earliest < Tick::NEVER.as_nanos() && earliest <= self.now().as_nanos()
    }

    /// `tick` as an absolute time, in nanoseconds, of the clock named by [`clock_id`](Self::clock_id).
    #[must_use]
    pub fn raw_deadline(&self, tick: Tick) -> u64 {
        self.shared.clock.raw(tick)
    }

    /// The system's name of the clock that these timers follow.
    #[cfg(unix)]
    #[must_use]
    pub fn clock_id(&self) -> libc::clockid_t {
        crate::clock::clock_id(self.shared.clock.kind())
    }

    /// The instant of `tick`.
    #[must_use]
    pub fn instant(&self, tick: Tick) -> Instant {
        self.shared.clock.instant(tick)
    }

    /// The tick of `instant`; what lies before the epoch becomes tick 0.
    #[must_use]
    pub fn tick(&self, instant: Instant) -> Tick {
        self.shared.clock.tick(instant)
    }

    /// Whether the clock is a test clock that stands still.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.shared.clock.is_paused()
    }

    /// Whether a paused clock jumps to the next deadline when the runtime is idle.
    #[must_use]
    pub fn is_auto_advance(&self) -> bool {
        self.shared.auto_advance
    }

    /// Whether [`advance`](crate::advance) is moving the clock: the driver then has a step to take as soon as no task runs.
    #[must_use]
    pub fn is_advancing(&self) -> bool {
        // Relaxed: a hint; the driver takes no step beyond the limit it reads itself.
        self.shared.advance.callers.load(Ordering::Relaxed) > 0
    }

    /// Stops the clock where it is, for tests. A clock that stands already stays as it is.
    pub fn pause(&self) {
        self.shared.clock.pause();
        self.shared.interrupt();
    }

    /// Lets a paused clock run on from where it stands.
    pub fn resume(&self) {
        self.shared.clock.resume();
        self.shared.interrupt();
    }

    /// Ends all timers: each armed one is woken once and answers with [`Error::Shutdown`], and so does every one that is
    /// polled for the first time later. The wakers are added to `wakes`, to be called by the caller.
    ///
    /// A bounded number is handled at a time; `true` says that more are left and that it is to be called again.
    #[must_use = "true says that timers are left"]
    pub fn shutdown(&self, wakes: &mut Vec<Waker>) -> bool {
        self.shared.shards.shutdown(wakes)
    }

    /// A snapshot of the counters.
    #[must_use]
    pub fn metrics(&self) -> TimerMetrics {
        self.shared.shards.metrics()
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    pub(crate) fn from_shared(shared: &Arc<Shared>) -> Timers {
        Timers { shared: Arc::clone(shared) }
    }

    /// Allows the driver to move the paused clock up to `tick`, until the permit is dropped.
    pub(crate) fn permit(&self, until: Tick) -> Permit {
        let advance = &self.shared.advance;
        advance.callers.fetch_add(1, Ordering::Relaxed);
        // Relaxed: the timer that the caller files next orders it before the driver's look at the timers.
        advance.until.fetch_max(until.as_nanos(), Ordering::Relaxed);
        Permit { timers: self.clone() }
    }
}

impl fmt::Debug for Timers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timers")
            .field("now", &self.now())
            .field("earliest", &self.earliest())
            .field("paused", &self.is_paused())
            .finish_non_exhaustive()
    }
}

/// See [`Timers::permit`].
pub(crate) struct Permit {
    timers: Timers,
}

impl Drop for Permit {
    fn drop(&mut self) {
        let advance = &self.timers.shared.advance;
        if advance.callers.fetch_sub(1, Ordering::Relaxed) == 1 {
            advance.until.store(0, Ordering::Relaxed);
        }
    }
}

/// The one party that waits for a runtime's timers and fires them.
///
/// The holder repeats three steps: [`prepare_park`](Self::prepare_park) and wait until then or until
/// [`Interrupt::interrupt`] is called, [`awake`](Self::awake), [`turn`](Self::turn). Any thread may hold it; it never calls a
/// waker itself.
pub struct TimerDriver {
    shared: Arc<Shared>,
    turner: Turner,
    /// Turns since the clock moved while an `advance` is going on.
    waited: u32,
}

impl TimerDriver {
    /// Promises to be awake at the returned tick and says how long to wait: not at all, until that tick, or for ever.
    ///
    /// From here until [`awake`](Self::awake), whoever files an earlier timer calls [`Interrupt::interrupt`], once; the
    /// holder's wait must end then, also when the call comes before the wait began.
    pub fn prepare_park(&mut self) -> Next {
        if self.shared.clock.is_paused() {
            // No slack and no head start: the clock stands still, so a due timer is due now and any other is a jump away.
            return self.turner.prepare_park_exact(&self.shared.shards);
        }
        self.turner.prepare_park(&self.shared.shards)
    }

    /// Takes the promise back; to be called after the wait, before the driver changes hands.
    pub fn awake(&mut self) {
        self.turner.awake(&self.shared.shards);
    }

    /// Fires what is due, at most 1,024 timers a call, and adds their wakers to `wakes` for the caller to call.
    pub fn turn(&mut self, wakes: &mut Vec<Waker>) -> Turned {
        if self.shared.advance.callers.load(Ordering::Relaxed) > 0 {
            self.waited += 1;
            if self.waited >= PATIENCE {
                self.advance_step();
            }
        }
        let earliest = self.shared.shards.earliest_work();
        if earliest >= Tick::NEVER.as_nanos() {
            return Turned::default();
        }
        let now = self.shared.clock.now().as_nanos();
        if earliest > now {
            return Turned::default();
        }
        self.turner.turn(&self.shared.shards, now, wakes)
    }

    /// Moves a paused clock exactly to the earliest deadline, and says whether it moved. The caller has made sure that the
    /// runtime is idle: no task ready or running, no I/O ready, no blocking job. A turn fires the timer then.
    ///
    /// It does nothing while the clock runs, and no more than [`advance_step`](Self::advance_step) where the builder said
    /// [`auto_advance(false)`](TimersBuilder::auto_advance).
    pub fn auto_advance(&mut self) -> bool {
        if !self.shared.auto_advance {
            return self.advance_step();
        }
        self.step(Tick::NEVER)
    }

    /// As [`auto_advance`](Self::auto_advance), but no further than a running [`advance`](crate::advance) asks for. The
    /// caller has made sure that no task is ready or running; blocking jobs and I/O do not hold it up.
    pub fn advance_step(&mut self) -> bool {
        // Relaxed: ordered by the filing of the advance's own timer.
        match self.shared.advance.until.load(Ordering::Relaxed) {
            0 => false,
            until => self.step(Tick::from_nanos(until)),
        }
    }

    /// The timers that this drives.
    #[must_use]
    pub fn timers(&self) -> Timers {
        Timers::from_shared(&self.shared)
    }

    fn step(&mut self, limit: Tick) -> bool {
        self.waited = 0;
        if !self.shared.clock.is_paused() {
            return false;
        }
        let earliest = Tick::from_nanos(self.shared.shards.true_earliest());
        if earliest == Tick::NEVER && limit == Tick::NEVER {
            return false;
        }
        self.shared.clock.move_to(earliest.min(limit))
    }
}

impl fmt::Debug for TimerDriver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TimerDriver").field("timers", &self.timers()).finish_non_exhaustive()
    }
}

/// Describes a set of timers; see [`Timers::builder`].
#[derive(Clone)]
pub struct TimersBuilder {
    shards: usize,
    clock: ClockKind,
    slack: Duration,
    start_paused: bool,
    auto_advance: bool,
    interrupt: Option<std::sync::Arc<dyn Interrupt>>,
}

impl Default for TimersBuilder {
    fn default() -> Self {
        TimersBuilder {
            shards: 1,
            clock: ClockKind::default(),
            slack: Duration::from_micros(50),
            start_paused: false,
            auto_advance: true,
            interrupt: None,
        }
    }
}

impl TimersBuilder {
    /// How many threads get a shard to themselves; shards for foreign threads are added. 1 unless said.
    #[must_use]
    pub fn shards(mut self, shards: usize) -> Self {
        self.shards = shards;
        self
    }

    /// Which clock to follow: the monotonic one unless said.
    #[must_use]
    pub fn clock(mut self, clock: ClockKind) -> Self {
        self.clock = clock;
        self
    }

    /// How long after a turn that fired timers the next wait lasts at least; 50 µs unless said. It keeps a crowd of
    /// timers from turning the driver into a busy loop, and delays nothing otherwise.
    #[must_use]
    pub fn slack(mut self, slack: Duration) -> Self {
        self.slack = slack;
        self
    }

    /// Whether the clock stands still from the start, for tests.
    #[must_use]
    pub fn start_paused(mut self, paused: bool) -> Self {
        self.start_paused = paused;
        self
    }

    /// Whether a paused clock jumps to the next deadline when the runtime is idle; it does unless said.
    #[must_use]
    pub fn auto_advance(mut self, auto: bool) -> Self {
        self.auto_advance = auto;
        self
    }

    /// What to call when a timer is filed that is due before the driver planned to be awake.
    #[must_use]
    pub fn interrupt(mut self, interrupt: std::sync::Arc<dyn Interrupt>) -> Self {
        self.interrupt = Some(interrupt);
        self
    }

    /// Builds the timers and their driver.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] where the platform lacks the clock.
    pub fn build(self) -> Result<(Timers, TimerDriver), Error> {
        static IDS: AtomicU32 = AtomicU32::new(1);
        if !Clock::is_supported(self.clock) {
            return Err(Error::Unsupported);
        }
        let foreign = 1 + self.shards / 8;
        let clock = Clock::new(self.clock, self.start_paused);
        // Relaxed: only uniqueness matters.
        let id = IDS.fetch_add(1, Ordering::Relaxed);
        let shards = Shared::shards(self.shards + foreign);
        shards.open(id, clock.epoch(), self.interrupt.clone());
        let shared = Arc::new(Shared {
            id,
            shards,
            clock,
            workers: self.shards,
            auto_advance: self.auto_advance,
            interrupt: self.interrupt,
            advance: Advances::default(),
        });
        REGISTRY.lock().push((shared.id, Arc::downgrade(&shared)));
        let driver = TimerDriver { shared: Arc::clone(&shared), turner: Turner::new(nanos(self.slack)), waited: 0 };
        Ok((Timers { shared }, driver))
    }
}

impl fmt::Debug for TimersBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TimersBuilder")
            .field("shards", &self.shards)
            .field("clock", &self.clock)
            .field("slack", &self.slack)
            .field("start_paused", &self.start_paused)
            .field("auto_advance", &self.auto_advance)
            .finish_non_exhaustive()
    }
}
