//! The shared handle of a reactor: what sockets register with.

use std::io;
use std::sync::OnceLock;
use std::task::Waker;

use slab::Slab;

use crate::error::Error;
use crate::metrics::{Counters, IoMetrics};
use crate::notifier::Notifier;
use crate::offload::Blocking;
use crate::readiness::{Ready, Source};
use crate::starved::Starved;
use crate::sync::{Arc, AtomicUsize, Mutex, Ordering, RwLock};
use crate::sys::clock::ClockId;
use crate::sys::signals::Signals;
use crate::wake;

/// The shared handle of a [`Reactor`](crate::Reactor). Clones are cheap and all mean the same reactor.
///
/// # Examples
///
/// ```
/// use wheelhouse_io::{Reactor, ReactorConfig};
///
/// # fn main() -> std::io::Result<()> {
/// let (_reactor, io) = Reactor::new(ReactorConfig::default())?;
/// let same = io.clone();
/// assert_eq!(same.metrics().sources, 0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Io(Arc<Shared>);

#[derive(Debug)]
pub(crate) struct Shared {
    /// `None` after shutdown: the poller's descriptor goes then, whatever handles are left.
    registry: RwLock<Option<mio::Registry>>,
    sources: Mutex<Sources>,
    /// How many sources are registered: read without the lock.
    registered: AtomicUsize,
    notifier: Notifier,
    pub(crate) counters: Counters,
    pub(crate) starved: Starved,
    pub(crate) signals: Signals,
    blocking: OnceLock<Arc<dyn Blocking>>,
}

/// Every registered source by its token. A token carries the generation of its entry, so that an event of a source
/// that is gone meets nobody.
#[derive(Debug)]
pub(crate) struct Sources {
    entries: Slab<Entry>,
    generation: usize,
    shut_down: bool,
}

#[derive(Debug)]
struct Entry {
    generation: usize,
    source: Arc<Source>,
}

/// Low bits of a token: the key. The bits above: the generation.
const KEY_BITS: u32 = if usize::BITS >= 64 { 32 } else { 20 };
const KEY_MASK: usize = (1 << KEY_BITS) - 1;
const GENERATION_MASK: usize = usize::MAX >> KEY_BITS;

/// Tokens with this key or a higher one are the reactor's own.
const FIRST_RESERVED_KEY: usize = KEY_MASK - 7;

impl Sources {
    fn insert(&mut self, source: Arc<Source>) -> io::Result<mio::Token> {
        if self.shut_down {
            return Err(Error::ShutDown.into());
        }
        self.generation = (self.generation + 1) & GENERATION_MASK;
        let key = self.entries.insert(Entry { generation: self.generation, source });
        if key >= FIRST_RESERVED_KEY {
            self.entries.remove(key);
            return Err(io::Error::new(io::ErrorKind::OutOfMemory, "more sources than tokens"));
        }
        Ok(mio::Token(key | (self.generation << KEY_BITS)))
    }

    pub(crate) fn get(&self, token: mio::Token) -> Option<&Source> {
        let entry = self.entries.get(token.0 & KEY_MASK)?;
        (entry.generation == token.0 >> KEY_BITS).then_some(&*entry.source)
    }

    fn remove(&mut self, token: mio::Token) -> Option<Arc<Source>> {
        self.get(token)?;
        Some(self.entries.remove(token.0 & KEY_MASK).source)
    }
}

impl Io {
    pub(crate) fn new(registry: mio::Registry, notifier: Notifier, clock: ClockId) -> Self {
        Self(Arc::new(Shared {
            registry: RwLock::new(Some(registry)),
            sources: Mutex::new(Sources { entries: Slab::new(), generation: 0, shut_down: false }),
            registered: AtomicUsize::new(0),
            notifier,
            counters: Counters::new(),
            starved: Starved::new(clock),
            signals: Signals::new(),
            blocking: OnceLock::new(),
        }))
    }

