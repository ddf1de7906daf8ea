//! Faults that users of other runtimes met with tasks, each provoked here.

mod task_support;

use std::future::{Future, pending, poll_fn};
use std::panic::panic_any;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

use task_support::{Drops, Gate, eventually, flavours};
use wheelhouse::runtime::Builder;
use wheelhouse::task::{JoinHandle, block_in_place, coop, yield_now};
use wheelhouse::time::{Instant, sleep};

/// A waker on another thread pushes its task while the runtime shuts down, and goes on to use the scheduler after it.
#[test]
fn waker_between_push_and_notify_survives_the_shutdown() {
    for round in 0..60 {
        for (name, runtime) in flavours() {
            let drops = Drops::default();
            let gates: Vec<Gate> = (0..3).map(|_| Gate::default()).collect();
            for gate in &gates {
                let (gate, guard) = (gate.clone(), drops.guard());
                drop(runtime.spawn(async move {
                    gate.await;
                    pending::<()>().await;
                    drop(guard);
                }));
            }
            runtime.block_on(async {
                while gates.iter().any(|gate| gate.polls() == 0) {
                    yield_now().await;
                }
            });
            let start = Arc::new(Barrier::new(gates.len() + 1));
            let threads: Vec<_> = gates
                .into_iter()
                .map(|gate| {
                    let start = Arc::clone(&start);
                    thread::spawn(move || {
                        let waker = gate.waker().expect("polled");
                        start.wait();
                        for _ in 0..round % 8 {
                            std::hint::spin_loop();
                        }
                        waker.wake_by_ref();
                        gate.open();
                        waker.wake();
                    })
                })
                .collect();
            start.wait();
            drop(runtime);
            assert_eq!(drops.count(), 3, "{name}: a future outlived its runtime");
            for thread in threads {
                thread.join().unwrap();
            }
        }
    }
}

/// A panic, whose payload has a drop of its own, while a thread without a runtime waits for the task.
#[test]
fn panic_while_a_foreign_thread_waits_leaks_nothing() {
    for (name, runtime) in flavours() {
        let drops = Drops::default();
        let gate = Gate::default();
        let (inner, guard, payload) = (gate.clone(), drops.guard(), drops.guard());
        let task = runtime.spawn(async move {
            let _guard = guard;
            inner.await;
            panic_any(payload);
        });
        let waiter = thread::spawn(move || {
            let error = futures::executor::block_on(task).unwrap_err();
            assert!(error.is_panic());
        });
        runtime.block_on(async {
            while gate.polls() == 0 {
                yield_now().await;
            }
            gate.open();
            while drops.count() == 0 {
                yield_now().await;
            }
        });
        waiter.join().unwrap();
        assert_eq!(drops.count(), 2, "{name}");
    }
}

/// Wakes that a task gave while it used up its budget reach the others although it blocks its thread after that.
#[test]
fn wakes_before_a_blocking_section_are_delivered() {
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let gate = Gate::default();
    let seen = Arc::new(AtomicBool::new(false));
    let waiting = runtime.spawn({
        let (gate, seen) = (gate.clone(), Arc::clone(&seen));
        async move {
            gate.await;
            seen.store(true, Ordering::SeqCst);
        }
    });
    let task = runtime.spawn(async move {
        while gate.polls() == 0 {
            yield_now().await;
        }
        poll_fn(|cx| {
            while let Poll::Ready(budget) = coop::poll_proceed(cx) {
                budget.made_progress();
            }
            gate.open();
            block_in_place(|| eventually("the woken task runs", || seen.load(Ordering::SeqCst)));
            Poll::Ready(())
        })
        .await;
    });
    runtime.block_on(async {
        task.await.unwrap();
        waiting.await.unwrap();
    });
}

/// `yield_now` inside of a `block_on` inside of `block_in_place` is woken.
#[test]
fn yield_in_a_nested_block_on_in_a_blocking_section_ends() {
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let handle = runtime.handle().clone();
    let task = runtime.spawn(async move {
        block_in_place(|| {
            handle.block_on(async {
                for _ in 0..10 {
                    yield_now().await;
                }
                sleep(Duration::from_millis(1)).await;
                wheelhouse::spawn(async { 7 }).await.unwrap()
            })
        })
    });
    assert_eq!(runtime.block_on(task).unwrap(), 7);
}

/// A task in a blocking section is shut down by another thread: its future is dropped once, when the section is left.
#[test]
fn shutdown_while_a_task_blocks_in_place_cancels_it_once() {
    for _ in 0..20 {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let drops = Drops::default();
        let (begun, goes_on) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let (guard, seen) = (drops.guard(), drops.clone());
        drop(runtime.spawn({
            let (begun, goes_on) = (Arc::clone(&begun), Arc::clone(&goes_on));
            async move {
                block_in_place(|| {
                    begun.store(true, Ordering::SeqCst);
                    while !goes_on.load(Ordering::SeqCst) {
                        thread::sleep(Duration::from_millis(1));
                    }
                    assert_eq!(seen.count(), 0, "dropped under its own poll");
                });
                yield_now().await;
                pending::<()>().await;
                drop(guard);
            }
        }));
        eventually("the section begins", || begun.load(Ordering::SeqCst));
        let release = thread::spawn(move || {
            thread::sleep(Duration::from_millis(5));
            goes_on.store(true, Ordering::SeqCst);
        });
        runtime.shutdown_background();
        release.join().unwrap();
        eventually("the future is dropped", || drops.count() == 1);
    }
}

