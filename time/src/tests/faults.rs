//! Kinds of fault that timers are known for, each provoked.

use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use core::time::Duration;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use super::{Counter, Rig, poll, shards};
use crate::timer::{Entry, Inserted, State, Turner};
use crate::{ClockKind, Error, Instant, Interrupt, Next, Sleep, Tick, Timers, sleep, sleep_until};

const YEAR: Duration = Duration::from_secs(60 * 60 * 24 * 365);

fn try_poll(sleep: &mut Pin<Box<Sleep>>, counter: &Arc<Counter>) -> Poll<Result<(), Error>> {
    sleep.as_mut().try_poll_elapsed(&mut Context::from_waker(&counter.waker()))
}

#[test]
fn timers_of_a_runtime_two_years_up_fire_on_time() {
    let mut rig = Rig::new();
    let _entered = rig.timers.enter();
    for years in [2, 8, 80] {
        rig.jump(YEAR * years);
        for reach in [Duration::from_millis(1), Duration::from_secs(60 * 60 * 24), YEAR * 3] {
            let counter = Counter::new();
            let mut timer = Box::pin(sleep(reach));
            assert!(poll(&mut timer, &counter).is_pending());
            rig.jump(reach - Duration::from_nanos(1));
            assert_eq!(counter.count(), 0);
            rig.jump(Duration::from_nanos(1));
            assert_eq!(counter.count(), 1);
            assert!(poll(&mut timer, &counter).is_ready());
        }
    }
}

#[test]
fn deadlines_at_the_marks_are_deadlines() {
    let shards = shards(1);
    let mut turner = Turner::new(0);
    let never = Tick::NEVER.as_nanos();
    let mut entries = Vec::new();
    for nanos in [never - 1, never, never + 1, never + 2, u64::MAX - 1, u64::MAX] {
        let mut entry = Box::pin(Entry::new(0));
        let tick = Tick::from_nanos(nanos);
        assert_eq!(shards.get(0).insert(entry.as_mut(), tick), Inserted::Armed);
        assert_eq!(entry.state(), State::Armed(tick));
        entries.push(entry);
    }
    let mut wakes = Vec::new();
    assert_eq!(turner.turn(&shards, never - 2, &mut wakes).fired, 0);
    assert_eq!(turner.turn(&shards, never - 1, &mut wakes).fired, 1);
    for mut entry in entries {
        shards.get(0).release(entry.as_mut());
    }
}

#[test]
fn nothing_overflows_at_the_ends_of_time() {
    let rig = Rig::new();
    let _entered = rig.timers.enter();
    let counter = Counter::new();
    assert_eq!(Instant::now() + Duration::MAX, Instant::FAR_FUTURE);
    assert_eq!(Instant::FAR_FUTURE + Duration::MAX, Instant::FAR_FUTURE);
    let beginning = Instant::now() - Duration::MAX;
    assert_eq!(beginning - Duration::from_secs(1), beginning);
    assert_eq!(beginning.checked_sub(Duration::from_nanos(1)), None);
    assert_eq!(Instant::FAR_FUTURE.checked_add(Duration::from_nanos(1)), None);
    for deadline in [Instant::FAR_FUTURE, Instant::FAR_FUTURE - Duration::from_nanos(1)] {
        let mut timer = Box::pin(sleep_until(deadline));
        assert!(poll(&mut timer, &counter).is_pending());
        timer.as_mut().reset(Instant::FAR_FUTURE);
        assert!(poll(&mut timer, &counter).is_pending());
        timer.as_mut().reset(beginning);
        assert_eq!(timer.deadline(), beginning);
    }
    assert!(poll(&mut Box::pin(sleep_until(beginning)), &counter).is_ready());
    let _ = (Instant::FAR_FUTURE.into_std(), beginning.into_std());
}

