//! Timers outside a runtime, under foreign executors, in two runtimes, and after their runtime is gone.

mod support;

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

use futures::executor::block_on;
use support::{Wakes, World, ms, poll_once};
use wheelhouse_time::{
    DelayQueue, Error, Instant, Interval, Ticker, TimeoutExt, Timers, interval, interval_at, sleep, timeout,
};

/// Builds with a constructor outside any runtime, and polls the result inside one.
fn binds_at_first_poll<F: Future>(make: impl FnOnce() -> F) -> F::Output {
    let made = make();
    World::new().run(made)
}

#[test]
fn constructed_outside_a_runtime_they_work_in_the_one_that_polls_them() {
    let start = Instant::now();
    let second = binds_at_first_poll(|| {
        let mut beat = interval_at(start, ms(50));
        async move {
            beat.tick().await;
            beat.tick().await
        }
    });
    assert_eq!(second, start + ms(50));
    let mut ticker = Ticker::every(ms(50));
    binds_at_first_poll(|| ticker.next());
    binds_at_first_poll(|| timeout(ms(50), std::future::pending::<()>())).unwrap_err();
    let mut queue = DelayQueue::new();
    queue.insert(7, ms(50));
    assert_eq!(binds_at_first_poll(|| queue.next()).unwrap().into_inner(), 7);
}

#[test]
fn polled_without_a_runtime_their_try_twins_return_an_error() {
    let mut beat = interval_at(Instant::now() + ms(50), ms(50));
    assert_eq!(block_on(beat.try_tick()), Err(Error::NoRuntime));
    assert_eq!(block_on(Ticker::every(ms(50)).try_next()), Err(Error::NoRuntime));

    let mut queue = DelayQueue::new();
    assert!(matches!(block_on(queue.try_next()), Ok(None)), "an empty queue needs no timers");
    queue.insert(7, ms(50));
    assert_eq!(block_on(queue.try_next()).unwrap_err(), Error::NoRuntime);
    assert_eq!(queue.len(), 1, "the item stays");
    assert_eq!(World::new().run(queue.next()).unwrap().into_inner(), 7);
}

#[test]
#[should_panic(expected = "enter a runtime first")]
fn an_interval_polled_without_a_runtime_panics_with_the_remedy() {
    block_on(interval(ms(1)).tick());
}

#[test]
#[should_panic(expected = "enter a runtime first")]
fn a_queue_polled_without_a_runtime_panics_with_the_remedy() {
    let mut queue = DelayQueue::new();
    queue.insert((), ms(1));
    block_on(queue.next());
}

#[test]
fn shutdown_wakes_each_pending_one_once_and_then_they_are_errors() {
    let world = World::new();
    let wakes = [Wakes::new(), Wakes::new(), Wakes::new(), Wakes::new()];
    let mut beat = interval_at(Instant::now() + ms(50), ms(50));
    let mut ticker = Ticker::every(ms(50));
    let mut queue = DelayQueue::new();
    let key = queue.insert(7, ms(50));
    let mut limited = pin!(std::future::pending::<()>().timeout(ms(50)));
    assert!(wakes[0].poll(|cx| beat.poll_tick(cx)).is_pending());
    assert!(wakes[1].poll(|cx| ticker.poll_tick(cx)).is_pending());
    assert!(wakes[2].poll(|cx| queue.poll_expired(cx)).is_pending());
    assert!(wakes[3].poll(|cx| limited.as_mut().poll(cx)).is_pending());

    world.shutdown();
    world.shutdown();
    assert_eq!(wakes.each_ref().map(|wakes| wakes.take()), [1, 1, 1, 1]);

    let shutdown = |poll: Poll<Result<Instant, Error>>| matches!(poll, Poll::Ready(Err(Error::Shutdown)));
    for _ in 0..2 {
        assert!(shutdown(wakes[0].poll(|cx| beat.try_poll_tick(cx))));
        assert!(shutdown(wakes[1].poll(|cx| ticker.try_poll_tick(cx))));
        assert!(matches!(wakes[2].poll(|cx| queue.try_poll_expired(cx)), Poll::Ready(Err(Error::Shutdown))));
        assert!(matches!(wakes[3].poll(|cx| limited.as_mut().try_poll(cx)), Poll::Ready(Err(Error::Shutdown))));
        beat.reset();
        ticker.reset();
        queue.reset(&key, ms(10)).unwrap();
    }
    assert_eq!(queue.remove(&key).unwrap().into_inner(), 7, "items outlive the timers");
}

