//! The test clock on both runtime flavours: exact, idle-driven, reproducible.

mod paused_support;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::{AsyncReadExt, AsyncWriteExt};
use wheelhouse::net::{TcpListener, TcpStream, UnixStream};
use wheelhouse::runtime::Builder;
use wheelhouse::task::{spawn_blocking, yield_now};
use wheelhouse::time::{
    DelayQueue, Instant, Ticker, TimeoutExt, advance, interval, pause, resume, sleep, sleep_until, timeout,
};

use paused_support::{HOUR, builders, ms, paused};

#[test]
fn an_idle_runtime_jumps_exactly_to_the_earliest_deadline() {
    paused(|| async {
        let start = Instant::now();
        for nanos in [1, 999, 16_383, 16_385, 1_000_001, 3_141_592_653, 299_792_458_000_001] {
            let before = Instant::now();
            sleep(Duration::from_nanos(nanos)).await;
            assert_eq!(before.elapsed(), Duration::from_nanos(nanos));
        }
        let tasks: Vec<_> = [7_000_003, 5_000_001, 5_000_000]
            .map(|nanos| {
                wheelhouse::spawn(async move {
                    let before = Instant::now();
                    sleep(Duration::from_nanos(nanos)).await;
                    (before.elapsed(), Duration::from_nanos(nanos))
                })
            })
            .into();
        for task in tasks {
            let (took, asked) = task.await.unwrap();
            assert_eq!(took, asked);
        }
        assert!(start.elapsed() > Duration::from_secs(299_792));
    });
}

#[test]
fn the_clock_stands_still_while_a_task_runs() {
    paused(|| async {
        let start = Instant::now();
        wheelhouse::spawn(async {
            let before = Instant::now();
            std::thread::sleep(ms(20));
            assert_eq!(before, Instant::now(), "it reads the same twice without an advance");
            for _ in 0..100 {
                yield_now().await;
            }
            assert_eq!(before, Instant::now());
        })
        .timeout(HOUR)
        .await
        .unwrap()
        .unwrap();
        assert_eq!(start, Instant::now());
    });
}

#[test]
fn advance_is_exact_to_the_nanosecond() {
    paused(|| async {
        let start = Instant::now();
        let by = Duration::from_nanos(3_141_592_653);
        advance(by).await;
        assert_eq!(start.elapsed(), by);
        advance(Duration::ZERO).await;
        assert_eq!(start.elapsed(), by);
    });
}

#[test]
fn advance_stops_at_each_deadline_and_the_woken_tasks_run_there() {
    paused(|| async {
        let start = Instant::now();
        let seen = Arc::new(Mutex::new(Vec::new()));
        for delay in [30, 10, 20, 50] {
            let seen = Arc::clone(&seen);
            wheelhouse::spawn(async move {
                sleep(ms(delay)).await;
                seen.lock().unwrap().push(start.elapsed());
                // A deadline that arises on the way is on the way as well.
                sleep(ms(1)).await;
                seen.lock().unwrap().push(start.elapsed());
            });
        }
        for _ in 0..10 {
            yield_now().await; // let them file their timers
        }
        advance(ms(40)).await;
        assert_eq!(start.elapsed(), ms(40));
        let mut seen = std::mem::take(&mut *seen.lock().unwrap());
        seen.sort();
        assert_eq!(seen, [10, 11, 20, 21, 30, 31].map(ms));
    });
}

#[test]
fn a_sleep_until_now_costs_nothing_on_a_clock_paused_later_than_its_start() {
    for (flavour, builder) in builders() {
        builder.build().unwrap().block_on(async {
            sleep(Duration::from_micros(1_234)).await;
            pause();
            let before = Instant::now();
            sleep_until(before).await;
            sleep_until(Instant::now()).await;
            sleep(Duration::ZERO).await;
            sleep_until(before - ms(1)).await;
            assert_eq!(before, Instant::now(), "{flavour}");
        });
    }
}

