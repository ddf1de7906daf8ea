//! The life of one thread of the pool.

use core::time::Duration;

use super::pool::Shared;
use super::state::Found;
use super::{Host, Job};
use crate::hooks::contain;

/// Runs jobs until the pool is shut down or none has come for the keep-alive time.
pub(super) fn run<J: Job, H: Host>(shared: &Shared<J, H>, index: usize) {
    let mut state = shared.lock();
    loop {
        match state.find() {
            Found::Closed => break,
            Found::Job(job) => {
                drop(state);
                contain(|| job.run());
                shared.finish();
                state = shared.lock();
                state.done();
            }
            Found::Idle => {
                let mut expired = false;
                while !state.take_claim() {
                    if expired || state.closed {
                        // Nobody has claimed this thread, so the queue holds nothing for it.
                        state.idle -= 1;
                        return shared.leave(state, index);
                    }
                    (state, expired) = match shared.config.keep_alive {
                        Duration::MAX => (shared.work.wait(state), false),
                        keep_alive => shared.work.wait_timeout(state, keep_alive),
                    };
                }
            }
        }
    }
    shared.leave(state, index);
}
