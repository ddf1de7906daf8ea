//! Claim: a driver that goes to wait is awake in time for every insertion: it read the insertion's word before it waited,
//! or the insertion interrupts it. It is interrupted at most once for a promise.
//!
//! Threads: two inserters, each in a shard of its own, with deadlines 10 and 20 before a timer at 30; the driver prepares
//! to park.
//!
//! Breaks if: either fence of PARK is taken out (in `Hub::lowered`, in `Turner::promise`), or the driver does not read the
//! words again after its promise.

use loom::sync::Arc;
use loom::thread;

use super::{Woken, armed, check, check_bounded, race, shards_with, turner};
use crate::timer::Next;

fn wake_up(next: Next) -> u64 {
    match next {
        Next::Now => 0,
        Next::At(tick) => tick.as_nanos(),
        Next::Never => u64::MAX,
    }
}

#[test]
fn no_insertion_is_slept_through() {
    check_bounded(|first| {
        let interrupted = Woken::new();
        let shards = shards_with(2, Some(interrupted.clone()));
        let later = thread::spawn({
            let shards = Arc::clone(&shards);
            move || armed(&shards, 1, 20, &Woken::new())
        });
        let inserter = {
            let shards = Arc::clone(&shards);
            move || armed(&shards, 0, 10, &Woken::new())
        };
        let driver = {
            let shards = Arc::clone(&shards);
            move || turner().prepare_park(&shards)
        };
        let (mut sooner, next) = race(first, inserter, driver);
        let mut later = later.join().unwrap();
        assert!(wake_up(next) <= 10 || interrupted.count() > 0, "slept until {next:?}");
        assert!(interrupted.count() <= 1, "one promise, one interruption");
        shards.get(0).release(sooner.as_mut());
        shards.get(1).release(later.as_mut());
    });
}

#[test]
fn no_insertion_is_missed_between_two_waits() {
    check(|first| {
        let interrupted = Woken::new();
        let shards = shards_with(1, Some(interrupted.clone()));
        let mut late = armed(&shards, 0, 30, &Woken::new());
        let inserter = {
            let shards = Arc::clone(&shards);
            move || armed(&shards, 0, 10, &Woken::new())
        };
        let driver = {
            let (shards, interrupted) = (Arc::clone(&shards), interrupted.clone());
            move || {
                // A first wait that ended for another reason, and the next one.
                let mut turner = turner();
                turner.prepare_park(&shards);
                turner.awake(&shards);
                let before = interrupted.count();
                (turner.prepare_park(&shards), before)
            }
        };
        let (mut sooner, (next, before)) = race(first, inserter, driver);
        assert!(wake_up(next) <= 10 || interrupted.count() > before, "slept until {next:?}");
        shards.get(0).release(sooner.as_mut());
        shards.get(0).release(late.as_mut());
    });
}
