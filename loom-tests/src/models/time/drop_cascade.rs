//! Claim: an entry that is dropped while its slot is moved down is never touched again, and its neighbour in the list is
//! not lost.
//!
//! Threads: the owner releases one of two entries in a slot of level 1; the driver turns at the deadline of the first,
//! which moves the slot down.
//!
//! Breaks if: `State::is_released` is true of Armed (the owner does not take the lock to unlink).

use loom::sync::Arc;

use super::{Woken, armed, check, race, shards, turn, turner};
use crate::timer::State;

#[test]
fn drop_racing_a_cascade_unlinks_once() {
    check(|first| {
        let shards = shards(1);
        let (dropped, kept) = (Woken::new(), Woken::new());
        // Both in one slot of level 1: beyond the two windows of level 0, in 16 ms.
        let (early, late) = ((1 << 24) + 1, (1 << 24) + 70_000);
        let mut one = armed(&shards, 0, early, &dropped);
        let mut other = armed(&shards, 0, late, &kept);
        let owner = {
            let shards = Arc::clone(&shards);
            move || {
                shards.get(0).release(one.as_mut());
                one
            }
        };
        let driver = {
            let shards = Arc::clone(&shards);
            move || {
                let mut turner = turner();
                let fired = turn(&mut turner, &shards, early);
                (turner, fired)
            }
        };
        let (_one, (mut turner, fired)) = race(first, owner, driver);
        assert_eq!(fired, dropped.count());
        assert_eq!((kept.count(), turn(&mut turner, &shards, late)), (0, 1));
        assert_eq!(kept.count(), 1);
        assert_eq!(other.state(), State::Elapsed { released: true });
        shards.get(0).release(other.as_mut());
    });
}
