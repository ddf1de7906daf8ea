//! Many tasks wait on one source.

use loom::sync::Arc;
use loom::thread;

use super::{Task, event, explore, wait, wait_exclusive, wait_shared};
use crate::readiness::{Interest, Ready, Source, Waiting};

/// Claim: one event wakes every task it answers, however it waits, and leaves those of the other direction alone.
/// Threads: two tasks that begin to wait while a third, a fourth and a writer wait already, and the seat's holder.
/// Breaks if: `Waiters::take` stops at the first entry; it skips `more` when the first entry is free.
#[test]
fn an_event_wakes_all_that_wait() {
    explore(|| {
        let source = Arc::new(Source::new(Ready::EMPTY));
        let tasks: Vec<_> = (0..4).map(|_| Task::new()).collect();
        let writer = Task::new();
        assert!(wait(&source, &tasks[0], Interest::READABLE, &mut Waiting::default()));
        assert!(wait(&source, &writer, Interest::WRITABLE, &mut Waiting::default()));
        assert!(wait_exclusive(&source, &tasks[1], Interest::READABLE));
        let other = {
            let (source, task) = (source.clone(), tasks[2].clone());
            thread::spawn(move || wait_shared(&source, &task, Interest::READABLE))
        };
        let driver = {
            let source = source.clone();
            thread::spawn(move || event(&source, Ready::READABLE))
        };
        let late = wait(&source, &tasks[3], Interest::READABLE, &mut Waiting::default());
        let pending = [true, true, other.join().unwrap(), late];
        driver.join().unwrap();
        for (task, pending) in tasks.iter().zip(pending) {
            assert!(!pending || task.was_woken(), "a task sleeps over the event");
        }
        assert!(!writer.was_woken(), "the writer has no event");
    });
}
