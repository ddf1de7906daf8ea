//! Readiness that was seen, and may have to be taken back.

use std::fmt;
use std::io;
use std::os::fd::AsRawFd;

use super::AsyncFd;
use crate::readiness::{Interest, Ready, Snapshot};

/// The operation would have blocked, and the readiness was taken back: wait again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TryIoError(());

impl fmt::Display for TryIoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the operation would block")
    }
}

impl std::error::Error for TryIoError {}

/// The readiness that was seen, with the inner value by `&`. See [`AsyncFd::ready`].
pub struct AsyncFdReadyGuard<'a, T: AsRawFd> {
    pub(super) fd: &'a AsyncFd<T>,
    pub(super) interest: Interest,
    pub(super) seen: Snapshot,
}

/// The readiness that was seen, with the inner value by `&mut`. See [`AsyncFd::ready_mut`].
pub struct AsyncFdReadyMutGuard<'a, T: AsRawFd> {
    pub(super) fd: &'a mut AsyncFd<T>,
    pub(super) interest: Interest,
    pub(super) seen: Snapshot,
}

/// What both guards do alike.
macro_rules! guard {
    ($guard:ident, $inner:ty) => {
        impl<T: AsRawFd> $guard<'_, T> {
            /// What was ready when the guard was made.
            #[must_use]
            pub fn ready(&self) -> Ready {
                self.seen.ready(self.interest)
            }

            /// Takes back everything that was waited for, unless there was an event since. Only after the descriptor
            /// said `WouldBlock`: readiness taken back without is an event lost.
            pub fn clear_ready(&mut self) {
                self.clear_ready_matching(self.interest.mask());
            }

            /// Takes back `ready` alone, unless there was an event since.
            pub fn clear_ready_matching(&mut self, ready: Ready) {
                // An event since then is newer, and stays.
                let _ = self.fd.io.source().clear(self.seen, ready);
            }

            /// Leaves the readiness as it is, as dropping the guard does: for code that wants to say so.
            pub fn retain_ready(&mut self) {}

            /// Runs `op`; if it says `WouldBlock`, takes the readiness back.
            ///
            /// # Errors
            ///
            /// [`TryIoError`] for `WouldBlock`; any other outcome of `op` is inside `Ok`.
            pub fn try_io<R>(&mut self, op: impl FnOnce($inner) -> io::Result<R>) -> Result<io::Result<R>, TryIoError> {
                match op(self.fd) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        self.clear_ready();
                        Err(TryIoError(()))
                    }
                    result => Ok(result),
                }
            }

            /// The inner value.
            #[must_use]
            pub fn get_inner(&self) -> &T {
                &self.fd.inner
            }
        }

        impl<T: AsRawFd + fmt::Debug> fmt::Debug for $guard<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($guard)).field("fd", &self.fd).field("ready", &self.ready()).finish()
            }
        }
    };
}

guard!(AsyncFdReadyGuard, &AsyncFd<T>);
guard!(AsyncFdReadyMutGuard, &mut AsyncFd<T>);

impl<T: AsRawFd> AsyncFdReadyMutGuard<'_, T> {
    /// The inner value by `&mut`.
    pub fn get_inner_mut(&mut self) -> &mut T {
        &mut self.fd.inner
    }
}
