//! The ends of time: no constructor, reset or period overflows, and no far deadline hides a near one.

mod support;

use std::future::pending;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use futures::future::{Either, select};
use support::{Wakes, World, ms, poll_once};
use wheelhouse_time::{
    DelayQueue, Instant, MissedTickBehavior, Ticker, TimeoutExt, interval, interval_at, sleep, sleep_until, timeout,
    timeout_at,
};

const FOR_EVER: Duration = Duration::MAX;
const CENTURY: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

#[test]
fn sleeps_and_timeouts_to_the_end_of_time_pend_and_never_fire() {
    let world = World::new();
    let mut timer = pin!(sleep(FOR_EVER));
    let mut until = pin!(sleep_until(Instant::FAR_FUTURE));
    let mut limited = pin!(timeout(FOR_EVER, pending::<()>()));
    let mut limited_at = pin!(pending::<()>().deadline(Instant::now() + FOR_EVER));
    for _ in 0..2 {
        assert!(poll_once(timer.as_mut()).is_pending());
        assert!(poll_once(until.as_mut()).is_pending());
        assert!(poll_once(limited.as_mut()).is_pending());
        assert!(poll_once(limited_at.as_mut()).is_pending());
        world.advance(CENTURY);
    }
    assert_eq!(world.turn(), 0);
    timer.as_mut().reset(Instant::now() + FOR_EVER);
    assert!(poll_once(timer.as_mut()).is_pending());
    timer.as_mut().reset(Instant::now());
    assert!(poll_once(timer.as_mut()).is_ready());
}

#[test]
fn an_interval_of_for_ever_ticks_once_under_every_policy() {
    for policy in [MissedTickBehavior::Burst, MissedTickBehavior::Delay, MissedTickBehavior::Skip] {
        let world = World::new();
        let mut beat = interval(FOR_EVER);
        beat.set_missed_tick_behavior(policy);
        world.advance(ms(100));
        assert_eq!(world.run(beat.tick()), Instant::now() - ms(100), "{policy:?}");
        assert!(poll_once(pin!(beat.tick())).is_pending());
        world.advance(CENTURY);
        assert!(poll_once(pin!(beat.tick())).is_pending());
    }
}

#[test]
fn every_reset_of_an_interval_saturates() {
    let world = World::new();
    let mut beat = interval(FOR_EVER);
    world.run(beat.tick());
    beat.reset();
    assert!(poll_once(pin!(beat.tick())).is_pending());
    beat.reset_after(FOR_EVER);
    assert!(poll_once(pin!(beat.tick())).is_pending());
    beat.reset_at(Instant::FAR_FUTURE);
    assert!(poll_once(pin!(beat.tick())).is_pending());
    beat.reset_immediately();
    assert_eq!(world.run(beat.tick()), Instant::now());

    let mut far = interval_at(Instant::FAR_FUTURE, FOR_EVER);
    assert!(poll_once(pin!(far.tick())).is_pending());
    far.reset_after(ms(5));
    let due = Instant::now() + ms(5);
    assert_eq!(world.run(far.tick()), due);
    assert!(poll_once(pin!(far.tick())).is_pending());
}

#[test]
fn every_constructor_and_reset_of_a_ticker_saturates() {
    let world = World::new();
    let mut ticker = Ticker::every(FOR_EVER);
    assert!(poll_once(pin!(ticker.next())).is_pending());
    ticker.reset();
    assert!(poll_once(pin!(ticker.next())).is_pending());
    ticker.reset_at(Instant::FAR_FUTURE);
    assert!(poll_once(pin!(ticker.next())).is_pending());
    ticker.reset_after(FOR_EVER);
    assert!(poll_once(pin!(ticker.next())).is_pending());
    world.advance(CENTURY);
    assert!(poll_once(pin!(ticker.next())).is_pending());
}

