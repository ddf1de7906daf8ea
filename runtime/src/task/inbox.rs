//! The tasks of a local set that other threads woke.
//!
//! # Protocol
//!
//! - a waker, on any thread: push the task and take the waiters, under the lock; wake them, outside.
//! - the set's thread: take all tasks and leave the waiter, under the lock. Several futures may wait for one set; any of
//!   them may go away without looking again, so all are woken.
//! - a waiter that goes away: takes its waker out, and wakes the others, who now have to look in its place.
//! - the set's end: closed, under the lock; the set then cancels all its tasks. A task that comes later is refused: its
//!   reference is given up where it is, its future is the closing's to drop, on its own thread.
//!
//! # Models
//!
//! `loom-tests/src/models/task/inbox.rs`.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::fmt;
use core::task::Waker;

use super::Notified;
use crate::hooks::contain;
use crate::sync::Mutex;

/// A queue from many threads to one that is polled.
pub(crate) struct Inbox {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    tasks: VecDeque<Notified>,
    /// By the numbers that the waiters gave themselves; few.
    waiters: Vec<(usize, Waker)>,
    closed: bool,
}

impl Inbox {
    pub(crate) fn new() -> Self {
        Self { state: Mutex::new(State::default()) }
    }

    /// Queues a task and wakes the set's thread. Once closed, the task's reference is given up: the set cancels it.
    pub(crate) fn push(&self, task: Notified) {
        let mut state = self.state.lock();
        if state.closed {
            drop(state);
            task.abandon();
            return;
        }
        state.tasks.push_back(task);
        let waiters = core::mem::take(&mut state.waiters);
        drop(state);
        wake_all(waiters);
    }

    /// Wakes the set's thread, for something that was not pushed here.
    pub(crate) fn wake(&self) {
        let waiters = core::mem::take(&mut self.state.lock().waiters);
        wake_all(waiters);
    }

    /// Moves the tasks to the end of `tasks`; `waker`, which waiter `number` leaves, is woken by the next push.
    pub(crate) fn take(&self, tasks: &mut VecDeque<Notified>, number: usize, waker: &Waker) {
        {
            let mut state = self.state.lock();
            if state.waiters.iter().any(|(left, known)| *left == number && known.will_wake(waker)) {
                tasks.append(&mut state.tasks);
                return;
            }
        }
        // Wakers are cloned and dropped outside the lock. The tasks are taken after that: a clone that panics loses none.
        let mut waiter = waker.clone();
        let mut state = self.state.lock();
        tasks.append(&mut state.tasks);
        let old = match state.waiters.iter_mut().find(|(left, _)| *left == number) {
            Some((_, known)) => {
                core::mem::swap(known, &mut waiter);
                Some(waiter)
            }
            None => {
                state.waiters.push((number, waiter));
                None
            }
        };
        drop(state);
        drop(old);
    }

    /// Waiter `number` is gone: the others are woken.
    pub(crate) fn leave(&self, number: usize) {
        let mut waiters = core::mem::take(&mut self.state.lock().waiters);
        if let Some(at) = waiters.iter().position(|(left, _)| *left == number) {
            let (_, own) = waiters.swap_remove(at);
            contain(|| drop(own));
        }
        wake_all(waiters);
    }

    /// Refuses tasks from now on, and returns those that are queued.
    pub(crate) fn close(&self) -> VecDeque<Notified> {
        let (tasks, waiters) = {
            let mut state = self.state.lock();
            state.closed = true;
            (core::mem::take(&mut state.tasks), core::mem::take(&mut state.waiters))
        };
        for (_, waiter) in waiters {
            contain(|| drop(waiter));
        }
        tasks
    }
}

/// A waker that panics keeps no other from its call.
fn wake_all(waiters: Vec<(usize, Waker)>) {
    for (_, waiter) in waiters {
        contain(|| waiter.wake());
    }
}

impl fmt::Debug for Inbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inbox").finish_non_exhaustive()
    }
}
