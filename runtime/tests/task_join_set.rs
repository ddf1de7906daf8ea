//! What a join set promises.

mod task_support;

use std::collections::HashSet;
use std::future::{Future, pending};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use task_support::{Drops, Gate, flavours};
use wheelhouse::task::{JoinSet, LocalSet, yield_now};
use wheelhouse::time::{sleep, timeout};

#[test]
fn outputs_come_in_the_order_of_the_ends() {
    for (name, runtime) in flavours() {
        runtime.block_on(async {
            let gates: Vec<Gate> = (0..3).map(|_| Gate::default()).collect();
            let mut set = JoinSet::new();
            for (i, gate) in gates.iter().enumerate() {
                let gate = gate.clone();
                set.spawn(async move {
                    gate.await;
                    i
                });
            }
            assert_eq!(set.len(), 3);
            assert!(set.try_join_next().is_none());
            for i in [2, 0, 1] {
                gates[i].open();
                assert_eq!(set.join_next().await.unwrap().unwrap(), i, "{name}");
            }
            assert!(set.is_empty());
            assert!(set.join_next().await.is_none());
        });
    }
}

#[test]
fn dropping_the_set_aborts_its_tasks() {
    for (name, runtime) in flavours() {
        let drops = Drops::default();
        runtime.block_on(async {
            let mut set = JoinSet::new();
            for _ in 0..5 {
                let guard = drops.guard();
                set.spawn(async move {
                    pending::<()>().await;
                    drop(guard);
                });
            }
            yield_now().await;
            drop(set);
            while drops.count() < 5 {
                yield_now().await;
            }
        });
        assert_eq!(drops.count(), 5, "{name}");
    }
}

#[test]
fn detached_tasks_go_on() {
    for (name, runtime) in flavours() {
        runtime.block_on(async {
            let done = Arc::new(AtomicUsize::new(0));
            let gate = Gate::default();
            let mut set = JoinSet::new();
            for _ in 0..4 {
                let (gate, done) = (gate.clone(), Arc::clone(&done));
                set.spawn(async move {
                    gate.await;
                    done.fetch_add(1, Ordering::SeqCst);
                });
            }
            yield_now().await;
            set.detach_all();
            assert!(set.is_empty());
            assert!(set.join_next().await.is_none());
            set.spawn(async {});
            gate.open();
            while done.load(Ordering::SeqCst) < 4 {
                yield_now().await;
            }
            assert!(set.join_next().await.unwrap().is_ok(), "{name}");
            assert!(set.join_next().await.is_none(), "{name}: a detached task came back");
        });
    }
}

#[test]
fn shutdown_waits_until_the_futures_are_dropped() {
    for (name, runtime) in flavours() {
        runtime.block_on(async {
            let drops = Drops::default();
            let mut set = JoinSet::new();
            for _ in 0..5 {
                let guard = drops.guard();
                set.spawn(async move {
                    pending::<()>().await;
                    drop(guard);
                });
            }
            set.shutdown().await;
            assert_eq!(drops.count(), 5, "{name}");
            assert!(set.is_empty());
        });
    }
}

#[test]
fn aborted_and_panicked_tasks_are_errors_with_their_ids() {
    for (name, runtime) in flavours() {
        runtime.block_on(async {
            let mut set = JoinSet::new();
            let aborted = set.spawn(pending::<()>());
            let panicked = set.spawn(async { panic!("here") });
            let fine = set.spawn(async {});
            aborted.abort();
            let mut seen = HashSet::new();
            while let Some(next) = set.join_next_with_id().await {
                match next {
                    Ok((id, ())) => {
                        assert_eq!(id, fine.id());
                        seen.insert("fine");
                    }
                    Err(error) if error.is_panic() => {
                        assert_eq!(error.id(), panicked.id());
                        seen.insert("panicked");
                    }
                    Err(error) => {
                        assert_eq!(error.id(), aborted.id());
                        seen.insert("aborted");
                    }
                }
            }
            assert_eq!(seen.len(), 3, "{name}");
        });
    }
}

#[test]
fn join_all_collects_or_resumes_the_panic() {
    for (name, runtime) in flavours() {
        runtime.block_on(async {
            let set: JoinSet<u32> = (0..10).map(|i| async move { i }).collect();
            let mut outputs = set.join_all().await;
            outputs.sort_unstable();
            assert_eq!(outputs, (0..10).collect::<Vec<_>>(), "{name}");
        });
        let drops = Drops::default();
        let guard = drops.guard();
        let task = runtime.spawn(async move {
            let mut set = JoinSet::new();
            set.spawn(async move {
                pending::<()>().await;
                drop(guard);
            });
            set.spawn(async { panic!("here") });
            set.join_all().await
        });
        let payload = runtime.block_on(task).unwrap_err().into_panic();
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"here"), "{name}");
        runtime.block_on(async {
            while drops.count() == 0 {
                yield_now().await;
            }
        });
    }
}

