//! Whose process is at the other end of a Unix socket: `getpeereid`.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use crate::net::unix::UCred;

pub(crate) fn of(socket: BorrowedFd<'_>) -> io::Result<UCred> {
    let (mut uid, mut gid) = (0, 0);
    // SAFETY: the descriptor is open, and both numbers are live.
    if unsafe { libc::getpeereid(socket.as_raw_fd(), &raw mut uid, &raw mut gid) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(UCred { pid: None, uid, gid })
}
