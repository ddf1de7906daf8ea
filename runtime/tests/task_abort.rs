//! What abort promises.

mod task_support;

use std::future::pending;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use task_support::{Drops, Gate, eventually, flavours};
use wheelhouse::runtime::{Builder, Handle};
use wheelhouse::task::{JoinSet, yield_now};

#[test]
fn future_is_dropped_before_the_join_handle_resolves() {
    for (name, runtime) in flavours() {
        runtime.block_on(async {
            let drops = Drops::default();
            let guard = drops.guard();
            let task = wheelhouse::spawn(async move {
                pending::<()>().await;
                drop(guard);
            });
            yield_now().await;
            task.abort();
            let id = task.id();
            let error = task.await.unwrap_err();
            assert!(error.is_cancelled(), "{name}");
            assert_eq!(error.id(), id);
            assert_eq!(drops.count(), 1, "{name}");
        });
    }
}

#[test]
fn future_is_dropped_where_the_runtime_is_entered() {
    struct Looks(Arc<AtomicBool>);
    impl Drop for Looks {
        fn drop(&mut self) {
            self.0.store(Handle::try_current().is_ok() && wheelhouse::task::try_id().is_some(), Ordering::SeqCst);
        }
    }
    for (name, runtime) in flavours() {
        let entered = Arc::new(AtomicBool::new(false));
        let looks = Looks(Arc::clone(&entered));
        let task = runtime.spawn(async move {
            pending::<()>().await;
            drop(looks);
        });
        let abort = task.abort_handle();
        std::thread::spawn(move || abort.abort()).join().unwrap();
        assert!(runtime.block_on(task).unwrap_err().is_cancelled());
        assert!(entered.load(Ordering::SeqCst), "{name}");
    }
}

#[test]
fn abort_works_from_a_thread_without_a_runtime() {
    for (name, runtime) in flavours() {
        let gate = Gate::default();
        let task = runtime.spawn(gate.clone());
        let abort = task.abort_handle();
        runtime.block_on(async {
            while gate.polls() == 0 {
                yield_now().await;
            }
        });
        std::thread::spawn(move || abort.abort()).join().unwrap();
        assert!(runtime.block_on(task).unwrap_err().is_cancelled(), "{name}");
        assert_eq!(gate.polls(), 1, "{name}: an abort does not poll");
    }
}

#[test]
fn task_that_finished_first_wins() {
    for (name, runtime) in flavours() {
        runtime.block_on(async {
            let task = wheelhouse::spawn(async { 7 });
            while !task.is_finished() {
                yield_now().await;
            }
            task.abort();
            assert_eq!(task.await.unwrap(), 7, "{name}");
        });
    }
}

#[test]
fn abort_handle_outlives_the_task_and_the_runtime() {
    for (name, runtime) in flavours() {
        let task = runtime.spawn(pending::<()>());
        let abort = task.abort_handle();
        assert!(!abort.is_finished(), "{name}");
        drop(runtime);
        assert!(abort.is_finished(), "{name}");
        abort.abort();
        assert_eq!(abort.clone().id(), task.id());
        let error = futures::executor::block_on(task).unwrap_err();
        assert!(error.is_cancelled(), "{name}");
    }
}

#[test]
fn aborting_a_blocking_task_stops_it_only_before_it_began() {
    for (name, runtime) in flavours() {
        let (begun, goes_on) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let task = runtime.spawn_blocking({
            let (begun, goes_on) = (Arc::clone(&begun), Arc::clone(&goes_on));
            move || {
                begun.store(true, Ordering::SeqCst);
                while !goes_on.load(Ordering::SeqCst) {
                    std::thread::sleep(Duration::from_millis(1));
                }
                7
            }
        });
        eventually("the closure begins", || begun.load(Ordering::SeqCst));
        task.abort();
        goes_on.store(true, Ordering::SeqCst);
        assert_eq!(runtime.block_on(task).unwrap(), 7, "{name}");
    }
}

/// Notes whether a runtime is entered where it is dropped.
struct Whereabouts(Arc<std::sync::Mutex<Option<bool>>>);

impl Drop for Whereabouts {
    fn drop(&mut self) {
        *self.0.lock().unwrap() = Some(Handle::try_current().is_ok());
    }
}

#[test]
fn aborting_a_blocking_task_that_waits_for_a_thread_ends_it_at_once() {
    for flavour in [Builder::new_current_thread(), Builder::new_multi_thread().worker_threads(1)] {
        let runtime = flavour.max_blocking_threads(1).build().unwrap();
        let (release, released) = mpsc::channel::<()>();
        let occupant = runtime.spawn_blocking(move || released.recv().unwrap_err());
        let whereabouts = Arc::new(std::sync::Mutex::new(None));
        let seen = Whereabouts(whereabouts.clone());
        let queued = runtime.spawn_blocking(move || drop(seen));
        queued.abort();
        assert!(queued.is_finished(), "it waits for a thread, which may come never");
        assert_eq!(*whereabouts.lock().unwrap(), Some(true), "its closure is dropped where the runtime is entered");
        assert!(runtime.block_on(queued).unwrap_err().is_cancelled());

        // The same by the other handle, from a thread that knows no runtime, while somebody waits.
        let queued = runtime.spawn_blocking(|| unreachable!("it never had a thread"));
        let abort = queued.abort_handle();
        let aborts = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(5));
            abort.abort();
            abort.abort();
        });
        assert!(runtime.block_on(queued).unwrap_err().is_cancelled());
        aborts.join().unwrap();

        // A whole set of them, and a closure whose drop panics.
        runtime.block_on(async {
            let mut set = JoinSet::new();
            for _ in 0..10 {
                set.spawn_blocking(|| unreachable!("it never had a thread"));
            }
            set.shutdown().await;
            let guard = Drops::default().panicking();
            let queued = wheelhouse::task::spawn_blocking(move || drop(guard));
            queued.abort();
            assert!(queued.await.unwrap_err().is_panic());
        });
        drop(release);
        runtime.block_on(occupant).unwrap();
        // The thread passes over what is left of them.
        assert_eq!(runtime.block_on(runtime.spawn_blocking(|| 7)).unwrap(), 7);
    }
}

#[test]
fn abort_of_a_blocking_task_that_just_begins_ends_it_once() {
    let runtime = Builder::new_multi_thread().worker_threads(1).build().unwrap();
    let (drops, mut ran) = (Drops::default(), 0);
    for _ in 0..500 {
        let guard = drops.guard();
        let task = runtime.spawn_blocking(move || drop(guard));
        task.abort();
        match runtime.block_on(task) {
            Ok(()) => ran += 1,
            Err(error) => assert!(error.is_cancelled()),
        }
    }
    assert_eq!(drops.count(), 500, "{ran} of them ran");
}

#[test]
fn abort_from_within_and_from_a_drop_at_once_ends_the_task_once() {
    for (name, runtime) in flavours() {
        let drops = Drops::default();
        for _ in 0..200 {
            let guard = drops.guard();
            let task = runtime.spawn(async move {
                yield_now().await;
                drop(guard);
            });
            let abort = task.abort_handle();
            let thread = std::thread::spawn(move || abort.abort());
            let outcome = runtime.block_on(task);
            thread.join().unwrap();
            if let Err(error) = outcome {
                assert!(error.is_cancelled(), "{name}");
            }
        }
        assert_eq!(drops.count(), 200, "{name}");
    }
}
