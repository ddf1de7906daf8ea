//! A worker leaves its park while the watchdog falls asleep.
//!
//! Claim: when a worker is awake, the watchdog is awake or has been told to wake; two workers that leave their parks
//! together do not leave it to each other.
//!
//! Threads: the watchdog; one or two workers, each of which stores "awake" and goes on to poll.
//!
//! Breaks if: either fence of DOZE is gone (`worker_awake`, `fall_asleep`); `fall_asleep` does not look at the workers
//! after its store; `worker_awake` asks `peer_watches` before its fence; `stop` is a plain store.

use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering};

use super::{explore, thread};
use crate::doze::{Doing, Doze, Rouse};

/// What the workers and the watchdog share beside the word.
struct Office {
    doze: Doze,
    /// A worker's counters: 1 while it is awake.
    awake: [AtomicUsize; 2],
    /// The parked set, in two words.
    parked: [AtomicUsize; 2],
    /// How often the thread was told to wake.
    calls: AtomicUsize,
}

impl Office {
    fn new(parked: usize) -> Arc<Self> {
        let doze = Doze::new();
        // It was awake for something before.
        assert_eq!(doze.worker_awake(|| false), Rouse::Wake);
        let awake = [AtomicUsize::new(0), AtomicUsize::new(0)];
        let parked = [AtomicUsize::new(1), AtomicUsize::new(parked - 1)];
        Arc::new(Self { doze, awake, parked, calls: AtomicUsize::new(0) })
    }

    /// Worker `k` leaves its park.
    fn rise(&self, k: usize) {
        self.awake[k].store(1, Ordering::Relaxed);
        self.parked[k].store(0, Ordering::Relaxed);
        match self.doze.worker_awake(|| self.parked.iter().any(|word| word.load(Ordering::Relaxed) > 0)) {
            Rouse::Wake => drop(self.calls.fetch_add(1, Ordering::Relaxed)),
            Rouse::Nothing => {}
        }
    }

    fn all_parked(&self) -> bool {
        self.awake.iter().all(|awake| awake.load(Ordering::Relaxed) == 0)
    }
}

/// `workers` leave their parks, of which there are no others; the watchdog tries to sleep meanwhile.
fn rise_against_sleep(workers: usize) {
    explore(move || {
        let office = Office::new(workers);
        let threads: Vec<_> = (0..workers)
            .map(|k| {
                let office = office.clone();
                thread::spawn(move || office.rise(k))
            })
            .collect();
        let doing = office.doze.fall_asleep(|| office.all_parked());
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        let called = office.calls.load(Ordering::Relaxed) > 0;
        assert!(doing == Doing::Watch || called, "workers poll while the watchdog sleeps");
        assert!(!office.doze.is_asleep());
    });
}

#[test]
fn worker_that_rises_is_watched() {
    rise_against_sleep(1);
}

#[test]
fn workers_that_rise_together_do_not_rely_on_each_other() {
    rise_against_sleep(2);
}

#[test]
fn stopped_watchdog_does_not_sleep() {
    explore(|| {
        let office = Office::new(1);
        let stopper = {
            let office = office.clone();
            thread::spawn(move || office.doze.stop())
        };
        let _ = office.doze.fall_asleep(|| office.all_parked());
        stopper.join().unwrap();
        assert!(office.doze.is_stopped() && !office.doze.is_asleep());
    });
}
