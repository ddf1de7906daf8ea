//! Access to the descriptors of sockets.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};

macro_rules! descriptor {
    ($($socket:ty),* $(,)?) => {
        $(
            impl AsFd for $socket {
                fn as_fd(&self) -> BorrowedFd<'_> {
                    self.io.as_fd()
                }
            }

            impl AsRawFd for $socket {
                fn as_raw_fd(&self) -> RawFd {
                    self.io.as_raw_fd()
                }
            }
        )*
    };
}

descriptor!(
    super::TcpListener,
    super::TcpStream,
    super::UdpSocket,
    super::UnixDatagram,
    super::UnixListener,
    super::UnixStream,
    super::unix::pipe::Receiver,
    super::unix::pipe::Sender,
);
