//! Accepting when descriptors run out. Alone in its process, since it lowers the process' limit.
#![cfg(target_os = "linux")]

mod support;

use std::cell::RefCell;
use std::fs::File;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Wake};
use std::time::{Duration, Instant};

use wheelhouse_io::net::{TcpListener, TcpStream};
use wheelhouse_io::{Reactor, ReactorConfig};

#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn limit_descriptors(limit: u64) {
    let limit = libc::rlimit { rlim_cur: limit, rlim_max: limit };
    // SAFETY: `limit` is live.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &limit) }, 0);
}

fn use_up() -> Vec<File> {
    std::iter::from_fn(|| File::open("/dev/null").ok()).collect()
}

#[test]
fn accept_fails_without_spinning_and_the_connection_comes_when_descriptors_are_back() {
    let (mut reactor, io) = Reactor::new(ReactorConfig::default()).unwrap();
    support::block_on(&mut reactor, &io, async {
        limit_descriptors(64);
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let addr = listener.local_addr()?;
        let waiting = TcpStream::connect(addr).await?;
        let hoard = RefCell::new(use_up());

        let error = listener.accept().await.unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::EMFILE));

        // A caller that tries again and again is told so a bounded number of times a second.
        let start = Instant::now();
        let mut errors = 0;
        while start.elapsed() < Duration::from_millis(320) {
            assert!(listener.accept().await.is_err());
            errors += 1;
        }
        assert!((2..=8).contains(&errors), "{errors} errors in 320 ms");

        // Descriptors that come back outside of this reactor are noticed in time.
        hoard.borrow_mut().truncate(10);
        let start = Instant::now();
        let (accepted, _) = listener.accept().await?;
        assert!(start.elapsed() < Duration::from_secs(2));
        assert_eq!(accepted.peer_addr()?, waiting.local_addr()?);

        // One that this reactor closes is noticed at once: `accepted` is a spare one.
        let second = std::net::TcpStream::connect(addr)?;
        hoard.borrow_mut().extend(use_up());
        assert!(listener.accept().await.is_err());
        let mut accept = std::pin::pin!(listener.accept());
        let woken = Arc::new(Count::default());
        let waker = woken.clone().into();
        assert!(accept.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        drop(accepted);
        // The reactor did not turn in between.
        assert_eq!(woken.0.load(Ordering::SeqCst), 1);
        assert_eq!(accept.await?.1, second.local_addr()?);
        assert!(io.metrics().starved_accepts >= 4);
        io::Result::Ok(())
    })
    .unwrap();
}
