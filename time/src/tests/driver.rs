//! The driver beside a clock that is read back, a shutdown, and wakers that panic.

use core::task::Waker;
use core::time::Duration;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Wake;

use super::{Counter, poll, shards};
use crate::timer::{Entry, Inserted, Reset, State, Turner};
use crate::{Next, Tick, Timers, sleep};

#[test]
fn timer_filed_behind_a_clock_that_jumped_back_stays_until_it_is_due() {
    let shards = shards(1);
    let mut turner = Turner::new(0);
    let mut wakes = Vec::new();
    // A turn that read the clock just before it was paused; the pause read less.
    let mut first = Box::pin(Entry::new(0));
    assert_eq!(shards.get(0).insert(first.as_mut(), Tick::from_nanos(5_000_000)), Inserted::Armed);
    assert_eq!(turner.turn(&shards, 5_000_000, &mut wakes).fired, 1);
    shards.get(0).release(first.as_mut());
    let mut entries = [4_000_000, 4_100_000].map(|nanos| {
        let mut entry = Box::pin(Entry::new(0));
        assert_eq!(shards.get(0).insert(entry.as_mut(), Tick::from_nanos(nanos)), Inserted::Armed);
        entry
    });
    let turned = turner.turn(&shards, 4_000_000, &mut wakes);
    assert_eq!((turned.fired, turned.more), (1, false));
    assert_eq!(shards.earliest(), 4_100_000);
    let turned = turner.turn(&shards, 4_100_000, &mut wakes);
    assert_eq!((turned.fired, turned.more), (1, false));
    for entry in &mut entries {
        assert_eq!(entry.state(), State::Elapsed { released: true });
        shards.get(0).release(entry.as_mut());
    }
}

#[test]
fn driver_waits_after_a_shutdown_in_the_midst_of_a_burst() {
    let (timers, mut driver) = Timers::builder().start_paused(true).build().unwrap();
    let entered = timers.enter();
    let counter = Counter::new();
    let mut sleeps: Vec<_> = (0..3_000).map(|_| Box::pin(sleep(Duration::from_millis(1)))).collect();
    sleeps.iter_mut().for_each(|sleep| assert!(poll(sleep, &counter).is_pending()));
    assert!(driver.auto_advance());
    let mut wakes = Vec::new();
    assert!(driver.turn(&mut wakes).more);
    assert_eq!(driver.prepare_park(), Next::Now);
    while timers.shutdown(&mut wakes) {}
    assert_eq!(wakes.len(), 3_000);
    assert!(!driver.turn(&mut wakes).more);
    assert_eq!(driver.prepare_park(), Next::Never, "there is nothing left to do");
    driver.awake();
    drop(entered);
}

/// Panics when it is woken.
struct Mine;

impl Wake for Mine {
    fn wake(self: Arc<Self>) {
        panic!("the waker panics");
    }
}

#[test]
fn waker_that_panics_when_the_timers_go_keeps_nobody_from_being_woken() {
    let (timers, driver) = Timers::builder().shards(5).build().unwrap();
    let counter = Counter::new();
    let mut sleeps: Vec<_> = (0..3).map(|_| Box::pin(sleep(Duration::from_secs(9)))).collect();
    {
        let _entered = timers.enter();
        for (k, sleep) in sleeps.iter_mut().enumerate() {
            let waker = if k == 1 { Waker::from(Arc::new(Mine)) } else { counter.waker() };
            let mut cx = core::task::Context::from_waker(&waker);
            assert!(sleep.as_mut().try_poll_elapsed(&mut cx).is_pending());
        }
    }
    let shard: *const _ = &**timers.shared().worker_shard(0);
    drop(driver);
    let _ = catch_unwind(AssertUnwindSafe(|| drop(timers)));
    assert_eq!(counter.count(), 2);
    // And the shards are there for the next one.
    let (next, _driver) = Timers::builder().shards(5).build().unwrap();
    assert!(core::ptr::eq(shard, &**next.shared().worker_shard(0)));
}

/// A slot says when its first timer is due, which may have been extended since; one that lies a level up still may then
/// be the earliest.
#[test]
fn the_earliest_is_found_a_level_up_behind_one_that_was_extended() {
    const DUE: u64 = (10 << 22) + 100;
    let shards = shards(1);
    let mut wakes = Vec::new();
    let [mut first, mut above, mut below] = [(); 3].map(|()| Box::pin(Entry::new(0)));
    let shard = shards.get(0);
    // What fires at 9 << 22 brings the wheel there.
    assert_eq!(shard.insert(first.as_mut(), Tick::from_nanos(9 << 22)), Inserted::Armed);
    assert_eq!(shard.insert(above.as_mut(), Tick::from_nanos(DUE)), Inserted::Armed);
    assert_eq!(Turner::new(0).turn(&shards, 9 << 22, &mut wakes).fired, 1);
    assert_eq!(shard.insert(below.as_mut(), Tick::from_nanos(DUE - 10)), Inserted::Armed);
    assert_eq!((shard.level_of(&above), shard.level_of(&below)), (Some(1), Some(0)));
    assert_eq!(shard.reset(below.as_mut(), Tick::from_nanos(DUE + 10)), Reset::Extended);
    assert_eq!((shard.next(), shard.true_earliest(), shard.next()), (DUE - 10, DUE, DUE));
    for (now, fired) in [(DUE - 1, 0), (DUE, 1), (DUE + 9, 0), (DUE + 10, 1)] {
        assert_eq!(Turner::new(0).turn(&shards, now, &mut wakes).fired, fired, "at {now}");
    }
}

#[test]
fn shard_that_is_opened_again_begins_at_its_beginning() {
    const HOUR: u64 = 3_600_000_000_000;
    let shards = shards(1);
    let shard = shards.get(0);
    let mut wakes = Vec::new();
    let mut before = Box::pin(Entry::new(0));
    assert_eq!(shard.insert(before.as_mut(), Tick::from_nanos(HOUR)), Inserted::Armed);
    assert_eq!(shard.turn(HOUR, 256, &mut wakes).fired, 1);
    while shard.shut(256, &mut wakes) {}
    shards.open(1, 0, None);
    let [mut near, mut far] = [(); 2].map(|()| Box::pin(Entry::new(1)));
    assert_eq!(shard.insert(near.as_mut(), Tick::from_nanos(1_000_000)), Inserted::Armed);
    assert_eq!(shard.insert(far.as_mut(), Tick::from_nanos(HOUR / 2)), Inserted::Armed);
    assert!(shard.level_of(&near) < shard.level_of(&far), "the wheel stands where the runtime before left it");
    assert_eq!(shards.metrics().armed, 2, "the counts are those of the runtime before");
    assert_eq!(shard.turn(HOUR / 2 - 1, 256, &mut wakes).fired, 1);
    assert_eq!(shard.turn(HOUR / 2, 256, &mut wakes).fired, 1);
}
