//! Claim: an entry changes shard only while it is unlinked and nobody touches it. A timer that fired in one shard and is
//! armed anew in another, because another worker polls it, is not touched by the first shard's turn any more.
//!
//! Threads: the owner resets the entry and files it in shard 1; one turner turns shard 0, where it fires; another turns
//! shard 1.
//!
//! Breaks if: `Shard::reset` takes an outcome that is not released for one that is; LAST.publish is Relaxed.

use loom::sync::Arc;
use loom::thread;

use super::{Woken, armed, check, shards, tick};
use crate::timer::{Inserted, Reset, State};

#[test]
fn rearmed_in_another_shard_is_touched_by_one_turn_at_a_time() {
    check(|| {
        let shards = shards(2);
        let (first, second) = (Woken::new(), Woken::new());
        let mut entry = armed(&shards, 0, 10, &first);
        let turners = [0, 1].map(|shard| {
            let shards = Arc::clone(&shards);
            thread::spawn(move || {
                let mut wakes = Vec::new();
                let fired = shards.get(shard).turn(20, 256, &mut wakes).fired;
                wakes.drain(..).for_each(core::task::Waker::wake);
                fired
            })
        });
        let moved = match shards.get(0).reset(entry.as_mut(), tick(15)) {
            Reset::Idle => {
                assert_eq!(entry.as_mut().poll(&second.waker()), State::Idle);
                assert_eq!(shards.get(1).insert(entry.as_mut(), tick(15)), Inserted::Armed);
                true
            }
            Reset::Extended => false,
            Reset::Refiled => panic!("a later deadline is not filed anew"),
        };
        let [zero, one] = turners.map(|turner| turner.join().unwrap());
        assert_eq!(zero, 1);
        assert_eq!((first.count(), second.count()), (zero, one));
        assert!(moved || one == 0);
        shards.get(usize::from(moved)).release(entry.as_mut());
    });
}
