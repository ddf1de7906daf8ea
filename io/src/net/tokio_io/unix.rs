//! The same for Unix sockets and pipes.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{Exclusive, Writable, read};
use crate::net::unix::pipe::{Receiver, Sender};
use crate::net::unix::stream::UnixStream;

tokio_read! {
    [] UnixStream, |this| this;
    [] Receiver, |this| this;
}

tokio_write! {
    [] UnixStream, |this| this;
    [] Sender, |this| this;
}
