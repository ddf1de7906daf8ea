//! Socket options that Linux alone has.

use std::io;

use socket2::SockRef;

use super::{TcpSocket, TcpStream, UdpSocket};

macro_rules! device_options {
    ($socket:ty) => {
        impl $socket {
            /// The network interface that the socket is bound to, if it is bound to one. Linux only.
            ///
            /// # Errors
            ///
            /// Those of the operating system.
            pub fn device(&self) -> io::Result<Option<Vec<u8>>> {
                SockRef::from(self).device()
            }

            /// Binds the socket to a network interface, by its name: it takes only packets that come in there. `None`
            /// takes that back. Linux only.
            ///
            /// # Errors
            ///
            /// Those of the operating system; changing a binding takes a privilege.
            ///
            /// # Examples
            ///
            /// ```
            /// use wheelhouse_io::net::UdpSocket;
            ///
            /// # wheelhouse_io::doc::run(async {
            /// let socket = UdpSocket::bind("127.0.0.1:0").await?;
            /// assert_eq!(socket.device()?, None);
            /// if socket.bind_device(Some(b"lo")).is_ok() {
            ///     assert_eq!(socket.device()?.as_deref(), Some(&b"lo"[..]));
            /// }
            /// # Ok(())
            /// # });
            /// ```
            pub fn bind_device(&self, interface: Option<&[u8]>) -> io::Result<()> {
                SockRef::from(self).bind_device(interface)
            }
        }
    };
}

device_options!(TcpSocket);
device_options!(UdpSocket);

impl TcpStream {
    /// Whether received data is acknowledged at once rather than a little later. Linux only.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn quickack(&self) -> io::Result<bool> {
        SockRef::from(self).tcp_quickack()
    }

    /// Sets whether received data is acknowledged at once rather than a little later. The system may change it back by
    /// itself. Linux only.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::{TcpListener, TcpStream};
    ///
    /// # wheelhouse_io::doc::run(async {
    /// # let listener = TcpListener::bind("127.0.0.1:0").await?;
    /// # let addr = listener.local_addr()?;
    /// let stream = TcpStream::connect(addr).await?;
    /// stream.set_quickack(false)?;
    /// assert!(!stream.quickack()?);
    /// # Ok(())
    /// # });
    /// ```
    pub fn set_quickack(&self, on: bool) -> io::Result<()> {
        SockRef::from(self).set_tcp_quickack(on)
    }
}
