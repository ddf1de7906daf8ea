//! Claim: a timer that is filed while the timers shut down is refused or woken once, with the outcome shut down; none stays
//! armed. One that is extended, dropped or fired meanwhile is woken at most once.
//!
//! Threads: the owner files an entry, or extends one; another shuts the shards down.
//!
//! Breaks if: `Shard::insert` does not look at `closed` under the lock; `StateCell::shut` is a compare-exchange that gives
//! up when the owner extends.

use loom::sync::Arc;
use loom::thread;

use super::{Woken, armed, check, shards, tick};
use crate::timer::{Entry, Inserted, Reset, Shards, State};

fn shutdown(shards: &Shards) {
    let mut wakes = Vec::new();
    while shards.shutdown(&mut wakes) {}
    wakes.drain(..).for_each(core::task::Waker::wake);
}

#[test]
fn filing_racing_shutdown_is_refused_or_woken() {
    check(|| {
        let shards = shards(1);
        let woken = Woken::new();
        let mut entry = Box::pin(Entry::new(0));
        let ender = thread::spawn({
            let shards = Arc::clone(&shards);
            move || shutdown(&shards)
        });
        let _ = entry.as_mut().poll(&woken.waker());
        let inserted = shards.get(0).insert(entry.as_mut(), tick(10));
        ender.join().unwrap();
        match inserted {
            Inserted::Armed => {
                assert_eq!((woken.count(), entry.state()), (1, State::Shutdown { released: true }));
            }
            Inserted::Closed => assert_eq!((woken.count(), entry.state()), (0, State::Idle)),
        }
        shards.get(0).release(entry.as_mut());
    });
}

#[test]
fn extending_and_dropping_race_shutdown() {
    check(|| {
        let shards = shards(1);
        let woken = Woken::new();
        let mut entry = armed(&shards, 0, 10, &woken);
        let ender = thread::spawn({
            let shards = Arc::clone(&shards);
            move || shutdown(&shards)
        });
        let reset = shards.get(0).reset(entry.as_mut(), tick(20));
        let extended = reset == Reset::Extended;
        shards.get(0).release(entry.as_mut());
        ender.join().unwrap();
        assert!(woken.count() <= 1);
        assert!(extended || woken.count() == 1);
        assert_eq!(shards.earliest(), crate::timer::Tick::NEVER.as_nanos());
    });
}
