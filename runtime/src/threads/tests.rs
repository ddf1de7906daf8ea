//! The blocking pool on real threads.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Barrier, Mutex};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use super::Threads;
use crate::blocking::{Config, Figures, Job, NoThread, Pool, Refused, Wait};

const PATIENCE: Duration = Duration::from_secs(20);
const LONG: Duration = Duration::from_secs(3600);
const EAGAIN: i32 = 11;

/// A closure, and where to say that it was cancelled instead.
struct Work {
    run: Box<dyn FnOnce() + Send>,
    cancelled: Arc<AtomicUsize>,
}

impl Job for Work {
    fn run(self) {
        (self.run)();
    }

    fn cancel(self) {
        self.cancelled.fetch_add(1, Ordering::SeqCst);
    }
}

/// A pool and how many of its jobs were cancelled.
struct Rig {
    pool: Pool<Work, Threads>,
    cancelled: Arc<AtomicUsize>,
}

impl Rig {
    fn new(max_threads: usize, keep_alive: Duration) -> Self {
        Self::with(max_threads, keep_alive, threads())
    }

    fn with(max_threads: usize, keep_alive: Duration, threads: Threads) -> Self {
        let pool = Pool::new(Config { max_threads, keep_alive }, threads);
        Self { pool, cancelled: Arc::default() }
    }

    fn submit(&self, run: impl FnOnce() + Send + 'static) -> Result<(), Refused> {
        self.pool.submit(Work { run: Box::new(run), cancelled: self.cancelled.clone() })
    }

    /// A job that runs until the returned sender is dropped; it has started when this returns.
    fn occupy(&self) -> Sender<()> {
        let (started, is_started) = channel();
        let (release, released) = channel::<()>();
        self.submit(move || {
            started.send(()).unwrap();
            wait_for(&released);
        })
        .unwrap();
        is_started.recv_timeout(PATIENCE).unwrap();
        release
    }

    fn cancelled(&self) -> usize {
        self.cancelled.load(Ordering::SeqCst)
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        self.pool.shutdown(Wait::Not);
    }
}

fn threads() -> Threads {
    Threads::new(Arc::new(|index| format!("pool-{index}")), None)
}

fn wait_for(released: &Receiver<()>) {
    assert_eq!(released.recv_timeout(PATIENCE), Err(RecvTimeoutError::Disconnected));
}

fn eventually(what: &str, condition: impl Fn() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < end, "{what}: not in {PATIENCE:?}");
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn pool_grows_to_its_maximum_and_queues_the_rest() {
    let rig = Rig::new(3, LONG);
    let busy: Vec<_> = (0..3).map(|_| rig.occupy()).collect();
    let ran = Arc::new(AtomicUsize::new(0));
    for _ in 0..2 {
        let ran = ran.clone();
        rig.submit(move || _ = ran.fetch_add(1, Ordering::SeqCst)).unwrap();
    }
    assert_eq!(rig.pool.figures(), Figures { threads: 3, idle: 0, queue_depth: 2 });
    assert!(rig.pool.is_busy());
    drop(busy);
    eventually("the queued jobs run", || ran.load(Ordering::SeqCst) == 2);
    eventually("the threads are idle", || rig.pool.figures() == Figures { threads: 3, idle: 3, queue_depth: 0 });
    assert!(!rig.pool.is_busy());
}

#[test]
fn idle_thread_is_used_again() {
    let rig = Rig::new(8, LONG);
    let seen: Arc<Mutex<HashSet<ThreadId>>> = Arc::default();
    for _ in 0..20 {
        let seen = seen.clone();
        rig.submit(move || _ = seen.lock().unwrap().insert(thread::current().id())).unwrap();
        eventually("the thread is idle", || rig.pool.figures().idle == 1);
    }
    assert_eq!(seen.lock().unwrap().len(), 1);
}

#[test]
fn pool_shrinks_after_the_keep_alive_time_and_grows_again() {
    let rig = Rig::new(4, Duration::from_millis(20));
    drop((0..4).map(|_| rig.occupy()).collect::<Vec<_>>());
    eventually("all threads leave", || rig.pool.figures().threads == 0);
    drop(rig.occupy());
    assert_eq!(rig.cancelled(), 0);
}

#[test]
fn panicking_job_does_not_take_its_thread_along() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("a payload that panics when it is dropped");
        }
    }
    let rig = Rig::new(1, LONG);
    rig.submit(|| panic!("a job that panics")).unwrap();
    rig.submit(|| std::panic::panic_any(Bomb)).unwrap();
    let (done, is_done) = channel();
    rig.submit(move || done.send(thread::current().name().map(str::to_owned)).unwrap()).unwrap();
    assert_eq!(is_done.recv_timeout(PATIENCE).unwrap().as_deref(), Some("pool-0"));
    eventually("nothing is left to do", || !rig.pool.is_busy());
}

#[test]
fn job_waits_for_a_busy_thread_when_no_other_can_start() {
    let starts = AtomicUsize::new(0);
    let fault = move || (starts.fetch_add(1, Ordering::SeqCst) > 0).then_some(EAGAIN);
    let rig = Rig::with(8, LONG, threads().with_fault(fault));
    let busy = rig.occupy();
    let ran = Arc::new(AtomicBool::new(false));
    rig.submit({
        let ran = ran.clone();
        move || ran.store(true, Ordering::SeqCst)
    })
    .unwrap();
    assert_eq!(rig.pool.figures(), Figures { threads: 1, idle: 0, queue_depth: 1 });
    drop(busy);
    eventually("the job runs", || ran.load(Ordering::SeqCst));
    assert_eq!(rig.cancelled(), 0);
}

