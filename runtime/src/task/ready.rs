//! Which tasks of a join set have ended, in the order in which they did.
//!
//! Each task's join waker carries a key; waking it puts the key into a queue and wakes whoever waits for the set. So the
//! set looks at the tasks that ended, and at no other.
//!
//! # Protocol
//!
//! - completion: push the key and take the waiter, under the lock; wake it, outside.
//! - the set: take a key or leave the waiter, under the lock.
//!
//! A waiter that was left before the push is taken by it; one that comes after finds the key.
//!
//! # Models
//!
//! `loom-tests/src/models/task/ready.rs`.

use alloc::collections::VecDeque;
use alloc::sync::Arc;
use alloc::task::Wake;
use core::fmt;
use core::task::{Poll, Waker};

use crate::sync::Mutex;

/// The keys of the tasks that ended and were not taken yet.
pub(crate) struct Ready {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    keys: VecDeque<usize>,
    waiter: Option<Waker>,
}

/// A task's join waker: woken once, at the task's end.
struct Entry {
    ready: Arc<Ready>,
    key: usize,
}

impl Ready {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { state: Mutex::new(State::default()) })
    }

    /// The waker that says that the task `key` ended.
    pub(crate) fn waker(self: &Arc<Self>, key: usize) -> Waker {
        Waker::from(Arc::new(Entry { ready: Arc::clone(self), key }))
    }

    /// Says that the task `key` ended.
    pub(crate) fn push(&self, key: usize) {
        let waiter = {
            let mut state = self.state.lock();
            state.keys.push_back(key);
            state.waiter.take()
        };
        if let Some(waiter) = waiter {
            waiter.wake();
        }
    }

    /// The next task that ended, if there is one.
    pub(crate) fn pop(&self) -> Option<usize> {
        self.state.lock().keys.pop_front()
    }

    /// The next task that ended; else `waker` is woken when one does.
    pub(crate) fn poll_pop(&self, waker: &Waker) -> Poll<usize> {
        {
            let mut state = self.state.lock();
            if let Some(key) = state.keys.pop_front() {
                return Poll::Ready(key);
            }
            if state.waiter.as_ref().is_some_and(|waiter| waiter.will_wake(waker)) {
                return Poll::Pending;
            }
        }
        // Wakers are cloned and dropped outside the lock.
        let mut waiter = Some(waker.clone());
        let key = {
            let mut state = self.state.lock();
            let key = state.keys.pop_front();
            if key.is_none() {
                core::mem::swap(&mut state.waiter, &mut waiter);
            }
            key
        };
        drop(waiter);
        key.map_or(Poll::Pending, Poll::Ready)
    }
}

impl Wake for Entry {
    fn wake(self: Arc<Self>) {
        self.ready.push(self.key);
    }
}

impl fmt::Debug for Ready {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ready").finish_non_exhaustive()
    }
}
