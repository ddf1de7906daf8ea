//! What a local set promises: its futures need not be `Send`, and never move.

mod task_support;

use std::cell::{Cell, RefCell};
use std::future::{Future, pending};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Wake, Waker};
use std::thread::{self, ThreadId};
use std::time::Duration;

use futures::stream::{FuturesUnordered, StreamExt};
use task_support::{Drops, Gate, PATIENCE, eventually, flavours};
use wheelhouse::task::{LocalSet, spawn_local, yield_now};
use wheelhouse::time::{Instant, sleep, timeout};

/// Notes the thread that drops it; not `Send`.
struct Here {
    thread: ThreadId,
    moved: Arc<AtomicBool>,
    _not_send: Rc<()>,
}

impl Here {
    fn new(moved: &Arc<AtomicBool>) -> Self {
        Self { thread: thread::current().id(), moved: Arc::clone(moved), _not_send: Rc::new(()) }
    }

    fn check(&self) {
        if thread::current().id() != self.thread {
            self.moved.store(true, Ordering::SeqCst);
        }
    }
}

impl Drop for Here {
    fn drop(&mut self) {
        self.check();
    }
}

#[test]
fn tasks_share_what_is_not_send() {
    for (name, runtime) in flavours() {
        let log = Rc::new(RefCell::new(Vec::new()));
        let local = LocalSet::new();
        local.block_on(&runtime, async {
            let tasks: Vec<_> = (0..3)
                .map(|i| {
                    let log = Rc::clone(&log);
                    spawn_local(async move {
                        for _ in 0..2 {
                            log.borrow_mut().push(i);
                            yield_now().await;
                        }
                        Rc::new(i)
                    })
                })
                .collect();
            for (i, task) in tasks.into_iter().enumerate() {
                assert_eq!(*task.await.unwrap(), i);
            }
        });
        assert_eq!(*log.borrow(), [0, 1, 2, 0, 1, 2], "{name}: a yield goes behind the others");
    }
}

#[test]
fn timers_and_sockets_work_inside() {
    for (name, runtime) in flavours() {
        let local = LocalSet::new();
        local.block_on(&runtime, async {
            let begun = Instant::now();
            let tasks: Vec<_> = (1..=3u64).map(|i| spawn_local(sleep(Duration::from_millis(i)))).collect();
            for task in tasks {
                task.await.unwrap();
            }
            assert!(begun.elapsed() >= Duration::from_millis(3), "{name}");
            // The runtime's own tasks run beside it.
            assert_eq!(wheelhouse::spawn(async { 7 }).await.unwrap(), 7);
        });
    }
}

#[test]
fn wakes_of_other_threads_reach_it() {
    for (name, runtime) in flavours() {
        let moved = Arc::new(AtomicBool::new(false));
        let local = LocalSet::new();
        let gate = Gate::default();
        let task = local.spawn_local({
            let (gate, here) = (gate.clone(), Here::new(&moved));
            async move {
                gate.await;
                here.check();
                7
            }
        });
        let opener = thread::spawn({
            let gate = gate.clone();
            move || {
                eventually("the task is polled", || gate.polls() > 0);
                gate.open();
            }
        });
        runtime.block_on(local);
        assert_eq!(runtime.block_on(task).unwrap(), 7, "{name}");
        opener.join().unwrap();
        assert!(!moved.load(Ordering::SeqCst));
    }
}

#[test]
fn handles_work_on_other_threads() {
    for (name, runtime) in flavours() {
        let moved = Arc::new(AtomicBool::new(false));
        let local = LocalSet::new();
        let here = Here::new(&moved);
        let task = local.spawn_local(async move {
            pending::<()>().await;
            drop(here);
        });
        let abort = task.abort_handle();
        let aborter = thread::spawn(move || {
            thread::sleep(Duration::from_millis(2));
            abort.abort();
            let error = futures::executor::block_on(task).unwrap_err();
            assert!(error.is_cancelled());
        });
        runtime.block_on(local);
        aborter.join().unwrap();
        assert!(!moved.load(Ordering::SeqCst), "{name}: dropped on a foreign thread");
    }
}

