//! Sockets.
//!
//! # Waiting with `poll_*`
//!
//! The methods that wait and return a future, `readable` or `recv` say, may be awaited by any number of tasks at once. So
//! may the `poll_*` methods that take `&self`, and reading and writing through a shared reference such as `&TcpStream`:
//! every task that they made wait is woken. But nobody tells them that a task has lost interest, so the 33rd that waits on
//! one socket by them wakes the one that has waited longest, which polls again if it still cares.
//!
//! Where a method takes `&mut self`, as reading through `TcpStream` itself does, the last task to poll is woken.

mod addr;
mod common;
mod connection;
mod datagram;
#[cfg(unix)]
mod fd;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod linux;
mod split;
mod stream;
mod tcp_listener;
mod tcp_socket;
mod tcp_stream;
#[cfg(feature = "tokio-io")]
mod tokio_io;
#[cfg(any(
    target_os = "linux",
    target_os = "android",
    target_os = "macos",
    target_os = "freebsd",
    target_os = "dragonfly",
    target_os = "netbsd",
    target_os = "openbsd"
))]
mod traffic;
mod transfer;
mod udp;
#[cfg(unix)]
pub mod unix;

pub use addr::{ToSocketAddrs, lookup_host};
pub use tcp_listener::TcpListener;
pub use tcp_socket::TcpSocket;
pub use tcp_stream::TcpStream;
pub use udp::UdpSocket;
#[cfg(unix)]
pub use unix::{datagram::UnixDatagram, listener::UnixListener, stream::UnixStream};

const BOTH: mio::Interest = mio::Interest::READABLE.add(mio::Interest::WRITABLE);

/// The halves of a [`TcpStream`].
pub mod tcp {
    use super::{TcpStream, split};

    /// The reading half of a borrowed [`TcpStream`]. See [`TcpStream::split`].
    pub type ReadHalf<'a> = split::ReadHalf<'a, TcpStream>;
    /// The writing half of a borrowed [`TcpStream`]. See [`TcpStream::split`].
    pub type WriteHalf<'a> = split::WriteHalf<'a, TcpStream>;
    /// The reading half of an owned [`TcpStream`]. See [`TcpStream::into_split`].
    pub type OwnedReadHalf = split::OwnedReadHalf<TcpStream>;
    /// The writing half of an owned [`TcpStream`], which ends the stream when dropped. See
    /// [`TcpStream::into_split`].
    pub type OwnedWriteHalf = split::OwnedWriteHalf<TcpStream>;
    /// Two halves of different streams cannot be reunited.
    pub type ReuniteError = split::ReuniteError<TcpStream>;
}
