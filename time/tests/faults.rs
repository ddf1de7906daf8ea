//! Kinds of fault that users of timers have met elsewhere, on the paused clock.

mod support;

use std::cell::RefCell;
use std::future::{Future, pending, poll_fn};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use futures::future::{Either, select};
use support::{Wakes, World, ms, poll_once};
use wheelhouse_time::{DelayQueue, Instant, Sleep, Ticker, TimeoutExt, interval, sleep, timeout};

#[test]
fn advance_is_exact_to_the_nanosecond() {
    let world = World::new();
    let start = Instant::now();
    world.advance(Duration::from_nanos(3_141_592_653));
    assert_eq!(start.elapsed(), Duration::from_nanos(3_141_592_653));
    assert_eq!(Instant::now(), Instant::now(), "a paused clock reads the same twice");
}

#[test]
fn deadlines_are_not_rounded_and_the_clock_jumps_exactly_to_each() {
    let world = World::new();
    let start = Instant::now();
    let odd = [1, 999, 16_383, 16_384, 16_385, 1_000_001, 3_141_592_653, 299_792_458_000_001];
    let seen = world.run_all(odd.map(|nanos| async move {
        sleep(Duration::from_nanos(nanos)).await;
        start.elapsed().as_nanos() as u64
    }));
    assert_eq!(seen.map_outputs(), odd);
}

trait MapOutputs<T> {
    fn map_outputs(self) -> Vec<T>;
}

impl<T> MapOutputs<T> for Vec<(T, usize)> {
    fn map_outputs(self) -> Vec<T> {
        self.into_iter().map(|(output, _)| output).collect()
    }
}

#[test]
fn short_sleeps_beside_a_long_one_are_not_missed() {
    let world = World::new();
    let start = Instant::now();
    let mut long = pin!(sleep(Duration::from_secs(10)));
    assert!(poll_once(long.as_mut()).is_pending());
    world.run(async {
        for _ in 0..2_000 {
            sleep(ms(1)).await;
        }
    });
    assert_eq!(start.elapsed(), ms(2_000));
}

#[test]
fn losers_of_a_race_leave_no_timer_behind() {
    let world = World::new();
    world.run(async {
        for _ in 0..10_000 {
            match select(pin!(sleep(Duration::from_secs(3600))), pin!(sleep(Duration::from_micros(10)))).await {
                Either::Left(_) => panic!("an hour went by"),
                Either::Right(_) => {}
            }
        }
    });
    let metrics = world.metrics();
    assert_eq!(metrics.fired, 10_000);
    assert_eq!(metrics.armed, metrics.fired + metrics.cancelled);
    assert!(world.is_empty());
}

#[test]
fn the_loser_of_a_race_goes_on_when_it_is_kept() {
    let world = World::new();
    let start = Instant::now();
    world.run(async {
        let mut slow = pin!(sleep(ms(100)));
        let mut ticker = Ticker::every(ms(30));
        let mut ticks = 0;
        loop {
            match select(slow.as_mut(), pin!(ticker.next())).await {
                Either::Left(_) => break,
                Either::Right(_) => ticks += 1,
            }
        }
        assert_eq!(ticks, 3);
        assert_eq!(start.elapsed(), ms(100));
        assert_eq!(ticker.next().await, start + ms(120));
    });
}

#[test]
fn a_timeout_fires_though_its_inner_future_always_uses_up_the_budget() {
    let world = World::new();
    let wakes = Wakes::new();
    let mut busy = pin!(timeout(ms(10), async {
        loop {
            sleep(Duration::ZERO).await;
        }
    }));
    for _ in 0..5 {
        world.set_budget(128);
        assert!(wakes.poll(|cx| busy.as_mut().poll(cx)).is_pending());
        assert!(wakes.take() > 0, "out of budget, it asks to be polled again");
        world.advance(ms(1));
    }
    world.advance(ms(5));
    world.set_budget(128);
    assert!(matches!(wakes.poll(|cx| busy.as_mut().poll(cx)), Poll::Ready(Err(_))));
}

#[test]
fn a_loop_over_sleep_zero_yields() {
    let world = World::new();
    let wakes = Wakes::new();
    let loops = AtomicUsize::new(0);
    let mut busy = pin!(async {
        loop {
            sleep(Duration::ZERO).await;
            loops.fetch_add(1, Ordering::Relaxed);
        }
    });
    world.set_budget(128);
    let polled: Poll<()> = wakes.poll(|cx| busy.as_mut().poll(cx));
    assert!(polled.is_pending());
    assert_eq!(wakes.take(), 1);
    assert_eq!(loops.load(Ordering::Relaxed), 128);
}

/// A waker that reads the clock, takes a lock, and files a timer of its own.
struct Meddler {
    lock: Mutex<Vec<Instant>>,
    timer: Mutex<Option<Pin<Box<Sleep>>>>,
}

impl Wake for Meddler {
    fn wake(self: Arc<Self>) {
        self.lock.lock().unwrap().push(Instant::now());
        let mut timer = Box::pin(sleep(ms(5)));
        assert!(poll_once(timer.as_mut()).is_pending());
        *self.timer.lock().unwrap() = Some(timer);
    }
}

