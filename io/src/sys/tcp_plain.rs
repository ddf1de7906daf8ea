//! Receiving from a TCP stream where the kernel does not say whether anything is left.

use std::io;
use std::mem::MaybeUninit;

use socket2::SockRef;

use crate::evented::Done;

/// How a stream receives.
#[derive(Debug)]
pub(crate) struct Receiver;

impl Receiver {
    pub(crate) fn new() -> Self {
        Self
    }

    /// Receives into `buf`, which is initialised as far as the result says.
    pub(crate) fn receive(&self, stream: &mio::net::TcpStream, buf: &mut [MaybeUninit<u8>]) -> io::Result<Done<usize>> {
        let value = SockRef::from(stream).recv(buf)?;
        Ok(Done { value, drained: false })
    }

    /// The stream leaves: it goes as it came.
    pub(crate) fn release(&self, _stream: &mio::net::TcpStream) {}
}
