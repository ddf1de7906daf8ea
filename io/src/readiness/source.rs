//! One registered source: its readiness word and its waiters.
//!
//! The lost-wakeup argument: the lock of the waiters stands between the word and them.
//!
//! | waiter | seat's holder |
//! | --- | --- |
//! | lock | publish the event in the word |
//! | read the word: not ready | lock |
//! | leave the waker | take the wakers |
//! | unlock | unlock |
//!
//! If the waiter's lock comes second, it sees the event in the word (the unlock before it orders the two) and does
//! not wait. If it comes first, the seat's holder finds the waker. Either way nobody sleeps over an event.
//! Shutting down is an event that answers everybody.

use alloc::vec::Vec;
use core::task::{Context, Poll, Waker};

use super::cell::{Cleared, ReadinessCell, Snapshot};
use super::interest::{Interest, Ready};
use super::waiters::{Key, Left, Waiters};
use crate::sync::Mutex;

/// What the reactor and the owner of a source share.
#[derive(Debug)]
pub(crate) struct Source {
    cell: ReadinessCell,
    waiters: Mutex<Waiters>,
}

/// Where a future waits between two polls. `Default` means nowhere.
#[derive(Debug, Default)]
pub(crate) struct Waiting(Option<Key>);

impl Source {
    /// A source that is taken to be ready for `initial` until a system call disproves it.
    pub(crate) fn new(initial: Ready) -> Self {
        Self { cell: ReadinessCell::new(initial), waiters: Mutex::new(Waiters::default()) }
    }

    /// What is known now, without waiting.
    pub(crate) fn observe(&self) -> Snapshot {
        self.cell.observe()
    }

    /// Takes readiness back that a system call disproved; see [`ReadinessCell::clear`].
    pub(crate) fn clear(&self, seen: Snapshot, ready: Ready) -> Cleared {
        self.cell.clear(seen, ready)
    }

    /// An event: everybody it answers goes to `wakes`.
    pub(crate) fn event(&self, ready: Ready, wakes: &mut Vec<Waker>) {
        self.cell.publish(ready);
        self.waiters.lock().take(ready, wakes);
    }

    /// No event will ever come again: everybody goes to `wakes`.
    pub(crate) fn shut_down(&self, wakes: &mut Vec<Waker>) {
        self.cell.shut_down();
        self.waiters.lock().take(Ready::ALL, wakes);
    }

    /// Waits in the exclusive slot of a caller that has the source to itself: only its last waker counts.
    pub(crate) fn poll_exclusive(&self, cx: &Context<'_>, interest: Interest) -> Poll<Snapshot> {
        let seen = self.cell.observe();
        if seen.answers(interest) {
            return Poll::Ready(seen);
        }
        let waker = cx.waker().clone();
        let mut waiters = self.waiters.lock();
        let seen = self.cell.observe();
        let (poll, left) = if seen.answers(interest) {
            (Poll::Ready(seen), Some(waker))
        } else {
            (Poll::Pending, waiters.set_exclusive(interest, waker))
        };
        drop(waiters);
        drop(left);
        poll
    }

    /// Waits among any number of others.
    pub(crate) fn poll_shared(&self, cx: &Context<'_>, interest: Interest) -> Poll<Snapshot> {
        let seen = self.cell.observe();
        if seen.answers(interest) {
            return Poll::Ready(seen);
        }
        let waker = cx.waker().clone();
        let mut waiters = self.waiters.lock();
        let seen = self.cell.observe();
        let (poll, left) = if seen.answers(interest) {
            (Poll::Ready(seen), Left::Spare(waker))
        } else {
            (Poll::Pending, waiters.add_shared(interest, waker))
        };
        drop(waiters);
        match left {
            Left::Nothing => {}
            Left::Spare(waker) => drop(waker),
            Left::Displaced(waker) => waker.wake(),
        }
        poll
    }

    /// Waits among any number of others, in an entry of its own that [`cancel`](Self::cancel) takes out again.
    pub(crate) fn poll_waiting(&self, cx: &Context<'_>, interest: Interest, waiting: &mut Waiting) -> Poll<Snapshot> {
        let seen = self.cell.observe();
        if seen.answers(interest) {
            return Poll::Ready(seen);
        }
        let waker = cx.waker().clone();
        let mut waiters = self.waiters.lock();
        let seen = self.cell.observe();
        let (poll, left) = if seen.answers(interest) {
            (Poll::Ready(seen), Some(waker))
        } else {
            let (key, left) = match waiting.0 {
                None => (waiters.insert(interest, waker), None),
                Some(key) => match waiters.update(key, waker) {
                    Ok(old) => (key, Some(old)),
                    Err(waker) => (waiters.insert(interest, waker), None),
                },
            };
            waiting.0 = Some(key);
            (Poll::Pending, left)
        };
        drop(waiters);
        drop(left);
        poll
    }

    /// The future is gone: its entry, if it still waits, goes too.
    pub(crate) fn cancel(&self, waiting: &mut Waiting) {
        if let Some(key) = waiting.0.take() {
            let waker = self.waiters.lock().remove(key);
            drop(waker);
        }
    }
}
