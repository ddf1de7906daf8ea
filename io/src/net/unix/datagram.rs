//! A Unix datagram socket.

mod transfer;

use std::io;
use std::net::Shutdown;
use std::path::Path;

use super::SocketAddr;
use crate::context;
use crate::evented::Evented;
use crate::handle::Io;
use crate::net::BOTH;
use crate::net::common::{readable_api, readiness_api, writable_api};
use crate::net::datagram::datagram_ready_api;
use crate::readiness::Ready;

/// A Unix datagram socket. Any number of tasks may send and receive at the same time.
///
/// # Examples
///
/// ```
/// use wheelhouse_io::net::UnixDatagram;
///
/// # wheelhouse_io::doc::run(async {
/// let (a, b) = UnixDatagram::pair()?;
/// a.send(b"hello").await?;
/// let mut buf = [0; 16];
/// let n = b.recv(&mut buf).await?;
/// assert_eq!(&buf[..n], b"hello");
/// # Ok(())
/// # });
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
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::UnixDatagram;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// # let path = std::env::temp_dir().join(format!("wheelhouse-d1-{}", std::process::id()));
    /// let socket = UnixDatagram::bind(&path)?;
    /// assert_eq!(socket.local_addr()?.as_pathname(), Some(&*path));
    /// # std::fs::remove_file(&path)?;
    /// # Ok(())
    /// # });
    /// ```
    pub fn bind(path: impl AsRef<Path>) -> io::Result<UnixDatagram> {
        UnixDatagram::with_io(&context::current()?, mio::net::UnixDatagram::bind(path)?)
    }

    /// A socket without an address: it can send, and receive once connected.
    ///
    /// # Errors
    ///
    /// Those of [`bind`](Self::bind).
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::UnixDatagram;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let socket = UnixDatagram::unbound()?;
    /// assert!(socket.local_addr()?.is_unnamed());
    /// # Ok(())
    /// # });
    /// ```
    pub fn unbound() -> io::Result<UnixDatagram> {
        UnixDatagram::with_io(&context::current()?, mio::net::UnixDatagram::unbound()?)
    }

    /// Two sockets connected to each other.
    ///
    /// # Errors
    ///
    /// Those of [`bind`](Self::bind).
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
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::UnixDatagram;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let socket = UnixDatagram::from_std(std::os::unix::net::UnixDatagram::unbound()?)?;
    /// # drop(socket);
    /// # Ok(())
    /// # });
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::UnixDatagram;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let std = UnixDatagram::unbound()?.into_std()?;
    /// std.set_nonblocking(false)?;
    /// # Ok(())
    /// # });
    /// ```
    pub fn into_std(self) -> io::Result<std::os::unix::net::UnixDatagram> {
        Ok(self.io.into_inner()?.into())
    }

    /// Makes the socket at `path` the only peer.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::UnixDatagram;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// # let path = std::env::temp_dir().join(format!("wheelhouse-d2-{}", std::process::id()));
    /// let server = UnixDatagram::bind(&path)?;
    /// let client = UnixDatagram::unbound()?;
    /// client.connect(&path)?;
    /// client.send(b"hello").await?;
    /// # drop(server);
    /// # std::fs::remove_file(&path)?;
    /// # Ok(())
    /// # });
    /// ```
    pub fn connect(&self, path: impl AsRef<Path>) -> io::Result<()> {
        self.io.connect(path)
    }

    readiness_api!();
    readable_api!();
    writable_api!();
    datagram_ready_api!();

    /// Closes one or both directions.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::net::Shutdown;
    /// use wheelhouse_io::net::UnixDatagram;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (a, b) = UnixDatagram::pair()?;
    /// a.shutdown(Shutdown::Both)?;
    /// # drop(b);
    /// # Ok(())
    /// # });
    /// ```
    pub fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.io.shutdown(how)
    }

    /// The address it is bound to.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::UnixDatagram;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (a, b) = UnixDatagram::pair()?;
    /// assert!(a.local_addr()?.is_unnamed());
    /// # drop(b);
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
    /// Those of the operating system.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::UnixDatagram;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (a, b) = UnixDatagram::pair()?;
    /// assert!(a.peer_addr()?.is_unnamed());
    /// # drop(b);
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
    /// use wheelhouse_io::net::UnixDatagram;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (a, b) = UnixDatagram::pair()?;
    /// assert!(a.take_error()?.is_none());
    /// # drop(b);
    /// # Ok(())
    /// # });
    /// ```
    pub fn take_error(&self) -> io::Result<Option<io::Error>> {
        self.io.take_error()
    }
}
