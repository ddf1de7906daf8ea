//! The test clock and the threads beside the workers: blocking jobs, and callers of `block_on`.

mod paused_support;

use std::sync::Barrier;
use std::sync::mpsc::channel;
use std::time::Duration;

use futures::{AsyncReadExt, AsyncWriteExt};
use wheelhouse::net::UnixStream;
use wheelhouse::runtime::Handle;
use wheelhouse::task::{block_in_place, spawn_blocking, yield_now};
use wheelhouse::time::{Instant, TimeoutExt, interval, sleep};

use paused_support::{HOUR, builders, ms, paused};

#[test]
fn the_clock_does_not_move_while_a_blocking_task_runs() {
    paused(|| async {
        let mut beat = interval(ms(100));
        let start = beat.tick().await;
        let job = spawn_blocking(|| std::thread::sleep(ms(60)));
        job.timeout(ms(1)).await.expect("the clock moved").unwrap();
        assert_eq!(start, Instant::now());
        assert_eq!(beat.tick().await, start + ms(100));
        assert_eq!(Instant::now(), start + ms(100));
    });
}

#[test]
fn the_clock_waits_for_every_thread_inside_block_on() {
    for (flavour, builder) in builders().into_iter().skip(1) {
        let runtime = builder.start_paused(true).build().unwrap();
        let barrier = Barrier::new(2);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                runtime.block_on(async {
                    let start = Instant::now();
                    barrier.wait();
                    std::thread::sleep(ms(50));
                    assert_eq!(start, Instant::now(), "{flavour}");
                });
            });
            runtime.block_on(async {
                barrier.wait();
                sleep(HOUR).await;
            });
        });
    }
}

#[test]
#[cfg(unix)]
fn the_clock_does_not_move_while_messages_cross_between_callers_of_block_on() {
    for (flavour, builder) in builders() {
        let runtime = builder.start_paused(true).build().unwrap();
        let (near, mut far) = runtime.block_on(async { UnixStream::pair().unwrap() });
        let start = runtime.block_on(async { Instant::now() });
        let barrier = Barrier::new(2);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                runtime.block_on(async {
                    barrier.wait();
                    let mut byte = [0];
                    while far.read(&mut byte).await.unwrap() == 1 {
                        far.write_all(&byte).await.unwrap();
                    }
                });
            });
            runtime.block_on(async {
                barrier.wait();
                let mut near = near; // closed at the end, which ends the other one
                for message in 0..=255 {
                    near.write_all(&[message]).await.unwrap();
                    let mut answer = [0];
                    near.read_exact(&mut answer).timeout(HOUR).await.expect(flavour).unwrap();
                    assert_eq!(answer, [message]);
                }
                assert_eq!(start, Instant::now(), "{flavour}");
            });
        });
    }
}

/// How long a test waits, in real time, for what must happen.
const PATIENCE: Duration = Duration::from_secs(20);

/// Runs `job` on the blocking pool of a paused runtime of each flavour, beside a timer that is due much later; the clock
/// must get to the end of it by itself.
#[track_caller]
fn with_a_job(job: impl Fn() + Clone + Send + 'static) {
    for (flavour, builder) in builders() {
        let (done, is_done) = channel();
        let job = job.clone();
        std::thread::spawn(move || {
            let runtime = builder.start_paused(true).build().unwrap();
            runtime.block_on(async {
                let start = Instant::now();
                let later = wheelhouse::spawn(sleep(1_000 * HOUR));
                spawn_blocking(job).await.unwrap();
                assert_eq!(start.elapsed(), HOUR);
                later.await.unwrap();
            });
            done.send(()).unwrap();
        });
        is_done.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("{flavour}: the clock stands still"));
    }
}

#[test]
fn the_clock_moves_while_a_blocking_job_sleeps_inside_of_block_on() {
    with_a_job(|| Handle::current().block_on(sleep(HOUR)));
}

#[test]
fn a_blocking_job_that_is_out_of_block_on_again_keeps_the_clock() {
    with_a_job(|| {
        let start = Instant::now();
        for step in 1..=4 {
            Handle::current().block_on(sleep(HOUR / 4));
            let real = std::thread::spawn(|| std::thread::sleep(ms(10)));
            real.join().unwrap();
            assert_eq!(start.elapsed(), HOUR / 4 * step);
        }
    });
}

#[test]
fn a_blocking_job_that_is_awake_inside_of_block_on_keeps_the_clock() {
    with_a_job(|| {
        let start = Instant::now();
        Handle::current().block_on(async {
            for _ in 0..10 {
                std::thread::sleep(ms(2));
                yield_now().await;
            }
            assert_eq!(start, Instant::now());
            sleep(HOUR).await;
        });
    });
}

#[test]
fn a_blocking_job_that_panics_inside_of_block_on_counts_as_one_until_it_is_over() {
    for (flavour, builder) in builders() {
        let runtime = builder.start_paused(true).build().unwrap();
        runtime.block_on(async {
            let start = Instant::now();
            let panics = spawn_blocking(|| Handle::current().block_on(async { panic!("on purpose") }));
            assert!(panics.await.unwrap_err().is_panic());
            let job = spawn_blocking(|| std::thread::sleep(ms(20)));
            job.timeout(ms(1)).await.expect("the clock moved").unwrap();
            assert_eq!(start, Instant::now(), "{flavour}");
            sleep(HOUR).await;
            assert_eq!(start.elapsed(), HOUR, "{flavour}");
        });
    }
}

#[test]
fn a_blocking_job_inside_of_block_on_of_another_runtime_keeps_the_clock_of_its_own_alone() {
    for (flavour, builder) in builders() {
        let (done, is_done) = channel();
        std::thread::spawn(move || {
            let other = builder.clone().start_paused(true).build().unwrap();
            let runtime = builder.start_paused(true).build().unwrap();
            runtime.block_on(async {
                let start = Instant::now();
                let job = spawn_blocking(move || {
                    other.block_on(async { sleep(HOUR).await });
                    std::thread::sleep(ms(20));
                    other.block_on(async { sleep(HOUR).await });
                });
                job.timeout(ms(1)).await.expect("the clock moved").unwrap();
                assert_eq!(start, Instant::now(), "{flavour}");
            });
            done.send(()).unwrap();
        });
        is_done.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("{flavour}: the other clock stands still"));
    }
}

#[test]
fn a_blocking_section_inside_of_a_jobs_block_on_keeps_the_clock() {
    with_a_job(|| {
        Handle::current().block_on(async {
            let start = Instant::now();
            sleep(HOUR / 2).await;
            if Handle::current().runtime_flavor() == wheelhouse::runtime::RuntimeFlavor::MultiThread {
                block_in_place(|| {
                    std::thread::sleep(ms(10));
                    assert_eq!(start.elapsed(), HOUR / 2);
                    Handle::current().block_on(sleep(HOUR / 4));
                    std::thread::sleep(ms(10));
                    assert_eq!(start.elapsed(), HOUR / 4 * 3);
                });
                sleep(HOUR / 4).await;
            } else {
                sleep(HOUR / 2).await;
            }
        });
    });
}
