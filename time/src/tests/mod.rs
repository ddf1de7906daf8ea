//! Tests of the core, against its own interface.

mod against_model;
mod bites;
mod driver;
mod faults;
mod stress;
mod test_clock;
mod trace;
mod wakers;

use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use core::time::Duration;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Wake;

use crate::timer::Shards;
use crate::{Interrupt, Sleep, Tick, TimerDriver, Timers};

/// Shards for the timers of owner 0.
fn shards(count: usize) -> Shards {
    let shards = Shards::new(count);
    shards.open(0, 0, None);
    shards
}

/// Counts wake-ups.
#[derive(Default)]
struct Counter(AtomicUsize);

impl Counter {
    fn new() -> Arc<Counter> {
        Arc::default()
    }

    fn waker(self: &Arc<Self>) -> Waker {
        Waker::from(Arc::clone(self))
    }

    fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

impl Wake for Counter {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Interrupt for Counter {
    fn interrupt(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// Timers under a paused clock, driven by hand.
struct Rig {
    timers: Timers,
    driver: TimerDriver,
}

impl Rig {
    fn new() -> Rig {
        let (timers, driver) = Timers::builder().start_paused(true).slack(Duration::ZERO).build().unwrap();
        Rig { timers, driver }
    }

    /// Moves the clock without a look at what lies between.
    fn jump(&mut self, duration: Duration) {
        let to = self.timers.now().saturating_add(duration);
        self.timers.shared().clock().move_to(to);
        self.turn();
    }

    /// Fires what is due; returns how many timers that were.
    fn turn(&mut self) -> usize {
        let mut wakes = Vec::new();
        let mut fired = 0;
        loop {
            let turned = self.driver.turn(&mut wakes);
            fired += turned.fired;
            if !turned.more {
                break;
            }
        }
        wakes.drain(..).for_each(Waker::wake);
        fired
    }

    fn now(&self) -> Tick {
        self.timers.now()
    }
}

fn poll(sleep: &mut Pin<Box<Sleep>>, counter: &Arc<Counter>) -> Poll<()> {
    sleep.as_mut().poll(&mut Context::from_waker(&counter.waker()))
}
