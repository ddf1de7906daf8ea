//! Random operations on the shards, beside a model that keeps every deadline in a map.

use core::pin::Pin;
use core::task::{Context, Waker};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::task::Wake;

use proptest::prelude::*;
use proptest::test_runner::RngAlgorithm;

use super::shards;
use crate::timer::{Entry, Inserted, Next, Reset, Shards, State, Tick, Turner};

const SHARDS: usize = 2;
const NEVER: u64 = Tick::NEVER.as_nanos();

/// How far from now a deadline lies, or the clock moves.
#[derive(Debug, Clone)]
enum Reach {
    Ahead(u64),
    Behind(u64),
    At(u64),
}

impl Reach {
    fn from(&self, now: u64) -> u64 {
        let tick = match *self {
            Reach::Ahead(nanos) => now.saturating_add(nanos),
            Reach::Behind(nanos) => now.saturating_sub(nanos),
            Reach::At(tick) => tick,
        };
        Tick::from_nanos(tick).as_nanos()
    }
}

#[derive(Debug, Clone)]
enum Op {
    Insert(usize, Reach),
    InsertCrowd(usize, Reach, u64, u64),
    Reset(usize, Reach),
    Cancel(usize),
    Poll(usize),
    Advance(Reach),
    AdvanceToNext,
}

fn reach() -> impl Strategy<Value = Reach> {
    let wide = (0u32..64, any::<u64>()).prop_map(|(bits, random)| Reach::Ahead((random >> 1 | 1 << 63) >> bits));
    prop_oneof![
        4 => (0u64..200_000).prop_map(Reach::Ahead),
        3 => (0u64..20_000_000).prop_map(Reach::Ahead),
        2 => (0u64..3_000_000_000).prop_map(Reach::Ahead),
        4 => wide,
        1 => (0u64..1_000_000).prop_map(Reach::Behind),
        1 => (0u64..4).prop_map(|below| Reach::At(NEVER - below)),
    ]
}

/// Moves of the clock: seldom so far that everything is over.
fn step() -> impl Strategy<Value = Reach> {
    let wide = (8u32..64, any::<u64>()).prop_map(|(bits, random)| Reach::Ahead((random >> 1 | 1 << 63) >> bits));
    prop_oneof![
        4 => (0u64..200_000).prop_map(Reach::Ahead),
        3 => (0u64..20_000_000).prop_map(Reach::Ahead),
        2 => (0u64..3_000_000_000).prop_map(Reach::Ahead),
        2 => wide,
    ]
}

fn op() -> BoxedStrategy<Op> {
    let timer = any::<usize>;
    prop_oneof![
        40 => (0..SHARDS, reach()).prop_map(|(shard, reach)| Op::Insert(shard, reach)),
        20 => (timer(), reach()).prop_map(|(timer, reach)| Op::Reset(timer, reach)),
        10 => timer().prop_map(Op::Cancel),
        10 => timer().prop_map(Op::Poll),
        15 => step().prop_map(Op::Advance),
        10 => Just(Op::AdvanceToNext),
    ]
    .boxed()
}

/// As `op`, with crowds that take several holds of a lock, several turns, and moves ahead of time.
fn op_with_crowds() -> impl Strategy<Value = Op> {
    let crowd = (0..SHARDS, reach(), 1u64..5_000, prop_oneof![Just(0u64), Just(300), Just(100_000)]);
    prop_oneof![
        12 => op(),
        1 => crowd.prop_map(|(shard, reach, count, apart)| Op::InsertCrowd(shard, reach, count, apart)),
    ]
}

struct Timer {
    entry: Pin<Box<Entry>>,
    shard: usize,
    /// `None` once it fired or while it is idle.
    armed: Option<u64>,
    /// The tick by which the wheel orders it: a deadline behind the present is filed at the present.
    filed: u64,
    elapsed: bool,
    waker: Waker,
}

/// Notes in which order timers were woken.
struct Log {
    id: usize,
    order: Arc<Mutex<Vec<usize>>>,
}

impl Wake for Log {
    fn wake(self: Arc<Self>) {
        self.order.lock().unwrap().push(self.id);
    }
}

