//! Runtimes that end while somebody is inside of them, on their own threads, with their threads.

mod task_support;

use std::future::pending;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use task_support::{Drops, Gate, PATIENCE, eventually};
use wheelhouse::runtime::{Builder, Handle, Runtime, UnhandledPanic};
use wheelhouse::task::yield_now;
use wheelhouse::time::sleep;

fn current_thread() -> Runtime {
    Builder::new_current_thread().build().unwrap()
}

/// Runs `f` on a thread of its own: a test that hangs fails.
#[track_caller]
fn ends(what: &str, f: impl FnOnce() + Send + 'static) {
    let thread = thread::spawn(f);
    eventually(what, || thread.is_finished());
    thread.join().unwrap();
}

/// Leaves a task in the runtime whose future tells of its drop.
fn leave_a_task(handle: &Handle) -> Drops {
    let drops = Drops::default();
    let guard = drops.guard();
    drop(handle.spawn(async move {
        let _guard = guard;
        pending::<()>().await;
    }));
    drops
}

#[test]
fn drop_on_another_thread_ends_when_the_block_on_in_progress_returns() {
    ends("the drop", || {
        let runtime = current_thread();
        let drops = leave_a_task(runtime.handle());
        let handle = runtime.handle().clone();
        let (started, is_started) = mpsc::channel();
        let inside = thread::spawn(move || {
            handle.block_on(async move {
                started.send(()).unwrap();
                // Ready at the end of this very poll, which sees nothing of the shutdown.
                thread::sleep(Duration::from_millis(50));
            });
        });
        is_started.recv().unwrap();
        drop(runtime);
        assert_eq!(drops.count(), 1);
        inside.join().unwrap();
    });
}

#[test]
fn drops_that_race_with_short_block_ons_cancel_every_task() {
    ends("the drops", || {
        for round in 0..300 {
            let runtime = current_thread();
            let drops = leave_a_task(runtime.handle());
            let handle = runtime.handle().clone();
            let inside = thread::spawn(move || {
                for _ in 0..round % 7 {
                    handle.block_on(yield_now());
                }
            });
            thread::sleep(Duration::from_micros(fastrand::u64(0..60)));
            if round % 2 == 0 {
                drop(runtime)
            } else {
                runtime.shutdown_background()
            }
            inside.join().unwrap();
            assert_eq!(drops.count(), 1, "round {round}");
        }
    });
}

#[test]
fn drop_inside_of_its_own_block_on_cancels_its_tasks() {
    for runtime in [current_thread(), Builder::new_multi_thread().worker_threads(1).build().unwrap()] {
        let drops = leave_a_task(runtime.handle());
        let handle = runtime.handle().clone();
        handle.block_on(async move { drop(runtime) });
        eventually("the task's drop", || drops.count() == 1);
    }
}

#[test]
fn shutdown_timeout_gives_up_on_a_poll_that_runs_on_another_thread() {
    let runtime = current_thread();
    let drops = leave_a_task(runtime.handle());
    let handle = runtime.handle().clone();
    let (started, is_started) = mpsc::channel();
    let (go_on, goes_on) = mpsc::channel::<()>();
    let inside = thread::spawn(move || {
        handle.block_on(async move {
            started.send(()).unwrap();
            // Err: the test has failed.
            let _ = goes_on.recv_timeout(PATIENCE);
        });
    });
    is_started.recv().unwrap();
    let begun = Instant::now();
    runtime.shutdown_timeout(Duration::from_millis(50));
    let took = begun.elapsed();
    assert!(took >= Duration::from_millis(50) && took < PATIENCE / 2, "{took:?}");
    go_on.send(()).unwrap();
    inside.join().unwrap();
    assert_eq!(drops.count(), 1);
}

#[test]
fn ordinary_end_of_a_runtime_that_panics_would_end_panics_nobody() {
    let runtime = Builder::new_current_thread().unhandled_panic(UnhandledPanic::ShutdownRuntime).build().unwrap();
    let (handle, gate) = (runtime.handle().clone(), Gate::default());
    let inside = thread::spawn({
        let gate = gate.clone();
        move || handle.block_on(gate)
    });
    eventually("the poll", || gate.polls() > 0);
    drop(runtime);
    gate.open();
    inside.join().unwrap();
}

thread_local! {
    static OWN: std::cell::RefCell<Option<Runtime>> = const { std::cell::RefCell::new(None) };
}

#[test]
fn runtime_in_a_thread_local_ends_with_its_thread() {
    for builder in [Builder::new_current_thread(), Builder::new_multi_thread().worker_threads(1)] {
        let (sender, received) = mpsc::channel();
        let thread = thread::spawn(move || {
            // The runtime's own thread-locals are used only after this one is, and so are gone before it.
            OWN.with(|own| *own.borrow_mut() = Some(builder.build().unwrap()));
            OWN.with(|own| {
                let own = own.borrow();
                let runtime = own.as_ref().unwrap();
                sender.send(leave_a_task(runtime.handle())).unwrap();
                runtime.block_on(sleep(Duration::from_millis(1)));
            });
        });
        let drops = received.recv_timeout(PATIENCE).unwrap();
        thread.join().unwrap();
        eventually("the task's drop", || drops.count() == 1);
    }
}

/// Enters a runtime when it is dropped.
struct Enters(Handle, Arc<AtomicBool>);

