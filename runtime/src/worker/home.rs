//! A task's hold on its scheduler.
//!
//! It is a strong reference, like an `Arc`'s. A count that every spawn and every end of a task changes would be torn from
//! core to core, so workers keep a *stock* of references: a task's hold is taken out of the stock of the worker that
//! spawns it, and goes to the stock of the worker that frees it. The count itself is changed once in a while, many at a
//! time.

use std::cell::Cell;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::sync::Arc;

use super::local::Local;
use super::scheduler::Scheduler;

/// How many references a stock draws or gives back at a time.
const BATCH: usize = 128;

/// A strong reference to the scheduler.
#[derive(Debug)]
pub(crate) struct Home {
    /// Stands for a counted reference, of a stock or drawn for this one.
    scheduler: ManuallyDrop<Arc<Scheduler>>,
}

/// References to the scheduler that are counted and that no task has.
#[derive(Debug)]
pub(crate) struct Stock {
    scheduler: *const Scheduler,
    left: Cell<usize>,
}

impl Home {
    /// A hold for a task that is spawned here.
    #[inline]
    pub(crate) fn of(scheduler: &Arc<Scheduler>) -> Self {
        let pointer = Arc::as_ptr(scheduler);
        Local::with(pointer, |local| match local {
            Some(local) => local.stock().take(),
            // SAFETY: the pointer is of an `Arc`, which the caller keeps.
            None => unsafe { Arc::increment_strong_count(pointer) },
        });
        // SAFETY: the pointer is of an `Arc`, and the reference was counted above.
        Self { scheduler: ManuallyDrop::new(unsafe { Arc::from_raw(pointer) }) }
    }
}

impl Deref for Home {
    type Target = Arc<Scheduler>;

    #[inline]
    fn deref(&self) -> &Arc<Scheduler> {
        &self.scheduler
    }
}

impl Drop for Home {
    #[inline]
    fn drop(&mut self) {
        let pointer = Arc::as_ptr(&self.scheduler);
        Local::with(pointer, |local| match local {
            Some(local) => local.stock().put_back(),
            // SAFETY: the pointer is of an `Arc`, and the reference is this one's, which is not used again.
            None => unsafe { Arc::decrement_strong_count(pointer) },
        });
    }
}

impl Stock {
    /// An empty one. Its owner keeps the scheduler for as long as it lives.
    pub(super) fn new(scheduler: &Arc<Scheduler>) -> Self {
        Self { scheduler: Arc::as_ptr(scheduler), left: Cell::new(0) }
    }

    #[inline]
    fn take(&self) {
        if self.left.get() == 0 {
            self.draw();
        }
        self.left.set(self.left.get() - 1);
    }

    #[inline]
    fn put_back(&self) {
        self.left.set(self.left.get() + 1);
        if self.left.get() > 2 * BATCH {
            self.give_back(BATCH);
        }
    }

    #[cold]
    fn draw(&self) {
        for _ in 0..BATCH {
            // SAFETY: the pointer is of an `Arc`, which the owner keeps.
            unsafe { Arc::increment_strong_count(self.scheduler) };
        }
        self.left.set(BATCH);
    }

    #[cold]
    fn give_back(&self, count: usize) {
        self.left.set(self.left.get() - count);
        for _ in 0..count {
            // SAFETY: the pointer is of an `Arc`, and the references were the stock's.
            unsafe { Arc::decrement_strong_count(self.scheduler) };
        }
    }
}

impl Drop for Stock {
    fn drop(&mut self) {
        self.give_back(self.left.get());
    }
}
