//! Ends the reactor's wait from another thread.

use std::io;
use std::time::Instant;

use crate::metrics::Counter;
use crate::readiness::{PendingNotify, Request};
use crate::sync::Arc;

/// Ends a [`Reactor`](crate::Reactor)'s wait from any thread.
///
/// It is sticky: a notification that comes before the wait ends the next one. It coalesces: until the reactor has
/// taken one, further ones write nothing, unless the pending one is older than 10 ms.
#[derive(Debug, Clone)]
pub struct Notifier(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    waker: mio::Waker,
    pending: PendingNotify,
    start: Instant,
    written: Counter,
}

impl Notifier {
    pub(crate) fn new(registry: &mio::Registry, token: mio::Token) -> io::Result<Self> {
        let waker = mio::Waker::new(registry, token)?;
        let pending = PendingNotify::new();
        Ok(Self(Arc::new(Shared { waker, pending, start: Instant::now(), written: Counter::new() })))
    }

    /// Ends the wait, now or the next one.
    ///
    /// # Errors
    ///
    /// That of the operating system. The next notification tries again.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::{Reactor, ReactorConfig, Wait};
    ///
    /// # fn main() -> std::io::Result<()> {
    /// let (mut reactor, io) = Reactor::new(ReactorConfig::default())?;
    /// let notifier = io.notifier();
    /// std::thread::spawn(move || notifier.notify());
    /// let turned = reactor.turn(Wait::Forever, &mut Vec::new())?;
    /// assert!(turned.notified);
    /// # Ok(())
    /// # }
    /// ```
    pub fn notify(&self) -> io::Result<()> {
        let shared = &*self.0;
        let now = || u64::try_from(shared.start.elapsed().as_nanos()).unwrap_or(u64::MAX).max(1);
        match shared.pending.request(now) {
            Request::Covered => Ok(()),
            Request::Write => {
                shared.written.add(1);
                shared.waker.wake().inspect_err(|_| shared.pending.failed())
            }
        }
    }

    /// The reactor took the event.
    pub(crate) fn consume(&self) {
        self.0.pending.consume();
    }

    pub(crate) fn written(&self) -> u64 {
        self.0.written.get()
    }
}
