//! Knobs of the builder at the ends of their range, and functions given to it that panic.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use wheelhouse::runtime::{Builder, Runtime};
use wheelhouse::task::{block_in_place, spawn_blocking, yield_now};
use wheelhouse::time::{sleep, timeout};

/// A task, a timer, a blocking section and a blocking job.
fn use_everything(runtime: &Runtime) {
    let everything = async {
        let task = wheelhouse::spawn(async {
            for _ in 0..100 {
                yield_now().await;
            }
            sleep(Duration::from_millis(1)).await;
            block_in_place(|| 1)
        });
        let job = spawn_blocking(|| 2);
        (task.await.unwrap(), job.await.unwrap())
    };
    assert_eq!(runtime.block_on(timeout(Duration::from_secs(20), everything)), Ok((1, 2)));
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
fn intervals_may_be_as_long_as_their_type_allows() {
    for longest in [i32::MAX as u32, i32::MAX as u32 + 1, u32::MAX] {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .event_interval(longest)
            .global_queue_interval(longest)
            .build()
            .unwrap();
        use_everything(&runtime);
    }
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
