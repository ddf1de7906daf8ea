//! A local set's inbox against its polls and its end.

use std::collections::VecDeque;

use core::future::poll_fn;
use core::task::Poll;

use super::{Drops, Event, explore, thread};
use crate::sync::Arc;
use crate::task::{Id, Inbox, Kind, Meta, Notified, Owned, Schedule, Spawned, Task, spawn};

/// A local set's shared part, with its thread left to the model.
#[derive(Clone)]
struct Set(Arc<Shared>);

struct Shared {
    inbox: Inbox,
    owned: Owned,
}

impl Set {
    fn new() -> Self {
        Self(Arc::new(Shared { inbox: Inbox::new(), owned: Owned::new(1) }))
    }

    /// Spawns a task and polls it once.
    fn spawn(&self, event: &Event, futures: &Drops, outputs: &Drops) {
        self.queued(event, futures, outputs).run();
    }

    /// Spawns a task, for the caller to poll.
    fn queued(&self, event: &Event, futures: &Drops, outputs: &Drops) -> Notified {
        let location = core::panic::Location::caller();
        let meta = Meta { id: Id::next(), kind: Kind::Local, name: None, location };
        let Spawned { owned, notified, join } = spawn(event.wait(futures, outputs), self.clone(), meta);
        self.0.owned.bind(owned).expect("open");
        drop(join);
        notified
    }
}

impl Schedule for Set {
    fn schedule(&self, task: Notified) {
        let shared = Arc::clone(&self.0);
        shared.inbox.push(task);
    }

    fn reschedule(&self, task: Notified) {
        self.schedule(task);
    }

    fn release(&self, task: &Task) -> bool {
        self.0.owned.remove(task)
    }
}

/// Claim: a task woken by another thread is run by the set's thread, which sleeps only while the inbox is empty.
///
/// Threads: the set's, and one that wakes.
///
/// Breaks if: `take` leaves its waker without taking the tasks under the same lock.
#[test]
fn remote_wake_reaches_the_sleeping_set() {
    explore(|| {
        let set = Set::new();
        let (event, futures, outputs) = (Event::new(), Drops::default(), Drops::default());
        set.spawn(&event, &futures, &outputs);
        let waker = event.waker();
        let wakes = thread::spawn(move || {
            event.set();
            waker.wake();
        });
        loom::future::block_on(poll_fn(|cx| {
            let mut tasks = VecDeque::new();
            set.0.inbox.take(&mut tasks, 0, cx.waker());
            for task in tasks {
                task.run();
            }
            if set.0.owned.is_empty() { Poll::Ready(()) } else { Poll::Pending }
        }));
        wakes.join().unwrap();
        assert_eq!((futures.count(), outputs.count()), (1, 1));
    });
}

/// Claim: a waiter that goes away leaves the rest to the others, also what it took in and did not run: whoever waits for
/// the set looks again.
///
/// Threads: the set's, where one future waits for the set and a second one looks, has a task left over, and is dropped;
/// one that wakes another task meanwhile.
///
/// Breaks if: `leave` wakes nobody, or takes nothing but its own waker out (the task that is left over is run by nobody).
#[test]
fn a_waiter_that_leaves_hands_over_to_the_others() {
    explore(|| {
        let set = Set::new();
        let (event, futures, outputs) = (Event::new(), Drops::default(), Drops::default());
        set.spawn(&event, &futures, &outputs);
        let waker = event.waker();
        let wakes = thread::spawn(move || {
            event.set();
            waker.wake();
        });
        let ready = Event::new();
        ready.set();
        let mut queue = VecDeque::new();
        let mut first = true;
        loom::future::block_on(poll_fn(|cx| {
            set.0.inbox.take(&mut queue, 2, cx.waker());
            if core::mem::take(&mut first) {
                set.0.inbox.take(&mut queue, 1, std::task::Waker::noop());
                queue.push_back(set.queued(&ready, &futures, &outputs));
                set.0.inbox.leave(1);
                return Poll::Pending;
            }
            while let Some(task) = queue.pop_front() {
                task.run();
            }
            if set.0.owned.is_empty() { Poll::Ready(()) } else { Poll::Pending }
        }));
        wakes.join().unwrap();
        assert_eq!((futures.count(), outputs.count()), (2, 2));
    });
}

/// Claim: a wake that races with the set's end drops no future on its own thread, and the cell lives until it is done.
///
/// Threads: the set's, which ends, and one that wakes.
///
/// Breaks if: `push` drops a refused task as a notified reference, which cancels it, instead of giving it up.
#[test]
fn remote_wake_racing_the_end_leaves_the_future_to_the_set() {
    explore(|| {
        let set = Set::new();
        let (event, futures, outputs) = (Event::new(), Drops::default(), Drops::default());
        set.spawn(&event, &futures, &outputs);
        let waker = event.waker();
        let here = thread::current().id();
        futures.only_on(here);
        let wakes = thread::spawn(move || waker.wake());
        let refused = set.0.inbox.close();
        set.0.owned.close_and_cancel_all();
        assert_eq!(futures.count(), 1, "the end left a future");
        drop(refused);
        wakes.join().unwrap();
        assert_eq!((futures.count(), outputs.count()), (1, 0));
    });
}
