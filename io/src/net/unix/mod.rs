//! Unix domain sockets and pipes.

pub(crate) mod datagram;
pub(crate) mod listener;
pub mod pipe;
pub(crate) mod stream;
mod ucred;

use super::split;
use stream::UnixStream;

pub use std::os::unix::net::SocketAddr;
pub use ucred::UCred;

/// The reading half of a borrowed [`UnixStream`]. See [`UnixStream::split`].
pub type ReadHalf<'a> = split::ReadHalf<'a, UnixStream>;
/// The writing half of a borrowed [`UnixStream`]. See [`UnixStream::split`].
pub type WriteHalf<'a> = split::WriteHalf<'a, UnixStream>;
/// The reading half of an owned [`UnixStream`]. See [`UnixStream::into_split`].
pub type OwnedReadHalf = split::OwnedReadHalf<UnixStream>;
/// The writing half of an owned [`UnixStream`], which ends the stream when dropped. See [`UnixStream::into_split`].
pub type OwnedWriteHalf = split::OwnedWriteHalf<UnixStream>;
/// Two halves of different streams cannot be reunited.
pub type ReuniteError = split::ReuniteError<UnixStream>;
