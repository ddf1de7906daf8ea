//! Calls into a user's code that must not take a runtime's thread down.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `f`. A panic in it ends here, and so does one in the destructor of its payload.
pub(crate) fn contain(f: impl FnOnce()) {
    let mut outcome = catch_unwind(AssertUnwindSafe(f));
    // A payload whose destructor panics makes another payload: not for ever, and the last is leaked rather than unwound.
    for _ in 0..4 {
        match outcome {
            Ok(()) => return,
            Err(payload) => outcome = catch_unwind(AssertUnwindSafe(|| drop(payload))),
        }
    }
    core::mem::forget(outcome);
}