#[test]
fn dropping_the_set_cancels_here_what_others_are_waking() {
    for (name, runtime) in flavours() {
        for round in 0..50 {
            let moved = Arc::new(AtomicBool::new(false));
            let drops = Drops::default();
            let local = LocalSet::new();
            let gates: Vec<Gate> = (0..4).map(|_| Gate::default()).collect();
            let tasks: Vec<_> = gates
                .iter()
                .map(|gate| {
                    let (gate, here, guard) = (gate.clone(), Here::new(&moved), drops.guard());
                    local.spawn_local(async move {
                        gate.await;
                        pending::<()>().await;
                        drop((here, guard));
                    })
                })
                .collect();
            local.block_on(&runtime, yield_now());
            let opener = thread::spawn({
                let gates = gates.clone();
                move || gates.iter().for_each(Gate::open)
            });
            if round % 2 == 0 {
                thread::yield_now();
            }
            drop(local);
            assert_eq!(drops.count(), 4, "{name}");
            opener.join().unwrap();
            for task in tasks {
                assert!(futures::executor::block_on(task).unwrap_err().is_cancelled());
            }
            assert!(!moved.load(Ordering::SeqCst), "{name}: dropped on a foreign thread");
        }
    }
}

#[test]
fn a_task_spawned_by_a_drop_at_the_end_is_cancelled() {
    struct Spawns(Drops);
    impl Drop for Spawns {
        fn drop(&mut self) {
            let guard = self.0.guard();
            drop(spawn_local(async move { drop(guard) }));
        }
    }
    let drops = Drops::default();
    let local = LocalSet::new();
    let spawns = Spawns(drops.clone());
    drop(local.spawn_local(async move {
        pending::<()>().await;
        drop(spawns);
    }));
    drop(local);
    assert_eq!(drops.count(), 1);
}

#[test]
fn it_is_ready_when_all_tasks_have_ended() {
    for (name, runtime) in flavours() {
        let local = LocalSet::new();
        let done = Rc::new(Cell::new(0));
        for i in 0..200u64 {
            let done = Rc::clone(&done);
            drop(local.spawn_local(async move {
                if i % 2 == 0 {
                    sleep(Duration::from_millis(i % 7)).await;
                }
                done.set(done.get() + 1);
            }));
        }
        runtime.block_on(local);
        assert_eq!(done.get(), 200, "{name}");
    }
}

#[test]
fn tasks_left_by_run_until_go_on_later() {
    for (name, runtime) in flavours() {
        let local = LocalSet::new();
        let gate = Gate::default();
        let mut task = None;
        local.block_on(&runtime, async {
            task = Some(spawn_local(gate.clone()));
        });
        let task = task.unwrap();
        assert!(!task.is_finished());
        gate.open();
        runtime.block_on(local);
        assert!(task.is_finished(), "{name}");
    }
}

#[test]
fn two_run_untils_of_one_set_side_by_side_both_end() {
    for (name, runtime) in flavours() {
        let local = LocalSet::new();
        let (first, second) = (Gate::default(), Gate::default());
        runtime.block_on(async {
            let one = local.run_until(async {
                spawn_local({
                    let second = second.clone();
                    async move { second.open() }
                })
                .await
                .unwrap();
                first.clone().await;
            });
            let other = local.run_until(async {
                second.clone().await;
                first.open();
            });
            futures::future::join(one, other).await;
        });
        assert!(first.polls() > 0, "{name}");
    }
}

#[test]
fn a_saturated_set_lets_its_thread_do_other_things() {
    for (name, runtime) in flavours() {
        let local = LocalSet::new();
        let stop = Rc::new(Cell::new(false));
        for _ in 0..3 {
            let stop = Rc::clone(&stop);
            drop(local.spawn_local(async move {
                while !stop.get() {
                    yield_now().await;
                }
            }));
        }
        let late = local.block_on(&runtime, async {
            let begun = Instant::now();
            sleep(Duration::from_millis(5)).await;
            begun.elapsed()
        });
        assert!(late < Duration::from_secs(1), "{name}: {late:?}");
        stop.set(true);
        runtime.block_on(local);
    }
}

#[test]
fn it_runs_under_a_foreign_executor() {
    let local = LocalSet::new();
    let task = local.spawn_local(async {
        yield_now().await;
        Rc::new(7)
    });
    futures::executor::block_on(local);
    assert_eq!(*futures::executor::block_on(task).unwrap(), 7);
}

