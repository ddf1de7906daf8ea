//! Models of the blocking pool's races, on threads of loom's, and of the watchdog's sleep.

mod doze;
mod drained;
mod idle_exit;
mod no_thread;
mod shutdown;

use core::time::Duration;
use std::sync::atomic::{AtomicU64, Ordering as StdOrdering};

use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::sync::{Arc, Condvar, Mutex};

use super::thread::{self, JoinHandle};
use crate::blocking::{Body, Config, Host, Job, NoThread, Pool};

/// A keep-alive time that may be over at any moment.
const ANY_MOMENT: Duration = Duration::from_secs(1);

/// Explores a model in both orders of starting, within bounds that keep it to seconds.
fn explore(model: impl Fn() + Send + Sync + 'static) {
    super::explore_both_orders(Some(3), model);
}

/// Starts loom's threads, but for the starts that `refuse` names.
struct Threads {
    refuse: fn(usize) -> bool,
    /// Threads started and not yet past everything they do.
    alive: Arc<AtomicUsize>,
    clock: AtomicU64,
}

impl Host for Threads {
    type Thread = JoinHandle<()>;

    fn start(&self, index: usize, body: Body) -> Result<JoinHandle<()>, NoThread> {
        if (self.refuse)(index) {
            return Err(NoThread(11));
        }
        let alive = self.alive.clone();
        alive.fetch_add(1, Ordering::Relaxed);
        Ok(thread::spawn(move || {
            body();
            alive.fetch_sub(1, Ordering::Relaxed);
        }))
    }

    fn join(&self, thread: JoinHandle<()>) {
        thread.join().unwrap();
    }

    fn is_current(&self, thread: &JoinHandle<()>) -> bool {
        thread.thread().id() == thread::current().id()
    }

    fn now(&self) -> Duration {
        Duration::from_secs(self.clock.fetch_add(1, StdOrdering::Relaxed))
    }
}

/// What became of a job.
struct Fate {
    ran: AtomicUsize,
    cancelled: AtomicUsize,
    over: Mutex<bool>,
    changed: Condvar,
}

impl Fate {
    fn new() -> Arc<Self> {
        let (ran, cancelled) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Arc::new(Self { ran, cancelled, over: Mutex::new(false), changed: Condvar::new() })
    }

    fn ran(&self) -> usize {
        self.ran.load(Ordering::Relaxed)
    }

    fn cancelled(&self) -> usize {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Waits for the end of the job; loom reports a deadlock if it never comes.
    fn wait(&self) {
        let mut over = self.over.lock().unwrap();
        while !*over {
            over = self.changed.wait(over).unwrap();
        }
    }

    fn end(&self) {
        *self.over.lock().unwrap() = true;
        self.changed.notify_all();
    }
}

struct Work(Arc<Fate>);

impl Job for Work {
    fn run(self) {
        self.0.ran.fetch_add(1, Ordering::Relaxed);
        self.0.end();
    }

    fn cancel(self) {
        self.0.cancelled.fetch_add(1, Ordering::Relaxed);
        self.0.end();
    }
}

fn pool(
    max_threads: usize,
    keep_alive: Duration,
    refuse: fn(usize) -> bool,
) -> (Pool<Work, Threads>, Arc<AtomicUsize>) {
    let (host, alive) = host(refuse);
    (Pool::new(Config { max_threads, keep_alive }, host), alive)
}

fn host(refuse: fn(usize) -> bool) -> (Threads, Arc<AtomicUsize>) {
    let alive = Arc::new(AtomicUsize::new(0));
    (Threads { refuse, alive: alive.clone(), clock: AtomicU64::new(0) }, alive)
}
