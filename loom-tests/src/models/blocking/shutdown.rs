//! A submit races with the pool's shutdown.
//!
//! Claim: the job runs once or is cancelled once, and when a shutdown without limit returns, every thread has ended,
//! also one that was being started when the shutdown began.
//!
//! Threads: the submitter; the one that shuts down; a thread of the pool.
//!
//! Breaks if: `submit` queues without looking at `closed`; `State::started` drops the handle of a thread that has
//! already left instead of keeping it to be joined; `Shared::leave` notifies nobody, or does not join the threads that
//! left before; `State::all_left` looks at `threads` alone; `State::idle_left` does not wait for the slots.

use core::time::Duration;

use loom::sync::atomic::Ordering;

use super::{ANY_MOMENT, Fate, Work, explore, pool, thread};
use crate::blocking::Wait;

fn submit_against_shutdown(keep_alive: Duration) {
    explore(move || {
        let (pool, alive) = pool(1, keep_alive, |_| false);
        let jobs = [Fate::new(), Fate::new()];
        let submitter = thread::spawn({
            let (pool, jobs) = (pool.clone(), jobs.clone());
            move || jobs.map(|job| pool.submit(Work(job)).is_ok())
        });
        assert!(pool.shutdown(Wait::AtMost(Duration::MAX)));
        assert_eq!(pool.figures().threads, 0);
        assert_eq!(alive.load(Ordering::Relaxed), 0, "a thread outlived the shutdown");
        let accepted = submitter.join().unwrap();
        for (job, accepted) in jobs.iter().zip(accepted) {
            assert_eq!(job.ran() + job.cancelled(), 1);
            assert!(accepted || job.cancelled() == 1);
        }
        assert!(!pool.is_busy());
    });
}

#[test]
fn job_racing_shutdown_ends_once() {
    submit_against_shutdown(Duration::MAX);
}

#[test]
fn job_racing_shutdown_of_an_expiring_thread_ends_once() {
    submit_against_shutdown(ANY_MOMENT);
}

/// A shutdown whose time is over at once: the thread that runs a job is let go, one that does not has ended.
#[test]
fn impatient_shutdown_leaves_only_threads_that_run_a_job() {
    explore(|| {
        let (pool, alive) = pool(2, Duration::MAX, |_| false);
        let job = Fate::new();
        pool.submit(Work(job.clone())).unwrap();
        let all = pool.shutdown(Wait::AtMost(Duration::ZERO));
        assert!(!all || alive.load(Ordering::Relaxed) == 0);
        assert!(all || job.cancelled() == 0);
        job.wait();
        assert_eq!(job.ran() + job.cancelled(), 1);
    });
}

/// The same while the thread is being started: it finds no job, so it is waited for.
#[test]
fn impatient_shutdown_waits_for_a_thread_that_is_being_started() {
    explore(|| {
        let (pool, alive) = pool(1, Duration::MAX, |_| false);
        let job = Fate::new();
        let submitter = thread::spawn({
            let (pool, job) = (pool.clone(), job.clone());
            move || pool.submit(Work(job)).is_ok()
        });
        let all = pool.shutdown(Wait::AtMost(Duration::ZERO));
        assert!(!all || alive.load(Ordering::Relaxed) == 0);
        assert!(all || job.cancelled() == 0, "a thread without a job is let go");
        let _ = submitter.join().unwrap();
        job.wait();
        assert_eq!(job.ran() + job.cancelled(), 1);
    });
}

/// A thread that expired just before the shutdown is joined by the one that leaves after it, and that one by us.
#[test]
fn shutdown_joins_the_threads_that_left_before() {
    explore(|| {
        let (pool, alive) = pool(1, ANY_MOMENT, |_| false);
        for _ in 0..2 {
            let job = Fate::new();
            pool.submit(Work(job.clone())).unwrap();
            job.wait();
        }
        assert!(pool.shutdown(Wait::AtMost(Duration::MAX)));
        assert_eq!(alive.load(Ordering::Relaxed), 0, "a thread outlived the shutdown");
    });
}