#[test]
fn a_panic_in_a_local_task_reaches_its_handle() {
    for (name, runtime) in flavours() {
        let local = LocalSet::new();
        local.block_on(&runtime, async {
            let error = spawn_local(async { panic!("here") }).await.unwrap_err();
            assert!(error.is_panic(), "{name}");
            assert_eq!(spawn_local(async { 7 }).await.unwrap(), 7);
        });
    }
}

#[test]
fn spawn_local_inside_a_spawned_task_panics_with_the_remedy() {
    let (_, runtime) = flavours().into_iter().nth(2).unwrap();
    let task = runtime.spawn(async {
        drop(spawn_local(async {}));
    });
    let payload = runtime.block_on(task).unwrap_err().into_panic();
    assert!(payload.downcast_ref::<&str>().unwrap().contains("run_until"));
}

#[test]
fn sets_nest_and_are_restored() {
    let (outer, inner) = (LocalSet::new(), LocalSet::new());
    let entered = outer.enter();
    let in_inner = {
        let _entered = inner.enter();
        spawn_local(async { 1 })
    };
    let in_outer = spawn_local(async { 2 });
    drop(entered);
    futures::executor::block_on(inner);
    assert!(in_inner.is_finished() && !in_outer.is_finished());
    futures::executor::block_on(outer);
    assert!(in_outer.is_finished());
}

#[test]
fn names_and_ids_are_seen_inside() {
    let (_, runtime) = flavours().into_iter().next().unwrap();
    let local = LocalSet::new();
    local.block_on(&runtime, async {
        let task =
            wheelhouse::task::Builder::new().name("local").spawn_local(async { wheelhouse::task::id() }).unwrap();
        let id = task.id();
        assert_eq!(task.await.unwrap(), id);
    });
}

/// Two futures of one set, each with a waker of its own: whichever looked last at the set may be the one that goes.
#[test]
fn the_set_goes_on_when_one_of_those_that_wait_for_it_is_done() {
    for (name, runtime) in flavours() {
        let local = LocalSet::new();
        let gate = Gate::default();
        let opener = thread::spawn({
            let gate = gate.clone();
            move || {
                eventually("the local task waits", || gate.polls() > 0);
                thread::sleep(Duration::from_millis(30));
                gate.open();
            }
        });
        let ended = runtime.block_on(async {
            let long = local.run_until(async { spawn_local(gate).await.unwrap() });
            let short = local.run_until(sleep(Duration::from_millis(5)));
            let all: FuturesUnordered<Pin<Box<dyn Future<Output = ()>>>> = FuturesUnordered::new();
            all.push(Box::pin(long));
            all.push(Box::pin(short));
            timeout(PATIENCE, all.count()).await
        });
        assert_eq!(ended.ok(), Some(2), "{name}");
        opener.join().unwrap();
    }
}

#[test]
fn the_set_goes_on_when_one_of_those_that_wait_for_it_is_dropped() {
    struct Woken(AtomicBool);
    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Ordering::SeqCst);
        }
    }
    let local = LocalSet::new();
    let stays = Arc::new(Woken(AtomicBool::new(false)));
    let waker = Waker::from(Arc::clone(&stays));
    let gate = Gate::default();
    let waits = gate.clone();
    let mut long = Box::pin(local.run_until(async { spawn_local(waits).await.unwrap() }));
    assert!(long.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    {
        // Polled last, with a waker of its own, and gone; what it left behind, too, is for the other.
        let mut short = Box::pin(local.run_until(pending::<()>()));
        for _ in 0..200 {
            drop(local.spawn_local(async {}));
        }
        assert!(short.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    assert!(stays.0.swap(false, Ordering::SeqCst), "nobody is told of the rest of the queue");
    assert!(long.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    thread::spawn(move || gate.open()).join().unwrap();
    assert!(stays.0.swap(false, Ordering::SeqCst), "the wake went to the one that is gone");
}

#[test]
fn guards_dropped_in_the_order_of_their_making_keep_no_set_that_is_gone() {
    let (first, second) = (LocalSet::new(), LocalSet::new());
    let (outer, inner) = (first.enter(), second.enter());
    drop(outer);
    drop(first);
    drop(inner);
    // The first set is entered again, and gone: the task is cancelled.
    let task = spawn_local(async {});
    assert!(futures::executor::block_on(task).unwrap_err().is_cancelled());
}
