//! A runtime that has shut down leaves no thread and no descriptor behind. A process of its own: it counts both.
#![cfg(target_os = "linux")]

use std::time::Duration;

use wheelhouse::net::{TcpListener, TcpStream};
use wheelhouse::runtime::Builder;
use wheelhouse::time::sleep;

fn count(directory: &str) -> usize {
    std::fs::read_dir(directory).unwrap().count()
}

/// Threads and descriptors of this process.
fn census() -> (usize, usize) {
    (count("/proc/self/task"), count("/proc/self/fd"))
}

fn live_and_die(round: usize) {
    let builder = if round % 3 == 0 { Builder::new_current_thread() } else { Builder::new_multi_thread() };
    let runtime = builder.worker_threads(1 + round % 4).build().unwrap();
    let orphan = runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        wheelhouse::spawn(async move {
            loop {
                let Ok((stream, _)) = listener.accept().await else { return };
                wheelhouse::spawn(async move {
                    sleep(Duration::from_secs(3600)).await;
                    drop(stream);
                });
            }
        });
        let stream = TcpStream::connect(address).await.unwrap();
        for i in 0..50 {
            wheelhouse::spawn(sleep(Duration::from_millis(i)));
        }
        wheelhouse::task::spawn_blocking(|| std::thread::sleep(Duration::from_millis(1))).await.unwrap();
        if round % 3 != 0 {
            wheelhouse::spawn(async {
                wheelhouse::task::block_in_place(|| std::thread::sleep(Duration::from_millis(1)));
            })
            .await
            .unwrap();
        }
        sleep(Duration::from_millis(1)).await;
        stream
    });
    // A handle, a sleep and a socket outlive it.
    let handle = runtime.handle().clone();
    if round % 5 == 0 {
        runtime.shutdown_timeout(Duration::from_secs(10));
    } else {
        drop(runtime);
    }
    assert!(handle.spawn(async {}).is_finished(), "a task for a runtime that is gone is cancelled at once");
    drop(orphan);
}

#[test]
fn fifty_runtimes_leave_no_thread_and_no_descriptor() {
    live_and_die(0);
    live_and_die(1);
    let before = census();
    for round in 0..50 {
        live_and_die(round);
    }
    assert_eq!(census(), before);
}