    /// What ends the reactor's wait from another thread.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::{Reactor, ReactorConfig, Wait};
    ///
    /// # fn main() -> std::io::Result<()> {
    /// let (mut reactor, io) = Reactor::new(ReactorConfig::default())?;
    /// io.notifier().notify()?;
    /// assert!(reactor.turn(Wait::Forever, &mut Vec::new())?.notified);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn notifier(&self) -> Notifier {
        self.0.notifier.clone()
    }

    /// Whether there is anything that an event could come from. Without, a turn that does not wait is pointless.
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
    #[must_use]
    pub fn has_sources(&self) -> bool {
        // Relaxed: a source is registered before its owner can wait for it, and whoever waits goes through the
        // scheduler's own synchronisation before the driver may sleep.
        self.0.registered.load(Ordering::Relaxed) != 0 || self.0.signals.any()
    }

    /// Ends the reactor for good: every waiter goes to `wakes`, and every operation from now on is an error that says
    /// so. The wakers are the caller's to call.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::{Reactor, ReactorConfig};
    ///
    /// # fn main() -> std::io::Result<()> {
    /// let (_reactor, io) = Reactor::new(ReactorConfig::default())?;
    /// let mut wakes = Vec::new();
    /// io.shutdown(&mut wakes);
    /// for waker in wakes {
    ///     waker.wake();
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn shutdown(&self, wakes: &mut Vec<Waker>) {
        let entries = {
            let mut sources = self.0.sources.lock();
            sources.shut_down = true;
            self.0.registered.store(0, Ordering::Relaxed); // see `has_sources`
            std::mem::take(&mut sources.entries)
        };
        for (_, entry) in entries {
            entry.source.shut_down(wakes);
        }
        self.0.signals.shut_down(wakes);
        let registry = self.0.registry.write().take();
        drop(registry);
    }

    /// The counters now.
    ///
    /// # Examples
    ///
    /// ```
    /// use wheelhouse_io::{Reactor, ReactorConfig, Wait};
    ///
    /// # fn main() -> std::io::Result<()> {
    /// let (mut reactor, io) = Reactor::new(ReactorConfig::default())?;
    /// reactor.turn(Wait::Now, &mut Vec::new())?;
    /// assert_eq!(io.metrics().turns, 1);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn metrics(&self) -> IoMetrics {
        let counters = &self.0.counters;
        IoMetrics {
            turns: counters.turns.get(),
            ready_events: counters.ready_events.get(),
            notifies: self.0.notifier.written(),
            timer_updates: counters.timer_updates.get(),
            registered: counters.registered.get(),
            deregistered: counters.deregistered.get(),
            sources: self.0.registered.load(Ordering::Relaxed) as u64, // a statistic
            starved_accepts: counters.starved_accepts.get(),
        }
    }

    /// Says where look-ups of names and other blocking calls run; without, each has a thread of its own. The first
    /// call counts.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::Arc;
    /// use wheelhouse_io::{Blocking, Job, Reactor, ReactorConfig};
    ///
    /// struct Threads;
    ///
    /// impl Blocking for Threads {
    ///     fn run(&self, job: Job) -> Result<(), Job> {
    ///         std::thread::spawn(job);
    ///         Ok(())
    ///     }
    /// }
    ///
    /// # fn main() -> std::io::Result<()> {
    /// let (_reactor, io) = Reactor::new(ReactorConfig::default())?;
    /// io.set_blocking(Arc::new(Threads));
    /// # Ok(())
    /// # }
    /// ```
    pub fn set_blocking(&self, pool: Arc<dyn Blocking>) {
        // Err: one is set already.
        let _ = self.0.blocking.set(pool);
    }

    pub(crate) fn blocking(&self) -> Option<Arc<dyn Blocking>> {
        self.0.blocking.get().cloned()
    }

    /// A descriptor of this reactor was closed: whoever could not accept for want of one tries again.
    pub(crate) fn descriptor_closed(&self) {
        if !self.0.starved.any() {
            return;
        }
        let mut wakes = Vec::new();
        self.0.starved.release(&mut wakes);
        wake::all(wakes);
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.0
    }

    /// Registers `evented` for `interest`, taking it to be ready for `initial` until a system call disproves it.
    pub(crate) fn register(
        &self,
        evented: &mut impl mio::event::Source,
        interest: mio::Interest,
        initial: Ready,
    ) -> io::Result<Registration> {
        let source = Arc::new(Source::new(initial));
        let token = self.0.insert(source.clone())?;
        let registration = Registration { io: self.clone(), source, token };
        let result = self.0.with_registry(|registry| registry.register(evented, token, interest));
        if let Err(error) = result {
            self.0.remove(token);
            return Err(error);
        }
        self.0.counters.registered.add(1);
        Ok(registration)
    }
}

impl Shared {
    pub(crate) fn sources(&self) -> &Mutex<Sources> {
        &self.sources
    }

    /// Runs `call` on the poller, which is there until shutdown.
    pub(crate) fn with_registry<R>(&self, call: impl FnOnce(&mio::Registry) -> io::Result<R>) -> io::Result<R> {
        match &*self.registry.read() {
            Some(registry) => call(registry),
            None => Err(Error::ShutDown.into()),
        }
    }

    fn insert(&self, source: Arc<Source>) -> io::Result<mio::Token> {
        let mut sources = self.sources.lock();
        let token = sources.insert(source)?;
        self.registered.store(sources.entries.len(), Ordering::Relaxed); // see `has_sources`
        Ok(token)
    }

    /// Whether it was still there.
    fn remove(&self, token: mio::Token) -> bool {
        let removed = {
            let mut sources = self.sources.lock();
            let removed = sources.remove(token);
            self.registered.store(sources.entries.len(), Ordering::Relaxed); // see `has_sources`
            removed
        };
        removed.is_some()
    }
}

/// One registration: the owner's side of a [`Source`].
#[derive(Debug)]
pub(crate) struct Registration {
    io: Io,
    source: Arc<Source>,
    token: mio::Token,
}

impl Registration {
    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    pub(crate) fn io(&self) -> &Io {
        &self.io
    }

    /// The source could not be served for want of a descriptor or of memory: it is tried again later.
    pub(crate) fn starve(&self) {
        let shared = &*self.io.0;
        shared.counters.starved_accepts.add(1);
        shared.starved.add(&self.source, &shared.notifier);
    }

    /// Takes `evented` out of the poller. Must come before its descriptor is closed.
    pub(crate) fn deregister(&self, evented: &mut impl mio::event::Source) -> io::Result<()> {
        let shared = &*self.io.0;
        let removed = shared.remove(self.token);
        if !removed {
            // Shut down: the poller is gone, or about to be.
            return Ok(());
        }
        shared.counters.deregistered.add(1);
        match shared.with_registry(|registry| registry.deregister(evented)) {
            Err(error) if Error::inside(&error) == Some(Error::ShutDown) => Ok(()),
            result => result,
        }
    }
}
