//! Waits until a number of tasks have passed, whichever runtime they run on.

use std::future::poll_fn;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use futures::task::AtomicWaker;

/// Opens once `n` have passed. Leaked, so that a task captures one word of it: a few dozen bytes a run.
#[derive(Debug)]
pub(crate) struct Gate {
    left: AtomicUsize,
    waiter: AtomicWaker,
}

impl Gate {
    /// A gate for `n` passers.
    pub(crate) fn new(n: usize) -> &'static Self {
        Box::leak(Box::new(Self { left: AtomicUsize::new(n), waiter: AtomicWaker::new() }))
    }

    /// One has passed.
    pub(crate) fn pass(&self) {
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.waiter.wake();
        }
    }

    /// How many are still to pass.
    pub(crate) fn left(&self) -> usize {
        self.left.load(Ordering::Acquire)
    }

    /// Resolves once all have passed. For one waiter.
    pub(crate) async fn open(&self) {
        poll_fn(|cx| {
            self.waiter.register(cx.waker());
            if self.left() == 0 { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}
