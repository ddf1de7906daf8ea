//! loom's side of the `sync` facades: the union of what the crates' own `sync` modules offer.

pub(crate) use loom::cell::UnsafeCell;
pub(crate) use loom::sync::Arc;
pub(crate) use loom::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};

/// loom's mutex behind the facade's interface.
#[derive(Debug, Default)]
pub(crate) struct Mutex<T>(loom::sync::Mutex<T>);

/// Knows its mutex, so that a timed wait can end without a notification.
#[derive(Debug)]
pub(crate) struct MutexGuard<'a, T> {
    guard: loom::sync::MutexGuard<'a, T>,
    mutex: &'a Mutex<T>,
}

impl<T> core::ops::Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T> core::ops::DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.guard
    }
}

impl<T> Mutex<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(loom::sync::Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        let guard = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        MutexGuard { guard, mutex: self }
    }

    pub(crate) fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        self.0.try_lock().ok().map(|guard| MutexGuard { guard, mutex: self })
    }
}

/// loom's condition variable behind the facade's interface. loom has no clock: a timed wait lets go of the lock, takes
/// it again and says that it timed out, so whatever may happen in between does; one of `Duration::MAX` waits for its
/// notification.
#[derive(Debug, Default)]
pub(crate) struct Condvar(loom::sync::Condvar);

impl Condvar {
    pub(crate) fn new() -> Self {
        Self(loom::sync::Condvar::new())
    }

    pub(crate) fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        let MutexGuard { guard, mutex } = guard;
        let guard = self.0.wait(guard).unwrap_or_else(std::sync::PoisonError::into_inner);
        MutexGuard { guard, mutex }
    }

    pub(crate) fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        timeout: core::time::Duration,
    ) -> (MutexGuard<'a, T>, bool) {
        if timeout == core::time::Duration::MAX {
            return (self.wait(guard), false);
        }
        let mutex = guard.mutex;
        drop(guard);
        (mutex.lock(), true)
    }

    pub(crate) fn notify_one(&self) {
        self.0.notify_one();
    }

    pub(crate) fn notify_all(&self) {
        self.0.notify_all();
    }
}
