//! Listeners that could not accept for want of a descriptor or of memory.
//!
//! The kernel sends no event when descriptors come back: the connection that waits was announced already. So the
//! failed accept is an error to its caller, the listener stops being ready, and is made ready again
//!
//! * when a source of the same reactor is closed,
//! * after [`RETRY`], by the reactor, which for that cuts its wait short.
//!
//! A caller that accepts in a loop gets a bounded number of errors a second, and the waiting connection at last.

use std::io;
use std::task::Waker;

use crate::notifier::Notifier;
use crate::readiness::{Ready, Source};
use crate::sync::{Arc, AtomicBool, Mutex, Ordering};
use crate::sys::clock::{self, ClockId};
use crate::sys::exhausted;

/// How long a listener waits before it is tried again, in nanoseconds.
const RETRY: u64 = 50_000_000;

#[derive(Debug)]
pub(crate) struct Starved {
    /// Whether the list is not empty: a hint that costs one load. Set before the reactor is notified, and the
    /// notification orders it before the reactor's next turn.
    any: AtomicBool,
    list: Mutex<List>,
    clock: ClockId,
}

#[derive(Debug, Default)]
struct List {
    sources: Vec<Arc<Source>>,
    retry_at: u64,
}

impl Starved {
    pub(crate) fn new(clock: ClockId) -> Self {
        Self { any: AtomicBool::new(false), list: Mutex::new(List::default()), clock }
    }

    /// Whether `error` says that the process or the machine ran out of something that comes back.
    pub(crate) fn is_cause(error: &io::Error) -> bool {
        error.raw_os_error().is_some_and(exhausted::is_exhausted)
    }

    /// `source` is to be tried again.
    pub(crate) fn add(&self, source: &Arc<Source>, notifier: &Notifier) {
        let now = clock::now(self.clock).unwrap_or(0);
        {
            let mut list = self.list.lock();
            if list.sources.is_empty() {
                list.retry_at = now.saturating_add(RETRY);
            }
            if !list.sources.iter().any(|other| Arc::ptr_eq(other, source)) {
                list.sources.push(source.clone());
            }
            self.any.store(true, Ordering::Relaxed); // see the field
        }
        // Err: the retry comes with the next turn, whenever that is.
        let _ = notifier.notify();
    }

    /// When the reactor has to look again at the latest.
    pub(crate) fn retry_at(&self) -> Option<u64> {
        // Relaxed: see the field.
        self.any.load(Ordering::Relaxed).then(|| self.list.lock().retry_at)
    }

    /// The turn's end: makes everybody ready again whose time has come.
    pub(crate) fn retry(&self, wakes: &mut Vec<Waker>) {
        // Relaxed: see the field.
        if !self.any.load(Ordering::Relaxed) {
            return;
        }
        let now = clock::now(self.clock).unwrap_or(u64::MAX);
        let due = {
            let list = self.list.lock();
            list.retry_at <= now
        };
        if due {
            self.release(wakes);
        }
    }

    /// Makes everybody ready again.
    pub(crate) fn release(&self, wakes: &mut Vec<Waker>) {
        let sources = {
            let mut list = self.list.lock();
            self.any.store(false, Ordering::Relaxed); // see the field
            std::mem::take(&mut list.sources)
        };
        for source in sources {
            source.event(Ready::READABLE, wakes);
        }
    }

    /// Whether a closed descriptor is of use to anybody.
    pub(crate) fn any(&self) -> bool {
        self.any.load(Ordering::Relaxed) // see the field
    }
}
