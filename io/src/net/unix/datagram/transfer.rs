//! Sending and receiving datagrams.

use std::io;
use std::path::Path;
use std::task::{Context, Poll};

use super::UnixDatagram;
use crate::evented::Shared;
use crate::net::unix::SocketAddr;
use crate::readiness::Interest;

impl UnixDatagram {
    /// Sends one datagram to the connected peer.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: if the future is dropped before it is ready, nothing was sent.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::UnixDatagram;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (a, b) = UnixDatagram::pair()?;
    /// assert_eq!(a.send(b"hello").await?, 5);
    /// # drop(b);
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
    /// use wheelhouse_io::net::UnixDatagram;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (a, b) = UnixDatagram::pair()?;
    /// assert_eq!(poll_fn(|cx| a.poll_send(cx, b"hello")).await?, 5);
    /// # drop(b);
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
    /// use wheelhouse_io::net::UnixDatagram;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (a, b) = UnixDatagram::pair()?;
    /// a.writable().await?;
    /// assert_eq!(a.try_send(b"hello")?, 5);
    /// # drop(b);
    /// # Ok(())
    /// # });
    /// ```
    pub fn try_send(&self, buf: &[u8]) -> io::Result<usize> {
        self.io.try_io(Interest::WRITABLE, |socket| socket.send(buf))
    }

    /// Sends one datagram to the socket at `path`.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: if the future is dropped before it is ready, nothing was sent.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::UnixDatagram;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// # let path = std::env::temp_dir().join(format!("wheelhouse-d3-{}", std::process::id()));
    /// let server = UnixDatagram::bind(&path)?;
    /// UnixDatagram::unbound()?.send_to(b"hello", &path).await?;
    /// assert_eq!(server.recv(&mut [0; 16]).await?, 5);
    /// # std::fs::remove_file(&path)?;
    /// # Ok(())
    /// # });
    /// ```
    pub async fn send_to(&self, buf: &[u8], path: impl AsRef<Path>) -> io::Result<usize> {
        self.io.op(Interest::WRITABLE, |socket| socket.send_to(buf, path.as_ref())).await
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
    /// use wheelhouse_io::net::UnixDatagram;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// # let path = std::env::temp_dir().join(format!("wheelhouse-d4-{}", std::process::id()));
    /// let server = UnixDatagram::bind(&path)?;
    /// let client = UnixDatagram::unbound()?;
    /// client.writable().await?;
    /// client.try_send_to(b"hello", &path)?;
    /// assert_eq!(server.recv(&mut [0; 16]).await?, 5);
    /// # std::fs::remove_file(&path)?;
    /// # Ok(())
    /// # });
    /// ```
    pub fn try_send_to(&self, buf: &[u8], path: impl AsRef<Path>) -> io::Result<usize> {
        self.io.try_io(Interest::WRITABLE, |socket| socket.send_to(buf, path.as_ref()))
    }

    /// Receives one datagram.
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
    /// use wheelhouse_io::net::UnixDatagram;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (a, b) = UnixDatagram::pair()?;
    /// a.send(b"hello").await?;
    /// assert_eq!(b.recv(&mut [0; 16]).await?, 5);
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
    /// use wheelhouse_io::net::UnixDatagram;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (a, b) = UnixDatagram::pair()?;
    /// a.send(b"hello").await?;
    /// let mut buf = [0; 16];
    /// assert_eq!(poll_fn(|cx| b.poll_recv(cx, &mut buf)).await?, 5);
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
    /// use wheelhouse_io::net::UnixDatagram;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (a, b) = UnixDatagram::pair()?;
    /// a.send(b"hello").await?;
    /// b.readable().await?;
    /// assert_eq!(b.try_recv(&mut [0; 16])?, 5);
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
    /// use wheelhouse_io::net::UnixDatagram;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (a, b) = UnixDatagram::pair()?;
    /// a.send(b"hello").await?;
    /// let (n, from) = b.recv_from(&mut [0; 16]).await?;
    /// assert!(n == 5 && from.is_unnamed());
    /// # Ok(())
    /// # });
    /// ```
    pub async fn recv_from(&self, buf: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        self.io.op(Interest::READABLE, |socket| socket.recv_from(buf)).await
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
    /// use wheelhouse_io::net::UnixDatagram;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (a, b) = UnixDatagram::pair()?;
    /// a.send(b"hello").await?;
    /// b.readable().await?;
    /// assert_eq!(b.try_recv_from(&mut [0; 16])?.0, 5);
    /// # Ok(())
    /// # });
    /// ```
    pub fn try_recv_from(&self, buf: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        self.io.try_io(Interest::READABLE, |socket| socket.recv_from(buf))
    }

    /// [`recv_from`](Self::recv_from) as a poll.
    ///
    /// # Errors
    ///
    /// Those of [`recv_from`](Self::recv_from).
    ///
    /// # Examples
    ///
    /// ```
    /// use std::future::poll_fn;
    /// use wheelhouse_io::net::UnixDatagram;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (a, b) = UnixDatagram::pair()?;
    /// a.send(b"hello").await?;
    /// let mut buf = [0; 16];
    /// let (n, from) = poll_fn(|cx| b.poll_recv_from(cx, &mut buf)).await?;
    /// assert!(n == 5 && from.is_unnamed());
    /// # Ok(())
    /// # });
    /// ```
    pub fn poll_recv_from(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<(usize, SocketAddr)>> {
        self.io.poll_io(cx, Interest::READABLE, Shared, |socket| socket.recv_from(buf))
    }

    /// [`send_to`](Self::send_to) as a poll.
    ///
    /// # Errors
    ///
    /// Those of [`send_to`](Self::send_to).
    pub fn poll_send_to(&self, cx: &mut Context<'_>, buf: &[u8], path: impl AsRef<Path>) -> Poll<io::Result<usize>> {
        let path = path.as_ref();
        self.io.poll_io(cx, Interest::WRITABLE, Shared, |socket| socket.send_to(buf, path))
    }
}
