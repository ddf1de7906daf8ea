//! Timers beyond their runtime: foreign executors, second runtimes, and the time after the end.

use std::future::{Future, pending};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use futures::executor::block_on;
use futures::future::{Either, select};
use wheelhouse::runtime::{Builder, Runtime};
use wheelhouse::task::spawn_blocking;
use wheelhouse::time::{DelayQueue, Error, Instant, Sleep, Ticker, interval, sleep, timeout};

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

const HOUR: Duration = Duration::from_secs(3600);

fn both() -> [Runtime; 2] {
    [Builder::new_current_thread().build().unwrap(), Builder::new_multi_thread().worker_threads(2).build().unwrap()]
}

#[derive(Default)]
struct Wakes(AtomicUsize);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn timers_fire_under_a_foreign_executor_on_a_foreign_thread() {
    // The current-thread flavour drives its timers only inside `block_on`.
    let [_, runtime] = both();
    let entered = runtime.enter();
    let (short, long) = (sleep(ms(20)), sleep(HOUR));
    let mut ticker = Ticker::every(ms(5));
    drop(entered);
    std::thread::spawn(move || {
        let start = std::time::Instant::now();
        block_on(async {
            assert!(matches!(select(pin!(long), pin!(short)).await, Either::Right(_)));
            ticker.next().await;
        });
        assert!(start.elapsed() < HOUR / 60);
    })
    .join()
    .unwrap();
}

#[test]
fn a_timer_outlives_its_runtime_and_says_so() {
    for runtime in both() {
        let wakes = Arc::new(Wakes::default());
        let waker = Waker::from(Arc::clone(&wakes));
        let mut cx = Context::from_waker(&waker);
        let entered = runtime.enter();
        let mut timer = Box::pin(sleep(HOUR));
        let mut beat = interval(HOUR);
        let mut never_polled = Ticker::every(HOUR);
        let mut queue = DelayQueue::new();
        queue.insert(7, HOUR);
        assert!(timer.as_mut().poll(&mut cx).is_pending());
        assert!(beat.poll_tick(&mut cx).is_ready());
        assert!(beat.poll_tick(&mut cx).is_pending());
        assert!(queue.poll_expired(&mut cx).is_pending());
        drop(entered);
        drop(runtime);
        assert_eq!(wakes.0.load(Ordering::SeqCst), 3, "each pending one is woken once");

        assert_eq!(timer.as_mut().try_poll_elapsed(&mut cx), Poll::Ready(Err(Error::Shutdown)));
        assert_eq!(beat.try_poll_tick(&mut cx), Poll::Ready(Err(Error::Shutdown)));
        assert_eq!(never_polled.try_poll_tick(&mut cx), Poll::Ready(Err(Error::Shutdown)));
        assert!(matches!(queue.try_poll_expired(&mut cx), Poll::Ready(Err(Error::Shutdown))));
        timer.as_mut().reset(Instant::now());
        assert_eq!(timer.as_mut().try_poll_elapsed(&mut cx), Poll::Ready(Err(Error::Shutdown)));
    }
}

#[test]
#[should_panic(expected = "after its runtime had shut down")]
fn polling_a_sleep_after_its_runtime_is_gone_panics_with_the_remedy() {
    let [runtime, _] = both();
    let entered = runtime.enter();
    let timer = sleep(ms(1));
    drop(entered);
    drop(runtime);
    block_on(timer);
}

#[test]
fn a_sleep_taken_into_a_blocking_task_sees_the_shutdown() {
    for runtime in both() {
        let (tx, rx) = std::sync::mpsc::channel();
        runtime.block_on(async {
            let timer = Box::pin(sleep(HOUR));
            let (polled, polled_rx) = std::sync::mpsc::channel();
            spawn_blocking(move || {
                let mut timer = timer;
                let outcome = block_on(std::future::poll_fn(|cx| {
                    let outcome = timer.as_mut().try_poll_elapsed(cx);
                    let _ = polled.send(());
                    outcome
                }));
                tx.send(outcome).unwrap();
            });
            polled_rx.recv().unwrap();
        });
        runtime.shutdown_background();
        assert_eq!(rx.recv_timeout(Duration::from_secs(20)).unwrap(), Err(Error::Shutdown));
    }
}

#[test]
fn a_reset_inside_a_second_runtime_does_not_move_the_timer() {
    let first = Builder::new_multi_thread().worker_threads(1).build().unwrap();
    let second = Builder::new_current_thread().start_paused(true).build().unwrap();
    let mut timer = Box::pin(sleep(HOUR));
    first.block_on(async {
        assert!(futures::poll!(timer.as_mut()).is_pending());
    });
    second.block_on(async {
        sleep(2 * HOUR).await; // paused hours, of the second runtime only
        timer.as_mut().reset(Instant::now() + HOUR);
        sleep(2 * HOUR).await;
        assert!(!timer.is_elapsed());
    });
    drop(second);
    first.block_on(async {
        timer.as_mut().reset(Instant::now() + ms(10));
        timeout(Duration::from_secs(20), timer).await.expect("it fires in the first runtime");
    });
}

