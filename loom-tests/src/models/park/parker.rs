//! Claim: an unpark is never lost, and what was written before it is seen after the sleep.
//!
//! Threads: the owner, which sleeps until it was unparked; one that writes and unparks.
//!
//! Breaks if: `unpark` does not take the lock before it notifies (the owner has looked and not begun to wait yet: it
//! sleeps for ever); `unpark` stores with Relaxed instead of PARKER.publish (the write is not seen).

use super::{explore, thread};
use crate::park::{Parker, Unparked};
use crate::sync::{Arc, AtomicUsize, Ordering};

#[test]
fn an_unpark_ends_the_sleep_and_shows_what_was_written() {
    explore(3, || {
        let shared = Arc::new((Parker::new(), AtomicUsize::new(0)));
        let waker = {
            let shared = shared.clone();
            thread::spawn(move || {
                shared.1.store(1, Ordering::Relaxed);
                let _ = shared.0.unpark();
            })
        };
        assert!(shared.0.park(None));
        assert_eq!(shared.1.load(Ordering::Relaxed), 1);
        waker.join().unwrap();
    });
}

/// Claim: of an unpark and the end of a timed sleep each leaves the token with exactly one of "returned" and "kept".
///
/// Breaks if: a sleep that timed out sets EMPTY without looking whether a token came (the second sleep never ends).
#[test]
fn an_unpark_at_the_end_of_a_timed_sleep_is_kept_or_returned() {
    explore(3, || {
        let parker = Arc::new(Parker::new());
        let waker = {
            let parker = parker.clone();
            thread::spawn(move || {
                let _ = parker.unpark();
            })
        };
        if !parker.park(Some(core::time::Duration::from_millis(1))) {
            assert!(parker.park(None));
        }
        waker.join().unwrap();
    });
}

/// Claim: an owner on its way into the driver either finds the token, or the unpark says that the driver must be
/// interrupted.
///
/// Breaks if: `enter_driver` stores DRIVING instead of exchanging EMPTY for it.
#[test]
fn an_unpark_on_the_way_into_the_driver_is_found_or_interrupts() {
    explore(3, || {
        let parker = Arc::new(Parker::new());
        let waker = {
            let parker = parker.clone();
            thread::spawn(move || parker.unpark())
        };
        let entered = parker.enter_driver();
        let unparked = waker.join().unwrap();
        assert_eq!(entered, unparked == Unparked::InterruptDriver);
        if entered {
            assert!(parker.leave_driver());
        }
    });
}
