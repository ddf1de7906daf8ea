//! How often a timer's task is polled: once to arm, once when it is due, never in between.

mod support;

use std::future::{Future, pending, ready};
use std::time::Duration;

use support::{World, ms};
use wheelhouse_time::{Elapsed, Instant, Timeout, TimeoutExt, sleep, sleep_until, timeout};

/// The outcome of a future run alone, how long that took, and its polls.
fn run<F: Future>(world: &World, future: F) -> (F::Output, Duration, usize) {
    let start = Instant::now();
    let (output, polls) = world.run_all([future]).remove(0);
    (output, start.elapsed(), polls)
}

fn is_elapsed<T>(outcome: Result<T, Elapsed>) -> bool {
    outcome.is_err()
}

#[test]
fn inner_in_time_is_ok_after_two_polls() {
    let world = World::new();
    let (outcome, took, polls) = run(&world, timeout(ms(100), sleep(ms(50))));
    assert!(outcome.is_ok());
    assert_eq!((took, polls), (ms(50), 2));
}

#[test]
fn inner_too_late_is_an_error_after_two_polls() {
    let world = World::new();
    let (outcome, took, polls) = run(&world, timeout(ms(50), sleep(ms(100))));
    assert!(is_elapsed(outcome));
    assert_eq!((took, polls), (ms(50), 2));
}

#[test]
fn a_timeout_that_ran_out_before_the_first_poll_is_an_error_at_once() {
    let world = World::new();
    let limited: Timeout<_> = sleep(ms(200)).timeout(ms(100));
    world.advance(ms(150));
    let (outcome, took, polls) = run(&world, limited);
    assert!(is_elapsed(outcome));
    assert_eq!((took, polls), (Duration::ZERO, 1));
}

#[test]
fn a_ready_inner_wins_against_a_zero_timeout_in_one_poll() {
    let world = World::new();
    let (outcome, took, polls) = run(&world, timeout(Duration::ZERO, ready(7)));
    assert_eq!(outcome, Ok(7));
    assert_eq!((took, polls), (Duration::ZERO, 1));
    assert_eq!(world.metrics().armed, 0, "no timer is filed for a future that never pends");
}

#[test]
fn a_zero_timeout_over_a_pending_inner_is_an_error_in_one_poll() {
    let world = World::new();
    let (outcome, took, polls) = run(&world, timeout(Duration::ZERO, pending::<()>()));
    assert!(is_elapsed(outcome));
    assert_eq!((took, polls), (Duration::ZERO, 1));
}

#[test]
fn a_sleep_that_is_due_is_ready_at_the_first_poll() {
    let world = World::new();
    world.advance(ms(10));
    for due in [sleep(Duration::ZERO), sleep_until(Instant::now()), sleep_until(Instant::now() - ms(5))] {
        let ((), took, polls) = run(&world, due);
        assert_eq!((took, polls), (Duration::ZERO, 1));
    }
}

#[test]
fn sleepers_are_polled_exactly_twice_however_many_they_are() {
    for sleepers in [9, 1_000, 100_000] {
        let world = World::new();
        let start = Instant::now();
        let done = world.run_all((0..sleepers).map(|_| sleep(ms(500))));
        assert_eq!(start.elapsed(), ms(500));
        assert!(done.iter().all(|&((), polls)| polls == 2), "{sleepers} sleepers");
    }
}

#[test]
fn a_timeout_won_early_is_not_polled_again_at_its_end() {
    let world = World::new();
    let (won_at, polls) = world
        .run_all([async {
            let start = Instant::now();
            timeout(ms(100), sleep(ms(60))).await.unwrap();
            let won_at = start.elapsed();
            sleep(ms(140)).await; // beyond the end of the timeout
            won_at
        }])
        .remove(0);
    assert_eq!(won_at, ms(60));
    assert_eq!(polls, 3, "one to start, one at 60 ms, one at 200 ms");
}
