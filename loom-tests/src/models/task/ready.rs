//! A join set's ready list against the ends of its tasks.

use core::future::poll_fn;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::task::{Poll, Waker};
use std::sync::Arc;
use std::task::Wake;

use super::{Model, explore, thread};
use crate::task::Ready;

/// Counts wakes; not loom's, so that counting orders nothing.
#[derive(Default)]
struct Alarm(AtomicUsize);

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Claim: whoever waits for the set gets the key of each task that ends, and none twice.
///
/// Threads: one that waits for two keys, one that runs the tasks.
///
/// Breaks if: `poll_pop` leaves its waker without looking for keys under the same lock, or `push` takes the waiter
/// before it pushes, under another lock.
#[test]
fn waiting_set_gets_each_key_once() {
    explore(|| {
        let model = Model::new();
        let ready = Ready::new();
        let mut tasks: Vec<_> = (0..2).map(|_| model.spawn(async {})).collect();
        for (key, task) in tasks.iter_mut().enumerate() {
            assert!(task.watch(&ready.waker(key)));
        }
        let waits = thread::spawn(move || {
            loom::future::block_on(async {
                let mut keys = Vec::new();
                for _ in 0..2 {
                    keys.push(poll_fn(|cx| ready.poll_pop(cx.waker())).await);
                }
                assert_eq!(ready.pop(), None);
                keys
            })
        });
        model.run();
        assert_eq!(waits.join().unwrap(), [0, 1]);
        assert!(tasks.iter().all(|task| task.is_finished()));
    });
}

/// Claim: a task that ends while it is taken into the set is in the ready list once: by its waker, or by the set that
/// found it ended.
///
/// Threads: one that spawns and watches, one that runs the task.
///
/// Breaks if: `watch` says true although the offer came after the end.
#[test]
fn task_that_ends_while_it_is_inserted_is_ready_once() {
    explore(|| {
        let model = Model::new();
        let ready = Ready::new();
        let mut task = model.spawn(async {});
        let inserts = thread::spawn({
            let ready = ready.clone();
            move || {
                if !task.watch(&ready.waker(0)) {
                    ready.push(0);
                }
                task
            }
        });
        model.run();
        let task = inserts.join().unwrap();
        assert_eq!((ready.pop(), ready.pop()), (Some(0), None));
        assert!(task.is_finished());
    });
}

/// Claim: of two wakers left one after the other, the last is woken.
///
/// Threads: one that polls the set with two wakers, one that pushes a key.
///
/// Breaks if: `poll_pop` keeps the old waker.
#[test]
fn last_waiter_is_woken() {
    explore(|| {
        let ready = Ready::new();
        let (first, last) = (Arc::new(Alarm::default()), Arc::new(Alarm::default()));
        let pushes = thread::spawn({
            let ready = ready.clone();
            move || ready.push(0)
        });
        let mut found = false;
        for alarm in [&first, &last] {
            found = found || ready.poll_pop(&Waker::from(Arc::clone(alarm))) == Poll::Ready(0);
        }
        pushes.join().unwrap();
        assert!(found || last.0.load(Ordering::Relaxed) == 1, "nobody was woken");
    });
}
