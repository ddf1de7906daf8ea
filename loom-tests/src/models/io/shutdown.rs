//! A task begins to wait while the reactor is shut down.

use loom::sync::Arc;

use super::{Task, event, explore, race, shut_down, wait};
use crate::readiness::{Interest, Ready, Source, Waiting};

/// Claim: no task waits for a reactor that is gone.
/// Threads: whoever shuts the reactor down, a task that begins to wait.
/// Breaks if: `Source::shut_down` takes the wakers before it marks the word; the mark does not answer everybody.
#[test]
fn shutdown_racing_registration_wakes() {
    explore(|first| {
        let source = Arc::new(Source::new(Ready::EMPTY));
        let task = Task::new();
        let at_closer = source.clone();
        let closer = move || shut_down(&at_closer);
        let waiter = {
            let (source, task) = (source.clone(), task.clone());
            move || wait(&source, &task, Interest::WRITABLE, &mut Waiting::default())
        };
        let ((), pending) = race(first, closer, waiter);
        assert!(!pending || task.was_woken(), "the task waits for ever");
        assert!(source.observe().is_shut_down());
    });
}

/// Claim: an event and a clear cannot undo the shutdown.
/// Threads: whoever shuts down; the seat's holder with a last event, then a task's clear.
/// Breaks if: `publish` or `clear` stores a word of its own instead of exchanging what it read.
#[test]
fn shutdown_is_for_good() {
    explore(|first| {
        let source = Arc::new(Source::new(Ready::READABLE));
        let (at_closer, at_driver) = (source.clone(), source.clone());
        let closer = move || shut_down(&at_closer);
        let driver = move || {
            event(&at_driver, Ready::READABLE);
            let seen = at_driver.observe();
            let _ = at_driver.clear(seen, Interest::READABLE.mask());
        };
        race(first, closer, driver);
        assert!(source.observe().is_shut_down(), "the shutdown is undone");
    });
}
