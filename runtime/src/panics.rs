//! Calls into a user's code that must not take a runtime's thread down.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `f`. A panic in it ends here, and so does one in the destructor of its payload.
pub(crate) fn contain(f: impl FnOnce()) {
    let Err(payload) = catch_unwind(AssertUnwindSafe(f)) else { return };
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        // A payload whose destructor panics with such a payload: leaked rather than followed for ever.
        std::mem::forget(again);
    }
}
