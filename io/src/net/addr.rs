//! Names to addresses.

use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::vec;

use crate::context;
use crate::offload;

/// What can be turned into socket addresses: addresses at once, names by the system's resolver, which blocks and so
/// runs on the runtime's blocking pool (on a thread of its own where there is none).
///
/// # Examples
///
/// ```
/// use wheelhouse_io::net::lookup_host;
///
/// # wheelhouse_io::doc::run(async {
/// let first = lookup_host("127.0.0.1:80").await?.next();
/// assert_eq!(first, Some("127.0.0.1:80".parse().unwrap()));
/// # Ok(())
/// # });
/// ```
pub trait ToSocketAddrs: sealed::Resolve {}

impl<T: sealed::Resolve + ?Sized> ToSocketAddrs for T {}

/// The addresses of `host`, a name with a port or anything else that [`ToSocketAddrs`] covers.
///
/// # Errors
///
/// Those of the resolver; a name without a port is of kind `InvalidInput`.
///
/// # Cancel safety
///
/// Dropping the future abandons the look-up; a resolver at work ends in the background.
///
/// # Examples
///
/// ```
/// use wheelhouse_io::net::lookup_host;
///
/// # wheelhouse_io::doc::run(async {
/// for addr in lookup_host(("localhost", 80)).await? {
///     assert!(addr.ip().is_loopback());
/// }
/// # Ok(())
/// # });
/// ```
pub async fn lookup_host(host: impl ToSocketAddrs) -> io::Result<impl Iterator<Item = SocketAddr>> {
    resolve(&host).await
}

/// The addresses of `host`.
pub(crate) async fn resolve(host: &(impl ToSocketAddrs + ?Sized)) -> io::Result<vec::IntoIter<SocketAddr>> {
    match host.resolve() {
        sealed::Resolution::Known(addrs) => Ok(addrs.into_iter()),
        sealed::Resolution::Name(name) => look_up(move || std::net::ToSocketAddrs::to_socket_addrs(&*name)).await,
        sealed::Resolution::NameAndPort(name, port) => {
            look_up(move || std::net::ToSocketAddrs::to_socket_addrs(&(&*name, port))).await
        }
    }
}

fn look_up(
    resolver: impl FnOnce() -> io::Result<vec::IntoIter<SocketAddr>> + Send + 'static,
) -> impl Future<Output = io::Result<vec::IntoIter<SocketAddr>>> {
    let pool = context::current().ok().and_then(|io| io.blocking());
    offload::run(pool, resolver)
}

/// Tries `attempt` with each address of `host` until one succeeds; the last error otherwise.
pub(crate) async fn first_that_works<T, F: Future<Output = io::Result<T>>>(
    host: impl ToSocketAddrs,
    mut attempt: impl FnMut(SocketAddr) -> F,
) -> io::Result<T> {
    let mut error = None;
    for addr in resolve(&host).await? {
        match attempt(addr).await {
            Ok(value) => return Ok(value),
            Err(failed) => error = Some(failed),
        }
    }
    Err(error.unwrap_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the name has no addresses")))
}

mod sealed {
    use std::net::SocketAddr;

    #[derive(Debug)]
    pub enum Resolution {
        Known(Vec<SocketAddr>),
        /// `name:port`
        Name(String),
        NameAndPort(String, u16),
    }

    pub trait Resolve {
        fn resolve(&self) -> Resolution;
    }
}

use sealed::{Resolution, Resolve};

impl<T: Resolve + ?Sized> Resolve for &T {
    fn resolve(&self) -> Resolution {
        (**self).resolve()
    }
}

impl Resolve for SocketAddr {
    fn resolve(&self) -> Resolution {
        Resolution::Known(vec![*self])
    }
}

impl Resolve for SocketAddrV4 {
    fn resolve(&self) -> Resolution {
        Resolution::Known(vec![(*self).into()])
    }
}

impl Resolve for SocketAddrV6 {
    fn resolve(&self) -> Resolution {
        Resolution::Known(vec![(*self).into()])
    }
}

impl Resolve for (IpAddr, u16) {
    fn resolve(&self) -> Resolution {
        Resolution::Known(vec![(*self).into()])
    }
}

impl Resolve for (Ipv4Addr, u16) {
    fn resolve(&self) -> Resolution {
        Resolution::Known(vec![(*self).into()])
    }
}

impl Resolve for (Ipv6Addr, u16) {
    fn resolve(&self) -> Resolution {
        Resolution::Known(vec![(*self).into()])
    }
}

impl Resolve for [SocketAddr] {
    fn resolve(&self) -> Resolution {
        Resolution::Known(self.to_vec())
    }
}

impl Resolve for str {
    fn resolve(&self) -> Resolution {
        match self.parse() {
            Ok(addr) => Resolution::Known(vec![addr]),
            Err(_) => Resolution::Name(self.to_owned()),
        }
    }
}

impl Resolve for String {
    fn resolve(&self) -> Resolution {
        self.as_str().resolve()
    }
}

impl Resolve for (&str, u16) {
    fn resolve(&self) -> Resolution {
        match self.0.parse::<IpAddr>() {
            Ok(ip) => Resolution::Known(vec![(ip, self.1).into()]),
            Err(_) => Resolution::NameAndPort(self.0.to_owned(), self.1),
        }
    }
}

impl Resolve for (String, u16) {
    fn resolve(&self) -> Resolution {
        (self.0.as_str(), self.1).resolve()
    }
}
