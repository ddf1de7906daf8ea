//! Sockets, pipes and signals on both flavours of the runtime.
#![cfg(unix)]

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use futures::{AsyncReadExt, AsyncWriteExt};
use wheelhouse::io::ReactorError;
use wheelhouse::net::unix::pipe;
use wheelhouse::net::{TcpListener, TcpStream, UdpSocket, UnixStream};
use wheelhouse::runtime::{Builder, Runtime};
use wheelhouse::signal::unix::{SignalKind, signal};
use wheelhouse::time::{sleep, timeout};

fn both(test: impl Fn(Runtime)) {
    test(Builder::new_multi_thread().worker_threads(2).build().unwrap());
    test(Builder::new_current_thread().build().unwrap());
}

#[test]
fn sixty_four_connections_echo_at_the_same_time() {
    both(|runtime| {
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let addr = listener.local_addr().unwrap();
            let server = wheelhouse::spawn(async move {
                for _ in 0..64 {
                    let (stream, _) = listener.accept().await.unwrap();
                    wheelhouse::spawn(async move {
                        let (mut read, mut write) = stream.into_split();
                        futures::io::copy(&mut read, &mut write).await.unwrap();
                    });
                }
            });
            let clients: Vec<_> = (0..64u32)
                .map(|n| {
                    wheelhouse::spawn(async move {
                        let mut stream = TcpStream::connect(addr).await.unwrap();
                        for round in 0..50u32 {
                            let sent = (n * 1000 + round).to_le_bytes();
                            let mut got = [0; 4];
                            stream.write_all(&sent).await.unwrap();
                            stream.read_exact(&mut got).await.unwrap();
                            assert_eq!(sent, got);
                        }
                    })
                })
                .collect();
            for client in clients {
                client.await.unwrap();
            }
            server.await.unwrap();
        });
    });
}

#[test]
fn a_socket_that_outlives_its_runtime_says_so() {
    both(|runtime| {
        let (mut a, _b) = runtime.block_on(async { UnixStream::pair() }).unwrap();
        drop(runtime);
        let error = futures::executor::block_on(a.read(&mut [0; 1])).unwrap_err();
        assert_eq!(ReactorError::inside(&error), Some(ReactorError::ShutDown));
    });
}

#[test]
fn a_foreign_executor_that_waits_is_woken_when_the_runtime_goes() {
    both(|runtime| {
        let (mut a, b) = runtime.block_on(async { UnixStream::pair() }).unwrap();
        let (waits, waiting) = mpsc::channel();
        let foreign = std::thread::spawn(move || {
            waits.send(()).unwrap();
            futures::executor::block_on(a.read(&mut [0; 1])).unwrap_err()
        });
        waiting.recv().unwrap();
        std::thread::sleep(Duration::from_millis(20));
        drop(runtime);
        assert_eq!(ReactorError::inside(&foreign.join().unwrap()), Some(ReactorError::ShutDown));
        drop(b);
    });
}

#[test]
fn sockets_of_two_runtimes_talk_to_each_other() {
    let one = Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let two = Builder::new_current_thread().build().unwrap();
    let listener = one.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let addr = listener.local_addr().unwrap();
    let server = one.spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        text
    });
    two.block_on(async {
        let mut stream = TcpStream::connect(addr).await.unwrap();
        stream.write_all(b"across").await.unwrap();
        stream.close().await.unwrap();
    });
    assert_eq!(one.block_on(server).unwrap(), "across");
}

#[test]
fn a_timeout_over_a_read_that_never_ends_takes_nothing_away() {
    both(|runtime| {
        runtime.block_on(async {
            let (mut sender, mut receiver) = pipe::pipe().unwrap();
            let mut buf = [0; 8];
            assert!(timeout(Duration::from_millis(20), receiver.read(&mut buf)).await.is_err());
            sender.write_all(b"late").await.unwrap();
            assert_eq!(receiver.read(&mut buf).await.unwrap(), 4);
        });
    });
}

#[test]
fn an_always_ready_socket_lets_others_run() {
    both(|runtime| {
        runtime.block_on(async {
            let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
            let addr = socket.local_addr().unwrap();
            let sends = Arc::new(AtomicUsize::new(0));
            let counter = sends.clone();
            let busy = wheelhouse::spawn(async move {
                loop {
                    let _ = socket.send_to(b"x", addr).await;
                    counter.fetch_add(1, Ordering::Relaxed);
                }
            });
            // On one thread these end only if the busy task yields.
            for _ in 0..5 {
                sleep(Duration::from_millis(2)).await;
            }
            busy.abort();
            assert!(busy.await.unwrap_err().is_cancelled());
            assert!(sends.load(Ordering::Relaxed) > 0);
        });
    });
}

/// Tests that send signals to the process run one after the other.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn a_signal_reaches_listeners_of_both_flavours_at_once() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let one = Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let two = Builder::new_current_thread().build().unwrap();
    let mut first = one.block_on(async { signal(SignalKind::user_defined2()) }).unwrap();
    let mut second = two.block_on(async { signal(SignalKind::user_defined2()) }).unwrap();
    let heard = one.spawn(async move { first.recv().await });
    let pid = std::process::id().to_string();
    assert!(std::process::Command::new("kill").args(["-USR2", &pid]).status().unwrap().success());
    assert_eq!(one.block_on(heard).unwrap(), Some(()));
    assert_eq!(two.block_on(second.recv()), Some(()));
}

#[test]
fn a_connection_to_an_idle_runtime_is_accepted() {
    let runtime = Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let addr = listener.local_addr().unwrap();
    let accepted = runtime.spawn(async move { listener.accept().await.map(|(_, peer)| peer) });
    std::thread::sleep(Duration::from_millis(100));
    let start = Instant::now();
    let client = std::net::TcpStream::connect(addr).unwrap();
    let peer: io::Result<_> = runtime.block_on(accepted).unwrap();
    assert_eq!(peer.unwrap(), client.local_addr().unwrap());
    assert!(start.elapsed() < Duration::from_secs(5));
}
