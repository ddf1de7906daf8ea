//! A TCP connection.

mod options;

use std::io::{self, IoSlice, Write};
use std::mem::MaybeUninit;
use std::net::SocketAddr;
use std::task::{Context, Poll};

use socket2::SockRef;

use super::addr::{self, ToSocketAddrs};
use super::common::{readable_api, readiness_api, writable_api};
use super::connection::{connection_api, ends_by_end_now};
use super::stream::{async_read, async_write, held_up};
use super::transfer::{readable_by_read_now, try_read_api, try_write_api, writable_by_write_now};
use crate::evented::{Done, Evented, Left, Shared};
use crate::handle::Io;
use crate::readiness::{Interest, Ready};
use crate::sys::tcp;

/// Buffers of no more bytes than this are written as one: on Linux a copy costs less than `writev` does beside `send`.
const GATHERED: usize = 1024;

/// A TCP connection.
///
/// It is read and written through futures-io's traits, by `&mut` or by shared reference: any number of tasks may
/// wait on a shared one, and an event wakes them all. Feature `tokio-io` adds tokio's traits.
///
/// # Examples
///
/// ```
/// use futures::{AsyncReadExt, AsyncWriteExt};
/// use wheelhouse_io::net::{TcpListener, TcpStream};
///
/// # wheelhouse_io::doc::run(async {
/// # let listener = TcpListener::bind("127.0.0.1:0").await?;
/// # let addr = listener.local_addr()?;
/// let mut stream = TcpStream::connect(addr).await?;
/// stream.write_all(b"ping").await?;
/// stream.close().await?;
/// # let (mut server, _) = listener.accept().await?;
/// # let mut text = String::new();
/// # server.read_to_string(&mut text).await?;
/// # assert_eq!(text, "ping");
/// # Ok(())
/// # });
/// ```
#[derive(Debug)]
pub struct TcpStream {
    pub(super) io: Evented<mio::net::TcpStream>,
    /// A receive that leaves room in its buffer has taken all there was, unless urgent data came.
    short_is_all: bool,
}

readable_by_read_now!(TcpStream);
writable_by_write_now!(TcpStream);
async_read!(TcpStream);
async_write!(TcpStream);
ends_by_end_now!(TcpStream);

impl TcpStream {
    /// Connects to the first address of `addr` that answers.
    ///
    /// # Errors
    ///
    /// The last address's error, or the resolver's; [`Error::NoRuntime`](crate::Error::NoRuntime) inside when no
    /// reactor is current.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: a dropped future closes the attempt.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::{TcpListener, TcpStream};
    ///
    /// # wheelhouse_io::doc::run(async {
    /// # let listener = TcpListener::bind("127.0.0.1:0").await?;
    /// # let addr = listener.local_addr()?;
    /// let stream = TcpStream::connect(addr).await?;
    /// assert_eq!(stream.peer_addr()?, addr);
    /// # Ok(())
    /// # });
    /// ```
    pub async fn connect(addr: impl ToSocketAddrs) -> io::Result<TcpStream> {
        addr::first_that_works(
            addr,
            |addr| async move { TcpStream::connecting(mio::net::TcpStream::connect(addr)?).await },
        )
        .await
    }

    /// Waits for the end of a connection attempt.
    pub(crate) async fn connecting(stream: mio::net::TcpStream) -> io::Result<TcpStream> {
        let stream = TcpStream::new(Evented::new(stream, tcp::INTEREST, Ready::EMPTY)?);
        stream.io.ready(Interest::WRITABLE).await?;
        match stream.io.take_error()? {
            None => Ok(stream),
            Some(error) => Err(error),
        }
    }

    /// A connection just accepted: worth a try in both directions before any event says so.
    pub(crate) fn accepted(io: &Io, stream: mio::net::TcpStream) -> io::Result<TcpStream> {
        Ok(TcpStream::new(Evented::with_io(io, stream, tcp::INTEREST, Ready::READABLE | Ready::WRITABLE)?))
    }

