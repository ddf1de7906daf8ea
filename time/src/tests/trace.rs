//! Where a timer lies, from its filing to its firing.

use core::task::Waker;
use core::time::Duration;

use super::shards;
use crate::timer::{Entry, Inserted, Next, Reset, Shards, State, Tick, TimerMetrics, Turner};

const SECOND: u64 = 1_000_000_000;
const MINUTE: u64 = 60 * SECOND;

struct Trace {
    shards: Shards,
    turner: Turner,
}

impl Trace {
    fn new() -> Trace {
        Trace { shards: shards(1), turner: Turner::new(0) }
    }

    fn arm(&self, nanos: u64) -> core::pin::Pin<Box<Entry>> {
        let mut entry = Box::pin(Entry::new(0));
        let _ = entry.as_mut().poll(Waker::noop());
        assert_eq!(self.shards.get(0).insert(entry.as_mut(), Tick::from_nanos(nanos)), Inserted::Armed);
        entry
    }

    fn level(&self, entry: &Entry) -> Option<usize> {
        self.shards.get(0).level_of(entry)
    }

    /// Turns until nothing is left to do at `now`; returns how many timers fired.
    fn turn(&mut self, now: u64) -> usize {
        let mut wakes = Vec::new();
        let mut fired = 0;
        loop {
            let turned = self.turner.turn(&self.shards, now, &mut wakes);
            fired += turned.fired;
            if !turned.more {
                return fired;
            }
        }
    }

    fn metrics(&self) -> TimerMetrics {
        self.shards.metrics()
    }
}

#[test]
fn five_minute_sleep_alone_lies_still_until_it_is_due() {
    let mut trace = Trace::new();
    let mut entry = trace.arm(5 * MINUTE);
    // Level 3's slots are 17 s wide, and level 4's first one covers 18 minutes.
    assert_eq!(trace.level(&entry), Some(3));
    for second in 0..300 {
        assert_eq!(trace.turner.prepare_park(&trace.shards), Next::At(Tick::from_nanos(5 * MINUTE)));
        assert_eq!(trace.turn(second * SECOND), 0);
        assert_eq!(trace.level(&entry), Some(3));
    }
    assert_eq!(trace.turn(5 * MINUTE - 1), 0);
    assert_eq!(trace.turn(5 * MINUTE), 1);
    assert_eq!(entry.state(), State::Elapsed { released: true });
    // It went from its slot straight to level 0.
    assert_eq!(trace.metrics().cascaded, 1);
    trace.shards.get(0).release(entry.as_mut());
}

#[test]
fn five_minute_sleeps_in_a_crowd_go_down_the_levels_ahead_of_time() {
    let mut trace = Trace::new();
    let mut crowd: Vec<_> = (0..200).map(|nth| trace.arm(5 * MINUTE + nth)).collect();
    // A heartbeat, so that turns come by: the crowd's own first deadline is far off.
    let mut now = 0;
    let mut levels = vec![(0, trace.level(&crowd[0]).unwrap())];
    while now < 5 * MINUTE {
        // Ever shorter steps towards the end, as a busy program would have them.
        let step = ((5 * MINUTE - now) / 50).clamp(10_000, SECOND);
        now = (now + step).min(5 * MINUTE - 1);
        let mut beat = trace.arm(now);
        assert_eq!(trace.turn(now), 1);
        trace.shards.get(0).release(beat.as_mut());
        let level = trace.level(&crowd[0]).expect("not due yet");
        if levels.last().unwrap().1 != level {
            levels.push((5 * MINUTE - now, level));
        }
        if now == 5 * MINUTE - 1 {
            break;
        }
    }
    assert_eq!(levels.iter().map(|(_, level)| *level).collect::<Vec<_>>(), [3, 2, 1, 0]);
    // Each move came before the slot it left was due, and no more than two spans of the level above ahead.
    for (left, level) in &levels[1..] {
        assert!(*left > 1 && *left < 2 << (16 + 6 * (level + 1)), "at level {level} {left} ns ahead");
    }
    let before = trace.metrics().cascaded;
    assert_eq!(trace.turn(5 * MINUTE + 200), 200);
    // What is no crowd any more is left where it lies until it is due.
    let left = trace.metrics().cascaded - before;
    assert!(left < 3 * 64, "{left} were left to be moved when they were due");
    for entry in &mut crowd {
        trace.shards.get(0).release(entry.as_mut());
    }
}