#[test]
fn waiting_is_cancel_safe() {
    for (name, runtime) in flavours() {
        runtime.block_on(async {
            let gate = Gate::default();
            let mut set = JoinSet::new();
            set.spawn({
                let gate = gate.clone();
                async move {
                    gate.await;
                    7
                }
            });
            assert!(timeout(Duration::from_millis(2), set.join_next()).await.is_err());
            gate.open();
            assert_eq!(set.join_next().await.unwrap().unwrap(), 7, "{name}");
        });
    }
}

#[test]
fn blocking_local_and_named_tasks_belong() {
    for (name, runtime) in flavours() {
        let handle = runtime.handle().clone();
        let local = LocalSet::new();
        local.block_on(&runtime, async {
            let mut set = JoinSet::new();
            set.spawn_blocking(|| 1);
            set.spawn_blocking_on(|| 2, &handle);
            set.spawn_on(async { 3 }, &handle);
            let rc = std::rc::Rc::new(4);
            set.spawn_local(async move { *rc });
            set.spawn_local_on(async { 5 }, &local);
            set.build_task().name("six").spawn(async { 6 }).unwrap();
            set.build_task().name("seven").spawn_blocking(|| 7).unwrap();
            let mut outputs = set.join_all().await;
            outputs.sort_unstable();
            assert_eq!(outputs, [1, 2, 3, 4, 5, 6, 7], "{name}");
        });
    }
}

#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// The cost of an end does not depend on how many tasks wait: the set polls none of them.
#[test]
fn one_end_among_two_thousand_polls_one() {
    let (_, runtime) = flavours().into_iter().next().unwrap();
    runtime.block_on(async {
        let gates: Vec<Gate> = (0..2_000).map(|_| Gate::default()).collect();
        let mut set: JoinSet<()> = gates.iter().cloned().collect();
        let count = Arc::new(Count::default());
        let waker = Waker::from(Arc::clone(&count));
        assert!(set.poll_join_next(&mut Context::from_waker(&waker)).is_pending());
        while gates.iter().any(|gate| gate.polls() == 0) {
            yield_now().await;
        }
        gates[1_000].open();
        while count.0.load(Ordering::SeqCst) == 0 {
            yield_now().await;
        }
        assert!(matches!(set.poll_join_next(&mut Context::from_waker(&waker)), Poll::Ready(Some(Ok(())))));
        assert!(set.poll_join_next(&mut Context::from_waker(&waker)).is_pending());
        assert_eq!(count.0.load(Ordering::SeqCst), 1);
        assert!(gates.iter().enumerate().all(|(i, gate)| gate.polls() == 1 + usize::from(i == 1_000)));
        assert_eq!(set.len(), 1_999);
    });
}

#[test]
fn budget_makes_a_loop_over_a_full_set_yield() {
    for (name, runtime) in flavours() {
        let task = runtime.spawn(async {
            let mut set: JoinSet<()> = (0..1_000).map(|_| async {}).collect();
            while !set.is_empty() && !set_is_ready(&mut set).await {}
            let mut polls = 0;
            let mut joined = 0;
            std::future::poll_fn(|cx| {
                polls += 1;
                loop {
                    match set.poll_join_next(cx) {
                        Poll::Ready(Some(_)) => joined += 1,
                        Poll::Ready(None) => return Poll::Ready(()),
                        Poll::Pending => return Poll::Pending,
                    }
                }
            })
            .await;
            (joined, polls)
        });
        let (joined, polls) = runtime.block_on(task).unwrap();
        assert_eq!(joined, 1_000, "{name}");
        assert!(polls >= 1_000 / 128, "{name}: {polls} polls");
    }
}

/// Lets the set's tasks run.
async fn set_is_ready(_set: &mut JoinSet<()>) -> bool {
    sleep(Duration::from_millis(5)).await;
    true
}

const _: fn() = || {
    fn is_send<T: Send + Sync>(_: T) {}
    fn check(set: JoinSet<u32>) {
        is_send(set);
    }
    let _ = check;
    fn future_is_send<F: Future + Send>(_: F) {}
    fn next(set: &mut JoinSet<u32>) {
        future_is_send(set.join_next());
    }
    let _ = next;
};
