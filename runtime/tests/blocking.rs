//! Blocking work: `spawn_blocking` and the pool behind it.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use wheelhouse::runtime::{Builder, Handle, Runtime};

const PATIENCE: Duration = Duration::from_secs(20);

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).build().unwrap()
}

fn eventually(what: &str, condition: impl Fn() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < end, "{what}: not in {PATIENCE:?}");
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn result_comes_back_and_the_runtime_is_entered() {
    for runtime in [runtime(), Builder::new_current_thread().build().unwrap()] {
        let answer = runtime.block_on(async {
            let job = wheelhouse::task::spawn_blocking(|| {
                thread::sleep(Duration::from_millis(5));
                Handle::current().block_on(async { 40 + 2 })
            });
            job.await.unwrap()
        });
        assert_eq!(answer, 42);
    }
}

#[test]
fn panic_reaches_the_join_handle_and_nobody_else() {
    let runtime = runtime();
    let error = runtime.block_on(runtime.spawn_blocking(|| panic!("blocking"))).unwrap_err();
    assert!(error.is_panic());
    assert_eq!(error.into_panic().downcast_ref::<&str>(), Some(&"blocking"));
    assert_eq!(runtime.block_on(runtime.spawn_blocking(|| 7)).unwrap(), 7);
}

#[test]
fn as_many_jobs_run_at_once_as_the_builder_allows() {
    let runtime = Builder::new_multi_thread().worker_threads(1).max_blocking_threads(3).build().unwrap();
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let meet = Arc::new(Barrier::new(3));
    let jobs: Vec<_> = (0..9)
        .map(|_| {
            let (running, most, meet) = (running.clone(), most.clone(), meet.clone());
            runtime.spawn_blocking(move || {
                most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                meet.wait();
                running.fetch_sub(1, Ordering::SeqCst);
            })
        })
        .collect();
    jobs.into_iter().for_each(|job| runtime.block_on(job).unwrap());
    assert_eq!(most.load(Ordering::SeqCst), 3);
    assert_eq!(runtime.handle().metrics().num_blocking_threads(), 3);
}

#[test]
fn pool_shrinks_after_its_keep_alive_time() {
    let runtime =
        Builder::new_multi_thread().worker_threads(1).thread_keep_alive(Duration::from_millis(10)).build().unwrap();
    runtime.block_on(runtime.spawn_blocking(|| {})).unwrap();
    let metrics = runtime.handle().metrics();
    eventually("the thread leaves", || metrics.num_blocking_threads() == 0);
    runtime.block_on(runtime.spawn_blocking(|| {})).unwrap();
}

#[test]
fn metrics_tell_the_pools_size() {
    let runtime = Builder::new_multi_thread().worker_threads(1).max_blocking_threads(1).build().unwrap();
    let metrics = runtime.handle().metrics();
    assert_eq!((metrics.num_blocking_threads(), metrics.num_idle_blocking_threads()), (0, 0));
    let (release, released) = channel::<()>();
    let (started, is_started) = channel();
    let first = runtime.spawn_blocking(move || {
        started.send(()).unwrap();
        released.recv().unwrap_err();
    });
    is_started.recv_timeout(PATIENCE).unwrap();
    let second = runtime.spawn_blocking(|| {});
    assert_eq!(metrics.blocking_queue_depth(), 1);
    assert_eq!((metrics.num_blocking_threads(), metrics.num_idle_blocking_threads()), (1, 0));
    drop(release);
    runtime.block_on(async { (first.await.unwrap(), second.await.unwrap()) });
    eventually("the thread is idle", || metrics.num_idle_blocking_threads() == 1);
    assert_eq!(metrics.blocking_queue_depth(), 0);
}

#[test]
fn queued_job_is_cancelled_by_shutdown_and_the_running_one_is_waited_for() {
    let runtime = Builder::new_multi_thread().worker_threads(1).max_blocking_threads(1).build().unwrap();
    let (started, is_started) = channel();
    let running = runtime.spawn_blocking(move || {
        started.send(()).unwrap();
        thread::sleep(Duration::from_millis(50));
        "done"
    });
    let queued = runtime.spawn_blocking(|| unreachable!("it never had a thread"));
    is_started.recv_timeout(PATIENCE).unwrap();
    runtime.shutdown_timeout(PATIENCE);
    assert_eq!(futures::executor::block_on(running).unwrap(), "done");
    let error: wheelhouse::task::JoinError = futures::executor::block_on(queued).unwrap_err();
    assert!(error.is_cancelled());
}

