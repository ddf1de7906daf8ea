//! Claim: no task stays queued while every worker sleeps.
//!
//! Threads: two workers that run what is queued and else rest; a thread that queues a task from outside.
//!
//! Breaks if: `Idle::park` has no fence, or whoever queues has none (the worker misses the task and the other misses the
//! worker: all sleep); the last look at the queues after `Idle::park` is left out (the thread saw a worker that
//! searches, and woke nobody); `Parker::unpark` does not say that the driver must be interrupted.

use super::{World, explore, thread};
use crate::sync::{Arc, AtomicUsize, Ordering};

#[test]
fn a_task_from_outside_finds_a_worker() {
    explore(2, || {
        let world = Arc::new(World::new(2, false));
        let workers: Vec<_> = (0..2)
            .map(|k| {
                let world = world.clone();
                thread::spawn(move || world.work(k, || world.stop(2)))
            })
            .collect();
        world.inject();
        for worker in workers {
            worker.join().unwrap();
        }
    });
}

/// The only worker searches and is about to sleep when the task comes: whoever queues it sees the searcher, and wakes
/// nobody.
#[test]
fn a_task_finds_the_last_searcher_on_its_way_to_sleep() {
    explore(3, || {
        let world = Arc::new(World::new(1, false));
        let done = Arc::new(AtomicUsize::new(0));
        let worker = {
            let (world, done) = (world.clone(), done.clone());
            thread::spawn(move || {
                assert!(world.lounge.idle.try_search());
                let mut searching = true;
                while !world.take() {
                    searching = world.lounge.rest(0, searching, &super::Around::new(&world)).searching;
                }
                done.fetch_add(1, Ordering::Relaxed);
            })
        };
        world.inject();
        worker.join().unwrap();
        assert_eq!(done.load(Ordering::Relaxed), 1);
    });
}
