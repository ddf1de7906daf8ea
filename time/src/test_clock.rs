//! The test clock: stop time, and move it by hand.

use core::fmt;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll};
use core::time::Duration;

use crate::clock::Clock;
use crate::context;
use crate::error::Error;
use crate::sleep::{Sleep, sleep_until};
use crate::timer::Tick;
use crate::timers::{Permit, Timers};

#[track_caller]
fn current() -> Timers {
    context::try_current().unwrap_or_else(|| Error::NoRuntime.panic())
}

/// Stops the clock of the current runtime. While it stands, time moves only by [`advance`], or by itself when the runtime
/// is idle and a timer is pending: it then jumps exactly to the earliest deadline, unless the builder said otherwise.
///
/// A runtime is idle when every worker and every thread inside of its `block_on` sleeps, no socket is ready, and no
/// blocking job is queued or running. A blocking job that sleeps inside of `block_on` of the same runtime is one of those
/// threads, and does not keep the clock: it waits for the runtime itself. One that waits for anything else does.
///
/// A clock that stands already stays as it is.
///
/// # Panics
///
/// Panics outside a runtime.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wheelhouse_time::{Instant, pause, sleep};
///
/// # wheelhouse_time::doc::block_on(async {
/// pause();
/// let start = Instant::now();
/// sleep(Duration::from_secs(3600)).await;
/// assert_eq!(start.elapsed(), Duration::from_secs(3600));
/// # });
/// ```
#[track_caller]
pub fn pause() {
    current().pause();
}

/// Lets the clock of the current runtime run on from where it stands.
///
/// A clock that runs already stays as it is.
///
/// # Panics
///
/// Panics outside a runtime.
///
/// # Examples
///
/// ```
/// use wheelhouse_time::{Instant, pause, resume};
///
/// # wheelhouse_time::doc::block_on(async {
/// pause();
/// let stopped = Instant::now();
/// assert_eq!(stopped, Instant::now());
/// resume();
/// assert!(Instant::now() >= stopped);
/// # });
/// ```
#[track_caller]
pub fn resume() {
    current().resume();
}

/// Moves the paused clock of the current runtime forward by exactly `duration`, saturating 292 years after its start.
///
/// It crosses the deadlines on the way in order and stops at each: the timer fires, the tasks it woke run until nothing
/// is ready, and only then does the clock move on. A runtime that never comes to rest, because a task is always ready,
/// is given some turns at each stop instead. Blocking jobs and I/O do not hold it up.
///
/// # Panics
///
/// Panics outside a runtime, or while the clock runs: call [`pause`] first.
///
/// # Cancel safety
///
/// Dropping it leaves the clock at the last stop it made.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wheelhouse_time::{Instant, advance, pause};
///
/// # wheelhouse_time::doc::block_on(async {
/// pause();
/// let start = Instant::now();
/// advance(Duration::from_nanos(3_141_592_653)).await;
/// assert_eq!(start.elapsed(), Duration::from_nanos(3_141_592_653));
/// # });
/// ```
#[track_caller]
pub fn advance(duration: Duration) -> Advance {
    let timers = current();
    assert!(timers.is_paused(), "the clock runs: call `pause` before `advance`, or build with `start_paused(true)`");
    let until = Clock::reachable(timers.now().saturating_add(duration));
    let sleep = sleep_until(timers.instant(until));
    Advance { sleep, until, timers, permit: None }
}

pin_project_lite::pin_project! {
    /// The future of [`advance`].
    #[must_use = "futures do nothing unless polled"]
    pub struct Advance {
        #[pin]
        sleep: Sleep,
        until: Tick,
        timers: Timers,
        // From the first poll to the end: a future that is not polled moves nothing, nor does one that is over.
        permit: Option<Permit>,
    }
}

impl Future for Advance {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.project();
        if this.permit.is_none() && !this.sleep.is_elapsed() {
            *this.permit = Some(this.timers.permit(*this.until));
        }
        let polled = this.sleep.poll(cx);
        if polled.is_ready() {
            *this.permit = None;
        }
        polled
    }
}

impl fmt::Debug for Advance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Advance").field("until", &self.sleep.deadline()).finish()
    }
}
