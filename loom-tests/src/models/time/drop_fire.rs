//! Claim: the driver does not touch an entry after its owner let go of it; the owner takes no lock once it reads released.
//! This is the rule of the last touch.
//!
//! Threads: the owner releases the entry, at once or after a poll that saw the outcome; the driver fires it.
//!
//! Breaks if: `take_waker_and_release` releases before it takes the waker; `State::is_released` is true of an outcome that
//! is not released; LAST.publish in `StateCell::release` is Relaxed. (`hooks::Memory` stands for the entry's memory: the
//! driver reads it up to its last touch, the owner writes it where the memory would be freed.)

use loom::sync::Arc;

use super::{Woken, armed, check, race, shards, turn, turner};

#[test]
fn drop_racing_fire_frees_after_the_last_touch() {
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
        let driver = {
            let shards = Arc::clone(&shards);
            move || turn(&mut turner(), &shards, 10)
        };
        let (_entry, fired) = race(first, owner, driver);
        assert_eq!(fired, woken.count());
    });
}

#[test]
fn completed_and_dropped_sleep_frees_after_the_last_touch() {
    check(|first| {
        let shards = shards(1);
        let (old, new) = (Woken::new(), Woken::new());
        let mut entry = armed(&shards, 0, 10, &old);
        let owner = {
            let (shards, new) = (Arc::clone(&shards), new.clone());
            move || {
                let _ = entry.as_mut().poll(&new.waker());
                shards.get(0).release(entry.as_mut());
                entry
            }
        };
        let driver = {
            let shards = Arc::clone(&shards);
            move || turn(&mut turner(), &shards, 10)
        };
        race(first, owner, driver);
    });
}

/// Claim: an entry that fires together with its neighbour is unlinked once, by its owner or by the driver: the list they
/// were in ends empty.
///
/// Threads: the owner releases the first of two entries that are due; the driver fires what it finds.
///
/// Breaks if: `Shard::detach` looks at the state before it takes the lock.
#[test]
fn drop_racing_the_firing_of_two_leaves_no_ghost_in_the_list() {
    check(|first| {
        let shards = shards(1);
        let (dropped, kept) = (Woken::new(), Woken::new());
        let mut one = armed(&shards, 0, 10, &dropped);
        let mut other = armed(&shards, 0, 10, &kept);
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
                let fired = turn(&mut turner, &shards, 10);
                (turner, fired)
            }
        };
        let (_one, (mut turner, fired)) = race(first, owner, driver);
        assert_eq!((fired, kept.count()), (1 + dropped.count(), 1));
        // A turn that looks into the shard once more, for a timer that comes later.
        let mut last = armed(&shards, 0, 20, &Woken::new());
        assert_eq!(turn(&mut turner, &shards, 20), 1, "a fired entry was linked still");
        let metrics = shards.metrics();
        assert_eq!((metrics.armed, metrics.fired + metrics.cancelled), (3, 3));
        shards.get(0).release(other.as_mut());
        shards.get(0).release(last.as_mut());
    });
}
