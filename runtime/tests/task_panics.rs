//! A panic in a task reaches its join handle, and nobody else.

mod task_support;

use std::future::pending;
use std::panic::{catch_unwind, panic_any};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Wake, Waker};
use std::time::Duration;

use task_support::{Drops, Gate, eventually, flavours};
use wheelhouse::runtime::Runtime;
use wheelhouse::task::yield_now;
use wheelhouse::time::sleep;

#[track_caller]
fn assert_alive(name: &str, runtime: &Runtime) {
    let task = runtime.spawn(async {
        sleep(Duration::from_millis(1)).await;
        7
    });
    assert_eq!(runtime.block_on(task).unwrap(), 7, "{name}");
}

#[test]
fn panic_in_a_poll_reaches_the_join_handle() {
    for (name, runtime) in flavours() {
        let drops = Drops::default();
        let guard = drops.guard();
        let task = runtime.spawn(async move {
            let _guard = guard;
            yield_now().await;
            panic!("here");
        });
        let error = runtime.block_on(task).unwrap_err();
        assert!(error.is_panic(), "{name}");
        assert_eq!(error.into_panic().downcast_ref::<&str>(), Some(&"here"));
        assert_eq!(drops.count(), 1, "{name}");
        assert_alive(name, &runtime);
    }
}

#[test]
fn panics_of_detached_tasks_leave_the_workers_alive() {
    for (name, runtime) in flavours() {
        let drops = Drops::default();
        for _ in 0..100 {
            let (future, payload) = (drops.guard(), drops.panicking());
            drop(runtime.spawn(async move {
                let _future = future;
                panic_any(payload);
            }));
        }
        assert_alive(name, &runtime);
        drop(runtime);
        assert_eq!(drops.count(), 200, "{name}");
    }
}

#[test]
fn panic_in_the_drop_of_an_aborted_future_reaches_the_join_handle() {
    for (name, runtime) in flavours() {
        let drops = Drops::default();
        let guard = drops.panicking();
        let task = runtime.spawn(async move {
            pending::<()>().await;
            drop(guard);
        });
        task.abort();
        let error = runtime.block_on(task).unwrap_err();
        assert!(error.is_panic(), "{name}");
        assert_eq!(drops.count(), 1, "{name}");
        assert_alive(name, &runtime);
    }
}

#[test]
fn panics_in_drops_at_shutdown_stop_nothing() {
    for (name, runtime) in flavours() {
        let drops = Drops::default();
        for _ in 0..10 {
            let guard = drops.panicking();
            drop(runtime.spawn(async move {
                pending::<()>().await;
                drop(guard);
            }));
        }
        runtime.block_on(yield_now());
        drop(runtime);
        assert_eq!(drops.count(), 10, "{name}");
    }
}

#[test]
fn panic_in_the_drop_of_an_output_nobody_takes_is_contained() {
    for (name, runtime) in flavours() {
        let drops = Drops::default();
        let guard = drops.panicking();
        drop(runtime.spawn(async move { guard }));
        runtime.block_on(async {
            while drops.count() == 0 {
                yield_now().await;
            }
        });
        assert_alive(name, &runtime);

        let guard = drops.panicking();
        let task = runtime.spawn(async move { guard });
        runtime.block_on(async {
            while !task.is_finished() {
                yield_now().await;
            }
        });
        assert!(catch_unwind(std::panic::AssertUnwindSafe(|| drop(task))).is_ok(), "{name}");
        assert_eq!(drops.count(), 2, "{name}");
        assert_alive(name, &runtime);
    }
}

struct PanickingWaker(AtomicUsize);

impl Wake for PanickingWaker {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
        panic!("a wake that panics");
    }
}

#[test]
fn panic_in_a_join_waker_is_contained() {
    for (name, runtime) in flavours() {
        let gate = Gate::default();
        let mut task = runtime.spawn({
            let gate = gate.clone();
            async move {
                gate.await;
                7
            }
        });
        let alarm = Arc::new(PanickingWaker(AtomicUsize::new(0)));
        let waker = Waker::from(Arc::clone(&alarm));
        let polled = std::pin::Pin::new(&mut task);
        assert!(std::future::Future::poll(polled, &mut Context::from_waker(&waker)).is_pending());
        drop(waker);
        gate.open();
        runtime.block_on(async {
            while !task.is_finished() {
                yield_now().await;
            }
        });
        eventually("the waker is called and dropped", || {
            alarm.0.load(Ordering::SeqCst) == 1 && Arc::strong_count(&alarm) == 1
        });
        assert_eq!(runtime.block_on(task).unwrap(), 7, "{name}");
        assert_alive(name, &runtime);
    }
}

/// The rest of a batch is woken although one waker in it panics: two sleeps of one deadline, one under such a waker.
#[test]
fn panic_in_a_timers_waker_keeps_no_other_from_its_wake() {
    for (name, runtime) in flavours() {
        let alarm = Arc::new(PanickingWaker(AtomicUsize::new(0)));
        let waker = Waker::from(Arc::clone(&alarm));
        runtime.block_on(async {
            let at = wheelhouse::time::Instant::now() + Duration::from_millis(20);
            let mut under_alarm: Vec<_> = (0..3).map(|_| Box::pin(wheelhouse::time::sleep_until(at))).collect();
            for sleep in &mut under_alarm {
                assert!(std::future::Future::poll(sleep.as_mut(), &mut Context::from_waker(&waker)).is_pending());
            }
            let tasks: Vec<_> = (0..10).map(|_| wheelhouse::spawn(wheelhouse::time::sleep_until(at))).collect();
            for task in tasks {
                task.await.unwrap();
            }
            sleep(Duration::from_millis(5)).await;
            assert!(under_alarm.iter().all(|sleep| sleep.is_elapsed()), "{name}");
        });
        eventually("all wakers are called", || alarm.0.load(Ordering::SeqCst) == 3);
        assert_alive(name, &runtime);
    }
}

#[test]
fn into_panic_of_a_cancelled_task_says_what_to_do() {
    let (_, runtime) = flavours().into_iter().next().unwrap();
    let task = runtime.spawn(pending::<()>());
    task.abort();
    let error = runtime.block_on(task).unwrap_err();
    let message = catch_unwind(std::panic::AssertUnwindSafe(|| drop(error.into_panic()))).unwrap_err();
    let message = message.downcast_ref::<String>().unwrap();
    assert!(message.contains("try_into_panic"), "{message}");
}
