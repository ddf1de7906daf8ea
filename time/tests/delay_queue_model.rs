//! The delay queue against a `BTreeMap`, under random operations.
//!
//! `WHEELHOUSE_PROPTEST_TIMES` multiplies the number of cases.

mod support;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRunner};
use support::{Wakes, World};
use wheelhouse_time::delay_queue::Key;
use wheelhouse_time::{DelayQueue, Error, Instant};

#[derive(Clone, Debug)]
enum Op {
    Insert(u64),
    /// A deadline this long ago.
    InsertPast(u64),
    InsertEvery(u64),
    /// The number picks a key among all that were ever handed out.
    Remove(prop::sample::Index),
    Reset(prop::sample::Index, u64),
    ResetPast(prop::sample::Index, u64),
    Advance(u64),
    Poll(usize),
    Clear,
}

fn op() -> impl Strategy<Value = Op> {
    // Near, far, and never: nanoseconds up to a few slots, up to a second, and the end of time.
    let delay = prop_oneof![
        4 => 0..100_000_u64,
        4 => (0..40_u64).prop_map(|ticks| ticks * 16_384),
        2 => 0..1_000_000_000_u64,
        1 => Just(u64::MAX),
    ];
    let key = any::<prop::sample::Index>();
    prop_oneof![
        6 => delay.clone().prop_map(Op::Insert),
        1 => (0..1_000_000_u64).prop_map(Op::InsertPast),
        1 => prop_oneof![1_000..1_000_000_000_u64, Just(u64::MAX)].prop_map(Op::InsertEvery),
        3 => key.clone().prop_map(Op::Remove),
        4 => (key.clone(), delay).prop_map(|(key, delay)| Op::Reset(key, delay)),
        1 => (key, 0..1_000_000_u64).prop_map(|(key, ago)| Op::ResetPast(key, ago)),
        3 => prop_oneof![0..200_000_u64, 0..10_000_000_u64].prop_map(Op::Advance),
        4 => Just(Op::Poll(1)),
        1 => Just(Op::Poll(50)),
        1 => Just(Op::Clear),
    ]
}

/// The queue beside its model. An item's number is its age.
struct Pair {
    world: World,
    queue: DelayQueue<usize>,
    wakes: Arc<Wakes>,
    /// Deadline and number to period.
    model: BTreeMap<(Instant, usize), Option<Duration>>,
    /// By number: the key, and the deadline while the item lives.
    keys: Vec<(Key, Option<Instant>)>,
    /// Whether the last poll found nothing to hand out.
    asleep: bool,
    /// Whether a wake-up has come since.
    woken: bool,
}

impl Pair {
    fn new() -> Self {
        let world = World::new();
        let queue = DelayQueue::new();
        let (model, keys) = (BTreeMap::new(), Vec::new());
        // Deadlines in the past need a past.
        world.advance(Duration::from_millis(1));
        Self { world, queue, wakes: Wakes::new(), model, keys, asleep: false, woken: false }
    }

    fn apply(&mut self, op: Op) {
        let mut before = self.head();
        let nanos = Duration::from_nanos;
        match op {
            Op::Insert(delay) => {
                let key = self.queue.insert(self.keys.len(), nanos(delay));
                self.inserted(key, Instant::now() + nanos(delay), None);
            }
            Op::InsertPast(ago) => {
                let deadline = Instant::now() - nanos(ago);
                let key = self.queue.insert_at(self.keys.len(), deadline);
                self.inserted(key, deadline, None);
            }
            Op::InsertEvery(period) => {
                let key = self.queue.insert_every(self.keys.len(), nanos(period));
                self.inserted(key, Instant::now() + nanos(period), Some(nanos(period)));
            }
            Op::Remove(_) | Op::Reset(..) | Op::ResetPast(..) if self.keys.is_empty() => {}
            Op::Remove(index) => self.remove(index.index(self.keys.len())),
            Op::Reset(index, delay) => self.reset(index.index(self.keys.len()), Instant::now() + nanos(delay)),
            Op::ResetPast(index, ago) => self.reset(index.index(self.keys.len()), Instant::now() - nanos(ago)),
            Op::Advance(by) => self.world.advance(nanos(by)),
            Op::Poll(times) => {
                (0..times).for_each(|_| self.poll());
                before = self.head();
            }
            Op::Clear => {
                self.queue.clear();
                self.model.clear();
                self.keys.iter_mut().for_each(|(_, deadline)| *deadline = None);
            }
        }
        self.check(before);
    }

