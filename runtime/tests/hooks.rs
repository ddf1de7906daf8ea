//! The hooks of the builder: what they are told, of which tasks, and that they may panic.

mod task_support;

use std::collections::HashMap;
use std::future::pending;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use task_support::{PATIENCE, eventually};
use wheelhouse::runtime::{Builder, Handle, Runtime, TaskMeta};
use wheelhouse::task::{Id, LocalSet, spawn_blocking, spawn_local, yield_now};
use wheelhouse::time::sleep;

/// How often each hook was told of a task: its spawn, polls begun, polls ended, its end.
#[derive(Clone, Default)]
struct Books(Arc<Mutex<HashMap<Id, [usize; 4]>>>);

impl Books {
    fn of(&self, id: Id) -> [usize; 4] {
        self.0.lock().unwrap().get(&id).copied().unwrap_or_default()
    }

    fn hook(&self, entry: usize) -> impl Fn(&TaskMeta) + Send + Sync + 'static {
        let books = self.clone();
        move |task| books.0.lock().unwrap().entry(task.id()).or_default()[entry] += 1
    }

    fn kept_by(&self, builder: Builder) -> Runtime {
        let builder = builder.on_task_spawn(self.hook(0)).on_before_task_poll(self.hook(1));
        builder.on_after_task_poll(self.hook(2)).on_task_terminate(self.hook(3)).build().unwrap()
    }
}

/// Runtimes of both flavours with a pool of one thread, and their books.
fn with_books() -> [(Books, Runtime); 2] {
    [Builder::new_multi_thread().worker_threads(2), Builder::new_current_thread()].map(|builder| {
        let books = Books::default();
        let runtime = books.kept_by(builder.max_blocking_threads(1));
        (books, runtime)
    })
}

#[test]
fn hooks_are_told_of_the_tasks_of_local_sets() {
    for (books, runtime) in with_books() {
        let local = LocalSet::new();
        let (ended, cancelled) = local.block_on(&runtime, async {
            let task = spawn_local(async {
                yield_now().await;
                yield_now().await;
            });
            let ended = task.id();
            task.await.unwrap();
            let cancelled = spawn_local(pending::<()>());
            yield_now().await;
            (ended, cancelled.id())
        });
        assert_eq!(books.of(ended), [1, 3, 3, 1]);
        assert_eq!(books.of(cancelled), [1, 1, 1, 0]);
        // The set ends, though nowhere near its runtime.
        drop(local);
        assert_eq!(books.of(cancelled), [1, 1, 1, 1]);
    }
}

#[test]
fn a_local_task_that_no_runtime_saw_spawned_is_nobodys() {
    for (books, runtime) in with_books() {
        let local = LocalSet::new();
        let task = local.spawn_local(yield_now());
        let id = task.id();
        runtime.block_on(local);
        assert!(task.is_finished());
        assert_eq!(books.of(id), [0, 2, 2, 0], "told of what its threads poll, not of a spawn elsewhere");
    }
}

#[test]
fn hooks_are_told_of_blocking_tasks_but_not_of_polls() {
    for (books, runtime) in with_books() {
        let (release, released) = mpsc::channel::<()>();
        let (ended, aborted, cancelled) = runtime.block_on(async {
            let first = spawn_blocking(|| 7);
            let ended = first.id();
            assert_eq!(first.await.unwrap(), 7);
            let (started, is_started) = mpsc::channel();
            let running = spawn_blocking(move || {
                started.send(()).unwrap();
                released.recv().unwrap_err();
            });
            is_started.recv_timeout(PATIENCE).unwrap();
            assert_eq!(books.of(running.id()), [1, 0, 0, 0]);
            let (aborted, cancelled) = (spawn_blocking(|| {}), spawn_blocking(|| {}));
            aborted.abort();
            assert_eq!(books.of(aborted.id()), [1, 0, 0, 1]);
            (ended, aborted.id(), cancelled.id())
        });
        eventually("the job is over", || books.of(ended) == [1, 0, 0, 1]);
        std::thread::scope(|scope| {
            scope.spawn(|| drop(runtime));
            eventually("the queued job is cancelled", || books.of(cancelled) == [1, 0, 0, 1]);
            drop(release);
        });
        assert_eq!(books.of(aborted), [1, 0, 0, 1], "told twice of one end");
    }
}

#[test]
fn task_hooks_are_told_where_the_runtime_is_entered() {
    let entered = Arc::new(AtomicUsize::new(0));
    let look = || {
        let entered = entered.clone();
        move |_: &TaskMeta| {
            entered.fetch_add(usize::from(Handle::try_current().is_ok()), Ordering::SeqCst);
        }
    };
    let runtime =
        Builder::new_multi_thread().worker_threads(1).on_task_spawn(look()).on_task_terminate(look()).build().unwrap();
    runtime.block_on(async {
        spawn_blocking(|| {}).await.unwrap();
        wheelhouse::spawn(async {}).await.unwrap();
    });
    drop(runtime);
    assert_eq!(entered.load(Ordering::SeqCst), 4);
}

#[test]
fn hooks_are_told_and_may_panic() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let note = |what: &'static str| {
        let told = told.clone();
        move |worker: usize| {
            told.lock().unwrap_or_else(PoisonError::into_inner).push((what, worker));
            panic!("a hook panics");
        }
    };
    let tasks = Arc::new(AtomicUsize::new(0));
    let count = |by: usize| {
        let tasks = tasks.clone();
        move |_: &TaskMeta| {
            tasks.fetch_add(by, Ordering::SeqCst);
            panic!("a hook panics");
        }
    };
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .on_thread_start(note("start"))
        .on_thread_stop(note("stop"))
        .on_thread_park(note("park"))
        .on_thread_unpark(note("unpark"))
        .on_task_spawn(count(1))
        .on_before_task_poll(count(100))
        .on_after_task_poll(count(10_000))
        .on_task_terminate(count(1_000_000))
        .build()
        .unwrap();
    runtime.block_on(async {
        for _ in 0..3 {
            wheelhouse::spawn(yield_now()).await.unwrap();
        }
        sleep(Duration::from_millis(10)).await;
    });
    drop(runtime);
    assert_eq!(tasks.load(Ordering::SeqCst), 3_060_603);
    let told = told.lock().unwrap_or_else(PoisonError::into_inner);
    for worker in 0..2 {
        for what in ["start", "park", "unpark", "stop"] {
            assert!(told.contains(&(what, worker)), "{what} {worker}: {told:?}");
        }
    }
}

#[test]
fn a_park_hook_that_wakes_a_task_does_not_starve_the_driver() {
    for builder in [Builder::new_multi_thread().worker_threads(1), Builder::new_current_thread()] {
        let (kick, kicked) = async_channel::bounded::<()>(1);
        let runtime = builder
            .on_thread_park(move |_| {
                // Err: it is kicked already.
                let _ = kick.try_send(());
            })
            .build()
            .unwrap();
        let start = Instant::now();
        runtime.block_on(async {
            wheelhouse::spawn(async move { while kicked.recv().await.is_ok() {} });
            wheelhouse::spawn(sleep(Duration::from_millis(20))).await.unwrap();
        });
        assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    }
}