#[test]
fn a_waker_that_locks_reads_the_clock_and_files_a_timer_does_not_deadlock() {
    let world = World::new();
    let meddler = Arc::new(Meddler { lock: Mutex::default(), timer: Mutex::default() });
    let waker = Waker::from(Arc::clone(&meddler));
    let start = Instant::now();
    let mut first = pin!(sleep(ms(10)));
    assert!(first.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    let mut queue = DelayQueue::new();
    let key = queue.insert((), ms(20));
    assert!(queue.poll_expired(&mut Context::from_waker(&waker)).is_pending());

    world.advance(ms(10)); // fired by the driver
    first.as_mut().reset(Instant::now() + ms(100));
    assert!(first.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    first.as_mut().reset(start); // fired by a reset into the past
    world.turn();
    queue.reset_at(&key, start).unwrap(); // called by the queue
    assert_eq!(*meddler.lock.lock().unwrap(), [start + ms(10); 3]);
    world.advance(ms(5));
    let mut timer = meddler.timer.lock().unwrap().take().unwrap();
    assert!(poll_once(timer.as_mut()).is_ready(), "the timer filed by the waker fires");
}

#[test]
fn a_waker_that_panics_leaves_the_timers_in_order() {
    struct Panics;
    impl Wake for Panics {
        fn wake(self: Arc<Self>) {
            panic!("a waker's own fault");
        }
    }
    let world = World::new();
    let waker = Waker::from(Arc::new(Panics));
    let mut queue = DelayQueue::new();
    queue.insert("first", ms(10));
    assert!(queue.poll_expired(&mut Context::from_waker(&waker)).is_pending());
    let insert = std::panic::AssertUnwindSafe(|| queue.insert("second", ms(5)));
    assert!(std::panic::catch_unwind(insert).is_err());
    assert_eq!(queue.len(), 2, "the item is in, though its insert panicked");
    assert_eq!(world.run(queue.next()).unwrap().into_inner(), "second");
    assert_eq!(world.run(queue.next()).unwrap().into_inner(), "first");
}

#[test]
fn a_pending_timer_that_moves_to_another_task_wakes_that_one() {
    let world = World::new();
    let shared = RefCell::new(Some(Box::pin(sleep(ms(100)))));
    let start = Instant::now();
    let ends = world.run_all([true, false].map(|first| {
        let shared = &shared;
        async move {
            if first {
                let mut timer = shared.borrow_mut().take().unwrap();
                assert!(poll_fn(|cx| Poll::Ready(timer.as_mut().poll(cx))).await.is_pending());
                *shared.borrow_mut() = Some(timer);
                pending::<()>().timeout(ms(50)).await.unwrap_err();
            } else {
                sleep(ms(60)).await;
                let timer = shared.borrow_mut().take().unwrap();
                timer.await;
            }
            start.elapsed()
        }
    }));
    assert_eq!(ends, [(ms(50), 2), (ms(100), 3)]);
}

#[test]
fn a_periodic_task_and_its_timeout_share_a_clock() {
    let world = World::new();
    let ticks = AtomicUsize::new(0);
    let outcome = world.run(timeout(ms(3_010), async {
        let mut beat = interval(ms(500));
        loop {
            beat.tick().await;
            ticks.fetch_add(1, Ordering::Relaxed);
        }
    }));
    let outcome: Result<(), _> = outcome;
    assert!(outcome.is_err());
    assert_eq!(ticks.into_inner(), 7, "at 0, 0.5, ... 3.0 s");
}

#[test]
fn three_tasks_of_three_one_and_two_seconds_end_in_the_order_one_two_three() {
    let world = World::new();
    let order = RefCell::new(Vec::new());
    let start = Instant::now();
    world.run_all([3, 1, 2].map(|secs| {
        let order = &order;
        async move {
            sleep(Duration::from_secs(secs)).await;
            order.borrow_mut().push(secs);
        }
    }));
    assert_eq!(*order.borrow(), [1, 2, 3]);
    assert_eq!(start.elapsed(), Duration::from_secs(3));
}

#[test]
fn the_same_program_leaves_the_same_trace_a_hundred_times() {
    fn trace() -> Vec<(u64, &'static str, u128)> {
        let world = World::new();
        let start = Instant::now();
        let trace = RefCell::new(Vec::new());
        world.run_all((0..20_u64).map(|task| {
            let trace = &trace;
            async move {
                let mut ticker = Ticker::every(ms(7 + task % 3));
                let mut queue = DelayQueue::new();
                for item in 0..5 {
                    queue.insert(item, ms(task * item % 11));
                }
                for _ in 0..5 {
                    ticker.next().await;
                    trace.borrow_mut().push((task, "tick", start.elapsed().as_nanos()));
                    queue.next().await.unwrap();
                    trace.borrow_mut().push((task, "item", start.elapsed().as_nanos()));
                    sleep(Duration::from_micros(task * 137)).await;
                }
            }
        }));
        trace.into_inner()
    }
    let first = trace();
    assert_eq!(first.len(), 200);
    for _ in 1..100 {
        assert_eq!(trace(), first);
    }
}