#[test]
fn job_is_cancelled_when_no_thread_lives_and_none_can_start() {
    let refuse = Arc::new(AtomicBool::new(true));
    let fault = {
        let refuse = refuse.clone();
        move || refuse.load(Ordering::SeqCst).then_some(EAGAIN)
    };
    let rig = Rig::with(8, LONG, threads().with_fault(fault));
    assert_eq!(rig.submit(|| unreachable!("nobody can run this")), Err(Refused::NoThread(NoThread(EAGAIN))));
    assert_eq!(rig.cancelled(), 1);
    assert_eq!(rig.pool.figures(), Figures::default());
    assert!(!rig.pool.is_busy());
    refuse.store(false, Ordering::SeqCst);
    drop(rig.occupy());
}

#[test]
fn shutdown_cancels_the_queued_job_and_waits_for_the_running_one() {
    let rig = Rig::new(1, LONG);
    let over = Arc::new(AtomicBool::new(false));
    let (started, is_started) = channel();
    rig.submit({
        let over = over.clone();
        move || {
            started.send(()).unwrap();
            thread::sleep(Duration::from_millis(50));
            over.store(true, Ordering::SeqCst);
        }
    })
    .unwrap();
    is_started.recv_timeout(PATIENCE).unwrap();
    rig.submit(|| unreachable!("it was queued when the pool shut down")).unwrap();
    assert!(rig.pool.shutdown(Wait::AtMost(Duration::MAX)));
    assert!(over.load(Ordering::SeqCst));
    assert_eq!(rig.cancelled(), 1);
    assert_eq!(rig.submit(|| unreachable!("the pool is shut down")), Err(Refused::Closed));
    assert_eq!((rig.cancelled(), rig.pool.figures()), (2, Figures::default()));
}

#[test]
fn shutdown_gives_up_on_a_running_job_after_its_time() {
    let rig = Rig::new(4, LONG);
    let busy = rig.occupy();
    drop(rig.occupy());
    let start = Instant::now();
    assert!(!rig.pool.shutdown(Wait::AtMost(Duration::from_millis(30))));
    let took = start.elapsed();
    assert!(took >= Duration::from_millis(30) && took < PATIENCE / 2, "{took:?}");
    assert_eq!(rig.pool.figures(), Figures { threads: 1, idle: 0, queue_depth: 0 });
    drop(busy);
    eventually("the detached thread leaves", || rig.pool.figures().threads == 0);
}

#[test]
fn shutdown_in_the_background_waits_for_nothing() {
    let rig = Rig::new(4, LONG);
    let busy = rig.occupy();
    let start = Instant::now();
    assert!(!rig.pool.shutdown(Wait::Not));
    assert!(start.elapsed() < PATIENCE / 2);
    drop(busy);
    eventually("the detached thread leaves", || rig.pool.figures().threads == 0);
}

#[test]
fn shutdown_on_a_thread_of_the_pool_does_not_join_itself() {
    let rig = Rig::new(1, LONG);
    let (done, is_done) = channel();
    let pool = rig.pool.clone();
    let both = Arc::new(Barrier::new(2));
    rig.submit({
        let both = both.clone();
        move || {
            both.wait();
            done.send(pool.shutdown(Wait::AtMost(Duration::MAX))).unwrap();
        }
    })
    .unwrap();
    both.wait();
    assert!(!is_done.recv_timeout(PATIENCE).unwrap());
}

#[test]
fn last_job_over_is_told_once_the_pool_is_not_busy() {
    let drained = Arc::new(AtomicUsize::new(0));
    let mut threads = threads();
    threads.drained = {
        let drained = drained.clone();
        Arc::new(move || _ = drained.fetch_add(1, Ordering::SeqCst))
    };
    let rig = Rig::with(2, LONG, threads);
    let busy = [rig.occupy(), rig.occupy()];
    assert_eq!(drained.load(Ordering::SeqCst), 0);
    drop(busy);
    eventually("the end is told", || drained.load(Ordering::SeqCst) == 1);
    assert!(!rig.pool.is_busy());
}

#[test]
fn threads_have_their_names_stack_and_surroundings() {
    let calls: Arc<Mutex<Vec<String>>> = Arc::default();
    let mut threads = Threads::new(Arc::new(|index| format!("mine-{index}")), Some(32 << 20));
    threads.around = {
        let calls = calls.clone();
        Arc::new(move |index, body| {
            calls.lock().unwrap().push(format!("start {index}"));
            body();
            calls.lock().unwrap().push(format!("stop {index}"));
        })
    };
    let rig = Rig::with(1, LONG, threads);
    rig.submit({
        let calls = calls.clone();
        move || {
            // More than the default stack would hold.
            let deep = std::hint::black_box([1_u8; 4 << 20]);
            assert_eq!(deep.iter().map(|&one| u64::from(one)).sum::<u64>(), 4 << 20);
            calls.lock().unwrap().push(thread::current().name().unwrap_or_default().to_owned());
        }
    })
    .unwrap();
    eventually("the job is over", || !rig.pool.is_busy());
    assert!(rig.pool.shutdown(Wait::AtMost(Duration::MAX)));
    assert_eq!(*calls.lock().unwrap(), ["start 0", "mine-0", "stop 0"]);
}
