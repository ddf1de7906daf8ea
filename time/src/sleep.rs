//! `Sleep`: one deadline, as a future.

use core::fmt;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use core::time::Duration;

use crate::clock::Instant;
use crate::context;
use crate::error::Error;
use crate::filed::Filed;
use crate::sync::Kept;
use crate::timer::{Entry, Inserted, Reset, Shard, State, Tick, nanos};
use crate::timers::Shared;

/// Waits until `duration` from now has passed.
///
/// The deadline is fixed by this call, not by the first poll, and saturates: `Duration::MAX` never fires. Where a cheaper
/// reading of the clock is to be had, a wait of a millisecond and more is counted from up to a microsecond after the call.
/// The deadline is kept to the nanosecond; the future is never ready early by [`Instant::now`], and late by tens of microseconds on an idle
/// machine. A duration of zero is ready at the first poll.
///
/// # Panics
///
/// The call itself never does. Polling panics without timers entered on the thread, or after the timer's runtime has
/// shut down; [`Sleep::try_poll_elapsed`] is the twin that returns an error.
///
/// # Cancel safety
///
/// Dropping the future cancels the timer; nothing else is lost.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wheelhouse_time::{Instant, sleep};
///
/// async fn pause_for_breath() -> Duration {
///     let start = Instant::now();
///     sleep(Duration::from_millis(10)).await;
///     start.elapsed()
/// }
/// # wheelhouse_time::doc::block_on(async { assert!(pause_for_breath().await >= Duration::from_millis(10)) });
/// ```
#[track_caller]
#[inline]
pub fn sleep(duration: Duration) -> Sleep {
    Sleep::after(duration)
}

/// Waits until `deadline`; one in the past is ready at the first poll.
///
/// # Panics
///
/// As [`sleep`]: the call never does, polling may.
///
/// # Cancel safety
///
/// Dropping the future cancels the timer; nothing else is lost.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wheelhouse_time::{Instant, sleep_until};
///
/// # wheelhouse_time::doc::block_on(async {
/// let deadline = Instant::now() + Duration::from_millis(5);
/// sleep_until(deadline).await;
/// assert!(Instant::now() >= deadline);
/// # });
/// ```
#[track_caller]
pub fn sleep_until(deadline: Instant) -> Sleep {
    Sleep::new_timeout(deadline)
}

pin_project_lite::pin_project! {
    /// A future that is ready once its deadline has been reached; made by [`sleep`] and [`sleep_until`].
    ///
    /// It belongs to the timers that were entered where it was made, else to those entered where it is first polled, and
    /// stays with them. It works under any executor's waker. Only the last waker that polled it is woken.
    ///
    /// `Sleep` is `!Unpin`: the wheel links it where it lies. It is `Sync`, because no method that takes `&self` touches
    /// its links or its waker.
    ///
    /// # Cancel safety
    ///
    /// Dropping it, at any time and on any thread, cancels the timer and frees all it used.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::{pin::pin, time::Duration};
    /// use wheelhouse_time::{Instant, sleep};
    ///
    /// # wheelhouse_time::doc::block_on(async {
    /// let mut idle = pin!(sleep(Duration::from_secs(60)));
    /// // ... something happened: push the deadline back, without a lock.
    /// idle.as_mut().reset(Instant::now() + Duration::from_millis(1));
    /// idle.as_mut().await;
    /// assert!(idle.is_elapsed());
    /// # });
    /// ```
    #[must_use = "futures do nothing unless polled"]
    pub struct Sleep {
        deadline: Instant,
        // The shard the entry was last filed in, and what is told of it.
        filed: Filed,
        #[pin]
        entry: Entry,
    }

    impl PinnedDrop for Sleep {
        fn drop(this: Pin<&mut Self>) {
            let this = this.project();
            if let Some(shard) = this.filed.shard() {
                shard.release(this.entry);
            }
        }
    }
}

impl Sleep {
    /// The timer of a `sleep_until`, a timeout or an interval.
    #[track_caller]
    pub(crate) fn new_timeout(deadline: Instant) -> Sleep {
        let owner = context::with(|current| current.map_or(0, |current| current.shared.id()));
        Sleep { deadline, filed: Filed::new(deadline), entry: Entry::new(owner) }
    }

