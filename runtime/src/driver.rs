//! What sits in the driver's seat: a reactor and the timers' driver, turned together.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

use wheelhouse_io::{Io, Notifier, Reactor, Wait};
use wheelhouse_time::{Next, TimerDriver, Timers, Turned};

use crate::metrics::DriverCounters;
use crate::park::{Bound, Driver, Interrupt, Turn};
use crate::trace::event;

/// How long a watch period is where nobody said. Where all workers but one come to block one after the other, as many
/// periods pass as there are of them.
pub(crate) const WATCH: Duration = Duration::from_micros(250);

/// Clock and sockets, and the wakers that their turns collected.
#[derive(Debug)]
pub(crate) struct Machine {
    /// None once the runtime has shut down: the descriptors are gone with it.
    parts: Option<Parts>,
    timers: Timers,
    io: Io,
    wakes: Vec<Waker>,
    /// Some of these are of sockets.
    of_sockets: bool,
    watch: Duration,
    counters: Arc<DriverCounters>,
}

#[derive(Debug)]
struct Parts {
    reactor: Reactor,
    wheel: TimerDriver,
}

/// Ends the driver's sleep through the reactor's notifier.
#[derive(Clone)]
pub(crate) struct Bell {
    notifier: Notifier,
    fault: Option<Fault>,
}

/// For tests: asked before each interruption; "true" loses it.
pub(crate) type Fault = Arc<dyn Fn() -> bool + Send + Sync>;

impl Bell {
    pub(crate) fn new(notifier: Notifier, fault: Option<Fault>) -> Self {
        Self { notifier, fault }
    }
}

impl fmt::Debug for Bell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bell").field("notifier", &self.notifier).finish_non_exhaustive()
    }
}

impl Machine {
    pub(crate) fn new(
        reactor: Reactor,
        io: Io,
        wheel: TimerDriver,
        timers: Timers,
        watch: Duration,
        counters: Arc<DriverCounters>,
    ) -> Self {
        Self {
            parts: Some(Parts { reactor, wheel }),
            timers,
            io,
            wakes: Vec::new(),
            of_sockets: false,
            watch,
            counters,
        }
    }

    /// What a busy worker does in passing: takes what is ready and, with `timers`, what is due, without sleeping. True if
    /// there was anything.
    pub(crate) fn pass(&mut self, timers: bool) -> bool {
        self.turn_for(Bound::Now, timers) == Turn::Work
    }

    /// Moves the collected wakers to `into`, which is empty. True if some are of sockets.
    pub(crate) fn take_wakes(&mut self, into: &mut Vec<Waker>) -> bool {
        debug_assert!(into.is_empty(), "wakers of an earlier turn were not called");
        std::mem::swap(&mut self.wakes, into);
        std::mem::take(&mut self.of_sockets)
    }

    /// Ends the reactor and the timers for good. Everybody who waits for them is in `wakes` afterwards.
    pub(crate) fn shut_down(&mut self, wakes: &mut Vec<Waker>) {
        wakes.append(&mut self.wakes);
        while self.timers.shutdown(wakes) {}
        self.io.shutdown(wakes);
        drop(self.parts.take());
    }

    fn turn_for(&mut self, bound: Bound, timers: bool) -> Turn {
        let Some(parts) = &mut self.parts else { return Turn::Nothing };
        let mut events = 0;
        if bound == Bound::Now {
            if self.io.has_sources() {
                events = poll(&mut parts.reactor, Wait::Now, &mut self.wakes);
            }
        } else {
            let next = parts.wheel.prepare_park();
            let wait = wait(bound, self.watch, next, &self.timers);
            events = poll(&mut parts.reactor, wait, &mut self.wakes);
            parts.wheel.awake();
        }
        self.of_sockets |= events != 0;
        let turned = if timers { parts.wheel.turn(&mut self.wakes) } else { Turned::default() };
        self.counters.turns.add(1);
        self.counters.ready_events.add(events as u64);
        if turned.fired != 0 || events != 0 {
            event!(
                DEBUG,
                "wheelhouse::driver",
                timers = turned.fired,
                worst_lateness_us = turned.worst_lateness.as_micros() as u64,
                events,
                "turn"
            );
        }
        if self.wakes.is_empty() && !turned.more { Turn::Nothing } else { Turn::Work }
    }
}

/// How many timers a busy worker lets into its queue. Those that are due at once, however many, come in as it gets
/// through those that came before: all at once they would put every socket's task behind the whole crowd.
#[derive(Debug, Default)]
pub(crate) struct Admission {
    /// The count of polls at which the next timers are let in.
    at: Cell<u32>,
}

/// Fewer wakers than this are no crowd.
const CROWD: usize = 64;

impl Admission {
    /// Whether the wheel may be turned, after `polls` polls.
    #[inline]
    pub(crate) fn is_open(&self, polls: u32) -> bool {
        polls.wrapping_sub(self.at.get()) as i32 >= 0
    }

    /// A turn of the wheel has woken so many, after `polls` polls.
    #[inline]
    pub(crate) fn admitted(&self, woken: usize, polls: u32) {
        let crowd = if woken < CROWD { 0 } else { woken as u32 };
        self.at.set(polls.wrapping_add(crowd));
    }
}

impl Driver for Machine {
    fn turn(&mut self, bound: Bound) -> Turn {
        self.turn_for(bound, true)
    }

    fn is_simulated(&self) -> bool {
        self.timers.is_paused()
    }

    fn advance(&mut self) -> bool {
        self.parts.as_mut().is_some_and(|parts| parts.wheel.auto_advance())
    }
}

impl Interrupt for Bell {
    fn interrupt(&self) {
        event!(TRACE, "wheelhouse::driver", "interrupt");
        if self.fault.as_ref().is_some_and(|fault| fault()) {
            return;
        }
        if let Err(error) = self.notifier.notify() {
            // The next notification tries again, and with any worker awake the driver wakes by itself.
            event!(ERROR, "wheelhouse::driver", %error, "the driver could not be interrupted");
        }
    }
}

impl wheelhouse_time::Interrupt for Bell {
    fn interrupt(&self) {
        Interrupt::interrupt(self);
    }
}

/// Turns the reactor and returns how many events there were. An error is told of, and slept on: the poller is asked
/// again and again, and must not burn a processor meanwhile.
fn poll(reactor: &mut Reactor, wait: Wait, wakes: &mut Vec<Waker>) -> usize {
    match reactor.turn(wait, wakes) {
        Ok(turned) => turned.events,
        Err(error) => {
            event!(ERROR, "wheelhouse::driver", %error, "the poller failed");
            std::thread::sleep(Duration::from_millis(1));
            0
        }
    }
}

/// How long to sleep within `bound`, when the next timer is due at `next`.
fn wait(bound: Bound, watch: Duration, next: Next, timers: &Timers) -> Wait {
    let due = match next {
        Next::Now => return Wait::Now,
        // A clock that stands still makes nothing due.
        Next::At(_) if timers.is_paused() => None,
        Next::At(tick) => Some(timers.raw_deadline(tick)),
        Next::Never => None,
    };
    let watch = match bound {
        Bound::Now => return Wait::Now,
        Bound::Watch => Some(wheelhouse_io::clock_now(timers.clock_id()).saturating_add(nanos(watch))),
        Bound::Unbounded => None,
    };
    match (due, watch) {
        (Some(due), Some(watch)) => Wait::Until(due.min(watch)),
        (Some(at), None) | (None, Some(at)) => Wait::Until(at),
        (None, None) => Wait::Forever,
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
