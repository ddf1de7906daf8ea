//! Why a task has no output.

use alloc::boxed::Box;
use alloc::string::String;
use core::any::Any;
use core::fmt;

use super::Id;

/// Why a task did not return its output: it was cancelled, or it panicked.
///
/// Returned by awaiting a [`JoinHandle`](super::JoinHandle).
pub struct JoinError {
    id: Id,
    failure: Failure,
}

/// What a cell stores in place of an output.
pub(super) enum Failure {
    Cancelled,
    Panic(Payload),
}

/// A panic's payload. A shared reference to it shows at most a message of a type that is `Sync`.
pub(super) struct Payload(Box<dyn Any + Send>);

// SAFETY: `&Payload` gives access only to the type's id, and to the payload if it is a `String` or `&'static str`,
// which are `Sync`.
unsafe impl Sync for Payload {}

impl JoinError {
    pub(super) fn new(id: Id, failure: Failure) -> Self {
        Self { id, failure }
    }

    /// Whether the task was cancelled: aborted, or dropped with its runtime.
    pub fn is_cancelled(&self) -> bool {
        matches!(self.failure, Failure::Cancelled)
    }

    /// Whether the task panicked.
    pub fn is_panic(&self) -> bool {
        matches!(self.failure, Failure::Panic(_))
    }

    /// The panic's payload, for [`std::panic::resume_unwind`] or a look at its message.
    ///
    /// # Panics
    ///
    /// If the task did not panic: ask [`is_panic`](Self::is_panic) first, or use
    /// [`try_into_panic`](Self::try_into_panic).
    #[track_caller]
    pub fn into_panic(self) -> Box<dyn Any + Send + 'static> {
        match self.try_into_panic() {
            Ok(payload) => payload,
            Err(error) => panic!("the task did not panic ({error}): ask `is_panic` first, or use `try_into_panic`"),
        }
    }

    /// The panic's payload.
    ///
    /// # Errors
    ///
    /// The error itself, if the task did not panic.
    pub fn try_into_panic(self) -> Result<Box<dyn Any + Send + 'static>, JoinError> {
        match self.failure {
            Failure::Panic(payload) => Ok(payload.0),
            Failure::Cancelled => Err(self),
        }
    }

    /// The id of the task.
    pub fn id(&self) -> Id {
        self.id
    }
}

impl Payload {
    pub(super) fn new(payload: Box<dyn Any + Send>) -> Self {
        Self(payload)
    }

    fn message(&self) -> Option<&str> {
        match self.0.downcast_ref::<String>() {
            Some(message) => Some(message),
            None => self.0.downcast_ref::<&'static str>().copied(),
        }
    }
}

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.failure {
            Failure::Cancelled => write!(f, "task {} was cancelled", self.id),
            Failure::Panic(payload) => match payload.message() {
                Some(message) => write!(f, "task {} panicked: {message}", self.id),
                None => write!(f, "task {} panicked", self.id),
            },
        }
    }
}

impl fmt::Debug for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.failure {
            Failure::Cancelled => write!(f, "JoinError::Cancelled({})", self.id),
            Failure::Panic(payload) => match payload.message() {
                Some(message) => write!(f, "JoinError::Panic({}, {message:?})", self.id),
                None => write!(f, "JoinError::Panic({}, ..)", self.id),
            },
        }
    }
}

impl core::error::Error for JoinError {}
