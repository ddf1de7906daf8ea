//! The parts together: spawn, timers, sockets, both flavours.

use std::time::{Duration, Instant};

use futures::{AsyncReadExt, AsyncWriteExt};
use wheelhouse::net::{TcpListener, TcpStream};
use wheelhouse::runtime::{Builder, Runtime};
use wheelhouse::time::sleep;

fn both(test: impl Fn(Runtime)) {
    test(Builder::new_multi_thread().worker_threads(2).build().unwrap());
    test(Builder::new_current_thread().build().unwrap());
}

#[test]
fn spawned_tasks_return_their_outputs() {
    both(|runtime| {
        let total = runtime.block_on(async {
            let tasks: Vec<_> = (0..1000u64).map(|i| wheelhouse::spawn(async move { i })).collect();
            let mut total = 0;
            for task in tasks {
                total += task.await.unwrap();
            }
            total
        });
        assert_eq!(total, 499_500);
    });
}

#[test]
fn sleeps_end_on_time() {
    both(|runtime| {
        let start = Instant::now();
        runtime.block_on(async {
            let tasks: Vec<_> = (1..=20).map(|i| wheelhouse::spawn(sleep(Duration::from_millis(i * 5)))).collect();
            for task in tasks {
                task.await.unwrap();
            }
            sleep(Duration::from_millis(20)).await;
        });
        let took = start.elapsed();
        assert!(took >= Duration::from_millis(120), "{took:?}");
        assert!(took < Duration::from_millis(400), "{took:?}");
    });
}

#[test]
fn tcp_echo_returns_what_was_sent() {
    both(|runtime| {
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let server = wheelhouse::spawn(async move {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut buffer = [0; 64];
                loop {
                    let n = stream.read(&mut buffer).await.unwrap();
                    if n == 0 {
                        return;
                    }
                    stream.write_all(&buffer[..n]).await.unwrap();
                }
            });
            let client = wheelhouse::spawn(async move {
                let mut stream = TcpStream::connect(address).await.unwrap();
                for i in 0..1000u32 {
                    stream.write_all(&i.to_le_bytes()).await.unwrap();
                    let mut buffer = [0; 4];
                    stream.read_exact(&mut buffer).await.unwrap();
                    assert_eq!(u32::from_le_bytes(buffer), i);
                }
            });
            client.await.unwrap();
            server.await.unwrap();
        });
    });
}

#[test]
fn blocking_work_runs_beside_the_tasks() {
    both(|runtime| {
        let value = runtime.block_on(async {
            wheelhouse::task::spawn_blocking(|| {
                std::thread::sleep(Duration::from_millis(5));
                9
            })
            .await
            .unwrap()
        });
        assert_eq!(value, 9);
    });
}
