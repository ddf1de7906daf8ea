//! Access to the descriptors of sockets, and what only Unix has.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};

use super::TcpSocket;

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

impl AsFd for TcpSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl AsRawFd for TcpSocket {
    fn as_raw_fd(&self) -> RawFd {
        self.socket.as_raw_fd()
    }
}

impl TcpSocket {
    /// Whether other sockets may listen on the same address, and share its connections. Unix only.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn reuseport(&self) -> io::Result<bool> {
        self.socket.reuse_port()
    }

    /// Sets whether other sockets may listen on the same address, and share its connections. Unix only.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::TcpSocket;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let socket = TcpSocket::new_v4()?;
    /// socket.set_reuseport(true)?;
    /// assert!(socket.reuseport()?);
    /// # Ok(())
    /// # });
    /// ```
    pub fn set_reuseport(&self, on: bool) -> io::Result<()> {
        self.socket.set_reuse_port(on)
    }
}
