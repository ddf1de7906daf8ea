//! Claim: every worker that rests, or is about to, sees the end of the runtime.
//!
//! Threads: two workers; one that stops them.
//!
//! Breaks if: see each.

use super::{World, explore, thread};
use crate::sync::{Arc, AtomicUsize, Ordering};

/// Breaks if: `stop` unparks before it sets the flag; `rest` does not look at the flag before it sleeps.
#[test]
fn stopping_ends_every_rest() {
    explore(2, || {
        let world = Arc::new(World::new(2, false));
        let workers: Vec<_> = (0..2)
            .map(|k| {
                let world = world.clone();
                thread::spawn(move || world.work(k, || {}))
            })
            .collect();
        world.stop(2);
        for worker in workers {
            worker.join().unwrap();
        }
    });
}

/// The same where one that leaves the seat makes the other its sentinel: whoever keeps watch sees the end too.
///
/// Breaks if: `is_called` does not look at the flag.
#[test]
fn stopping_ends_the_watch_of_a_sentinel() {
    explore(2, || {
        let world = Arc::new(World::new(2, true));
        let worker = {
            let world = world.clone();
            thread::spawn(move || world.work(1, || {}))
        };
        let passing = {
            let world = world.clone();
            thread::spawn(move || world.lounge.visit(0, |_| {}))
        };
        // Worker 0 is the one that passes the driver, and counts as parked: nobody bounds the other's sleep.
        world.lounge.idle.park(0, false);
        world.stop(2);
        worker.join().unwrap();
        passing.join().unwrap();
    });
}

/// The last one to leave gets the seat, and what the others did in it is done.
///
/// Threads: a worker that rests, and may sit in the seat; one that passes the driver; the one that stops both. Whichever
/// worker leaves last ends the driver.
///
/// Breaks if: `drive` or `visit` returns before the seat is left.
#[test]
fn the_last_to_leave_gets_the_seat() {
    explore(3, || {
        let world = Arc::new(World::new(2, false));
        let running = Arc::new(AtomicUsize::new(2));
        let workers: Vec<_> = (0..2)
            .map(|k| {
                let (world, running) = (world.clone(), running.clone());
                thread::spawn(move || {
                    match k {
                        0 => world.work(0, || {}),
                        _ => drop(world.lounge.visit(1, |driver| driver.watches += 1)),
                    }
                    if running.fetch_sub(1, Ordering::AcqRel) == 1 {
                        assert!(
                            world.lounge.last_visit(|driver| driver.watches).is_some(),
                            "somebody sits there still"
                        );
                    }
                })
            })
            .collect();
        world.stop(2);
        for worker in workers {
            worker.join().unwrap();
        }
    });
}
