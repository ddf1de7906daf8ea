//! What the tests of tasks share.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses a part")]

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use wheelhouse::runtime::{Builder, Runtime};

/// How long a test waits for what must happen.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A runtime of each flavour, with its name.
pub fn flavours() -> [(&'static str, Runtime); 3] {
    [
        ("current thread", Builder::new_current_thread().enable_all().build().unwrap()),
        ("one worker", Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()),
        ("two workers", Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()),
    ]
}

#[track_caller]
pub fn eventually(what: &str, condition: impl Fn() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < end, "{what}: not in {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Counts its guards that were dropped.
#[derive(Clone, Default)]
pub struct Drops(Arc<AtomicUsize>);

impl Drops {
    pub fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }

    pub fn guard(&self) -> Guard {
        Guard { drops: self.clone(), panics: false }
    }

    /// One whose drop panics.
    pub fn panicking(&self) -> Guard {
        Guard { drops: self.clone(), panics: true }
    }
}

pub struct Guard {
    drops: Drops,
    panics: bool,
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.drops.0.fetch_add(1, Ordering::SeqCst);
        if self.panics {
            panic!("a drop that panics");
        }
    }
}

/// Pending until it is opened, from any thread.
#[derive(Clone, Default)]
pub struct Gate(Arc<Mutex<GateState>>);

#[derive(Default)]
struct GateState {
    open: bool,
    wakers: Vec<Waker>,
    polls: usize,
}

impl Gate {
    pub fn open(&self) {
        let wakers = {
            let mut state = self.0.lock().unwrap();
            state.open = true;
            std::mem::take(&mut state.wakers)
        };
        wakers.into_iter().for_each(Waker::wake);
    }

    pub fn polls(&self) -> usize {
        self.0.lock().unwrap().polls
    }

    pub fn waker(&self) -> Option<Waker> {
        self.0.lock().unwrap().wakers.last().cloned()
    }
}

impl Future for Gate {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let waker = cx.waker().clone();
        let mut state = self.0.lock().unwrap();
        state.polls += 1;
        if state.open {
            return Poll::Ready(());
        }
        state.wakers.push(waker);
        Poll::Pending
    }
}
