//! Claim: a reset to an earlier deadline either files the entry anew, and it fires then, or finds it fired, and it is idle.
//! It fires once, and is linked once.
//!
//! Threads: the owner resets from 20 to 5; the driver turns at 20.
//!
//! Breaks if: `Shard::reset_locked` takes the entry for armed without a look at its state under the lock.

use loom::sync::Arc;

use super::{Woken, armed, check, race, shards, tick, turn, turner};
use crate::timer::{Reset, State};

#[test]
fn reset_earlier_racing_fire_fires_once() {
    check(|first| {
        let shards = shards(1);
        let woken = Woken::new();
        let mut entry = armed(&shards, 0, 20, &woken);
        let owner = {
            let shards = Arc::clone(&shards);
            move || {
                let reset = shards.get(0).reset(entry.as_mut(), tick(5));
                (entry, reset)
            }
        };
        let driver = {
            let shards = Arc::clone(&shards);
            move || {
                let mut turner = turner();
                turn(&mut turner, &shards, 20);
                turner
            }
        };
        let ((mut entry, reset), mut turner) = race(first, owner, driver);
        match reset {
            Reset::Refiled => {
                turn(&mut turner, &shards, 20);
                assert_eq!(entry.state(), State::Elapsed { released: true });
            }
            Reset::Idle => assert_eq!((turn(&mut turner, &shards, 20), entry.state()), (0, State::Idle)),
            Reset::Extended => panic!("an earlier deadline cannot be an extension"),
        }
        assert_eq!(woken.count(), 1);
        shards.get(0).release(entry.as_mut());
    });
}
