//! Tests of the task core on a hand-made scheduler: a queue, run by hand.

mod handles;
mod layout;
mod panics;
mod transitions;

use std::collections::VecDeque;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

use crate::task_core::{Id, JoinError, JoinHandle, Kind, Meta, Notified, Owned, Schedule, Task, spawn};

/// A scheduler that runs nothing by itself.
#[derive(Clone)]
struct Manual(Arc<Shared>);

struct Shared {
    queue: Mutex<VecDeque<Notified>>,
    owned: Owned,
    unhandled: AtomicUsize,
}

impl Manual {
    fn new() -> Self {
        Self(Arc::new(Shared {
            queue: Mutex::new(VecDeque::new()),
            owned: Owned::new(1),
            unhandled: AtomicUsize::new(0),
        }))
    }

    #[track_caller]
    fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let meta = Meta { id: Id::next(), kind: Kind::Task, name: None, location: Location::caller() };
        let spawned = spawn(future, self.clone(), meta);
        match self.0.owned.bind(spawned.owned) {
            Ok(()) => self.schedule(spawned.notified),
            Err(owned) => {
                drop(owned);
                spawned.notified.cancel();
            }
        }
        spawned.join
    }

    fn next(&self) -> Option<Notified> {
        self.0.queue.lock().unwrap().pop_front()
    }

    /// Polls what is queued until nothing is; returns how many polls that were.
    fn run(&self) -> usize {
        let mut polls = 0;
        while let Some(task) = self.next() {
            task.run();
            polls += 1;
            assert!(polls < 10_000, "the tasks never settle");
        }
        polls
    }

    fn shut_down(&self) {
        self.0.owned.close_and_cancel_all();
        while let Some(task) = self.next() {
            drop(task);
        }
    }

    fn queued(&self) -> usize {
        self.0.queue.lock().unwrap().len()
    }

    fn live(&self) -> usize {
        self.0.owned.len()
    }

    /// References to the scheduler: one a cell that is not freed, beside the test's own.
    fn cells(&self) -> usize {
        Arc::strong_count(&self.0) - 1
    }
}

impl Schedule for Manual {
    fn schedule(&self, task: Notified) {
        let shared = Arc::clone(&self.0);
        shared.queue.lock().unwrap().push_back(task);
    }

    fn reschedule(&self, task: Notified) {
        self.schedule(task);
    }

    fn release(&self, task: &Task) -> bool {
        self.0.owned.remove(task)
    }

    fn unhandled_panic(&self) {
        self.0.unhandled.fetch_add(1, Ordering::Relaxed);
    }
}

/// Counts its drops.
#[derive(Clone, Default)]
struct Drops(Arc<AtomicUsize>);

impl Drops {
    fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }

    fn guard(&self) -> DropGuard {
        DropGuard { drops: Arc::clone(&self.0), panics: false }
    }

    fn panicking(&self) -> DropGuard {
        DropGuard { drops: Arc::clone(&self.0), panics: true }
    }
}

struct DropGuard {
    drops: Arc<AtomicUsize>,
    panics: bool,
}

impl Drop for DropGuard {
    fn drop(&mut self) {
        self.drops.fetch_add(1, Ordering::SeqCst);
        if self.panics {
            panic!("a drop that panics");
        }
    }
}

/// A waker that counts its wakes, and panics if it is told to.
#[derive(Default)]
struct Alarm {
    wakes: AtomicUsize,
    panics: bool,
}

impl Alarm {
    fn new() -> Arc<Self> {
        Arc::default()
    }

    fn count(&self) -> usize {
        self.wakes.load(Ordering::SeqCst)
    }
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.wakes.fetch_add(1, Ordering::SeqCst);
        if self.panics {
            panic!("a wake that panics");
        }
    }
}

/// Pending until it is opened; keeps the last waker and something to drop.
#[derive(Clone, Default)]
struct Gate(Arc<Mutex<GateState>>);

#[derive(Default)]
struct GateState {
    open: bool,
    waker: Option<Waker>,
}

impl Gate {
    fn open(&self) {
        let waker = {
            let mut state = self.0.lock().unwrap();
            state.open = true;
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn waker(&self) -> Waker {
        self.0.lock().unwrap().waker.clone().expect("polled")
    }
}

impl Future for Gate {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.0.lock().unwrap();
        if state.open {
            return Poll::Ready(());
        }
        state.waker = Some(cx.waker().clone());
        Poll::Pending
    }
}

/// The join handle's output, which must be there.
#[track_caller]
fn output<T>(join: &mut JoinHandle<T>) -> Result<T, JoinError> {
    match poll_once(join) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("the task has not ended"),
    }
}

fn poll_once<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    Pin::new(future).poll(&mut Context::from_waker(Waker::noop()))
}

fn poll_with<F: Future + Unpin>(future: &mut F, alarm: &Arc<Alarm>) -> Poll<F::Output> {
    Pin::new(future).poll(&mut Context::from_waker(&Waker::from(Arc::clone(alarm))))
}
