//! Claim: an owner whose extension came too late arms the timer anew, and the new deadline fires once, whatever of the
//! first firing is still going on.
//!
//! Threads: the owner extends from 10 to 20 and, if it was fired, files it again at 20 with a new waker; the driver turns
//! at 10. A last turn at 20 follows.
//!
//! Breaks if: `Shard::reset` answers Extended where `extend` said Marked (the new deadline is lost); `Shard::reset` takes
//! an outcome that is not released for one that is (the driver takes the new waker).

use loom::sync::Arc;

use super::{Woken, armed, check, race, shards, tick, turn, turner};
use crate::timer::{Inserted, Reset, State};

#[test]
fn extension_that_lost_is_armed_anew_and_fires_once() {
    check(|first| {
        let shards = shards(1);
        let (old, new) = (Woken::new(), Woken::new());
        let mut entry = armed(&shards, 0, 10, &old);
        let owner = {
            let (shards, new) = (Arc::clone(&shards), new.clone());
            move || match shards.get(0).reset(entry.as_mut(), tick(20)) {
                Reset::Extended => (entry, true),
                Reset::Idle => {
                    assert_eq!(entry.as_mut().poll(&new.waker()), State::Idle);
                    assert_eq!(shards.get(0).insert(entry.as_mut(), tick(20)), Inserted::Armed);
                    (entry, false)
                }
                Reset::Refiled => panic!("a later deadline is not filed anew"),
            }
        };
        let driver = {
            let shards = Arc::clone(&shards);
            move || {
                let mut turner = turner();
                turn(&mut turner, &shards, 10);
                turner
            }
        };
        let ((mut entry, extended), mut turner) = race(first, owner, driver);
        assert_eq!(entry.state(), State::Armed(tick(20)));
        assert_eq!(turn(&mut turner, &shards, 20), 1);
        assert_eq!((old.count(), new.count()), if extended { (1, 0) } else { (1, 1) });
        shards.get(0).release(entry.as_mut());
    });
}
