//! Races of the timers' core: the state cell, the shards, the driver.

mod drop_cascade;
mod drop_fire;
mod extend_fire;
mod extend_mark_pending;
mod insert_park;
mod poll_fire;
mod register_shutdown;
mod reset_another_shard;
mod reset_earlier_fire;
mod two_due_insert;

use core::pin::Pin;
use core::task::Waker;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Wake;

use crate::timer::{Entry, Inserted, Interrupt, Shards, Tick, Turner};

/// Counts wake-ups. What it does is no part of a model: std's atomics.
#[derive(Default)]
struct Woken(AtomicUsize);

impl Woken {
    fn new() -> Arc<Woken> {
        Arc::default()
    }

    fn waker(self: &Arc<Self>) -> Waker {
        Waker::from(Arc::clone(self))
    }

    fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Interrupt for Woken {
    fn interrupt(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn tick(nanos: u64) -> Tick {
    Tick::from_nanos(nanos)
}

/// Which of two racing threads is started first. loom does not try both by itself: the first operation of a thread that
/// is started later is never put before the start of the one that starts it.
#[derive(Debug, Clone, Copy)]
enum First {
    Owner,
    Driver,
}

/// Explores every interleaving of `model`, with both orders of starting.
fn check(model: impl Fn(First) + Sync + Send + Copy + 'static) {
    loom::model(move || model(First::Owner));
    loom::model(move || model(First::Driver));
}

/// As `check`, for models of three threads: every interleaving with at most three preemptions.
fn check_bounded(model: impl Fn(First) + Sync + Send + Copy + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(move || model(First::Owner));
    builder.check(move || model(First::Driver));
}

/// Runs the owner's side and the driver's side on threads of their own, and returns what both end with.
fn race<A: 'static, B: 'static>(
    first: First,
    owner: impl FnOnce() -> A + 'static,
    driver: impl FnOnce() -> B + 'static,
) -> (A, B) {
    match first {
        First::Owner => {
            let owner = loom::thread::spawn(owner);
            let driver = loom::thread::spawn(driver);
            (owner.join().unwrap(), driver.join().unwrap())
        }
        First::Driver => {
            let driver = loom::thread::spawn(driver);
            let owner = loom::thread::spawn(owner);
            (owner.join().unwrap(), driver.join().unwrap())
        }
    }
}

/// An entry that is armed in the given shard at `nanos`, with the waker of `woken`. It stays in its box to the end of the
/// model: where its owner lets go of it is marked by `Memory::free`.
fn armed(shards: &Shards, shard: usize, nanos: u64, woken: &Arc<Woken>) -> Pin<Box<Entry>> {
    let mut entry = Box::pin(Entry::new(0));
    let _ = entry.as_mut().poll(&woken.waker());
    assert_eq!(shards.get(shard).insert(entry.as_mut(), tick(nanos)), Inserted::Armed);
    entry
}

/// One turn, and the wake-ups after it.
fn turn(turner: &mut Turner, shards: &Shards, now: u64) -> usize {
    let mut wakes = Vec::new();
    let turned = turner.turn(shards, now, &mut wakes);
    wakes.drain(..).for_each(Waker::wake);
    turned.fired
}

fn shards(count: usize) -> loom::sync::Arc<Shards> {
    shards_with(count, None)
}

/// Shards for the timers of owner 0.
fn shards_with(count: usize, interrupt: Option<Arc<Woken>>) -> loom::sync::Arc<Shards> {
    let shards = Shards::new(count);
    shards.open(0, 0, interrupt.map(|interrupt| interrupt as Arc<dyn Interrupt>));
    loom::sync::Arc::new(shards)
}

fn turner() -> Turner {
    Turner::new(0)
}
