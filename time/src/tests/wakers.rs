//! Wakers that do what they please inside their calls.

use core::future::Future;
use core::pin::Pin;
use core::task::{Context, RawWaker, RawWakerVTable, Waker};
use core::time::Duration;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Wake;

use super::{Counter, Rig, poll};
use crate::{Instant, Sleep, Tick, Timers, sleep};

/// A waker that does in `wake`, and in `clone`, and when it is dropped, whatever a user may.
struct Meddler {
    timers: Timers,
    kept: Mutex<Vec<Pin<Box<Sleep>>>>,
    calls: AtomicUsize,
}

impl Meddler {
    fn meddle(&self) {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let _entered = self.timers.enter();
        let _ = (Instant::now(), self.timers.metrics());
        let mut timer = Box::pin(sleep(Duration::from_secs(1)));
        assert!(timer.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        timer.as_mut().reset(Instant::now() + Duration::from_millis(1));
        let mut kept = self.kept.lock().unwrap();
        kept.truncate(2);
        kept.push(timer);
    }
}

fn meddling(meddler: &Arc<Meddler>) -> Waker {
    fn of(data: *const ()) -> core::mem::ManuallyDrop<Arc<Meddler>> {
        // SAFETY: the data of this vtable's wakers comes from `Arc::into_raw`, and the count is theirs.
        core::mem::ManuallyDrop::new(unsafe { Arc::from_raw(data.cast()) })
    }
    static VTABLE: RawWakerVTable = RawWakerVTable::new(
        |data| {
            of(data).meddle();
            RawWaker::new(Arc::into_raw(Arc::clone(&of(data))).cast(), &VTABLE)
        },
        |data| {
            of(data).meddle();
            drop(core::mem::ManuallyDrop::into_inner(of(data)));
        },
        |data| of(data).meddle(),
        |data| {
            of(data).meddle();
            drop(core::mem::ManuallyDrop::into_inner(of(data)));
        },
    );
    // SAFETY: the functions above keep the contract: each waker owns one count of the `Arc`.
    unsafe { Waker::from_raw(RawWaker::new(Arc::into_raw(Arc::clone(meddler)).cast(), &VTABLE)) }
}

#[test]
fn waker_that_uses_the_timers_inside_its_calls_does_not_deadlock() {
    let mut rig = Rig::new();
    let _entered = rig.timers.enter();
    let meddler = Arc::new(Meddler { timers: rig.timers.clone(), kept: Mutex::default(), calls: AtomicUsize::new(0) });
    let waker = meddling(&meddler);
    let mut timer = Box::pin(sleep(Duration::from_millis(1)));
    // Stored, replaced by another, stored again: each clones and drops.
    for _ in 0..2 {
        assert!(timer.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        assert!(poll(&mut timer, &Counter::new()).is_pending());
    }
    assert!(timer.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    let before = meddler.calls.load(Ordering::SeqCst);
    assert!(before >= 5);
    rig.jump(Duration::from_millis(1));
    assert!(meddler.calls.load(Ordering::SeqCst) > before);
    assert!(timer.is_elapsed());
    meddler.kept.lock().unwrap().clear();
}

/// A waker whose clone panics.
fn poisonous() -> Waker {
    static VTABLE: RawWakerVTable =
        RawWakerVTable::new(|_| panic!("this waker cannot be cloned"), |_| {}, |_| {}, |_| {});
    // SAFETY: the functions use no data.
    unsafe { Waker::from_raw(RawWaker::new(core::ptr::null(), &VTABLE)) }
}

#[test]
fn waker_whose_clone_panics_leaves_a_timer_that_works() {
    let mut rig = Rig::new();
    let _entered = rig.timers.enter();
    let waker = poisonous();
    let counter = Counter::new();
    let mut timer = Box::pin(sleep(Duration::from_millis(1)));
    for armed in [false, true] {
        if armed {
            assert!(poll(&mut timer, &counter).is_pending());
        }
        let polled = catch_unwind(AssertUnwindSafe(|| {
            let _ = timer.as_mut().poll(&mut Context::from_waker(&waker));
        }));
        assert!(polled.is_err());
        assert_eq!(rig.timers.earliest().is_some(), armed, "it is not linked, though the word may be early");
    }
    rig.jump(Duration::from_micros(900));
    assert_eq!(counter.count(), 0);
    assert!(poll(&mut timer, &counter).is_pending());
    rig.jump(Duration::from_micros(100));
    assert_eq!(counter.count(), 1);
    assert!(poll(&mut timer, &counter).is_ready());
}

/// A waker that panics whenever it is dropped, and whose clones do.
fn explosive() -> Waker {
    static VTABLE: RawWakerVTable = RawWakerVTable::new(
        |_| RawWaker::new(core::ptr::null(), &VTABLE),
        |_| panic!("this waker cannot be woken"),
        |_| {},
        |_| panic!("this waker cannot be dropped"),
    );
    // SAFETY: the functions use no data.
    unsafe { Waker::from_raw(RawWaker::new(core::ptr::null(), &VTABLE)) }
}

#[test]
fn waker_whose_drop_panics_leaves_timers_that_work() {
    let mut rig = Rig::new();
    let _entered = rig.timers.enter();
    let waker = core::mem::ManuallyDrop::new(explosive());
    let counter = Counter::new();
    let mut beside = Box::pin(sleep(Duration::from_millis(1)));
    assert!(poll(&mut beside, &counter).is_pending());
    // Replaced by another poll, and dropped with its timer: each drop panics, and each time nothing else is lost.
    let mut replaced = Box::pin(sleep(Duration::from_millis(1)));
    let mut dropped = Box::pin(sleep(Duration::from_micros(500)));
    for timer in [&mut replaced, &mut dropped] {
        assert!(timer.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    }
    assert!(catch_unwind(AssertUnwindSafe(|| poll(&mut replaced, &counter))).is_err());
    assert!(catch_unwind(AssertUnwindSafe(|| drop(dropped))).is_err());
    let _ = poll(&mut replaced, &counter);
    rig.jump(Duration::from_millis(1));
    assert_eq!(counter.count(), 2);
    assert!(poll(&mut beside, &counter).is_ready() && poll(&mut replaced, &counter).is_ready());
    let metrics = rig.timers.metrics();
    assert_eq!(metrics.armed, metrics.fired + metrics.cancelled, "the timer that is gone is out of the wheel");
}

#[test]
fn wake_is_called_for_every_waker_taken_even_if_one_panics() {
    struct Panics;
    impl Wake for Panics {
        fn wake(self: Arc<Self>) {
            panic!("this waker cannot be woken");
        }
    }
    let mut rig = Rig::new();
    let _entered = rig.timers.enter();
    let counter = Counter::new();
    let mut bad = Box::pin(sleep(Duration::from_millis(1)));
    let mut good = Box::pin(sleep(Duration::from_millis(1)));
    assert!(bad.as_mut().poll(&mut Context::from_waker(&Waker::from(Arc::new(Panics)))).is_pending());
    assert!(poll(&mut good, &counter).is_pending());
    rig.timers.shared().clock().move_to(Tick::from_nanos(1_000_000));
    // The driver calls none itself: whoever does contains the panic, and the core is none the worse.
    let mut wakes = Vec::new();
    assert_eq!(rig.driver.turn(&mut wakes).fired, 2);
    for waker in wakes.drain(..) {
        let _ = catch_unwind(AssertUnwindSafe(|| waker.wake()));
    }
    assert_eq!(counter.count(), 1);
    assert!(poll(&mut bad, &counter).is_ready() && poll(&mut good, &counter).is_ready());
}