#[test]
#[cfg(unix)]
fn the_clock_does_not_move_while_messages_cross_a_unix_socket() {
    paused(|| async {
        let mut beat = interval(ms(100));
        let start = beat.tick().await;
        let (mut near, mut far) = UnixStream::pair().unwrap();
        let server = wheelhouse::spawn(async move {
            let mut byte = [0];
            while far.read(&mut byte).await.unwrap() == 1 {
                far.write_all(&byte).await.unwrap();
            }
        });
        let client = wheelhouse::spawn(async move {
            for message in 0..=255 {
                near.write_all(&[message]).await.unwrap();
                let mut answer = [0];
                near.read_exact(&mut answer).await.unwrap();
                assert_eq!(answer, [message]);
            }
        });
        client.timeout(HOUR).await.expect("the clock moved").unwrap();
        server.timeout(HOUR).await.expect("the clock moved").unwrap();
        assert_eq!(start, Instant::now());
        assert_eq!(beat.tick().await, start + ms(100), "and now it does");
    });
}

#[test]
fn the_clock_does_not_move_while_messages_cross_a_socket() {
    paused(|| async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut beat = interval(ms(100));
        beat.tick().await;
        let start = Instant::now();
        let server = wheelhouse::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut byte = [0];
            while stream.read(&mut byte).await.unwrap() == 1 {
                stream.write_all(&byte).await.unwrap();
            }
        });
        let client = wheelhouse::spawn(async move {
            let mut stream = TcpStream::connect(address).await.unwrap();
            for message in 0..=255 {
                stream.write_all(&[message]).await.unwrap();
                let mut answer = [0];
                stream.read_exact(&mut answer).await.unwrap();
                assert_eq!(answer, [message]);
            }
        });
        client.timeout(HOUR).await.expect("the clock moved").unwrap();
        server.timeout(HOUR).await.expect("the clock moved").unwrap();
        assert_eq!(start, Instant::now());
        assert_eq!(beat.tick().await, start + ms(100), "and now it does");
    });
}

#[test]
fn without_auto_advance_only_advance_moves_the_clock() {
    for (flavour, builder) in builders() {
        let runtime = builder.start_paused(true).auto_advance(false).build().unwrap();
        runtime.block_on(async {
            let start = Instant::now();
            let sleeper = wheelhouse::spawn(sleep(ms(10)));
            spawn_blocking(|| std::thread::sleep(ms(20))).await.unwrap();
            assert!(!sleeper.is_finished(), "{flavour}");
            assert_eq!(start, Instant::now());
            advance(ms(9)).await;
            assert!(!sleeper.is_finished());
            advance(ms(1)).await;
            sleeper.await.unwrap();
            assert_eq!(start.elapsed(), ms(10), "{flavour}");
        });
    }
}

#[test]
fn advance_on_a_foreign_thread_moves_the_clock_of_a_runtime_that_sleeps() {
    for workers in [1, 2] {
        let builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(workers).start_paused(true).auto_advance(false).build().unwrap();
        let sleeper = runtime.spawn(sleep(ms(5)));
        std::thread::sleep(ms(50)); // every worker sleeps
        let (tell, told) = std::sync::mpsc::channel();
        let handle = runtime.handle().clone();
        std::thread::spawn(move || {
            let _entered = handle.enter();
            futures::executor::block_on(advance(ms(10)));
            tell.send(()).unwrap();
        });
        told.recv_timeout(Duration::from_secs(5)).expect("the clock stands");
        runtime.block_on(sleeper).unwrap();
    }
}

#[test]
fn a_resumed_clock_runs_on_from_where_it_stood() {
    for (flavour, builder) in builders() {
        let runtime = builder.start_paused(true).build().unwrap();
        runtime.block_on(async {
            let start = Instant::now();
            sleep(HOUR).await;
            resume();
            let real = std::time::Instant::now();
            sleep(ms(20)).await;
            assert!(real.elapsed() >= ms(20), "{flavour}");
            let passed = start.elapsed();
            assert!(passed >= HOUR + ms(20) && passed < HOUR + Duration::from_secs(20), "{passed:?}");
            pause();
            let stopped = Instant::now();
            std::thread::sleep(ms(2));
            assert_eq!(stopped, Instant::now());
        });
    }
}

