//! Panics wherever user code runs: the worker lives on, the join handle alone learns of it, nothing leaks.

use std::future::{pending, poll_fn};
use std::panic::panic_any;
use std::task::{RawWaker, RawWakerVTable};

use super::*;

#[track_caller]
fn message(error: JoinError) -> &'static str {
    assert!(error.is_panic() && !error.is_cancelled());
    *error.into_panic().downcast::<&'static str>().expect("a message")
}

#[test]
fn a_panic_in_the_poll_reaches_the_join_handle() {
    let scheduler = Manual::new();
    let drops = Drops::default();
    let guard = drops.guard();
    let mut join = scheduler.spawn(async move {
        let _guard = guard;
        panic!("in the poll");
    });
    scheduler.run();
    assert_eq!(drops.count(), 1);
    let error = output::<()>(&mut join).unwrap_err();
    assert_eq!(error.to_string(), format!("task {} panicked: in the poll", join.id()));
    assert_eq!(format!("{error:?}"), format!("JoinError::Panic({}, \"in the poll\")", join.id()));
    assert_eq!(message(error), "in the poll");
    assert_eq!(scheduler.0.unhandled.load(Ordering::Relaxed), 1);
    assert_eq!((scheduler.live(), scheduler.cells()), (0, 0));
}

#[test]
fn a_panic_in_a_detached_task_is_dropped_with_its_payload() {
    let scheduler = Manual::new();
    let drops = Drops::default();
    let guard = drops.panicking();
    drop(scheduler.spawn(async move { panic_any(guard) }));
    scheduler.run();
    assert_eq!((drops.count(), scheduler.live(), scheduler.cells()), (1, 0, 0));
}

#[test]
fn a_payload_whose_drops_panic_again_and_again_is_contained() {
    struct Bomb(usize, Drops);
    impl Drop for Bomb {
        fn drop(&mut self) {
            let _ = self.1.guard();
            if self.0 > 0 && !std::thread::panicking() {
                panic_any(Bomb(self.0 - 1, self.1.clone()));
            }
        }
    }
    let scheduler = Manual::new();
    let drops = Drops::default();
    let bomb = Bomb(3, drops.clone());
    drop(scheduler.spawn(async move { bomb }));
    scheduler.run();
    assert_eq!((drops.count(), scheduler.live(), scheduler.cells()), (4, 0, 0));
}

#[test]
fn a_panic_in_the_futures_drop_after_the_output_reaches_the_join_handle() {
    struct Done {
        _guard: DropGuard,
        outputs: Drops,
    }
    impl Future for Done {
        type Output = DropGuard;
        fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<DropGuard> {
            Poll::Ready(self.outputs.guard())
        }
    }
    let scheduler = Manual::new();
    let (futures, outputs) = (Drops::default(), Drops::default());
    let mut join = scheduler.spawn(Done { _guard: futures.panicking(), outputs: outputs.clone() });
    scheduler.run();
    assert_eq!(message(output(&mut join).err().expect("no output")), "a drop that panics");
    assert_eq!((futures.count(), outputs.count(), scheduler.cells()), (1, 1, 0));
}

#[test]
fn a_panic_in_the_futures_drop_at_abort_reaches_the_join_handle() {
    let scheduler = Manual::new();
    let drops = Drops::default();
    let guard = drops.panicking();
    let mut join = scheduler.spawn(async move {
        pending::<()>().await;
        drop(guard);
    });
    scheduler.run();
    join.abort();
    scheduler.run();
    assert_eq!(message(output(&mut join).unwrap_err()), "a drop that panics");
    assert_eq!((drops.count(), scheduler.live(), scheduler.cells()), (1, 0, 0));
    assert_eq!(scheduler.0.unhandled.load(Ordering::Relaxed), 0, "the poll did not panic");
}

#[test]
fn a_panic_in_the_futures_drop_at_shutdown_does_not_stop_the_others() {
    let scheduler = Manual::new();
    let drops = Drops::default();
    for _ in 0..3 {
        let guard = drops.panicking();
        drop(scheduler.spawn(async move {
            pending::<()>().await;
            drop(guard);
        }));
    }
    scheduler.run();
    scheduler.shut_down();
    assert_eq!((drops.count(), scheduler.live(), scheduler.cells()), (3, 0, 0));
}

#[test]
fn a_panic_in_poll_and_drop_keeps_the_first() {
    struct Both {
        _guard: DropGuard,
    }
    impl Future for Both {
        type Output = ();
        fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
            panic!("the poll's");
        }
    }
    let scheduler = Manual::new();
    let drops = Drops::default();
    let mut join = scheduler.spawn(Both { _guard: drops.panicking() });
    scheduler.run();
    assert_eq!(message(output(&mut join).unwrap_err()), "the poll's");
    assert_eq!((drops.count(), scheduler.cells()), (1, 0));
}

#[test]
fn a_panic_in_the_outputs_drop_is_contained() {
    let scheduler = Manual::new();
    let drops = Drops::default();
    let guard = drops.panicking();
    drop(scheduler.spawn(async move { guard }));
    scheduler.run();
    assert_eq!((drops.count(), scheduler.cells()), (1, 0));

    let guard = drops.panicking();
    let join = scheduler.spawn(async move { guard });
    scheduler.run();
    drop(join);
    assert_eq!((drops.count(), scheduler.cells()), (2, 0));
}