impl Drop for Enters {
    fn drop(&mut self) {
        let _entered = self.0.enter();
        self.1.store(true, Ordering::SeqCst);
    }
}

#[test]
fn destructor_of_a_task_that_is_refused_may_enter_a_runtime() {
    let (other, gone) = (current_thread(), current_thread());
    let handle = gone.handle().clone();
    let _entered = handle.enter();
    drop(gone);
    let seen = Arc::new(AtomicBool::new(false));
    let enters = Enters(other.handle().clone(), Arc::clone(&seen));
    let task = wheelhouse::spawn(async move { drop(enters) });
    assert!(futures::executor::block_on(task).unwrap_err().is_cancelled());
    assert!(seen.load(Ordering::SeqCst));
}

#[test]
fn hook_of_a_spawn_may_enter_a_runtime() {
    let other = current_thread();
    let seen = Arc::new(AtomicBool::new(false));
    let (handle, told) = (other.handle().clone(), Arc::clone(&seen));
    let runtime = Builder::new_current_thread()
        .on_task_spawn(move |_| {
            let _entered = handle.enter();
            told.store(true, Ordering::SeqCst);
        })
        .build()
        .unwrap();
    runtime.block_on(async { wheelhouse::spawn(async {}).await.unwrap() });
    assert!(seen.load(Ordering::SeqCst));
}

/// Safe code may drop its guards in any order; what a thread's end finds then must not be a dangling budget.
#[test]
fn guards_dropped_in_the_order_of_their_making_leave_the_runtime() {
    struct AtTheEnd;
    impl Drop for AtTheEnd {
        fn drop(&mut self) {
            assert!(wheelhouse::task::coop::has_budget_remaining());
        }
    }
    thread_local!(static END: AtTheEnd = const { AtTheEnd });
    thread::spawn(|| {
        END.with(|_| ());
        let runtime = current_thread();
        let (first, second) = (runtime.enter(), runtime.enter());
        drop(first);
        drop(second);
        drop(runtime);
    })
    .join()
    .unwrap();
}

#[test]
fn runtime_dropped_by_the_last_hook_of_a_pool_thread_does_not_wait_for_itself() {
    let slot = Arc::new(std::sync::Mutex::new(None::<Runtime>));
    let (held, (done, is_done)) = (Arc::clone(&slot), mpsc::channel());
    let runtime = Builder::new_current_thread()
        .thread_keep_alive(Duration::from_millis(5))
        .on_thread_stop(move |_| {
            let runtime = held.lock().unwrap().take();
            drop(runtime);
            done.send(()).unwrap();
        })
        .build()
        .unwrap();
    let handle = runtime.handle().clone();
    *slot.lock().unwrap() = Some(runtime);
    drop(handle.spawn_blocking(|| ()));
    is_done.recv_timeout(PATIENCE).unwrap();
}

#[test]
fn what_a_runtime_that_is_gone_refuses_is_dropped_where_it_is_entered() {
    struct Looks(Arc<AtomicBool>);
    impl Drop for Looks {
        fn drop(&mut self) {
            self.0.store(Handle::try_current().is_ok(), Ordering::SeqCst);
        }
    }
    for builder in [Builder::new_current_thread(), Builder::new_multi_thread().worker_threads(1)] {
        let runtime = builder.max_blocking_threads(1).build().unwrap();
        let handle = runtime.handle().clone();
        let (queued, task, job) = <(Arc<AtomicBool>, Arc<AtomicBool>, Arc<AtomicBool>)>::default();
        let (busy, is_busy) = mpsc::channel();
        drop(handle.spawn_blocking(move || {
            busy.send(()).unwrap();
            thread::sleep(Duration::from_millis(50));
        }));
        is_busy.recv().unwrap();
        // The only thread of the pool is busy.
        let looks = Looks(Arc::clone(&queued));
        drop(handle.spawn_blocking(move || drop(looks)));
        drop(runtime);
        assert!(queued.load(Ordering::SeqCst), "a job in the queue");
        let looks = Looks(Arc::clone(&task));
        drop(handle.spawn(async move { drop(looks) }));
        assert!(task.load(Ordering::SeqCst), "a task");
        let looks = Looks(Arc::clone(&job));
        drop(handle.spawn_blocking(move || drop(looks)));
        assert!(job.load(Ordering::SeqCst), "a job");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn watchdog_of_a_runtime_that_is_gone_ends_though_a_handle_is_kept() {
    let watchdogs = || {
        let threads = std::fs::read_dir("/proc/self/task").unwrap();
        let names = threads.map(|thread| std::fs::read_to_string(thread.unwrap().path().join("comm")));
        names.filter(|name| name.as_ref().is_ok_and(|name| name.trim() == "wheelhouse-wdog")).count()
    };
    let handles: Vec<Handle> = (0..30)
        .map(|_| {
            let builder = Builder::new_multi_thread().worker_threads(1).watchdog(Duration::from_millis(4));
            let runtime = builder.build().unwrap();
            runtime.block_on(async { wheelhouse::spawn(yield_now()).await.unwrap() });
            let handle = runtime.handle().clone();
            runtime.shutdown_background();
            handle
        })
        .collect();
    // Those of the tests beside this one are few.
    eventually("the end of the threads", || watchdogs() < handles.len() / 2);
}
