//! The task word: wakes, polls, aborts and the last reference.

use core::future::{Future, poll_fn};
use core::pin::Pin;
use core::task::Poll;

use super::{Drops, Event, Memory, Model, explore, explore_within, thread};
use crate::task::Lifecycle;

/// Claim: a wake during the poll is never lost: the task is polled again, and sees what was written before the wake.
///
/// Threads: one that sets the event and wakes, one that polls.
///
/// Breaks if: `idle` ignores `NOTIFIED`, or `wake_by_value`'s exchange is `Relaxed`.
#[test]
fn wake_during_the_poll_polls_again() {
    explore(|| {
        let model = Model::new();
        let (event, futures, outputs) = (Event::new(), Drops::default(), Drops::default());
        drop(model.spawn(event.wait(&futures, &outputs)));
        model.run();
        let waker = event.waker();
        waker.wake_by_ref();
        let wakes = thread::spawn({
            let event = event.clone();
            move || {
                event.set();
                waker.wake();
            }
        });
        model.run();
        wakes.join().unwrap();
        model.run();
        assert_eq!((futures.count(), outputs.count()), (1, 1));
    });
}

/// Claim: of two wakers on two threads, the wake of either is seen, and the task is queued once at a time.
///
/// Threads: two that wake (one by reference, one by value), then one that polls what was queued.
///
/// Breaks if: `wake_by_ref` returns without an exchange where it changes nothing.
#[test]
fn two_wakers_queue_one_poll_that_sees_both() {
    explore_within(Some(3), || {
        let model = Model::new();
        let (first, second) = (Event::new(), Event::new());
        let (futures, outputs) = (Drops::default(), Drops::default());
        let (one, other) = (first.wait(&futures, &outputs), second.wait(&futures, &outputs));
        let join = model.spawn(async move {
            let (mut one, mut other) = (one, other);
            let mut outputs = (None, None);
            poll_fn(|cx| {
                if outputs.0.is_none() {
                    if let Poll::Ready(output) = Pin::new(&mut one).poll(cx) {
                        outputs.0 = Some(output);
                    }
                }
                if outputs.1.is_none() {
                    if let Poll::Ready(output) = Pin::new(&mut other).poll(cx) {
                        outputs.1 = Some(output);
                    }
                }
                if outputs.0.is_some() && outputs.1.is_some() { Poll::Ready(()) } else { Poll::Pending }
            })
            .await
        });
        model.run();
        let by_value = first.waker();
        let by_reference = second.waker();
        let wakes = thread::spawn({
            let event = second.clone();
            move || {
                event.set();
                by_reference.wake_by_ref();
            }
        });
        first.set();
        by_value.wake();
        // The poll that follows the join could not miss anything: this one can, the next may not.
        model.run();
        wakes.join().unwrap();
        model.run();
        assert!(join.is_finished());
        drop(join);
        assert_eq!((futures.count(), outputs.count()), (2, 2));
    });
}

/// Claim: an abort that races with the task's end drops the future once and the output at most once, whoever wins; it
/// is never lost.
///
/// Threads: one that aborts, one that wakes the task and polls it to its end.
///
/// Breaks if: `idle` does not look at `ABORTED`, or `abort` of an idle task does not submit it.
#[test]
fn abort_racing_the_poll_ends_the_task_once() {
    explore(|| {
        let model = Model::new();
        let (event, futures, outputs) = (Event::new(), Drops::default(), Drops::default());
        let join = model.spawn(event.wait(&futures, &outputs));
        let abort = join.abort_handle();
        let aborts = thread::spawn(move || abort.abort());
        model.run(); // pending: only the abort ends it
        aborts.join().unwrap();
        model.run();
        assert!(join.is_finished());
        drop(join);
        assert_eq!((futures.count(), outputs.count()), (1, 0));
    });
}

/// Claim: a task that finished first wins over the abort, and its output is dropped once.
///
/// Threads: one that aborts, one that polls a task that is ready.
///
/// Breaks if: `abort` does not leave a complete task alone.
#[test]
fn abort_racing_completion_drops_output_once() {
    explore(|| {
        let model = Model::new();
        let (event, futures, outputs) = (Event::new(), Drops::default(), Drops::default());
        event.set();
        let join = model.spawn(event.wait(&futures, &outputs));
        let abort = join.abort_handle();
        let aborts = thread::spawn(move || {
            abort.abort();
            abort.is_finished()
        });
        model.run();
        let _ = aborts.join().unwrap();
        assert!(model.next().is_none(), "a complete task was submitted");
        drop(join);
        assert_eq!(futures.count(), 1);
        assert!(outputs.count() <= 1);
        drop(event.waker.lock().unwrap().take());
    });
}

/// Claim: the plain stores of start, reschedule and completion lose nothing: they happen only while no handle exists.
///
/// Threads: one that drops the join handle, one that polls a task that is ready.
///
/// Breaks if: `start` or `complete` takes three references for exclusive, or does not look at `JOIN`.
#[test]
fn plain_stores_race_with_no_handle() {
    explore(|| {
        let model = Model::new();
        let outputs = Drops::default();
        let join = model.spawn({
            let outputs = outputs.clone();
            async move { outputs.guard() }
        });
        let drops = thread::spawn(move || drop(join));
        model.run();
        drops.join().unwrap();
        assert_eq!(outputs.count(), 1);
        assert_eq!(model.pool.owned.len(), 0);
    });
}

/// Claim: every use of a cell happens before it is freed, whoever has the last reference.
///
/// Threads: one that wakes and drops its waker, one that drops an abort handle, one that runs and frees.
///
/// Breaks if: FREE is `Relaxed` (both the load and the subtraction of `drop_references`, or `wake_by_value`'s exchange).
#[test]
fn uses_of_a_cell_happen_before_its_free() {
    explore(|| {
        let model = Model::new();
        let (event, futures, outputs) = (Event::new(), Drops::default(), Drops::default());
        drop(model.spawn(event.wait(&futures, &outputs)));
        model.run();
        let waker = event.waker();
        event.set();
        let wakes = thread::spawn(move || {
            waker.wake_by_ref();
            drop(waker);
        });
        model.run();
        wakes.join().unwrap();
        model.run();
        assert_eq!((futures.count(), outputs.count()), (1, 1));
    });
}

/// Claim: a snapshot reads a task's words while it runs, and blocks nobody.
///
/// Threads: one that takes a snapshot, one that runs the task to its end.
///
/// Breaks if: `remove` does not take the lock before the cell is freed (`release` returns true without unlinking).
#[test]
fn snapshot_races_with_completion() {
    explore(|| {
        let model = Model::new();
        let memory = Memory::new();
        drop(model.spawn(async move { memory.write() }));
        let pool = model.pool.clone();
        let reads = thread::spawn(move || pool.owned.snapshot());
        model.run();
        for task in reads.join().unwrap() {
            assert_ne!(task.lifecycle, Lifecycle::Waiting);
        }
        assert_eq!(model.pool.owned.snapshot().len(), 0);
    });
}