#[test]
fn due_timer_first_polled_after_the_shutdown_is_an_error_and_an_elapsed_one_is_not() {
    let world = World::new();
    let mut seen = pin!(sleep(Duration::ZERO));
    let mut unseen = pin!(sleep(Duration::ZERO));
    let mut limited = pin!(timeout(Duration::ZERO, std::future::pending::<()>()));
    let wakes = Wakes::new();
    assert_eq!(wakes.poll(|cx| seen.as_mut().try_poll_elapsed(cx)), Poll::Ready(Ok(())));
    world.shutdown();
    for _ in 0..2 {
        assert_eq!(wakes.poll(|cx| seen.as_mut().try_poll_elapsed(cx)), Poll::Ready(Ok(())));
        assert_eq!(wakes.poll(|cx| unseen.as_mut().try_poll_elapsed(cx)), Poll::Ready(Err(Error::Shutdown)));
        assert_eq!(wakes.poll(|cx| limited.as_mut().try_poll(cx)), Poll::Ready(Err(Error::Shutdown)));
    }
    assert_eq!(wakes.take(), 0);
}

#[test]
fn reset_poll_and_drop_are_valid_after_the_runtime_is_gone() {
    let world = World::new();
    let mut beat = interval_at(Instant::now() + ms(50), ms(50));
    let mut ticker = Ticker::every(ms(50));
    let mut queue = DelayQueue::new();
    let key = queue.insert(7, ms(50));
    let mut never_polled = interval(ms(50));
    assert!(poll_once(pin!(beat.tick())).is_pending());
    assert!(poll_once(pin!(ticker.next())).is_pending());
    assert!(poll_once(pin!(queue.next())).is_pending());
    world.shutdown();
    drop(world);

    // On a thread that never had a runtime, under an executor of its own.
    std::thread::spawn(move || {
        beat.reset();
        ticker.reset_after(ms(1));
        queue.reset(&key, Duration::MAX).unwrap();
        never_polled.reset_immediately();
        assert_eq!(block_on(beat.try_tick()), Err(Error::Shutdown));
        assert_eq!(block_on(ticker.try_next()), Err(Error::Shutdown));
        assert_eq!(block_on(queue.try_next()).unwrap_err(), Error::Shutdown);
        assert_eq!(block_on(never_polled.try_tick()), Err(Error::Shutdown));
    })
    .join()
    .unwrap();
}

#[test]
fn timers_of_a_gone_runtime_stay_with_it_inside_another() {
    let world = World::new();
    let mut beat = interval(ms(50));
    drop(world);
    let _other = World::new();
    assert_eq!(block_on(beat.try_tick()), Err(Error::Shutdown));
}

