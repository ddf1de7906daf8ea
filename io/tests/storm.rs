//! Readiness is never lost: connections made and dropped as fast as they go, with the reactor on another thread.

mod support;

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures::{AsyncReadExt, AsyncWriteExt};
use wheelhouse_io::net::{TcpListener, TcpStream, UnixStream};

const LENGTH: Duration = Duration::from_secs(2);

/// Sees to it that a lost wake-up fails the test instead of hanging it.
fn watched(rounds: &AtomicUsize, run: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        let runner = scope.spawn(run);
        let mut last = (rounds.load(Ordering::SeqCst), Instant::now());
        while !runner.is_finished() {
            std::thread::sleep(Duration::from_millis(20));
            let now = rounds.load(Ordering::SeqCst);
            if now != last.0 {
                last = (now, Instant::now());
            } else if last.1.elapsed() > Duration::from_secs(20) {
                eprintln!("no round in 20 s after {now}: a wake-up is lost");
                std::process::abort();
            }
        }
    });
}

#[test]
fn a_reconnect_storm_loses_no_readiness() {
    reconnect_storm();
}

/// Threads that take turns on one processor meet at other points than threads that run at the same time.
#[test]
#[cfg(target_os = "linux")]
fn a_reconnect_storm_on_one_processor_loses_no_readiness() {
    // Threads started from here on inherit it; other tests' threads are not concerned.
    std::thread::spawn(|| {
        // SAFETY: the set is plain C data, for which all zero is a valid value.
        let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
        // SAFETY: `set` is live; the result is checked below.
        let got = unsafe { libc::sched_getaffinity(0, size_of_val(&set), &mut set) };
        assert_eq!(got, 0);
        let first = (0..libc::CPU_SETSIZE as usize).find(|cpu| {
            // SAFETY: `cpu` is in the set's range.
            unsafe { libc::CPU_ISSET(*cpu, &set) }
        });
        // SAFETY: as above.
        let mut one: libc::cpu_set_t = unsafe { std::mem::zeroed() };
        // SAFETY: the number came out of a set of the same size.
        unsafe { libc::CPU_SET(first.unwrap(), &mut one) };
        // SAFETY: `one` is live.
        let set = unsafe { libc::sched_setaffinity(0, size_of_val(&one), &one) };
        assert_eq!(set, 0);
        reconnect_storm();
    })
    .join()
    .unwrap();
}

fn reconnect_storm() {
    let driver = support::Driver::start();
    let rounds = AtomicUsize::new(0);
    let end = Instant::now() + LENGTH;
    watched(&rounds, || {
        let listener = driver.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let addr = listener.local_addr().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                driver
                    .block_on(async {
                        while Instant::now() < end {
                            let mut client = TcpStream::connect(addr).await?;
                            client.set_linger(Some(Duration::ZERO))?;
                            for _ in 0..3 {
                                client.write_all(&[1; 64]).await?;
                                client.read_exact(&mut [0; 64]).await?;
                            }
                            rounds.fetch_add(1, Ordering::SeqCst);
                        }
                        // The last one tells the server to stop.
                        TcpStream::connect(addr).await?.write_all(b"q").await
                    })
                    .unwrap();
            });
            driver
                .block_on(async {
                    loop {
                        let (mut server, _) = listener.accept().await?;
                        let mut buf = [0; 64];
                        while let Ok(read @ 1..) = server.read(&mut buf).await {
                            if buf[0] == b'q' {
                                return io::Result::Ok(());
                            }
                            if server.write_all(&buf[..read]).await.is_err() {
                                break;
                            }
                        }
                    }
                })
                .unwrap();
        });
    });
    assert!(rounds.into_inner() > 10);
}

#[test]
fn full_and_empty_buffers_lose_no_readiness() {
    let driver = support::Driver::start();
    let rounds = AtomicUsize::new(0);
    let end = Instant::now() + LENGTH;
    watched(&rounds, || {
        let (mut a, mut b) = driver.block_on(async { UnixStream::pair() }).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                driver.block_on(async {
                    while Instant::now() < end {
                        a.write_all(&[7; 300_000]).await.unwrap();
                        rounds.fetch_add(1, Ordering::SeqCst);
                    }
                    a.close().await.unwrap();
                });
            });
            driver.block_on(async {
                let mut buf = [0; 5000];
                while b.read(&mut buf).await.unwrap() > 0 {}
            });
        });
    });
    assert!(rounds.into_inner() > 10);
}
