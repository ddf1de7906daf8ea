//! A task that found the source dry takes its readiness back while an event comes.

use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, Ordering};

use super::{event, explore, race};
use crate::readiness::{Interest, Ready, Source};

/// Claim: a clear never takes back an event that came after the system call that found the source dry.
/// Threads: the kernel with the seat's holder, and a task that reads.
/// Breaks if: `clear` does not compare ticks; EVENT.publish or EVENT.observe is Relaxed (the event is seen without
/// its data).
#[test]
fn event_racing_clear_keeps_the_event() {
    explore(|first| {
        let source = Arc::new(Source::new(Ready::READABLE));
        let data = Arc::new(AtomicBool::new(false));
        let driver = {
            let (source, data) = (source.clone(), data.clone());
            move || {
                data.store(true, Ordering::Relaxed);
                event(&source, Ready::READABLE);
            }
        };
        let task = {
            let source = source.clone();
            move || {
                let seen = source.observe();
                let got = data.load(Ordering::Relaxed);
                if !got {
                    let _ = source.clear(seen, Interest::READABLE.mask());
                }
                got
            }
        };
        let ((), got) = race(first, driver, task);
        assert!(got || source.observe().answers(Interest::READABLE), "the event is lost");
    });
}

/// Claim: a clear of one direction leaves the other alone, and an event of the other direction only delays it.
/// Threads: the seat's holder with room to write, a reader that found the source dry.
/// Breaks if: `clear` or `publish` stores a word of its own instead of exchanging what it read.
#[test]
fn clear_of_one_direction_keeps_the_other() {
    explore(|first| {
        let source = Arc::new(Source::new(Ready::READABLE));
        let (at_driver, at_task) = (source.clone(), source.clone());
        let driver = move || event(&at_driver, Ready::WRITABLE);
        let task = move || {
            let seen = at_task.observe();
            let _ = at_task.clear(seen, Interest::READABLE.mask());
        };
        race(first, driver, task);
        assert!(source.observe().answers(Interest::WRITABLE), "the event is lost");
    });
}
