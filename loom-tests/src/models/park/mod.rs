//! Models of how workers sleep and are woken, over the production source of `runtime/src/park`.
//!
//! What the scheduler and the driver are to the core is stood in for here: a [`World`] of workers with one global queue
//! that keeps a deque's contract and no more (a push is a release, a look is relaxed), and a driver that sleeps on a
//! condition variable and is interrupted by a sticky [`Bell`].

mod advance;
mod block_on;
mod counts;
mod injector;
mod lifo;
mod parker;
mod seat;
mod sentinel;
mod shutdown;

use core::time::Duration;

use super::thread;
use crate::park::rest::Waking;
use crate::park::{Bound, Driver, Interrupt, Lounge, Surroundings, Turn};
use crate::sync::{Arc, AtomicBool, AtomicUsize, Condvar, Mutex, Ordering, fence};

/// Explores both orders of starting, with at most `preemptions` switches that no blocking forces.
pub(super) fn explore(preemptions: usize, model: impl Fn() + Send + Sync + 'static) {
    super::explore_both_orders(Some(preemptions), model);
}

/// Ends the driver's sleep; sticky.
#[derive(Debug, Clone, Default)]
pub(super) struct Bell(Arc<(Mutex<bool>, Condvar)>);

impl Bell {
    fn new() -> Self {
        Self(Arc::new((Mutex::new(false), Condvar::new())))
    }

    fn wait(&self) {
        let mut rung = self.0.0.lock();
        while !*rung {
            rung = self.0.1.wait(rung);
        }
        *rung = false;
    }
}

impl Interrupt for Bell {
    fn interrupt(&self) {
        *self.0.0.lock() = true;
        self.0.1.notify_one();
    }
}

/// The driver: sleeps on the bell, has no timers, and one socket.
#[derive(Debug)]
pub(super) struct ModelDriver {
    bell: Bell,
    /// Turns that were bounded by the watch period.
    pub(super) watches: usize,
    /// There was such a turn.
    watched: Arc<AtomicBool>,
    /// With a simulated clock: called at each jump.
    jump: Option<Jump>,
    /// Not 0: the socket is ready, and no turn has taken that yet.
    ready: Arc<AtomicUsize>,
}

/// What is called when the simulated clock jumps.
#[derive(Clone)]
pub(super) struct Jump(pub(super) std::sync::Arc<dyn Fn() + Send + Sync>);

impl core::fmt::Debug for Jump {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Jump")
    }
}

impl Driver for ModelDriver {
    fn turn(&mut self, bound: Bound) -> Turn {
        match bound {
            Bound::Now => {}
            // The simulated clock's driver need not look again by itself: whoever parks interrupts it.
            Bound::Watch if self.jump.is_some() => self.bell.wait(),
            Bound::Watch => {
                self.watches += 1;
                // Relaxed: read by the one who sits here.
                self.watched.store(true, Ordering::Relaxed);
                // Time passes: whoever can go on does.
                loom::thread::yield_now();
            }
            Bound::Unbounded => self.bell.wait(),
        }
        if self.ready.swap(0, Ordering::SeqCst) != 0 { Turn::Work } else { Turn::Nothing }
    }

    fn is_simulated(&self) -> bool {
        self.jump.is_some()
    }

    fn advance(&mut self) -> bool {
        if let Some(jump) = &self.jump {
            (jump.0)();
        }
        false
    }
}

/// Whether a worker finds stuck work at the end of a watch period, and so leaves its watch.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stuck {
    Never,
    Always,
    /// In the driver alone.
    ForTheDriver,
}

/// The workers and what they share.
pub(super) struct World {
    pub(super) lounge: Lounge<ModelDriver, Bell>,
    /// A queue, of which only the length matters.
    queued: AtomicUsize,
    pub(super) stopping: AtomicBool,
    pub(super) stuck: Stuck,
    watched: Arc<AtomicBool>,
    pub(super) simulated: bool,
    pub(super) ready: Arc<AtomicUsize>,
    /// Blocking jobs that count as such.
    pub(super) jobs: AtomicUsize,
}

impl World {
    pub(super) fn new(workers: usize, watch: bool) -> Self {
        Self::with_jump(workers, watch, None)
    }

    pub(super) fn with_jump(workers: usize, watch: bool, jump: Option<Jump>) -> Self {
        let bell = Bell::new();
        let simulated = jump.is_some();
        let ready = Arc::new(AtomicUsize::new(0));
        let watched = Arc::new(AtomicBool::new(false));
        let driver =
            ModelDriver { bell: bell.clone(), watches: 0, watched: watched.clone(), jump, ready: ready.clone() };
        Self {
            lounge: Lounge::new(workers, driver, bell, watch.then_some(Duration::from_millis(1))),
            queued: AtomicUsize::new(0),
            stopping: AtomicBool::new(false),
            stuck: Stuck::Never,
            watched,
            simulated,
            ready,
            jobs: AtomicUsize::new(0),
        }
    }

    /// What a thread that is no worker does to queue a task.
    pub(super) fn inject(&self) {
        self.queued.fetch_add(1, Ordering::Release);
        fence(Ordering::SeqCst);
        self.lounge.notify();
    }

    /// Takes a task out of the queue.
    pub(super) fn take(&self) -> bool {
        self.queued.fetch_update(Ordering::Acquire, Ordering::Relaxed, |queued| queued.checked_sub(1)).is_ok()
    }

    pub(super) fn stop(&self, workers: usize) {
        self.stopping.store(true, Ordering::SeqCst);
        for k in 0..workers {
            self.lounge.unpark(k);
        }
    }

    /// A worker's loop: runs `task` for each task until the world stops.
    pub(super) fn work(&self, k: usize, mut task: impl FnMut()) {
        let mut searching = false;
        while !self.stopping.load(Ordering::Acquire) {
            if self.take() {
                if core::mem::take(&mut searching) {
                    self.lounge.found();
                }
                task();
            } else {
                let waking = self.lounge.rest(k, core::mem::take(&mut searching), &Around::new(self));
                searching = waking.searching;
            }
        }
    }

    pub(super) fn rest(&self, k: usize) -> Waking {
        self.lounge.rest(k, false, &Around::new(self))
    }

    /// Worker `k` goes to rest and sees that its own queue holds something.
    pub(super) fn rest_with_a_task(&self, k: usize) -> Waking {
        self.lounge.rest(k, false, &Around { world: self, has_task: true })
    }
}

/// What a worker sees of the world.
struct Around<'a> {
    world: &'a World,
    /// Its own queue holds a task.
    has_task: bool,
}

impl<'a> Around<'a> {
    fn new(world: &'a World) -> Self {
        Self { world, has_task: false }
    }
}

impl Surroundings<ModelDriver> for Around<'_> {
    fn has_work(&self) -> bool {
        self.has_task || self.world.queued.load(Ordering::Relaxed) != 0
    }

    fn has_stuck_work(&self) -> bool {
        match self.world.stuck {
            Stuck::Never => self.has_work(),
            Stuck::Always => true,
            Stuck::ForTheDriver => self.world.watched.load(Ordering::Relaxed),
        }
    }

    fn is_stopping(&self) -> bool {
        self.world.stopping.load(Ordering::Acquire)
    }

    fn is_busy_elsewhere(&self) -> bool {
        self.world.jobs.load(Ordering::Acquire) != 0
    }

    fn is_simulated(&self) -> bool {
        self.world.simulated
    }

    fn count_handoff(&self) {}

    fn collect(&self, _driver: &mut ModelDriver) {}
}
