//! A task begins to wait while the reactor is shut down.

use loom::sync::Arc;
use loom::thread;

use super::{Task, event, explore, shut_down, wait};
use crate::readiness::{Interest, Ready, Source, Waiting};

/// Claim: no task waits for a reactor that is gone.
/// Threads: a task that begins to wait, whoever shuts the reactor down, and a last event.
/// Breaks if: `Source::shut_down` takes the wakers before it marks the word; the mark does not answer everybody.
#[test]
fn shutdown_racing_registration_wakes() {
    explore(|| {
        let source = Arc::new(Source::new(Ready::EMPTY));
        let task = Task::new();
        let closer = {
            let source = source.clone();
            thread::spawn(move || shut_down(&source))
        };
        let pending = wait(&source, &task, Interest::WRITABLE, &mut Waiting::default());
        closer.join().unwrap();
        assert!(!pending || task.was_woken(), "the task waits for ever");
        assert!(source.observe().is_shut_down());
    });
}

/// Claim: an event and a clear cannot undo the shutdown.
/// Threads: a task with its clear, the seat's holder with a last event, whoever shuts down.
/// Breaks if: `publish` or `clear` stores a word of its own instead of exchanging what it read.
#[test]
fn shutdown_is_for_good() {
    explore(|| {
        let source = Arc::new(Source::new(Ready::READABLE));
        let closer = {
            let source = source.clone();
            thread::spawn(move || shut_down(&source))
        };
        let driver = {
            let source = source.clone();
            thread::spawn(move || event(&source, Ready::READABLE))
        };
        let seen = source.observe();
        let _ = source.clear(seen, Interest::READABLE.mask());
        closer.join().unwrap();
        driver.join().unwrap();
        assert!(source.observe().is_shut_down(), "the shutdown is undone");
    });
}
