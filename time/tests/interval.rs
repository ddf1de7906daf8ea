//! Intervals: the policies for missed ticks, resets, and what a dropped `tick` keeps.

mod support;

use std::pin::pin;
use std::time::Duration;

use futures::StreamExt;
use support::{Wakes, World, ms, poll_once};
use wheelhouse_time::{Instant, Interval, MissedTickBehavior, interval, interval_at};

const POLICIES: [MissedTickBehavior; 3] =
    [MissedTickBehavior::Burst, MissedTickBehavior::Delay, MissedTickBehavior::Skip];

fn with_policy(period: Duration, policy: MissedTickBehavior) -> Interval {
    let mut interval = interval(period);
    interval.set_missed_tick_behavior(policy);
    interval
}

/// The next ticks, in milliseconds since `start`: scheduled and taken.
fn ticks(world: &World, interval: &mut Interval, start: Instant, count: usize) -> Vec<(u128, u128)> {
    let mut seen = Vec::new();
    for _ in 0..count {
        let scheduled = world.run(interval.tick());
        seen.push(((scheduled - start).as_millis(), start.elapsed().as_millis()));
    }
    seen
}

#[test]
fn the_first_tick_comes_at_once_and_the_others_a_period_apart() {
    let world = World::new();
    let start = Instant::now();
    let mut beat = interval(ms(500));
    assert_eq!(ticks(&world, &mut beat, start, 3), [(0, 0), (500, 500), (1000, 1000)]);
    assert_eq!(beat.period(), ms(500));
}

#[test]
fn the_grid_starts_at_the_call_and_not_at_the_first_poll() {
    let world = World::new();
    let start = Instant::now();
    let mut beat = interval(ms(100));
    world.advance(ms(3));
    assert_eq!(ticks(&world, &mut beat, start, 2), [(0, 3), (100, 100)]);
}

#[test]
fn interval_at_ticks_first_at_its_start() {
    let world = World::new();
    let start = Instant::now();
    let mut beat = interval_at(start + ms(70), ms(100));
    assert_eq!(ticks(&world, &mut beat, start, 2), [(70, 70), (170, 170)]);
}

#[test]
fn burst_makes_up_for_every_missed_tick_at_once() {
    let world = World::new();
    let start = Instant::now();
    let mut beat = with_policy(ms(100), MissedTickBehavior::Burst);
    ticks(&world, &mut beat, start, 1);
    world.advance(ms(350));
    assert_eq!(ticks(&world, &mut beat, start, 5), [(100, 350), (200, 350), (300, 350), (400, 400), (500, 500)]);
}

#[test]
fn delay_moves_the_grid_to_the_late_tick() {
    let world = World::new();
    let start = Instant::now();
    let mut beat = with_policy(ms(100), MissedTickBehavior::Delay);
    ticks(&world, &mut beat, start, 1);
    world.advance(ms(350));
    assert_eq!(ticks(&world, &mut beat, start, 3), [(100, 350), (450, 450), (550, 550)]);
}

#[test]
fn skip_drops_missed_ticks_and_keeps_the_grid() {
    let world = World::new();
    let start = Instant::now();
    let mut beat = with_policy(ms(100), MissedTickBehavior::Skip);
    ticks(&world, &mut beat, start, 1);
    world.advance(ms(350));
    assert_eq!(ticks(&world, &mut beat, start, 3), [(100, 350), (400, 400), (500, 500)]);
    world.advance(ms(200)); // exactly on a point of the grid: the next one is strictly after it
    assert_eq!(ticks(&world, &mut beat, start, 2), [(600, 700), (800, 800)]);
}

#[test]
fn a_tick_late_by_5_ms_keeps_the_grid_under_every_policy() {
    for policy in POLICIES {
        let world = World::new();
        let start = Instant::now();
        let mut beat = with_policy(ms(100), policy);
        ticks(&world, &mut beat, start, 1);
        world.advance(ms(105));
        assert_eq!(ticks(&world, &mut beat, start, 2), [(100, 105), (200, 200)], "{policy:?}");
    }
}

