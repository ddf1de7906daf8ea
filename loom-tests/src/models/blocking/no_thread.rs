//! Submits race while the system refuses to start threads.
//!
//! Claim: a job is run by a thread that is alive, or cancelled when none is; nobody waits for one for ever.
//!
//! Threads: two submitters; at most one thread of the pool.
//!
//! Breaks if: whoever fails to start the last thread takes only its own job out of the queue (`State::not_started`
//! returns one job), or takes none while others are still being started and these fail too.

use super::{ANY_MOMENT, Fate, Work, explore, pool, thread};

/// Two submitters at once, with starts refused as `refuse` says; both jobs end once.
fn both_end_once(refuse: fn(usize) -> bool) {
    explore(move || {
        let (pool, _) = pool(2, ANY_MOMENT, refuse);
        let (here, there) = (Fate::new(), Fate::new());
        let submitter = thread::spawn({
            let (pool, job) = (pool.clone(), there.clone());
            move || pool.submit(Work(job))
        });
        let refused = pool.submit(Work(here.clone())).is_err();
        here.wait();
        there.wait();
        let refused = refused | submitter.join().unwrap().is_err();
        for job in [&here, &there] {
            assert_eq!(job.ran() + job.cancelled(), 1);
        }
        assert_eq!(refused, here.cancelled() + there.cancelled() > 0);
        assert!(!pool.is_busy() || here.ran() + there.ran() > 0);
    });
}

#[test]
fn jobs_are_cancelled_when_no_thread_can_be_had() {
    both_end_once(|_| true);
}

#[test]
fn job_waits_for_the_thread_that_is_alive() {
    both_end_once(|index| index == 1);
}

#[test]
fn refusal_of_the_first_thread_leaves_its_job_to_the_second() {
    both_end_once(|index| index == 0);
}