#[test]
fn sleep_extended_to_ten_minutes_is_found_not_due_filed_anew_and_fires_on_time() {
    let mut trace = Trace::new();
    let mut entry = trace.arm(5 * MINUTE);
    assert_eq!(trace.turn(MINUTE), 0);
    let reset = trace.shards.get(0).reset(entry.as_mut(), Tick::from_nanos(10 * MINUTE));
    assert_eq!(reset, Reset::Extended);
    // The wheel does not know yet: the driver still plans to look at minute 5.
    assert_eq!(trace.shards.earliest(), 5 * MINUTE);
    assert_eq!(trace.turn(5 * MINUTE), 0);
    assert_eq!(entry.state(), State::Armed(Tick::from_nanos(10 * MINUTE)));
    assert_eq!(trace.shards.earliest(), 10 * MINUTE);
    assert_eq!(trace.level(&entry), Some(3));
    assert_eq!(trace.turn(10 * MINUTE - 1), 0);
    assert_eq!(trace.turn(10 * MINUTE), 1);
    assert_eq!(entry.state(), State::Elapsed { released: true });
    trace.shards.get(0).release(entry.as_mut());
}

#[test]
fn burst_after_a_long_quiet_is_moved_ahead_of_its_deadline() {
    let mut trace = Trace::new();
    let mut burst: Vec<_> = (0..20_000).map(|nth| trace.arm(10 * SECOND + nth * 50)).collect();
    // The driver is to wake a little before, for the sake of the crowd alone.
    let Next::At(planned) = trace.turner.prepare_park(&trace.shards) else { panic!("armed") };
    let lead = Duration::from_nanos(10 * SECOND - planned.as_nanos());
    assert!(lead > Duration::from_micros(500) && lead < Duration::from_millis(5), "{lead:?}");
    assert_eq!(trace.shards.earliest(), 10 * SECOND, "the published deadline is exact");
    // Every turn is bounded, and when the burst is due it lies at level 0.
    let mut wakes = Vec::new();
    while trace.turner.turn(&trace.shards, planned.as_nanos(), &mut wakes).more {}
    assert!(wakes.is_empty());
    let ahead = trace.metrics().cascaded;
    assert!(ahead > 18_000, "{ahead} were moved ahead");
    assert_eq!(trace.turn(10 * SECOND + 1_000_000), 20_000);
    for entry in &mut burst {
        trace.shards.get(0).release(entry.as_mut());
    }
}

#[test]
fn a_turn_is_bounded_and_says_that_more_is_left() {
    let mut trace = Trace::new();
    let mut crowd: Vec<_> = (0..5_000).map(|_| trace.arm(1_000)).collect();
    let mut wakes = Vec::new();
    let mut fired = 0;
    loop {
        let turned = trace.turner.turn(&trace.shards, 1_000, &mut wakes);
        assert!(turned.fired <= 1024);
        fired += turned.fired;
        if !turned.more {
            break;
        }
        assert_eq!(trace.turner.prepare_park(&trace.shards), Next::Now);
    }
    assert_eq!((fired, wakes.len()), (5_000, 5_000));
    assert_eq!(trace.turner.prepare_park(&trace.shards), Next::Never);
    for entry in &mut crowd {
        trace.shards.get(0).release(entry.as_mut());
    }
}

#[test]
fn slack_delays_the_wait_after_a_turn_that_fired_and_no_other() {
    let mut trace = Trace::new();
    trace.turner = Turner::new(50_000);
    let mut entries = [1_000, 10_000, 20_000, 200_000].map(|at| trace.arm(at));
    assert_eq!(trace.turner.prepare_park(&trace.shards), Next::At(Tick::from_nanos(1_000)));
    assert_eq!(trace.turn(1_000), 1);
    // The next two are taken together, when the slack is over.
    assert_eq!(trace.turner.prepare_park(&trace.shards), Next::At(Tick::from_nanos(51_000)));
    assert_eq!(trace.turn(51_000), 2);
    assert_eq!(trace.turner.prepare_park(&trace.shards), Next::At(Tick::from_nanos(200_000)));
    assert_eq!(trace.turn(199_999), 0);
    assert_eq!(trace.turner.prepare_park(&trace.shards), Next::At(Tick::from_nanos(200_000)));
    for entry in &mut entries {
        trace.shards.get(0).release(entry.as_mut());
    }
}
