//! What one can wait for, and what one is told.

use core::fmt;
use core::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Sub};

/// What a caller waits for: any of reading, writing, priority data and errors.
///
/// # Examples
///
/// ```
/// use wheelhouse_io::io::Interest;
///
/// let both = Interest::READABLE | Interest::WRITABLE;
/// assert!(both.is_readable() && both.is_writable());
/// assert_eq!(both.remove(Interest::WRITABLE), Some(Interest::READABLE));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Interest(u8);

const READ: u8 = 1;
const WRITE: u8 = 1 << 1;
const READ_CLOSED: u8 = 1 << 2;
const WRITE_CLOSED: u8 = 1 << 3;
const PRIORITY: u8 = 1 << 4;
const ERROR: u8 = 1 << 5;

impl Interest {
    /// Data to read, end of file, or a connection to accept.
    pub const READABLE: Interest = Interest(READ);
    /// Room to write, or the end of a connection attempt.
    pub const WRITABLE: Interest = Interest(WRITE);
    /// Out-of-band data and similar exceptional conditions (Linux and Android report them).
    pub const PRIORITY: Interest = Interest(PRIORITY);
    /// An error on the source, without waiting for data.
    pub const ERROR: Interest = Interest(ERROR);

    /// Whether reading is among the interests.
    #[must_use]
    pub const fn is_readable(self) -> bool {
        self.0 & READ != 0
    }

    /// Whether writing is among the interests.
    #[must_use]
    pub const fn is_writable(self) -> bool {
        self.0 & WRITE != 0
    }

    /// Whether priority data is among the interests.
    #[must_use]
    pub const fn is_priority(self) -> bool {
        self.0 & PRIORITY != 0
    }

    /// Whether errors are among the interests.
    #[must_use]
    pub const fn is_error(self) -> bool {
        self.0 & ERROR != 0
    }

    /// Both interests together; the same as `|`.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::io::Interest;
    ///
    /// assert_eq!(Interest::READABLE.add(Interest::WRITABLE), Interest::READABLE | Interest::WRITABLE);
    /// ```
    #[must_use]
    pub const fn add(self, other: Interest) -> Interest {
        Interest(self.0 | other.0)
    }

    /// What is left without `other`, or `None` when nothing is.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::io::Interest;
    ///
    /// let both = Interest::READABLE | Interest::WRITABLE;
    /// assert_eq!(both.remove(Interest::READABLE), Some(Interest::WRITABLE));
    /// assert_eq!(both.remove(both), None);
    /// ```
    #[must_use]
    pub const fn remove(self, other: Interest) -> Option<Interest> {
        match self.0 & !other.0 {
            0 => None,
            left => Some(Interest(left)),
        }
    }

    /// Every readiness that answers this interest: a closed side is news for those who read or write.
    pub(crate) const fn mask(self) -> Ready {
        let mut mask = self.0;
        if mask & READ != 0 {
            mask |= READ_CLOSED;
        }
        if mask & WRITE != 0 {
            mask |= WRITE_CLOSED;
        }
        if mask & PRIORITY != 0 {
            mask |= READ_CLOSED;
        }
        Ready(mask)
    }
}

impl BitOr for Interest {
    type Output = Interest;

    fn bitor(self, other: Interest) -> Interest {
        self.add(other)
    }
}

impl BitOrAssign for Interest {
    fn bitor_assign(&mut self, other: Interest) {
        self.0 |= other.0;
    }
}

impl fmt::Debug for Interest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_names(f, "Interest", self.0)
    }
}

/// What a source is ready for.
///
/// # Examples
///
/// ```
/// use wheelhouse_io::io::Ready;
///
/// let ready = Ready::READABLE | Ready::READ_CLOSED;
/// assert!(ready.is_readable() && ready.is_read_closed() && !ready.is_writable());
/// assert!(Ready::EMPTY.is_empty());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Ready(u8);

