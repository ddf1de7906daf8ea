//! Models of the task core's races, on a scheduler that is a locked queue, run by the model's threads.

mod abort_queued;
mod inbox;
mod join;
mod owned;
mod ready;
mod word;

use core::cell::Cell;
use core::future::Future;
use core::panic::Location;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use std::collections::VecDeque;
use std::sync::Arc as StdArc;
use std::sync::atomic::{AtomicUsize as StdAtomicUsize, Ordering as StdOrdering};
use std::sync::{Once, OnceLock};

use super::thread;
use crate::sync::{Arc, AtomicBool, Mutex, Ordering, UnsafeCell};
use crate::task::{Id, JoinHandle, Kind, Meta, Notified, Owned, Schedule, Spawned, Task, spawn};

thread_local! {
    static PANICS: Cell<usize> = const { Cell::new(0) };
}

/// Explores a model, with both orders of starting. The harness contains panics, loom's own reports too: each counts, and fails the model.
fn explore(model: impl Fn() + Send + Sync + 'static) {
    explore_within(None, model);
}

/// The same with at most so many preemptions, where all of them are too many.
fn explore_within(preemptions: Option<usize>, model: impl Fn() + Send + Sync + 'static) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            PANICS.set(PANICS.get() + 1);
            hook(info);
        }));
    });
    super::explore_both_orders(preemptions, move || {
        PANICS.set(0);
        model();
        assert_eq!(PANICS.get(), 0, "a panic was contained");
    });
}

/// A scheduler whose tasks are run by whoever calls [`run`](Model::run).
struct Model {
    pool: Arc<Pool>,
    /// Stands for the cell's memory: read by every use of the cell's scheduler, written when the cell is freed.
    memory: Memory,
}

struct Pool {
    queue: Mutex<VecDeque<Notified>>,
    owned: Owned,
}

/// Memory whose use loom watches.
struct Memory(UnsafeCell<u32>);

// SAFETY: loom itself checks every access.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    fn new() -> Self {
        Self(UnsafeCell::new(0))
    }

    fn read(&self) {
        self.0.with(|memory| {
            // SAFETY: loom fails the model if somebody writes meanwhile.
            let _ = unsafe { *memory };
        });
    }

    fn write(&self) {
        self.0.with_mut(|memory| {
            // SAFETY: loom fails the model if somebody else uses it meanwhile.
            unsafe { *memory += 1 }
        });
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.write();
    }
}

impl Model {
    fn new() -> Self {
        let pool = Arc::new(Pool { queue: Mutex::new(VecDeque::new()), owned: Owned::new(1) });
        Self { pool, memory: Memory::new() }
    }

    #[track_caller]
    fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let meta = Meta { id: Id::next(), kind: Kind::Task, name: None, location: Location::caller() };
        let Spawned { owned, notified, join } = spawn(future, self.clone(), meta);
        match self.pool.owned.bind(owned) {
            Ok(()) => self.schedule(notified),
            Err(owned) => {
                drop(owned);
                notified.cancel();
            }
        }
        join
    }

    fn next(&self) -> Option<Notified> {
        self.pool.queue.lock().pop_front()
    }

    /// Polls until the queue is empty.
    fn run(&self) {
        while let Some(task) = self.next() {
            task.run();
        }
    }
}

impl Clone for Model {
    fn clone(&self) -> Self {
        Self { pool: Arc::clone(&self.pool), memory: Memory::new() }
    }
}

impl Schedule for Model {
    fn schedule(&self, task: Notified) {
        self.memory.read();
        let pool = Arc::clone(&self.pool);
        pool.queue.lock().push_back(task);
    }

    fn reschedule(&self, task: Notified) {
        self.schedule(task);
    }

    fn release(&self, task: &Task) -> bool {
        self.memory.read();
        self.pool.owned.remove(task)
    }
}

/// Counts drops; not loom's, so that counting orders nothing.
#[derive(Clone, Default)]
struct Drops(StdArc<Counted>);

#[derive(Default)]
struct Counted {
    count: StdAtomicUsize,
    /// The only thread that may drop.
    thread: OnceLock<thread::ThreadId>,
}

impl Drops {
    fn count(&self) -> usize {
        self.0.count.load(StdOrdering::Relaxed)
    }

    /// From here on drops belong on `thread`.
    fn only_on(&self, thread: thread::ThreadId) {
        self.0.thread.set(thread).expect("set once");
    }

    fn guard(&self) -> Guard {
        Guard { memory: Memory::new(), drops: self.clone() }
    }
}

/// Something with memory that counts its drops: a future's captures, or an output.
struct Guard {
    memory: Memory,
    drops: Drops,
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.drops.0.count.fetch_add(1, StdOrdering::Relaxed);
        if let Some(thread) = self.drops.0.thread.get() {
            assert_eq!(*thread, thread::current().id(), "dropped on a foreign thread");
        }
    }
}

/// An event that a task waits for: a flag that orders nothing by itself, and the waker of the last poll.
#[derive(Clone)]
struct Event {
    flag: Arc<AtomicBool>,
    waker: StdArc<std::sync::Mutex<Option<Waker>>>,
}

impl Event {
    fn new() -> Self {
        Self { flag: Arc::new(AtomicBool::new(false)), waker: StdArc::default() }
    }

    fn set(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// The waker of the first poll.
    fn waker(&self) -> Waker {
        self.waker.lock().unwrap().take().expect("polled")
    }

    /// A future that waits for the event, keeping the waker of its first poll; its output is a guard of `outputs`.
    fn wait(&self, futures: &Drops, outputs: &Drops) -> Wait {
        Wait { event: self.clone(), memory: futures.guard(), outputs: outputs.clone(), polled: false }
    }
}

struct Wait {
    event: Event,
    memory: Guard,
    outputs: Drops,
    polled: bool,
}

impl Future for Wait {
    type Output = Guard;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Guard> {
        self.memory.memory.write();
        if !self.polled {
            self.polled = true;
            *self.event.waker.lock().unwrap() = Some(cx.waker().clone());
        }
        if self.event.flag.load(Ordering::Relaxed) { Poll::Ready(self.outputs.guard()) } else { Poll::Pending }
    }
}
