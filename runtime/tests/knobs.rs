//! Knobs of the builder at the ends of their range, and functions given to it that panic.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::{AsyncReadExt, AsyncWriteExt};
use wheelhouse::net::{TcpListener, TcpStream};
use wheelhouse::runtime::{Builder, Handle, Runtime, RuntimeFlavor};
use wheelhouse::task::{block_in_place, spawn_blocking, yield_now};
use wheelhouse::time::{sleep, timeout};

/// A task, a timer, a socket, a blocking job and, where it may be, a blocking section.
#[track_caller]
fn use_everything(runtime: &Runtime) {
    let everything = async {
        let task = wheelhouse::spawn(async {
            for _ in 0..100 {
                yield_now().await;
            }
            sleep(Duration::from_millis(1)).await;
            match Handle::current().runtime_flavor() {
                RuntimeFlavor::MultiThread => block_in_place(|| 1),
                _ => 1,
            }
        });
        let (mut near, mut far) = socketpair().await;
        near.write_all(b"3").await.unwrap();
        let mut byte = [0];
        far.read_exact(&mut byte).await.unwrap();
        let job = spawn_blocking(|| 2);
        (task.await.unwrap(), job.await.unwrap(), byte[0])
    };
    assert_eq!(runtime.block_on(timeout(Duration::from_secs(20), everything)), Ok((1, 2, b'3')));
}

async fn socketpair() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (near, far) = futures::join!(TcpStream::connect(address), listener.accept());
    (near.unwrap(), far.unwrap().0)
}

fn builders() -> [Builder; 2] {
    [Builder::new_multi_thread().worker_threads(2), Builder::new_current_thread()]
}

#[test]
fn knobs_that_cannot_be_are_errors() {
    let bad = [
        Builder::new_multi_thread().worker_threads(0),
        Builder::new_multi_thread().max_blocking_threads(0),
        Builder::new_multi_thread().global_queue_interval(0),
        Builder::new_current_thread().event_interval(0),
        Builder::new_current_thread().max_io_events_per_tick(0),
    ];
    for builder in bad {
        let error = builder.build().unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput, "{error}");
        assert!(error.to_string().contains("must be 1 or more"), "{error}");
    }
}

#[test]
fn counts_may_be_as_small_as_one_and_as_large_as_their_type_allows() {
    for count in [1, 2, i32::MAX as u32, i32::MAX as u32 + 1, u32::MAX] {
        for builder in builders() {
            use_everything(&builder.event_interval(count).global_queue_interval(count).build().unwrap());
        }
    }
    for count in [1, 2, 1 << 16, (1 << 16) + 1, i32::MAX as usize + 1, usize::MAX] {
        for builder in builders() {
            use_everything(&builder.max_io_events_per_tick(count).max_blocking_threads(count).build().unwrap());
        }
    }
    for seed in [0, 1, u64::MAX] {
        use_everything(&Builder::new_multi_thread().worker_threads(2).rng_seed(seed).build().unwrap());
    }
}

#[test]
fn durations_may_be_as_short_and_as_long_as_their_type_allows() {
    for duration in [Duration::ZERO, Duration::from_nanos(1), Duration::MAX - Duration::from_nanos(1), Duration::MAX] {
        for builder in builders() {
            let runtime = builder.thread_keep_alive(duration).watchdog(duration).build().unwrap();
            use_everything(&runtime);
            // A thread of the pool may have left, or stayed.
            use_everything(&runtime);
            runtime.shutdown_timeout(duration);
        }
    }
}

#[test]
fn a_slack_may_be_as_short_and_as_long_as_its_type_allows() {
    for slack in [Duration::ZERO, Duration::from_nanos(1), Duration::MAX] {
        for builder in builders() {
            let runtime = builder.timer_slack(slack).build().unwrap();
            // The first turn is not delayed, however long the slack.
            runtime.block_on(sleep(Duration::from_millis(1)));
        }
    }
}

#[test]
fn stacks_may_be_as_small_as_nothing() {
    for bytes in [0, 1, 4096, 64 << 10] {
        use_everything(&Builder::new_multi_thread().worker_threads(2).thread_stack_size(bytes).build().unwrap());
    }
}

#[test]
fn a_stack_that_cannot_be_had_is_an_error() {
    for bytes in [usize::MAX, usize::MAX / 2, 1 << 48] {
        let error = Builder::new_multi_thread().worker_threads(2).thread_stack_size(bytes).build().unwrap_err();
        // The system's own words for it.
        assert!(error.raw_os_error().is_some(), "{error:?}");
    }
}

#[test]
fn more_workers_than_there_may_be_are_an_error_that_says_how_many_there_may_be() {
    for workers in [2_049, 100_000, usize::MAX / 2, usize::MAX] {
        let error = Builder::new_multi_thread().worker_threads(workers).build().unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput, "{error}");
        assert!(error.to_string().contains("2048"), "{error}");
    }
    // A runtime without worker threads does not ask.
    use_everything(&Builder::new_current_thread().worker_threads(usize::MAX).build().unwrap());
}

#[test]
fn a_function_for_names_that_panics_costs_no_thread() {
    for panics_from in 0..3 {
        let calls = Arc::new(AtomicUsize::new(0));
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name_fn(move || {
                assert!(calls.fetch_add(1, Ordering::SeqCst) < panics_from, "no name");
                "named".to_owned()
            })
            .build()
            .unwrap();
        use_everything(&runtime);
        use_everything(&runtime);
    }
}

#[test]
fn a_name_that_the_system_does_not_take_is_taken_without_what_it_does_not() {
    let runtime = Builder::new_multi_thread().worker_threads(1).thread_name("a\0b").build().unwrap();
    use_everything(&runtime);
    let name = runtime.block_on(async { spawn_blocking(|| std::thread::current().name().map(str::to_owned)).await });
    assert_eq!(name.unwrap().as_deref(), Some("ab"));
}

#[test]
fn threads_have_the_stack_that_is_asked_for() {
    const STACK: usize = 24 << 20;
    /// Uses more of the stack than a thread has by default.
    #[inline(never)]
    fn deep() -> u8 {
        let mut room = [1u8; STACK - (4 << 20)];
        std::hint::black_box(&mut room);
        room[room.len() / 2]
    }
    let runtime = Builder::new_multi_thread().worker_threads(1).thread_stack_size(STACK).build().unwrap();
    let outcome = runtime.block_on(async {
        let task = wheelhouse::spawn(async { (deep(), block_in_place(deep)) });
        (task.await.unwrap(), spawn_blocking(deep).await.unwrap())
    });
    assert_eq!(outcome, ((1, 1), 1));
}
