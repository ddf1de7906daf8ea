//! Values that a task carries along, whatever thread polls it.

use core::cell::RefCell;
use core::fmt;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll};
use std::thread;

use pin_project_lite::pin_project;

/// Declares values that belong to a task: each a `static` [`LocalKey`].
///
/// The value is there inside of [`scope`](LocalKey::scope) and [`sync_scope`](LocalKey::sync_scope), and nowhere else:
/// a task that is spawned inside does not inherit it.
///
/// # Examples
///
/// ```
/// wheelhouse::task_local! {
///     /// Which request the task serves.
///     pub static REQUEST: u64;
///     static USER: String;
/// }
///
/// # wheelhouse::runtime::Runtime::new().unwrap().block_on(async {
/// REQUEST.scope(7, async {
///     assert_eq!(REQUEST.get(), 7);
///     assert!(USER.try_with(|user| user.len()).is_err());
/// }).await;
/// # });
/// ```
#[macro_export]
macro_rules! task_local {
    () => {};
    ($(#[$attribute:meta])* $visibility:vis static $name:ident: $type:ty; $($rest:tt)*) => {
        $crate::task_local!($(#[$attribute])* $visibility static $name: $type);
        $crate::task_local!($($rest)*);
    };
    ($(#[$attribute:meta])* $visibility:vis static $name:ident: $type:ty) => {
        $(#[$attribute])*
        $visibility static $name: $crate::task::LocalKey<$type> = {
            ::std::thread_local! {
                static SLOT: ::std::cell::RefCell<::std::option::Option<$type>> =
                    const { ::std::cell::RefCell::new(::std::option::Option::None) };
            }
            $crate::task::LocalKey::__new(&SLOT)
        };
    };
}

/// A value that a task carries along; declared with [`task_local!`](crate::task_local).
pub struct LocalKey<T: 'static> {
    slot: &'static thread::LocalKey<RefCell<Option<T>>>,
}

/// The value is not set: the code does not run inside of the key's scope, or its thread ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct AccessError {}

pin_project! {
    /// A future with a task-local value set while it runs; made by [`LocalKey::scope`].
    ///
    /// # Cancel safety
    ///
    /// That of the future inside. When it is dropped, the value is set during the drop of the future inside.
    pub struct TaskLocalFuture<T: 'static, F> {
        key: &'static LocalKey<T>,
        // Taken out while the future is polled, and put back.
        value: Option<T>,
        // Emptied by the drop, where the value is set.
        #[pin]
        future: Option<F>,
    }

    impl<T: 'static, F> PinnedDrop for TaskLocalFuture<T, F> {
        fn drop(this: Pin<&mut Self>) {
            this.drop_future();
        }
    }
}

impl<T: 'static> LocalKey<T> {
    #[doc(hidden)]
    pub const fn __new(slot: &'static thread::LocalKey<RefCell<Option<T>>>) -> Self {
        Self { slot }
    }

    /// Sets the value while `future` runs, on whatever threads.
    ///
    /// Scopes nest: the inner value hides the outer one.
    ///
    /// # Panics
    ///
    /// The returned future, if it is polled while a [`with`](Self::with) of the same key is in progress on the thread.
    ///
    /// # Examples
    ///
    /// ```
    /// wheelhouse::task_local! { static NUMBER: u32; }
    ///
    /// # wheelhouse::runtime::Runtime::new().unwrap().block_on(async {
    /// NUMBER.scope(1, async {
    ///     NUMBER.scope(2, async { assert_eq!(NUMBER.get(), 2) }).await;
    ///     assert_eq!(NUMBER.get(), 1);
    /// }).await;
    /// # });
    /// ```
    pub fn scope<F: Future>(&'static self, value: T, future: F) -> TaskLocalFuture<T, F> {
        TaskLocalFuture { key: self, value: Some(value), future: Some(future) }
    }

    /// Sets the value while `f` runs.
    ///
    /// # Panics
    ///
    /// If `f` does, and if it is called while a [`with`](Self::with) of the same key is in progress on the thread.
    #[track_caller]
    pub fn sync_scope<R>(&'static self, value: T, f: impl FnOnce() -> R) -> R {
        let mut value = Some(value);
        match self.swapped(&mut value, f) {
            Ok(result) => result,
            Err(Unset::Borrowed) => borrowed(),
            Err(Unset::Gone) => panic!("{}", AccessError {}),
        }
    }

    /// Calls `f` with the value.
    ///
    /// # Panics
    ///
    /// Outside of the key's scope: [`try_with`](Self::try_with) returns an error instead.
    #[track_caller]
    pub fn with<R>(&'static self, f: impl FnOnce(&T) -> R) -> R {
        match self.try_with(f) {
            Ok(result) => result,
            Err(error) => panic!("{error}: wrap the code in `scope`, or use `try_with`"),
        }
    }

    /// Calls `f` with the value.
    ///
    /// # Errors
    ///
    /// [`AccessError`] outside of the key's scope.
    pub fn try_with<R>(&'static self, f: impl FnOnce(&T) -> R) -> Result<R, AccessError> {
        self.slot
            .try_with(|slot| {
                let slot = slot.try_borrow().map_err(|_| AccessError {})?;
                slot.as_ref().map(f).ok_or(AccessError {})
            })
            .unwrap_or(Err(AccessError {}))
    }

    /// A copy of the value.
    ///
    /// # Panics
    ///
    /// Outside of the key's scope: [`try_with`](Self::try_with) returns an error instead.
    #[track_caller]
    pub fn get(&'static self) -> T
    where
        T: Clone,
    {
        match self.try_with(T::clone) {
            Ok(value) => value,
            Err(error) => panic!("{error}: wrap the code in `scope`, or use `try_with`"),
        }
    }

    /// Runs `f` with `value` in the slot, and what was there in `value`; swaps them back also when `f` panics.
    fn swapped<R>(&'static self, value: &mut Option<T>, f: impl FnOnce() -> R) -> Result<R, Unset> {
        struct Back<'a, T: 'static>(&'static LocalKey<T>, &'a mut Option<T>);

        impl<T> Drop for Back<'_, T> {
            fn drop(&mut self) {
                // It worked on the way in, and a `with` in between has ended.
                let _ = self.0.swap(self.1);
            }
        }

        self.swap(value)?;
        let _back = Back(self, value);
        Ok(f())
    }

    fn swap(&'static self, value: &mut Option<T>) -> Result<(), Unset> {
        self.slot
            .try_with(|slot| {
                let mut slot = slot.try_borrow_mut().map_err(|_| Unset::Borrowed)?;
                core::mem::swap(&mut *slot, value);
                Ok(())
            })
            .unwrap_or(Err(Unset::Gone))
    }
}

/// Why a value cannot be set.
enum Unset {
    Borrowed,
    Gone,
}

#[track_caller]
#[cold]
fn borrowed() -> ! {
    panic!("a scope of a task-local value was entered inside of `with` of the same key: leave `with` first")
}

impl<T: 'static, F> TaskLocalFuture<T, F> {
    /// Takes the value out: if it is not set inside of a poll that is in progress.
    ///
    /// The future inside must not need it any more: after it has ended, say.
    pub fn take_value(self: Pin<&mut Self>) -> Option<T> {
        self.project().value.take()
    }

    fn drop_future(self: Pin<&mut Self>) {
        let this = self.project();
        let mut future = this.future;
        // Err: the thread ends, or a `with` is in progress; then the field's own drop does it, without the value.
        let _ = this.key.swapped(this.value, || future.set(None));
    }
}

impl<T: 'static, F: Future> Future for TaskLocalFuture<T, F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let future = this.future.as_pin_mut().expect("only the drop empties it");
        match this.key.swapped(this.value, || future.poll(cx)) {
            Ok(polled) => polled,
            Err(Unset::Borrowed) => borrowed(),
            Err(Unset::Gone) => panic!("{}", AccessError {}),
        }
    }
}

impl<T> fmt::Debug for LocalKey<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalKey").finish_non_exhaustive()
    }
}

impl<T: fmt::Debug, F> fmt::Debug for TaskLocalFuture<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskLocalFuture").field("value", &self.value).finish_non_exhaustive()
    }
}

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the task-local value is not set here")
    }
}

impl std::error::Error for AccessError {}
