//! The paused clock, driven by hand.

use core::future::Future;
use core::pin::pin;
use core::task::{Context, Waker};
use core::time::Duration;
use std::sync::Arc;

use super::{Counter, Rig, poll};
use crate::{Instant, Interrupt, Next, Tick, Timers, advance, context, sleep, sleep_until};

#[test]
fn paused_clock_reads_the_same_twice() {
    let mut rig = Rig::new();
    let _entered = rig.timers.enter();
    let first = Instant::now();
    std::thread::sleep(Duration::from_millis(2));
    assert_eq!((first, rig.now()), (Instant::now(), Tick::from_nanos(0)));
    rig.jump(Duration::from_nanos(1));
    assert_eq!(Instant::now() - first, Duration::from_nanos(1));
}

#[test]
fn resumed_clock_runs_on_from_where_it_stood() {
    let rig = Rig::new();
    let _entered = rig.timers.enter();
    rig.timers.shared().clock().move_to(Tick::from_nanos(3_600_000_000_000));
    let stood = Instant::now();
    rig.timers.resume();
    let ran = Instant::now() - stood;
    assert!(ran < Duration::from_secs(60), "{ran:?}");
    std::thread::sleep(Duration::from_millis(2));
    assert!(Instant::now() - stood >= Duration::from_millis(2));
    rig.timers.pause();
    assert_eq!(Instant::now(), Instant::now());
}

#[test]
fn deadline_of_a_resumed_clock_agrees_with_the_kernels_clock() {
    let rig = Rig::new();
    rig.timers.shared().clock().move_to(Tick::from_nanos(u64::MAX / 4));
    rig.timers.resume();
    let in_a_second = rig.timers.now().saturating_add(Duration::from_secs(1));
    let (real, _driver) = Timers::builder().build().unwrap();
    let reference = real.raw_deadline(real.now().saturating_add(Duration::from_secs(1)));
    assert!(rig.timers.raw_deadline(in_a_second).abs_diff(reference) < 500_000_000);
}

#[test]
fn sleep_until_now_is_ready_at_the_first_poll() {
    let mut rig = Rig::new();
    let _entered = rig.timers.enter();
    rig.jump(Duration::from_nanos(1_234_567));
    let counter = Counter::new();
    assert!(poll(&mut Box::pin(sleep_until(Instant::now())), &counter).is_ready());
    assert!(poll(&mut Box::pin(sleep(Duration::ZERO)), &counter).is_ready());
    assert!(poll(&mut Box::pin(sleep_until(Instant::now() - Duration::from_secs(1))), &counter).is_ready());
    let mut one = Box::pin(sleep(Duration::from_nanos(1)));
    assert!(poll(&mut one, &counter).is_pending());
    rig.jump(Duration::from_nanos(1));
    assert!(poll(&mut one, &counter).is_ready());
}

#[test]
fn auto_advance_jumps_to_the_true_earliest_deadline() {
    let mut rig = Rig::new();
    let _entered = rig.timers.enter();
    let counter = Counter::new();
    let mut sleeps: Vec<_> = [7, 3_600, 90].map(|seconds| Box::pin(sleep(Duration::from_secs(seconds)))).into();
    for sleep in &mut sleeps {
        assert!(poll(sleep, &counter).is_pending());
    }
    // The first is pushed back and the last is dropped: what the shards published is early.
    sleeps[0].as_mut().reset(Instant::now() + Duration::new(7_200, 5));
    sleeps.truncate(2);
    assert!(rig.timers.earliest() < Some(Tick::from_nanos(8_000_000_000)));
    assert!(rig.driver.auto_advance());
    assert_eq!(rig.now(), Tick::from_nanos(3_600_000_000_000));
    assert_eq!((rig.turn(), counter.count()), (1, 1));
    assert!(rig.driver.auto_advance());
    assert_eq!(rig.now(), Tick::from_nanos(7_200_000_000_005));
    assert_eq!((rig.turn(), counter.count()), (1, 2));
    assert!(!rig.driver.auto_advance(), "nothing is armed");
}

#[test]
fn auto_advance_does_not_jump_to_the_end_of_time() {
    let mut rig = Rig::new();
    let _entered = rig.timers.enter();
    let mut never = Box::pin(sleep(Duration::MAX));
    assert!(poll(&mut never, &Counter::new()).is_pending());
    assert!(!rig.driver.auto_advance());
    assert_eq!(rig.now(), Tick::from_nanos(0));
}

