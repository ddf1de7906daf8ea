//! A task begins to wait while an event comes.

use loom::sync::Arc;

use super::{Task, event, explore, race, wait, wait_exclusive, wait_shared};
use crate::readiness::{Interest, Ready, Source, Waiting};

fn racing(waits: fn(&Source, &std::sync::Arc<Task>) -> bool) {
    explore(move |first| {
        let source = Arc::new(Source::new(Ready::EMPTY));
        let task = Task::new();
        let at_driver = source.clone();
        let driver = move || event(&at_driver, Ready::READABLE);
        let waiter = {
            let task = task.clone();
            move || waits(&source, &task)
        };
        let ((), pending) = race(first, driver, waiter);
        assert!(!pending || task.was_woken(), "the task sleeps over the event");
    });
}

/// Claim: a task that pends is woken by the event, whichever comes first.
/// Threads: the seat's holder, a task that begins to wait in an entry of its own.
/// Breaks if: `poll_waiting` does not look at the word again under the lock; `event` takes the wakers before it
/// publishes.
#[test]
fn event_racing_registration_wakes() {
    racing(|source, task| wait(source, task, Interest::READABLE, &mut Waiting::default()));
}

/// Claim and breaks if: as above, for the exclusive slot and `poll_exclusive`.
/// Threads: the seat's holder, a task that begins to wait in the exclusive slot.
#[test]
fn event_racing_exclusive_registration_wakes() {
    racing(|source, task| wait_exclusive(source, task, Interest::READABLE));
}

/// Claim and breaks if: as above, for a bare `poll_*` call and `poll_shared`.
/// Threads: the seat's holder, a task that begins to wait without a key.
#[test]
fn event_racing_shared_registration_wakes() {
    racing(|source, task| wait_shared(source, task, Interest::READABLE));
}
