//! A UDP socket.

mod options;
mod peek;
mod transfer;

use std::io;
use std::net::SocketAddr;

use super::BOTH;
use super::addr::{self, ToSocketAddrs};
use super::common::{readable_api, readiness_api, writable_api};
use super::datagram::datagram_ready_api;
use crate::evented::Evented;
use crate::readiness::Ready;

/// A UDP socket. Any number of tasks may send and receive at the same time.
///
/// A datagram longer than the buffer is cut off.
///
/// # Examples
///
/// ```
/// use wheelhouse_io::net::UdpSocket;
///
/// # wheelhouse_io::doc::run(async {
/// let a = UdpSocket::bind("127.0.0.1:0").await?;
/// let b = UdpSocket::bind("127.0.0.1:0").await?;
/// a.send_to(b"hello", b.local_addr()?).await?;
/// let mut buf = [0; 16];
/// let (n, from) = b.recv_from(&mut buf).await?;
/// assert_eq!((&buf[..n], from), (&b"hello"[..], a.local_addr()?));
/// # Ok(())
/// # });
/// ```
#[derive(Debug)]
pub struct UdpSocket {
    pub(super) io: Evented<mio::net::UdpSocket>,
}

impl UdpSocket {
    /// Binds to the first address of `addr` that can be bound.
    ///
    /// # Errors
    ///
    /// Those of the operating system and of the resolver; [`Error::NoRuntime`](crate::Error::NoRuntime) inside when
    /// no reactor is current.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: a dropped future leaves nothing bound.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::UdpSocket;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let socket = UdpSocket::bind("127.0.0.1:0").await?;
    /// assert_ne!(socket.local_addr()?.port(), 0);
    /// # Ok(())
    /// # });
    /// ```
    pub async fn bind(addr: impl ToSocketAddrs) -> io::Result<UdpSocket> {
        addr::first_that_works(addr, |addr| async move { UdpSocket::from_mio(mio::net::UdpSocket::bind(addr)?) }).await
    }

    /// Takes over a socket of std's and makes it non-blocking.
    ///
    /// # Errors
    ///
    /// Those of the operating system; [`Error::NoRuntime`](crate::Error::NoRuntime) inside when no reactor is
    /// current.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::UdpSocket;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let socket = UdpSocket::from_std(std::net::UdpSocket::bind("127.0.0.1:0")?)?;
    /// # drop(socket);
    /// # Ok(())
    /// # });
    /// ```
    pub fn from_std(socket: std::net::UdpSocket) -> io::Result<UdpSocket> {
        socket.set_nonblocking(true)?;
        UdpSocket::from_mio(mio::net::UdpSocket::from_std(socket))
    }

    fn from_mio(socket: mio::net::UdpSocket) -> io::Result<UdpSocket> {
        Ok(UdpSocket { io: Evented::new(socket, BOTH, Ready::READABLE | Ready::WRITABLE)? })
    }

    /// Gives the socket back to std, still non-blocking.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::UdpSocket;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let std = UdpSocket::bind("127.0.0.1:0").await?.into_std()?;
    /// std.set_nonblocking(false)?;
    /// # Ok(())
    /// # });
    /// ```
    pub fn into_std(self) -> io::Result<std::net::UdpSocket> {
        Ok(self.io.into_inner()?.into())
    }

    /// Makes the first address of `addr` that can be connected to the only peer: `send` goes there, and only its
    /// datagrams are received.
    ///
    /// # Errors
    ///
    /// Those of the operating system and of the resolver.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::UdpSocket;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// # let peer = UdpSocket::bind("127.0.0.1:0").await?;
    /// # let addr = peer.local_addr()?;
    /// let socket = UdpSocket::bind("127.0.0.1:0").await?;
    /// socket.connect(addr).await?;
    /// assert_eq!(socket.peer_addr()?, addr);
    /// # Ok(())
    /// # });
    /// ```
    pub async fn connect(&self, addr: impl ToSocketAddrs) -> io::Result<()> {
        addr::first_that_works(addr, |addr| std::future::ready(self.io.connect(addr))).await
    }

    readiness_api!();
    readable_api!();
    writable_api!();
    datagram_ready_api!();

    /// The address it is bound to.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::UdpSocket;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let socket = UdpSocket::bind("127.0.0.1:0").await?;
    /// assert!(socket.local_addr()?.ip().is_loopback());
    /// # Ok(())
    /// # });
    /// ```
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.io.local_addr()
    }

    /// The connected peer's address.
    ///
    /// # Errors
    ///
    /// Those of the operating system; kind `NotConnected` without a peer.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::UdpSocket;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// # let peer = UdpSocket::bind("127.0.0.1:0").await?;
    /// # let addr = peer.local_addr()?;
    /// let socket = UdpSocket::bind("127.0.0.1:0").await?;
    /// socket.connect(addr).await?;
    /// assert_eq!(socket.peer_addr()?, addr);
    /// # Ok(())
    /// # });
    /// ```
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.io.peer_addr()
    }

    /// The error that waits on the socket, if any; it is taken.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::UdpSocket;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let socket = UdpSocket::bind("127.0.0.1:0").await?;
    /// assert!(socket.take_error()?.is_none());
    /// # Ok(())
    /// # });
    /// ```
    pub fn take_error(&self) -> io::Result<Option<io::Error>> {
        self.io.take_error()
    }
}
