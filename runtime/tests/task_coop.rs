//! The cooperative budget.

mod task_support;

use std::future::{Future, poll_fn, ready};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use task_support::flavours;
use wheelhouse::runtime::{Builder, Runtime};
use wheelhouse::task::{JoinHandle, coop, yield_now};
use wheelhouse::time::sleep;

fn one_thread() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// Runs `endless`, which never ends by itself and is never pending but for the budget, beside a task that is ready once.
#[track_caller]
fn assert_yields<F>(what: &str, endless: impl Fn(Arc<AtomicBool>) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    let runtime = one_thread();
    let stop = Arc::new(AtomicBool::new(false));
    let busy = runtime.spawn(endless(Arc::clone(&stop)));
    let other = runtime.spawn({
        let stop = Arc::clone(&stop);
        async move { stop.store(true, Ordering::SeqCst) }
    });
    runtime.block_on(async {
        busy.await.unwrap();
        other.await.unwrap();
    });
    assert!(stop.load(Ordering::SeqCst), "{what}");
}

#[test]
fn consume_budget_in_a_loop_yields() {
    assert_yields("consume_budget", |stop| async move {
        while !stop.load(Ordering::SeqCst) {
            coop::consume_budget().await;
        }
    });
}

#[test]
fn always_ready_sleeps_yield() {
    assert_yields("sleep", |stop| async move {
        while !stop.load(Ordering::SeqCst) {
            sleep(Duration::ZERO).await;
        }
    });
}

#[test]
fn cooperative_makes_a_foreign_future_yield() {
    assert_yields("cooperative", |stop| async move {
        while !stop.load(Ordering::SeqCst) {
            coop::cooperative(ready(())).await;
        }
    });
}

#[test]
fn finished_join_handles_spend_budget() {
    for (name, runtime) in flavours() {
        let task = runtime.spawn(async {
            let handles: Vec<JoinHandle<()>> = (0..300).map(|_| wheelhouse::spawn(async {})).collect();
            sleep(Duration::from_millis(5)).await;
            let polls = Arc::new(AtomicUsize::new(0));
            let counted = Arc::clone(&polls);
            let mut all = Box::pin(async move {
                for handle in handles {
                    handle.await.unwrap();
                }
            });
            poll_fn(|cx| {
                counted.fetch_add(1, Ordering::SeqCst);
                all.as_mut().poll(cx)
            })
            .await;
            polls.load(Ordering::SeqCst)
        });
        let polls = runtime.block_on(task).unwrap();
        assert!(polls >= 3, "{name}: {polls} polls for 300 handles");
    }
}

#[test]
fn unconstrained_is_not_limited_and_the_limit_comes_back() {
    let runtime = one_thread();
    let task = runtime.spawn(async {
        assert!(coop::has_budget_remaining());
        let polls = count_polls(coop::unconstrained(async {
            for _ in 0..1_000 {
                coop::consume_budget().await;
            }
        }))
        .await;
        assert_eq!(polls, 1);
        let polls = count_polls(async {
            for _ in 0..1_000 {
                coop::consume_budget().await;
            }
        })
        .await;
        assert_eq!(polls, 8, "128 a poll");
    });
    runtime.block_on(task).unwrap();
}

async fn count_polls<F: Future>(future: F) -> usize {
    let mut future = Box::pin(future);
    let mut polls = 0;
    poll_fn(|cx| {
        polls += 1;
        future.as_mut().poll(cx).map(|_| ())
    })
    .await;
    polls
}

#[test]
fn budget_is_used_up_until_the_next_poll() {
    let runtime = one_thread();
    let task = runtime.spawn(async {
        let mut used_up = false;
        poll_fn(|cx| {
            if std::mem::replace(&mut used_up, true) {
                return Poll::Ready(coop::has_budget_remaining());
            }
            for _ in 0..128 {
                match coop::poll_proceed(cx) {
                    Poll::Ready(budget) => budget.made_progress(),
                    Poll::Pending => panic!("pending before the budget is used up"),
                }
            }
            assert!(!coop::has_budget_remaining());
            // Not progress: nothing is spent, and the task is woken.
            assert!(coop::poll_proceed(cx).is_pending());
            Poll::Pending
        })
        .await
    });
    assert!(runtime.block_on(task).unwrap());
}

#[test]
fn a_unit_that_made_no_progress_is_not_spent() {
    let runtime = one_thread();
    let task = runtime.spawn(poll_fn(|cx| {
        for _ in 0..1_000 {
            assert!(coop::poll_proceed(cx).is_ready());
        }
        Poll::Ready(())
    }));
    runtime.block_on(task).unwrap();
}

#[test]
fn nothing_is_limited_outside_of_tasks() {
    assert!(coop::has_budget_remaining());
    futures::executor::block_on(async {
        for _ in 0..10_000 {
            coop::consume_budget().await;
        }
    });
}

#[test]
fn yield_now_lets_every_queued_task_run_first() {
    let runtime = one_thread();
    let order = Arc::new(std::sync::Mutex::new(Vec::new()));
    let tasks: Vec<_> = (0..3)
        .map(|i| {
            let order = Arc::clone(&order);
            runtime.spawn(async move {
                for round in 0..3 {
                    order.lock().unwrap().push((round, i));
                    yield_now().await;
                }
            })
        })
        .collect();
    runtime.block_on(async {
        for task in tasks {
            task.await.unwrap();
        }
    });
    let expected: Vec<_> = (0..3).flat_map(|round| (0..3).map(move |i| (round, i))).collect();
    assert_eq!(*order.lock().unwrap(), expected);
}

#[test]
fn yield_now_under_a_combinator_wakes_through_its_waker() {
    for (name, runtime) in flavours() {
        let task = runtime.spawn(async {
            let all = futures::future::join_all((0..50).map(|i| async move {
                for _ in 0..i {
                    yield_now().await;
                }
                i
            }));
            all.await.into_iter().sum::<usize>()
        });
        assert_eq!(runtime.block_on(task).unwrap(), 49 * 50 / 2, "{name}");
    }
}
