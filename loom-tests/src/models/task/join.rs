//! The join handle against the end of its task.

use core::future::Future;
use core::pin::Pin;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::task::{Context, Poll, Waker};
use std::sync::Arc;
use std::task::Wake;

use super::{Drops, Event, Model, explore, explore_within, thread};
use crate::task::JoinHandle;

/// Counts wakes; not loom's, so that counting orders nothing.
#[derive(Default)]
struct Alarm(AtomicUsize);

impl Alarm {
    fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

fn poll<T>(join: &mut JoinHandle<T>, alarm: &Arc<Alarm>) -> bool {
    let waker = Waker::from(Arc::clone(alarm));
    match Pin::new(join).poll(&mut Context::from_waker(&waker)) {
        Poll::Ready(output) => {
            assert!(output.is_ok());
            true
        }
        Poll::Pending => false,
    }
}

/// Claim: a join handle that waits gets the output: it sees the end, or its waker is woken. The output is written
/// before it is read.
///
/// Threads: one that awaits the handle, one that runs the task.
///
/// Breaks if: OUTPUT.publish is `Relaxed`, or `join_offer` hands the slot over to a task that is complete.
#[test]
fn awaiting_handle_gets_the_output() {
    explore(|| {
        let model = Model::new();
        let (futures, outputs) = (Drops::default(), Drops::default());
        let (guard, made) = (futures.guard(), outputs.clone());
        let join = model.spawn(async move {
            guard.memory.write();
            made.guard()
        });
        let awaits = thread::spawn(move || {
            let output = loom::future::block_on(join).unwrap();
            output.memory.read();
        });
        model.run();
        awaits.join().unwrap();
        assert_eq!((futures.count(), outputs.count()), (1, 1));
    });
}

/// Claim: of two wakers offered one after the other, the last is woken if its poll was pending.
///
/// Threads: one that polls the handle with one waker and then another, one that runs the task.
///
/// Breaks if: `register` replaces an offered waker without taking the slot back, or `retract` does not look at
/// `COMPLETE`.
#[test]
fn replaced_waker_is_not_lost() {
    explore(|| {
        let model = Model::new();
        let mut join = model.spawn(async {});
        let (first, last) = (Arc::new(Alarm::default()), Arc::new(Alarm::default()));
        let polls = thread::spawn({
            let (first, last) = (first.clone(), last.clone());
            move || (poll(&mut join, &first) || poll(&mut join, &last), join)
        });
        model.run();
        let (was_ready, join) = polls.join().unwrap();
        assert!(was_ready || last.count() == 1, "nobody was woken");
        drop(join);
        assert_eq!((Arc::strong_count(&first), Arc::strong_count(&last)), (1, 1), "a waker leaked");
    });
}

/// Claim: the output of a task whose handle is dropped while it ends is dropped once, and so is the join waker.
///
/// Threads: one that drops the handle, which waited before, one that runs the task.
///
/// Breaks if: `complete` looks at `JOIN` before its transition instead of in it, or `join_drop` does not clear
/// `JOIN_WAKER` in the same exchange as `JOIN`.
#[test]
fn dropped_handle_drops_output_and_waker_once() {
    explore(|| {
        let model = Model::new();
        let outputs = Drops::default();
        let made = outputs.clone();
        let mut join = model.spawn(async move { made.guard() });
        let alarm = Arc::new(Alarm::default());
        assert!(!poll(&mut join, &alarm));
        let drops = thread::spawn(move || drop(join));
        model.run();
        drops.join().unwrap();
        assert_eq!(outputs.count(), 1);
        assert_eq!(Arc::strong_count(&alarm), 1, "the join waker leaked");
    });
}

/// Claim: abort, wake and the handle's drop at once end a task exactly once.
///
/// Threads: one that aborts and drops the handle, one that wakes, one that runs.
///
/// Breaks if: any of the three edges is a load and a store instead of an exchange.
#[test]
fn abort_wake_and_drop_at_once_end_the_task_once() {
    explore_within(Some(3), || {
        let model = Model::new();
        let (event, futures, outputs) = (Event::new(), Drops::default(), Drops::default());
        let join = model.spawn(event.wait(&futures, &outputs));
        model.run();
        let waker = event.waker();
        let wakes = thread::spawn({
            let event = event.clone();
            move || {
                event.set();
                waker.wake();
            }
        });
        let aborts = thread::spawn(move || {
            join.abort();
            drop(join);
        });
        model.run();
        wakes.join().unwrap();
        aborts.join().unwrap();
        model.run();
        assert_eq!(futures.count(), 1);
        assert!(outputs.count() <= 1);
        assert_eq!(model.pool.owned.len(), 0);
    });
}
