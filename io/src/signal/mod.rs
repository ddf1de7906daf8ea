//! Signals from the operating system. Unix only.
//!
//! The first time a program listens to a signal, the signal's default action is gone for the rest of the process, in
//! every runtime: a program that listens to `SIGTERM` has to end by itself from then on.

pub mod unix;

use std::future::Future;
use std::io;

use unix::{SignalKind, signal};

/// Waits for the next `SIGINT`, which Ctrl-C on a terminal sends. It listens from the call on, not only from the
/// first poll.
///
/// # Errors
///
/// Those of [`signal`]; [`Error::ShutDown`](crate::Error::ShutDown) inside when the runtime goes first.
///
/// # Cancel safety
///
/// Dropping the future stops this wait; a signal that nobody waits for then is lost, since its default action is
/// gone.
///
/// # Examples
///
/// ```
/// # fn raise() { std::process::Command::new("kill").args(["-INT", &std::process::id().to_string()]).status().unwrap(); }
/// # wheelhouse_io::doc::run(async {
/// let stopped = wheelhouse_io::signal::ctrl_c();
/// # raise();
/// stopped.await?;
/// println!("shutting down");
/// # Ok(())
/// # });
/// ```
pub fn ctrl_c() -> impl Future<Output = io::Result<()>> + Send + 'static {
    let listener = signal(SignalKind::interrupt());
    async move { listener?.recv().await.ok_or_else(|| crate::Error::ShutDown.into()) }
}
