//! What packets say of the service that they want, on the platforms that have both fields.

use std::io;

use socket2::SockRef;

use super::{TcpSocket, UdpSocket};

macro_rules! traffic_options {
    ($socket:ty) => {
        impl $socket {
            /// The type of service in the IPv4 packets sent. Not on Windows.
            ///
            /// # Errors
            ///
            /// Those of the operating system.
            pub fn tos_v4(&self) -> io::Result<u32> {
                SockRef::from(self).tos_v4()
            }

            /// Sets the type of service in the IPv4 packets sent. Not on Windows.
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
            /// socket.set_tos_v4(0x10)?;
            /// assert_eq!(socket.tos_v4()?, 0x10);
            /// # Ok(())
            /// # });
            /// ```
            pub fn set_tos_v4(&self, tos: u32) -> io::Result<()> {
                SockRef::from(self).set_tos_v4(tos)
            }

            /// The traffic class in the IPv6 packets sent. Not on Windows.
            ///
            /// # Errors
            ///
            /// Those of the operating system.
            pub fn tclass_v6(&self) -> io::Result<u32> {
                SockRef::from(self).tclass_v6()
            }

            /// Sets the traffic class in the IPv6 packets sent. Not on Windows.
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
            /// # if TcpSocket::new_v6().is_err() { return Ok(()) }
            /// let socket = TcpSocket::new_v6()?;
            /// socket.set_tclass_v6(0x10)?;
            /// assert_eq!(socket.tclass_v6()?, 0x10);
            /// # Ok(())
            /// # });
            /// ```
            pub fn set_tclass_v6(&self, tclass: u32) -> io::Result<()> {
                SockRef::from(self).set_tclass_v6(tclass)
            }
        }
    };
}

traffic_options!(TcpSocket);
traffic_options!(UdpSocket);
