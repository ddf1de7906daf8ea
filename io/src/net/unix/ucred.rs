//! Who is at the other end.

use std::io;
use std::os::fd::AsFd;

use super::stream::UnixStream;
use crate::sys::peer_cred;

/// Whose process is at the other end of a [`UnixStream`]; see [`UnixStream::peer_cred`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct UCred {
    pub(crate) pid: Option<libc::pid_t>,
    pub(crate) uid: libc::uid_t,
    pub(crate) gid: libc::gid_t,
}

impl UCred {
    /// The number of the user.
    #[must_use]
    pub fn uid(&self) -> libc::uid_t {
        self.uid
    }

    /// The number of the group.
    #[must_use]
    pub fn gid(&self) -> libc::gid_t {
        self.gid
    }

    /// The number of the process, on platforms that tell it: Linux does.
    #[must_use]
    pub fn pid(&self) -> Option<libc::pid_t> {
        self.pid
    }
}

impl UnixStream {
    /// Whose process is at the other end: the one that connected, listened, or made the pair, as it was at that time.
    ///
    /// # Errors
    ///
    /// Those of the operating system; `Unsupported` where it does not tell.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::UnixStream;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (a, b) = UnixStream::pair()?;
    /// let peer = a.peer_cred()?;
    /// assert!(peer.pid().is_none_or(|pid| u32::try_from(pid) == Ok(std::process::id())));
    /// # drop(b);
    /// # Ok(())
    /// # });
    /// ```
    pub fn peer_cred(&self) -> io::Result<UCred> {
        peer_cred::of(self.as_fd())
    }
}
