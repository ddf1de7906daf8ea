//! Blocking sections of tasks: `block_in_place`.

use std::panic::catch_unwind;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use wheelhouse::runtime::{Builder, Handle, Runtime};
use wheelhouse::task::{block_in_place, yield_now};
use wheelhouse::time::sleep;

fn multi() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).build().unwrap()
}

#[test]
fn a_yield_inside_of_block_on_inside_of_block_in_place_goes_on() {
    let runtime = multi();
    let value = runtime.block_on(async {
        wheelhouse::spawn(async {
            block_in_place(|| {
                Handle::current().block_on(async {
                    for _ in 0..10 {
                        yield_now().await;
                    }
                    sleep(Duration::from_millis(1)).await;
                    5
                })
            })
        })
        .await
        .unwrap()
    });
    assert_eq!(value, 5);
}

#[test]
fn what_was_woken_before_a_blocking_section_runs_beside_it() {
    let runtime = Builder::new_multi_thread().worker_threads(1).build().unwrap();
    let took = runtime.block_on(async {
        wheelhouse::spawn(async {
            let (sent, is_sent) = async_channel::bounded::<Instant>(1);
            let receiver = wheelhouse::spawn(async move { is_sent.recv().await.unwrap().elapsed() });
            yield_now().await;
            sent.send(Instant::now()).await.unwrap();
            // The only worker moves on; what it had in its slot goes with it.
            block_in_place(|| std::thread::sleep(Duration::from_millis(500)));
            receiver.await.unwrap()
        })
        .await
        .unwrap()
    });
    assert!(took < Duration::from_millis(400), "{took:?}");
}

#[test]
fn blocking_sections_in_many_tasks_end() {
    let runtime = multi();
    runtime.block_on(async {
        let tasks: Vec<_> = (0..40)
            .map(|i| {
                wheelhouse::spawn(async move {
                    for _ in 0..5 {
                        block_in_place(|| std::thread::sleep(Duration::from_micros(i * 20)));
                        yield_now().await;
                        sleep(Duration::from_micros(100)).await;
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
    });
}

#[test]
fn a_blocking_section_on_a_current_thread_runtime_panics_with_the_remedy() {
    let runtime = Builder::new_current_thread().build().unwrap();
    let panic = runtime.block_on(async { catch_unwind(|| block_in_place(|| ())).unwrap_err() });
    assert!(panic.downcast_ref::<&str>().unwrap().contains("spawn_blocking"));
}

#[test]
fn a_runtime_dropped_in_a_blocking_section_of_its_own_does_not_wait_for_itself() {
    let runtime = multi();
    let (done, is_done) = mpsc::channel();
    let handle = runtime.handle().clone();
    handle.spawn(async move {
        block_in_place(|| drop(runtime));
        done.send(()).unwrap();
    });
    is_done.recv_timeout(Duration::from_secs(20)).unwrap();
}

#[test]
fn a_used_up_budget_delays_no_wake_up_beyond_a_blocking_section() {
    let runtime = Builder::new_multi_thread().worker_threads(1).build().unwrap();
    let took = runtime.block_on(async {
        wheelhouse::spawn(async {
            let (sent, is_sent) = async_channel::bounded::<Instant>(1);
            let receiver = wheelhouse::spawn(async move {
                // The budget is used up here in one poll, so that the wake-up comes with none left.
                for _ in 0..1000 {
                    sleep(Duration::ZERO).await;
                }
                is_sent.recv().await.unwrap().elapsed()
            });
            for _ in 0..127 {
                sleep(Duration::ZERO).await;
            }
            sent.send(Instant::now()).await.unwrap();
            block_in_place(|| std::thread::sleep(Duration::from_millis(500)));
            receiver.await.unwrap()
        })
        .await
        .unwrap()
    });
    assert!(took < Duration::from_millis(400), "{took:?}");
}
