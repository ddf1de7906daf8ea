//! The one place that imports atomics, locks and cells: the models swap this module for loom's.

pub(crate) use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
pub(crate) use std::sync::Arc;

pub(crate) use atomic_waker::AtomicWaker;
pub(crate) use crossbeam_utils::CachePadded;

/// A mutex that does not poison: a panic under a lock is contained by the code that holds it.
#[derive(Debug, Default)]
pub(crate) struct Mutex<T>(std::sync::Mutex<T>);

pub(crate) type MutexGuard<'a, T> = std::sync::MutexGuard<'a, T>;

impl<T> Mutex<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(std::sync::Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// A value that is never freed, so that a reference to it needs no count. Whoever makes one sees to it that it is used again.
#[derive(Debug)]
pub(crate) struct Kept<T: 'static>(&'static T);

impl<T> Kept<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Box::leak(Box::new(value)))
    }

    /// Where the value is.
    #[cfg(feature = "tracing")]
    #[inline]
    pub(crate) fn pointer(&self) -> *const T {
        self.0
    }

    /// The one that [`pointer`](Self::pointer) was asked of; nothing for null.
    ///
    /// # Safety
    ///
    /// The pointer is null or came from there.
    #[cfg(feature = "tracing")]
    #[inline]
    pub(crate) unsafe fn from_pointer(pointer: *const T) -> Option<Self> {
        // SAFETY: the caller's promise; the value is never freed.
        unsafe { pointer.as_ref() }.map(Self)
    }

    /// Whether both are the same value, not merely equal ones.
    #[inline]
    pub(crate) fn is(&self, other: &Self) -> bool {
        core::ptr::eq(self.0, other.0)
    }
}

impl<T> Clone for Kept<T> {
    #[inline]
    fn clone(&self) -> Self {
        Self(self.0)
    }
}

impl<T> core::ops::Deref for Kept<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.0
    }
}

/// An `UnsafeCell` with loom's closure interface.
#[derive(Debug, Default)]
pub(crate) struct UnsafeCell<T>(core::cell::UnsafeCell<T>);

impl<T> UnsafeCell<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(core::cell::UnsafeCell::new(value))
    }

    pub(crate) fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        f(self.0.get())
    }

    pub(crate) fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        f(self.0.get())
    }
}
