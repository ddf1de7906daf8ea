//! A Unix stream socket.

use std::io::{self, IoSlice, Write};
use std::mem::MaybeUninit;
use std::os::fd::AsFd;
use std::path::Path;

use super::SocketAddr;
use crate::context;
use crate::evented::{Done, Evented, Left};
use crate::handle::Io;
use crate::net::BOTH;
use crate::net::common::{readable_api, readiness_api, writable_api};
use crate::net::connection::{connection_api, ends_by_end_now};
use crate::net::stream::{async_read, async_write};
use crate::net::transfer::{readable_by_read_now, try_read_api, try_write_api, writable_by_write_now};
use crate::offload;
use crate::readiness::{Interest, Ready};
use crate::sys::fd;

/// A connected Unix stream socket. See [`TcpStream`](crate::net::TcpStream) for how it is read and written.
///
/// # Examples
///
/// ```
/// use futures::{AsyncReadExt, AsyncWriteExt};
/// use wheelhouse_io::net::UnixStream;
///
/// # wheelhouse_io::doc::run(async {
/// let (mut a, mut b) = UnixStream::pair()?;
/// a.write_all(b"hello").await?;
/// a.close().await?;
/// let mut text = String::new();
/// b.read_to_string(&mut text).await?;
/// assert_eq!(text, "hello");
/// # Ok(())
/// # });
/// ```
#[derive(Debug)]
pub struct UnixStream {
    pub(in crate::net) io: Evented<mio::net::UnixStream>,
}

readable_by_read_now!(UnixStream);
writable_by_write_now!(UnixStream);
async_read!(UnixStream);
async_write!(UnixStream);
ends_by_end_now!(UnixStream);

impl UnixStream {
    /// Connects to the socket at `path`.
    ///
    /// The kernel has no event for a listener whose backlog is full. The connection is then made by a blocking call
    /// on the runtime's blocking pool.
    ///
    /// # Errors
    ///
    /// Those of the operating system; [`Error::NoRuntime`](crate::Error::NoRuntime) inside when no reactor is
    /// current.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: a dropped future closes the attempt. A blocking call at work ends in the background.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::{UnixListener, UnixStream};
    ///
    /// # wheelhouse_io::doc::run(async {
    /// # let path = std::env::temp_dir().join(format!("wheelhouse-s1-{}", std::process::id()));
    /// # let listener = UnixListener::bind(&path)?;
    /// let stream = UnixStream::connect(&path).await?;
    /// assert_eq!(stream.peer_addr()?.as_pathname(), Some(&*path));
    /// # std::fs::remove_file(&path)?;
    /// # Ok(())
    /// # });
    /// ```
    pub async fn connect(path: impl AsRef<Path>) -> io::Result<UnixStream> {
        let path = path.as_ref();
        match mio::net::UnixStream::connect(path) {
            Ok(stream) => {
                let stream = UnixStream { io: Evented::new(stream, BOTH, Ready::EMPTY)? };
                stream.io.ready(Interest::WRITABLE).await?;
                match stream.io.take_error()? {
                    None => Ok(stream),
                    Some(error) => Err(error),
                }
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                let path = path.to_owned();
                let pool = context::current()?.blocking();
                let connect = move || std::os::unix::net::UnixStream::connect(path);
                UnixStream::from_std(offload::run(pool, connect).await?)
            }
            Err(error) => Err(error),
        }
    }

    /// Two sockets connected to each other.
    ///
    /// # Errors
    ///
    /// Those of the operating system; [`Error::NoRuntime`](crate::Error::NoRuntime) inside when no reactor is
    /// current.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::UnixStream;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (a, b) = UnixStream::pair()?;
    /// b.try_write(b"hello")?;
    /// a.readable().await?;
    /// assert_eq!(a.try_read(&mut [0; 16])?, 5);
    /// # Ok(())
    /// # });
    /// ```
    pub fn pair() -> io::Result<(UnixStream, UnixStream)> {
        let io = context::current()?;
        let (a, b) = mio::net::UnixStream::pair()?;
        Ok((UnixStream::connected(&io, a)?, UnixStream::connected(&io, b)?))
    }

    /// Takes over a connection of std's and makes it non-blocking.
    ///
    /// # Errors
    ///
    /// Those of the operating system; [`Error::NoRuntime`](crate::Error::NoRuntime) inside when no reactor is
    /// current.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::UnixStream;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (a, _b) = std::os::unix::net::UnixStream::pair()?;
    /// let stream = UnixStream::from_std(a)?;
    /// # drop(stream);
    /// # Ok(())
    /// # });
    /// ```
    pub fn from_std(stream: std::os::unix::net::UnixStream) -> io::Result<UnixStream> {
        stream.set_nonblocking(true)?;
        UnixStream::connected(&context::current()?, mio::net::UnixStream::from_std(stream))
    }

    /// A connection that is worth a try in both directions before any event says so.
    pub(crate) fn connected(io: &Io, stream: mio::net::UnixStream) -> io::Result<UnixStream> {
        Ok(UnixStream { io: Evented::with_io(io, stream, BOTH, Ready::READABLE | Ready::WRITABLE)? })
    }

    /// Gives the connection back to std, still non-blocking.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::UnixStream;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (a, b) = UnixStream::pair()?;
    /// let std = a.into_std()?;
    /// std.set_nonblocking(false)?;
    /// # drop(b);
    /// # Ok(())
    /// # });
    /// ```
    pub fn into_std(self) -> io::Result<std::os::unix::net::UnixStream> {
        Ok(self.io.into_inner()?.into())
    }

    connection_api!(SocketAddr);
    readiness_api!();
    readable_api!();
    writable_api!();
    try_read_api!();
    try_write_api!();

    /// A short read says nothing here: it also ends where passed descriptors or credentials change.
    fn read_now(&self, stream: &mio::net::UnixStream, buf: &mut [MaybeUninit<u8>]) -> io::Result<Done<usize>> {
        Ok(Done { value: fd::read(stream.as_fd(), buf)?, left: Left::Unknown })
    }

    fn write_now(&self, mut stream: &mio::net::UnixStream, buf: &[u8]) -> io::Result<Done<usize>> {
        Ok(Done { value: stream.write(buf)?, left: Left::Unknown })
    }

    fn write_vectored_now(&self, mut stream: &mio::net::UnixStream, bufs: &[IoSlice<'_>]) -> io::Result<Done<usize>> {
        Ok(Done { value: stream.write_vectored(bufs)?, left: Left::Unknown })
    }
}