struct Bench {
    shards: Shards,
    turner: Turner,
    now: u64,
    timers: BTreeMap<usize, Timer>,
    /// The armed deadlines of each shard, with the timers' numbers.
    armed: [BTreeSet<(u64, usize)>; SHARDS],
    made: usize,
    order: Arc<Mutex<Vec<usize>>>,
    /// Something was cancelled or extended, since the shard was last empty: a published word may be early.
    blurred: [bool; SHARDS],
}

impl Bench {
    fn new() -> Bench {
        Bench {
            shards: shards(SHARDS),
            turner: Turner::new(0),
            now: 0,
            timers: BTreeMap::new(),
            armed: Default::default(),
            made: 0,
            order: Arc::default(),
            blurred: [false; SHARDS],
        }
    }

    fn apply(&mut self, op: &Op) {
        match op {
            Op::Insert(shard, reach) => self.insert(*shard, reach.from(self.now)),
            Op::InsertCrowd(shard, reach, count, apart) => {
                for nth in 0..*count {
                    self.insert(*shard, Reach::Ahead(nth * apart).from(reach.from(self.now)));
                }
            }
            Op::Reset(timer, reach) => self.reset(*timer, reach.from(self.now)),
            Op::Cancel(timer) => self.cancel(*timer),
            Op::Poll(timer) => self.poll(*timer),
            Op::Advance(reach) => self.advance(reach.from(self.now).min(NEVER - 1)),
            Op::AdvanceToNext => self.advance(self.shards.earliest_work().clamp(self.now, NEVER - 1)),
        }
        self.check_words();
    }

    fn pick(&self, index: usize) -> Option<usize> {
        let count = self.timers.len();
        (count > 0).then(|| *self.timers.keys().nth(index % count).unwrap())
    }

    fn insert(&mut self, shard: usize, tick: u64) {
        let id = self.made;
        self.made += 1;
        let waker = Waker::from(Arc::new(Log { id, order: Arc::clone(&self.order) }));
        let mut entry = Box::pin(Entry::new(0));
        assert_eq!(entry.as_mut().poll(&waker), State::Idle);
        assert_eq!(self.shards.get(shard).insert(entry.as_mut(), Tick::from_nanos(tick)), Inserted::Armed);
        let filed = tick.max(self.now);
        self.armed[shard].insert((tick, id));
        self.timers.insert(id, Timer { entry, shard, armed: Some(tick), filed, elapsed: false, waker });
    }

    fn reset(&mut self, index: usize, tick: u64) {
        let Some(id) = self.pick(index) else { return };
        let timer = self.timers.get_mut(&id).unwrap();
        let done = self.shards.get(timer.shard).reset(timer.entry.as_mut(), Tick::from_nanos(tick));
        match timer.armed {
            Some(from) => {
                assert_eq!(done, if from <= tick { Reset::Extended } else { Reset::Refiled });
                self.blurred[timer.shard] = true;
                self.armed[timer.shard].remove(&(from, id));
                self.armed[timer.shard].insert((tick, id));
                timer.armed = Some(tick);
                timer.filed = tick.max(self.now);
            }
            None => {
                assert_eq!(done, Reset::Idle);
                timer.elapsed = false;
            }
        }
    }

    fn cancel(&mut self, index: usize) {
        let Some(id) = self.pick(index) else { return };
        let mut timer = self.timers.remove(&id).unwrap();
        if let Some(tick) = timer.armed {
            self.blurred[timer.shard] = true;
            self.armed[timer.shard].remove(&(tick, id));
        }
        self.shards.get(timer.shard).release(timer.entry.as_mut());
    }

    /// Polls as `Sleep` does: an idle one is filed anew, ten microseconds from now.
    fn poll(&mut self, index: usize) {
        let Some(id) = self.pick(index) else { return };
        let now = self.now;
        let timer = self.timers.get_mut(&id).unwrap();
        let waker = timer.waker.clone();
        let _ = Context::from_waker(&waker);
        match timer.entry.as_mut().poll(&waker) {
            State::Armed(tick) => assert_eq!(Some(tick.as_nanos()), timer.armed),
            State::Elapsed { released } => assert!(released && timer.elapsed && timer.armed.is_none()),
            State::Idle => {
                assert!(timer.armed.is_none() && !timer.elapsed);
                let tick = Tick::from_nanos(now.saturating_add(10_000));
                assert_eq!(self.shards.get(timer.shard).insert(timer.entry.as_mut(), tick), Inserted::Armed);
                self.armed[timer.shard].insert((tick.as_nanos(), id));
                timer.armed = Some(tick.as_nanos());
                timer.filed = tick.as_nanos();
            }
            state => panic!("unexpected {state:?}"),
        }
    }