#[test]
fn a_delay_queue_takes_delays_and_periods_of_for_ever() {
    let world = World::new();
    let wakes = Wakes::new();
    let mut queue = DelayQueue::new();
    let far = queue.insert("far", FOR_EVER);
    queue.insert_at("end", Instant::FAR_FUTURE);
    let beat = queue.insert_every("beat", FOR_EVER);
    assert!(wakes.poll(|cx| queue.poll_expired(cx)).is_pending());
    queue.reset(&far, FOR_EVER).unwrap();
    queue.reset_at(&far, Instant::FAR_FUTURE).unwrap();
    world.advance(CENTURY);
    assert!(wakes.poll(|cx| queue.poll_expired(cx)).is_pending());

    // Its next period ends beyond the end of time, and the queue goes on.
    queue.reset(&beat, ms(1)).unwrap();
    queue.insert("near", ms(2));
    assert_eq!(world.run(queue.next()).unwrap().into_inner(), "beat");
    assert_eq!(world.run(queue.next()).unwrap().into_inner(), "near");
    assert_eq!(queue.deadline(&beat), Some(Instant::FAR_FUTURE));
}

#[test]
fn deadlines_at_the_very_end_of_the_range_are_armed_and_hide_nothing() {
    let world = World::new();
    let back = |nanos| Instant::FAR_FUTURE - Duration::from_nanos(nanos);
    let wakes = Wakes::new();
    // Every distance from the end, near enough to meet the marks that a timer's state word keeps at the top.
    let mut queue = DelayQueue::new();
    for nanos in (0..40).chain([1 << 20, 1 << 40, 1 << 60, 1 << 62]) {
        queue.insert_at(nanos, back(nanos));
        let mut timer = pin!(sleep_until(back(nanos)));
        assert!(wakes.poll(|cx| timer.as_mut().try_poll_elapsed(cx)).is_pending(), "{nanos}");
        world.advance(ms(1));
        assert!(wakes.poll(|cx| timer.as_mut().try_poll_elapsed(cx)).is_pending(), "{nanos}");
    }
    queue.insert(7_777, ms(500));
    assert_eq!(world.run(queue.next()).unwrap().into_inner(), 7_777);
    assert_eq!(wakes.take(), 0);
}

#[test]
fn a_timer_at_the_end_of_time_leaves_no_stale_waker_for_the_next_ones_of_its_task() {
    let world = World::new();
    let start = Instant::now();
    world.run(async {
        for _ in 0..3 {
            match select(pin!(sleep(FOR_EVER)), pin!(sleep(ms(100)))).await {
                Either::Left(_) => panic!("the end of time came"),
                Either::Right(_) => {}
            }
        }
        sleep(ms(500)).await;
    });
    assert_eq!(start.elapsed(), ms(800));
}

#[test]
fn timers_work_across_every_horizon_of_a_clock_that_has_run_for_centuries() {
    let world = World::new();
    let years = |years: u32| years * Duration::from_secs(365 * 24 * 3600);
    let mut uptime = Duration::ZERO;
    let start = Instant::now();
    for next in [Duration::from_secs(1), years(2) + ms(1), years(3), years(100), years(250)] {
        world.advance(next - uptime);
        uptime = next;
        world.run(async {
            let mut beat = interval(ms(100));
            let mut ticker = Ticker::every(ms(70));
            let mut queue = DelayQueue::new();
            queue.insert((), ms(33));
            let now = Instant::now();
            beat.tick().await;
            assert_eq!(beat.tick().await, now + ms(100));
            assert_eq!(ticker.next().await, now + ms(70));
            assert_eq!(queue.next().await.unwrap().deadline(), now + ms(33));
            assert!(timeout_at(now + ms(150), pending::<()>()).await.is_err());
            assert_eq!(now.elapsed(), ms(150));
        });
        uptime += ms(150);
        assert_eq!(start.elapsed(), uptime);
    }
}

#[test]
fn instants_saturate_at_both_ends() {
    let _world = World::new();
    let now = Instant::now();
    assert_eq!(now + FOR_EVER, Instant::FAR_FUTURE);
    assert_eq!(Instant::FAR_FUTURE + ms(1), Instant::FAR_FUTURE);
    assert_eq!(now - (now + ms(1)), Duration::ZERO);
    assert!(now - FOR_EVER < now);
    let mut past = pin!(sleep_until(now - FOR_EVER));
    assert!(matches!(poll_once(past.as_mut()), Poll::Ready(())));
}
