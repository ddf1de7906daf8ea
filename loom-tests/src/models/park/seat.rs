//! Claim: a worker that is woken comes out of its rest, wherever it is: on its way into the parked set, in the seat, or
//! on its parker because somebody else sits there.
//!
//! Threads: worker 0 and worker 1 rest; another wakes both, by two tasks.
//!
//! Breaks if: `Lounge::unpark` ignores `InterruptDriver`; `enter_driver` takes no notice of a token; `drive` does not
//! look whether it was called after a token came.

use super::{World, explore, thread};
use crate::sync::{Arc, AtomicUsize, Ordering};

#[test]
fn a_worker_is_woken_in_the_seat_or_beside_it() {
    explore(1, || {
        let world = Arc::new(World::new(2, false));
        let done = Arc::new(AtomicUsize::new(0));
        let workers: Vec<_> = (0..2)
            .map(|k| {
                let (world, done) = (world.clone(), done.clone());
                thread::spawn(move || {
                    world.work(k, || {
                        if done.fetch_add(1, Ordering::AcqRel) == 1 {
                            world.stop(2);
                        }
                    });
                })
            })
            .collect();
        world.inject();
        world.inject();
        for worker in workers {
            worker.join().unwrap();
        }
    });
}
