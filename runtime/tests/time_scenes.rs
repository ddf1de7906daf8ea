//! Timers in real time, with generous bounds: the machine may be busy with something else.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use wheelhouse::runtime::{Builder, Runtime};
use wheelhouse::time::{interval, sleep, timeout};

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

fn current_thread() -> Runtime {
    Builder::new_current_thread().build().unwrap()
}

fn multi_thread(workers: usize) -> Runtime {
    Builder::new_multi_thread().worker_threads(workers).build().unwrap()
}

/// Asserts that something took this long, and at most a second more.
#[track_caller]
fn assert_took(start: Instant, expected: Duration) {
    let took = start.elapsed();
    assert!(took >= expected && took < expected + secs(1), "took {took:?} instead of {expected:?}");
}

/// Counts the polls of a future.
struct Counted<F> {
    future: Pin<Box<F>>,
    polls: Arc<AtomicUsize>,
}

impl<F: Future> Future for Counted<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        self.polls.fetch_add(1, Ordering::Relaxed);
        self.future.as_mut().poll(cx)
    }
}

fn sleepers_are_polled_twice(runtime: &Runtime, count: usize) {
    let polls: Vec<Arc<AtomicUsize>> = (0..count).map(|_| Arc::default()).collect();
    runtime.block_on(async {
        let tasks: Vec<_> = polls
            .iter()
            .map(|polls| {
                wheelhouse::spawn(Counted {
                    future: Box::pin(async { sleep(ms(500)).await }),
                    polls: Arc::clone(polls),
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
    });
    assert!(polls.iter().all(|polls| polls.load(Ordering::Relaxed) == 2));
}

#[test]
fn nine_sleepers_are_polled_exactly_twice_each() {
    for runtime in [current_thread(), multi_thread(2)] {
        let start = Instant::now();
        sleepers_are_polled_twice(&runtime, 9);
        assert_took(start, ms(500));
    }
}

#[test]
fn ten_thousand_sleepers_are_polled_exactly_twice_each() {
    for runtime in [current_thread(), multi_thread(2)] {
        sleepers_are_polled_twice(&runtime, 10_000);
    }
}

#[test]
fn tasks_of_three_one_and_two_seconds_end_in_the_order_one_two_three_in_three_seconds() {
    for runtime in [current_thread(), multi_thread(2)] {
        let start = Instant::now();
        let order = Arc::new(Mutex::new(Vec::new()));
        runtime.block_on(async {
            let tasks = [3, 1, 2].map(|number| {
                let order = Arc::clone(&order);
                wheelhouse::spawn(async move {
                    sleep(secs(number)).await;
                    order.lock().unwrap().push(number);
                })
            });
            for task in tasks {
                task.await.unwrap();
            }
        });
        assert_eq!(*order.lock().unwrap(), [1, 2, 3]);
        assert_took(start, secs(3));
    }
}

#[test]
fn a_sleep_beside_a_blocked_worker_ends_on_time() {
    let runtime = multi_thread(2);
    let start = Instant::now();
    runtime.block_on(async {
        let blocked = wheelhouse::spawn(async { std::thread::sleep(secs(5)) });
        let sleeping = wheelhouse::spawn(sleep(secs(2)));
        sleeping.await.unwrap();
        assert_took(start, secs(2));
        blocked.await.unwrap();
        assert_took(start, secs(5));
    });
}

#[test]
fn a_heartbeat_ticks_seven_times_in_three_seconds_and_never_after_its_abort() {
    let runtime = multi_thread(2);
    let ticks = Arc::new(AtomicUsize::new(0));
    runtime.block_on(async {
        let counter = Arc::clone(&ticks);
        let heartbeat = wheelhouse::spawn(async move {
            let mut beat = interval(ms(500));
            loop {
                beat.tick().await;
                counter.fetch_add(1, Ordering::SeqCst);
            }
        });
        sleep(secs(3)).await;
        heartbeat.abort();
        assert!(heartbeat.await.unwrap_err().is_cancelled());
        // The tick at 3.0 s and the abort race.
        let counted = ticks.load(Ordering::SeqCst);
        assert!((6..=7).contains(&counted), "{counted} ticks");
        sleep(ms(1_100)).await;
        assert_eq!(ticks.load(Ordering::SeqCst), counted);
    });
}

#[test]
fn two_threads_that_sleep_five_and_two_seconds_end_in_five() {
    let start = Instant::now();
    let threads = [5, 2].map(|number| std::thread::spawn(move || std::thread::sleep(secs(number))));
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_took(start, secs(5));
}

#[test]
fn on_one_thread_a_blocking_sleep_holds_up_an_async_one_and_they_end_in_seven_seconds() {
    let start = Instant::now();
    current_thread().block_on(async {
        let blocking = wheelhouse::spawn(async { std::thread::sleep(secs(5)) });
        let sleeping = wheelhouse::spawn(async { sleep(secs(2)).await });
        blocking.await.unwrap();
        sleeping.await.unwrap();
    });
    assert_took(start, secs(7));
}

#[test]
fn on_one_thread_two_async_sleeps_end_in_five_seconds() {
    let start = Instant::now();
    current_thread().block_on(async {
        let tasks = [5, 2].map(|number| wheelhouse::spawn(sleep(secs(number))));
        for task in tasks {
            task.await.unwrap();
        }
    });
    assert_took(start, secs(5));
}

/// `SOAK_SECONDS` makes it longer.
#[test]
fn short_sleeps_beside_a_long_one_are_not_missed() {
    let soak = std::env::var("SOAK_SECONDS").ok().and_then(|value| value.parse().ok()).unwrap_or(4);
    let runtime = multi_thread(2);
    let worst = runtime.block_on(async {
        let long = wheelhouse::spawn(sleep(secs(soak + 10)));
        let end = Instant::now() + secs(soak);
        let tasks: Vec<_> = (0..4)
            .map(|_| {
                wheelhouse::spawn(async move {
                    let mut worst = Duration::ZERO;
                    while Instant::now() < end {
                        let before = Instant::now();
                        sleep(ms(1)).await;
                        worst = worst.max(before.elapsed());
                    }
                    worst
                })
            })
            .collect();
        let mut worst = Duration::ZERO;
        for task in tasks {
            worst = worst.max(task.await.unwrap());
        }
        long.abort();
        worst
    });
    // One that was missed would have waited for the long sleep.
    assert!(worst < secs(2), "a sleep of 1 ms took {worst:?}");
}

#[test]
fn sleeps_are_not_rounded_up_to_the_next_millisecond() {
    for runtime in [current_thread(), multi_thread(2)] {
        let mut late: Vec<Duration> = runtime.block_on(async {
            let mut late = Vec::new();
            for _ in 0..200 {
                let start = Instant::now();
                sleep(ms(1)).await;
                late.push(start.elapsed() - ms(1));
            }
            late
        });
        late.sort();
        // The machine may be busy; a clock that rounds is late every time.
        assert!(late[20] < Duration::from_micros(500), "a tenth of them is late by {:?}", late[20]);
    }
}

#[test]
fn a_timeout_in_real_time_ends_on_time() {
    for runtime in [current_thread(), multi_thread(2)] {
        let start = Instant::now();
        let outcome = runtime.block_on(timeout(ms(50), std::future::pending::<()>()));
        assert!(outcome.is_err());
        assert_took(start, ms(50));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn sleeps_on_the_clock_that_counts_suspended_time_end_on_time() {
    for builder in [Builder::new_current_thread(), Builder::new_multi_thread().worker_threads(2)] {
        let runtime = builder.count_suspended_time(true).build().unwrap();
        let start = Instant::now();
        runtime.block_on(async {
            for _ in 0..10 {
                let before = wheelhouse::time::Instant::now();
                sleep(ms(5)).await;
                assert!(before.elapsed() >= ms(5));
            }
        });
        assert_took(start, ms(50));
    }
}