    /// The timer that ends `duration` from now. What is more than a few stores is behind a call that returns in registers:
    /// a future built in pieces elsewhere and moved from there stalls on its own stores.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn after(duration: Duration) -> Sleep {
        let (deadline, owner) = after(duration);
        Sleep { deadline, filed: Filed::new(deadline), entry: Entry::new(owner) }
    }

    /// The instant at which this fires.
    #[must_use]
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Whether the deadline was reached: true once it fired or a poll saw it, false again after a reset.
    #[must_use]
    pub fn is_elapsed(&self) -> bool {
        matches!(self.entry.state(), State::Elapsed { .. })
    }

    /// Sets another deadline.
    ///
    /// A later one than is armed takes effect without a lock. An earlier one is filed anew at once; one in the past wakes
    /// the task. If the timer fired already or was never polled, the next poll arms it.
    ///
    /// It is valid at any time, outside a runtime too, and does not move the timer to another runtime.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::{pin::pin, time::Duration};
    /// use wheelhouse_time::{Instant, sleep};
    ///
    /// let mut timer = pin!(sleep(Duration::from_secs(1)));
    /// timer.as_mut().reset(Instant::now() + Duration::MAX);
    /// assert_eq!(timer.deadline(), Instant::FAR_FUTURE);
    /// ```
    pub fn reset(self: Pin<&mut Self>, deadline: Instant) {
        if let Some(waker) = self.set_deadline(deadline) {
            waker.wake();
        }
    }

    /// As [`reset`](Self::reset); the waker that a deadline in the past is to wake goes to the caller.
    pub(crate) fn set_deadline(self: Pin<&mut Self>, deadline: Instant) -> Option<Waker> {
        let filed = matches!(self.entry.state(), State::Armed(_) | State::Pending);
        let due = filed && deadline < self.deadline && deadline <= self.now();
        let mut this = self.project();
        *this.deadline = deadline;
        this.filed.reset(deadline);
        match this.filed.shard() {
            Some(shard) if due => {
                shard.detach(this.entry.as_mut());
                this.entry.as_mut().elapse_idle();
                return this.entry.take_waker();
            }
            Some(shard) => {
                let to = deadline.tick_since(shard.epoch());
                if shard.reset(this.entry, to) == Reset::Extended {
                    note_extended(&shard);
                }
            }
            // Never filed: at most it was found due at its first poll.
            None => this.entry.rest_unfiled(),
        }
        None
    }

    /// The present, by the clock this is measured against: that of its own runtime, else of the one entered here.
    pub(crate) fn now(&self) -> Instant {
        let owner = self.entry.owner();
        let read = |shared: &Shared| shared.clock().instant(shared.clock().now());
        let entered = context::with(|current| match current {
            Some(current) if owner == 0 || owner == current.shared.id() => Some(read(&current.shared)),
            _ => None,
        });
        entered.unwrap_or_else(|| Shared::by_id(owner).map_or_else(Instant::system, |shared| read(&shared)))
    }

    /// As `poll`, with an error instead of a panic. On success it is `Ready(Ok(()))` from then on, until a reset.
    ///
    /// # Errors
    ///
    /// [`Error::NoRuntime`] if the timer belongs to no runtime yet and none is entered on this thread;
    /// [`Error::Shutdown`] if its runtime has shut down. Either comes before the deadline is looked at; only a timer that
    /// was seen to elapse stays so.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::{pin::pin, task::{Context, Poll, Waker}, time::Duration};
    /// use wheelhouse_time::{Error, sleep};
    ///
    /// let mut cx = Context::from_waker(Waker::noop());
    /// let timer = pin!(sleep(Duration::from_secs(1)));
    /// assert_eq!(timer.try_poll_elapsed(&mut cx), Poll::Ready(Err(Error::NoRuntime)));
    /// ```
    pub fn try_poll_elapsed(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        let Poll::Ready(proceed) = context::poll_proceed(cx) else { return Poll::Pending };
        let result = self.poll_unlimited(cx);
        if result.is_ready() {
            proceed.made_progress();
        }
        result
    }

    /// As `try_poll_elapsed`, whatever is left of the budget, and without spending of it.
    pub(crate) fn poll_unlimited(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        let this = self.project();
        let (deadline, mut entry) = (*this.deadline, this.entry);
        this.filed.polled(|filed| match entry.state() {
            State::Idle => arm(deadline, filed, entry, cx.waker()),
            State::Elapsed { .. } => Poll::Ready(Ok(())),
            State::Shutdown { .. } => Poll::Ready(Err(Error::Shutdown)),
            State::Armed(_) | State::Pending => match poll_filed(filed, entry.as_mut(), cx.waker()) {
                State::Elapsed { .. } => Poll::Ready(Ok(())),
                State::Shutdown { .. } => Poll::Ready(Err(Error::Shutdown)),
                _ => Poll::Pending,
            },
        })
    }
}

