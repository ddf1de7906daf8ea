//! A Unix datagram socket.

use std::io;
use std::net::Shutdown;
use std::path::Path;
use std::task::{Context, Poll};

use super::SocketAddr;
use crate::context;
use crate::evented::{Evented, Shared};
use crate::handle::Io;
use crate::net::BOTH;
use crate::net::common::{readable_api, readiness_api, writable_api};
use crate::readiness::{Interest, Ready};

/// A Unix datagram socket. Any number of tasks may send and receive at the same time.
///
/// # Examples
///
/// ```
/// # mod support { include!("../../../tests/support/mod.rs"); }
/// use wheelhouse_io::net::UnixDatagram;
///
/// # support::run(async {
/// let (a, b) = UnixDatagram::pair()?;
/// a.send(b"hello").await?;
/// let mut buf = [0; 16];
/// let n = b.recv(&mut buf).await?;
/// assert_eq!(&buf[..n], b"hello");
/// # Ok(())
/// # }).unwrap();
/// ```
#[derive(Debug)]
pub struct UnixDatagram {
    pub(in crate::net) io: Evented<mio::net::UnixDatagram>,
}

impl UnixDatagram {
    /// Binds to `path`, which must not exist.
    ///
    /// # Errors
    ///
    /// Those of the operating system; [`Error::NoRuntime`](crate::Error::NoRuntime) inside when no reactor is
    /// current.
    pub fn bind(path: impl AsRef<Path>) -> io::Result<UnixDatagram> {
        UnixDatagram::with_io(&context::current()?, mio::net::UnixDatagram::bind(path)?)
    }

    /// A socket without an address: it can send, and receive once connected.
    ///
    /// # Errors
    ///
    /// Those of [`bind`](Self::bind).
    pub fn unbound() -> io::Result<UnixDatagram> {
        UnixDatagram::with_io(&context::current()?, mio::net::UnixDatagram::unbound()?)
    }

    /// Two sockets connected to each other.
    ///
    /// # Errors
    ///
    /// Those of [`bind`](Self::bind).
    pub fn pair() -> io::Result<(UnixDatagram, UnixDatagram)> {
        let io = context::current()?;
        let (a, b) = mio::net::UnixDatagram::pair()?;
        Ok((UnixDatagram::with_io(&io, a)?, UnixDatagram::with_io(&io, b)?))
    }

    /// Takes over a socket of std's and makes it non-blocking.
    ///
    /// # Errors
    ///
    /// Those of [`bind`](Self::bind).
    pub fn from_std(socket: std::os::unix::net::UnixDatagram) -> io::Result<UnixDatagram> {
        socket.set_nonblocking(true)?;
        UnixDatagram::with_io(&context::current()?, mio::net::UnixDatagram::from_std(socket))
    }

    fn with_io(io: &Io, socket: mio::net::UnixDatagram) -> io::Result<UnixDatagram> {
        Ok(UnixDatagram { io: Evented::with_io(io, socket, BOTH, Ready::READABLE | Ready::WRITABLE)? })
    }

    /// Gives the socket back to std, still non-blocking.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn into_std(self) -> io::Result<std::os::unix::net::UnixDatagram> {
        Ok(self.io.into_inner()?.into())
    }

    /// Makes the socket at `path` the only peer.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn connect(&self, path: impl AsRef<Path>) -> io::Result<()> {
        self.io.connect(path)
    }

    readiness_api!();
    readable_api!();
    writable_api!();

    /// Sends one datagram to the connected peer.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
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

    /// Sends one datagram to the socket at `path`.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: if the future is dropped before it is ready, nothing was sent.
    pub async fn send_to(&self, buf: &[u8], path: impl AsRef<Path>) -> io::Result<usize> {
        self.io.op(Interest::WRITABLE, |socket| socket.send_to(buf, path.as_ref())).await
    }

    /// [`send_to`](Self::send_to) without waiting.
    ///
    /// # Errors
    ///
    /// `WouldBlock` when there is no room; otherwise those of the operating system.
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

    /// [`recv_from`](Self::recv_from) without waiting.
    ///
    /// # Errors
    ///
    /// `WouldBlock` when there is none; otherwise those of the operating system.
    pub fn try_recv_from(&self, buf: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        self.io.try_io(Interest::READABLE, |socket| socket.recv_from(buf))
    }

    /// Closes one or both directions.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.io.shutdown(how)
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
    /// Those of the operating system.
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
}
