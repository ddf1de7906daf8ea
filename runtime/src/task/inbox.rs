//! The tasks of a local set that other threads woke.
//!
//! # Protocol
//!
//! - a waker, on any thread: push the task and take the waiter, under the lock; wake it, outside.
//! - the set's thread: take all tasks and leave the waiter, under the lock.
//! - the set's end: closed, under the lock; the set then cancels all its tasks. A task that comes later is refused: its
//!   reference is given up where it is, its future is the closing's to drop, on its own thread.
//!
//! # Models
//!
//! `loom-tests/src/models/task/inbox.rs`.

use alloc::collections::VecDeque;
use core::fmt;
use core::task::Waker;

use super::Notified;
use crate::sync::Mutex;

/// A queue from many threads to one that is polled.
pub(crate) struct Inbox {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    tasks: VecDeque<Notified>,
    waiter: Option<Waker>,
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
        let waiter = state.waiter.take();
        drop(state);
        if let Some(waiter) = waiter {
            waiter.wake();
        }
    }

    /// Wakes the set's thread, for something that was not pushed here.
    pub(crate) fn wake(&self) {
        let waiter = self.state.lock().waiter.take();
        if let Some(waiter) = waiter {
            waiter.wake();
        }
    }

    /// Moves the tasks to the end of `tasks`; `waker` is woken by the next push.
    pub(crate) fn take(&self, tasks: &mut VecDeque<Notified>, waker: &Waker) {
        {
            let mut state = self.state.lock();
            tasks.append(&mut state.tasks);
            if state.waiter.as_ref().is_some_and(|waiter| waiter.will_wake(waker)) {
                return;
            }
        }
        // Wakers are cloned and dropped outside the lock.
        let mut waiter = Some(waker.clone());
        {
            let mut state = self.state.lock();
            tasks.append(&mut state.tasks);
            core::mem::swap(&mut state.waiter, &mut waiter);
        }
        drop(waiter);
    }

    /// Refuses tasks from now on, and returns those that are queued.
    pub(crate) fn close(&self) -> VecDeque<Notified> {
        let (tasks, waiter) = {
            let mut state = self.state.lock();
            state.closed = true;
            (core::mem::take(&mut state.tasks), state.waiter.take())
        };
        super::contain(|| drop(waiter));
        tasks
    }
}

impl fmt::Debug for Inbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inbox").finish_non_exhaustive()
    }
}
