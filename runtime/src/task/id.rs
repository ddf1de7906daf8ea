//! A task's number.

use core::fmt;
use core::num::NonZeroU64;

/// The id of a task: unique among all tasks of the process, never used again.
///
/// Ids say nothing about the order in which tasks were spawned.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(NonZeroU64);

impl Id {
    /// A new one.
    pub(crate) fn next() -> Self {
        Self(crate::hooks::next_task_id())
    }

    /// The id as a number; never 0.
    pub(crate) fn get(self) -> u64 {
        self.0.get()
    }

    /// The id whose number that is; `None` for 0.
    pub(crate) fn from_u64(number: u64) -> Option<Self> {
        NonZeroU64::new(number).map(Self)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Id({})", self.0)
    }
}