impl Ready {
    /// Ready for nothing.
    pub const EMPTY: Ready = Ready(0);
    /// Data to read, or a connection to accept.
    pub const READABLE: Ready = Ready(READ);
    /// Room to write.
    pub const WRITABLE: Ready = Ready(WRITE);
    /// The peer will send nothing more.
    pub const READ_CLOSED: Ready = Ready(READ_CLOSED);
    /// The peer will take nothing more.
    pub const WRITE_CLOSED: Ready = Ready(WRITE_CLOSED);
    /// Priority data.
    pub const PRIORITY: Ready = Ready(PRIORITY);
    /// An error is waiting to be fetched.
    pub const ERROR: Ready = Ready(ERROR);
    /// Everything.
    pub const ALL: Ready = Ready(READ | WRITE | READ_CLOSED | WRITE_CLOSED | PRIORITY | ERROR);

    pub(crate) const fn from_bits(bits: u8) -> Ready {
        Ready(bits & Ready::ALL.0)
    }

    pub(crate) const fn bits(self) -> u8 {
        self.0
    }

    /// Whether nothing is ready.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether a read would give data, an end of file or an error.
    #[must_use]
    pub const fn is_readable(self) -> bool {
        self.0 & (READ | READ_CLOSED) != 0
    }

    /// Whether a write would take data or give an error.
    #[must_use]
    pub const fn is_writable(self) -> bool {
        self.0 & (WRITE | WRITE_CLOSED) != 0
    }

    /// Whether the peer closed its writing side.
    #[must_use]
    pub const fn is_read_closed(self) -> bool {
        self.0 & READ_CLOSED != 0
    }

    /// Whether the peer closed its reading side.
    #[must_use]
    pub const fn is_write_closed(self) -> bool {
        self.0 & WRITE_CLOSED != 0
    }

    /// Whether priority data is waiting.
    #[must_use]
    pub const fn is_priority(self) -> bool {
        self.0 & PRIORITY != 0
    }

    /// Whether an error is waiting.
    #[must_use]
    pub const fn is_error(self) -> bool {
        self.0 & ERROR != 0
    }

    /// What of this answers `interest`.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::io::{Interest, Ready};
    ///
    /// let ready = Ready::READABLE | Ready::WRITABLE | Ready::READ_CLOSED;
    /// assert_eq!(ready.intersection(Interest::READABLE), Ready::READABLE | Ready::READ_CLOSED);
    /// ```
    #[must_use]
    pub const fn intersection(self, interest: Interest) -> Ready {
        Ready(self.0 & interest.mask().0)
    }
}

impl BitOr for Ready {
    type Output = Ready;

    fn bitor(self, other: Ready) -> Ready {
        Ready(self.0 | other.0)
    }
}

impl BitOrAssign for Ready {
    fn bitor_assign(&mut self, other: Ready) {
        self.0 |= other.0;
    }
}

impl BitAnd for Ready {
    type Output = Ready;

    fn bitand(self, other: Ready) -> Ready {
        Ready(self.0 & other.0)
    }
}

impl BitAndAssign for Ready {
    fn bitand_assign(&mut self, other: Ready) {
        self.0 &= other.0;
    }
}

impl Sub for Ready {
    type Output = Ready;

    fn sub(self, other: Ready) -> Ready {
        Ready(self.0 & !other.0)
    }
}

impl fmt::Debug for Ready {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_names(f, "Ready", self.0)
    }
}

fn write_names(f: &mut fmt::Formatter<'_>, name: &str, bits: u8) -> fmt::Result {
    const NAMES: [(u8, &str); 6] = [
        (READ, "readable"),
        (WRITE, "writable"),
        (READ_CLOSED, "read closed"),
        (WRITE_CLOSED, "write closed"),
        (PRIORITY, "priority"),
        (ERROR, "error"),
    ];
    write!(f, "{name}(")?;
    let mut separator = "";
    for (bit, text) in NAMES {
        if bits & bit != 0 {
            write!(f, "{separator}{text}")?;
            separator = ", ";
        }
    }
    write!(f, ")")
}