#[test]
fn a_blocked_ticker_keeps_its_grid_on_a_runtime() {
    paused(|| async {
        let start = Instant::now();
        let mut ticker = Ticker::every(ms(100));
        let mut seen = Vec::new();
        for tick in 0..8 {
            ticker.next().await;
            seen.push(start.elapsed().as_millis());
            if tick == 2 {
                advance(ms(350)).await;
            }
        }
        assert_eq!(seen, [100, 200, 300, 650, 650, 650, 700, 800]);
    });
}

#[test]
fn timers_work_after_two_years_and_after_a_century_of_uptime() {
    paused(|| async {
        for years in [2, 3, 100] {
            advance(years * 365 * 24 * HOUR).await;
            let start = Instant::now();
            let mut queue = DelayQueue::new();
            queue.insert("item", ms(33));
            assert_eq!(queue.next().await.unwrap().deadline(), start + ms(33));
            timeout(ms(67), std::future::pending::<()>()).await.unwrap_err();
            assert_eq!(start.elapsed(), ms(100));
        }
    });
}

/// Twenty tasks that wait on timers of every kind; who did what, and when.
async fn program() -> Vec<(u64, &'static str, u128)> {
    let start = Instant::now();
    let trace = Arc::new(Mutex::new(Vec::new()));
    let tasks: Vec<_> = (0..20_u64)
        .map(|number| {
            let trace = Arc::clone(&trace);
            let note = move |what| trace.lock().unwrap().push((number, what, start.elapsed().as_nanos()));
            wheelhouse::spawn(async move {
                let mut ticker = Ticker::every(ms(7 + number % 3));
                let mut queue = DelayQueue::new();
                for item in 0..4 {
                    queue.insert(item, ms(number * item % 11));
                }
                for _ in 0..4 {
                    ticker.next().await;
                    note("tick");
                    queue.next().await.unwrap();
                    note("item");
                    sleep(Duration::from_micros(number * 137)).await;
                    let _ = timeout(ms(2), sleep(ms(number % 5))).await;
                    note("limit");
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let mut trace = trace.lock().unwrap();
    assert_eq!(trace.len(), 20 * 12);
    std::mem::take(&mut *trace)
}

fn run_program(builder: Builder) -> Vec<(u64, &'static str, u128)> {
    builder
        .start_paused(true)
        .rng_seed(7)
        .build()
        .unwrap()
        .block_on(async { wheelhouse::spawn(program()).await.unwrap() })
}

#[test]
fn the_same_program_leaves_the_same_trace_a_hundred_times_on_one_thread() {
    for which in 0..2 {
        let builder = || builders().into_iter().nth(which).unwrap();
        let first = run_program(builder().1);
        for run in 1..100 {
            assert_eq!(run_program(builder().1), first, "{}, run {run}", builder().0);
        }
    }
}

#[test]
fn the_same_program_fires_at_the_same_instants_a_hundred_times_on_many_threads() {
    let sorted = || {
        let mut trace = run_program(Builder::new_multi_thread().worker_threads(4));
        trace.sort();
        trace
    };
    let first = sorted();
    for run in 1..100 {
        assert_eq!(sorted(), first, "run {run}");
    }
}

#[wheelhouse::test(start_paused = true)]
async fn the_test_attribute_starts_the_clock_paused() {
    let start = Instant::now();
    sleep(HOUR).await;
    assert_eq!(start.elapsed(), HOUR);
}

#[wheelhouse::test(flavor = "multi_thread", worker_threads = 2, start_paused = true, auto_advance = false)]
async fn the_test_attribute_turns_auto_advance_off() {
    let start = Instant::now();
    advance(HOUR).await;
    assert_eq!(start.elapsed(), HOUR);
}

#[test]
fn a_paused_runtime_that_is_dropped_with_timers_pending_ends() {
    for (_, builder) in builders() {
        let runtime = builder.start_paused(true).build().unwrap();
        runtime.spawn(sleep(HOUR));
        runtime.block_on(yield_now());
        drop(runtime);
    }
}
