//! A notification is suppressed because another is on its way, while the reactor takes that one.

use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, Ordering};

use super::{explore, race};
use crate::readiness::{PendingNotify, Request};

/// Claim: work published before a notification that wrote nothing is seen by the reactor's next look for work.
/// Threads: the reactor, on the event of an earlier notification; a notifier.
/// Breaks if: the fence of NOTIFY.request or the one of NOTIFY.consume is removed.
#[test]
fn suppressed_notify_is_seen() {
    explore(|first| {
        let pending = Arc::new(PendingNotify::new());
        let work = Arc::new(AtomicBool::new(false));
        assert_eq!(pending.request(|| 1), Request::Write);
        let reactor = {
            let (pending, work) = (pending.clone(), work.clone());
            move || {
                pending.consume();
                work.load(Ordering::Relaxed)
            }
        };
        let notifier = move || {
            work.store(true, Ordering::Relaxed);
            pending.request(|| 2)
        };
        let (seen, request) = race(first, reactor, notifier);
        assert!(seen || request == Request::Write, "the work is overslept");
    });
}

/// Claim: of two notifiers that find none pending, one writes; the other is covered by it.
/// Threads: two notifiers.
/// Breaks if: `request` stores the word instead of exchanging it (both write).
#[test]
fn two_notifiers_write_once() {
    explore(|first| {
        let pending = Arc::new(PendingNotify::new());
        let other = pending.clone();
        let both = race(first, move || pending.request(|| 1), move || other.request(|| 1));
        assert!(matches!(both, (Request::Write, Request::Covered) | (Request::Covered, Request::Write)));
    });
}

/// Claim: a notification that nobody took for 10 ms suppresses nothing: should it be lost, the next repairs it.
/// Threads: none; the rule is plain.
/// Breaks if: `request` does not compare the age.
#[test]
fn an_old_notification_suppresses_nothing() {
    explore(|_| {
        let pending = PendingNotify::new();
        assert_eq!(pending.request(|| 1), Request::Write);
        assert_eq!(pending.request(|| 10_000_000), Request::Covered);
        assert_eq!(pending.request(|| 10_000_001), Request::Write);
    });
}
