//! A task begins to wait while an event comes.

use loom::sync::Arc;
use loom::thread;

use super::{Task, event, explore, wait, wait_exclusive, wait_shared};
use crate::readiness::{Interest, Ready, Source, Waiting};

fn racing(waits: fn(&Source, &std::sync::Arc<Task>) -> bool) {
    explore(move || {
        let source = Arc::new(Source::new(Ready::EMPTY));
        let task = Task::new();
        let driver = {
            let source = source.clone();
            thread::spawn(move || event(&source, Ready::READABLE))
        };
        let pending = waits(&source, &task);
        driver.join().unwrap();
        assert!(!pending || task.was_woken(), "the task sleeps over the event");
    });
}

/// Claim: a task that pends is woken by the event, whichever comes first.
/// Threads: a task that begins to wait in an entry of its own, the seat's holder.
/// Breaks if: `poll_waiting` does not look at the word again under the lock; `event` takes the wakers before it
/// publishes.
#[test]
fn event_racing_registration_wakes() {
    racing(|source, task| wait(source, task, Interest::READABLE, &mut Waiting::default()));
}

/// Claim and breaks if: as above, for the exclusive slot and `poll_exclusive`.
/// Threads: a task that begins to wait in the exclusive slot, the seat's holder.
#[test]
fn event_racing_exclusive_registration_wakes() {
    racing(|source, task| wait_exclusive(source, task, Interest::READABLE));
}

/// Claim and breaks if: as above, for a bare `poll_*` call and `poll_shared`.
/// Threads: a task that begins to wait without a key, the seat's holder.
#[test]
fn event_racing_shared_registration_wakes() {
    racing(|source, task| wait_shared(source, task, Interest::READABLE));
}
