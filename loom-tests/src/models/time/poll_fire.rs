//! Claim: a poll that pends is woken, by the waker it brought. One that sees the outcome also sees the clock at or past
//! the deadline: what the driver knew happens before what the task does next.
//!
//! Threads: the owner polls with a new waker; the driver moves the clock, then turns.
//!
//! Breaks if: `Entry::poll` reads the state before it stores the waker (a wake-up is lost); FIRE.publish in
//! `StateCell::fire` is Relaxed (the task sees the clock before the deadline).

use loom::sync::Arc;
use loom::sync::atomic::{AtomicU64, Ordering};

use super::{Woken, armed, check, race, shards, turn, turner};
use crate::timer::State;

#[test]
fn pending_poll_is_woken_by_its_own_waker() {
    check(|first| {
        let shards = shards(1);
        let (old, new) = (Woken::new(), Woken::new());
        let clock = Arc::new(AtomicU64::new(0));
        let mut entry = armed(&shards, 0, 10, &old);
        let owner = {
            let (clock, new) = (Arc::clone(&clock), new.clone());
            move || {
                let state = entry.as_mut().poll(&new.waker());
                if let State::Elapsed { .. } = state {
                    assert_eq!(clock.load(Ordering::Relaxed), 10);
                }
                (entry, state)
            }
        };
        let driver = {
            let shards = Arc::clone(&shards);
            move || {
                clock.store(10, Ordering::Relaxed);
                turn(&mut turner(), &shards, 10)
            }
        };
        let ((mut entry, state), fired) = race(first, owner, driver);
        assert_eq!((fired, entry.state()), (1, State::Elapsed { released: true }));
        match state {
            State::Elapsed { .. } => {}
            State::Armed(_) | State::Pending => assert_eq!(new.count(), 1),
            state => panic!("unexpected {state:?}"),
        }
        shards.get(0).release(entry.as_mut());
    });
}
