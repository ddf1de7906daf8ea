//! A runtime by hand for the tests: one thread, a paused clock, and a list of futures.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::Future;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use wheelhouse_time::{Instant, TimerDriver, TimerMetrics, Timers, context};

pub(crate) const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Timers on a paused clock, entered on this thread, and their driver.
pub(crate) struct World {
    driver: RefCell<TimerDriver>,
    pub(crate) timers: Timers,
    budget: Rc<Cell<u8>>,
    _entered: context::EnterGuard,
}

impl World {
    pub(crate) fn new() -> Self {
        let (timers, driver) = Timers::builder().start_paused(true).build().unwrap();
        let budget = Rc::new(Cell::new(context::UNLIMITED));
        let _entered = context::enter(&timers, Some(0), Rc::clone(&budget));
        Self { driver: RefCell::new(driver), timers, budget, _entered }
    }

    pub(crate) fn metrics(&self) -> TimerMetrics {
        self.timers.metrics()
    }

    /// Whether no timer is armed. Where one is, the clock jumps to it.
    pub(crate) fn is_empty(&self) -> bool {
        !self.driver.borrow_mut().auto_advance()
    }

    /// Allows the next polls this many completions.
    pub(crate) fn set_budget(&self, budget: u8) {
        self.budget.set(budget);
    }

    /// Fires what is due and calls the wakers.
    pub(crate) fn turn(&self) -> usize {
        let mut fired = 0;
        loop {
            let mut wakes = Vec::new();
            let turned = self.driver.borrow_mut().turn(&mut wakes);
            wakes.into_iter().for_each(Waker::wake);
            fired += turned.fired;
            if !turned.more {
                return fired;
            }
        }
    }

    /// Moves the clock, and fires what is due on the way. No future is polled: inside one, the thread is "blocked".
    pub(crate) fn advance(&self, by: Duration) {
        let mut under_way = pin!(wheelhouse_time::advance(by));
        let _ = under_way.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        let target = Instant::now() + by;
        self.turn();
        while Instant::now() < target {
            assert!(self.driver.borrow_mut().advance_step(), "the clock does not move");
            self.turn();
        }
    }

    /// Runs a future to its end; the clock jumps whenever there is nothing else to do.
    pub(crate) fn run<F: Future>(&self, future: F) -> F::Output {
        self.run_all([future]).remove(0).0
    }

    /// Runs futures to their end, side by side; the output of each and how often it was polled.
    pub(crate) fn run_all<F: Future>(&self, futures: impl IntoIterator<Item = F>) -> Vec<(F::Output, usize)> {
        let ready = Arc::new(Mutex::new(VecDeque::new()));
        let mut tasks: Vec<Task<F>> = futures.into_iter().map(|future| Task::new(future, &ready)).collect();
        ready.lock().unwrap().extend(0..tasks.len());
        let mut left = tasks.len();
        while left > 0 {
            let next = ready.lock().unwrap().pop_front();
            if let Some(index) = next {
                left -= usize::from(tasks[index].poll(index));
            } else if self.turn() == 0 {
                assert!(self.driver.borrow_mut().auto_advance(), "every task waits, and no timer is pending");
            }
        }
        tasks.into_iter().map(|task| (task.output.unwrap(), task.polls)).collect()
    }

    /// Shuts the timers down and calls the wakers.
    pub(crate) fn shutdown(&self) {
        let mut wakes = Vec::new();
        while self.timers.shutdown(&mut wakes) {}
        wakes.into_iter().for_each(Waker::wake);
    }
}

type Ready = Arc<Mutex<VecDeque<usize>>>;

struct Task<F: Future> {
    future: Pin<Box<F>>,
    ready: Ready,
    polls: usize,
    output: Option<F::Output>,
}

impl<F: Future> Task<F> {
    fn new(future: F, ready: &Ready) -> Self {
        Self { future: Box::pin(future), ready: Arc::clone(ready), polls: 0, output: None }
    }

    /// Whether this poll completed it.
    fn poll(&mut self, index: usize) -> bool {
        if self.output.is_some() {
            return false;
        }
        self.polls += 1;
        let waker = Waker::from(Arc::new(Push { index, ready: Arc::clone(&self.ready) }));
        match self.future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => self.output = Some(output),
            Poll::Pending => return false,
        }
        true
    }
}

struct Push {
    index: usize,
    ready: Ready,
}

impl Wake for Push {
    fn wake(self: Arc<Self>) {
        self.ready.lock().unwrap().push_back(self.index);
    }
}

/// Counts the wake-ups that a hand-polled future receives.
#[derive(Default)]
pub(crate) struct Wakes(AtomicUsize);

impl Wakes {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Polls with a waker that counts here.
    pub(crate) fn poll<T>(self: &Arc<Self>, poll: impl FnOnce(&mut Context<'_>) -> T) -> T {
        let waker = Waker::from(Arc::clone(self));
        poll(&mut Context::from_waker(&waker))
    }

    /// How many wake-ups came since the last call.
    pub(crate) fn take(&self) -> usize {
        self.0.swap(0, Ordering::SeqCst)
    }
}

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// Polls once, with a waker that does nothing.
pub(crate) fn poll_once<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}
