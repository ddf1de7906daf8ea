//! Real threads on the shipped core: one spins and turns, the others make, poll, reset, hand over and drop timers at
//! random. Built with the address sanitizer, it notices an entry that is touched after it was freed.
//!
//! It lasts ten seconds and a million operations, or `WHEELHOUSE_STRESS_SECS` and as many in proportion.

use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use core::time::Duration;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Wake;
use std::thread;

use crate::{Instant, Sleep, TimerDriver, Timers, context, sleep};

const WORKERS: usize = 3;

/// How many operations a thread does between two looks at whether it is over.
const OPERATIONS_AT_A_TIME: u64 = 256;

/// How many timers one thread holds.
const HELD: usize = 48;

#[derive(Default)]
struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// A timer, and the flag of the waker that last polled it.
struct Held {
    sleep: Pin<Box<Sleep>>,
    flag: Arc<Flag>,
}

impl Held {
    fn new(random: &mut Random) -> Held {
        Held { sleep: Box::pin(sleep(random.soon())), flag: Arc::default() }
    }

    /// Polls; ready is never early.
    fn poll(&mut self, new_waker: bool) -> Poll<()> {
        if new_waker {
            self.flag = Arc::default();
        }
        let waker = Waker::from(Arc::clone(&self.flag));
        let polled = self.sleep.as_mut().poll(&mut Context::from_waker(&waker));
        if polled.is_ready() {
            assert!(Instant::now() >= self.sleep.deadline(), "fired early");
        }
        polled
    }
}

/// xorshift: the threads need no better.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    /// Mostly about to fire; now and then on a higher level of the wheel.
    fn soon(&mut self) -> Duration {
        match self.below(16) {
            0 => Duration::from_millis(self.below(40)),
            1 => Duration::from_secs(self.below(100)),
            _ => Duration::from_nanos(self.below(150_000)),
        }
    }
}

/// What the threads share.
struct Arena {
    timers: Timers,
    over: AtomicBool,
    operations: AtomicU64,
    /// Timers on their way from one thread to another.
    passed: Mutex<Vec<Held>>,
}

/// Returns the driver when it is over.
fn spin_and_turn(arena: &Arena, mut driver: TimerDriver) -> TimerDriver {
    let mut wakes = Vec::new();
    while !arena.over.load(Ordering::Relaxed) {
        driver.turn(&mut wakes);
        wakes.drain(..).for_each(Waker::wake);
    }
    driver
}

/// One random operation on one timer.
fn operate(arena: &Arena, held: &mut Vec<Held>, random: &mut Random) {
    let index = random.below(held.len() as u64) as usize;
    let later = Instant::now() + random.soon();
    match random.below(12) {
        0..=4 => drop(held[index].poll(false)),
        5 => drop(held[index].poll(true)),
        6 | 7 => held[index].sleep.as_mut().reset(later),
        8 => held[index] = Held::new(random),
        9 => {
            // It fires any moment now: seen ready, it is freed at once, in the middle of the firing if need be.
            let mut timer = Held::new(random);
            timer.sleep.as_mut().reset(Instant::now() + Duration::from_nanos(random.below(5_000)));
            for _ in 0..400 {
                if timer.poll(false).is_ready() {
                    break;
                }
            }
        }
        10 => {
            let mut passed = arena.passed.lock().unwrap();
            passed.push(held.swap_remove(index));
            let other = random.below(passed.len() as u64) as usize;
            held.push(passed.swap_remove(other));
        }
        _ => {
            let mut moved = held.swap_remove(index);
            held.push(Held::new(random));
            if random.below(2) == 0 {
                moved.sleep.as_mut().reset(later);
            }
        }
    }
}

fn work(arena: &Arena, shard: usize) {
    let _entered = context::enter(&arena.timers, Some(shard), Rc::new(Cell::new(context::UNLIMITED)));
    let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ (shard as u64 + 1) << 40);
    let mut held: Vec<Held> = (0..HELD).map(|_| Held::new(&mut random)).collect();
    while !arena.over.load(Ordering::Relaxed) {
        for _ in 0..OPERATIONS_AT_A_TIME {
            operate(arena, &mut held, &mut random);
        }
        arena.operations.fetch_add(OPERATIONS_AT_A_TIME, Ordering::Relaxed);
    }
    arena.passed.lock().unwrap().append(&mut held);
}

/// What is left fires: each timer is ready, or its last waker is woken.
fn nothing_was_lost(arena: &Arena, mut driver: TimerDriver) {
    let _entered = arena.timers.enter();
    let mut left = core::mem::take(&mut *arena.passed.lock().unwrap());
    for held in &mut left {
        if held.sleep.deadline() > Instant::now() + Duration::from_millis(100) {
            held.sleep.as_mut().reset(Instant::now() + Duration::from_millis(20));
        }
    }
    left.retain_mut(|held| held.poll(true).is_pending());
    let over = Instant::now() + Duration::from_millis(300);
    let mut wakes = Vec::new();
    while Instant::now() < over {
        driver.turn(&mut wakes);
        wakes.drain(..).for_each(Waker::wake);
    }
    for held in &mut left {
        assert!(held.flag.0.load(Ordering::SeqCst), "a timer's wake-up was lost");
        assert!(held.poll(false).is_ready());
    }
}

#[test]
fn timers_survive_random_use_by_many_threads() {
    let seconds = std::env::var("WHEELHOUSE_STRESS_SECS").ok().and_then(|seconds| seconds.parse().ok()).unwrap_or(10);
    let (timers, driver) = Timers::builder().shards(WORKERS).build().unwrap();
    let arena = Arena { timers, over: AtomicBool::new(false), operations: AtomicU64::new(0), passed: Mutex::default() };
    let driver = thread::scope(|scope| {
        let arena = &arena;
        let turner = scope.spawn(move || spin_and_turn(arena, driver));
        for shard in 0..WORKERS {
            scope.spawn(move || work(arena, shard));
        }
        // As long as it was told, and until a hundred thousand operations a second were done: a busy machine takes longer.
        let start = std::time::Instant::now();
        let wanted = 100_000 * seconds;
        while start.elapsed().as_secs() < seconds
            || (arena.operations.load(Ordering::Relaxed) < wanted && start.elapsed().as_secs() < 10 * seconds)
        {
            thread::sleep(Duration::from_millis(50));
        }
        arena.over.store(true, Ordering::Relaxed);
        turner.join().unwrap()
    });
    let operations = arena.operations.load(Ordering::Relaxed);
    assert!(operations >= 100_000 * seconds, "only {operations} operations in {seconds} s");
    nothing_was_lost(&arena, driver);
    let metrics = arena.timers.metrics();
    assert!(metrics.fired > 0 && metrics.cancelled > 0 && metrics.extended > 0 && metrics.cascaded > 0);
    println!("{operations} operations; {metrics:?}");
}
