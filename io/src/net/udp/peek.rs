//! Looking at the next datagram and leaving it there.

use std::io;
use std::net::SocketAddr;
use std::task::{Context, Poll};

use socket2::SockRef;

use super::UdpSocket;
use crate::evented::Shared;
use crate::readiness::Interest;

impl UdpSocket {
    /// [`recv`](Self::recv) that leaves the datagram for the next receive.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
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
    /// # let sender = UdpSocket::bind("127.0.0.1:0").await?;
    /// # let addr = sender.local_addr()?;
    /// let socket = UdpSocket::bind("127.0.0.1:0").await?;
    /// # sender.send_to(b"hello", socket.local_addr()?).await?;
    /// socket.connect(addr).await?;
    /// let mut buf = [0; 1500];
    /// assert_eq!(socket.peek(&mut buf).await?, 5);
    /// assert_eq!(socket.recv(&mut buf).await?, 5);
    /// # Ok(())
    /// # });
    /// ```
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
    /// assert_eq!(socket.peek_from(&mut buf).await?, (5, addr));
    /// assert_eq!(socket.recv_from(&mut buf).await?, (5, addr));
    /// # Ok(())
    /// # });
    /// ```
    pub async fn peek_from(&self, buf: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        self.io.op(Interest::READABLE, |socket| socket.peek_from(buf)).await
    }

    /// [`peek`](Self::peek) as a poll.
    ///
    /// # Errors
    ///
    /// Those of [`peek`](Self::peek).
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
    /// assert_eq!(poll_fn(|cx| socket.poll_peek(cx, &mut buf)).await?, 5);
    /// # Ok(())
    /// # });
    /// ```
    pub fn poll_peek(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        self.io.poll_io(cx, Interest::READABLE, Shared, |socket| socket.peek(buf))
    }

    /// [`peek`](Self::peek) without waiting.
    ///
    /// # Errors
    ///
    /// `WouldBlock` when there is none; otherwise those of [`peek`](Self::peek).
    pub fn try_peek(&self, buf: &mut [u8]) -> io::Result<usize> {
        self.io.try_io(Interest::READABLE, |socket| socket.peek(buf))
    }

    /// [`peek_from`](Self::peek_from) as a poll.
    ///
    /// # Errors
    ///
    /// Those of [`peek_from`](Self::peek_from).
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
    /// assert_eq!(poll_fn(|cx| socket.poll_peek_from(cx, &mut buf)).await?, (5, addr));
    /// # Ok(())
    /// # });
    /// ```
    pub fn poll_peek_from(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<(usize, SocketAddr)>> {
        self.io.poll_io(cx, Interest::READABLE, Shared, |socket| socket.peek_from(buf))
    }

    /// [`peek_from`](Self::peek_from) without waiting.
    ///
    /// # Errors
    ///
    /// `WouldBlock` when there is none; otherwise those of [`peek_from`](Self::peek_from).
    pub fn try_peek_from(&self, buf: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        self.io.try_io(Interest::READABLE, |socket| socket.peek_from(buf))
    }

    /// Waits for a datagram and says who sent it. The datagram stays for the next receive.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
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
    /// # let sender = UdpSocket::bind("127.0.0.1:0").await?;
    /// # let addr = sender.local_addr()?;
    /// let socket = UdpSocket::bind("127.0.0.1:0").await?;
    /// # sender.send_to(b"hello", socket.local_addr()?).await?;
    /// assert_eq!(socket.peek_sender().await?, addr);
    /// assert_eq!(socket.recv(&mut [0; 1500]).await?, 5);
    /// # Ok(())
    /// # });
    /// ```
    pub async fn peek_sender(&self) -> io::Result<SocketAddr> {
        self.io.op(Interest::READABLE, sender).await
    }

    /// [`peek_sender`](Self::peek_sender) as a poll.
    ///
    /// # Errors
    ///
    /// Those of [`peek_sender`](Self::peek_sender).
    pub fn poll_peek_sender(&self, cx: &mut Context<'_>) -> Poll<io::Result<SocketAddr>> {
        self.io.poll_io(cx, Interest::READABLE, Shared, sender)
    }

    /// [`peek_sender`](Self::peek_sender) without waiting.
    ///
    /// # Errors
    ///
    /// `WouldBlock` when there is no datagram; otherwise those of [`peek_sender`](Self::peek_sender).
    pub fn try_peek_sender(&self) -> io::Result<SocketAddr> {
        self.io.try_io(Interest::READABLE, sender)
    }
}

fn sender(socket: &mio::net::UdpSocket) -> io::Result<SocketAddr> {
    let sender = SockRef::from(socket).peek_sender()?;
    sender.as_socket().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "not an IP address"))
}
