//! Calling wakers where nobody else does.

use std::panic::{self, AssertUnwindSafe};
use std::task::Waker;

/// Calls every waker. One that panics keeps none of the others from being called; its panic goes no further than the
/// panic hook, since the caller here is only closing a socket or a reactor.
pub(crate) fn all(wakes: Vec<Waker>) {
    for waker in wakes {
        let _ = panic::catch_unwind(AssertUnwindSafe(|| waker.wake()));
    }
}
