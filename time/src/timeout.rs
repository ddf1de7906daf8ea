//! `Timeout`: a future and a deadline for it.

use core::future::{Future, IntoFuture};
use core::pin::Pin;
use core::task::{Context, Poll};
use core::time::Duration;

use crate::clock::Instant;
use crate::context;
use crate::error::{Elapsed, Error};
use crate::sleep::Sleep;

/// Gives `future` until `duration` from now to complete.
///
/// The clock starts at this call. The inner future is polled first, always: one that is ready wins, even against a
/// duration of zero. While it never pends, no lock and no wheel is touched.
///
/// # Errors
///
/// The future resolves to [`Elapsed`] if the time ran out; the inner future is dropped with the timeout.
///
/// # Panics
///
/// Polling panics where a [`sleep`](crate::sleep) would, if the inner future pends; see [`Timeout::try_poll`].
///
/// # Cancel safety
///
/// That of the inner future; the timer itself loses nothing.
///
/// # Examples
///
/// ```
/// use std::{future::pending, time::Duration};
/// use wheelhouse_time::timeout;
///
/// # wheelhouse_time::doc::block_on(async {
/// assert_eq!(timeout(Duration::ZERO, async { 7 }).await, Ok(7));
/// assert!(timeout(Duration::from_millis(5), pending::<()>()).await.is_err());
/// # });
/// ```
#[track_caller]
#[inline]
pub fn timeout<F: IntoFuture>(duration: Duration, future: F) -> Timeout<F::IntoFuture> {
    Timeout { future: future.into_future(), sleep: Sleep::after(duration) }
}

/// Gives `future` until `deadline` to complete; else as [`timeout`].
///
/// # Errors
///
/// The future resolves to [`Elapsed`] if the time ran out.
///
/// # Panics
///
/// As [`timeout`].
///
/// # Cancel safety
///
/// That of the inner future.
///
/// # Examples
///
/// ```
/// use std::{future::pending, time::Duration};
/// use wheelhouse_time::{Instant, timeout_at};
///
/// # wheelhouse_time::doc::block_on(async {
/// let deadline = Instant::now() + Duration::from_millis(5);
/// assert!(timeout_at(deadline, pending::<()>()).await.is_err());
/// # });
/// ```
#[track_caller]
pub fn timeout_at<F: IntoFuture>(deadline: Instant, future: F) -> Timeout<F::IntoFuture> {
    Timeout { future: future.into_future(), sleep: Sleep::new_timeout(deadline) }
}

pin_project_lite::pin_project! {
    /// A future with a deadline; made by [`timeout`] and [`timeout_at`].
    ///
    /// # Errors
    ///
    /// It resolves to [`Elapsed`] if the time ran out first.
    ///
    /// # Cancel safety
    ///
    /// Dropping it drops the inner future and cancels the timer.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct Timeout<F> {
        #[pin]
        future: F,
        #[pin]
        sleep: Sleep,
    }
}

impl<F> Timeout<F> {
    /// The inner future.
    pub fn get_ref(&self) -> &F {
        &self.future
    }

    /// The inner future.
    pub fn get_mut(&mut self) -> &mut F {
        &mut self.future
    }

    /// Gives up the timeout and returns the inner future.
    pub fn into_inner(self) -> F {
        self.future
    }

    /// The instant at which the time runs out.
    #[must_use]
    pub fn deadline(&self) -> Instant {
        self.sleep.deadline()
    }
}

impl<F: Future> Timeout<F> {
    /// As `poll`, with an error instead of a panic where the timer cannot be waited for.
    ///
    /// # Errors
    ///
    /// The outer error is that of [`Sleep::try_poll_elapsed`]; the inner one says that the time ran out.
    pub fn try_poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<Result<F::Output, Elapsed>, Error>> {
        let this = self.project();
        let had_budget = context::has_budget();
        if let Poll::Ready(output) = this.future.poll(cx) {
            return Poll::Ready(Ok(Ok(output)));
        }
        // A future that used up the budget in this very poll does not put off the end of its own time: a busy one would do
        // so for ever.
        let elapsed = if had_budget {
            let elapsed = this.sleep.poll_unlimited(cx);
            if elapsed.is_ready() {
                context::spend();
            }
            elapsed
        } else {
            this.sleep.try_poll_elapsed(cx)
        };
        elapsed.map_ok(|()| Err(Elapsed::new()))
    }
}

impl<F: Future> Future for Timeout<F> {
    type Output = Result<F::Output, Elapsed>;

    #[track_caller]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.try_poll(cx) {
            Poll::Ready(Ok(result)) => Poll::Ready(result),
            Poll::Ready(Err(error)) => error.panic(),
            Poll::Pending => Poll::Pending,
        }
    }
}
