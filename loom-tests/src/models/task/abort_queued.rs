//! The abort of a task that waits for a thread of the blocking pool against the thread that comes for it.

use core::panic::Location;

use super::{Drops, explore, thread};
use crate::sync::Arc;
use crate::task::{Kind, Meta, Notified, Owned, Schedule, Spawned, Task, spawn};

/// The pool's scheduler: it cancels what is aborted where that is done.
#[derive(Clone)]
struct Pooled(Arc<Owned>);

impl Schedule for Pooled {
    fn schedule(&self, task: Notified) {
        task.cancel();
    }

    fn reschedule(&self, task: Notified) {
        task.cancel();
    }

    fn release(&self, task: &Task) -> bool {
        self.0.remove(task)
    }
}

/// Claim: the closure is run or dropped, once, and its output is dropped once if there is one; the task leaves its list;
/// whoever aborts it finds it ended unless the thread was faster.
///
/// Threads: one of the pool, that runs the task, and one that aborts it and drops its handle.
///
/// Breaks if: `start` takes a task that is being cancelled, or `claim` one that is being run.
#[test]
fn abort_racing_the_thread_runs_or_drops_the_closure_once() {
    explore(|| {
        let pool = Pooled(Arc::new(Owned::new(1)));
        let (closures, outputs) = (Drops::default(), Drops::default());
        let (closure, made) = (closures.guard(), outputs.clone());
        let future = async move {
            drop(closure);
            made.guard()
        };
        let meta = Meta { id: crate::task::Id::next(), kind: Kind::Blocking, name: None, location: Location::caller() };
        let Spawned { owned, notified, join } = spawn(future, pool.clone(), meta);
        drop(pool.0.bind(owned));
        let runs = thread::spawn(move || notified.run());
        join.abort();
        runs.join().unwrap();
        assert!(join.is_finished());
        drop(join);
        assert_eq!(closures.count(), 1);
        assert!(outputs.count() <= 1);
        assert_eq!(pool.0.len(), 0);
    });
}