#[test]
fn far_deadline_does_not_hide_a_nearer_one() {
    let mut rig = Rig::new();
    let _entered = rig.timers.enter();
    let counter = Counter::new();
    let far = [Duration::MAX, YEAR * 200, YEAR, Duration::from_secs(3600)];
    let mut far = far.map(|reach| Box::pin(sleep(reach)));
    far.iter_mut().for_each(|sleep| assert!(poll(sleep, &counter).is_pending()));
    let mut near = Box::pin(sleep(Duration::from_millis(500)));
    assert!(poll(&mut near, &counter).is_pending());
    assert!(rig.driver.auto_advance());
    assert_eq!(rig.now(), Tick::from_nanos(500_000_000));
    rig.turn();
    assert!(poll(&mut near, &counter).is_ready());
}

#[test]
fn timer_beside_one_at_the_end_of_time_fires_for_the_same_task() {
    let mut rig = Rig::new();
    let _entered = rig.timers.enter();
    let counter = Counter::new();
    for round in 1..=3 {
        let mut never = Box::pin(sleep(Duration::MAX));
        let mut soon = Box::pin(sleep(Duration::from_millis(500)));
        assert!(poll(&mut never, &counter).is_pending() && poll(&mut soon, &counter).is_pending());
        rig.jump(Duration::from_millis(500));
        assert_eq!(counter.count(), round);
        assert!(poll(&mut soon, &counter).is_ready());
    }
}

#[test]
fn clock_that_jumps_back_fires_nothing_early_and_loses_nothing() {
    let shards = shards(1);
    let mut turner = Turner::new(0);
    let mut wakes = Vec::new();
    let mut entry = Box::pin(Entry::new(0));
    assert_eq!(turner.turn(&shards, 5_000_000, &mut wakes).fired, 0);
    assert_eq!(shards.get(0).insert(entry.as_mut(), Tick::from_nanos(6_000_000)), Inserted::Armed);
    for now in [5_500_000, 4_500_000, 0, 5_999_999] {
        assert_eq!(turner.turn(&shards, now, &mut wakes).fired, 0);
        assert!(shards.earliest() <= 6_000_000);
    }
    assert_eq!(turner.turn(&shards, 6_000_000, &mut wakes).fired, 1);
}

#[test]
fn clock_that_jumps_forward_fires_everything_due_once() {
    let mut rig = Rig::new();
    let _entered = rig.timers.enter();
    let counter = Counter::new();
    let mut sleeps: Vec<_> = (1..=3_000).map(|millis| Box::pin(sleep(Duration::from_millis(millis)))).collect();
    sleeps.iter_mut().for_each(|sleep| assert!(poll(sleep, &counter).is_pending()));
    rig.jump(Duration::from_secs(3600));
    assert_eq!(counter.count(), 3_000);
    assert_eq!(rig.turn(), 0);
    assert!(sleeps.iter_mut().all(|sleep| poll(sleep, &counter).is_ready()));
}

#[test]
fn insertion_earlier_than_the_planned_wake_is_not_missed() {
    #[derive(Default)]
    struct Bell(Mutex<bool>, std::sync::Condvar);
    impl Interrupt for Bell {
        fn interrupt(&self) {
            *self.0.lock().unwrap() = true;
            self.1.notify_one();
        }
    }
    let bell = Arc::new(Bell::default());
    let (timers, mut driver) = Timers::builder().interrupt(Arc::clone(&bell) as Arc<dyn Interrupt>).build().unwrap();
    let over = AtomicBool::new(false);
    let ring = Arc::clone(&bell);
    std::thread::scope(|scope| {
        let _entered = timers.enter();
        let mut long = Box::pin(sleep(Duration::from_secs(10)));
        assert!(poll(&mut long, &Counter::new()).is_pending());
        let over = &over;
        let timers = &timers;
        scope.spawn(move || {
            let mut wakes = Vec::new();
            while !over.load(Ordering::SeqCst) {
                let next = driver.prepare_park();
                let wait = match next {
                    Next::Now => Duration::ZERO,
                    Next::At(tick) => tick.saturating_duration_since(timers.now()),
                    Next::Never => Duration::from_secs(100),
                };
                let rung = bell.0.lock().unwrap();
                let (mut rung, _) = bell.1.wait_timeout_while(rung, wait, |rung| !*rung).unwrap();
                *rung = false;
                drop(rung);
                driver.awake();
                driver.turn(&mut wakes);
                wakes.drain(..).for_each(Waker::wake);
            }
        });
        let start = std::time::Instant::now();
        while start.elapsed() < Duration::from_secs(1) {
            futures::executor::block_on(sleep(Duration::from_millis(1)));
        }
        assert!(start.elapsed() < Duration::from_secs(4), "slept through: {:?}", start.elapsed());
        over.store(true, Ordering::SeqCst);
        ring.interrupt();
        drop(long);
    });
}

