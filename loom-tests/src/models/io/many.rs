//! Many tasks wait on one source.

use loom::sync::Arc;

use super::{Task, event, explore, race, wait, wait_exclusive, wait_shared};
use crate::readiness::{Interest, Ready, Source, Waiting};

/// Claim: one event wakes every task it answers, however it waits, and leaves those of the other direction alone.
/// Threads: the seat's holder, and one that polls two tasks while a third, a fourth and a writer wait already.
/// Breaks if: `Waiters::take` stops at the first entry; it skips `more` when the first entry is free.
#[test]
fn an_event_wakes_all_that_wait() {
    explore(|first| {
        let source = Arc::new(Source::new(Ready::EMPTY));
        let tasks: Vec<_> = (0..4).map(|_| Task::new()).collect();
        let writer = Task::new();
        assert!(wait(&source, &tasks[0], Interest::READABLE, &mut Waiting::default()));
        assert!(wait(&source, &writer, Interest::WRITABLE, &mut Waiting::default()));
        assert!(wait_exclusive(&source, &tasks[1], Interest::READABLE));
        let at_driver = source.clone();
        let driver = move || event(&at_driver, Ready::READABLE);
        let waiters = {
            let (third, fourth) = (tasks[2].clone(), tasks[3].clone());
            move || {
                let third = wait_shared(&source, &third, Interest::READABLE);
                (third, wait(&source, &fourth, Interest::READABLE, &mut Waiting::default()))
            }
        };
        let ((), (third, fourth)) = race(first, driver, waiters);
        for (task, pending) in tasks.iter().zip([true, true, third, fourth]) {
            assert!(!pending || task.was_woken(), "a task sleeps over the event");
        }
        assert!(!writer.was_woken(), "the writer has no event");
    });
}
