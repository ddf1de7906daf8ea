//! Unix signals by their numbers.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_core::Stream;

use crate::context::{self, poll_budget, spend_budget};
use crate::readiness::{Cleared, Interest, Ready, Snapshot, Source, Waiting};

/// Which signal.
///
/// # Examples
///
/// ```
/// use wheelhouse_io::signal::unix::SignalKind;
///
/// assert_eq!(SignalKind::terminate(), SignalKind::from_raw(15));
/// assert_eq!(SignalKind::interrupt().as_raw_value(), 2);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SignalKind(i32);

impl SignalKind {
    /// The signal with this number. Whether there is one shows when it is listened to.
    #[must_use]
    pub const fn from_raw(number: i32) -> Self {
        Self(number)
    }

    /// The signal's number.
    #[must_use]
    pub const fn as_raw_value(self) -> i32 {
        self.0
    }

    /// `SIGALRM`: a timer of the process ran out.
    #[must_use]
    pub const fn alarm() -> Self {
        Self(libc::SIGALRM)
    }

    /// `SIGCHLD`: a child process changed its state.
    #[must_use]
    pub const fn child() -> Self {
        Self(libc::SIGCHLD)
    }

    /// `SIGHUP`: the terminal is gone, or a daemon is to read its configuration again.
    #[must_use]
    pub const fn hangup() -> Self {
        Self(libc::SIGHUP)
    }

    /// `SIGINT`: Ctrl-C on the terminal.
    #[must_use]
    pub const fn interrupt() -> Self {
        Self(libc::SIGINT)
    }

    /// `SIGPIPE`: a write to a pipe that nobody reads.
    #[must_use]
    pub const fn pipe() -> Self {
        Self(libc::SIGPIPE)
    }

    /// `SIGQUIT`: Ctrl-\ on the terminal.
    #[must_use]
    pub const fn quit() -> Self {
        Self(libc::SIGQUIT)
    }

    /// `SIGTERM`: the process is asked to end.
    #[must_use]
    pub const fn terminate() -> Self {
        Self(libc::SIGTERM)
    }

    /// `SIGUSR1`.
    #[must_use]
    pub const fn user_defined1() -> Self {
        Self(libc::SIGUSR1)
    }

    /// `SIGUSR2`.
    #[must_use]
    pub const fn user_defined2() -> Self {
        Self(libc::SIGUSR2)
    }

    /// `SIGWINCH`: the terminal's size changed.
    #[must_use]
    pub const fn window_change() -> Self {
        Self(libc::SIGWINCH)
    }
}

impl fmt::Debug for SignalKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SignalKind").field(&self.0).finish()
    }
}

impl From<i32> for SignalKind {
    fn from(number: i32) -> Self {
        Self::from_raw(number)
    }
}

impl From<SignalKind> for i32 {
    fn from(kind: SignalKind) -> Self {
        kind.as_raw_value()
    }
}

/// Listens to `kind` from now on. Any number of listeners may, in any number of runtimes: each hears every arrival,
/// but arrivals that come before it looked count as one.
///
/// The signal's default action is gone for the rest of the process.
///
/// # Errors
///
/// Kind `InvalidInput` for a signal that cannot be listened to (`SIGKILL`, `SIGSTOP`, `SIGILL`, `SIGFPE`, `SIGSEGV`)
/// and for a number that is no signal; [`Error::NoRuntime`](crate::Error::NoRuntime) inside when no reactor is
/// current; those of the operating system.
///
/// # Examples
///
/// ```
/// # fn raise() { std::process::Command::new("kill").args(["-HUP", &std::process::id().to_string()]).status().unwrap(); }
/// use wheelhouse_io::signal::unix::{SignalKind, signal};
///
/// # wheelhouse_io::doc::run(async {
/// let mut hangups = signal(SignalKind::hangup())?;
/// # raise();
/// hangups.recv().await;
/// println!("reading the configuration again");
/// assert!(signal(SignalKind::from_raw(9)).is_err());
/// # Ok(())
/// # });
/// ```
pub fn signal(kind: SignalKind) -> io::Result<Signal> {
    let source = context::current()?.listen(kind.0)?;
    let heard = source.observe();
    Ok(Signal { source, heard, waiting: Waiting::default() })
}

/// A listener to one signal. See [`signal`].
///
/// # Examples
///
/// ```
/// use futures::StreamExt;
/// use wheelhouse_io::signal::unix::{SignalKind, signal};
///
/// # wheelhouse_io::doc::run(async {
/// let mut resized = signal(SignalKind::window_change())?;
/// # std::process::Command::new("kill").args(["-WINCH", &std::process::id().to_string()]).status()?;
/// assert_eq!(resized.next().await, Some(()));
/// # Ok(())
/// # });
/// ```
#[derive(Debug)]
pub struct Signal {
    source: Arc<Source>,
    /// The word when the listener last looked: another tick is another arrival.
    heard: Snapshot,
    waiting: Waiting,
}

impl Signal {
    /// Waits for the next arrival; `None` when the runtime is gone.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: an arrival that the dropped future did not give is given to the next call.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::signal::unix::{SignalKind, signal};
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let mut resized = signal(SignalKind::window_change())?;
    /// # std::process::Command::new("kill").args(["-WINCH", &std::process::id().to_string()]).status()?;
    /// resized.recv().await;
    /// # Ok(())
    /// # });
    /// ```
    pub async fn recv(&mut self) -> Option<()> {
        std::future::poll_fn(|cx| self.poll_recv(cx)).await
    }

    /// [`recv`](Self::recv) for hand-written futures. Only the last waker is kept.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::future::poll_fn;
    /// use wheelhouse_io::signal::unix::{SignalKind, signal};
    ///
    /// # wheelhouse_io::doc::run(async {
    /// let mut resized = signal(SignalKind::window_change())?;
    /// # std::process::Command::new("kill").args(["-WINCH", &std::process::id().to_string()]).status()?;
    /// poll_fn(|cx| resized.poll_recv(cx)).await;
    /// # Ok(())
    /// # });
    /// ```
    pub fn poll_recv(&mut self, cx: &mut Context<'_>) -> Poll<Option<()>> {
        ready!(poll_budget(cx));
        loop {
            let seen = self.source.observe();
            if !seen.same_tick(self.heard) {
                self.heard = seen;
                spend_budget();
                return Poll::Ready(Some(()));
            }
            if seen.is_shut_down() {
                return Poll::Ready(None);
            }
            // The other listeners tell arrivals by the tick too, so taking the readiness back hides none of them.
            if self.source.clear(seen, Ready::READABLE) == Cleared::Done {
                let ready = self.source.poll_waiting(cx, Interest::READABLE, &mut self.waiting);
                if ready.is_pending() {
                    return Poll::Pending;
                }
            }
        }
    }
}

impl Stream for Signal {
    type Item = ();

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<()>> {
        self.poll_recv(cx)
    }
}

impl Drop for Signal {
    fn drop(&mut self) {
        self.source.cancel(&mut self.waiting);
    }
}

impl crate::Io {
    /// The source whose events are arrivals of `signal`.
    fn listen(&self, signal: i32) -> io::Result<Arc<Source>> {
        let shared = self.shared();
        shared.with_registry(|registry| shared.signals.listen(signal, registry, crate::reactor::SIGNAL))
    }
}
