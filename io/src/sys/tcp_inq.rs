//! Receiving from a TCP stream, with the kernel's word on whether anything is left.
//!
//! `TCP_INQ` makes each receive report how much is still queued. Without it every second receive of a request and
//! response protocol would be one that finds nothing. A short receive is no substitute: it may end at an urgent mark
//! with data behind it. The report counts a received end of stream as one byte left.

use std::io;
use std::mem::{self, MaybeUninit};
use std::os::fd::{AsRawFd, RawFd};

use socket2::SockRef;

use crate::evented::Done;
use crate::sync::{AtomicUsize, Ordering};

/// After this many receives a stream is worth the system call that switches the report on.
const WORTH_IT: usize = 2;
const REPORTS: usize = usize::MAX;
const CANNOT: usize = usize::MAX - 1;

/// How a stream receives: counts the first receives, then says whether the kernel reports what is left. Only a
/// choice between equally valid system calls hangs on it, so every access is `Relaxed`.
#[derive(Debug)]
pub(crate) struct Receiver(AtomicUsize);

/// The one control message that can come, laid out as the kernel does.
#[repr(C)]
struct Control {
    header: libc::cmsghdr,
    left: libc::c_int,
}

impl Receiver {
    pub(crate) fn new() -> Self {
        Self(AtomicUsize::new(0))
    }

    /// Receives into `buf`, which is initialised as far as the result says.
    pub(crate) fn receive(&self, stream: &mio::net::TcpStream, buf: &mut [MaybeUninit<u8>]) -> io::Result<Done<usize>> {
        match self.0.load(Ordering::Relaxed) {
            REPORTS => receive_reporting(stream.as_raw_fd(), buf),
            state => {
                let value = SockRef::from(stream).recv(buf)?;
                if state != CANNOT {
                    self.count(state + 1, stream.as_raw_fd());
                }
                Ok(Done { value, drained: false })
            }
        }
    }

    fn count(&self, receives: usize, fd: RawFd) {
        let state = match receives {
            WORTH_IT if set_reporting(fd, true) => REPORTS,
            WORTH_IT => CANNOT,
            few => few,
        };
        self.0.store(state, Ordering::Relaxed);
    }

    /// The stream leaves: it goes as it came.
    pub(crate) fn release(&self, stream: &mio::net::TcpStream) {
        if self.0.load(Ordering::Relaxed) == REPORTS {
            set_reporting(stream.as_raw_fd(), false);
        }
    }
}

fn set_reporting(fd: RawFd, on: bool) -> bool {
    let value = libc::c_int::from(on);
    let size = mem::size_of::<libc::c_int>() as libc::socklen_t;
    // SAFETY: `value` is live and `size` bytes long; a bad descriptor is an error, no more.
    let result = unsafe { libc::setsockopt(fd, libc::SOL_TCP, libc::TCP_INQ, (&raw const value).cast(), size) };
    result == 0
}

fn receive_reporting(fd: RawFd, buf: &mut [MaybeUninit<u8>]) -> io::Result<Done<usize>> {
    let mut part = libc::iovec { iov_base: buf.as_mut_ptr().cast(), iov_len: buf.len() };
    let header = libc::cmsghdr { cmsg_len: 0, cmsg_level: 0, cmsg_type: 0 };
    let mut control = Control { header, left: 0 };
    // SAFETY: a message header is plain C data, for which all zero is a valid value.
    let mut message: libc::msghdr = unsafe { mem::zeroed() };
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    message.msg_control = (&raw mut control).cast();
    message.msg_controllen = mem::size_of::<Control>() as _;
    // SAFETY: the header points to one live buffer and one live control area, with their true sizes.
    let received = unsafe { libc::recvmsg(fd, &mut message, 0) };
    let value = usize::try_from(received).map_err(|_| io::Error::last_os_error())?;
    let reported = message.msg_controllen > 0
        && control.header.cmsg_level == libc::SOL_TCP
        && control.header.cmsg_type == libc::TCP_CM_INQ;
    // An end of stream is not used up: every further receive gives it again.
    Ok(Done { value, drained: reported && control.left == 0 && value > 0 })
}
