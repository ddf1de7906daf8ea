//! The driver's seat: the lock around what watches the clock and the sockets.
//!
//! # Word
//!
//! `holder`: 0 while the seat is empty, else the holder's number + 1. It is written by the holder alone, and a hint for
//! everybody else: the lock decides.
//!
//! # Pairs
//!
//! `SEAT.leave` with `SEAT.look`: whoever leaves the seat unlocks it, fences, and then looks at the parked set for
//! somebody to keep watch; whoever parks joins the parked set, fences, and then tries the lock. One sees the other.
//!
//! # Models
//!
//! `park::seat`.

use core::ops::{Deref, DerefMut};

use crate::sync::{AtomicUsize, Ordering, TryMutex, TryMutexGuard, fence};

/// The seat, with the driver in it.
#[derive(Debug)]
pub(crate) struct Seat<D> {
    driver: TryMutex<D>,
    holder: AtomicUsize,
}

/// Evidence that its owner sits in the seat.
#[derive(Debug)]
pub(crate) struct Seated<'a, D> {
    guard: TryMutexGuard<'a, D>,
    holder: &'a AtomicUsize,
}

/// Evidence that the seat was left and the fence after it passed: now look for somebody to keep watch.
#[must_use]
#[derive(Debug)]
pub(crate) struct Left(());

impl<D> Seat<D> {
    pub(crate) fn new(driver: D) -> Self {
        Self { driver: TryMutex::new(driver), holder: AtomicUsize::new(0) }
    }

    /// Takes the seat for worker `k`, unless somebody sits in it.
    pub(crate) fn try_sit(&self, k: usize) -> Option<Seated<'_, D>> {
        let guard = self.driver.try_lock()?;
        // Relaxed: a hint.
        self.holder.store(k + 1, Ordering::Relaxed);
        Some(Seated { guard, holder: &self.holder })
    }

    /// Who seems to sit in the seat.
    pub(crate) fn holder(&self) -> Option<usize> {
        // Relaxed: a hint.
        self.holder.load(Ordering::Relaxed).checked_sub(1)
    }

    /// Takes the seat when no worker is left that could sit in it. Nobody keeps watch afterwards.
    pub(crate) fn last_sit<R>(&self, f: impl FnOnce(&mut D) -> R) -> Option<R> {
        self.driver.try_lock().map(|mut driver| f(&mut driver))
    }
}

impl<D> Seated<'_, D> {
    /// Leaves the seat.
    pub(crate) fn leave(self) -> Left {
        // Relaxed: a hint.
        self.holder.store(0, Ordering::Relaxed);
        drop(self.guard);
        // SEAT.leave
        fence(Ordering::SeqCst);
        Left(())
    }
}

impl<D> Deref for Seated<'_, D> {
    type Target = D;

    fn deref(&self) -> &D {
        &self.guard
    }
}

impl<D> DerefMut for Seated<'_, D> {
    fn deref_mut(&mut self) -> &mut D {
        &mut self.guard
    }
}
