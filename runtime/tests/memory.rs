//! What a runtime that is gone leaves in memory: nothing.

mod task_support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use task_support::{Gate, eventually};
use wheelhouse::runtime::{Builder, Handle, Runtime, UnhandledPanic};
use wheelhouse::task::{JoinSet, LocalSet, block_in_place, spawn_local, yield_now};
use wheelhouse::time::sleep;

/// Runtimes, each with a token that its hooks own: it is free once the scheduler is.
fn runtimes() -> impl Iterator<Item = (&'static str, Runtime, Arc<()>)> {
    let builders = [
        ("current thread", Builder::new_current_thread()),
        ("one worker", Builder::new_multi_thread().worker_threads(1)),
        ("three workers", Builder::new_multi_thread().worker_threads(3)),
    ];
    builders.into_iter().map(|(name, builder)| {
        let token = Arc::new(());
        let held = Arc::clone(&token);
        let builder = builder.on_thread_unpark(move |_| {
            let _ = &held;
        });
        (name, builder.build().unwrap(), token)
    })
}

#[track_caller]
fn assert_free(what: &str, token: &Arc<()>) {
    eventually(what, || Arc::strong_count(token) == 1);
}

/// Uses what keeps references to the scheduler: tasks that end here and elsewhere, sections, jobs, wakers, sets.
async fn live(multi: bool) {
    let mut set = JoinSet::new();
    for i in 0..300 {
        set.spawn(async move {
            for _ in 0..i % 3 {
                yield_now().await;
            }
            if i % 7 == 0 {
                sleep(Duration::from_micros(i)).await;
            }
            if multi && i % 50 == 0 {
                block_in_place(|| {
                    Handle::current().block_on(async { wheelhouse::spawn(yield_now()).await.unwrap() });
                });
                drop(wheelhouse::spawn(yield_now()));
            }
            assert!(i % 41 != 0, "some panic");
        });
    }
    while set.join_next().await.is_some() {}
    wheelhouse::task::spawn_blocking(|| drop(wheelhouse::spawn(yield_now()))).await.unwrap();
    LocalSet::new().run_until(async { spawn_local(yield_now()).await.unwrap() }).await;
}

#[test]
fn a_dropped_runtime_is_freed() {
    for (name, runtime, token) in runtimes() {
        runtime.block_on(live(name != "current thread"));
        for _ in 0..300 {
            drop(runtime.spawn(std::future::pending::<()>()));
        }
        drop(runtime);
        assert_free(name, &token);
    }
}

#[test]
fn what_outlives_a_runtime_keeps_it_only_as_long_as_it_lives() {
    for (name, runtime, token) in runtimes() {
        let gate = Gate::default();
        let (waiting, ready) = (runtime.spawn(gate.clone()), runtime.spawn(async { 7 }));
        let mut timer = {
            let _entered = runtime.enter();
            Box::pin(sleep(Duration::from_secs(3_600)))
        };
        runtime.block_on(async {
            assert!(futures::poll!(timer.as_mut()).is_pending());
            while gate.polls() == 0 || !ready.is_finished() {
                yield_now().await;
            }
        });
        let (waker, abort, handle) = (gate.waker(), waiting.abort_handle(), runtime.handle().clone());
        if name == "three workers" {
            runtime.shutdown_background()
        } else {
            drop(runtime)
        }
        let error = futures::executor::block_on(waiting).unwrap_err();
        assert!(error.is_cancelled(), "{name}");
        assert_eq!(futures::executor::block_on(ready).unwrap(), 7, "{name}");
        waker.unwrap().wake();
        abort.abort();
        drop((abort, handle, timer, gate));
        assert_free(name, &token);
    }
}

#[test]
fn a_runtime_that_ends_in_the_background_is_freed_when_its_last_poll_is() {
    for (name, runtime, token) in runtimes().skip(1) {
        let goes_on = Arc::new(AtomicBool::new(false));
        let (section, poll) = (Arc::clone(&goes_on), Arc::clone(&goes_on));
        let begun = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&begun);
        drop(runtime.spawn(async move {
            block_in_place(|| eventually("the end", || section.load(Ordering::SeqCst)));
            drop(wheelhouse::spawn(yield_now()));
        }));
        drop(runtime.spawn(async move {
            seen.store(true, Ordering::SeqCst);
            eventually("the end", || poll.load(Ordering::SeqCst));
            drop(wheelhouse::spawn(yield_now()));
        }));
        eventually(name, || begun.load(Ordering::SeqCst));
        runtime.shutdown_background();
        thread::sleep(Duration::from_millis(5));
        goes_on.store(true, Ordering::SeqCst);
        assert_free(name, &token);
    }
}

#[test]
fn a_runtime_that_a_panic_ends_is_freed() {
    let token = Arc::new(());
    for builder in [Builder::new_current_thread(), Builder::new_multi_thread().worker_threads(2)] {
        let held = Arc::clone(&token);
        let runtime = builder
            .unhandled_panic(UnhandledPanic::ShutdownRuntime)
            .on_task_terminate(move |_| {
                let _ = &held;
            })
            .build()
            .unwrap();
        drop(runtime.spawn(std::future::pending::<()>()));
        drop(runtime.spawn(async { panic!("on purpose") }));
        let run = std::panic::AssertUnwindSafe(|| runtime.block_on(sleep(Duration::from_millis(1))));
        // It panics on one flavour; and the timer may, which went with the runtime.
        let _ = std::panic::catch_unwind(run);
        drop(runtime);
    }
    assert_free("it", &token);
}
