//! Claim: a worker that left the seat, and then blocks, leaves somebody on watch: a parked peer comes into the seat by
//! itself, and its turn there is bounded.
//!
//! A blocked worker is one that does nothing more: in each model the world must end without its help. Timed sleeps end
//! at once here, sleeps without a bound never do.
//!
//! Breaks if: see each.

use super::{World, explore};
use crate::sync::{Arc, Ordering};

/// Worker 0 passes the driver without sleeping, and then blocks; worker 1 goes to rest meanwhile, and may find the seat
/// taken. It must end up in a bounded turn, which finds stuck work.
///
/// Breaks if: `visit` does not look for a sentinel after it left the seat; `Seated::leave` has no fence; `cap` does not
/// look at the others.
#[test]
fn a_seat_that_was_taken_for_a_moment_is_watched() {
    explore(3, || {
        let world = Arc::new(World { stuck: true, ..World::new(2, true) });
        let peer = {
            let world = world.clone();
            loom::thread::spawn(move || world.rest(1))
        };
        let _ = world.lounge.visit(0, |_| {});
        let waking = peer.join().unwrap();
        assert!(waking.searching, "the peer came back because work is stuck");
    });
}

/// Workers 1 and 2 are parked when worker 0 leaves the seat and blocks. A task from outside wakes one of them, perhaps
/// the one that was just elected, and it blocks too. The other must come to watch.
///
/// Breaks if: `leave` does not take the duty off; `elect` does not look whether the elected one is still parked; `rise`
/// does not elect another.
#[test]
fn a_sentinel_that_is_called_away_passes_its_duty_on() {
    explore(2, || {
        let world = Arc::new(World { stuck: true, ..World::new(3, true) });
        let peers: Vec<_> = [1, 2]
            .into_iter()
            .map(|k| {
                let world = world.clone();
                loom::thread::spawn(move || {
                    let _ = world.rest(k);
                    world.take();
                    // Here the worker blocks: it is never heard of again.
                })
            })
            .collect();
        let _ = world.lounge.visit(0, |_| {});
        world.inject();
        // All three are blocked in the end: nobody sleeps without a bound beside an empty seat.
        for peer in peers {
            peer.join().unwrap();
        }
    });
}

/// Worker 0 sits in the seat without a bound, because everybody is parked. A task from outside wakes worker 1, which
/// blocks. The driver must come to bounded turns.
///
/// Breaks if: `claim` does not poke the driver that sleeps without a bound; `cap` has no fence, or does not look again
/// after it has set the flag.
#[test]
fn a_driver_without_a_bound_learns_that_a_peer_woke() {
    explore(3, || {
        let world = Arc::new(World { stuck: true, ..World::new(2, true) });
        // Worker 1 is parked already; this thread is what wakes it, and its blocking.
        world.lounge.idle.park(1, false);
        let driver = {
            let world = world.clone();
            loom::thread::spawn(move || world.rest(0))
        };
        let claimed = world.lounge.idle.claim(Some(0));
        if let Some(claimed) = claimed {
            if claimed.worker == 0 {
                world.lounge.unpark(0);
            }
            if claimed.poke {
                world.lounge.interrupt();
            }
        }
        let _ = driver.join().unwrap();
        let _ = world.stopping.load(Ordering::Relaxed);
    });
}
