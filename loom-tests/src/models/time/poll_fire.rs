//! Claim: a poll that pends is woken, by the waker it brought. One that sees the outcome also sees the clock at or past
//! the deadline: what the driver knew happens before what the task does next.
//!
//! Threads: the owner polls with a new waker; the driver moves the clock, then turns.
//!
//! Breaks if: `Entry::poll` reads the state before it stores the waker (a wake-up is lost); FIRE.publish in
//! `StateCell::fire` is Relaxed (the task sees the clock before the deadline).

use loom::sync::Arc;
use loom::sync::atomic::{AtomicU64, Ordering};
use loom::thread;

use super::{Woken, armed, check, shards, turn, turner};
use crate::timer::State;

#[test]
fn pending_poll_is_woken_by_its_own_waker() {
    check(|| {
        let shards = shards(1);
        let (first, second) = (Woken::new(), Woken::new());
        let clock = Arc::new(AtomicU64::new(0));
        let mut entry = armed(&shards, 0, 10, &first);
        let driver = thread::spawn({
            let (shards, clock) = (Arc::clone(&shards), Arc::clone(&clock));
            move || {
                clock.store(10, Ordering::Relaxed);
                turn(&mut turner(), &shards, 10)
            }
        });
        match entry.as_mut().poll(&second.waker()) {
            State::Elapsed { .. } => assert_eq!(clock.load(Ordering::Relaxed), 10),
            State::Armed(_) | State::Pending => {
                assert_eq!(driver.join().unwrap(), 1);
                assert_eq!(second.count(), 1);
                assert_eq!(entry.state(), State::Elapsed { released: true });
                return shards.get(0).release(entry.as_mut());
            }
            state => panic!("unexpected {state:?}"),
        }
        assert_eq!(driver.join().unwrap(), 1);
        shards.get(0).release(entry.as_mut());
    });
}
