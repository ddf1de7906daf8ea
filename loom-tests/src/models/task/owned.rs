//! The owned list against the closing of its scheduler.

use super::{Drops, Event, Model, explore, thread};

/// Claim: a task spawned while the list closes is cancelled once: by the closing, or by the spawner that is refused.
///
/// Threads: one that spawns, one that closes.
///
/// Breaks if: `bind` does not look at `closed`, or `close_and_cancel_all` marks it after the tasks were taken.
#[test]
fn spawn_racing_close_is_cancelled_once() {
    explore(|| {
        let model = Model::new();
        let (event, futures, outputs) = (Event::new(), Drops::default(), Drops::default());
        let spawns = thread::spawn({
            let (model, wait) = (model.clone(), event.wait(&futures, &outputs));
            move || model.spawn(wait)
        });
        model.pool.owned.close_and_cancel_all();
        let join = spawns.join().unwrap();
        assert!(join.is_finished());
        // What was queued before the closing is found complete.
        model.run();
        drop(join);
        assert_eq!((futures.count(), outputs.count()), (1, 0));
        assert_eq!(model.pool.owned.len(), 0);
    });
}

/// Claim: a task that ends while the list closes leaves it once, and its list reference is dropped once.
///
/// Threads: one that runs the task, one that closes.
///
/// Breaks if: `remove` says true of a task that is not linked any more.
#[test]
fn completion_racing_close_unlinks_once() {
    explore(|| {
        let model = Model::new();
        let outputs = Drops::default();
        let made = outputs.clone();
        // The handle is kept: a poll in another thread's hands makes no plain stores.
        let join = model.spawn(async move { made.guard() });
        let runs = thread::spawn({
            let model = model.clone();
            move || model.run()
        });
        model.pool.owned.close_and_cancel_all();
        runs.join().unwrap();
        assert!(join.is_finished());
        drop(join);
        assert!(outputs.count() <= 1);
        assert_eq!(model.pool.owned.len(), 0);
    });
}

/// Claim: a wake on its way into the queue while the list closes neither polls a dropped future nor drops it again,
/// and the cell lives until the wake is done with it.
///
/// Threads: one that wakes, one that closes and then empties the queue.
///
/// Breaks if: `start` does not skip a task that is complete, or `claim` waits for the notified reference (leaves a
/// notified task alone).
#[test]
fn wake_racing_close_touches_no_dropped_future() {
    explore(|| {
        let model = Model::new();
        let (event, futures, outputs) = (Event::new(), Drops::default(), Drops::default());
        drop(model.spawn(event.wait(&futures, &outputs)));
        model.run();
        let waker = event.waker();
        let wakes = thread::spawn(move || waker.wake());
        model.pool.owned.close_and_cancel_all();
        assert_eq!(futures.count(), 1, "the closing left a future");
        model.run();
        wakes.join().unwrap();
        model.run();
        assert_eq!((futures.count(), outputs.count()), (1, 0));
    });
}
