//! Spawn, abort, wake, join, drop and shutdown at random, from many threads, for a while:
//! `WHEELHOUSE_STRESS_SECS` says how long (2 s if it is not set).

mod task_support;

use std::env;
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use task_support::{Drops, Gate, Guard};
use wheelhouse::runtime::{Builder, Handle, Runtime};
use wheelhouse::task::{AbortHandle, JoinHandle, JoinSet, block_in_place, yield_now};
use wheelhouse::time::{sleep, timeout};

fn seconds() -> Duration {
    let seconds = env::var("WHEELHOUSE_STRESS_SECS").ok().and_then(|value| value.parse().ok()).unwrap_or(2);
    Duration::from_secs(seconds)
}

/// What was made and what is gone.
#[derive(Clone, Default)]
struct Balance {
    made: Arc<AtomicUsize>,
    futures: Drops,
    outputs: Drops,
    made_outputs: Arc<AtomicUsize>,
}

impl Balance {
    fn guard(&self) -> Guard {
        self.made.fetch_add(1, Ordering::SeqCst);
        self.futures.guard()
    }

    fn output(&self) -> Guard {
        self.made_outputs.fetch_add(1, Ordering::SeqCst);
        self.outputs.guard()
    }

    #[track_caller]
    fn check(&self) {
        assert_eq!(self.futures.count(), self.made.load(Ordering::SeqCst), "futures leaked or dropped twice");
        assert_eq!(self.outputs.count(), self.made_outputs.load(Ordering::SeqCst), "outputs leaked or dropped twice");
    }
}

fn spawn_one(handle: &Handle, gate: &Gate, balance: &Balance, random: &mut fastrand::Rng) -> JoinHandle<Guard> {
    let (kind, balance, gate) = (random.u32(0..9), balance.clone(), gate.clone());
    let guard = balance.guard();
    let wait = Duration::from_micros(random.u64(0..300));
    if kind == 8 {
        return handle.spawn_blocking(move || {
            drop(guard);
            balance.output()
        });
    }
    handle.spawn(async move {
        let _guard = guard;
        match kind {
            0 => {}
            1 => yield_now().await,
            2 => sleep(wait).await,
            3 => gate.await,
            4 => pending().await,
            5 => drop(timeout(wait, gate).await),
            6 => {
                let mut set = JoinSet::new();
                for _ in 0..3 {
                    let guard = balance.guard();
                    set.spawn(async move {
                        yield_now().await;
                        drop(guard);
                    });
                }
                set.join_next().await;
            }
            _ => {
                if Handle::current().metrics().num_workers() > 1 {
                    block_in_place(thread::yield_now);
                }
                yield_now().await;
            }
        }
        balance.output()
    })
}

/// One thread's doings with a runtime that may end meanwhile.
fn meddle(handle: &Handle, balance: &Balance, seed: u64, until: Instant) {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut joins: Vec<JoinHandle<Guard>> = Vec::new();
    let mut aborts: Vec<AbortHandle> = Vec::new();
    let mut gates: Vec<Gate> = vec![Gate::default()];
    while Instant::now() < until {
        match random.u32(0..10) {
            0..=3 => {
                let gate = &gates[random.usize(0..gates.len())];
                let join = spawn_one(handle, gate, balance, &mut random);
                if random.bool() {
                    aborts.push(join.abort_handle());
                }
                joins.push(join);
            }
            4 if !joins.is_empty() => drop(joins.swap_remove(random.usize(0..joins.len()))),
            5 if !joins.is_empty() => joins[random.usize(0..joins.len())].abort(),
            6 if !aborts.is_empty() => aborts.swap_remove(random.usize(0..aborts.len())).abort(),
            7 => {
                let at = random.usize(0..gates.len());
                gates[at].open();
                gates[at] = Gate::default();
                if gates.len() < 4 {
                    gates.push(Gate::default());
                }
            }
            8 if !joins.is_empty() => {
                let join = joins.swap_remove(random.usize(0..joins.len()));
                join.abort();
                drop(futures::executor::block_on(join));
            }
            _ => {
                joins.truncate(64);
                thread::yield_now();
            }
        }
    }
    gates.iter().for_each(Gate::open);
}

fn build(random: &mut fastrand::Rng) -> Runtime {
    match random.u32(0..3) {
        0 => Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap(),
        1 => Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap(),
        _ => Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap(),
    }
}

#[test]
fn random_lives_balance() {
    let end = Instant::now() + seconds();
    let mut seed = 1;
    while Instant::now() < end {
        let balance = Balance::default();
        let mut random = fastrand::Rng::with_seed(seed);
        let runtime = build(&mut random);
        let until = Instant::now() + Duration::from_millis(random.u64(5..150));
        // Some go on when the runtime is gone.
        let threads: Vec<_> = (0..3)
            .map(|i| {
                let (handle, balance) = (runtime.handle().clone(), balance.clone());
                thread::spawn(move || meddle(&handle, &balance, seed * 10 + i, until + Duration::from_millis(2 * i)))
            })
            .collect();
        thread::sleep(until.saturating_duration_since(Instant::now()));
        match random.u32(0..3) {
            0 => drop(runtime),
            1 => runtime.shutdown_timeout(Duration::from_secs(10)),
            _ => runtime.shutdown_background(),
        }
        for thread in threads {
            thread.join().unwrap();
        }
        task_support::eventually(&format!("seed {seed}: everything is dropped"), || {
            balance.futures.count() == balance.made.load(Ordering::SeqCst)
                && balance.outputs.count() == balance.made_outputs.load(Ordering::SeqCst)
        });
        balance.check();
        seed += 1;
    }
}
