//! Interests and readiness, and any descriptor as a source.

#[cfg(unix)]
mod async_fd;

#[cfg(unix)]
pub use async_fd::{AsyncFd, AsyncFdReadyGuard, AsyncFdReadyMutGuard, AsyncFdTryNewError, TryIoError};

pub use crate::readiness::{Interest, Ready};
