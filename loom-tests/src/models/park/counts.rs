//! Claim: the count of searching workers hides no parked worker from whoever queues a task, also while it lags: a worker
//! that was claimed may notice, find the task and say so before its claimer has counted it.
//!
//! Threads: see each.
//!
//! Breaks if: see each.

use super::{World, explore, thread};
use crate::park::Idle;
use crate::park::idle::Found;
use crate::sync::{Arc, AtomicUsize, Ordering};

/// Threads: the only worker, which runs two tasks; two that queue one each. The worker leaves the parked set by the
/// first one's claim, runs its task and parks again, all before the claim is counted; the other must wake it.
///
/// Breaks if: `searching` takes a count below zero for many that search (then `claim` claims nobody).
#[test]
fn a_task_queued_beside_a_claim_in_progress_is_run() {
    explore(3, || {
        let world = Arc::new(World::new(1, false));
        let worker = {
            let world = world.clone();
            thread::spawn(move || {
                let mut ran = 0;
                world.work(0, || {
                    ran += 1;
                    if ran == 2 {
                        world.stop(1);
                    }
                });
            })
        };
        let other = {
            let world = world.clone();
            thread::spawn(move || world.inject())
        };
        world.inject();
        other.join().unwrap();
        worker.join().unwrap();
    });
}

/// Threads: two that claim a worker each; two workers, which leave when they see that they were claimed, and find their
/// tasks at once. Whoever is the last to search must be told so.
///
/// Breaks if: `found` compares the count as an unsigned number (below zero, the last wakes nobody); `leave` does not say
/// that the worker was claimed, or `claim_any` does not count it (the count is off in the end).
#[test]
fn the_last_that_finds_work_is_told_and_the_count_comes_out_even() {
    explore(2, || {
        let idle = Arc::new(Idle::new(2));
        idle.park(0, false);
        idle.park(1, false);
        let steps = Arc::new(AtomicUsize::new(0));
        let workers: Vec<_> = (0..2)
            .map(|k| {
                let (idle, steps) = (idle.clone(), steps.clone());
                thread::spawn(move || {
                    if idle.is_parked(k) {
                        return None;
                    }
                    assert!(idle.leave(k).claimed);
                    let begun = steps.fetch_add(1, Ordering::SeqCst);
                    let found = idle.found();
                    Some((begun, found, steps.fetch_add(1, Ordering::SeqCst)))
                })
            })
            .collect();
        let other = {
            let idle = idle.clone();
            thread::spawn(move || idle.claim_any(None).expect("two are parked").worker)
        };
        let first = idle.claim_any(None).expect("two are parked").worker;
        let second = other.join().unwrap();
        assert_ne!(first, second, "one worker was claimed twice");
        let mut found: Vec<_> = workers.into_iter().filter_map(|worker| worker.join().unwrap()).collect();
        found.sort_unstable_by_key(|&(begun, _, _)| begun);
        if let [(_, _, ended), (begun, last, _)] = found[..] {
            assert!(begun < ended || last == Found::WakeAnother, "the last one does not know that it is");
        }
        // Those that did not see their claim in time search on, and are counted.
        for _ in found.len()..2 {
            let _ = idle.found();
        }
        // Nobody searches any more: there is room for one of two.
        assert!(idle.try_search(), "somebody is still counted");
        assert!(!idle.try_search());
    });
}

/// With more workers than a word has bits, each is found: parked ones first, the seat's holder last.
///
/// Threads: none; the rule is plain.
///
/// Breaks if: `pick` forgets the words after the first, or does not put `last` behind all others; `others_awake` takes
/// the bits beyond the last worker for workers.
#[test]
fn seventy_workers_are_claimed_one_by_one_and_the_holder_last() {
    explore(0, || {
        let idle = Idle::new(70);
        (0..69).for_each(|k| idle.park(k, false));
        assert!(idle.others_awake(3) && !idle.others_awake(69));
        idle.park(69, false);
        assert!(!idle.others_awake(3) && !idle.others_awake(69));

        let idle = Idle::new(70);
        let holder = 2;
        [1, holder, 63, 64, 69].into_iter().for_each(|k| idle.park(k, false));
        for expected in [1, 63, 64, 69, holder] {
            let claimed = idle.claim_any(Some(holder)).expect("parked");
            assert_eq!(claimed.worker, expected, "a worker that only sleeps comes before the one in the seat");
        }
        assert!(idle.claim_any(Some(holder)).is_none());
    });
}
