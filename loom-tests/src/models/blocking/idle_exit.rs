//! A submit races with an idle thread whose keep-alive time is over.
//!
//! Claim: the job runs: the leaving thread takes it along, or the submitter starts another thread.
//!
//! Threads: the submitter; one thread of the pool at a time, which may expire whenever it waits.
//!
//! Breaks if: a thread whose wait timed out leaves without looking for a claim first (`thread::run` tests `expired`
//! before `take_claim`), or leaves without taking itself out of `idle`.

use super::{ANY_MOMENT, Fate, Work, explore, pool, thread};

#[test]
fn job_submitted_to_an_expiring_thread_runs() {
    explore(|| {
        let (pool, _) = pool(1, ANY_MOMENT, |_| false);
        let jobs = [Fate::new(), Fate::new()];
        for job in &jobs {
            pool.submit(Work(job.clone())).unwrap();
            job.wait();
        }
        assert!(jobs.iter().all(|job| job.ran() == 1 && job.cancelled() == 0));
    });
}

#[test]
fn jobs_of_two_submitters_run_on_threads_that_come_and_go() {
    explore(|| {
        let (pool, _) = pool(1, ANY_MOMENT, |_| false);
        let (here, there) = (Fate::new(), Fate::new());
        let submitter = thread::spawn({
            let (pool, job) = (pool.clone(), there.clone());
            move || pool.submit(Work(job)).unwrap()
        });
        pool.submit(Work(here.clone())).unwrap();
        here.wait();
        there.wait();
        submitter.join().unwrap();
        assert_eq!((here.ran(), there.ran()), (1, 1));
    });
}
