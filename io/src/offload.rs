//! Blocking calls out of the way: the runtime's blocking pool if there is one, else a thread.

use std::fmt;
use std::future::Future;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::thread;

use crate::sync::Mutex;

/// A blocking job.
pub type Job = Box<dyn FnOnce() + Send>;

/// Where blocking jobs run. A runtime hands its pool to [`Io::set_blocking`](crate::Io::set_blocking).
pub trait Blocking: Send + Sync {
    /// Runs `job` on a thread that may block.
    ///
    /// # Errors
    ///
    /// Gives the job back when it cannot be run.
    fn run(&self, job: Job) -> Result<(), Job>;
}

impl fmt::Debug for dyn Blocking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Blocking")
    }
}

#[derive(Debug)]
enum State<T> {
    Running(Option<Waker>),
    Done(io::Result<T>),
    Taken,
}

/// A call that runs elsewhere. Dropping it abandons the result.
#[derive(Debug)]
struct Offloaded<T>(Arc<Mutex<State<T>>>);

/// Runs `call` on `pool`, or on a thread of its own.
pub(crate) fn run<T: Send + 'static>(
    pool: Option<Arc<dyn Blocking>>,
    call: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> impl Future<Output = io::Result<T>> {
    let shared = Arc::new(Mutex::new(State::Running(None)));
    let ours = shared.clone();
    let mut job: Job = Box::new(move || {
        let result = panic::catch_unwind(AssertUnwindSafe(call));
        let result = result.unwrap_or_else(|_| Err(io::Error::other("the blocking call panicked")));
        let before = std::mem::replace(&mut *ours.lock(), State::Done(result));
        if let State::Running(Some(waker)) = before {
            waker.wake();
        }
    });
    if let Some(pool) = pool {
        match pool.run(job) {
            Ok(()) => return Offloaded(shared),
            Err(back) => job = back,
        }
    }
    if let Err(error) = thread::Builder::new().name("wheelhouse-lookup".into()).spawn(job) {
        *shared.lock() = State::Done(Err(error));
    }
    Offloaded(shared)
}

impl<T> Future for Offloaded<T> {
    type Output = io::Result<T>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<T>> {
        let waker = cx.waker().clone();
        let mut state = self.0.lock();
        let before = match &mut *state {
            State::Running(slot) => {
                let before = slot.replace(waker);
                drop(state);
                drop(before);
                return Poll::Pending;
            }
            done => std::mem::replace(done, State::Taken),
        };
        drop(state);
        drop(waker);
        match before {
            State::Done(result) => Poll::Ready(result),
            State::Taken | State::Running(_) => panic!("polled again after it was ready: drop the future instead"),
        }
    }
}