#[test]
fn only_the_last_waker_is_woken_and_others_are_dropped() {
    let mut rig = Rig::new();
    let _entered = rig.timers.enter();
    let (first, second) = (Counter::new(), Counter::new());
    let mut timer = Box::pin(sleep(Duration::from_millis(1)));
    assert!(poll(&mut timer, &first).is_pending());
    assert!(poll(&mut timer, &second).is_pending());
    assert_eq!(Arc::strong_count(&first), 1);
    rig.jump(Duration::from_millis(1));
    assert_eq!((first.count(), second.count()), (0, 1));
    assert_eq!(Arc::strong_count(&second), 1, "the fired timer keeps no waker");
}

#[test]
fn dropped_timer_is_never_woken() {
    let mut rig = Rig::new();
    let _entered = rig.timers.enter();
    let counter = Counter::new();
    let mut timer = Box::pin(sleep(Duration::from_millis(1)));
    assert!(poll(&mut timer, &counter).is_pending());
    drop(timer);
    rig.jump(Duration::from_millis(5));
    assert_eq!(counter.count(), 0);
}

#[test]
fn timer_without_a_runtime_says_so_and_binds_at_its_first_poll() {
    let counter = Counter::new();
    let mut timer = Box::pin(sleep(Duration::ZERO));
    assert_eq!(try_poll(&mut timer, &counter), Poll::Ready(Err(Error::NoRuntime)));
    let message = catch_unwind(AssertUnwindSafe(|| poll(&mut timer, &counter))).unwrap_err();
    assert!(message.downcast_ref::<&str>().unwrap().contains("enter a runtime first"));
    let (first, second) = (Rig::new(), Rig::new());
    timer.as_mut().reset(Instant::now() + YEAR);
    {
        let _entered = first.timers.enter();
        assert_eq!(try_poll(&mut timer, &counter), Poll::Pending);
    }
    assert_eq!(first.timers.metrics().armed, 1);
    // From then on it needs nothing entered, and nothing else entered changes that.
    assert_eq!(try_poll(&mut timer, &counter), Poll::Pending);
    let _entered = second.timers.enter();
    assert_eq!(try_poll(&mut timer, &counter), Poll::Pending);
    assert_eq!(second.timers.metrics().armed, 0);
}

#[test]
fn reset_inside_another_runtime_does_not_move_the_timer() {
    let (mut first, second) = (Rig::new(), Rig::new());
    let counter = Counter::new();
    let mut timer = {
        let _entered = first.timers.enter();
        Box::pin(sleep(Duration::from_millis(1)))
    };
    let _entered = second.timers.enter();
    // Made in the first, polled for the first time here: it is the first's.
    assert!(poll(&mut timer, &counter).is_pending());
    first.jump(Duration::from_millis(1));
    assert_eq!(counter.count(), 1);
    let again = first.timers.instant(first.now()) + Duration::from_millis(1);
    timer.as_mut().reset(again);
    assert!(poll(&mut timer, &counter).is_pending());
    assert_eq!((first.timers.metrics().armed, second.timers.metrics().armed), (2, 0));
    first.jump(Duration::from_millis(1));
    assert_eq!(counter.count(), 2);
    assert!(poll(&mut timer, &counter).is_ready());
}

