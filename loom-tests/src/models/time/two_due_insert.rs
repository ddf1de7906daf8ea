//! Claim: while two shards are due at once, an insertion into a third is fired by the same turn, or by the wait that
//! follows it: the promise names it, or the insertion interrupts.
//!
//! Threads: the driver turns at 10, where shards 0 and 1 are due, and prepares to park; an inserter files a timer in
//! shard 2, due at 10 as well.
//!
//! Breaks if: the fence in `Hub::lowered` is taken out; `Shard::publish` after a turn writes a word read before the lock
//! was taken.

use loom::sync::Arc;
use loom::thread;

use super::{Woken, armed, check, turn, turner};
use crate::timer::{Next, Shards, State};

#[test]
fn insertion_beside_two_due_shards_is_not_lost() {
    check(|| {
        let interrupted = Woken::new();
        let woken = [Woken::new(), Woken::new(), Woken::new()];
        let shards = Arc::new(Shards::new(3, 0, Some(interrupted.clone())));
        let mut due = [0, 1].map(|shard| armed(&shards, shard, 10, &woken[shard]));
        let inserter = thread::spawn({
            let (shards, woken) = (Arc::clone(&shards), woken[2].clone());
            move || armed(&shards, 2, 10, &woken)
        });
        let mut turner = turner();
        let fired = turn(&mut turner, &shards, 10);
        assert_eq!((woken[0].count(), woken[1].count()), (1, 1));
        let next = turner.prepare_park(&shards);
        let mut entry = inserter.join().unwrap();
        if fired == 2 {
            let planned = matches!(next, Next::At(tick) if tick.as_nanos() <= 10);
            assert!(planned || interrupted.count() == 1, "slept until {next:?}");
            turner.awake(&shards);
            assert_eq!(turn(&mut turner, &shards, 10), 1);
        }
        assert_eq!((woken[2].count(), entry.state()), (1, State::Elapsed { released: true }));
        shards.get(2).release(entry.as_mut());
        for (shard, entry) in due.iter_mut().enumerate() {
            shards.get(shard).release(entry.as_mut());
        }
    });
}
