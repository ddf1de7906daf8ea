//! What a worker has to itself, and what its thread finds of it.

use std::cell::{Cell, RefCell};
use std::ptr;
use std::sync::Arc;
use std::task::Waker;
use std::time::{Duration, Instant};

use super::home::Stock;
use super::queue::LocalQueue;
use super::scheduler::{Remote, Scheduler};
use crate::block_on::Awake;
use crate::driver::{Admission, Machine};
use crate::metrics::WorkerCounters;
use crate::panics::contain;
use crate::run_queue::RunQueue;
use crate::task_core::Notified;

/// How many tasks in a row may come out of the LIFO slot while the queue holds some.
const LIFO_IN_A_ROW: u8 = 3;

/// A busy worker looks at the driver after this many polls, at the least and at the most.
const VISIT_SOONEST: u32 = 8;

thread_local! {
    /// The worker that this thread is. Set by `Local::enter`, whose guard resets it.
    static WORKER: Cell<*const Local> = const { Cell::new(ptr::null()) };
}

/// A worker's own side. It lives on its thread's stack.
#[derive(Debug)]
pub(crate) struct Local {
    /// Before `scheduler`: its references go back while that one lives.
    stock: Stock,
    scheduler: Arc<Scheduler>,
    index: usize,
    queue: LocalQueue<Notified>,
    /// Polls begun on this thread.
    tick: Cell<u32>,
    /// The tick at which the global queue has its turn.
    global_at: Cell<u32>,
    /// The tick of the next look at the driver, and how far apart these are.
    visit_at: Cell<u32>,
    visit_every: Cell<u32>,
    admission: Admission,
    lifo_in_a_row: Cell<u8>,
    /// In a poll: what runs now may move the worker to another thread.
    polling: Cell<bool>,
    /// Keeps the simulated clock still while a poll goes on here though the worker has moved.
    section: RefCell<Option<Awake>>,
    /// Counted in the scheduler's searching workers.
    searching: Cell<bool>,
    /// Wakers are being called: what they wake goes to the back of the queue, and no peer is told.
    in_batch: Cell<bool>,
    /// Since when tasks of the last turn are ready that no peer was told of.
    batch: Cell<Option<Instant>>,
    /// When there were such tasks last.
    last_batch: Cell<Instant>,
    wakes: RefCell<Vec<Waker>>,
    /// Sockets were among what the last turn found.
    of_sockets: Cell<bool>,
    random: RefCell<fastrand::Rng>,
    /// What the peers with a full LIFO slot looked like at the end of the last watch period.
    seen: RefCell<Box<[Seen]>>,
}

/// Resets the thread's worker when dropped.
#[derive(Debug)]
pub(crate) struct OnThread {
    before: *const Local,
}

impl Drop for OnThread {
    fn drop(&mut self) {
        // Err: the thread ends.
        let _ = WORKER.try_with(|worker| worker.set(self.before));
    }
}

impl Local {
    pub(crate) fn new(scheduler: Arc<Scheduler>, index: usize, queue: RunQueue<Notified>, seed: u64) -> Self {
        let workers = scheduler.workers();
        Self {
            visit_at: Cell::new(scheduler.config.event_interval),
            visit_every: Cell::new(scheduler.config.event_interval),
            stock: Stock::new(&scheduler),
            scheduler,
            index,
            queue: LocalQueue::new(queue),
            tick: Cell::new(0),
            admission: Admission::default(),
            global_at: Cell::new(0),
            lifo_in_a_row: Cell::new(0),
            polling: Cell::new(false),
            section: RefCell::new(None),
            searching: Cell::new(false),
            in_batch: Cell::new(false),
            batch: Cell::new(None),
            last_batch: Cell::new(Instant::now()),
            wakes: RefCell::new(Vec::new()),
            of_sockets: Cell::new(false),
            random: RefCell::new(fastrand::Rng::with_seed(seed)),
            seen: RefCell::new(vec![Seen::default(); workers].into()),
        }
    }

    /// Makes this the thread's worker until the guard is dropped. `self` outlives the guard.
    pub(crate) fn enter(&self) -> OnThread {
        OnThread { before: WORKER.replace(self) }
    }

    /// Calls `f` with the thread's worker, if it is one of `scheduler`'s.
    #[inline]
    pub(crate) fn with<R>(scheduler: *const Scheduler, f: impl FnOnce(Option<&Local>) -> R) -> R {
        let worker = WORKER.try_with(Cell::get).unwrap_or(ptr::null());
        // SAFETY: `enter` set it, its guard resets it, and the worker outlives the guard.
        let local = unsafe { worker.as_ref() };
        f(local.filter(|local| ptr::eq(&*local.scheduler, scheduler) && !local.has_moved()))
    }

