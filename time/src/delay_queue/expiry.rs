//! How items leave a delay queue when their time has come.

use core::future::poll_fn;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::Stream;

use super::heap::Entry;
use super::item::{Expired, Item};
use super::{DelayQueue, key_of};
use crate::Error;

impl<T> DelayQueue<T> {
    /// Waits for the next item that is due; `None` as soon as the queue is empty.
    ///
    /// # Panics
    ///
    /// Panics when polled with an item and no timers current, or after those it belongs to have shut down; see
    /// [`try_next`](Self::try_next).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: an item that is not returned is still in the queue.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wheelhouse_time::DelayQueue;
    ///
    /// # wheelhouse_time::doc::block_on(async {
    /// let mut queue = DelayQueue::new();
    /// queue.insert("item", Duration::from_millis(2));
    /// while let Some(expired) = queue.next().await {
    ///     assert_eq!(expired.into_inner(), "item");
    /// }
    /// # });
    /// ```
    pub async fn next(&mut self) -> Option<Expired<T>> {
        poll_fn(|cx| self.poll_expired(cx)).await
    }

    /// As [`next`](Self::next), with an error in place of the panic.
    ///
    /// # Errors
    ///
    /// [`Error::NoRuntime`] when polled with an item and no timers current, [`Error::Shutdown`] after those it belongs
    /// to have shut down. The items stay.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: an item that is not returned is still in the queue.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wheelhouse_time::{DelayQueue, Error};
    ///
    /// let mut queue = DelayQueue::new();
    /// queue.insert("item", Duration::from_secs(1));
    /// let outside = futures::executor::block_on(queue.try_next());
    /// assert_eq!(outside.unwrap_err(), Error::NoRuntime);
    /// ```
    pub async fn try_next(&mut self) -> Result<Option<Expired<T>>, Error> {
        poll_fn(|cx| self.try_poll_expired(cx)).await
    }

    /// Polls for the next item that is due. When pending, only the waker of the latest poll is woken.
    ///
    /// # Panics
    ///
    /// Panics with an item and no timers current, or after those it belongs to have shut down; see
    /// [`try_poll_expired`](Self::try_poll_expired).
    #[track_caller]
    pub fn poll_expired(&mut self, cx: &mut Context<'_>) -> Poll<Option<Expired<T>>> {
        Error::or_panic(self.try_poll_expired(cx))
    }

    /// As [`poll_expired`](Self::poll_expired), with an error in place of the panic.
    ///
    /// # Errors
    ///
    /// [`Error::NoRuntime`] with an item and no timers current, [`Error::Shutdown`] after those it belongs to have shut
    /// down. The items stay.
    pub fn try_poll_expired(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Expired<T>>, Error>> {
        let Some(head) = self.order.first() else {
            self.wait.poll_empty(cx);
            return Poll::Ready(Ok(None));
        };
        ready!(self.wait.poll(head.deadline, cx))?;
        Poll::Ready(Ok(Some(self.take_head(head))))
    }

    /// Takes out the head, or a clone of it when it is periodic.
    fn take_head(&mut self, head: Entry) -> Expired<T> {
        let value = match &self.items[head.slot] {
            // The clone comes first: should it panic, nothing has changed.
            Item { value, every: Some(every), .. } => {
                let value = (every.clone)(value);
                self.order.update(head.slot, head.deadline + every.period);
                value
            }
            Item { every: None, .. } => {
                self.order.remove(head.slot);
                self.items.remove(head.slot).value
            }
        };
        Expired { value, deadline: head.deadline, key: key_of(head) }
    }
}

impl<T> Stream for DelayQueue<T> {
    type Item = Expired<T>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Expired<T>>> {
        self.poll_expired(cx)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // No upper bound: a periodic item counts more than once.
        (self.len(), None)
    }
}