    fn head(&self) -> Option<(Instant, usize)> {
        self.model.first_key_value().map(|(&head, _)| head)
    }

    fn inserted(&mut self, key: Key, deadline: Instant, period: Option<Duration>) {
        self.model.insert((deadline, self.keys.len()), period);
        self.keys.push((key, Some(deadline)));
    }

    fn remove(&mut self, number: usize) {
        let (key, deadline) = self.keys[number];
        let removed = self.queue.remove(&key);
        match deadline {
            Some(deadline) => {
                let removed = removed.unwrap();
                assert_eq!((removed.deadline(), removed.into_inner()), (deadline, number));
                self.model.remove(&(deadline, number)).unwrap();
                self.keys[number].1 = None;
            }
            None => assert_eq!(removed.unwrap_err(), Error::StaleKey),
        }
    }

    fn reset(&mut self, number: usize, to: Instant) {
        let (key, deadline) = self.keys[number];
        let outcome = self.queue.reset_at(&key, to);
        match deadline {
            Some(deadline) => {
                assert_eq!(outcome, Ok(()));
                let period = self.model.remove(&(deadline, number)).unwrap();
                self.model.insert((to, number), period);
                self.keys[number].1 = Some(to);
            }
            None => assert_eq!(outcome, Err(Error::StaleKey)),
        }
    }

    fn poll(&mut self) {
        let polled = self.wakes.poll(|cx| self.queue.poll_expired(cx));
        self.wakes.take();
        self.woken = false;
        self.asleep = false;
        match self.head() {
            None => {
                assert!(matches!(polled, Poll::Ready(None)));
                self.asleep = true;
            }
            Some((deadline, number)) if deadline <= Instant::now() => {
                let Poll::Ready(Some(expired)) = polled else {
                    panic!("{number} is due, but the queue says {polled:?}")
                };
                assert_eq!(expired.key(), self.keys[number].0);
                assert_eq!((expired.deadline(), expired.into_inner()), (deadline, number));
                let period = self.model.remove(&(deadline, number)).unwrap();
                let next = period.map(|period| deadline + period);
                if let Some(next) = next {
                    self.model.insert((next, number), period);
                }
                self.keys[number].1 = next;
            }
            Some(_) => {
                assert!(polled.is_pending());
                self.asleep = true;
            }
        }
    }

    /// Looks at everything that can be seen from outside, wake-ups included.
    fn check(&mut self, before: Option<(Instant, usize)>) {
        assert_eq!(self.queue.len(), self.model.len());
        assert_eq!(self.queue.is_empty(), self.model.is_empty());
        let head = self.head();
        assert_eq!(self.queue.peek(), head.map(|(_, number)| self.keys[number].0));
        for &(key, deadline) in &self.keys {
            assert_eq!(self.queue.deadline(&key), deadline);
        }
        if !self.asleep {
            return;
        }
        let earlier = match (before, head) {
            (None, Some(_)) => true,
            (Some((before, _)), Some((head, _))) => head < before,
            _ => false,
        };
        let emptied = before.is_some() && head.is_none();
        let due = head.is_some_and(|(deadline, _)| deadline <= Instant::now());
        self.world.turn();
        let woken = self.wakes.take() > 0;
        if earlier || emptied || due {
            assert!(woken || self.woken, "a wake-up is owed: earlier {earlier}, emptied {emptied}, due {due}");
        } else {
            assert!(!woken || self.woken, "woken for nothing");
        }
        self.woken |= woken;
    }
}

#[test]
fn random_operations_agree_with_the_model() {
    let times = std::env::var("WHEELHOUSE_PROPTEST_TIMES").ok().and_then(|times| times.parse().ok()).unwrap_or(1_u32);
    let config = Config {
        cases: 30_000 * times,
        failure_persistence: None,
        // Without optimisation, the default generator would take three quarters of the time.
        rng_algorithm: RngAlgorithm::XorShift,
        ..Config::default()
    };
    let mut runner = TestRunner::new(config);
    let ops = prop::collection::vec(op(), 1..60);
    runner
        .run(&ops, |ops| {
            let mut pair = Pair::new();
            ops.into_iter().for_each(|op| pair.apply(op));
            Ok(())
        })
        .unwrap();
}
