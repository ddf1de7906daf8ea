//! Runtimes as wholes: built, nested, misused, ended.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use wheelhouse::runtime::{Builder, Handle, Runtime, UnhandledPanic};
use wheelhouse::task::yield_now;
use wheelhouse::time::sleep;

fn multi() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).build().unwrap()
}

fn both() -> [Runtime; 2] {
    [multi(), Builder::new_current_thread().build().unwrap()]
}

fn message(panic: Box<dyn std::any::Any + Send>) -> String {
    match panic.downcast::<String>() {
        Ok(message) => *message,
        Err(panic) => panic.downcast::<&str>().map_or_else(|_| String::new(), |message| (*message).to_owned()),
    }
}

#[test]
fn a_block_on_inside_of_async_code_panics_with_the_remedy() {
    for runtime in both() {
        let inner = runtime.handle().clone();
        let panic = runtime
            .block_on(async move {
                wheelhouse::spawn(async move { catch_unwind(AssertUnwindSafe(|| inner.block_on(async {}))) })
                    .await
                    .unwrap()
            })
            .unwrap_err();
        assert!(message(panic).contains("block_in_place"));
        let other = multi();
        let panic =
            runtime.block_on(async { catch_unwind(AssertUnwindSafe(|| other.block_on(async {}))).unwrap_err() });
        assert!(message(panic).contains("await the future instead"));
    }
}

#[test]
fn outside_of_a_runtime_spawn_panics_with_the_remedy() {
    let panic = catch_unwind(|| drop(wheelhouse::spawn(async {}))).unwrap_err();
    assert!(message(panic).contains("Handle::enter"));
    assert!(Handle::try_current().is_err());
}

#[test]
fn nested_enters_restore_what_was_entered_before() {
    let [a, b] = both();
    let name = |runtime: &Runtime| format!("{:?}", runtime.handle());
    let current = || format!("{:?}", Handle::current());
    let outer = a.enter();
    assert_eq!(current(), name(&a));
    {
        let _inner = b.enter();
        assert_eq!(current(), name(&b));
        {
            let _again = a.enter();
            assert_eq!(current(), name(&a));
        }
        assert_eq!(current(), name(&b));
    }
    assert_eq!(current(), name(&a));
    drop(outer);
    assert!(Handle::try_current().is_err());
}

#[test]
fn two_runtimes_wake_each_others_tasks() {
    let [a, b] = both();
    let (to_b, at_b) = async_channel::bounded::<u32>(1);
    let (to_a, at_a) = async_channel::bounded::<u32>(1);
    a.spawn(async move {
        while let Ok(n) = at_a.recv().await {
            if to_b.send(n + 1).await.is_err() {
                return;
            }
        }
    });
    let last = b.block_on(async move {
        let mut n = 0;
        while n < 2000 {
            to_a.send(n).await.unwrap();
            n = at_b.recv().await.unwrap();
        }
        n
    });
    assert_eq!(last, 2000);
}

/// A future that counts its drops.
struct Tally(Arc<AtomicUsize>);

