//! A TCP socket that accepts connections.

use std::io;
use std::net::SocketAddr;
use std::task::{Context, Poll};

use super::addr::{self, ToSocketAddrs};
use super::tcp_stream::TcpStream;
use crate::evented::{Evented, Shared};
use crate::readiness::{Interest, Ready};

/// A TCP socket that accepts connections. Any number of tasks may accept at the same time.
///
/// # Examples
///
/// ```
/// use futures::{AsyncReadExt, AsyncWriteExt};
/// use wheelhouse_io::net::{TcpListener, TcpStream};
///
/// # wheelhouse_io::doc::run(async {
/// let listener = TcpListener::bind("127.0.0.1:0").await?;
/// let mut client = TcpStream::connect(listener.local_addr()?).await?;
/// let (mut server, peer) = listener.accept().await?;
/// assert_eq!(peer, client.local_addr()?);
/// client.write_all(b"hello").await?;
/// let mut buf = [0; 5];
/// server.read_exact(&mut buf).await?;
/// assert_eq!(&buf, b"hello");
/// # Ok(())
/// # });
/// ```
#[derive(Debug)]
pub struct TcpListener {
    pub(super) io: Evented<mio::net::TcpListener>,
}

impl TcpListener {
    /// Listens on the first address of `addr` that can be bound.
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
    /// use wheelhouse_io::net::TcpListener;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let listener = TcpListener::bind("127.0.0.1:0").await?;
    /// assert_ne!(listener.local_addr()?.port(), 0);
    /// # Ok(())
    /// # });
    /// ```
    pub async fn bind(addr: impl ToSocketAddrs) -> io::Result<TcpListener> {
        addr::first_that_works(addr, |addr| async move { TcpListener::from_mio(mio::net::TcpListener::bind(addr)?) })
            .await
    }

    /// Takes over a listening socket of std's and makes it non-blocking.
    ///
    /// # Errors
    ///
    /// Those of the operating system; [`Error::NoRuntime`](crate::Error::NoRuntime) inside when no reactor is
    /// current.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::TcpListener;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let std = std::net::TcpListener::bind("127.0.0.1:0")?;
    /// let listener = TcpListener::from_std(std)?;
    /// # drop(listener);
    /// # Ok(())
    /// # });
    /// ```
    pub fn from_std(listener: std::net::TcpListener) -> io::Result<TcpListener> {
        listener.set_nonblocking(true)?;
        TcpListener::from_mio(mio::net::TcpListener::from_std(listener))
    }

    pub(crate) fn from_mio(listener: mio::net::TcpListener) -> io::Result<TcpListener> {
        Ok(TcpListener { io: Evented::new(listener, mio::Interest::READABLE, Ready::EMPTY)? })
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
    /// use wheelhouse_io::net::TcpListener;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let listener = TcpListener::bind("127.0.0.1:0").await?;
    /// let std = listener.into_std()?;
    /// std.set_nonblocking(false)?;
    /// # Ok(())
    /// # });
    /// ```
    pub fn into_std(self) -> io::Result<std::net::TcpListener> {
        Ok(self.io.into_inner()?.into())
    }

    /// The next connection and its peer's address.
    ///
    /// # Errors
    ///
    /// Those of the operating system. When descriptors run out the connection keeps waiting: the call after the
    /// error pends until the listener is worth another try, and accepts it once descriptors are back.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: no connection is lost.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::{TcpListener, TcpStream};
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let listener = TcpListener::bind("127.0.0.1:0").await?;
    /// let client = TcpStream::connect(listener.local_addr()?).await?;
    /// let (server, peer) = listener.accept().await?;
    /// assert_eq!(peer, client.local_addr()?);
    /// # drop(server);
    /// # Ok(())
    /// # });
    /// ```
    pub async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        self.io.op(Interest::READABLE, |listener| self.attempt(listener)).await
    }

    /// [`accept`](Self::accept) for hand-written futures. Every waker that waits is called.
    ///
    /// # Errors
    ///
    /// Those of [`accept`](Self::accept).
    ///
    /// # Examples
    ///
    /// ```
    /// use std::future::poll_fn;
    /// use wheelhouse_io::net::{TcpListener, TcpStream};
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let listener = TcpListener::bind("127.0.0.1:0").await?;
    /// let client = TcpStream::connect(listener.local_addr()?).await?;
    /// let (server, _peer) = poll_fn(|cx| listener.poll_accept(cx)).await?;
    /// assert_eq!(server.peer_addr()?, client.local_addr()?);
    /// # Ok(())
    /// # });
    /// ```
    pub fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<io::Result<(TcpStream, SocketAddr)>> {
        self.io.poll_io(cx, Interest::READABLE, Shared, |listener| self.attempt(listener))
    }

    fn attempt(&self, listener: &mio::net::TcpListener) -> io::Result<(TcpStream, SocketAddr)> {
        let (stream, peer) = self.io.or_starve(|| listener.accept())?;
        Ok((TcpStream::accepted(self.io.registration().io(), stream)?, peer))
    }

    /// The address it listens on.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::TcpListener;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let listener = TcpListener::bind("127.0.0.1:0").await?;
    /// assert!(listener.local_addr()?.ip().is_loopback());
    /// # Ok(())
    /// # });
    /// ```
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.io.local_addr()
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
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::TcpListener;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let listener = TcpListener::bind("127.0.0.1:0").await?;
    /// listener.set_ttl(64)?;
    /// assert_eq!(listener.ttl()?, 64);
    /// # Ok(())
    /// # });
    /// ```
    pub fn set_ttl(&self, ttl: u32) -> io::Result<()> {
        self.io.set_ttl(ttl)
    }
}
