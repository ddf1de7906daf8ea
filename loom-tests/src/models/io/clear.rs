//! A task that found the source dry takes its readiness back while an event comes.

use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, Ordering};
use loom::thread;

use super::{event, explore};
use crate::readiness::{Interest, Ready, Source};

/// Claim: a clear never takes back an event that came after the system call that found the source dry.
/// Threads: the kernel with the seat's holder, and a task that reads.
/// Breaks if: `clear` does not compare ticks; EVENT.observe is Relaxed (the event is seen without its data).
#[test]
fn event_racing_clear_keeps_the_event() {
    explore(|| {
        let source = Arc::new(Source::new(Ready::READABLE));
        let data = Arc::new(AtomicBool::new(false));
        let driver = {
            let (source, data) = (source.clone(), data.clone());
            thread::spawn(move || {
                data.store(true, Ordering::Relaxed);
                event(&source, Ready::READABLE);
            })
        };
        let seen = source.observe();
        let got = data.load(Ordering::Relaxed);
        if !got {
            let _ = source.clear(seen, Interest::READABLE.mask());
        }
        driver.join().unwrap();
        assert!(got || source.observe().answers(Interest::READABLE), "the event is lost");
    });
}

/// Claim: a clear of one direction leaves the other alone, and an event of the other direction only delays it.
/// Threads: a reader that found the source dry, the seat's holder with room to write.
/// Breaks if: `clear` stores a word of its own instead of exchanging what it read (a blind store loses the event).
#[test]
fn clear_of_one_direction_keeps_the_other() {
    explore(|| {
        let source = Arc::new(Source::new(Ready::READABLE));
        let driver = {
            let source = source.clone();
            thread::spawn(move || event(&source, Ready::WRITABLE))
        };
        let seen = source.observe();
        let _ = source.clear(seen, Interest::READABLE.mask());
        driver.join().unwrap();
        assert!(source.observe().answers(Interest::WRITABLE), "the event is lost");
    });
}