#[test]
fn a_panic_in_the_join_waker_is_contained_and_leaks_nothing() {
    let scheduler = Manual::new();
    let alarm = Arc::new(Alarm { panics: true, ..Alarm::default() });
    let mut join = scheduler.spawn(async { 7 });
    assert!(poll_with(&mut join, &alarm).is_pending());
    scheduler.run();
    assert_eq!((alarm.count(), Arc::strong_count(&alarm), scheduler.live()), (1, 1, 0));
    assert_eq!(output(&mut join).unwrap(), 7);
    assert_eq!(scheduler.cells(), 0);
}

#[test]
fn a_panic_while_a_foreign_join_handle_waits_leaks_nothing() {
    let scheduler = Manual::new();
    let (gate, drops) = (Gate::default(), Drops::default());
    let (inner, guard) = (gate.clone(), drops.guard());
    let mut join = scheduler.spawn(async move {
        inner.await;
        panic_any(guard);
    });
    scheduler.run();
    let waiting = Alarm::new();
    let waiter = std::thread::spawn({
        let waiting = Arc::clone(&waiting);
        move || {
            let first = poll_with(&mut join, &waiting);
            assert!(first.is_pending());
            waiting.wakes.fetch_add(1, Ordering::SeqCst);
            futures::executor::block_on(&mut join).unwrap_err()
        }
    });
    while waiting.count() == 0 {
        std::thread::yield_now();
    }
    gate.open();
    scheduler.run();
    let error = waiter.join().unwrap();
    assert!(error.is_panic());
    drop(error);
    assert_eq!((drops.count(), scheduler.live(), scheduler.cells()), (1, 0, 0));
}

/// A waker whose clone or drop panics, as a raw one, counting how many are alive.
struct Raw {
    alive: AtomicUsize,
    clone_panics: bool,
    drop_panics: bool,
}

static RAW: RawWakerVTable = RawWakerVTable::new(
    |data| {
        // SAFETY: `poll` puts a `&'static Raw` there.
        let raw = unsafe { &*data.cast::<Raw>() };
        assert!(!raw.clone_panics, "a clone that panics");
        raw.alive.fetch_add(1, Ordering::SeqCst);
        RawWaker::new(data, &RAW)
    },
    |_| {},
    |_| {},
    |data| {
        // SAFETY: as above.
        let raw = unsafe { &*data.cast::<Raw>() };
        raw.alive.fetch_sub(1, Ordering::SeqCst);
        assert!(!raw.drop_panics || std::thread::panicking(), "a drop that panics");
    },
);

impl Raw {
    const fn new(clone_panics: bool, drop_panics: bool) -> Self {
        Self { alive: AtomicUsize::new(0), clone_panics, drop_panics }
    }

    fn poll<F: Future + Unpin>(&'static self, future: &mut F) -> Poll<F::Output> {
        let raw = RawWaker::new(std::ptr::from_ref(self).cast(), &RAW);
        // SAFETY: the functions do what a waker's do; the first one is not counted and not dropped.
        let waker = std::mem::ManuallyDrop::new(unsafe { Waker::from_raw(raw) });
        Pin::new(future).poll(&mut Context::from_waker(&waker))
    }

    fn alive(&self) -> usize {
        self.alive.load(Ordering::SeqCst)
    }
}

#[test]
fn a_join_waker_whose_clone_panics_leaves_the_old_one_harmless() {
    let scheduler = Manual::new();
    let mut join = scheduler.spawn(async { 7 });
    let alarm = Alarm::new();
    assert!(poll_with(&mut join, &alarm).is_pending());
    static PANICKING: Raw = Raw::new(true, false);
    let poll = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| PANICKING.poll(&mut join)));
    assert!(poll.is_err());
    scheduler.run();
    assert_eq!(output(&mut join).unwrap(), 7);
    assert_eq!((Arc::strong_count(&alarm), scheduler.cells()), (1, 0));
}

#[test]
fn a_join_waker_whose_drop_panics_is_contained_when_the_handle_is_dropped() {
    let scheduler = Manual::new();
    let mut join = scheduler.spawn(async {});
    static PANICKING: Raw = Raw::new(false, true);
    assert!(PANICKING.poll(&mut join).is_pending());
    assert_eq!(PANICKING.alive(), 1);
    drop(join);
    assert_eq!(PANICKING.alive(), 0);
    scheduler.run();
    assert_eq!(scheduler.cells(), 0);
}

#[test]
fn a_future_that_keeps_its_own_waker_is_freed_at_shutdown() {
    let scheduler = Manual::new();
    let mut own = Vec::new();
    drop(scheduler.spawn(poll_fn(move |cx| {
        own.push(cx.waker().clone());
        Poll::<()>::Pending
    })));
    scheduler.run();
    assert_eq!(scheduler.cells(), 1);
    scheduler.shut_down();
    assert_eq!(scheduler.cells(), 0);
}
