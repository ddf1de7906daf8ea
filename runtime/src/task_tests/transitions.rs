//! The life of a task, edge by edge.

use std::future::{pending, poll_fn};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use super::*;
use crate::task_core::Spawned;

#[test]
fn a_ready_task_is_polled_once_and_freed() {
    let scheduler = Manual::new();
    drop(scheduler.spawn(async {}));
    assert_eq!((scheduler.live(), scheduler.cells()), (1, 1));
    assert_eq!(scheduler.run(), 1);
    assert_eq!((scheduler.live(), scheduler.cells()), (0, 0));
}

#[test]
fn the_output_reaches_the_join_handle() {
    let scheduler = Manual::new();
    let mut join = scheduler.spawn(async { String::from("out") });
    assert!(poll_once(&mut join).is_pending());
    assert!(!join.is_finished());
    scheduler.run();
    assert!(join.is_finished());
    assert_eq!(output(&mut join).unwrap(), "out");
    assert_eq!(scheduler.cells(), 0, "taking the output gives the cell back");
    assert!(join.is_finished());
}

#[test]
fn a_woken_task_is_queued_once() {
    let scheduler = Manual::new();
    let gate = Gate::default();
    let mut join = scheduler.spawn(gate.clone());
    assert_eq!(scheduler.run(), 1);
    let waker = gate.waker();
    waker.wake_by_ref();
    waker.wake_by_ref();
    waker.wake();
    assert_eq!(scheduler.queued(), 1);
    assert_eq!(scheduler.run(), 1);
    gate.open();
    assert_eq!(scheduler.run(), 1);
    assert!(output(&mut join).is_ok());
}

#[test]
fn a_wake_during_the_poll_queues_it_again() {
    let scheduler = Manual::new();
    let polls = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&polls);
    drop(scheduler.spawn(poll_fn(move |cx| {
        if seen.fetch_add(1, Ordering::Relaxed) == 2 {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        cx.waker().wake_by_ref();
        Poll::Pending
    })));
    assert_eq!(scheduler.run(), 3);
    assert_eq!(polls.load(Ordering::Relaxed), 3);
    assert_eq!(scheduler.cells(), 0);
}

#[test]
fn a_clone_woken_during_the_poll_queues_it_again() {
    let scheduler = Manual::new();
    let mut polls = 0;
    drop(scheduler.spawn(poll_fn(move |cx| {
        polls += 1;
        if polls == 3 {
            return Poll::Ready(());
        }
        let clone = cx.waker().clone();
        clone.wake();
        Poll::Pending
    })));
    assert_eq!(scheduler.run(), 3);
    assert_eq!(scheduler.cells(), 0);
}

#[test]
fn a_yielding_task_goes_behind_the_others() {
    let scheduler = Manual::new();
    let order = Arc::new(Mutex::new(Vec::new()));
    for name in ["a", "b"] {
        let order = Arc::clone(&order);
        let mut polls = 0;
        drop(scheduler.spawn(poll_fn(move |cx| {
            order.lock().unwrap().push(name);
            polls += 1;
            if polls == 3 {
                return Poll::Ready(());
            }
            crate::coop::yield_current(cx);
            Poll::Pending
        })));
    }
    assert_eq!(scheduler.run(), 6);
    assert_eq!(*order.lock().unwrap(), ["a", "b", "a", "b", "a", "b"]);
    assert_eq!(scheduler.cells(), 0);
}

#[test]
fn a_yield_with_handles_around_is_not_lost() {
    let scheduler = Manual::new();
    let mut polls = 0;
    let mut join = scheduler.spawn(poll_fn(move |cx| {
        polls += 1;
        if polls == 5 {
            return Poll::Ready(polls);
        }
        let _other = cx.waker().clone();
        crate::coop::yield_current(cx);
        Poll::Pending
    }));
    let abort = join.abort_handle();
    assert_eq!(scheduler.run(), 5);
    assert_eq!(output(&mut join).unwrap(), 5);
    drop(abort);
    assert_eq!(scheduler.cells(), 0);
}

#[test]
fn a_task_nobody_can_wake_lives_until_shutdown() {
    let scheduler = Manual::new();
    let drops = Drops::default();
    let guard = drops.guard();
    drop(scheduler.spawn(async move {
        pending::<()>().await;
        drop(guard);
    }));
    scheduler.run();
    assert_eq!((scheduler.live(), drops.count()), (1, 0));
    scheduler.shut_down();
    assert_eq!((scheduler.live(), scheduler.cells(), drops.count()), (0, 0, 1));
}

#[test]
fn shutdown_cancels_queued_waiting_and_late_tasks_once_each() {
    let scheduler = Manual::new();
    let drops = Drops::default();
    let spawn = |scheduler: &Manual| {
        let guard = drops.guard();
        scheduler.spawn(async move {
            pending::<()>().await;
            drop(guard);
        })
    };
    let mut waiting = spawn(&scheduler);
    scheduler.run();
    let mut queued = spawn(&scheduler);
    scheduler.shut_down();
    let mut late = spawn(&scheduler);
    assert_eq!(drops.count(), 3);
    for join in [&mut waiting, &mut queued, &mut late] {
        assert!(output(join).unwrap_err().is_cancelled());
    }
    assert_eq!((scheduler.live(), scheduler.cells(), drops.count()), (0, 0, 3));
}

