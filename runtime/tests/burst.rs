//! A crowd of timers that are due at once lets the sockets through.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use futures::AsyncReadExt;
use wheelhouse::net::TcpListener;
use wheelhouse::runtime::{Builder, Runtime};
use wheelhouse::time::sleep_until;

const TIMERS: usize = 12_000;

/// So many have run when the socket becomes ready.
const UNDER_WAY: usize = 500;

/// What may come before a socket that is ready: two full turns of the wheel, and what runs meanwhile.
const AHEAD: usize = 2 * 1_024;

/// Lets the timers fire, each with a task of 50 us, and writes to a socket once some have: returns how many
/// tasks ran between the write and the read.
fn timers_before_the_socket(runtime: &Runtime) -> usize {
    let fired = Arc::new(AtomicUsize::new(0));
    let at_write = Arc::new(AtomicUsize::new(0));
    let at_read = runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (seen, noted) = (fired.clone(), at_write.clone());
        let writer = thread::spawn(move || {
            let mut stream = std::net::TcpStream::connect(address).unwrap();
            while seen.load(Ordering::SeqCst) < UNDER_WAY {
                thread::yield_now();
            }
            noted.store(seen.load(Ordering::SeqCst), Ordering::SeqCst);
            stream.write_all(b"x").unwrap();
        });
        let (mut stream, _) = listener.accept().await.unwrap();
        let counter = fired.clone();
        let reader = wheelhouse::spawn(async move {
            stream.read_exact(&mut [0]).await.unwrap();
            counter.load(Ordering::SeqCst)
        });
        let due = wheelhouse::time::Instant::now() + Duration::from_millis(200);
        let timers: Vec<_> = (0..TIMERS)
            .map(|_| {
                let fired = fired.clone();
                wheelhouse::spawn(async move {
                    sleep_until(due).await;
                    let start = Instant::now();
                    while start.elapsed() < Duration::from_micros(50) {}
                    fired.fetch_add(1, Ordering::SeqCst);
                })
            })
            .collect();
        let at_read = reader.await.unwrap();
        for timer in timers {
            timer.await.unwrap();
        }
        writer.join().unwrap();
        at_read
    });
    assert_eq!(fired.load(Ordering::SeqCst), TIMERS, "none is lost");
    at_read - at_write.load(Ordering::SeqCst)
}

#[test]
fn a_socket_does_not_wait_for_the_whole_crowd_on_one_thread() {
    let runtime = Builder::new_current_thread().build().unwrap();
    let waited = timers_before_the_socket(&runtime);
    assert!(waited <= AHEAD, "{waited} of {TIMERS}");
}

#[test]
fn a_socket_does_not_wait_for_the_whole_crowd_on_two_workers() {
    let runtime = Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let waited = timers_before_the_socket(&runtime);
    assert!(waited <= AHEAD, "{waited} of {TIMERS}");
}
