//! The reactor: waits for the operating system's events and hands them to their sources.

use std::io;
use std::task::Waker;

use crate::handle::Io;
use crate::notifier::Notifier;
use crate::readiness::Ready;
use crate::sys::clock::{ClockId, DEFAULT_CLOCK};
use crate::sys::wait::WaitTimer;
use crate::wake;

pub(crate) const NOTIFY: mio::Token = mio::Token(usize::MAX);
pub(crate) const TIMER: mio::Token = mio::Token(usize::MAX - 1);
pub(crate) const SIGNAL: mio::Token = mio::Token(usize::MAX - 2);

/// How many events are handed out under one hold of the sources' lock.
const EVENTS_PER_HOLD: usize = 64;

/// How a [`Reactor`] is made.
///
/// # Examples
///
/// ```
/// use wheelhouse_io::{Reactor, ReactorConfig};
///
/// # fn main() -> std::io::Result<()> {
/// let mut config = ReactorConfig::default();
/// config.max_events = 64;
/// let (_reactor, _io) = Reactor::new(config)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ReactorConfig {
    /// How many events one turn takes at most; the rest comes with the next turn. 1,024 by default.
    pub max_events: usize,
    /// The clock of [`Wait::Until`]. The monotonic clock by default.
    pub clock_id: ClockId,
}

impl Default for ReactorConfig {
    fn default() -> Self {
        Self { max_events: 1024, clock_id: DEFAULT_CLOCK }
    }
}

/// How long a turn waits for the first event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Not at all.
    Now,
    /// Until this many nanoseconds on the reactor's clock. In the past: not at all.
    Until(u64),
    /// Until something happens.
    Forever,
}

impl Wait {
    fn no_later_than(self, instant: Option<u64>) -> Wait {
        match (self, instant) {
            (Wait::Until(wanted), Some(instant)) => Wait::Until(wanted.min(instant)),
            (Wait::Forever, Some(instant)) => Wait::Until(instant),
            (wait, _) => wait,
        }
    }
}

/// What a turn did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Turned {
    /// Events that sources were given.
    pub events: usize,
    /// Whether a [`Notifier`](crate::Notifier) ended the wait.
    pub notified: bool,
}

/// Waits for the operating system's events. There is one for each [`Io`]; `&mut` stands for the driver's seat.
///
/// # Examples
///
/// ```
/// use wheelhouse_io::{Reactor, ReactorConfig, Wait};
///
/// # fn main() -> std::io::Result<()> {
/// let (mut reactor, io) = Reactor::new(ReactorConfig::default())?;
/// let mut wakes = Vec::new();
/// let turned = reactor.turn(Wait::Now, &mut wakes)?;
/// assert_eq!((turned.events, wakes.len(), io.has_sources()), (0, 0, false));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Reactor {
    poll: mio::Poll,
    events: mio::Events,
    timer: WaitTimer,
    notifier: Notifier,
    io: Io,
}

impl Reactor {
    /// Makes a reactor and its shared handle.
    ///
    /// # Errors
    ///
    /// Those of the operating system: no descriptors left, or a clock that it cannot wait on.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::{Reactor, ReactorConfig};
    ///
    /// # fn main() -> std::io::Result<()> {
    /// let (_reactor, io) = Reactor::new(ReactorConfig::default())?;
    /// assert!(!io.has_sources());
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(config: ReactorConfig) -> io::Result<(Reactor, Io)> {
        let poll = mio::Poll::new()?;
        let notifier = Notifier::new(poll.registry(), NOTIFY)?;
        let timer = WaitTimer::new(poll.registry(), TIMER, config.clock_id)?;
        let io = Io::new(poll.registry().try_clone()?, notifier.clone(), config.clock_id);
        let events = mio::Events::with_capacity(config.max_events.max(1));
        let reactor = Reactor { poll, events, timer, notifier, io: io.clone() };
        Ok((reactor, io))
    }

    /// Waits as `wait` says, hands out what events there are, and leaves the wakers they answer in `wakes` for the
    /// caller to call. May end early without any event.
    ///
    /// # Errors
    ///
    /// Those of the operating system. What `wakes` holds then is owed its call all the same.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::{Reactor, ReactorConfig, Wait};
    ///
    /// # fn main() -> std::io::Result<()> {
    /// let (mut reactor, _io) = Reactor::new(ReactorConfig::default())?;
    /// let mut wakes = Vec::new();
    /// reactor.turn(Wait::Now, &mut wakes)?;
    /// for waker in wakes {
    ///     waker.wake();
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn turn(&mut self, wait: Wait, wakes: &mut Vec<Waker>) -> io::Result<Turned> {
        let counters = &self.io.shared().counters;
        let wait = wait.no_later_than(self.io.shared().starved.retry_at());
        let prepared = self.timer.prepare(wait)?;
        if prepared.updated {
            counters.timer_updates.add_alone(1);
        }
        counters.turns.add_alone(1);
        let turned = match self.poll.poll(&mut self.events, prepared.timeout) {
            Ok(()) => Ok(self.hand_out(wakes)),
            // A signal's handler ran: the caller turns again.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(Turned::default()),
            Err(error) => Err(error),
        };
        self.io.shared().starved.retry(wakes);
        turned
    }

    fn hand_out(&mut self, wakes: &mut Vec<Waker>) -> Turned {
        let mut turned = Turned::default();
        let mut signalled = false;
        let mut events = self.events.iter().peekable();
        while events.peek().is_some() {
            let sources = self.io.shared().sources().lock();
            for event in events.by_ref().take(EVENTS_PER_HOLD) {
                match event.token() {
                    NOTIFY => turned.notified = true,
                    TIMER => self.timer.expired(),
                    SIGNAL => signalled = true,
                    token => {
                        if let Some(source) = sources.get(token) {
                            source.event(ready_of(event), wakes);
                            turned.events += 1;
                        }
                    }
                }
            }
        }
        if signalled {
            self.io.shared().signals.hand_out(wakes);
        }
        if turned.notified {
            self.notifier.consume();
        }
        self.io.shared().counters.ready_events.add_alone(turned.events as u64);
        turned
    }
}

/// What still waits is woken, as by [`Io::shutdown`].
impl Drop for Reactor {
    fn drop(&mut self) {
        let mut wakes = Vec::new();
        self.io.shutdown(&mut wakes);
        wake::all(wakes);
    }
}

/// An error is news for readers and writers both: the operation fetches it.
fn ready_of(event: &mio::event::Event) -> Ready {
    let mut ready = Ready::EMPTY;
    if event.is_readable() {
        ready |= Ready::READABLE;
    }
    if event.is_writable() {
        ready |= Ready::WRITABLE;
    }
    if event.is_read_closed() {
        ready |= Ready::READ_CLOSED;
    }
    if event.is_write_closed() {
        ready |= Ready::WRITE_CLOSED;
    }
    if event.is_priority() {
        ready |= Ready::PRIORITY;
    }
    if event.is_error() {
        ready |= Ready::ERROR | Ready::READABLE | Ready::WRITABLE;
    }
    ready
}