#[test]
fn timers_of_a_runtime_that_is_gone_say_so() {
    let rig = Rig::new();
    let (pending, counter) = (Counter::new(), Counter::new());
    let (mut armed, mut unpolled, mut done);
    {
        let _entered = rig.timers.enter();
        armed = Box::pin(sleep(Duration::from_millis(1)));
        unpolled = Box::pin(sleep(Duration::from_millis(1)));
        done = Box::pin(sleep(Duration::ZERO));
        assert!(poll(&mut armed, &pending).is_pending());
        assert!(poll(&mut done, &counter).is_ready());
    }
    drop(rig);
    assert_eq!(pending.count(), 1, "woken once");
    assert_eq!(try_poll(&mut armed, &counter), Poll::Ready(Err(Error::Shutdown)));
    assert_eq!(try_poll(&mut unpolled, &counter), Poll::Ready(Err(Error::Shutdown)));
    assert_eq!(try_poll(&mut done, &counter), Poll::Ready(Ok(())));
    let message = catch_unwind(AssertUnwindSafe(|| poll(&mut armed, &counter))).unwrap_err();
    assert!(message.downcast_ref::<&str>().unwrap().contains("after its runtime had shut down"));
    for timer in [&mut armed, &mut unpolled, &mut done] {
        timer.as_mut().reset(Instant::now() + Duration::from_secs(1));
        assert_eq!(try_poll(timer, &counter), Poll::Ready(Err(Error::Shutdown)));
    }
}

#[test]
fn shards_of_a_runtime_that_is_gone_serve_a_later_one_and_no_stale_timer() {
    // A number of shards that no other test asks for, so that the later runtime gets these very ones.
    let build = || Timers::builder().shards(37).start_paused(true).build().unwrap();
    let counter = Counter::new();
    let (timers, driver) = build();
    let first = core::ptr::from_ref(&**timers.shared().worker_shard(0));
    let mut stale = {
        let _entered = timers.enter();
        Box::pin(sleep(Duration::from_secs(1)))
    };
    assert!(poll(&mut stale, &counter).is_pending());
    drop((timers, driver));
    let (timers, mut driver) = build();
    assert_eq!(core::ptr::from_ref(&**timers.shared().worker_shard(0)), first);
    let _entered = timers.enter();
    stale.as_mut().reset(Instant::now() + Duration::from_secs(2));
    assert_eq!(try_poll(&mut stale, &counter), Poll::Ready(Err(Error::Shutdown)));
    assert_eq!((timers.metrics().armed, timers.metrics().cancelled), (0, 0));
    let mut fresh = Box::pin(sleep(Duration::from_secs(1)));
    assert!(poll(&mut fresh, &counter).is_pending());
    assert!(driver.auto_advance());
    assert_eq!(driver.turn(&mut Vec::new()).fired, 1);
    // What a thread holds that found its shard just before the runtime went.
    let mut late = Box::pin(Entry::new(u32::MAX));
    let shard = timers.shared().foreign_shard();
    assert_eq!(shard.insert(late.as_mut(), Tick::from_nanos(1)), Inserted::Closed);
}

#[test]
fn shutdown_wakes_each_armed_timer_once_in_bounded_steps() {
    let rig = Rig::new();
    let _entered = rig.timers.enter();
    let counter = Counter::new();
    let mut sleeps: Vec<_> = (0..3_000).map(|millis| Box::pin(sleep(Duration::from_millis(1 + millis)))).collect();
    sleeps.iter_mut().for_each(|sleep| assert!(poll(sleep, &counter).is_pending()));
    let mut steps = 0;
    let mut wakes = Vec::new();
    loop {
        let more = rig.timers.shutdown(&mut wakes);
        assert!(wakes.len() <= 1024);
        wakes.drain(..).for_each(Waker::wake);
        steps += 1;
        if !more {
            break;
        }
    }
    assert!(steps >= 3);
    assert_eq!((counter.count(), rig.timers.earliest()), (3_000, None));
    assert!(sleeps.iter_mut().all(|sleep| try_poll(sleep, &counter) == Poll::Ready(Err(Error::Shutdown))));
    let mut late = Box::pin(sleep(Duration::from_millis(1)));
    assert_eq!(try_poll(&mut late, &counter), Poll::Ready(Err(Error::Shutdown)));
}