impl Drop for Tally {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn a_drop_cancels_every_task_once_and_those_spawned_meanwhile() {
    for runtime in both() {
        let dropped = Arc::new(AtomicUsize::new(0));
        for _ in 0..100 {
            let tally = Tally(dropped.clone());
            // Dropped with the task: spawns once more, in the middle of the shutdown.
            let late = Late { handle: runtime.handle().clone(), dropped: dropped.clone() };
            runtime.spawn(async move {
                let _owned = (tally, late);
                std::future::pending::<()>().await;
            });
        }
        runtime.block_on(async {
            for _ in 0..10 {
                yield_now().await;
            }
        });
        drop(runtime);
        assert_eq!(dropped.load(Ordering::SeqCst), 200);
    }
}

struct Late {
    handle: Handle,
    dropped: Arc<AtomicUsize>,
}

impl Drop for Late {
    fn drop(&mut self) {
        assert!(Handle::try_current().is_ok(), "a future is dropped where its runtime is entered");
        let tally = Tally(self.dropped.clone());
        let join = self.handle.spawn(async move {
            let _tally = tally;
        });
        drop(join);
    }
}

#[test]
fn a_runtime_dropped_on_a_worker_waits_for_nothing() {
    // Of its own:
    let runtime = multi();
    let (done, is_done) = mpsc::channel();
    let handle = runtime.handle().clone();
    handle.spawn(async move {
        drop(runtime);
        done.send(()).unwrap();
    });
    is_done.recv_timeout(Duration::from_secs(20)).unwrap();
    // Of another:
    for runtime in both() {
        let other = multi();
        let slow = other.spawn(async { std::thread::sleep(Duration::from_secs(2)) });
        std::thread::sleep(Duration::from_millis(20));
        let start = Instant::now();
        runtime.block_on(async move { wheelhouse::spawn(async move { drop(other) }).await.unwrap() });
        assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
        drop(slow);
    }
}

#[test]
fn a_drop_waits_for_a_running_poll() {
    let runtime = multi();
    let finished = Arc::new(AtomicBool::new(false));
    let (started, is_started) = mpsc::channel();
    let flag = finished.clone();
    runtime.spawn(async move {
        started.send(()).unwrap();
        std::thread::sleep(Duration::from_millis(100));
        flag.store(true, Ordering::SeqCst);
    });
    is_started.recv().unwrap();
    drop(runtime);
    assert!(finished.load(Ordering::SeqCst));
}

#[test]
fn shutdowns_have_their_patience() {
    let blocked = || {
        let runtime = multi();
        runtime.spawn(async { std::thread::sleep(Duration::from_secs(3)) });
        runtime.spawn_blocking(|| std::thread::sleep(Duration::from_secs(3)));
        std::thread::sleep(Duration::from_millis(20));
        runtime
    };
    let start = Instant::now();
    blocked().shutdown_background();
    assert!(start.elapsed() < Duration::from_millis(500), "{:?}", start.elapsed());
    let start = Instant::now();
    blocked().shutdown_timeout(Duration::from_millis(100));
    let took = start.elapsed();
    assert!(took >= Duration::from_millis(100) && took < Duration::from_secs(1), "{took:?}");
}

#[test]
fn a_task_may_shut_its_runtime_down_by_panicking() {
    let runtime =
        Builder::new_multi_thread().worker_threads(2).unhandled_panic(UnhandledPanic::ShutdownRuntime).build().unwrap();
    let waiting = runtime.spawn(std::future::pending::<()>());
    let panicking = runtime.spawn(async { panic!("on purpose") });
    let error = futures::executor::block_on(waiting).unwrap_err();
    assert!(error.is_cancelled());
    assert!(futures::executor::block_on(panicking).unwrap_err().is_panic());

    let runtime = Builder::new_current_thread().unhandled_panic(UnhandledPanic::ShutdownRuntime).build().unwrap();
    let panic = catch_unwind(AssertUnwindSafe(|| {
        runtime.block_on(async {
            let _ = wheelhouse::spawn(async { panic!("on purpose") }).await;
            std::future::pending::<()>().await;
        });
    }))
    .unwrap_err();
    assert!(message(panic).contains("shut the runtime down"));
}

#[test]
fn several_threads_share_a_current_thread_runtime() {
    let runtime = Arc::new(Builder::new_current_thread().build().unwrap());
    let total: u64 = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4u64)
            .map(|i| {
                let runtime = &runtime;
                scope.spawn(move || {
                    runtime.block_on(async move {
                        let mut sum = 0;
                        for _ in 0..20 {
                            sleep(Duration::from_millis(1)).await;
                            sum += wheelhouse::spawn(async move { i }).await.unwrap();
                        }
                        sum
                    })
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(total, 120);
}

#[test]
fn runtimes_may_come_and_go_in_a_storm() {
    let start = Instant::now();
    let mut rounds = 0;
    while start.elapsed() < Duration::from_secs(2) {
        rounds += 1;
        let runtime = Builder::new_multi_thread().worker_threads(1 + rounds % 3).build().unwrap();
        let handle = runtime.handle().clone();
        let outside = std::thread::spawn(move || {
            for i in 0..200u64 {
                let inner = handle.clone();
                drop(handle.spawn(async move {
                    if i % 3 == 0 {
                        sleep(Duration::from_micros(i)).await;
                    }
                    if i % 5 == 0 {
                        drop(inner.spawn(yield_now()));
                    }
                }));
            }
        });
        std::thread::sleep(Duration::from_micros(fastrand::u64(0..500)));
        match rounds % 3 {
            0 => drop(runtime),
            1 => runtime.shutdown_timeout(Duration::from_secs(5)),
            _ => runtime.shutdown_background(),
        }
        outside.join().unwrap();
    }
    assert!(rounds > 3);
}

#[test]
fn tasks_wait_for_nobody_after_their_spawner_left_the_runtime() {
    let runtime = multi();
    let (sent, received) = mpsc::channel();
    {
        let _entered = runtime.enter();
        for i in 0..100 {
            let sent = sent.clone();
            wheelhouse::spawn(async move { sent.send(i).unwrap() });
        }
    }
    let mut all: Vec<i32> = (0..100).map(|_| received.recv_timeout(Duration::from_secs(20)).unwrap()).collect();
    all.sort_unstable();
    assert_eq!(all, (0..100).collect::<Vec<_>>());
}

#[test]
fn more_workers_than_a_word_has_bits_find_their_tasks() {
    let runtime = Builder::new_multi_thread().worker_threads(130).build().unwrap();
    runtime.block_on(async {
        for _ in 0..20 {
            let tasks: Vec<_> = (0..300).map(|i| wheelhouse::spawn(sleep(Duration::from_micros(i)))).collect();
            for task in tasks {
                task.await.unwrap();
            }
            sleep(Duration::from_millis(1)).await;
        }
    });
    assert_eq!(runtime.handle().metrics().num_workers(), 130);
}

#[test]
fn the_environment_says_how_many_workers_there_are() {
    const NAME: &str = "WHEELHOUSE_WORKER_THREADS";
    if let Ok(value) = std::env::var(NAME) {
        // The child, see below.
        match value.as_str() {
            "3" => assert_eq!(Runtime::new().unwrap().handle().metrics().num_workers(), 3),
            _ => assert!(Runtime::new().unwrap_err().to_string().contains(NAME)),
        }
        assert_eq!(multi().handle().metrics().num_workers(), 2);
        return;
    }
    assert!(Runtime::new().unwrap().handle().metrics().num_workers() >= 2);
    for value in ["3", "many", "-1"] {
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "the_environment_says_how_many_workers_there_are"])
            .env(NAME, value)
            .output()
            .unwrap();
        assert!(child.status.success(), "{value}: {}", String::from_utf8_lossy(&child.stdout));
    }
}