#[test]
fn a_reset_inside_a_second_runtime_stays_with_the_first() {
    let first = World::new();
    let wakes = Wakes::new();
    let mut beat = interval(ms(10));
    let mut ticker = Ticker::every(ms(10));
    let mut queue = DelayQueue::new();
    let key = queue.insert(7, ms(10));
    let mut unpolled = DelayQueue::new();
    assert!(wakes.poll(|cx| beat.poll_tick(cx)).is_ready());
    assert!(wakes.poll(|cx| beat.poll_tick(cx)).is_pending());
    assert!(wakes.poll(|cx| ticker.poll_tick(cx)).is_pending());
    assert!(wakes.poll(|cx| queue.poll_expired(cx)).is_pending());
    first.advance(ms(1));
    let now = Instant::now();
    {
        let second = World::new();
        second.advance(Duration::from_secs(1_000));
        beat.reset();
        ticker.reset();
        queue.reset(&key, ms(10)).unwrap();
        unpolled.insert(8, ms(10));
        assert!(wakes.poll(|cx| beat.poll_tick(cx)).is_pending());
        assert!(wakes.poll(|cx| unpolled.poll_expired(cx)).is_pending());
        second.advance(Duration::from_secs(1_000));
        assert_eq!(wakes.take(), 0, "the second clock does not move them");
        assert_eq!(second.metrics().armed, 2, "its two advances and nothing else");
    }
    assert_eq!(first.run(beat.tick()), now + ms(10));
    assert_eq!(first.run(ticker.next()), now + ms(10));
    assert_eq!(first.run(queue.next()).unwrap().deadline(), now + ms(10));
    assert_eq!(first.run(unpolled.next()).unwrap().deadline(), now + ms(10));
    assert_eq!(Instant::now(), now + ms(10));
}

/// Drives timers on a thread of their own until told to stop; real time.
fn driven<R>(body: impl FnOnce(&Timers) -> R) -> R {
    let (timers, mut driver) = Timers::builder().build().unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    let turner = std::thread::spawn(move || {
        let mut wakes = Vec::new();
        while !stopped.load(Ordering::SeqCst) {
            driver.turn(&mut wakes);
            wakes.drain(..).for_each(std::task::Waker::wake);
            std::thread::sleep(Duration::from_micros(200));
        }
    });
    let result = body(&timers);
    stop.store(true, Ordering::SeqCst);
    turner.join().unwrap();
    result
}

#[test]
fn they_work_under_a_foreign_executor_driven_by_another_thread() {
    driven(|timers| {
        let entered = timers.enter();
        let start = Instant::now();
        let mut beat = interval(ms(5));
        let mut ticker = Ticker::every(ms(5));
        let mut queue = DelayQueue::new();
        queue.insert(7, ms(5));
        drop(entered); // they are bound: the executor's thread need not be entered
        let waited = std::thread::spawn(move || {
            block_on(async {
                beat.tick().await;
                beat.tick().await;
                ticker.next().await;
                ticker.next().await;
                assert_eq!(queue.next().await.unwrap().into_inner(), 7);
            });
        });
        waited.join().unwrap();
        assert!(start.elapsed() >= ms(10));
    });
}

#[test]
fn a_timer_moves_between_executors_and_only_the_last_waker_is_woken() {
    let world = World::new();
    let (first, second) = (Wakes::new(), Wakes::new());
    let mut ticker = Ticker::every(ms(10));
    assert!(first.poll(|cx| ticker.poll_tick(cx)).is_pending());
    assert!(second.poll(|cx| ticker.poll_tick(cx)).is_pending());
    assert_eq!((first.take(), second.take()), (0, 0), "being replaced is no wake-up");
    world.advance(ms(10));
    assert_eq!((first.take(), second.take()), (0, 1));
}

#[test]
fn completed_sleeps_and_timeouts_of_completed_sleeps_are_ready_again() {
    let world = World::new();
    world.run(async {
        let mut timer = pin!(sleep(ms(10)));
        timer.as_mut().await;
        timer.as_mut().await;
        poll_fn(|cx| timer.as_mut().poll(cx)).timeout(Duration::ZERO).await.unwrap();
    });
    assert_eq!(world.turn(), 0);
}

#[test]
fn they_may_cross_and_be_shared_between_threads() {
    fn crosses<T: Send + Sync + Unpin>() {}
    crosses::<Interval>();
    crosses::<Ticker>();
    crosses::<DelayQueue<u8>>();
}
