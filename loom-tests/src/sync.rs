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

/// A value in cache lines of its own: nothing to a model.
#[derive(Debug, Default)]
pub(crate) struct CachePadded<T>(T);

impl<T> CachePadded<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(value)
    }
}

impl<T> core::ops::Deref for CachePadded<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

const WAITING: usize = 0;
const REGISTERING: usize = 0b01;
const WAKING: usize = 0b10;

/// The waker slot with atomic-waker's own three states. loom's stand-in takes a lock instead, and so never shows a take
/// that finds a registration going on and leaves the wake-up to it.
#[derive(Debug)]
pub(crate) struct AtomicWaker {
    state: AtomicUsize,
    waker: UnsafeCell<Option<core::task::Waker>>,
}

impl AtomicWaker {
    pub(crate) fn new() -> Self {
        Self { state: AtomicUsize::new(WAITING), waker: UnsafeCell::new(None) }
    }

    pub(crate) fn register(&self, waker: &core::task::Waker) {
        match self.state.compare_exchange(WAITING, REGISTERING, Ordering::Acquire, Ordering::Acquire) {
            Ok(_) => {
                // SAFETY: the REGISTERING bit is this caller's, and a taker stays away while it is set.
                self.waker.with_mut(|slot| unsafe { *slot = Some(waker.clone()) });
                if self.state.compare_exchange(REGISTERING, WAITING, Ordering::AcqRel, Ordering::Acquire).is_err() {
                    // SAFETY: as above; the taker that set WAKING meanwhile has left.
                    let waker = self.waker.with_mut(|slot| unsafe { (*slot).take() });
                    self.state.swap(WAITING, Ordering::AcqRel);
                    waker.expect("stored above").wake();
                }
            }
            Err(WAKING) => waker.wake_by_ref(),
            Err(state) => panic!("two registrants at a time, the state is {state}"),
        }
    }

    pub(crate) fn take(&self) -> Option<core::task::Waker> {
        match self.state.fetch_or(WAKING, Ordering::AcqRel) {
            WAITING => {
                // SAFETY: the WAKING bit is this caller's, and nobody was registering.
                let waker = self.waker.with_mut(|slot| unsafe { (*slot).take() });
                self.state.fetch_and(!WAKING, Ordering::Release);
                waker
            }
            _ => None,
        }
    }
}

// SAFETY: the slot is reached by whoever set one of the two bits.
unsafe impl Sync for AtomicWaker {}

/// A lock that is only ever tried. loom's own `try_lock` blocks where another thread is faster, instead of failing.
#[derive(Debug)]
pub(crate) struct TryMutex<T> {
    held: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: `value` is reached by whoever set `held` alone.
unsafe impl<T: Send> Sync for TryMutex<T> {}

/// Evidence that a [`TryMutex`] is held.
#[derive(Debug)]
pub(crate) struct TryMutexGuard<'a, T> {
    held: &'a AtomicBool,
    value: *mut T,
}

impl<T> TryMutex<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { held: AtomicBool::new(false), value: UnsafeCell::new(value) }
    }

    pub(crate) fn try_lock(&self) -> Option<TryMutexGuard<'_, T>> {
        self.held.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).ok()?;
        Some(TryMutexGuard { held: &self.held, value: self.value.with_mut(|value| value) })
    }
}

impl<T> core::ops::Deref for TryMutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: `held` is set, by this guard.
        unsafe { &*self.value }
    }
}

impl<T> core::ops::DerefMut for TryMutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: `held` is set, by this guard.
        unsafe { &mut *self.value }
    }
}

impl<T> Drop for TryMutexGuard<'_, T> {
    fn drop(&mut self) {
        self.held.store(false, Ordering::Release);
    }
}

/// Stands for a value that is never freed: counted here, so that each run of a model cleans up.
#[derive(Debug)]
pub(crate) struct Kept<T>(Arc<T>);

impl<T> Kept<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Arc::new(value))
    }

    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Clone for Kept<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> core::ops::Deref for Kept<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}
