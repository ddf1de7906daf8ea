//! Sending and receiving datagrams.

use std::io;
use std::net::SocketAddr;
use std::task::{Context, Poll};

use super::UdpSocket;
use crate::evented::Shared;
use crate::net::addr::{self, ToSocketAddrs};
use crate::readiness::Interest;

impl UdpSocket {
    /// Sends one datagram to the connected peer.
    ///
    /// # Errors
    ///
    /// Those of the operating system, which may belong to a datagram sent before.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: if the future is dropped before it is ready, nothing was sent.
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
    /// assert_eq!(socket.send(b"hello").await?, 5);
    /// # Ok(())
    /// # });
    /// ```
    pub async fn send(&self, buf: &[u8]) -> io::Result<usize> {
        self.io.op(Interest::WRITABLE, |socket| socket.send(buf)).await
    }

    /// [`send`](Self::send) for hand-written futures. Every waker that waits is called.
    ///
    /// # Errors
    ///
    /// Those of [`send`](Self::send).
    ///
    /// # Examples
    ///
    /// ```
    /// use std::future::poll_fn;
    /// use wheelhouse_io::net::UdpSocket;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// # let peer = UdpSocket::bind("127.0.0.1:0").await?;
    /// # let addr = peer.local_addr()?;
    /// let socket = UdpSocket::bind("127.0.0.1:0").await?;
    /// socket.connect(addr).await?;
    /// assert_eq!(poll_fn(|cx| socket.poll_send(cx, b"hello")).await?, 5);
    /// # Ok(())
    /// # });
    /// ```
    pub fn poll_send(&self, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.io.poll_io(cx, Interest::WRITABLE, Shared, |socket| socket.send(buf))
    }

    /// [`send`](Self::send) without waiting.
    ///
    /// # Errors
    ///
    /// `WouldBlock` when there is no room; otherwise those of [`send`](Self::send).
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
    /// socket.writable().await?;
    /// assert_eq!(socket.try_send(b"hello")?, 5);
    /// # Ok(())
    /// # });
    /// ```
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
    /// assert_eq!(socket.send_to(b"hello", addr).await?, 5);
    /// # Ok(())
    /// # });
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use std::future::poll_fn;
    /// use wheelhouse_io::net::UdpSocket;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// # let peer = UdpSocket::bind("127.0.0.1:0").await?;
    /// # let addr = peer.local_addr()?;
    /// let socket = UdpSocket::bind("127.0.0.1:0").await?;
    /// assert_eq!(poll_fn(|cx| socket.poll_send_to(cx, b"hello", addr)).await?, 5);
    /// # Ok(())
    /// # });
    /// ```
    pub fn poll_send_to(&self, cx: &mut Context<'_>, buf: &[u8], target: SocketAddr) -> Poll<io::Result<usize>> {
        self.io.poll_io(cx, Interest::WRITABLE, Shared, |socket| socket.send_to(buf, target))
    }

    /// [`send_to`](Self::send_to) without waiting.
    ///
    /// # Errors
    ///
    /// `WouldBlock` when there is no room; otherwise those of the operating system.
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
    /// socket.writable().await?;
    /// assert_eq!(socket.try_send_to(b"hello", addr)?, 5);
    /// # Ok(())
    /// # });
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::UdpSocket;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// # let sender = UdpSocket::bind("127.0.0.1:0").await?;
    /// # let addr = sender.local_addr()?;
    /// let socket = UdpSocket::bind("127.0.0.1:0").await?;
    /// # sender.send_to(b"hello", socket.local_addr()?).await?;
    /// socket.connect(addr).await?;
    /// let mut buf = [0; 1500];
    /// assert_eq!(socket.recv(&mut buf).await?, 5);
    /// # Ok(())
    /// # });
    /// ```
    pub async fn recv(&self, buf: &mut [u8]) -> io::Result<usize> {
        self.io.op(Interest::READABLE, |socket| socket.recv(buf)).await
    }

