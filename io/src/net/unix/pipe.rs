//! Unix pipes.

mod open;

use std::io::{self, IoSlice, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};

use crate::context;
use crate::evented::{Done, Evented, Left};
use crate::handle::Io;
use crate::net::common::{readable_api, readiness_api, writable_api};
use crate::net::stream::{async_read, async_write};
use crate::net::transfer::{readable_by_read_now, try_read_api, try_write_api, writable_by_write_now};
use crate::readiness::Ready;
use crate::sys::fd;

pub use open::OpenOptions;

/// The two ends of a new pipe.
///
/// # Errors
///
/// Those of the operating system; [`Error::NoRuntime`](crate::Error::NoRuntime) inside when no reactor is current.
///
/// # Examples
///
/// ```
/// use futures::{AsyncReadExt, AsyncWriteExt};
/// use wheelhouse_io::net::unix::pipe;
///
/// # wheelhouse_io::doc::run(async {
/// let (mut sender, mut receiver) = pipe::pipe()?;
/// sender.write_all(b"hello").await?;
/// drop(sender);
/// let mut text = String::new();
/// receiver.read_to_string(&mut text).await?;
/// assert_eq!(text, "hello");
/// # Ok(())
/// # });
/// ```
pub fn pipe() -> io::Result<(Sender, Receiver)> {
    let io = context::current()?;
    let (sender, receiver) = mio::unix::pipe::new()?;
    Ok((Sender::with_io(&io, sender)?, Receiver::with_io(&io, receiver)?))
}

/// The writing end of a pipe. Dropping it, or closing every copy of it, ends the stream.
#[derive(Debug)]
pub struct Sender {
    pub(in crate::net) io: Evented<mio::unix::pipe::Sender>,
}

/// The reading end of a pipe.
#[derive(Debug)]
pub struct Receiver {
    pub(in crate::net) io: Evented<mio::unix::pipe::Receiver>,
}

writable_by_write_now!(Sender);
async_write!(Sender);
readable_by_read_now!(Receiver);
async_read!(Receiver);

impl Sender {
    /// Takes over the writing end of a pipe, or a FIFO open for writing, and makes it non-blocking.
    ///
    /// # Errors
    ///
    /// Those of the operating system; [`Error::NoRuntime`](crate::Error::NoRuntime) inside when no reactor is
    /// current.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::unix::pipe;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (sender, receiver) = pipe::pipe()?;
    /// let fd = sender.into_nonblocking_fd()?;
    /// let sender = pipe::Sender::from_owned_fd(fd)?;
    /// # drop((sender, receiver));
    /// # Ok(())
    /// # });
    /// ```
    pub fn from_owned_fd(fd: OwnedFd) -> io::Result<Sender> {
        let sender = mio::unix::pipe::Sender::from(fd);
        sender.set_nonblocking(true)?;
        Sender::with_io(&context::current()?, sender)
    }

    fn with_io(io: &Io, sender: mio::unix::pipe::Sender) -> io::Result<Sender> {
        Ok(Sender { io: Evented::with_io(io, sender, mio::Interest::WRITABLE, Ready::WRITABLE)? })
    }

    /// The bare descriptor, still non-blocking.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::unix::pipe;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (sender, receiver) = pipe::pipe()?;
    /// let fd = sender.into_nonblocking_fd()?;
    /// # drop((fd, receiver));
    /// # Ok(())
    /// # });
    /// ```
    pub fn into_nonblocking_fd(self) -> io::Result<OwnedFd> {
        Ok(self.io.into_inner()?.into())
    }

    readiness_api!();
    writable_api!();
    try_write_api!();

    fn write_now(&self, mut pipe: &mio::unix::pipe::Sender, buf: &[u8]) -> io::Result<Done<usize>> {
        Ok(Done { value: pipe.write(buf)?, left: Left::Unknown })
    }

    fn write_vectored_now(&self, mut pipe: &mio::unix::pipe::Sender, bufs: &[IoSlice<'_>]) -> io::Result<Done<usize>> {
        Ok(Done { value: pipe.write_vectored(bufs)?, left: Left::Unknown })
    }

    /// A pipe ends when its last writing end is closed, no earlier.
    fn end_now(&self) -> io::Result<()> {
        Ok(())
    }
}

impl Receiver {
    /// Takes over the reading end of a pipe, or a FIFO open for reading, and makes it non-blocking.
    ///
    /// # Errors
    ///
    /// Those of the operating system; [`Error::NoRuntime`](crate::Error::NoRuntime) inside when no reactor is
    /// current.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::unix::pipe;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (sender, receiver) = pipe::pipe()?;
    /// let fd = receiver.into_nonblocking_fd()?;
    /// let receiver = pipe::Receiver::from_owned_fd(fd)?;
    /// # drop((sender, receiver));
    /// # Ok(())
    /// # });
    /// ```
    pub fn from_owned_fd(fd: OwnedFd) -> io::Result<Receiver> {
        let receiver = mio::unix::pipe::Receiver::from(fd);
        receiver.set_nonblocking(true)?;
        Receiver::with_io(&context::current()?, receiver)
    }

    fn with_io(io: &Io, receiver: mio::unix::pipe::Receiver) -> io::Result<Receiver> {
        Ok(Receiver { io: Evented::with_io(io, receiver, mio::Interest::READABLE, Ready::READABLE)? })
    }

    /// The bare descriptor, still non-blocking.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::unix::pipe;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let (sender, receiver) = pipe::pipe()?;
    /// let fd = receiver.into_nonblocking_fd()?;
    /// # drop((fd, sender));
    /// # Ok(())
    /// # });
    /// ```
    pub fn into_nonblocking_fd(self) -> io::Result<OwnedFd> {
        Ok(self.io.into_inner()?.into())
    }

    readiness_api!();
    readable_api!();
    try_read_api!();

    /// A short read says nothing here: a pipe may carry packets.
    fn read_now(&self, pipe: &mio::unix::pipe::Receiver, buf: &mut [MaybeUninit<u8>]) -> io::Result<Done<usize>> {
        Ok(Done { value: fd::read(pipe.as_fd(), buf)?, left: Left::Unknown })
    }
}