    /// Calls `f` with the thread's worker, of whatever scheduler.
    pub(crate) fn with_any<R>(f: impl FnOnce(Option<&Local>) -> R) -> R {
        let worker = WORKER.try_with(Cell::get).unwrap_or(ptr::null());
        // SAFETY: `enter` set it, its guard resets it, and the worker outlives the guard.
        f(unsafe { worker.as_ref() })
    }

    pub(crate) fn scheduler(&self) -> &Arc<Scheduler> {
        &self.scheduler
    }

    /// The references to the scheduler that tasks take and leave here.
    #[inline]
    pub(super) fn stock(&self) -> &Stock {
        &self.stock
    }

    pub(crate) fn index(&self) -> usize {
        self.index
    }

    pub(crate) fn counters(&self) -> &WorkerCounters {
        &self.scheduler.services.counters[self.index]
    }

    pub(crate) fn remote(&self) -> &Remote {
        &self.scheduler.remotes[self.index]
    }

    pub(crate) fn queue(&self) -> &LocalQueue<Notified> {
        &self.queue
    }

    /// Whether the worker has moved to another thread: this one only finishes its poll.
    #[inline]
    pub(crate) fn has_moved(&self) -> bool {
        self.queue.is_gone()
    }

    /// Whether a task is being polled; between polls the worker must stay on its thread.
    pub(crate) fn is_polling(&self) -> bool {
        self.polling.get()
    }

    #[inline]
    pub(crate) fn set_polling(&self, polling: bool) {
        self.polling.set(polling);
    }

    /// The worker is about to move, and its poll goes on here.
    pub(crate) fn begin_section(&self) {
        self.section.replace(Some(Awake::new(&self.scheduler)));
    }

    /// The poll is over, or the worker has not moved.
    pub(crate) fn end_section(&self) {
        let section = self.section.take();
        drop(section);
    }

    /// Moves the worker out: the LIFO slot into the queue, and the queue to the caller, who hands it to another thread.
    pub(crate) fn move_out(&self) -> Option<RunQueue<Notified>> {
        if let Some(task) = self.remote().take_lifo() {
            // Err: the queue is gone already.
            if let Err(task) = self.queue.push(task) {
                self.scheduler.inject(task);
            }
        }
        self.queue.take()
    }

    /// Takes the queue back, when there was no thread to move to.
    pub(crate) fn move_in(&self, queue: RunQueue<Notified>) {
        self.queue.put_back(queue);
    }

    /// Queues a task that was woken or spawned here: it runs next, and what was to run next goes to the queue.
    #[inline]
    pub(crate) fn push_next(&self, task: Notified) {
        if self.in_batch.get() {
            return self.push_last(task);
        }
        if let Some(displaced) = self.remote().put_lifo(task) {
            self.push_last(displaced);
        }
    }

    /// Queues a task behind all others.
    #[inline]
    pub(crate) fn push_last(&self, task: Notified) {
        match self.queue.push(task) {
            // No fence: this worker is awake and comes to the task itself; a peer that just falls asleep is woken by
            // the next push, or keeps watch.
            Ok(()) if !self.in_batch.get() => self.scheduler.offer_to_peer(),
            Ok(()) => {}
            Err(task) => self.scheduler.inject(task),
        }
    }

    /// The next task of the own slot or queue.
    #[inline]
    pub(crate) fn pop(&self) -> Option<Notified> {
        if self.lifo_in_a_row.get() < LIFO_IN_A_ROW {
            if let Some(task) = self.remote().take_lifo() {
                self.lifo_in_a_row.set(self.lifo_in_a_row.get() + 1);
                return Some(task);
            }
        }
        self.lifo_in_a_row.set(0);
        self.queue.pop().or_else(|| self.remote().take_lifo())
    }

    /// Whether the own slot or queue holds something.
    pub(crate) fn has_work(&self) -> bool {
        self.queued() > 0
    }

    /// How many tasks the own queue and slot hold.
    pub(crate) fn queued(&self) -> usize {
        self.queue.len() + usize::from(self.remote().has_lifo())
    }

