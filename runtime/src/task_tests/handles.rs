//! Join handles and abort handles.

use std::future::pending;

use super::*;

#[test]
fn abort_drops_the_future_before_the_join_handle_resolves() {
    let scheduler = Manual::new();
    let drops = Drops::default();
    let guard = drops.guard();
    let mut join = scheduler.spawn(async move {
        pending::<()>().await;
        drop(guard);
    });
    scheduler.run();
    join.abort();
    assert!(!join.is_finished(), "the future is dropped by the scheduler, not by the one who aborts");
    assert_eq!((drops.count(), scheduler.queued()), (0, 1));
    let alarm = Alarm::new();
    assert!(poll_with(&mut join, &alarm).is_pending());
    scheduler.run();
    assert_eq!((drops.count(), alarm.count()), (1, 1));
    let error = output(&mut join).unwrap_err();
    assert!(error.is_cancelled() && !error.is_panic());
    assert_eq!(error.id(), join.id());
    assert_eq!(error.to_string(), format!("task {} was cancelled", join.id()));
    assert!(error.try_into_panic().unwrap_err().is_cancelled());
}

#[test]
fn abort_before_the_first_poll_never_polls() {
    let scheduler = Manual::new();
    let mut join = scheduler.spawn(async { panic!("polled") });
    join.abort();
    join.abort();
    assert_eq!(scheduler.queued(), 1);
    scheduler.run();
    assert!(output::<()>(&mut join).unwrap_err().is_cancelled());
}

#[test]
fn a_task_that_finished_first_wins_over_abort() {
    let scheduler = Manual::new();
    let mut join = scheduler.spawn(async { 7 });
    scheduler.run();
    join.abort();
    assert_eq!(output(&mut join).unwrap(), 7);
}

#[test]
fn a_task_that_aborts_itself_and_ends_returns_its_output() {
    let scheduler = Manual::new();
    let handle = Arc::new(Mutex::new(None::<crate::task_core::AbortHandle>));
    let inner = Arc::clone(&handle);
    let mut join = scheduler.spawn(async move {
        inner.lock().unwrap().take().unwrap().abort();
        7
    });
    *handle.lock().unwrap() = Some(join.abort_handle());
    scheduler.run();
    assert_eq!(output(&mut join).unwrap(), 7);
}

#[test]
fn a_task_that_aborts_itself_and_waits_is_cancelled() {
    let scheduler = Manual::new();
    let handle = Arc::new(Mutex::new(None::<crate::task_core::AbortHandle>));
    let inner = Arc::clone(&handle);
    let mut join = scheduler.spawn(async move {
        inner.lock().unwrap().take().unwrap().abort();
        pending::<()>().await;
    });
    *handle.lock().unwrap() = Some(join.abort_handle());
    assert_eq!(scheduler.run(), 1);
    assert!(output(&mut join).unwrap_err().is_cancelled());
}

#[test]
fn abort_from_a_foreign_thread_reaches_the_queue() {
    let scheduler = Manual::new();
    let mut join = scheduler.spawn(pending::<()>());
    scheduler.run();
    let abort = join.abort_handle();
    std::thread::spawn(move || abort.abort()).join().unwrap();
    assert_eq!(scheduler.run(), 1);
    assert!(output(&mut join).unwrap_err().is_cancelled());
}

#[test]
fn abort_handles_keep_the_cell_and_know_its_end() {
    let scheduler = Manual::new();
    let join = scheduler.spawn(async {});
    let abort = join.abort_handle();
    let second = abort.clone();
    assert_eq!((abort.id(), second.id()), (join.id(), join.id()));
    drop(join);
    assert!(!abort.is_finished());
    scheduler.run();
    assert!(abort.is_finished() && second.is_finished());
    assert_eq!(scheduler.cells(), 1);
    drop((abort, second));
    assert_eq!(scheduler.cells(), 0);
}

#[test]
fn an_abort_handle_made_after_the_output_was_taken_is_finished() {
    let scheduler = Manual::new();
    let mut join = scheduler.spawn(async {});
    scheduler.run();
    output(&mut join).unwrap();
    let abort = join.abort_handle();
    abort.abort();
    join.abort();
    assert!(abort.is_finished());
    assert_eq!(abort.id(), join.id());
}

#[test]
fn dropping_the_join_handle_detaches() {
    let scheduler = Manual::new();
    let gate = Gate::default();
    let drops = Drops::default();
    let (inner, guard) = (gate.clone(), drops.guard());
    let mut join = scheduler.spawn(async move {
        inner.await;
        guard
    });
    let alarm = Alarm::new();
    assert!(poll_with(&mut join, &alarm).is_pending());
    scheduler.run();
    drop(join);
    assert_eq!(Arc::strong_count(&alarm), 1, "the join waker goes with the handle");
    gate.open();
    scheduler.run();
    assert_eq!((drops.count(), alarm.count(), scheduler.cells()), (1, 0, 0));
}

#[test]
fn an_output_nobody_takes_is_dropped_with_the_handle() {
    let scheduler = Manual::new();
    let drops = Drops::default();
    let guard = drops.guard();
    let join = scheduler.spawn(async move { guard });
    scheduler.run();
    assert_eq!(drops.count(), 0);
    drop(join);
    assert_eq!((drops.count(), scheduler.cells()), (1, 0));
}

#[test]
fn only_the_last_join_waker_is_woken() {
    let scheduler = Manual::new();
    let mut join = scheduler.spawn(async {});
    let (first, second) = (Alarm::new(), Alarm::new());
    assert!(poll_with(&mut join, &first).is_pending());
    assert!(poll_with(&mut join, &first).is_pending());
    assert!(poll_with(&mut join, &second).is_pending());
    assert_eq!(Arc::strong_count(&first), 1);
    scheduler.run();
    assert_eq!((first.count(), second.count()), (0, 1));
    assert_eq!(Arc::strong_count(&second), 1);
}

#[test]
#[should_panic(expected = "polled after it returned the output")]
fn a_join_handle_polled_after_its_end_panics() {
    let scheduler = Manual::new();
    let mut join = scheduler.spawn(async {});
    scheduler.run();
    output(&mut join).unwrap();
    let _ = poll_once(&mut join);
}

#[test]
fn ids_are_unique_across_threads() {
    let threads: Vec<_> =
        (0..4).map(|_| std::thread::spawn(|| (0..10_000).map(|_| Id::next()).collect::<Vec<_>>())).collect();
    let mut all: Vec<Id> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 40_000);
    assert_eq!(format!("{}", all[0]), all[0].get().to_string());
}
