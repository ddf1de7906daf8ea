//! Whose process is at the other end of a Unix socket: `SO_PEERCRED`.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use crate::net::unix::UCred;

pub(crate) fn of(socket: BorrowedFd<'_>) -> io::Result<UCred> {
    let mut cred = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut len = libc::socklen_t::try_from(size_of_val(&cred)).expect("a few bytes");
    // SAFETY: the descriptor is open, `cred` is as long as `len` says, and both are live.
    let outcome = unsafe {
        libc::getsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, libc::SO_PEERCRED, (&raw mut cred).cast(), &raw mut len)
    };
    if outcome != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(UCred { pid: Some(cred.pid), uid: cred.uid, gid: cred.gid })
}
