//! Somebody asks whether the pool is busy while a job ends.
//!
//! Claim: once the pool is not busy, what its jobs did is done and can be seen; a job that was accepted keeps it busy.
//!
//! Threads: the one that submits and asks; a thread of the pool.
//!
//! Breaks if: DRAINED.publish or DRAINED.observe is Relaxed.

use core::time::Duration;

use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering};

use super::{Threads, explore, host};
use crate::blocking::{Config, Job, Pool, Wait};

/// Writes, in no order with anything.
struct Write(Arc<AtomicUsize>);

impl Job for Write {
    fn run(self) {
        self.0.store(1, Ordering::Relaxed);
    }

    fn cancel(self) {}
}

#[test]
fn pool_that_is_not_busy_shows_what_its_jobs_did() {
    explore(|| {
        let config = Config { max_threads: 1, keep_alive: Duration::MAX };
        let (host, _) = host(|_| false);
        let pool: Pool<Write, Threads> = Pool::new(config, host);
        let done = Arc::new(AtomicUsize::new(0));
        pool.submit(Write(done.clone())).unwrap();
        if !pool.is_busy() {
            assert_eq!(done.load(Ordering::Relaxed), 1, "the job is not done");
        }
        assert!(pool.shutdown(Wait::AtMost(Duration::MAX)));
        assert!(!pool.is_busy());
    });
}
