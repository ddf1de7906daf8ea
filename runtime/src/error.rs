//! What goes wrong with a runtime itself.

use std::error;
use std::fmt;
use std::io;

/// There is no runtime entered on this thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoRuntime(pub(crate) ());

impl fmt::Display for NoRuntime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "no runtime is entered on this thread: call this inside of `Runtime::block_on` or of a task, \
             or enter a runtime with `Handle::enter`",
        )
    }
}

impl error::Error for NoRuntime {}

/// A knob of the builder was set to something that cannot be; `build` returns it inside of an [`io::Error`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BadKnob(pub(crate) String);

impl fmt::Display for BadKnob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl error::Error for BadKnob {}

impl From<BadKnob> for io::Error {
    fn from(bad: BadKnob) -> Self {
        io::Error::new(io::ErrorKind::InvalidInput, bad)
    }
}
