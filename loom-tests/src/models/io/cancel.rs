//! A future that waits is dropped while an event comes.

use loom::sync::Arc;

use super::{Task, event, explore, race, wait};
use crate::readiness::{Interest, Ready, Source, Waiting};

/// Claim: dropping one waiting future takes no wake-up away from another.
/// Threads: the seat's holder, a task that drops its future; a second task waits all along.
/// Breaks if: an event wakes a single waiter and relies on it to pass the news on.
#[test]
fn drop_racing_event_leaves_the_others_their_wake() {
    explore(|first| {
        let source = Arc::new(Source::new(Ready::EMPTY));
        let (gone, stays) = (Task::new(), Task::new());
        let (mut leaving, mut staying) = (Waiting::default(), Waiting::default());
        assert!(wait(&source, &gone, Interest::READABLE, &mut leaving));
        assert!(wait(&source, &stays, Interest::READABLE, &mut staying));
        let at_driver = source.clone();
        let driver = move || event(&at_driver, Ready::READABLE);
        race(first, driver, move || source.cancel(&mut leaving));
        assert!(stays.was_woken(), "the other task sleeps over the event");
    });
}

/// Claim: a future dropped after its wake-up does not take out the entry of whoever waits in its place by then.
/// Threads: the seat's holder, after whose event another task begins to wait; a task that drops its future.
/// Breaks if: an entry's generation does not change when it is woken.
#[test]
fn drop_after_the_wake_leaves_the_next_waiter_in_place() {
    explore(|first| {
        let source = Arc::new(Source::new(Ready::EMPTY));
        let (gone, next) = (Task::new(), Task::new());
        let mut leaving = Waiting::default();
        assert!(wait(&source, &gone, Interest::READABLE, &mut leaving));
        let driver = {
            let (source, next) = (source.clone(), next.clone());
            move || {
                event(&source, Ready::READABLE);
                let _ = source.clear(source.observe(), Interest::READABLE.mask());
                assert!(wait(&source, &next, Interest::READABLE, &mut Waiting::default()));
            }
        };
        let at_task = source.clone();
        race(first, driver, move || at_task.cancel(&mut leaving));
        event(&source, Ready::READABLE);
        assert!(next.was_woken(), "the next waiter was taken out");
    });
}
