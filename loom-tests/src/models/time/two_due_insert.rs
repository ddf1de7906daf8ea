//! Claim: while two shards are due at once, an insertion into a third, or into one of the two, is fired by the same turn,
//! or by the one after the wait that follows: the promise names it, or the insertion interrupts.
//!
//! Threads: the driver turns at 10, where shards 0 and 1 are due, and prepares to park; an inserter files a timer in shard
//! 2 or in shard 0, due at 10 as well.
//!
//! Breaks if: a fence of PARK is taken out; `Shard::turn` publishes after it let the lock go (what the inserter published
//! is written over).

use loom::sync::Arc;

use super::{First, Woken, armed, check, race, shards_with, turn, turner};
use crate::timer::{Next, State};

fn insertion_into(shard: usize, first: First) {
    let interrupted = Woken::new();
    let woken = [Woken::new(), Woken::new(), Woken::new()];
    let shards = shards_with(3, Some(interrupted.clone()));
    let mut due = [0, 1].map(|shard| armed(&shards, shard, 10, &woken[shard]));
    let inserter = {
        let (shards, woken) = (Arc::clone(&shards), woken[2].clone());
        move || armed(&shards, shard, 10, &woken)
    };
    let driver = {
        let shards = Arc::clone(&shards);
        move || {
            let mut turner = turner();
            let fired = turn(&mut turner, &shards, 10);
            let next = turner.prepare_park(&shards);
            (turner, fired, next)
        }
    };
    let (mut entry, (mut turner, fired, next)) = race(first, inserter, driver);
    assert_eq!((woken[0].count(), woken[1].count()), (1, 1));
    if fired == 2 {
        let planned = matches!(next, Next::At(tick) if tick.as_nanos() <= 10);
        assert!(planned || interrupted.count() == 1, "slept until {next:?}");
        turner.awake(&shards);
        assert_eq!(turn(&mut turner, &shards, 10), 1);
    }
    assert_eq!((woken[2].count(), entry.state()), (1, State::Elapsed { released: true }));
    shards.get(shard).release(entry.as_mut());
    for (shard, entry) in due.iter_mut().enumerate() {
        shards.get(shard).release(entry.as_mut());
    }
}

#[test]
fn insertion_beside_two_due_shards_is_not_lost() {
    check(|first| insertion_into(2, first));
}

#[test]
fn insertion_into_one_of_two_due_shards_is_not_lost() {
    check(|first| insertion_into(0, first));
}