#[test]
fn advance_stops_at_each_deadline_in_order() {
    let mut rig = Rig::new();
    let _entered = rig.timers.enter();
    let start = Instant::now();
    let counter = Counter::new();
    let mut sleeps = [30, 10, 20].map(|millis| Box::pin(sleep(Duration::from_millis(millis))));
    sleeps.iter_mut().for_each(|sleep| assert!(poll(sleep, &counter).is_pending()));
    let mut advance = pin!(advance(Duration::from_nanos(3_141_592_000)));
    let mut cx = Context::from_waker(Waker::noop());
    assert!(advance.as_mut().poll(&mut cx).is_pending());
    let mut stops = Vec::new();
    while rig.driver.advance_step() {
        rig.turn();
        stops.push(start.elapsed());
    }
    let expected = [10, 20, 30].map(Duration::from_millis).into_iter().chain([Duration::from_nanos(3_141_592_000)]);
    assert_eq!(stops, expected.collect::<Vec<_>>());
    assert_eq!(counter.count(), 3);
    assert!(advance.as_mut().poll(&mut cx).is_ready());
}

#[test]
fn dropped_advance_leaves_the_clock_where_it_stands() {
    let mut rig = Rig::new();
    let _entered = rig.timers.enter();
    let mut first = Box::pin(sleep(Duration::from_millis(1)));
    assert!(poll(&mut first, &Counter::new()).is_pending());
    {
        let mut advance = pin!(advance(Duration::from_secs(1)));
        assert!(advance.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        assert!(rig.driver.advance_step());
        rig.turn();
    }
    assert!(!rig.timers.is_advancing());
    assert!(!rig.driver.advance_step());
    assert_eq!(rig.now(), Tick::from_nanos(1_000_000));
}

#[test]
fn advance_moves_the_clock_only_from_its_first_poll_to_its_end() {
    let mut rig = Rig::new();
    let _entered = rig.timers.enter();
    let mut cx = Context::from_waker(Waker::noop());
    let mut advance = pin!(advance(Duration::from_secs(1)));
    assert!(!rig.timers.is_advancing());
    assert!(!rig.driver.advance_step(), "a future that nobody polled does nothing");
    assert!(advance.as_mut().poll(&mut cx).is_pending());
    assert!(rig.timers.is_advancing());
    assert!(rig.driver.advance_step());
    rig.turn();
    assert!(advance.as_mut().poll(&mut cx).is_ready());
    assert!(!rig.timers.is_advancing(), "it is over, though it is not dropped");
    assert!(advance.as_mut().poll(&mut cx).is_ready());
    assert!(!rig.timers.is_advancing());
}

#[test]
fn advance_tells_a_driver_that_waits_for_something_nearer() {
    let told = Counter::new();
    let builder = Timers::builder().start_paused(true).auto_advance(false);
    let (timers, mut driver) = builder.interrupt(Arc::clone(&told) as Arc<dyn Interrupt>).build().unwrap();
    let _entered = timers.enter();
    let counter = Counter::new();
    let mut near = Box::pin(sleep(Duration::from_secs(1)));
    assert!(poll(&mut near, &counter).is_pending());
    assert_eq!(driver.prepare_park(), Next::At(Tick::from_nanos(1_000_000_000)));
    let before = told.count();
    let mut advance = pin!(advance(Duration::from_secs(2)));
    assert!(advance.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    assert!(told.count() > before, "the driver waits for an interruption, and has a step to take");
    driver.awake();
}

#[test]
fn advance_moves_on_under_a_runtime_that_never_rests() {
    let mut rig = Rig::new();
    let _entered = rig.timers.enter();
    let mut advance = pin!(advance(Duration::from_secs(1)));
    assert!(advance.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    for _ in 0..1_000 {
        rig.turn();
    }
    assert_eq!(rig.now(), Tick::from_nanos(1_000_000_000));
}

#[test]
fn advance_saturates() {
    let mut rig = Rig::new();
    let _entered = rig.timers.enter();
    for _ in 0..2 {
        let mut advance = pin!(advance(Duration::MAX));
        let mut cx = Context::from_waker(Waker::noop());
        while advance.as_mut().poll(&mut cx).is_pending() {
            assert!(rig.driver.advance_step());
            rig.turn();
        }
    }
    let end = Instant::now();
    assert!(end < Instant::FAR_FUTURE);
    let mut never = Box::pin(sleep(Duration::MAX));
    assert!(poll(&mut never, &Counter::new()).is_pending());
    rig.timers.resume();
    assert!(Instant::now() >= end);
}

#[test]
#[should_panic(expected = "call `pause` before `advance`")]
fn advance_of_a_running_clock_panics_with_the_remedy() {
    let (timers, _driver) = Timers::builder().build().unwrap();
    let _entered = timers.enter();
    drop(advance(Duration::ZERO));
}

#[test]
fn nested_entering_restores_the_clock_before() {
    let (outer, inner) = (Rig::new(), Rig::new());
    let _outer = outer.timers.enter();
    let before = Instant::now();
    inner.timers.shared().clock().move_to(Tick::from_nanos(1_000_000_000_000));
    {
        let _inner = inner.timers.enter();
        assert_eq!(inner.timers.tick(Instant::now()), inner.now());
    }
    assert_eq!(Instant::now(), before);
    assert!(context::try_current().is_some());
}
