//! Real time: no wait ends before its time by the clock of std, however the threads are moved about and interrupted.
//! `WHEELHOUSE_STRESS_SECS` makes it longer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use wheelhouse::runtime::Builder;
use wheelhouse::time::{self, sleep, timeout};

/// About how many seconds each test takes on an idle machine.
fn seconds() -> u64 {
    std::env::var("WHEELHOUSE_STRESS_SECS").ok().and_then(|seconds| seconds.parse().ok()).unwrap_or(1)
}

/// Threads that want the processors for themselves, and now and then sleep for a moment.
fn bullies(stop: &Arc<AtomicBool>) -> Vec<std::thread::JoinHandle<()>> {
    let bully = |number: u64| {
        let stop = Arc::clone(stop);
        std::thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                let until = Instant::now() + Duration::from_micros(300 + 170 * number);
                while Instant::now() < until {}
                std::thread::sleep(Duration::from_micros(50));
            }
        })
    };
    (0..3).map(bully).collect()
}

#[test]
fn no_wait_ends_early_by_the_clock_of_std() {
    let stop = Arc::new(AtomicBool::new(false));
    let bullies = bullies(&stop);
    let runtime = Builder::new_multi_thread().worker_threads(4).build().expect("a runtime");
    let times = 100 * seconds();
    let tasks: Vec<_> = (0..2_000u64)
        .map(|task| {
            runtime.spawn(async move {
                let mut step = task;
                for _ in 0..times {
                    step = step.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    let wait = Duration::from_nanos(1_000_000 + (step >> 33) % 2_000_000);
                    let start = Instant::now();
                    if step & 1 == 0 {
                        sleep(wait).await;
                    } else {
                        assert!(timeout(wait, std::future::pending::<()>()).await.is_err());
                    }
                    let passed = start.elapsed();
                    assert!(passed >= wait, "{wait:?} were over after {passed:?}");
                }
            })
        })
        .collect();
    for task in tasks {
        runtime.block_on(task).expect("no wait ends early");
    }
    stop.store(true, Ordering::Relaxed);
    for bully in bullies {
        bully.join().expect("a bully ends");
    }
}

#[test]
fn no_deadline_is_fixed_early_nor_a_microsecond_late() {
    const AHEAD: Duration = Duration::from_micros(1);
    let stop = Arc::new(AtomicBool::new(false));
    let bullies = bullies(&stop);
    let runtime = Builder::new_multi_thread().worker_threads(4).build().expect("a runtime");
    let times = 400 * seconds();
    let tasks: Vec<_> = (0..8u64)
        .map(|_| {
            runtime.spawn(async move {
                let wait = Duration::from_secs(5);
                for _ in 0..times {
                    for _ in 0..64 {
                        let before = time::Instant::now();
                        let deadlines: [_; 16] = std::array::from_fn(|_| sleep(wait).deadline());
                        let after = time::Instant::now();
                        for deadline in deadlines {
                            assert!(deadline >= before + wait, "{deadline:?} for a call after {before:?}");
                            assert!(deadline <= after + wait + AHEAD, "{deadline:?} for a call before {after:?}");
                        }
                        assert!(deadlines.is_sorted());
                    }
                    wheelhouse::task::yield_now().await;
                }
            })
        })
        .collect();
    for task in tasks {
        runtime.block_on(task).expect("no deadline is early");
    }
    stop.store(true, Ordering::Relaxed);
    for bully in bullies {
        bully.join().expect("a bully ends");
    }
}
