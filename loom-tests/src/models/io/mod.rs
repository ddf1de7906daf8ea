//! Models of the readiness races.

mod cancel;
mod clear;
mod many;
mod notify;
mod registration;
mod shutdown;

use std::task::{Context, Poll, Wake, Waker};

use loom::sync::atomic::{AtomicBool, Ordering};

use crate::readiness::{Interest, Ready, Source, Waiting};

/// Which of two racing threads starts first.
///
/// loom remembers one last load an object, so that a load on the way to an exchange can hide the load that the
/// exchange races with: some interleavings are then explored with one order of starting alone. So both are.
#[derive(Debug, Clone, Copy)]
enum First {
    Left,
    Right,
}

/// Explores a model with both orders, within bounds that keep it to seconds.
fn explore(model: impl Fn(First) + Send + Sync + Copy + 'static) {
    for first in [First::Left, First::Right] {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(3);
        builder.check(move || model(first));
    }
}

/// Runs both on threads of their own and waits for them.
fn race<L: 'static, R: 'static>(
    first: First,
    left: impl FnOnce() -> L + 'static,
    right: impl FnOnce() -> R + 'static,
) -> (L, R) {
    let (left, right) = match first {
        First::Left => {
            let left = loom::thread::spawn(left);
            (left, loom::thread::spawn(right))
        }
        First::Right => {
            let right = loom::thread::spawn(right);
            (loom::thread::spawn(left), right)
        }
    };
    (left.join().unwrap(), right.join().unwrap())
}

/// A task, as far as a waker knows one.
struct Task(AtomicBool);

impl Task {
    fn new() -> std::sync::Arc<Task> {
        std::sync::Arc::new(Task(AtomicBool::new(false)))
    }

    fn was_woken(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

impl Wake for Task {
    fn wake(self: std::sync::Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

fn event(source: &Source, ready: Ready) {
    let mut wakes = Vec::new();
    source.event(ready, &mut wakes);
    wakes.into_iter().for_each(Waker::wake);
}

fn shut_down(source: &Source) {
    let mut wakes = Vec::new();
    source.shut_down(&mut wakes);
    wakes.into_iter().for_each(Waker::wake);
}

fn wait(source: &Source, task: &std::sync::Arc<Task>, interest: Interest, waiting: &mut Waiting) -> bool {
    let waker = task.clone().into();
    matches!(source.poll_waiting(&Context::from_waker(&waker), interest, waiting), Poll::Pending)
}

fn wait_exclusive(source: &Source, task: &std::sync::Arc<Task>, interest: Interest) -> bool {
    let waker = task.clone().into();
    matches!(source.poll_exclusive(&Context::from_waker(&waker), interest), Poll::Pending)
}

fn wait_shared(source: &Source, task: &std::sync::Arc<Task>, interest: Interest) -> bool {
    let waker = task.clone().into();
    matches!(source.poll_shared(&Context::from_waker(&waker), interest), Poll::Pending)
}
