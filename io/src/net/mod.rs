//! Sockets.

mod addr;
mod split;
mod stream;
mod tcp_listener;
mod tcp_stream;

pub use addr::{ToSocketAddrs, lookup_host};
pub use tcp_listener::TcpListener;
pub use tcp_stream::TcpStream;

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
