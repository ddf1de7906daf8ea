//! Claim: a wake-up of a `block_on` caller is never lost, and in the end the caller is counted exactly once while it is
//! awake, however many wake it.
//!
//! Threads: the caller, which sleeps until the event; two that cause it and wake the caller.
//!
//! Breaks if: `BlockOnSleep::wake` keeps its count when it finds the caller awake, or the caller counts itself when it
//! wakes; `Parker::unpark` notifies without the lock.

use super::{explore, thread};
use crate::park::{Activity, BlockOnSleep};
use crate::sync::{Arc, AtomicUsize, Ordering};

#[test]
fn a_caller_is_woken_and_counted_once() {
    explore(3, || {
        let shared = Arc::new((BlockOnSleep::new(), Activity::new(), AtomicUsize::new(0)));
        shared.1.begin();
        let wakers: Vec<_> = (0..2)
            .map(|_| {
                let shared = shared.clone();
                thread::spawn(move || {
                    shared.2.fetch_add(1, Ordering::Release);
                    shared.0.wake(&shared.1);
                })
            })
            .collect();
        while shared.2.load(Ordering::Acquire) < 2 {
            shared.0.park(&shared.1, || {});
        }
        for waker in wakers {
            waker.join().unwrap();
        }
        assert!(!shared.1.is_quiet());
        shared.1.end();
        assert!(shared.1.is_quiet());
    });
}
