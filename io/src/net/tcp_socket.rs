//! A TCP socket before it connects or listens.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use socket2::{Domain, Protocol, Socket, Type};

use super::tcp_listener::TcpListener;
use super::tcp_stream::TcpStream;
use crate::sys::connecting::is_in_progress;

/// A TCP socket before it connects or listens: for options that must be set by then.
///
/// # Examples
///
/// ```
/// # mod support { include!("../../tests/support/mod.rs"); }
/// use wheelhouse_io::net::TcpSocket;
///
/// # support::run(async {
/// let socket = TcpSocket::new_v4()?;
/// socket.set_reuseaddr(true)?;
/// socket.bind("127.0.0.1:0".parse().unwrap())?;
/// let listener = socket.listen(1024)?;
///
/// let client = TcpSocket::new_v4()?.connect(listener.local_addr()?).await?;
/// assert_eq!(client.peer_addr()?, listener.local_addr()?);
/// # Ok(())
/// # }).unwrap();
/// ```
#[derive(Debug)]
pub struct TcpSocket {
    pub(in crate::net) socket: Socket,
}

impl TcpSocket {
    /// A socket for IPv4.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn new_v4() -> io::Result<TcpSocket> {
        TcpSocket::new(Domain::IPV4)
    }

    /// A socket for IPv6.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn new_v6() -> io::Result<TcpSocket> {
        TcpSocket::new(Domain::IPV6)
    }

    fn new(domain: Domain) -> io::Result<TcpSocket> {
        let socket = Socket::new(domain, Type::STREAM, Some(Protocol::TCP))?;
        socket.set_nonblocking(true)?;
        Ok(TcpSocket { socket })
    }

    /// Binds it to `addr`.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn bind(&self, addr: SocketAddr) -> io::Result<()> {
        self.socket.bind(&addr.into())
    }

    /// Connects to `addr`.
    ///
    /// # Errors
    ///
    /// Those of the operating system; [`Error::NoRuntime`](crate::Error::NoRuntime) inside when no reactor is
    /// current.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: a dropped future closes the attempt.
    pub async fn connect(self, addr: SocketAddr) -> io::Result<TcpStream> {
        match self.socket.connect(&addr.into()) {
            Err(error) if !is_in_progress(&error) => Err(error),
            _ => TcpStream::connecting(mio::net::TcpStream::from_std(self.socket.into())).await,
        }
    }

    /// Listens, with room for `backlog` connections that wait to be accepted.
    ///
    /// # Errors
    ///
    /// Those of the operating system; [`Error::NoRuntime`](crate::Error::NoRuntime) inside when no reactor is
    /// current.
    pub fn listen(self, backlog: u32) -> io::Result<TcpListener> {
        self.socket.listen(i32::try_from(backlog).unwrap_or(i32::MAX))?;
        TcpListener::from_mio(mio::net::TcpListener::from_std(self.socket.into()))
    }

    /// The address it is bound to.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        let addr = self.socket.local_addr()?;
        addr.as_socket().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "not an IP address"))
    }

    /// The error that waits on the socket, if any; it is taken.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn take_error(&self) -> io::Result<Option<io::Error>> {
        self.socket.take_error()
    }

    /// Whether an address may be bound that closed connections still linger on.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn reuseaddr(&self) -> io::Result<bool> {
        self.socket.reuse_address()
    }

    /// Sets whether an address may be bound that closed connections still linger on.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn set_reuseaddr(&self, on: bool) -> io::Result<()> {
        self.socket.set_reuse_address(on)
    }

    /// Whether the peer is probed while the connection is quiet.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn keepalive(&self) -> io::Result<bool> {
        self.socket.keepalive()
    }

    /// Sets whether the peer is probed while the connection is quiet.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn set_keepalive(&self, on: bool) -> io::Result<()> {
        self.socket.set_keepalive(on)
    }

    /// Whether small writes are sent at once.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn nodelay(&self) -> io::Result<bool> {
        self.socket.tcp_nodelay()
    }

    /// Sends small writes at once, instead of collecting them while an acknowledgement is due.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn set_nodelay(&self, on: bool) -> io::Result<()> {
        self.socket.set_tcp_nodelay(on)
    }

    /// How long closing waits for unsent data.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn linger(&self) -> io::Result<Option<Duration>> {
        self.socket.linger()
    }

    /// Sets how long closing waits for unsent data. See [`TcpStream::set_linger`].
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn set_linger(&self, linger: Option<Duration>) -> io::Result<()> {
        self.socket.set_linger(linger)
    }

    /// The size of the kernel's send buffer, in bytes.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn send_buffer_size(&self) -> io::Result<usize> {
        self.socket.send_buffer_size()
    }

    /// Sets the size of the kernel's send buffer, in bytes; the kernel may round it.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn set_send_buffer_size(&self, size: usize) -> io::Result<()> {
        self.socket.set_send_buffer_size(size)
    }

    /// The size of the kernel's receive buffer, in bytes.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn recv_buffer_size(&self) -> io::Result<usize> {
        self.socket.recv_buffer_size()
    }

    /// Sets the size of the kernel's receive buffer, in bytes; the kernel may round it.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn set_recv_buffer_size(&self, size: usize) -> io::Result<()> {
        self.socket.set_recv_buffer_size(size)
    }
}