#[test]
fn a_task_that_spawns_in_its_drop_at_shutdown_leaves_nothing() {
    struct SpawnsOnDrop(Manual, Drops);
    impl Drop for SpawnsOnDrop {
        fn drop(&mut self) {
            let guard = self.1.guard();
            drop(self.0.spawn(async move { drop(guard) }));
        }
    }
    let scheduler = Manual::new();
    let drops = Drops::default();
    let spawns = SpawnsOnDrop(scheduler.clone(), drops.clone());
    drop(scheduler.spawn(async move {
        pending::<()>().await;
        drop(spawns);
    }));
    scheduler.run();
    scheduler.shut_down();
    assert_eq!((scheduler.live(), drops.count()), (0, 1));
    assert_eq!(scheduler.cells(), 0);
}

#[test]
fn a_waker_that_outlives_the_scheduler_wakes_nobody() {
    let scheduler = Manual::new();
    let gate = Gate::default();
    drop(scheduler.spawn(gate.clone()));
    scheduler.run();
    let waker = gate.waker();
    let clone = waker.clone();
    scheduler.shut_down();
    waker.wake_by_ref();
    waker.wake();
    assert_eq!((scheduler.queued(), scheduler.live()), (0, 0));
    drop(clone);
    drop(gate);
    assert_eq!(scheduler.cells(), 0);
}

#[test]
fn a_wake_on_its_way_to_the_queue_during_shutdown_is_harmless() {
    let scheduler = Manual::new();
    let gate = Gate::default();
    let drops = Drops::default();
    let (guard, inner) = (drops.guard(), gate.clone());
    let mut join = scheduler.spawn(async move {
        inner.await;
        drop(guard);
    });
    scheduler.run();
    gate.waker().wake();
    let on_its_way = scheduler.next().expect("woken");
    scheduler.0.owned.close_and_cancel_all();
    assert_eq!(drops.count(), 1, "the closing does not wait for the waker");
    on_its_way.run();
    assert_eq!(drops.count(), 1);
    assert!(output(&mut join).unwrap_err().is_cancelled());
    drop(gate);
    assert_eq!(scheduler.cells(), 0);
}

#[test]
fn shutdown_during_a_poll_cancels_at_its_end() {
    let scheduler = Manual::new();
    let drops = Drops::default();
    let (inner, guard, seen) = (scheduler.clone(), drops.guard(), drops.clone());
    let mut join = scheduler.spawn(async move {
        poll_fn(|_| {
            // What a blocking section does before its worker goes on without it.
            crate::task_core::share_current();
            inner.0.owned.close_and_cancel_all();
            assert_eq!(seen.count(), 0, "dropped under its own poll");
            Poll::<()>::Pending
        })
        .await;
        drop(guard);
    });
    scheduler.run();
    assert_eq!(drops.count(), 1);
    assert!(output(&mut join).unwrap_err().is_cancelled());
}

#[test]
fn polls_are_counted() {
    let scheduler = Manual::new();
    let gate = Gate::default();
    let _join = scheduler.spawn(gate.clone());
    for _ in 0..3 {
        scheduler.run();
        gate.waker().wake();
    }
    let snapshot = scheduler.0.owned.snapshot();
    assert_eq!(snapshot.len(), 1);
    assert_eq!(snapshot[0].polls, 3);
    assert_eq!(snapshot[0].lifecycle, crate::task_core::Lifecycle::Queued);
    assert!(snapshot[0].location.file().ends_with("transitions.rs"));
    scheduler.shut_down();
}

#[test]
fn a_name_is_kept_and_freed() {
    let scheduler = Manual::new();
    let meta = Meta { id: Id::next(), kind: Kind::Local, name: Some("heartbeat"), location: Location::caller() };
    let spawned = spawn(async {}, scheduler.clone(), meta);
    scheduler.0.owned.bind(spawned.owned).unwrap();
    let seen = scheduler.0.owned.snapshot();
    assert_eq!((seen[0].name.as_deref(), seen[0].kind), (Some("heartbeat"), Kind::Local));
    assert_eq!(seen[0].location.line(), meta.location.line());
    drop((spawned.notified, spawned.join));
    assert_eq!(scheduler.cells(), 0);
}

#[test]
fn the_owned_list_unlinks_from_any_place() {
    let scheduler = Manual::new();
    let gates: Vec<Gate> = (0..5).map(|_| Gate::default()).collect();
    for gate in &gates {
        drop(scheduler.spawn(gate.clone()));
    }
    scheduler.run();
    for (left, at) in [(4, 2), (3, 0), (2, 4), (1, 1), (0, 3)] {
        gates[at].open();
        scheduler.run();
        assert_eq!(scheduler.live(), left);
        assert_eq!(scheduler.0.owned.snapshot().len(), left);
    }
    assert_eq!(scheduler.cells(), 0);
}

#[test]
fn a_future_with_a_large_alignment_is_aligned() {
    #[repr(align(256))]
    struct Aligned(u8);
    let scheduler = Manual::new();
    let mut join = scheduler.spawn(async {
        let aligned = Aligned(7);
        std::future::ready(()).await;
        (&raw const aligned).addr() % 256 + usize::from(aligned.0)
    });
    scheduler.run();
    assert_eq!(output(&mut join).unwrap(), 7);
}

#[test]
fn an_unlisted_task_without_wakers_frees_itself() {
    let scheduler = Manual::new();
    let drops = Drops::default();
    let guard = drops.guard();
    let meta = Meta { id: Id::next(), kind: Kind::Blocking, name: None, location: Location::caller() };
    let future = async move {
        pending::<()>().await;
        drop(guard);
    };
    let Spawned { owned, notified, join } = spawn(future, scheduler.clone(), meta);
    drop((owned, join));
    notified.run();
    assert_eq!((drops.count(), scheduler.cells()), (1, 0));
}