#[test]
fn policies_hold_for_periods_below_5_ms() {
    let expected = |policy| match policy {
        MissedTickBehavior::Burst => [(1, 4), (2, 4), (3, 4)],
        MissedTickBehavior::Delay => [(1, 4), (5, 5), (6, 6)],
        MissedTickBehavior::Skip => [(1, 4), (5, 5), (6, 6)],
    };
    for policy in POLICIES {
        let world = World::new();
        let start = Instant::now();
        let mut beat = with_policy(ms(1), policy);
        ticks(&world, &mut beat, start, 1);
        world.advance(ms(4));
        assert_eq!(ticks(&world, &mut beat, start, 3), expected(policy), "{policy:?}");
    }
    // Between two points of a 2 ms grid, Delay and Skip part.
    for (policy, second) in [(MissedTickBehavior::Delay, 7), (MissedTickBehavior::Skip, 6)] {
        let world = World::new();
        let start = Instant::now();
        let mut beat = with_policy(ms(2), policy);
        ticks(&world, &mut beat, start, 1);
        world.advance(ms(5));
        assert_eq!(ticks(&world, &mut beat, start, 2), [(2, 5), (second, second)], "{policy:?}");
    }
}

#[test]
fn a_clock_that_jumps_an_hour_forward_follows_the_policy() {
    const HOUR: u128 = 3_600_000;
    for policy in POLICIES {
        let world = World::new();
        let start = Instant::now();
        let mut beat = with_policy(ms(60_000), policy);
        ticks(&world, &mut beat, start, 1);
        world.advance(Duration::from_secs(3600) + ms(1));
        let seen = ticks(&world, &mut beat, start, 2);
        let second = match policy {
            MissedTickBehavior::Burst => (120_000, HOUR + 1),
            MissedTickBehavior::Delay => (HOUR + 60_001, HOUR + 60_001),
            MissedTickBehavior::Skip => (HOUR + 60_000, HOUR + 60_000),
        };
        assert_eq!(seen, [(60_000, HOUR + 1), second], "{policy:?}");
    }
}

#[test]
fn dropping_tick_loses_no_tick() {
    let world = World::new();
    let start = Instant::now();
    let mut beat = interval_at(start + ms(100), ms(100));
    assert!(poll_once(pin!(beat.tick())).is_pending());
    world.advance(ms(100));
    drop(beat.tick());
    assert_eq!(ticks(&world, &mut beat, start, 2), [(100, 100), (200, 200)]);
}

#[test]
fn resets_place_the_next_tick() {
    let world = World::new();
    let start = Instant::now();
    let mut beat = interval(ms(100));
    ticks(&world, &mut beat, start, 1);
    world.advance(ms(30));

    beat.reset();
    assert_eq!(ticks(&world, &mut beat, start, 1), [(130, 130)]);
    beat.reset_immediately();
    assert_eq!(ticks(&world, &mut beat, start, 2), [(130, 130), (230, 230)]);
    beat.reset_after(ms(7));
    assert_eq!(ticks(&world, &mut beat, start, 2), [(237, 237), (337, 337)]);
    beat.reset_at(start + ms(400));
    assert_eq!(ticks(&world, &mut beat, start, 2), [(400, 400), (500, 500)]);
}

#[test]
fn resetting_a_pending_interval_wakes_its_task_on_the_new_time() {
    let world = World::new();
    let wakes = Wakes::new();
    let mut beat = interval_at(Instant::now() + ms(100), ms(100));
    assert!(wakes.poll(|cx| beat.poll_tick(cx)).is_pending());

    beat.reset_after(ms(10));
    world.advance(ms(9));
    assert_eq!(wakes.take(), 0);
    world.advance(ms(1));
    assert_eq!(wakes.take(), 1, "an earlier tick is armed at once");

    assert!(wakes.poll(|cx| beat.poll_tick(cx)).is_ready());
    assert!(wakes.poll(|cx| beat.poll_tick(cx)).is_pending());
    beat.reset_after(ms(500));
    world.advance(ms(499));
    assert_eq!(wakes.take(), 0, "a later tick lets the old instant pass in silence");
    beat.reset_immediately();
    world.turn();
    assert_eq!(wakes.take(), 1);
}

#[test]
fn a_stream_of_scheduled_instants_never_ends() {
    let world = World::new();
    let start = Instant::now();
    let seen: Vec<Instant> = world.run(interval(ms(10)).take(3).collect());
    assert_eq!(seen, [start, start + ms(10), start + ms(20)]);
}

#[test]
#[should_panic(expected = "a period must be greater than zero")]
fn a_zero_period_panics_at_the_call() {
    let _beat = interval(Duration::ZERO);
}

#[test]
#[should_panic(expected = "a period must be greater than zero")]
fn a_zero_period_panics_at_the_call_of_interval_at() {
    let _beat = interval_at(Instant::now(), Duration::ZERO);
}