    /// Moves the clock and turns until nothing is left to do; then everything due has fired, and nothing else.
    fn advance(&mut self, to: u64) {
        self.now = to;
        let mut wakes = Vec::new();
        let mut fired = 0;
        loop {
            let turned = self.turner.turn(&self.shards, self.now, &mut wakes);
            assert!(turned.fired <= 1024);
            fired += turned.fired;
            if !turned.more {
                break;
            }
            assert_eq!(self.turner.prepare_park(&self.shards), Next::Now);
        }
        wakes.drain(..).for_each(Waker::wake);
        let order = core::mem::take(&mut *self.order.lock().unwrap());
        let woken = order.len();
        let mut last = [0; SHARDS];
        for id in order {
            let timer = self.timers.get_mut(&id).expect("a cancelled timer woke");
            let tick = timer.armed.take().expect("a timer fired twice");
            self.armed[timer.shard].remove(&(tick, id));
            assert!(tick <= self.now, "fired at {} what is due at {tick}", self.now);
            assert!(last[timer.shard] <= timer.filed >> 16, "fired out of order");
            last[timer.shard] = timer.filed >> 16;
            timer.elapsed = true;
            assert_eq!(timer.entry.state(), State::Elapsed { released: true });
        }
        assert_eq!(fired, woken, "every armed timer has a waker");
        for shard in 0..SHARDS {
            assert!(self.earliest(shard) > self.now, "a timer was lost at {}", self.now);
            assert!(self.shards.get(shard).next() > self.now, "a turn leaves nothing due behind");
        }
    }

    fn earliest(&self, shard: usize) -> u64 {
        self.armed[shard].first().map_or(NEVER, |(tick, _)| *tick)
    }

    fn check_words(&mut self) {
        for shard in 0..SHARDS {
            let published = self.shards.get(shard).next();
            let earliest = self.earliest(shard);
            assert!(published <= earliest, "published {published}, earliest {earliest}");
            assert!(self.shards.get(shard).work() <= published);
            if earliest == NEVER && published == NEVER {
                self.blurred[shard] = false;
            }
            if !self.blurred[shard] {
                assert_eq!(published, earliest);
            }
        }
    }

    /// An exact look may cost a walk; it makes the published words exact again.
    fn check_exact(&mut self) {
        for shard in 0..SHARDS {
            let earliest = self.earliest(shard);
            assert_eq!(self.shards.get(shard).true_earliest(), earliest);
            assert_eq!(self.shards.get(shard).next(), earliest);
        }
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        for timer in self.timers.values_mut() {
            self.shards.get(timer.shard).release(timer.entry.as_mut());
        }
    }
}

fn config(cases: u32) -> ProptestConfig {
    let times = std::env::var("WHEELHOUSE_PROPTEST_TIMES").ok().and_then(|times| times.parse().ok()).unwrap_or(1);
    ProptestConfig {
        cases: cases * times,
        failure_persistence: None,
        // Without optimisation, the default generator would take most of the time.
        rng_algorithm: RngAlgorithm::XorShift,
        ..ProptestConfig::default()
    }
}

fn run(ops: &[Op], exact: bool) {
    let mut bench = Bench::new();
    for op in ops {
        bench.apply(op);
        if exact {
            bench.check_exact();
        }
    }
    bench.check_exact();
}

proptest! {
    #![proptest_config(config(10_000))]

    #[test]
    fn wheel_agrees_with_a_map(ops in prop::collection::vec(op(), 1..100), exact in any::<bool>()) {
        run(&ops, exact);
    }
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn crowded_wheel_agrees_with_a_map(ops in prop::collection::vec(op_with_crowds(), 1..60)) {
        run(&ops, false);
    }
}
