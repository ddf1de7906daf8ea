//! Claim: a timer that is filed while the timers shut down is refused or woken once, with the outcome shut down; none stays
//! armed. One that is extended meanwhile is woken once and says shut down, or is idle; one that is dropped is woken at most
//! once and not touched afterwards.
//!
//! Threads: the owner files an entry, or extends one, or drops one; another shuts the shards down.
//!
//! Breaks if: `Shard::insert` does not look at `closed` under the lock; `StateCell::shut` is a compare-exchange that gives
//! up when the owner extends.

use loom::sync::Arc;

use super::{Woken, armed, check, race, shards, tick};
use crate::timer::{Entry, Inserted, Reset, Shards, State, Tick};

fn shutdown(shards: &Shards) {
    let mut wakes = Vec::new();
    while shards.shutdown(&mut wakes) {}
    wakes.drain(..).for_each(core::task::Waker::wake);
}

#[test]
fn filing_racing_shutdown_is_refused_or_woken() {
    check(|first| {
        let shards = shards(1);
        let woken = Woken::new();
        let owner = {
            let (shards, woken) = (Arc::clone(&shards), woken.clone());
            move || {
                let mut entry = Box::pin(Entry::new(0));
                let _ = entry.as_mut().poll(&woken.waker());
                let inserted = shards.get(0).insert(entry.as_mut(), tick(10));
                (entry, inserted)
            }
        };
        let ender = {
            let shards = Arc::clone(&shards);
            move || shutdown(&shards)
        };
        let ((mut entry, inserted), ()) = race(first, owner, ender);
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
fn extending_racing_shutdown_is_woken_once() {
    check(|first| {
        let shards = shards(1);
        let woken = Woken::new();
        let mut entry = armed(&shards, 0, 10, &woken);
        let owner = {
            let shards = Arc::clone(&shards);
            move || {
                let reset = shards.get(0).reset(entry.as_mut(), tick(20));
                (entry, reset)
            }
        };
        let ender = {
            let shards = Arc::clone(&shards);
            move || shutdown(&shards)
        };
        let ((mut entry, reset), ()) = race(first, owner, ender);
        let state = if reset == Reset::Extended { State::Shutdown { released: true } } else { State::Idle };
        assert_eq!((entry.state(), woken.count()), (state, 1));
        assert_eq!(shards.earliest(), Tick::NEVER.as_nanos());
        shards.get(0).release(entry.as_mut());
    });
}

#[test]
fn dropping_racing_shutdown_is_woken_at_most_once() {
    check(|first| {
        let shards = shards(1);
        let woken = Woken::new();
        let mut entry = armed(&shards, 0, 10, &woken);
        let owner = {
            let shards = Arc::clone(&shards);
            move || {
                shards.get(0).release(entry.as_mut());
                entry
            }
        };
        let ender = {
            let shards = Arc::clone(&shards);
            move || shutdown(&shards)
        };
        race(first, owner, ender);
        assert!(woken.count() <= 1);
    });
}
