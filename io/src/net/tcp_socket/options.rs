//! Options of TCP sockets that neither connect nor listen yet.

use std::io;
use std::time::Duration;

use super::TcpSocket;

impl TcpSocket {
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
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::TcpSocket;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let socket = TcpSocket::new_v4()?;
    /// socket.set_reuseaddr(true)?;
    /// assert!(socket.reuseaddr()?);
    /// # Ok(())
    /// # });
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::TcpSocket;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let socket = TcpSocket::new_v4()?;
    /// socket.set_keepalive(true)?;
    /// assert!(socket.keepalive()?);
    /// # Ok(())
    /// # });
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::TcpSocket;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let socket = TcpSocket::new_v4()?;
    /// socket.set_nodelay(true)?;
    /// assert!(socket.nodelay()?);
    /// # Ok(())
    /// # });
    /// ```
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

    /// Sets how long closing waits for unsent data. See [`TcpStream::set_linger`](crate::net::TcpStream::set_linger).
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wheelhouse_io::net::TcpSocket;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let socket = TcpSocket::new_v4()?;
    /// socket.set_linger(Some(Duration::from_secs(1)))?;
    /// assert_eq!(socket.linger()?, Some(Duration::from_secs(1)));
    /// # Ok(())
    /// # });
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::TcpSocket;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let socket = TcpSocket::new_v4()?;
    /// socket.set_send_buffer_size(65536)?;
    /// assert!(socket.send_buffer_size()? >= 65536);
    /// # Ok(())
    /// # });
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::TcpSocket;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let socket = TcpSocket::new_v4()?;
    /// socket.set_recv_buffer_size(65536)?;
    /// assert!(socket.recv_buffer_size()? >= 65536);
    /// # Ok(())
    /// # });
    /// ```
    pub fn set_recv_buffer_size(&self, size: usize) -> io::Result<()> {
        self.socket.set_recv_buffer_size(size)
    }

    /// Makes closing discard what is unsent and reset the connection: `set_linger` of no time, which never blocks.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn set_zero_linger(&self) -> io::Result<()> {
        self.set_linger(Some(Duration::ZERO))
    }
}
