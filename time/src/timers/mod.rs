//! A runtime's timers: the handle that everybody shares, the driver that one party holds, and their builder.

mod builder;
mod driver;

use core::fmt;
use core::task::Waker;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Weak;

use crate::clock::{Clock, Instant};
use crate::context::{self, EnterGuard};
use crate::sync::{Arc, AtomicBool, AtomicU64, AtomicUsize, Kept, Mutex, Ordering};
use crate::timer::{Interrupt, Shard, Shards, Tick, TimerMetrics};

pub use builder::TimersBuilder;
pub use driver::TimerDriver;

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
    /// Set before the first timer is ended: a due one that is never filed has no other way to know.
    shut: AtomicBool,
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

    /// Whether the timers have been ended, or are being ended.
    pub(crate) fn is_shut(&self) -> bool {
        // Relaxed: whoever was told of the shutdown sees it; for anybody else it has not happened yet.
        self.shut.load(Ordering::Relaxed)
    }

    pub(crate) fn interrupt(&self) {
        if let Some(interrupt) = &self.interrupt {
            interrupt.interrupt();
        }
    }
}

impl Drop for Shared {
    /// Whoever still waits for a timer is told, if nobody has shut the timers down. A waker that panics keeps nobody else
    /// from being woken; its panic goes no further than the panic hook, since the caller only lets go of a handle.
    fn drop(&mut self) {
        let mut wakes = Vec::new();
        while self.shards.shutdown(&mut wakes) {}
        REGISTRY.lock().retain(|(id, _)| *id != self.id);
        self.shards.retire();
        RETIRED.lock().push(self.shards.clone());
        for waker in wakes {
            let _ = panic::catch_unwind(AssertUnwindSafe(|| waker.wake()));
        }
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

    /// Ends all timers: each armed one is woken once and answers with [`Error::Shutdown`](crate::Error::Shutdown), and so does every one that is
    /// polled for the first time later, even if its deadline has been reached. One that was seen to elapse before stays
    /// elapsed. The wakers are added to `wakes`, to be called by the caller.
    ///
    /// A bounded number is handled at a time; `true` says that more are left and that it is to be called again.
    #[must_use = "true says that timers are left"]
    pub fn shutdown(&self, wakes: &mut Vec<Waker>) -> bool {
        self.shared.shut.store(true, Ordering::Relaxed);
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
        // The driver may be waiting for a timer that is nearer, so that the filing tells it nothing.
        self.shared.interrupt();
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
