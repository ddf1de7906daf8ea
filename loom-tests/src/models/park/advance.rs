//! Claim: a simulated clock does not jump while anything is under way: a task that a `block_on` caller queued before it
//! parked has run, and the caller that the task woke is awake; what a worker wrote to a socket before it parked has been
//! taken by the driver.
//!
//! Threads: a worker, which rests in the seat and decides about jumps; beside it a `block_on` caller, which queues a
//! task and parks until the task has run, or a worker that makes a socket ready and parks, or one that wakes the caller
//! and parks. A wake-up by a thread that is neither may come just before a jump or just after it.
//!
//! Breaks if: see each.

use super::{Jump, World, explore, thread};
use crate::park::BlockOnSleep;
use crate::sync::{Arc, AtomicUsize, Ordering};

/// Breaks if: `is_quiet` does not look at the callers.
#[test]
fn the_clock_waits_for_a_task_and_for_the_caller_it_wakes() {
    explore(3, || {
        // What is under way, as an observer outside of time would see it.
        let under_way = Arc::new(AtomicUsize::new(1));
        let seen = under_way.clone();
        let jump = Jump(std::sync::Arc::new(move || {
            assert_eq!(seen.fetch_add(0, Ordering::SeqCst), 0, "the clock jumped too early")
        }));
        let world = Arc::new(World::with_jump(2, false, Some(jump)));
        let sleep = Arc::new(BlockOnSleep::new());
        world.lounge.idle.activity().begin();
        // Worker 1 rests on its parker, for good.
        world.lounge.idle.park(1, false);

        let worker = {
            let (world, sleep) = (world.clone(), sleep.clone());
            thread::spawn(move || world.work(0, || sleep.wake(world.lounge.idle.activity())))
        };
        world.inject();
        sleep.park(world.lounge.idle.activity(), || world.lounge.interrupt());
        under_way.fetch_sub(1, Ordering::SeqCst);
        world.lounge.idle.activity().end();
        world.stop(1);
        worker.join().unwrap();
    });
}

/// Breaks if: `simulate` looks at the sockets before it looks whether all is quiet.
#[test]
fn the_clock_waits_for_what_a_worker_wrote_before_it_parked() {
    explore(3, || {
        let slot = std::sync::Arc::new(std::sync::OnceLock::<Arc<AtomicUsize>>::new());
        let seen = slot.clone();
        let jump = Jump(std::sync::Arc::new(move || {
            let ready = seen.get().expect("set before any thread starts");
            assert_eq!(ready.fetch_add(0, Ordering::SeqCst), 0, "the clock jumped over an event")
        }));
        let world = Arc::new(World::with_jump(2, false, Some(jump)));
        slot.set(world.ready.clone()).expect("set once");

        let worker = {
            let world = world.clone();
            thread::spawn(move || world.work(0, || {}))
        };
        world.ready.store(1, Ordering::SeqCst);
        world.lounge.interrupt();
        world.lounge.idle.park(1, false);
        world.lounge.interrupt();
        world.stop(1);
        worker.join().unwrap();
    });
}

/// What is awake goes over from a worker to a caller between the decider's looks at the two.
///
/// Breaks if: the look at the changes is left out.
#[test]
fn the_clock_waits_for_a_caller_that_a_worker_woke_before_it_parked() {
    explore(2, || {
        let under_way = Arc::new(AtomicUsize::new(1));
        let seen = under_way.clone();
        let jump = Jump(std::sync::Arc::new(move || {
            assert_eq!(seen.fetch_add(0, Ordering::SeqCst), 0, "the clock jumped beside a caller that is awake")
        }));
        let world = Arc::new(World::with_jump(2, false, Some(jump)));
        let sleep = Arc::new(BlockOnSleep::new());
        world.lounge.idle.activity().begin();
        let decider = {
            let world = world.clone();
            thread::spawn(move || world.work(0, || {}))
        };
        let waker = {
            let (world, sleep) = (world.clone(), sleep.clone());
            thread::spawn(move || {
                sleep.wake(world.lounge.idle.activity());
                world.lounge.idle.park(1, false);
                world.lounge.interrupt();
            })
        };
        sleep.park(world.lounge.idle.activity(), || world.lounge.interrupt());
        under_way.fetch_sub(1, Ordering::SeqCst);
        world.lounge.idle.activity().end();
        waker.join().unwrap();
        world.stop(1);
        decider.join().unwrap();
    });
}

/// A blocking job counts as a caller while it is inside of `block_on`: as one before it counts as a job no longer, and as
/// a job before it counts as a caller no longer (`runtime/src/job.rs`).
///
/// Breaks if: the look at the changes is left out.
#[test]
fn the_clock_waits_for_a_job_that_goes_into_block_on_and_comes_out() {
    explore(2, || {
        let under_way = Arc::new(AtomicUsize::new(1));
        let seen = under_way.clone();
        let jump = Jump(std::sync::Arc::new(move || {
            assert_eq!(seen.fetch_add(0, Ordering::SeqCst), 0, "the clock jumped beside a job that is awake")
        }));
        let world = Arc::new(World::with_jump(1, false, Some(jump)));
        world.jobs.store(1, Ordering::SeqCst);
        let decider = {
            let world = world.clone();
            thread::spawn(move || world.work(0, || {}))
        };
        let activity = world.lounge.idle.activity();
        activity.begin();
        world.jobs.fetch_sub(1, Ordering::AcqRel);
        world.jobs.fetch_add(1, Ordering::Relaxed);
        activity.end();
        under_way.fetch_sub(1, Ordering::SeqCst);
        world.jobs.fetch_sub(1, Ordering::AcqRel);
        world.lounge.interrupt();
        world.stop(1);
        decider.join().unwrap();
    });
}
