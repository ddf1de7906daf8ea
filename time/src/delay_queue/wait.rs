//! How a delay queue waits for its head: the sleep, and the waker of the task that polled last.
//!
//! - Only polls arm the sleep. A change that makes the head *earlier* wakes the task, and the poll that follows arms.
//!   Hence no insert or reset takes a lock, or fails for want of a runtime.
//! - A change that makes the head *later*, or leaves none, pushes the armed sleep back at once, which takes no lock
//!   either: no wake-up comes for an item that went.

use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use std::time::Duration;

use crate::sleep::{Sleep, sleep};
use crate::{Error, Instant};

#[derive(Debug)]
pub(super) struct Wait {
    sleep: Pin<Box<Sleep>>,
    /// A reading of the clock: heads up to here are due without another one.
    due_until: Option<Instant>,
    /// Of the last poll, if it found nothing to hand out and has not been woken since.
    waker: Option<Waker>,
}

impl Wait {
    pub(super) fn new() -> Self {
        Self { sleep: Box::pin(sleep(Duration::MAX)), due_until: None, waker: None }
    }

    /// The present, by the clock of the timers that the queue belongs to.
    pub(super) fn now(&self) -> Instant {
        self.sleep.now()
    }

    /// Waits for the head's deadline. Spends budget each time that it has been reached.
    pub(super) fn poll(&mut self, head: Instant, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.aim(head);
        let reached = self.sleep.as_mut().try_poll_elapsed(cx);
        if reached.is_ready() {
            // A queue that hands out an item owes no wake-up.
            self.waker = None;
        } else {
            self.keep_waker(cx);
        }
        reached
    }

    /// A poll that found no head.
    pub(super) fn poll_empty(&mut self, cx: &Context<'_>) {
        self.keep_waker(cx);
    }

    /// After an insert or a reset that may have moved the head.
    pub(super) fn head_moved(&mut self, before: Option<Instant>, head: Instant) {
        if before.is_none_or(|before| head < before) {
            self.wake();
        } else {
            self.head_receded(Some(head));
        }
    }

    /// After a change that may have made the head later, or left none.
    pub(super) fn head_receded(&mut self, head: Option<Instant>) {
        self.push_back(head.unwrap_or(Instant::FAR_FUTURE));
        if head.is_none() {
            self.wake();
        }
    }

    /// Points the sleep at the head, unless it has run out already and the head is due too.
    fn aim(&mut self, head: Instant) {
        if self.sleep.deadline() == head {
            return;
        }
        if self.sleep.is_elapsed() {
            if self.due_until < Some(head) {
                self.due_until = Some(self.sleep.now());
            }
            if Some(head) <= self.due_until {
                return;
            }
        }
        // A waker that comes back is of this very task, which is polling.
        drop(self.sleep.as_mut().set_deadline(head));
    }

    /// Moves an armed sleep to a later deadline. One that has run out stays as it is: its wake-up is on the way.
    fn push_back(&mut self, deadline: Instant) {
        if self.sleep.deadline() < deadline && !self.sleep.is_elapsed() {
            self.sleep.as_mut().reset(deadline);
        }
    }

    fn keep_waker(&mut self, cx: &Context<'_>) {
        match &mut self.waker {
            Some(waker) => waker.clone_from(cx.waker()),
            none => *none = Some(cx.waker().clone()),
        }
    }

    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}