    /// Counts a poll; true when the global queue has its turn.
    #[inline]
    pub(crate) fn is_global_turn(&self) -> bool {
        let tick = self.tick.get().wrapping_add(1);
        self.tick.set(tick);
        let is_turn = tick.wrapping_sub(self.global_at.get()) as i32 >= 0;
        if is_turn {
            let polls = self.scheduler.config.global_queue_interval.min(i32::MAX as u32);
            self.global_at.set(tick.wrapping_add(polls));
        }
        is_turn
    }

    /// Whether it is time to look at the driver.
    #[inline]
    pub(crate) fn is_driver_due(&self) -> bool {
        self.tick.get().wrapping_sub(self.visit_at.get()) as i32 >= 0
    }

    /// Whether this worker has got through the timers that it let in before.
    pub(crate) fn admits_timers(&self) -> bool {
        self.admission.is_open(self.tick.get())
    }

    /// A turn of the wheel has woken so many.
    pub(crate) fn admitted(&self, woken: usize) {
        self.admission.admitted(woken, self.tick.get());
    }

    /// Looks more often while there is something to see.
    pub(crate) fn plan_next_visit(&self, found: bool) {
        let every = self.visit_every.get();
        let rarest = self.scheduler.config.event_interval;
        let every = if found { (every / 2).max(VISIT_SOONEST.min(rarest)) } else { (every * 2).min(rarest) };
        self.visit_every.set(every);
        self.start_visits_anew();
    }

    pub(crate) fn start_visits_anew(&self) {
        self.visit_at.set(self.tick.get().wrapping_add(self.visit_every.get()));
    }

    pub(crate) fn take_searching(&self) -> bool {
        self.searching.take()
    }

    pub(crate) fn set_searching(&self, searching: bool) {
        self.searching.set(searching);
    }

    /// Takes the wakers of the driver's turns.
    pub(crate) fn collect(&self, driver: &mut Machine) {
        self.of_sockets.set(driver.take_wakes(&mut self.wakes.borrow_mut()));
    }

    /// Whether the wakers of the last turn are of sockets, some of them.
    pub(crate) fn woke_sockets(&self) -> bool {
        self.of_sockets.get()
    }

    /// Calls the wakers of the last turn, each for itself: one that panics keeps no other from its call.
    pub(crate) fn call_wakers(&self) -> usize {
        let mut wakes = self.wakes.take();
        let count = wakes.len();
        if count > 0 {
            // A single task may run next; a batch keeps its order.
            self.in_batch.set(count > 1);
            for waker in wakes.drain(..) {
                contain(|| waker.wake());
            }
            self.in_batch.set(false);
        }
        self.wakes.replace(wakes);
        count
    }

    /// No peer is told of the tasks that the last turn made ready, for now; false if a peer should be told, because the
    /// last such batch is `calm` ago.
    pub(crate) fn starts_batch(&self, calm: Duration) -> bool {
        let now = Instant::now();
        let follows = now.duration_since(self.last_batch.replace(now)) < calm;
        self.batch.set(follows.then_some(now));
        follows
    }

    pub(crate) fn batch(&self) -> Option<Instant> {
        self.batch.get()
    }

    pub(crate) fn end_batch(&self) {
        self.batch.set(None);
    }

    /// There is more to do here than this worker should do alone.
    pub(crate) fn wake_peer(&self) {
        self.scheduler.offer_to_peer();
    }

    /// A random peer to begin a search with.
    pub(crate) fn random_start(&self) -> usize {
        self.random.borrow_mut().usize(0..self.scheduler.workers())
    }

    /// At the end of a watch period: notes how many polls `peer`, whose LIFO slot is full, has begun. True if it has begun
    /// none since the end of the last period.
    pub(crate) fn note(&self, peer: usize, polls: u64) -> bool {
        let seen = &mut self.seen.borrow_mut()[peer];
        seen.stuck = seen.polls == Some(polls);
        seen.polls = Some(polls);
        seen.stuck
    }

    /// At the end of a watch period: the LIFO slot of `peer` is empty.
    pub(crate) fn note_empty(&self, peer: usize) {
        self.seen.borrow_mut()[peer] = Seen::default();
    }

    /// Whether `peer`, with `polls` begun, is still in the poll in which two watch periods ended.
    pub(crate) fn is_stuck(&self, peer: usize, polls: u64) -> bool {
        let seen = &self.seen.borrow()[peer];
        seen.stuck && seen.polls == Some(polls)
    }
}

/// A peer at the end of a watch period.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    /// Polls begun, if its LIFO slot was full.
    polls: Option<u64>,
    /// It was in the same poll one period earlier.
    stuck: bool,
}
