//! A TCP socket before it connects or listens.

mod options;

use std::io;
use std::net::SocketAddr;

use socket2::{Domain, Protocol, Socket, Type};

use super::tcp_listener::TcpListener;
use super::tcp_stream::TcpStream;
use crate::sys::connecting::is_in_progress;

/// A TCP socket before it connects or listens: for options that must be set by then.
///
/// # Examples
///
/// ```
/// use wheelhouse_io::net::TcpSocket;
///
/// # wheelhouse_io::doc::run(async {
/// let socket = TcpSocket::new_v4()?;
/// socket.set_reuseaddr(true)?;
/// socket.bind("127.0.0.1:0".parse().unwrap())?;
/// let listener = socket.listen(1024)?;
///
/// let client = TcpSocket::new_v4()?.connect(listener.local_addr()?).await?;
/// assert_eq!(client.peer_addr()?, listener.local_addr()?);
/// # Ok(())
/// # });
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
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::TcpSocket;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let socket = TcpSocket::new_v4()?;
    /// # drop(socket);
    /// # Ok(())
    /// # });
    /// ```
    pub fn new_v4() -> io::Result<TcpSocket> {
        TcpSocket::new(Domain::IPV4)
    }

    /// A socket for IPv6.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::TcpSocket;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let socket = TcpSocket::new_v6()?;
    /// # drop(socket);
    /// # Ok(())
    /// # });
    /// ```
    pub fn new_v6() -> io::Result<TcpSocket> {
        TcpSocket::new(Domain::IPV6)
    }

    /// Takes over a socket that was made elsewhere, with options that this crate does not know, and neither connects nor
    /// listens yet.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    ///
    /// # Examples
    ///
    /// ```
    /// use socket2::{Domain, Socket, Type};
    /// use wheelhouse_io::net::{TcpListener, TcpSocket};
    ///
    /// # wheelhouse_io::doc::run(async {
    /// # let listener = TcpListener::bind("127.0.0.1:0").await?;
    /// # let addr = listener.local_addr()?;
    /// let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
    /// let stream = TcpSocket::from_std_stream(socket.into())?.connect(addr).await?;
    /// assert_eq!(stream.peer_addr()?, addr);
    /// # Ok(())
    /// # });
    /// ```
    pub fn from_std_stream(socket: std::net::TcpStream) -> io::Result<TcpSocket> {
        socket.set_nonblocking(true)?;
        Ok(TcpSocket { socket: socket.into() })
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
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::TcpSocket;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let socket = TcpSocket::new_v4()?;
    /// socket.bind("127.0.0.1:0".parse().unwrap())?;
    /// assert_ne!(socket.local_addr()?.port(), 0);
    /// # Ok(())
    /// # });
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::{TcpListener, TcpSocket};
    ///
    /// # wheelhouse_io::doc::run(async {
    /// # let listener = TcpListener::bind("127.0.0.1:0").await?;
    /// # let addr = listener.local_addr()?;
    /// let stream = TcpSocket::new_v4()?.connect(addr).await?;
    /// assert_eq!(stream.peer_addr()?, addr);
    /// # Ok(())
    /// # });
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::TcpSocket;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let socket = TcpSocket::new_v4()?;
    /// socket.bind("127.0.0.1:0".parse().unwrap())?;
    /// let listener = socket.listen(1024)?;
    /// # drop(listener);
    /// # Ok(())
    /// # });
    /// ```
    pub fn listen(self, backlog: u32) -> io::Result<TcpListener> {
        self.socket.listen(i32::try_from(backlog).unwrap_or(i32::MAX))?;
        TcpListener::from_mio(mio::net::TcpListener::from_std(self.socket.into()))
    }

    /// The address it is bound to.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::TcpSocket;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let socket = TcpSocket::new_v4()?;
    /// socket.bind("127.0.0.1:0".parse().unwrap())?;
    /// assert!(socket.local_addr()?.ip().is_loopback());
    /// # Ok(())
    /// # });
    /// ```
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        let addr = self.socket.local_addr()?;
        addr.as_socket().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "not an IP address"))
    }

    /// The error that waits on the socket, if any; it is taken.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::TcpSocket;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let socket = TcpSocket::new_v4()?;
    /// assert!(socket.take_error()?.is_none());
    /// # Ok(())
    /// # });
    /// ```
    pub fn take_error(&self) -> io::Result<Option<io::Error>> {
        self.socket.take_error()
    }
}
