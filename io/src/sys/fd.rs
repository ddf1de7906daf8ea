//! Reading any descriptor into memory that need not be initialised.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd};

/// `read(2)`: `buf` is initialised as far as the result says.
pub(crate) fn read(fd: BorrowedFd<'_>, buf: &mut [MaybeUninit<u8>]) -> io::Result<usize> {
    // SAFETY: the descriptor is open (borrowed), and the call writes into `buf`, at most its length.
    let result = unsafe { libc::read(fd.as_raw_fd(), buf.as_mut_ptr().cast(), buf.len()) };
    usize::try_from(result).map_err(|_| io::Error::last_os_error())
}