#[test]
fn shutdown_gives_up_after_its_time() {
    let runtime = runtime();
    let (release, released) = channel::<()>();
    let (started, is_started) = channel();
    let job = runtime.spawn_blocking(move || {
        started.send(()).unwrap();
        released.recv().unwrap_err();
        7
    });
    is_started.recv_timeout(PATIENCE).unwrap();
    let start = Instant::now();
    runtime.shutdown_timeout(Duration::from_millis(50));
    assert!(start.elapsed() >= Duration::from_millis(50), "{:?}", start.elapsed());
    assert!(start.elapsed() < PATIENCE / 2, "{:?}", start.elapsed());
    drop(release);
    assert_eq!(futures::executor::block_on(job).unwrap(), 7);
}

#[test]
fn neither_background_shutdown_nor_drop_waits_for_ever_on_a_job() {
    for end in [Runtime::shutdown_background, drop::<Runtime>] {
        let runtime = runtime();
        let (release, released) = channel::<()>();
        let (started, is_started) = channel();
        runtime.spawn_blocking(move || {
            started.send(()).unwrap();
            released.recv().unwrap_err();
        });
        is_started.recv_timeout(PATIENCE).unwrap();
        let start = Instant::now();
        end(runtime);
        assert!(start.elapsed() < PATIENCE / 2, "{:?}", start.elapsed());
        drop(release);
    }
}

#[test]
fn job_spawned_after_shutdown_is_cancelled() {
    let runtime = runtime();
    let handle = runtime.handle().clone();
    drop(runtime);
    let job = handle.spawn_blocking(|| unreachable!("the pool is shut down"));
    assert!(futures::executor::block_on(job).unwrap_err().is_cancelled());
}

#[test]
fn runtime_may_be_dropped_on_its_own_pool() {
    let runtime = runtime();
    let (done, is_done) = channel();
    let handle = runtime.handle().clone();
    handle.spawn_blocking(move || {
        drop(runtime);
        done.send(()).unwrap();
    });
    is_done.recv_timeout(PATIENCE).unwrap();
}

#[test]
fn threads_carry_the_builders_name_and_call_its_hooks() {
    let started: Arc<Mutex<HashSet<String>>> = Arc::default();
    let stopped: Arc<Mutex<HashSet<String>>> = Arc::default();
    let note = |names: &Arc<Mutex<HashSet<String>>>| {
        let names = names.clone();
        move |_| _ = names.lock().unwrap().insert(thread::current().name().unwrap_or_default().to_owned())
    };
    let counter = AtomicUsize::new(0);
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name_fn(move || format!("mine-{}", counter.fetch_add(1, Ordering::SeqCst)))
        .on_thread_start(note(&started))
        .on_thread_stop(note(&stopped))
        .build()
        .unwrap();
    let name = runtime.block_on(runtime.spawn_blocking(|| thread::current().name().unwrap().to_owned())).unwrap();
    assert!(name.starts_with("mine-"), "{name}");
    drop(runtime);
    assert!(started.lock().unwrap().contains(&name));
    assert_eq!(*started.lock().unwrap(), *stopped.lock().unwrap());
}

#[test]
fn paused_clock_waits_for_a_blocking_job() {
    for builder in [Builder::new_multi_thread(), Builder::new_current_thread()] {
        let runtime = builder.start_paused(true).build().unwrap();
        runtime.block_on(async {
            let start = wheelhouse::time::Instant::now();
            let seen = wheelhouse::task::spawn_blocking(move || {
                thread::sleep(Duration::from_millis(50));
                start.elapsed()
            });
            wheelhouse::time::sleep(Duration::from_secs(1)).await;
            assert_eq!(seen.await.unwrap(), Duration::ZERO);
            assert_eq!(start.elapsed(), Duration::from_secs(1));
        });
    }
}

#[test]
fn paused_clock_goes_on_after_a_blocking_job_that_nobody_awaits() {
    for builder in [Builder::new_multi_thread(), Builder::new_current_thread()] {
        let runtime = builder.start_paused(true).build().unwrap();
        runtime.block_on(async {
            drop(wheelhouse::task::spawn_blocking(|| thread::sleep(Duration::from_millis(50))));
            let real = Instant::now();
            wheelhouse::time::sleep(Duration::from_secs(3600)).await;
            assert!(real.elapsed() < PATIENCE);
        });
    }
}