    fn new(io: Evented<mio::net::TcpStream>) -> TcpStream {
        TcpStream { io, short_is_all: tcp::TELLS_URGENT }
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
    /// use wheelhouse_io::net::{TcpListener, TcpStream};
    ///
    /// # wheelhouse_io::doc::run(async {
    /// # let listener = TcpListener::bind("127.0.0.1:0").await?;
    /// # let addr = listener.local_addr()?;
    /// let stream = TcpStream::connect(addr).await?;
    /// let std = stream.into_std()?;
    /// let stream = TcpStream::from_std(std)?;
    /// # drop(stream);
    /// # Ok(())
    /// # });
    /// ```
    pub fn from_std(stream: std::net::TcpStream) -> io::Result<TcpStream> {
        stream.set_nonblocking(true)?;
        let stream = mio::net::TcpStream::from_std(stream);
        let io = Evented::new(stream, tcp::INTEREST, Ready::READABLE | Ready::WRITABLE)?;
        // Urgent data may have come, and been taken, before any event of ours: then none will tell.
        Ok(TcpStream { io, short_is_all: false })
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
    /// use wheelhouse_io::net::{TcpListener, TcpStream};
    ///
    /// # wheelhouse_io::doc::run(async {
    /// # let listener = TcpListener::bind("127.0.0.1:0").await?;
    /// # let addr = listener.local_addr()?;
    /// let stream = TcpStream::connect(addr).await?;
    /// let std = stream.into_std()?;
    /// std.set_nonblocking(false)?;
    /// # Ok(())
    /// # });
    /// ```
    pub fn into_std(self) -> io::Result<std::net::TcpStream> {
        Ok(self.io.into_inner()?.into())
    }

    connection_api!(SocketAddr);
    readiness_api!();
    readable_api!();
    writable_api!();
    try_read_api!();
    try_write_api!();

    /// Reads without taking: the next read gives the same bytes again.
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
    /// use futures::AsyncWriteExt;
    /// use wheelhouse_io::net::{TcpListener, TcpStream};
    ///
    /// # wheelhouse_io::doc::run(async {
    /// # let listener = TcpListener::bind("127.0.0.1:0").await?;
    /// # let addr = listener.local_addr()?;
    /// let stream = TcpStream::connect(addr).await?;
    /// # let (mut server, _) = listener.accept().await?;
    /// # server.write_all(b"hello").await?;
    /// let mut buf = [0; 5];
    /// assert_eq!(stream.peek(&mut buf).await?, 5);
    /// assert_eq!(stream.peek(&mut buf).await?, 5);
    /// # Ok(())
    /// # });
    /// ```
    pub async fn peek(&self, buf: &mut [u8]) -> io::Result<usize> {
        self.io.op(Interest::READABLE, |stream| stream.peek(buf)).await
    }

    /// [`peek`](Self::peek) for hand-written futures. Every waker that waits is called.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::future::poll_fn;
    /// use futures::AsyncWriteExt;
    /// use wheelhouse_io::net::{TcpListener, TcpStream};
    ///
    /// # wheelhouse_io::doc::run(async {
    /// # let listener = TcpListener::bind("127.0.0.1:0").await?;
    /// # let addr = listener.local_addr()?;
    /// let stream = TcpStream::connect(addr).await?;
    /// # let (mut server, _) = listener.accept().await?;
    /// # server.write_all(b"hello").await?;
    /// let mut buf = [0; 5];
    /// assert_eq!(poll_fn(|cx| stream.poll_peek(cx, &mut buf)).await?, 5);
    /// # Ok(())
    /// # });
    /// ```
    pub fn poll_peek(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        self.io.poll_io(cx, Interest::READABLE, Shared, |stream| stream.peek(buf))
    }

    fn read_now(&self, stream: &mio::net::TcpStream, buf: &mut [MaybeUninit<u8>]) -> io::Result<Done<usize>> {
        let value = SockRef::from(stream).recv(buf)?;
        // Not at the end of the stream: every further receive tells of it again.
        let short = self.short_is_all && value > 0 && value < buf.len();
        Ok(Done { value, left: if short { Left::NothingBeforePriority } else { Left::Unknown } })
    }

    /// A short write was held up by a full buffer: there is no room until an event says so.
    fn write_now(&self, mut stream: &mio::net::TcpStream, buf: &[u8]) -> io::Result<Done<usize>> {
        let value = stream.write(buf)?;
        Ok(Done { value, left: Left::nothing_if(value < buf.len()) })
    }

    fn write_vectored_now(&self, mut stream: &mio::net::TcpStream, bufs: &[IoSlice<'_>]) -> io::Result<Done<usize>> {
        if let [buf] = bufs {
            return self.write_now(stream, buf);
        }
        let whole: usize = bufs.iter().map(|buf| buf.len()).sum();
        if whole <= GATHERED {
            let mut gathered = [0; GATHERED];
            let mut rest = &mut gathered[..whole];
            for buf in bufs {
                let (place, behind) = rest.split_at_mut(buf.len());
                place.copy_from_slice(buf);
                rest = behind;
            }
            return self.write_now(stream, &gathered[..whole]);
        }
        let value = stream.write_vectored(bufs)?;
        Ok(Done { value, left: Left::nothing_if(held_up(bufs, value)) })
    }
}
