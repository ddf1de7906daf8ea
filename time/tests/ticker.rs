//! The ticker's grid.

mod support;

use std::pin::pin;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::FusedStream;
use support::{Wakes, World, ms, poll_once};
use wheelhouse_time::{Instant, Ticker, sleep};

/// Runs `wait` seven times, the thread blocked for 350 ms after the third; when each of them returned.
async fn seven(world: &World, mut wait: impl AsyncFnMut()) -> Vec<u128> {
    let start = Instant::now();
    let mut seen = Vec::new();
    for tick in 0..7 {
        wait().await;
        seen.push(start.elapsed().as_millis());
        if tick == 2 {
            world.advance(ms(350));
        }
    }
    seen
}

#[test]
fn a_blocked_ticker_catches_up_at_once_and_keeps_its_grid() {
    let world = World::new();
    let mut ticker = Ticker::every(ms(100));
    let seen = world.run(seven(&world, async || {
        ticker.next().await;
    }));
    assert_eq!(seen, [100, 200, 300, 650, 650, 650, 700]);
    assert_eq!(world.run(ticker.next()), Instant::now(), "the one after is on time");
}

#[test]
fn a_blocked_loop_over_sleep_drifts() {
    let world = World::new();
    let seen = world.run(seven(&world, async || sleep(ms(100)).await));
    assert_eq!(seen, [100, 200, 300, 750, 850, 950, 1_050]);
}

#[test]
fn each_tick_returns_its_point_of_the_grid() {
    let world = World::new();
    let start = Instant::now();
    world.run(async {
        let mut ticker = Ticker::every(ms(10));
        world.advance(ms(35));
        for tick in 1..=5 {
            assert_eq!(ticker.next().await, start + tick * ms(10));
        }
    });
}

#[test]
fn dropping_next_loses_no_tick() {
    let world = World::new();
    let start = Instant::now();
    let mut ticker = Ticker::every(ms(100));
    for _ in 0..3 {
        assert!(poll_once(pin!(ticker.next())).is_pending());
    }
    world.advance(ms(250));
    assert_eq!(world.run(ticker.next()), start + ms(100));
    assert_eq!(Instant::now(), start + ms(250), "a missed tick comes at once");
    assert_eq!(world.run(ticker.next()), start + ms(200));
    assert_eq!(world.run(ticker.next()), start + ms(300));
    assert_eq!(Instant::now(), start + ms(300));
}

#[test]
fn resets_start_the_grid_anew() {
    let world = World::new();
    let mut ticker = Ticker::every(ms(100));
    world.advance(ms(30));
    let now = Instant::now();

    ticker.reset();
    assert_eq!(world.run(ticker.next()), now + ms(100));

    let origin = Instant::now() + ms(7);
    ticker.reset_at(origin);
    assert_eq!(world.run(ticker.next()), origin + ms(100));

    let now = Instant::now();
    ticker.reset_after(ms(5));
    assert_eq!(world.run(ticker.next()), now + ms(105));
    assert_eq!(world.run(ticker.next()), now + ms(205));
}

#[test]
fn a_reset_into_the_past_wakes_the_task_that_waits() {
    let world = World::new();
    let wakes = Wakes::new();
    let mut ticker = Ticker::every(ms(100));
    assert!(wakes.poll(|cx| ticker.poll_tick(cx)).is_pending());
    ticker.reset_at(Instant::now() - ms(100));
    world.turn();
    assert_eq!(wakes.take(), 1);
    assert!(wakes.poll(|cx| ticker.poll_tick(cx)).is_ready());
}

#[test]
fn a_stream_of_ticks_never_ends() {
    let world = World::new();
    let start = Instant::now();
    let ticks: Vec<Instant> = world.run(Ticker::every(ms(10)).take(3).collect());
    assert_eq!(ticks, [start + ms(10), start + ms(20), start + ms(30)]);
    assert!(!Ticker::every(ms(10)).is_terminated());
}

#[test]
fn catching_up_spends_budget_so_that_the_task_yields() {
    let world = World::new();
    let wakes = Wakes::new();
    let mut ticker = Ticker::every(ms(1));
    world.advance(ms(1_000));
    world.set_budget(10);
    let mut ticks = 0;
    while wakes.poll(|cx| ticker.poll_tick(cx)).is_ready() {
        ticks += 1;
    }
    assert_eq!(ticks, 10);
    assert_eq!(wakes.take(), 1, "out of budget, it asks to be polled again");
}

#[test]
#[should_panic(expected = "a period must be greater than zero")]
fn a_zero_period_panics_at_the_call() {
    let _ticker = Ticker::every(Duration::ZERO);
}
