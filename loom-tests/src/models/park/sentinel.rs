//! Claim: a worker that left the seat, and then blocks, leaves somebody on watch: a parked peer comes into the seat by
//! itself, and its turn there is bounded.
//!
//! A blocked worker is one that does nothing more: in each model the world must end without its help. Timed sleeps end
//! at once here, sleeps without a bound never do.
//!
//! Breaks if: see each.

use super::{Stuck, World, explore, thread};
use crate::park::{Idle, Seat};
use crate::sync::{Arc, Ordering, fence};

/// Worker 0 passes the driver without sleeping, and then blocks; worker 1 goes to rest meanwhile, and may find the seat
/// taken. It must end up in a bounded turn, which finds stuck work.
///
/// Breaks if: `visit` does not look for a sentinel after it left the seat; `Seated::leave` has no fence; `cap` does not
/// look at the others.
#[test]
fn a_seat_that_was_taken_for_a_moment_is_watched() {
    explore(3, || {
        let world = Arc::new(World { stuck: Stuck::Always, ..World::new(2, true) });
        let peer = {
            let world = world.clone();
            thread::spawn(move || world.rest(1))
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
        let world = Arc::new(World { stuck: Stuck::Always, ..World::new(3, true) });
        let peers: Vec<_> = [1, 2]
            .into_iter()
            .map(|k| {
                let world = world.clone();
                thread::spawn(move || {
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
/// Breaks if: `claim` does not poke the driver that sleeps without a bound, or `notify` does not interrupt it then; `cap`
/// has no fence, or does not look again after it has set the flag.
#[test]
fn a_driver_without_a_bound_learns_that_a_peer_woke() {
    explore(3, || {
        let world = Arc::new(World { stuck: Stuck::Always, ..World::new(2, true) });
        // Worker 1 is parked already; this thread is what wakes it, and its blocking.
        world.lounge.idle.park(1, false);
        let driver = {
            let world = world.clone();
            thread::spawn(move || world.rest(0))
        };
        world.inject();
        let _ = driver.join().unwrap();
    });
}

/// A worker that is elected just as it leaves the parked set does not keep the duty while it is awake, and perhaps
/// blocked.
///
/// Breaks if: `elect` does not look whether the elected one is still parked; `elect` or `resign` has no fence.
#[test]
fn nobody_awake_has_the_duty() {
    explore(3, || {
        let idle = Arc::new(Idle::new(2));
        idle.park(1, false);
        let leaving = {
            let idle = idle.clone();
            thread::spawn(move || {
                let _ = idle.leave(1);
            })
        };
        fence(Ordering::SeqCst);
        let _ = idle.elect();
        leaving.join().unwrap();
        assert!(!idle.is_sentinel(1));
    });
}

/// Worker 1 leaves the seat while worker 0 elects it, and takes it for somebody on watch; worker 2 parks meanwhile. It
/// came into the seat, or has the duty.
///
/// Breaks if: `elect` does not look again after it took a duty back.
#[test]
fn a_duty_taken_back_is_given_to_another() {
    explore(3, || {
        let idle = Arc::new(Idle::new(3));
        let seat = Arc::new(Seat::new(()));
        idle.park(1, false);
        let leaver = {
            let (idle, seat) = (idle.clone(), seat.clone());
            let is_seated = Arc::new(core::sync::atomic::AtomicBool::new(false));
            let seated = is_seated.clone();
            let thread = thread::spawn(move || {
                let held = seat.try_sit(1);
                seated.store(held.is_some(), core::sync::atomic::Ordering::SeqCst);
                let Some(held) = held else { return };
                let _ = idle.leave(1);
                let _ = held.leave();
                let _ = idle.elect();
            });
            (thread, is_seated)
        };
        let parking = {
            let (idle, seat) = (idle.clone(), seat.clone());
            thread::spawn(move || {
                idle.park(2, false);
                match seat.try_sit(2) {
                    Some(held) => {
                        // It drives; here it stays for ever.
                        core::mem::forget(held);
                        true
                    }
                    None => false,
                }
            })
        };
        fence(Ordering::SeqCst);
        let _ = idle.elect();
        leaver.0.join().unwrap();
        let drives = parking.join().unwrap();
        if leaver.1.load(core::sync::atomic::Ordering::SeqCst) {
            assert!(drives || idle.is_sentinel(2), "worker 2 is parked beside an empty seat, and nobody keeps watch");
        }
    });
}

/// Worker 1 takes the seat that worker 0 leaves, and is elected as it enters the driver; then the runtime stops. The token
/// of the election does not swallow the one of the end.
///
/// Breaks if: `Lounge::unpark` ignores `InterruptDriver`.
#[test]
fn an_election_does_not_swallow_the_next_unpark() {
    explore(3, || {
        let world = Arc::new(World::new(2, true));
        let peer = {
            let world = world.clone();
            thread::spawn(move || world.work(1, || {}))
        };
        world.lounge.visit(0, |_| {});
        // From here on the driver sleeps without a bound.
        world.lounge.idle.park(0, false);
        world.stop(2);
        peer.join().unwrap();
    });
}

/// The period of a sentinel ends without stuck work, and it finds the seat taken once more for a moment. Whoever left it
/// is blocked after that: the sentinel must be elected again, and come to a bounded turn.
///
/// Breaks if: `resign` has no fence, or `keep_watch` does not lay the duty down.
#[test]
fn a_sentinel_whose_period_is_over_is_elected_again() {
    explore(3, || {
        let world = Arc::new(World { stuck: Stuck::ForTheDriver, ..World::new(2, true) });
        let peer = {
            let world = world.clone();
            thread::spawn(move || world.rest(1))
        };
        let _ = world.lounge.visit(0, |_| {});
        let _ = world.lounge.visit(0, |_| {});
        let waking = peer.join().unwrap();
        assert!(waking.searching && waking.drove, "the peer came back from the driver because work is stuck");
    });
}

/// Worker 0 sits in the seat without a bound; worker 1 parks, sees a task in its own queue, and blocks in it. The driver
/// must come to bounded turns.
///
/// Breaks if: `leave` takes no notice of a driver that sleeps without a bound, or `rise` does not interrupt it.
#[test]
fn a_driver_without_a_bound_learns_that_a_peer_rose_by_itself() {
    explore(3, || {
        let world = Arc::new(World { stuck: Stuck::Always, ..World::new(2, true) });
        let driver = {
            let world = world.clone();
            thread::spawn(move || world.rest(0))
        };
        let waking = world.rest_with_a_task(1);
        assert!(waking.searching && !waking.drove);
        let _ = driver.join().unwrap();
    });
}
