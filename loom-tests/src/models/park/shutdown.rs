//! Claim: every worker that rests, or is about to, sees the end of the runtime.
//!
//! Threads: two workers; one that stops them.
//!
//! Breaks if: `stop` unparks before it sets the flag; `rest` does not look at the flag before it sleeps.

use super::{World, explore, thread};
use crate::sync::Arc;

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
