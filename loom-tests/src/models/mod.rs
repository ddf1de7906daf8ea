mod blocking;
mod io;
mod park;
mod run_queue;
mod task;
mod time;

use core::cell::Cell;
use std::sync::Arc;

thread_local! {
    /// Whether a thread that a model starts runs before the one that starts it goes on.
    static STARTED_FIRST: Cell<bool> = const { Cell::new(false) };
}

/// loom's threads, but for who is the first to run.
mod thread {
    pub(super) use loom::thread::{JoinHandle, ThreadId, current};

    /// Starts a thread, and lets it run first in every second exploration. loom remembers one last load an object, so
    /// that a load on the way to an exchange can hide the load that the exchange races with: some interleavings are
    /// explored in one of the two orders alone.
    pub(super) fn spawn<T: 'static>(body: impl FnOnce() -> T + 'static) -> JoinHandle<T> {
        let thread = loom::thread::spawn(body);
        if super::STARTED_FIRST.get() {
            loom::thread::yield_now();
        }
        thread
    }
}

/// Explores a model twice, with both orders of starting, and at most so many switches that no blocking forces; without a
/// limit where that takes seconds.
fn explore_both_orders(preemptions: Option<usize>, model: impl Fn() + Send + Sync + 'static) {
    let model = Arc::new(model);
    for started_first in [false, true] {
        let model = Arc::clone(&model);
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = preemptions;
        builder.check(move || {
            STARTED_FIRST.set(started_first);
            model();
        });
    }
}
