//! Claim: an extension that was granted holds. The driver, which opens the old slot at the old deadline, either marked the
//! entry before, and then the owner is told, or finds the new deadline and files the entry anew.
//!
//! Threads: the owner extends from 10 to 20; the driver turns at 10.
//!
//! Breaks if: `StateCell::mark_pending` stores PENDING after a plain load instead of a compare-exchange.

use loom::sync::Arc;

use super::{Woken, armed, check, race, shards, tick, turn, turner};
use crate::timer::{Reset, State};

#[test]
fn granted_extension_is_never_fired_early() {
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
        let driver = {
            let shards = Arc::clone(&shards);
            move || {
                let mut turner = turner();
                let fired = turn(&mut turner, &shards, 10);
                (turner, fired)
            }
        };
        let ((mut entry, reset), (mut turner, fired)) = race(first, owner, driver);
        match reset {
            Reset::Extended => {
                assert_eq!((fired, woken.count()), (0, 0));
                assert_eq!(entry.state(), State::Armed(tick(20)));
                assert_eq!(turn(&mut turner, &shards, 20), 1);
                assert_eq!(woken.count(), 1);
            }
            Reset::Idle => assert_eq!((fired, woken.count(), entry.state()), (1, 1, State::Idle)),
            Reset::Refiled => panic!("a later deadline is not filed anew"),
        }
        shards.get(0).release(entry.as_mut());
    });
}
