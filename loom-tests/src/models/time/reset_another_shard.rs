//! Claim: an entry changes shard only while it is unlinked and nobody touches it. A timer that fired in one shard and is
//! armed anew in another, because another worker polls it, is not touched by the first shard's turn any more.
//!
//! Threads: the owner resets the entry and files it in shard 1; one turner turns shard 0, where it fires; another turns
//! shard 1.
//!
//! Breaks if: `Shard::reset` takes an outcome that is not released for one that is.

use core::task::Waker;

use loom::sync::Arc;
use loom::thread;

use super::{Woken, armed, check_bounded, race, shards, tick};
use crate::timer::{Inserted, Reset, Shards, State};

fn turn_one(shards: &Shards, shard: usize) -> usize {
    let mut wakes = Vec::new();
    let fired = shards.get(shard).turn(20, 256, &mut wakes).fired;
    wakes.drain(..).for_each(Waker::wake);
    fired
}

#[test]
fn rearmed_in_another_shard_is_touched_by_one_turn_at_a_time() {
    check_bounded(|first| {
        let shards = shards(2);
        let (old, new) = (Woken::new(), Woken::new());
        let mut entry = armed(&shards, 0, 10, &old);
        let other = thread::spawn({
            let shards = Arc::clone(&shards);
            move || turn_one(&shards, 1)
        });
        let owner = {
            let (shards, new) = (Arc::clone(&shards), new.clone());
            move || match shards.get(0).reset(entry.as_mut(), tick(15)) {
                Reset::Idle => {
                    assert_eq!(entry.as_mut().poll(&new.waker()), State::Idle);
                    assert_eq!(shards.get(1).insert(entry.as_mut(), tick(15)), Inserted::Armed);
                    (entry, true)
                }
                Reset::Extended => (entry, false),
                Reset::Refiled => panic!("a later deadline is not filed anew"),
            }
        };
        let driver = {
            let shards = Arc::clone(&shards);
            move || turn_one(&shards, 0)
        };
        let ((mut entry, moved), zero) = race(first, owner, driver);
        let one = other.join().unwrap();
        assert_eq!(zero, 1);
        assert_eq!((old.count(), new.count()), (1, one));
        assert!(moved || one == 0);
        let state = entry.state();
        assert_eq!(matches!(state, State::Armed(_)), moved && one == 0, "{state:?}");
        shards.get(usize::from(moved)).release(entry.as_mut());
    });
}
