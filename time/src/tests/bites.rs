//! What happens to a slot between two turns, neither of which finishes it.

use core::task::Waker;

use super::shards;
use crate::timer::{Entry, Inserted, Reset, State, Tick, Turner};

#[test]
fn slot_that_changes_between_two_bites_loses_nothing_and_keeps_nothing() {
    let shards = shards(1);
    let shard = shards.get(0);
    let arm = |nanos| {
        let mut entry = Box::pin(Entry::new(0));
        let _ = entry.as_mut().poll(Waker::noop());
        assert_eq!(shard.insert(entry.as_mut(), Tick::from_nanos(nanos)), Inserted::Armed);
        entry
    };
    let mut turner = Turner::new(0);
    let mut wakes = Vec::new();
    // All in one slot of level 0, in the order in which a turn looks at them.
    let mut crowd: Vec<_> = (0..4_000).map(|nth| arm(1_000 + nth)).collect();
    let turned = turner.turn(&shards, 60_000, &mut wakes);
    assert_eq!((turned.fired, turned.more), (1_024, true));
    // The very next ones are dropped and their memory is freed; others are set later, in this slot and beyond it.
    for mut dropped in crowd.drain(1_024..1_100) {
        shard.release(dropped.as_mut());
    }
    for later in &mut crowd[1_024..1_030] {
        assert_eq!(shard.reset(later.as_mut(), Tick::from_nanos(61_000)), Reset::Extended);
    }
    assert_eq!(shard.reset(crowd[1_030].as_mut(), Tick::from_nanos(70_000)), Reset::Extended);
    crowd.push(arm(62_000));
    assert!(shard.next() <= 60_000);
    let mut fired = 1_024;
    while turner.turn(&shards, 60_000, &mut wakes).more {}
    fired += crowd[1_024..].iter().filter(|entry| matches!(entry.state(), State::Elapsed { .. })).count();
    assert_eq!(fired, wakes.len());
    assert_eq!(fired, 4_000 - 76 - 7);
    assert_eq!(shard.next(), 61_000);
    assert_eq!(turner.turn(&shards, 61_500, &mut wakes).fired, 6);
    assert_eq!(turner.turn(&shards, 62_000, &mut wakes).fired, 1);
    assert_eq!(turner.turn(&shards, 70_000, &mut wakes).fired, 1);
    assert!(crowd.iter().all(|entry| entry.state() == State::Elapsed { released: true }));
    for entry in &mut crowd {
        shard.release(entry.as_mut());
    }
}

/// The timer that a pass would go on with is dropped, as the last of its slot; one that is filed there then lies behind the
/// end of the pass.
#[test]
fn timer_filed_behind_the_end_of_a_pass_is_not_forgotten() {
    let shards = shards(1);
    let shard = shards.get(0);
    let mut wakes = Vec::new();
    let [mut extended, mut dropped, mut filed] = [(); 3].map(|()| Box::pin(Entry::new(0)));
    assert_eq!(shard.insert(extended.as_mut(), Tick::from_nanos(1_000)), Inserted::Armed);
    assert_eq!(shard.insert(dropped.as_mut(), Tick::from_nanos(2_000)), Inserted::Armed);
    assert_eq!(shard.reset(extended.as_mut(), Tick::from_nanos(50_000)), Reset::Extended);
    let bite = shard.turn(1_000, 1, &mut wakes);
    assert_eq!((bite.handled, bite.fired, bite.more), (1, 0, true));
    shard.release(dropped.as_mut());
    assert_eq!(shard.insert(filed.as_mut(), Tick::from_nanos(30_000)), Inserted::Armed);
    assert!(!shard.turn(1_000, 256, &mut wakes).more);
    assert_eq!(shard.next(), 30_000);
    for (now, fired) in [(29_999, 0), (30_000, 1), (49_999, 0), (50_000, 1)] {
        assert_eq!(shard.turn(now, 256, &mut wakes).fired, fired, "at {now}");
    }
}
