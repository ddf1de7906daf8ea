//! Blocking calls out of the way: the runtime's blocking pool if there is one, else a thread.

use std::fmt;
use std::future::Future;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::thread;

use crate::error::Error;
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

/// The job's side: whatever becomes of the job, its future hears of it.
struct Completion<T>(Arc<Mutex<State<T>>>);

impl<T> Completion<T> {
    fn complete(&self, result: io::Result<T>) {
        let before = {
            let mut state = self.0.lock();
            match *state {
                State::Running(_) => std::mem::replace(&mut *state, State::Done(result)),
                State::Done(_) | State::Taken => return,
            }
        };
        if let State::Running(Some(waker)) = before {
            waker.wake();
        }
    }
}

impl<T> Drop for Completion<T> {
    fn drop(&mut self) {
        // Only counts for a job that was dropped before it ran.
        self.complete(Err(Error::ShutDown.into()));
    }
}

/// Runs `call` on `pool`, or on a thread of its own.
pub(crate) fn run<T: Send + 'static>(
    pool: Option<Arc<dyn Blocking>>,
    call: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> impl Future<Output = io::Result<T>> {
    let shared = Arc::new(Mutex::new(State::Running(None)));
    let completion = Completion(shared.clone());
    let mut job: Job = Box::new(move || {
        let result = panic::catch_unwind(AssertUnwindSafe(call));
        completion.complete(result.unwrap_or_else(|_| Err(io::Error::other("the blocking call panicked"))));
    });
    if let Some(pool) = pool {
        match pool.run(job) {
            Ok(()) => return Offloaded(shared),
            Err(back) => job = back,
        }
    }
    if let Err(error) = thread::Builder::new().name("wheelhouse-lookup".into()).spawn(job) {
        // The job was dropped, and said that it was shut down: this is the true reason.
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

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// A pool that keeps its jobs.
    struct Keeps(mpsc::Sender<Job>);

    impl Blocking for Keeps {
        fn run(&self, job: Job) -> Result<(), Job> {
            self.0.send(job).map_err(|mpsc::SendError(job)| job)
        }
    }

    fn poll<T>(future: &mut (impl Future<Output = T> + Unpin)) -> Poll<T> {
        Pin::new(future).poll(&mut Context::from_waker(Waker::noop()))
    }

    #[test]
    fn a_job_runs_on_the_pool_and_its_result_comes_back() {
        let (sender, jobs) = mpsc::channel();
        let mut call = Box::pin(run(Some(Arc::new(Keeps(sender))), || Ok(7)));
        assert!(poll(&mut call).is_pending());
        jobs.recv().unwrap()();
        assert!(matches!(poll(&mut call), Poll::Ready(Ok(7))));
    }

    #[test]
    fn a_job_that_the_pool_drops_is_an_error_and_not_a_wait_for_ever() {
        let (sender, jobs) = mpsc::channel();
        let mut call = Box::pin(run(Some(Arc::new(Keeps(sender))), || Ok(7)));
        drop(jobs.recv().unwrap());
        let Poll::Ready(Err(error)) = poll(&mut call) else { panic!("no error") };
        assert_eq!(Error::inside(&error), Some(Error::ShutDown));
    }

    #[test]
    fn a_job_that_the_pool_refuses_runs_on_a_thread() {
        let (sender, jobs) = mpsc::channel();
        drop(jobs);
        let mut call = Box::pin(run(Some(Arc::new(Keeps(sender))), || Ok(thread::current().id())));
        let other = loop {
            match poll(&mut call) {
                Poll::Ready(id) => break id.unwrap(),
                Poll::Pending => thread::yield_now(),
            }
        };
        assert_ne!(other, thread::current().id());
    }

    #[test]
    fn a_panic_in_the_call_is_an_error() {
        let (sender, jobs) = mpsc::channel();
        let mut call = Box::pin(run::<()>(Some(Arc::new(Keeps(sender))), || panic!("on purpose")));
        jobs.recv().unwrap()();
        assert!(matches!(poll(&mut call), Poll::Ready(Err(_))));
    }
}