/// A join handle of one runtime awaited on another, which goes first or second.
#[test]
fn join_handle_across_runtimes_resolves_when_its_own_ends() {
    let [(_, one), (_, other), (_, third)] = flavours();
    let task = third.spawn(pending::<()>());
    let waiting = other.spawn(task);
    one.block_on(sleep(Duration::from_millis(1)));
    drop(third);
    assert!(other.block_on(waiting).unwrap().unwrap_err().is_cancelled());
}

/// Whoever drops a task's output or future may spawn, abort and drop other handles there.
#[test]
fn drops_that_use_the_runtime_are_fine() {
    struct Meddles(Option<JoinHandle<()>>, Drops);
    impl Drop for Meddles {
        fn drop(&mut self) {
            if let Some(handle) = self.0.take() {
                handle.abort();
            }
            let guard = self.1.guard();
            if wheelhouse::runtime::Handle::try_current().is_ok() {
                drop(wheelhouse::spawn(async move { drop(guard) }));
            }
        }
    }
    for (name, runtime) in flavours() {
        let drops = Drops::default();
        for _ in 0..50 {
            let other = runtime.spawn(pending::<()>());
            let meddles = Meddles(Some(other), drops.clone());
            let task = runtime.spawn(async move {
                yield_now().await;
                pending::<()>().await;
                drop(meddles);
            });
            if drops.count() % 2 == 0 {
                task.abort();
            }
        }
        runtime.block_on(yield_now());
        drop(runtime);
        assert_eq!(drops.count(), 50, "{name}");
    }
}

struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// A waker that outlives its task, its runtime and its thread does nothing when it is used.
#[test]
fn wakers_outlive_everything() {
    for (name, runtime) in flavours() {
        let kept = Arc::new(Mutex::new(Vec::<Waker>::new()));
        for _ in 0..10 {
            let kept = Arc::clone(&kept);
            drop(runtime.spawn(poll_fn(move |cx| {
                kept.lock().unwrap().push(cx.waker().clone());
                Poll::<()>::Pending
            })));
        }
        runtime.block_on(async {
            while kept.lock().unwrap().len() < 10 {
                yield_now().await;
            }
        });
        drop(runtime);
        let wakers = std::mem::take(&mut *kept.lock().unwrap());
        thread::spawn(move || {
            for waker in wakers {
                waker.wake_by_ref();
                let clone = waker.clone();
                clone.wake();
                drop(waker);
            }
        })
        .join()
        .unwrap();
        assert_eq!(Arc::strong_count(&kept), 1, "{name}: a future outlived its runtime");
    }
}

/// A join handle that is polled by turns with two wakers wakes the last.
#[test]
fn join_handle_moved_between_tasks_wakes_the_last() {
    for (name, runtime) in flavours() {
        let gate = Gate::default();
        let mut task = runtime.spawn(gate.clone());
        let first = Arc::new(Count(AtomicUsize::new(0)));
        let waker = Waker::from(Arc::clone(&first));
        assert!(std::pin::Pin::new(&mut task).poll(&mut Context::from_waker(&waker)).is_pending());
        let waiting = runtime.spawn(task);
        runtime.block_on(async {
            sleep(Duration::from_millis(5)).await;
            gate.open();
            waiting.await.unwrap().unwrap();
        });
        assert_eq!(first.0.load(Ordering::SeqCst), 0, "{name}: a replaced waker was woken");
    }
}

/// An abort storm against tasks that wait for timers: no stale wake, nothing left.
#[test]
fn aborted_sleepers_leave_no_timer_behind() {
    for (name, runtime) in flavours() {
        let begun = Instant::now();
        let tasks: Vec<_> = (0..500).map(|_| runtime.spawn(sleep(Duration::from_secs(3_600)))).collect();
        runtime.block_on(async {
            sleep(Duration::from_millis(2)).await;
            for task in &tasks {
                task.abort();
            }
            for task in tasks {
                assert!(task.await.unwrap_err().is_cancelled());
            }
        });
        assert!(begun.elapsed() < Duration::from_secs(60), "{name}");
    }
}

/// The future of a task that is refused, since its runtime is gone, is dropped where it was spawned: there it may enter
/// a runtime and spawn again.
#[test]
fn refused_future_may_use_the_runtime_in_its_drop() {
    struct Enters(wheelhouse::runtime::Handle, Drops);
    impl Drop for Enters {
        fn drop(&mut self) {
            let _entered = self.0.enter();
            let guard = self.1.guard();
            drop(wheelhouse::spawn(async move { drop(guard) }));
        }
    }
    for (name, runtime) in flavours() {
        let drops = Drops::default();
        let handle = runtime.handle().clone();
        let _entered = handle.enter();
        drop(runtime);
        let enters = Enters(handle.clone(), drops.clone());
        let task = wheelhouse::spawn(async move { drop(enters) });
        assert!(futures::executor::block_on(task).unwrap_err().is_cancelled(), "{name}");
        assert_eq!(drops.count(), 1, "{name}");
    }
}
