//! Options of TCP connections.

use std::io;
use std::time::Duration;

use socket2::SockRef;

use super::TcpStream;

impl TcpStream {
    /// Whether small writes are sent at once.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn nodelay(&self) -> io::Result<bool> {
        self.io.nodelay()
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
    /// use wheelhouse_io::net::{TcpListener, TcpStream};
    ///
    /// # wheelhouse_io::doc::run(async {
    /// # let listener = TcpListener::bind("127.0.0.1:0").await?;
    /// # let addr = listener.local_addr()?;
    /// let stream = TcpStream::connect(addr).await?;
    /// stream.set_nodelay(true)?;
    /// assert!(stream.nodelay()?);
    /// # Ok(())
    /// # });
    /// ```
    pub fn set_nodelay(&self, nodelay: bool) -> io::Result<()> {
        self.io.set_nodelay(nodelay)
    }

    /// The time-to-live of packets sent.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn ttl(&self) -> io::Result<u32> {
        self.io.ttl()
    }

    /// Sets the time-to-live of packets sent.
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
    /// stream.set_ttl(64)?;
    /// assert_eq!(stream.ttl()?, 64);
    /// # Ok(())
    /// # });
    /// ```
    pub fn set_ttl(&self, ttl: u32) -> io::Result<()> {
        self.io.set_ttl(ttl)
    }

    /// How long closing waits for unsent data.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn linger(&self) -> io::Result<Option<Duration>> {
        SockRef::from(&*self.io).linger()
    }

    /// Sets how long closing waits for unsent data, in whole seconds. Zero discards it and resets the connection. A
    /// positive time makes dropping the stream block.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wheelhouse_io::net::{TcpListener, TcpStream};
    ///
    /// # wheelhouse_io::doc::run(async {
    /// # let listener = TcpListener::bind("127.0.0.1:0").await?;
    /// # let addr = listener.local_addr()?;
    /// let stream = TcpStream::connect(addr).await?;
    /// stream.set_linger(Some(Duration::ZERO))?;
    /// assert_eq!(stream.linger()?, Some(Duration::ZERO));
    /// # Ok(())
    /// # });
    /// ```
    pub fn set_linger(&self, linger: Option<Duration>) -> io::Result<()> {
        SockRef::from(&*self.io).set_linger(linger)
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
