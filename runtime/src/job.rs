//! A blocking job inside of `block_on`.
//!
//! The simulated clock waits for blocking jobs, since nobody knows what they are about. Of a job that is inside of
//! `block_on` of its own runtime it is known: while that sleeps, it waits for the runtime, and a clock that waited for it
//! would wait for ever. So such a job counts as one of the callers of `block_on`, and not as a job, until it is out
//! again.
//!
//! It is counted anew before the old count is taken back, both when it goes in and when it comes out, and the count of
//! the callers tells of each change ([`Activity`](crate::park::Activity)): whoever decides about the clock sees it in one
//! of the two, or sees that something changed meanwhile.

use std::cell::Cell;
use std::ptr;

use crate::later::Later;
use crate::services::Services;

thread_local! {
    /// Whose pool the thread is of; null for none. Set by [`enter_pool`].
    static POOL: Cell<*const ()> = const { Cell::new(ptr::null()) };
    /// The thread runs a job that is counted as one.
    static COUNTED: Cell<bool> = const { Cell::new(false) };
}

/// This thread is one of the pool of that scheduler for as long as it lives, and so does `scheduler`.
pub(crate) fn enter_pool(scheduler: &Later) {
    POOL.set(scheduler.address());
}

/// Runs a job, on a thread of its pool.
pub(crate) fn run(job: impl FnOnce()) {
    let _counted = Counted { before: COUNTED.replace(true) };
    job();
}

/// Restores what was counted.
struct Counted {
    before: bool,
}

impl Drop for Counted {
    fn drop(&mut self) {
        COUNTED.set(self.before);
    }
}

/// A job that counts as a caller of `block_on`; as a job again when this is dropped.
#[must_use]
pub(crate) struct AsCaller<'a>(Option<&'a Services>);

impl<'a> AsCaller<'a> {
    /// The thread is counted as a caller of `block_on`: if it runs a job of the same runtime, it is one no longer.
    pub(crate) fn new(services: &'a Services) -> Self {
        // Err: the thread ends, and runs no job.
        let pool = POOL.try_with(Cell::get).unwrap_or(ptr::null());
        if !ptr::eq(pool, services.pooling.scheduler().address()) || !COUNTED.replace(false) {
            return Self(None);
        }
        services.pool.count_out();
        Self(Some(services))
    }
}

impl Drop for AsCaller<'_> {
    fn drop(&mut self) {
        if let Some(services) = self.0 {
            services.pool.count_in();
            COUNTED.set(true);
        }
    }
}
