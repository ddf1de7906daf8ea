//! A Unix socket that accepts connections.

use std::io;
use std::path::Path;
use std::task::{Context, Poll};

use super::SocketAddr;
use super::stream::UnixStream;
use crate::evented::{Evented, Shared};
use crate::readiness::{Interest, Ready};

/// A Unix socket that accepts connections. Any number of tasks may accept at the same time.
///
/// The path is not removed when the listener is dropped.
///
/// # Examples
///
/// ```
/// use futures::{AsyncReadExt, AsyncWriteExt};
/// use wheelhouse_io::net::{UnixListener, UnixStream};
///
/// # let path = std::env::temp_dir().join(format!("wheelhouse-doc-{}", std::process::id()));
/// # wheelhouse_io::doc::run(async {
/// let listener = UnixListener::bind(&path)?;
/// let mut client = UnixStream::connect(&path).await?;
/// let (mut server, _) = listener.accept().await?;
/// client.write_all(b"hello").await?;
/// let mut buf = [0; 5];
/// server.read_exact(&mut buf).await?;
/// # std::fs::remove_file(&path)?;
/// # Ok(())
/// # });
/// ```
#[derive(Debug)]
pub struct UnixListener {
    pub(in crate::net) io: Evented<mio::net::UnixListener>,
}

impl UnixListener {
    /// Listens on `path`, which must not exist.
    ///
    /// # Errors
    ///
    /// Those of the operating system; [`Error::NoRuntime`](crate::Error::NoRuntime) inside when no reactor is
    /// current.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::UnixListener;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// # let path = std::env::temp_dir().join(format!("wheelhouse-l1-{}", std::process::id()));
    /// let listener = UnixListener::bind(&path)?;
    /// # drop(listener);
    /// # std::fs::remove_file(&path)?;
    /// # Ok(())
    /// # });
    /// ```
    pub fn bind(path: impl AsRef<Path>) -> io::Result<UnixListener> {
        UnixListener::from_mio(mio::net::UnixListener::bind(path)?)
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
    /// use wheelhouse_io::net::UnixListener;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// # let path = std::env::temp_dir().join(format!("wheelhouse-l2-{}", std::process::id()));
    /// let std = std::os::unix::net::UnixListener::bind(&path)?;
    /// let listener = UnixListener::from_std(std)?;
    /// # drop(listener);
    /// # std::fs::remove_file(&path)?;
    /// # Ok(())
    /// # });
    /// ```
    pub fn from_std(listener: std::os::unix::net::UnixListener) -> io::Result<UnixListener> {
        listener.set_nonblocking(true)?;
        UnixListener::from_mio(mio::net::UnixListener::from_std(listener))
    }

    fn from_mio(listener: mio::net::UnixListener) -> io::Result<UnixListener> {
        Ok(UnixListener { io: Evented::new(listener, mio::Interest::READABLE, Ready::EMPTY)? })
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
    /// use wheelhouse_io::net::UnixListener;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// # let path = std::env::temp_dir().join(format!("wheelhouse-l3-{}", std::process::id()));
    /// let std = UnixListener::bind(&path)?.into_std()?;
    /// std.set_nonblocking(false)?;
    /// # std::fs::remove_file(&path)?;
    /// # Ok(())
    /// # });
    /// ```
    pub fn into_std(self) -> io::Result<std::os::unix::net::UnixListener> {
        Ok(self.io.into_inner()?.into())
    }

    /// The next connection and its peer's address, which mostly is unnamed.
    ///
    /// # Errors
    ///
    /// As for [`TcpListener::accept`](crate::net::TcpListener::accept), also when descriptors run out.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: no connection is lost.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::{UnixListener, UnixStream};
    ///
    /// # wheelhouse_io::doc::run(async {
    /// # let path = std::env::temp_dir().join(format!("wheelhouse-l4-{}", std::process::id()));
    /// let listener = UnixListener::bind(&path)?;
    /// let client = UnixStream::connect(&path).await?;
    /// let (server, _peer) = listener.accept().await?;
    /// # drop((client, server));
    /// # std::fs::remove_file(&path)?;
    /// # Ok(())
    /// # });
    /// ```
    pub async fn accept(&self) -> io::Result<(UnixStream, SocketAddr)> {
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
    /// use wheelhouse_io::net::{UnixListener, UnixStream};
    ///
    /// # wheelhouse_io::doc::run(async {
    /// # let path = std::env::temp_dir().join(format!("wheelhouse-l5-{}", std::process::id()));
    /// let listener = UnixListener::bind(&path)?;
    /// let client = UnixStream::connect(&path).await?;
    /// let (server, _peer) = poll_fn(|cx| listener.poll_accept(cx)).await?;
    /// # drop((client, server));
    /// # std::fs::remove_file(&path)?;
    /// # Ok(())
    /// # });
    /// ```
    pub fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<io::Result<(UnixStream, SocketAddr)>> {
        self.io.poll_io(cx, Interest::READABLE, Shared, |listener| self.attempt(listener))
    }

    fn attempt(&self, listener: &mio::net::UnixListener) -> io::Result<(UnixStream, SocketAddr)> {
        let (stream, peer) = self.io.or_starve(|| listener.accept())?;
        Ok((UnixStream::connected(self.io.registration().io(), stream)?, peer))
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
    /// use wheelhouse_io::net::UnixListener;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// # let path = std::env::temp_dir().join(format!("wheelhouse-l6-{}", std::process::id()));
    /// let listener = UnixListener::bind(&path)?;
    /// assert_eq!(listener.local_addr()?.as_pathname(), Some(&*path));
    /// # std::fs::remove_file(&path)?;
    /// # Ok(())
    /// # });
    /// ```
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.io.local_addr()
    }

    /// The error that waits on the socket, which is taken off it.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn take_error(&self) -> io::Result<Option<io::Error>> {
        self.io.take_error()
    }
}