#[test]
fn reset_covers_every_state() {
    let mut rig = Rig::new();
    let _entered = rig.timers.enter();
    let counter = Counter::new();
    let start = Instant::now();
    let at = |millis| start + Duration::from_millis(millis);
    let mut timer = Box::pin(sleep_until(at(5)));
    // Not polled yet: stored.
    timer.as_mut().reset(at(10));
    assert!(poll(&mut timer, &counter).is_pending());
    // Armed, later: no lock, counted.
    timer.as_mut().reset(at(20));
    assert_eq!(rig.timers.metrics().extended, 1);
    rig.jump(Duration::from_millis(15));
    assert_eq!(counter.count(), 0);
    // Armed, earlier.
    timer.as_mut().reset(at(16));
    rig.jump(Duration::from_millis(1));
    assert_eq!((counter.count(), timer.is_elapsed()), (1, true));
    // Fired: into the future, it is not elapsed any more, and the next poll arms it.
    timer.as_mut().reset(at(30));
    assert!(!timer.is_elapsed());
    assert!(poll(&mut timer, &counter).is_pending());
    // Armed, into the past: the stored waker is woken.
    timer.as_mut().reset(at(1));
    assert_eq!(counter.count(), 2);
    assert!(poll(&mut timer, &counter).is_ready());
    // Ready again, as often as it is asked.
    assert!(poll(&mut timer, &counter).is_ready());
    // Found due at a first poll, then reset.
    let mut due = Box::pin(sleep(Duration::ZERO));
    assert!(poll(&mut due, &counter).is_ready() && due.is_elapsed());
    due.as_mut().reset(at(100));
    assert!(!due.is_elapsed());
    assert!(poll(&mut due, &counter).is_pending());
}

#[test]
fn real_sleeps_are_never_early_on_either_clock() {
    for kind in [ClockKind::Monotonic, ClockKind::Boottime] {
        let Ok((timers, mut driver)) = Timers::builder().clock(kind).build() else { continue };
        let _entered = timers.enter();
        let mut wakes = Vec::new();
        for micros in [0, 1, 50, 200, 1_000, 70_000] {
            let counter = Counter::new();
            let start = std::time::Instant::now();
            let mut timer = Box::pin(sleep(Duration::from_micros(micros)));
            while poll(&mut timer, &counter).is_pending() {
                driver.turn(&mut wakes);
                wakes.drain(..).for_each(Waker::wake);
            }
            assert!(start.elapsed() >= Duration::from_micros(micros));
            assert!(Instant::now() >= timer.deadline());
        }
    }
}

#[test]
fn timer_made_long_before_its_first_poll_is_ready_at_once() {
    let (timers, _driver) = Timers::builder().build().unwrap();
    let _entered = timers.enter();
    let mut timer = Box::pin(sleep(Duration::from_millis(20)));
    std::thread::sleep(Duration::from_millis(40));
    assert!(poll(&mut timer, &Counter::new()).is_ready());
    assert_eq!(timers.metrics().armed, 0, "no wheel was touched");
}

#[test]
fn instants_convert_from_and_into_stds() {
    let std = std::time::Instant::now();
    let ours = Instant::from_std(std);
    assert_eq!(ours.into_std(), std);
    assert!(Instant::now() >= ours);
    for nanos in [1, 1_000_000, 3_600_000_000_000] {
        let shift = Duration::from_nanos(nanos);
        assert_eq!((ours + shift).into_std(), std + shift);
        assert_eq!(Instant::from_std(std + shift) - ours, shift);
    }
}
