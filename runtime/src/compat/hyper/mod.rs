//! hyper on wheelhouse: its I/O, timer and executor traits, and a server in one line.
//!
//! | hyper wants | give it |
//! | --- | --- |
//! | [`rt::Read`](::hyper::rt::Read) + [`rt::Write`](::hyper::rt::Write) | [`HyperIo`] around a socket, [`FuturesIo`] around any futures-io stream |
//! | [`rt::Timer`](::hyper::rt::Timer) | [`HyperTimer`] |
//! | [`rt::Executor`](::hyper::rt::Executor) | [`HyperExecutor`] |
//!
//! Give hyper's builders the timer: without one its header timeout is off.
//!
//! ```no_run
//! use std::convert::Infallible;
//!
//! use hyper::service::service_fn;
//! use hyper::{Request, Response, body::Incoming};
//! use wheelhouse::compat::hyper::serve;
//! use wheelhouse::net::TcpListener;
//!
//! # async fn hello() -> std::io::Result<()> {
//! let listener = TcpListener::bind("127.0.0.1:8080").await?;
//! let hello = service_fn(|_: Request<Incoming>| async { Ok::<_, Infallible>(Response::new("hello\n".to_owned())) });
//! serve(listener, hello).graceful_shutdown(wheelhouse::signal::ctrl_c()).await
//! # }
//! ```

mod drain;
mod executor;
mod io;
mod serve;
mod timer;

pub use executor::HyperExecutor;
pub use io::{FuturesIo, HyperIo, ReadUninit};
pub use serve::{Serve, serve};
pub use timer::{HyperSleep, HyperTimer};

#[cfg(test)]
mod tests;