    /// [`recv`](Self::recv) for hand-written futures. Every waker that waits is called.
    ///
    /// # Errors
    ///
    /// Those of [`recv`](Self::recv).
    ///
    /// # Examples
    ///
    /// ```
    /// use std::future::poll_fn;
    /// use wheelhouse_io::net::UdpSocket;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// # let sender = UdpSocket::bind("127.0.0.1:0").await?;
    /// # let addr = sender.local_addr()?;
    /// let socket = UdpSocket::bind("127.0.0.1:0").await?;
    /// # sender.send_to(b"hello", socket.local_addr()?).await?;
    /// socket.connect(addr).await?;
    /// let mut buf = [0; 1500];
    /// assert_eq!(poll_fn(|cx| socket.poll_recv(cx, &mut buf)).await?, 5);
    /// # Ok(())
    /// # });
    /// ```
    pub fn poll_recv(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        self.io.poll_io(cx, Interest::READABLE, Shared, |socket| socket.recv(buf))
    }

    /// [`recv`](Self::recv) without waiting.
    ///
    /// # Errors
    ///
    /// `WouldBlock` when there is none; otherwise those of [`recv`](Self::recv).
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::UdpSocket;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// # let sender = UdpSocket::bind("127.0.0.1:0").await?;
    /// # let addr = sender.local_addr()?;
    /// let socket = UdpSocket::bind("127.0.0.1:0").await?;
    /// # sender.send_to(b"hello", socket.local_addr()?).await?;
    /// socket.connect(addr).await?;
    /// let mut buf = [0; 1500];
    /// socket.readable().await?;
    /// assert_eq!(socket.try_recv(&mut buf)?, 5);
    /// # Ok(())
    /// # });
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::UdpSocket;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// # let sender = UdpSocket::bind("127.0.0.1:0").await?;
    /// # let addr = sender.local_addr()?;
    /// let socket = UdpSocket::bind("127.0.0.1:0").await?;
    /// # sender.send_to(b"hello", socket.local_addr()?).await?;
    /// let mut buf = [0; 1500];
    /// assert_eq!(socket.recv_from(&mut buf).await?, (5, addr));
    /// # Ok(())
    /// # });
    /// ```
    pub async fn recv_from(&self, buf: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        self.io.op(Interest::READABLE, |socket| socket.recv_from(buf)).await
    }

    /// [`recv_from`](Self::recv_from) for hand-written futures. Every waker that waits is called.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::future::poll_fn;
    /// use wheelhouse_io::net::UdpSocket;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// # let sender = UdpSocket::bind("127.0.0.1:0").await?;
    /// # let addr = sender.local_addr()?;
    /// let socket = UdpSocket::bind("127.0.0.1:0").await?;
    /// # sender.send_to(b"hello", socket.local_addr()?).await?;
    /// let mut buf = [0; 1500];
    /// assert_eq!(poll_fn(|cx| socket.poll_recv_from(cx, &mut buf)).await?, (5, addr));
    /// # Ok(())
    /// # });
    /// ```
    pub fn poll_recv_from(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<(usize, SocketAddr)>> {
        self.io.poll_io(cx, Interest::READABLE, Shared, |socket| socket.recv_from(buf))
    }

    /// [`recv_from`](Self::recv_from) without waiting.
    ///
    /// # Errors
    ///
    /// `WouldBlock` when there is none; otherwise those of the operating system.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::UdpSocket;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// # let sender = UdpSocket::bind("127.0.0.1:0").await?;
    /// # let addr = sender.local_addr()?;
    /// let socket = UdpSocket::bind("127.0.0.1:0").await?;
    /// # sender.send_to(b"hello", socket.local_addr()?).await?;
    /// let mut buf = [0; 1500];
    /// socket.readable().await?;
    /// assert_eq!(socket.try_recv_from(&mut buf)?, (5, addr));
    /// # Ok(())
    /// # });
    /// ```
    pub fn try_recv_from(&self, buf: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        self.io.try_io(Interest::READABLE, |socket| socket.recv_from(buf))
    }
}
