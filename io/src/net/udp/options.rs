//! Options of UDP sockets.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr};

use super::UdpSocket;

impl UdpSocket {
    /// Whether datagrams may be sent to a broadcast address.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn broadcast(&self) -> io::Result<bool> {
        self.io.broadcast()
    }

    /// Sets whether datagrams may be sent to a broadcast address.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::UdpSocket;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let socket = UdpSocket::bind("127.0.0.1:0").await?;
    /// socket.set_broadcast(true)?;
    /// assert!(socket.broadcast()?);
    /// # Ok(())
    /// # });
    /// ```
    pub fn set_broadcast(&self, on: bool) -> io::Result<()> {
        self.io.set_broadcast(on)
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
    /// use wheelhouse_io::net::UdpSocket;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let socket = UdpSocket::bind("127.0.0.1:0").await?;
    /// socket.set_ttl(64)?;
    /// assert_eq!(socket.ttl()?, 64);
    /// # Ok(())
    /// # });
    /// ```
    pub fn set_ttl(&self, ttl: u32) -> io::Result<()> {
        self.io.set_ttl(ttl)
    }

    /// Whether multicast packets sent over IPv4 come back to this machine.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn multicast_loop_v4(&self) -> io::Result<bool> {
        self.io.multicast_loop_v4()
    }

    /// Sets whether multicast packets sent over IPv4 come back to this machine.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::UdpSocket;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let socket = UdpSocket::bind("127.0.0.1:0").await?;
    /// socket.set_multicast_loop_v4(false)?;
    /// assert!(!socket.multicast_loop_v4()?);
    /// # Ok(())
    /// # });
    /// ```
    pub fn set_multicast_loop_v4(&self, on: bool) -> io::Result<()> {
        self.io.set_multicast_loop_v4(on)
    }

    /// How many hops multicast packets sent over IPv4 may take.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn multicast_ttl_v4(&self) -> io::Result<u32> {
        self.io.multicast_ttl_v4()
    }

    /// Sets how many hops multicast packets sent over IPv4 may take; 1, which keeps them in the local network, at first.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::net::UdpSocket;
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let socket = UdpSocket::bind("127.0.0.1:0").await?;
    /// socket.set_multicast_ttl_v4(4)?;
    /// assert_eq!(socket.multicast_ttl_v4()?, 4);
    /// # Ok(())
    /// # });
    /// ```
    pub fn set_multicast_ttl_v4(&self, ttl: u32) -> io::Result<()> {
        self.io.set_multicast_ttl_v4(ttl)
    }

    /// Whether multicast packets sent over IPv6 come back to this machine.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn multicast_loop_v6(&self) -> io::Result<bool> {
        self.io.multicast_loop_v6()
    }

    /// Sets whether multicast packets sent over IPv6 come back to this machine.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn set_multicast_loop_v6(&self, on: bool) -> io::Result<()> {
        self.io.set_multicast_loop_v6(on)
    }

    /// Joins the IPv4 multicast group `group` on the interface with the address `interface`.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn join_multicast_v4(&self, group: Ipv4Addr, interface: Ipv4Addr) -> io::Result<()> {
        self.io.join_multicast_v4(&group, &interface)
    }

    /// Leaves the IPv4 multicast group `group` on the interface with the address `interface`.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn leave_multicast_v4(&self, group: Ipv4Addr, interface: Ipv4Addr) -> io::Result<()> {
        self.io.leave_multicast_v4(&group, &interface)
    }

    /// Joins the IPv6 multicast group `group` on the interface with the index `interface`.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn join_multicast_v6(&self, group: &Ipv6Addr, interface: u32) -> io::Result<()> {
        self.io.join_multicast_v6(group, interface)
    }

    /// Leaves the IPv6 multicast group `group` on the interface with the index `interface`.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn leave_multicast_v6(&self, group: &Ipv6Addr, interface: u32) -> io::Result<()> {
        self.io.leave_multicast_v6(group, interface)
    }
}
