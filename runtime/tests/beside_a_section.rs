//! `block_in_place`, and what goes on beside it.

mod task_support;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use task_support::eventually;
use wheelhouse::runtime::{Builder, Handle, Runtime, TaskState};
use wheelhouse::task::block_in_place;
use wheelhouse::time::{Instant, sleep};

const THRESHOLD: Duration = Duration::from_millis(40);

fn one_worker() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).watchdog(THRESHOLD).build().unwrap()
}

#[test]
fn the_watchdog_finds_nothing_wrong_with_it() {
    let runtime = one_worker();
    let task = runtime.spawn(async {
        let id = wheelhouse::task::id();
        block_in_place(|| {
            thread::sleep(5 * THRESHOLD);
            let dump = Handle::current().dump();
            dump.tasks().iter().find(|task| task.id() == id).unwrap().state()
        })
    });
    let state = runtime.block_on(task).unwrap();
    assert_eq!(state, TaskState::Running { worker: None, since: None });
    assert_eq!(runtime.handle().metrics().watchdog_report_count(), 0);
}

#[test]
fn its_end_takes_no_other_task_for_the_one_that_ended() {
    let runtime = one_worker();
    let begun = Arc::new(AtomicBool::new(false));
    let blocks = Arc::clone(&begun);
    runtime.block_on(async {
        let section = wheelhouse::spawn(async move {
            block_in_place(|| {
                // The worker, on its new thread, is in the other task's poll when this one ends.
                eventually("the other task", || begun.load(Ordering::SeqCst));
                thread::sleep(THRESHOLD / 4);
            });
        });
        let blocker = wheelhouse::spawn(async move {
            blocks.store(true, Ordering::SeqCst);
            thread::sleep(8 * THRESHOLD);
        });
        section.await.unwrap();
        blocker.await.unwrap();
    });
    assert_eq!(runtime.handle().metrics().watchdog_report_count(), 1, "the blocker was not seen");
}

/// Between polls there is nothing that could go on elsewhere: the worker stays on its thread.
#[test]
fn in_a_hook_it_leaves_the_worker_where_it_is() {
    let (parks, threads) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (seen, started) = (Arc::clone(&parks), Arc::clone(&threads));
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .on_thread_start(move |_| {
            started.fetch_add(1, Ordering::SeqCst);
        })
        .on_thread_park(move |_| {
            seen.fetch_add(1, Ordering::SeqCst);
            block_in_place(|| thread::sleep(Duration::from_micros(100)));
        })
        .build()
        .unwrap();
    for _ in 0..20 {
        runtime.block_on(async { wheelhouse::spawn(sleep(Duration::from_millis(1))).await.unwrap() });
    }
    assert!(parks.load(Ordering::SeqCst) > 0);
    drop(runtime);
    assert_eq!(threads.load(Ordering::SeqCst), 1);
}

#[test]
fn at_the_end_of_a_runtime_it_starts_no_thread() {
    struct Blocks;
    impl Drop for Blocks {
        fn drop(&mut self) {
            block_in_place(|| thread::sleep(Duration::from_micros(100)));
        }
    }
    let threads = Arc::new(AtomicUsize::new(0));
    let started = Arc::clone(&threads);
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .on_thread_start(move |_| {
            started.fetch_add(1, Ordering::SeqCst);
        })
        .build()
        .unwrap();
    for _ in 0..5 {
        let blocks = Blocks;
        drop(runtime.spawn(async move {
            let _blocks = blocks;
            std::future::pending::<()>().await;
        }));
    }
    eventually("both workers", || threads.load(Ordering::SeqCst) == 2);
    drop(runtime);
    assert_eq!(threads.load(Ordering::SeqCst), 2);
}

#[test]
fn the_thread_of_block_on_decides_whether_it_may_not_the_runtime_entered_last() {
    let alone = Builder::new_current_thread().build().unwrap();
    let many = one_worker();
    let refused = alone.block_on(async {
        let _entered = many.enter();
        catch_unwind(AssertUnwindSafe(|| block_in_place(|| alone.block_on(async {}))))
    });
    assert!(refused.is_err());
    let value = many.block_on(async {
        let _entered = alone.enter();
        block_in_place(|| alone.block_on(async { 7 }))
    });
    assert_eq!(value, 7);
}

fn paused() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).start_paused(true).build().unwrap()
}

#[test]
fn a_paused_clock_stands_still_beside_it() {
    let runtime = paused();
    let moved = runtime.block_on(async {
        drop(wheelhouse::spawn(sleep(Duration::from_secs(3_600))));
        let section = async {
            let begun = Instant::now();
            block_in_place(|| thread::sleep(Duration::from_millis(50)));
            // The rest of the poll is on a thread without a worker.
            thread::sleep(Duration::from_millis(50));
            begun.elapsed()
        };
        wheelhouse::spawn(section).await.unwrap()
    });
    assert_eq!(moved, Duration::ZERO);
}

#[test]
fn a_paused_clock_goes_on_while_it_waits_in_a_block_on() {
    const LONG: Duration = Duration::from_secs(3_600);
    async fn nested() -> Duration {
        let begun = Instant::now();
        block_in_place(|| {
            Handle::current().block_on(async {
                sleep(LONG).await;
                block_in_place(|| Handle::current().block_on(sleep(LONG)));
            });
        });
        begun.elapsed()
    }
    let thread = thread::spawn(|| {
        let runtime = paused();
        assert_eq!(runtime.block_on(async { wheelhouse::spawn(nested()).await.unwrap() }), 2 * LONG);
        assert_eq!(runtime.block_on(nested()), 2 * LONG);
    });
    eventually("the sleeps end", || thread.is_finished());
    thread.join().unwrap();
}

/// The thread that goes on with the worker is none of the pool's.
#[test]
fn it_needs_no_thread_of_the_pool() {
    let runtime = Builder::new_multi_thread().worker_threads(1).max_blocking_threads(1).build().unwrap();
    let goes_on = Arc::new(AtomicBool::new(false));
    let waits = Arc::clone(&goes_on);
    let job = runtime.spawn_blocking(move || eventually("the section", || waits.load(Ordering::SeqCst)));
    let value = runtime.block_on(async {
        wheelhouse::spawn(async {
            // The only worker is here, and the task runs all the same.
            let beside = wheelhouse::spawn(async { 7 });
            block_in_place(|| eventually("the task beside it", || beside.is_finished()));
            beside.await.unwrap()
        })
        .await
        .unwrap()
    });
    assert_eq!(value, 7);
    assert_eq!(runtime.handle().metrics().num_blocking_threads(), 1);
    goes_on.store(true, Ordering::SeqCst);
    runtime.block_on(job).unwrap();
}