impl Future for Sleep {
    type Output = ();

    #[track_caller]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        match self.try_poll_elapsed(cx) {
            Poll::Ready(Ok(())) => Poll::Ready(()),
            Poll::Ready(Err(error)) => error.panic(),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl fmt::Debug for Sleep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sleep").field("deadline", &self.deadline).field("elapsed", &self.is_elapsed()).finish()
    }
}

/// The instant `duration` from now, and the id of the runtime entered here, or 0: one look at the context for both.
#[inline(never)]
fn after(duration: Duration) -> (Instant, u32) {
    let nanos = nanos(duration);
    context::with(|current| match current {
        Some(current) => (current.shared.clock().after(nanos), current.shared.id()),
        None => (Instant::system() + duration, 0),
    })
}

/// Where a timer is to be filed: found by one look at the context.
enum Place {
    /// Its deadline has been reached already.
    Due,
    In(Kept<Shard>, Tick),
    Nowhere(Error),
}

/// Files an idle entry, unless it is due.
fn arm(deadline: Instant, filed: &mut Filed, mut entry: Pin<&mut Entry>, waker: &Waker) -> Poll<Result<(), Error>> {
    let (place, tick) = match place(deadline, &entry) {
        Place::Due => {
            entry.elapse_idle();
            return Poll::Ready(Ok(()));
        }
        Place::Nowhere(error) => return Poll::Ready(Err(error)),
        Place::In(place, tick) => {
            filed.set(place.clone());
            (place, tick)
        }
    };
    // The waker goes in before the entry is linked: nobody fires it until then.
    poll_filed(filed, entry.as_mut(), waker);
    match place.insert(entry, tick) {
        Inserted::Armed => Poll::Pending,
        Inserted::Closed => Poll::Ready(Err(Error::Shutdown)),
    }
}

/// Finds the runtime and the shard of an idle entry, and binds it to the runtime.
fn place(deadline: Instant, entry: &Entry) -> Place {
    let judge = |shared: &Shared, place: &Kept<Shard>| {
        let tick = shared.clock().tick(deadline);
        if shared.clock().has_reached(tick) {
            return if shared.is_shut() { Place::Nowhere(Error::Shutdown) } else { Place::Due };
        }
        Place::In(place.clone(), tick)
    };
    let owner = entry.owner();
    let found = context::with(|current| match current {
        None if owner == 0 => Some(Place::Nowhere(Error::NoRuntime)),
        Some(current) if owner == 0 || owner == current.shared.id() => {
            entry.set_owner(current.shared.id());
            Some(judge(&current.shared, &current.shard))
        }
        _ => None,
    });
    found.unwrap_or_else(|| match Shared::by_id(owner) {
        Some(shared) => judge(&shared, shared.foreign_shard()),
        None => Place::Nowhere(Error::Shutdown),
    })
}

/// Stores the waker and reads the state. If the waker's clone panics, the entry is taken out and its slot made good.
fn poll_filed(filed: &Filed, entry: Pin<&mut Entry>, waker: &Waker) -> State {
    struct Undo<'a>(&'a Filed, Pin<&'a mut Entry>);
    impl Drop for Undo<'_> {
        fn drop(&mut self) {
            if let Some(shard) = self.0.shard() {
                shard.detach(self.1.as_mut());
            }
            self.1.as_mut().renew_waker();
        }
    }
    let mut undo = Undo(filed, entry);
    let state = undo.1.as_mut().poll(waker);
    core::mem::forget(undo);
    state
}

/// Counts an extension in the shard of this thread, where nobody else writes; off any runtime, in the entry's own.
fn note_extended(shard: &Kept<Shard>) {
    context::with(|current| match current {
        Some(current) if current.shared.owns(shard) => current.shard.note_extended_here(),
        _ => shard.note_extended(),
    });
}
