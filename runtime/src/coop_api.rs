//! The cooperative budget: how a task that always finds something ready still lets others run.
//!
//! Each poll of a task may complete 128 operations of timers, sockets and join handles; the next one is pending, though it
//! could go on, and the task is polled again after those that are queued. Nothing is lost by it. Futures of other crates
//! do not know of the budget: a loop over one of them calls [`consume_budget`] now and then.

use core::future::{Future, poll_fn};
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use crate::coop::{self, UnlimitedGuard};

pub use crate::coop::RestoreOnPending;

pin_project! {
    /// A future that the budget does not limit; made by [`unconstrained`].
    ///
    /// # Cancel safety
    ///
    /// That of the future inside.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless they are awaited"]
    pub struct Unconstrained<F> {
        #[pin]
        future: F,
    }
}

pin_project! {
    /// A future that spends budget; made by [`cooperative`].
    ///
    /// # Cancel safety
    ///
    /// That of the future inside.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless they are awaited"]
    pub struct Coop<F> {
        #[pin]
        future: F,
    }
}

/// Lets `future` run without a budget. A loop in it that always finds something ready starves the other tasks of its
/// worker.
///
/// # Examples
///
/// ```
/// # wheelhouse::runtime::Runtime::new().unwrap().block_on(async {
/// use wheelhouse::task::coop;
///
/// coop::unconstrained(async {
///     for _ in 0..1_000 {
///         coop::consume_budget().await; // never pending here
///     }
///     assert!(coop::has_budget_remaining());
/// }).await;
/// # });
/// ```
pub fn unconstrained<F>(future: F) -> Unconstrained<F> {
    Unconstrained { future }
}

/// Makes `future` spend a unit of budget each time it is ready, and be pending while there is none left.
///
/// # Examples
///
/// ```
/// # wheelhouse::runtime::Runtime::new().unwrap().block_on(async {
/// let value = wheelhouse::task::coop::cooperative(std::future::ready(7)).await;
/// assert_eq!(value, 7);
/// # });
/// ```
pub fn cooperative<F>(future: F) -> Coop<F> {
    Coop { future }
}

/// Spends a unit of budget; with none left, the other tasks run first.
///
/// # Cancel safety
///
/// Dropping it loses nothing.
///
/// # Examples
///
/// ```
/// # async fn next_message() -> Option<u32> { None }
/// # wheelhouse::runtime::Runtime::new().unwrap().block_on(async {
/// // Messages of a channel that knows nothing of the budget.
/// while let Some(message) = next_message().await {
///     println!("{message}");
///     wheelhouse::task::coop::consume_budget().await;
/// }
/// # });
/// ```
pub async fn consume_budget() {
    poll_fn(|cx| {
        ready!(poll_proceed(cx)).made_progress();
        Poll::Ready(())
    })
    .await;
}

/// Whether the task may go on. Outside of a task nothing is limited.
///
/// # Examples
///
/// ```
/// assert!(wheelhouse::task::coop::has_budget_remaining());
/// ```
pub fn has_budget_remaining() -> bool {
    coop::has_budget()
}

/// For a leaf future's `poll`: ready while the task may go on; else the task is queued again, and the future must be
/// pending. The unit is spent by [`RestoreOnPending::made_progress`], which a future calls when it is ready.
///
/// # Examples
///
/// ```
/// use std::task::{Context, Poll, ready};
///
/// fn poll_next(queue: &mut Vec<u32>, cx: &mut Context<'_>) -> Poll<Option<u32>> {
///     let budget = ready!(wheelhouse::task::coop::poll_proceed(cx));
///     let next = queue.pop();
///     budget.made_progress();
///     Poll::Ready(next)
/// }
/// # let mut cx = Context::from_waker(std::task::Waker::noop());
/// # assert_eq!(poll_next(&mut vec![1], &mut cx), Poll::Ready(Some(1)));
/// ```
pub fn poll_proceed(cx: &mut Context<'_>) -> Poll<RestoreOnPending> {
    coop::poll_budget(cx)
}

impl<F: Future> Future for Unconstrained<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let _unlimited = UnlimitedGuard::enter();
        self.project().future.poll(cx)
    }
}

impl<F: Future> Future for Coop<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let budget = ready!(poll_proceed(cx));
        let output = ready!(self.project().future.poll(cx));
        budget.made_progress();
        Poll::Ready(output)
    }
}
