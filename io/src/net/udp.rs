//! A UDP socket.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::task::{Context, Poll};

use super::BOTH;
use super::addr::{self, ToSocketAddrs};
use super::common::{readable_api, readiness_api, writable_api};
use crate::evented::{Evented, Shared};
use crate::readiness::{Interest, Ready};

/// A UDP socket. Any number of tasks may send and receive at the same time.
///
/// A datagram longer than the buffer is cut off.
///
/// # Examples
///
/// ```
/// # mod support { include!("../../tests/support/mod.rs"); }
/// use wheelhouse_io::net::UdpSocket;
///
/// # support::run(async {
/// let a = UdpSocket::bind("127.0.0.1:0").await?;
/// let b = UdpSocket::bind("127.0.0.1:0").await?;
/// a.send_to(b"hello", b.local_addr()?).await?;
/// let mut buf = [0; 16];
/// let (n, from) = b.recv_from(&mut buf).await?;
/// assert_eq!((&buf[..n], from), (&b"hello"[..], a.local_addr()?));
/// # Ok(())
/// # }).unwrap();
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
    pub async fn bind(addr: impl ToSocketAddrs) -> io::Result<UdpSocket> {
        addr::first_that_works(addr, |addr| async move { UdpSocket::from_mio(mio::net::UdpSocket::bind(addr)?) }).await
    }

    /// Takes over a socket of std's and makes it non-blocking.
    ///
    /// # Errors
    ///
    /// Those of the operating system; [`Error::NoRuntime`](crate::Error::NoRuntime) inside when no reactor is
    /// current.
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
    pub async fn connect(&self, addr: impl ToSocketAddrs) -> io::Result<()> {
        addr::first_that_works(addr, |addr| std::future::ready(self.io.connect(addr))).await
    }

    readiness_api!();
    readable_api!();
    writable_api!();

    /// Sends one datagram to the connected peer.
    ///
    /// # Errors
    ///
    /// Those of the operating system, which may belong to a datagram sent before.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: if the future is dropped before it is ready, nothing was sent.
    pub async fn send(&self, buf: &[u8]) -> io::Result<usize> {
        self.io.op(Interest::WRITABLE, |socket| socket.send(buf)).await
    }

    /// [`send`](Self::send) for hand-written futures. Every waker that waits is called.
    ///
    /// # Errors
    ///
    /// Those of [`send`](Self::send).
    pub fn poll_send(&self, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.io.poll_io(cx, Interest::WRITABLE, Shared, |socket| socket.send(buf))
    }

    /// [`send`](Self::send) without waiting.
    ///
    /// # Errors
    ///
    /// `WouldBlock` when there is no room; otherwise those of [`send`](Self::send).
    pub fn try_send(&self, buf: &[u8]) -> io::Result<usize> {
        self.io.try_io(Interest::WRITABLE, |socket| socket.send(buf))
    }

    /// Sends one datagram to the first address of `target`.
    ///
    /// # Errors
    ///
    /// Those of the operating system and of the resolver.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: if the future is dropped before it is ready, nothing was sent.
    pub async fn send_to(&self, buf: &[u8], target: impl ToSocketAddrs) -> io::Result<usize> {
        let target = addr::resolve(&target).await?.next();
        let target = target.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the name has no addresses"))?;
        self.io.op(Interest::WRITABLE, |socket| socket.send_to(buf, target)).await
    }

    /// [`send_to`](Self::send_to) for hand-written futures. Every waker that waits is called.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn poll_send_to(&self, cx: &mut Context<'_>, buf: &[u8], target: SocketAddr) -> Poll<io::Result<usize>> {
        self.io.poll_io(cx, Interest::WRITABLE, Shared, |socket| socket.send_to(buf, target))
    }

    /// [`send_to`](Self::send_to) without waiting.
    ///
    /// # Errors
    ///
    /// `WouldBlock` when there is no room; otherwise those of the operating system.
    pub fn try_send_to(&self, buf: &[u8], target: SocketAddr) -> io::Result<usize> {
        self.io.try_io(Interest::WRITABLE, |socket| socket.send_to(buf, target))
    }

    /// Receives one datagram from the connected peer.
    ///
    /// # Errors
    ///
    /// Those of the operating system, which may belong to a datagram sent before.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: no datagram is lost.
    pub async fn recv(&self, buf: &mut [u8]) -> io::Result<usize> {
        self.io.op(Interest::READABLE, |socket| socket.recv(buf)).await
    }

    /// [`recv`](Self::recv) for hand-written futures. Every waker that waits is called.
    ///
    /// # Errors
    ///
    /// Those of [`recv`](Self::recv).
    pub fn poll_recv(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        self.io.poll_io(cx, Interest::READABLE, Shared, |socket| socket.recv(buf))
    }

    /// [`recv`](Self::recv) without waiting.
    ///
    /// # Errors
    ///
    /// `WouldBlock` when there is none; otherwise those of [`recv`](Self::recv).
    pub fn try_recv(&self, buf: &mut [u8]) -> io::Result<usize> {
        self.io.try_io(Interest::READABLE, |socket| socket.recv(buf))
    }

    /// Receives one datagram and its sender's address.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: no datagram is lost.
    pub async fn recv_from(&self, buf: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        self.io.op(Interest::READABLE, |socket| socket.recv_from(buf)).await
    }

    /// [`recv_from`](Self::recv_from) for hand-written futures. Every waker that waits is called.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn poll_recv_from(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<(usize, SocketAddr)>> {
        self.io.poll_io(cx, Interest::READABLE, Shared, |socket| socket.recv_from(buf))
    }

    /// [`recv_from`](Self::recv_from) without waiting.
    ///
    /// # Errors
    ///
    /// `WouldBlock` when there is none; otherwise those of the operating system.
    pub fn try_recv_from(&self, buf: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        self.io.try_io(Interest::READABLE, |socket| socket.recv_from(buf))
    }

    /// [`recv`](Self::recv) that leaves the datagram for the next receive.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub async fn peek(&self, buf: &mut [u8]) -> io::Result<usize> {
        self.io.op(Interest::READABLE, |socket| socket.peek(buf)).await
    }

    /// [`recv_from`](Self::recv_from) that leaves the datagram for the next receive.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub async fn peek_from(&self, buf: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        self.io.op(Interest::READABLE, |socket| socket.peek_from(buf)).await
    }

    /// The address it is bound to.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.io.local_addr()
    }

    /// The connected peer's address.
    ///
    /// # Errors
    ///
    /// Those of the operating system; kind `NotConnected` without a peer.
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.io.peer_addr()
    }

    /// The error that waits on the socket, if any; it is taken.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn take_error(&self) -> io::Result<Option<io::Error>> {
        self.io.take_error()
    }

    /// Whether datagrams may be sent to a broadcast address.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn broadcast(&self) -> io::Result<bool> {
        self.io.broadcast()
    }

    /// Sets whether datagrams may be sent to a broadcast address.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn set_broadcast(&self, on: bool) -> io::Result<()> {
        self.io.set_broadcast(on)
    }

    /// The time-to-live of packets sent.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn ttl(&self) -> io::Result<u32> {
        self.io.ttl()
    }

    /// Sets the time-to-live of packets sent.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn set_ttl(&self, ttl: u32) -> io::Result<()> {
        self.io.set_ttl(ttl)
    }

    /// Whether multicast packets sent over IPv4 come back to this machine.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn multicast_loop_v4(&self) -> io::Result<bool> {
        self.io.multicast_loop_v4()
    }

    /// Sets whether multicast packets sent over IPv4 come back to this machine.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn set_multicast_loop_v4(&self, on: bool) -> io::Result<()> {
        self.io.set_multicast_loop_v4(on)
    }

    /// Joins the IPv4 multicast group `group` on the interface with the address `interface`.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn join_multicast_v4(&self, group: Ipv4Addr, interface: Ipv4Addr) -> io::Result<()> {
        self.io.join_multicast_v4(&group, &interface)
    }

    /// Leaves the IPv4 multicast group `group` on the interface with the address `interface`.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn leave_multicast_v4(&self, group: Ipv4Addr, interface: Ipv4Addr) -> io::Result<()> {
        self.io.leave_multicast_v4(&group, &interface)
    }

    /// Joins the IPv6 multicast group `group` on the interface with the index `interface`.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn join_multicast_v6(&self, group: &Ipv6Addr, interface: u32) -> io::Result<()> {
        self.io.join_multicast_v6(group, interface)
    }

    /// Leaves the IPv6 multicast group `group` on the interface with the index `interface`.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn leave_multicast_v6(&self, group: &Ipv6Addr, interface: u32) -> io::Result<()> {
        self.io.leave_multicast_v6(group, interface)
    }
}