/// A waker that locks, reads the clock, files a timer, and panics if it is asked to.
struct Meddler {
    seen: Mutex<Vec<Instant>>,
    timer: Mutex<Option<Pin<Box<Sleep>>>>,
    panics: bool,
}

impl Wake for Meddler {
    fn wake(self: Arc<Self>) {
        self.seen.lock().unwrap().push(Instant::now());
        let mut timer = Box::pin(sleep(ms(1)));
        let _ = timer.as_mut().try_poll_elapsed(&mut Context::from_waker(Waker::noop()));
        *self.timer.lock().unwrap() = Some(timer);
        assert!(!self.panics, "a waker's own fault");
    }
}

#[test]
fn a_waker_that_meddles_or_panics_in_the_driver_stops_no_other_timer() {
    for panics in [false, true] {
        for runtime in both() {
            let meddler = Arc::new(Meddler { seen: Mutex::default(), timer: Mutex::default(), panics });
            let waker = Waker::from(Arc::clone(&meddler));
            runtime.block_on(async {
                let mut timers: Vec<_> = (0..10).map(|_| Box::pin(sleep(ms(10)))).collect();
                for timer in &mut timers {
                    assert!(timer.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
                }
                // Due in the same turn, behind and between them.
                let tasks: Vec<_> = (0..50).map(|_| wheelhouse::spawn(sleep(ms(10)))).collect();
                for task in tasks {
                    timeout(Duration::from_secs(20), task).await.expect("a wake-up got lost").unwrap();
                }
                sleep(ms(10)).await;
                assert_eq!(meddler.seen.lock().unwrap_or_else(|e| e.into_inner()).len(), 10);
                timeout(ms(5), pending::<()>()).await.unwrap_err();
            });
        }
    }
}

#[test]
fn a_busy_inner_future_does_not_put_off_its_timeout() {
    for runtime in both() {
        runtime.block_on(async {
            let busy = timeout(ms(20), async {
                loop {
                    sleep(Duration::ZERO).await;
                }
            });
            let outcome: Result<(), _> = wheelhouse::spawn(busy).await.unwrap();
            assert!(outcome.is_err());
        });
    }
}

#[test]
fn a_loop_over_sleep_zero_lets_other_tasks_run() {
    for runtime in both() {
        runtime.block_on(async {
            let busy = wheelhouse::spawn(async {
                loop {
                    sleep(Duration::ZERO).await;
                }
            });
            for _ in 0..10 {
                wheelhouse::spawn(async {}).await.unwrap();
            }
            sleep(ms(5)).await;
            busy.abort();
            assert!(busy.await.unwrap_err().is_cancelled());
        });
    }
}

#[test]
fn a_runtime_without_timers_says_so_when_one_is_polled() {
    for builder in [Builder::new_current_thread(), Builder::new_multi_thread().worker_threads(2)] {
        let runtime = builder.disable_time().build().unwrap();
        let outcome = runtime.block_on(async { wheelhouse::spawn(interval_outcome()).await.unwrap() });
        assert_eq!(outcome, Err(Error::NoRuntime));
    }
}

async fn interval_outcome() -> Result<Instant, Error> {
    interval(ms(1)).try_tick().await
}

#[test]
fn shutdown_in_the_middle_of_inserts_and_fires_wakes_each_foreign_timer_once() {
    for round in 0..60_u64 {
        for runtime in both() {
            let busy = |number: u64| async move {
                loop {
                    sleep(Duration::from_micros((number * 37 + round * 11) % 400)).await;
                    let _ = timeout(HOUR, sleep(Duration::from_micros(number % 7))).await;
                }
            };
            for number in 0..20 {
                runtime.spawn(busy(number));
            }
            let wakes = Arc::new(Wakes::default());
            let waker = Waker::from(Arc::clone(&wakes));
            let mut foreign: Vec<_> = {
                let _entered = runtime.enter();
                (0..5).map(|_| Box::pin(sleep(HOUR))).collect()
            };
            for timer in &mut foreign {
                assert!(timer.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
            }
            runtime.block_on(sleep(Duration::from_micros(round * 29)));
            drop(runtime);
            assert_eq!(wakes.0.load(Ordering::SeqCst), 5);
            for timer in &mut foreign {
                let outcome = timer.as_mut().try_poll_elapsed(&mut Context::from_waker(&waker));
                assert_eq!(outcome, Poll::Ready(Err(Error::Shutdown)));
            }
        }
    }
}
