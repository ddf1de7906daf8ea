//! A queue of items that come out when their time has come.
//!
//! Items live in a slab, a four-way heap orders them, and one [`Sleep`](crate::Sleep) waits for the head. A second wheel would make
//! insert O(1) instead of O(log n), but a queue is used through `&mut`, so there is no contention to spare, the heap's
//! head is exact without cascades, and every operation touches a few cache lines of one array. Only the head costs
//! anything in the runtime's wheel.

mod expiry;
mod heap;
mod item;
mod wait;

use std::time::Duration;

use slab::Slab;

use crate::interval::require_period;
use crate::{Error, Instant};

use heap::{Entry, Heap};
use item::{Every, Item};
pub use item::{Expired, Key};
use wait::Wait;

/// A queue whose items come out when their time has come, earliest deadline first, and of equal deadlines the one
/// inserted first.
///
/// As a [`Stream`](futures_core::Stream) it ends (`None`) whenever it is empty, and may be filled and polled again. The task that polled last
/// is woken
/// - when an item is due,
/// - when an insert or a reset makes the head earlier, or lands in the past,
/// - when the last item goes, so that it sees the `None`.
///
/// Insert, remove and reset cost O(log n) and take no lock; a pending queue occupies one timer, whatever its length. A
/// queue belongs to the timers that are current when it is made, or, when there are none, to those that are current at
/// its first poll that finds an item; it stays with them.
///
/// # Units
///
/// Delays and periods are `Duration`s; sums beyond the end of time stay at the end of time, which never comes.
///
/// # Cancel safety
///
/// Dropping a future that waits for the next item loses nothing.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wheelhouse_time::DelayQueue;
///
/// # wheelhouse_time::doc::block_on(async {
/// let ms = Duration::from_millis;
/// let mut queue = DelayQueue::new();
/// let slow = queue.insert("slow", ms(30));
/// let gone = queue.insert("gone", ms(10));
/// queue.insert("quick", ms(5));
///
/// assert_eq!(queue.remove(&gone)?.into_inner(), "gone");
/// assert!(queue.remove(&gone).is_err());
/// queue.reset(&slow, ms(15))?;
///
/// assert_eq!(queue.next().await.unwrap().into_inner(), "quick");
/// assert_eq!(queue.next().await.unwrap().into_inner(), "slow");
/// assert!(queue.next().await.is_none());
/// # Ok::<(), wheelhouse_time::Error>(())
/// # }).unwrap();
/// ```
#[derive(Debug)]
pub struct DelayQueue<T> {
    items: Slab<Item<T>>,
    order: Heap,
    next_id: u64,
    wait: Wait,
}

impl<T> DelayQueue<T> {
    /// Makes an empty queue.
    ///
    /// # Examples
    ///
    /// ```
    /// let queue = wheelhouse_time::DelayQueue::<u8>::new();
    /// assert!(queue.is_empty());
    /// ```
    pub fn new() -> Self {
        Self::with_capacity(0)
    }

    /// Makes an empty queue with room for `capacity` items.
    pub fn with_capacity(capacity: usize) -> Self {
        Self {
            items: Slab::with_capacity(capacity),
            order: Heap::with_capacity(capacity),
            next_id: 0,
            wait: Wait::new(),
        }
    }

    /// Adds an item that comes out `delay` from now.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wheelhouse_time::DelayQueue;
    ///
    /// let mut queue = DelayQueue::new();
    /// let key = queue.insert("never", Duration::MAX);
    /// assert_eq!(queue.peek(), Some(key));
    /// ```
    pub fn insert(&mut self, value: T, delay: Duration) -> Key {
        self.insert_at(value, self.wait.now() + delay)
    }

    /// Adds an item that comes out at `deadline`; in the past, it is due at once.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wheelhouse_time::{DelayQueue, Instant};
    ///
    /// let mut queue = DelayQueue::new();
    /// let deadline = Instant::now() + Duration::from_secs(1);
    /// let key = queue.insert_at("soon", deadline);
    /// assert_eq!(queue.deadline(&key), Some(deadline));
    /// ```
    pub fn insert_at(&mut self, value: T, deadline: Instant) -> Key {
        self.insert_item(value, None, deadline)
    }

    /// Adds a periodic item: a clone of it comes out every `period`, the first one a period from now, until it is
    /// removed.
    ///
    /// The grid is strict, like a [`Ticker`](crate::Ticker)'s: periods that were missed come out at once, one after the
    /// other. [`reset`](Self::reset) moves the next one, and the grid with it.
    ///
    /// # Panics
    ///
    /// Panics if `period` is zero. A poll passes on the panic of the item's `clone`; the item is then still due.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wheelhouse_time::DelayQueue;
    ///
    /// # wheelhouse_time::doc::block_on(async {
    /// let mut queue = DelayQueue::new();
    /// let beat = queue.insert_every("beat", Duration::from_millis(2));
    /// for _ in 0..3 {
    ///     assert_eq!(queue.next().await.unwrap().key(), beat);
    /// }
    /// assert!(queue.remove(&beat).is_ok());
    /// assert!(queue.next().await.is_none());
    /// # });
    /// ```
    #[track_caller]
    pub fn insert_every(&mut self, value: T, period: Duration) -> Key
    where
        T: Clone,
    {
        require_period(period);
        let every = Box::new(Every { period, clone: T::clone });
        self.insert_item(value, Some(every), self.wait.now() + period)
    }

    /// Takes an item out before its time.
    ///
    /// # Errors
    ///
    /// [`Error::StaleKey`] if it has expired or was removed before.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wheelhouse_time::{DelayQueue, Error};
    ///
    /// let mut queue = DelayQueue::new();
    /// let key = queue.insert("never mind", Duration::from_secs(1));
    /// assert_eq!(queue.remove(&key).unwrap().into_inner(), "never mind");
    /// assert_eq!(queue.remove(&key).unwrap_err(), Error::StaleKey);
    /// ```
    pub fn remove(&mut self, key: &Key) -> Result<Expired<T>, Error> {
        self.try_remove(key).ok_or(Error::StaleKey)
    }

    /// Takes an item out before its time, if it is still there.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wheelhouse_time::{DelayQueue};
    ///
    /// let mut queue = DelayQueue::new();
    /// let key = queue.insert("never mind", Duration::from_secs(1));
    /// assert!(queue.try_remove(&key).is_some());
    /// assert!(queue.try_remove(&key).is_none());
    /// ```
    pub fn try_remove(&mut self, key: &Key) -> Option<Expired<T>> {
        self.lookup(key)?;
        let deadline = self.order.remove(key.slot).deadline;
        let value = self.items.remove(key.slot).value;
        self.wait.head_receded(self.head_deadline());
        Some(Expired { value, deadline, key: *key })
    }

    /// Makes an item come out `delay` from now instead.
    ///
    /// # Errors
    ///
    /// [`Error::StaleKey`] if it has expired or was removed before.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wheelhouse_time::{DelayQueue};
    ///
    /// let mut queue = DelayQueue::new();
    /// let idle = queue.insert("connection 7", Duration::from_secs(30));
    /// // ... a request came:
    /// queue.reset(&idle, Duration::from_secs(30))?;
    /// # Ok::<(), wheelhouse_time::Error>(())
    /// ```
    pub fn reset(&mut self, key: &Key, delay: Duration) -> Result<(), Error> {
        self.reset_at(key, self.wait.now() + delay)
    }

    /// Makes an item come out at `deadline` instead; in the past, it is due at once.
    ///
    /// # Errors
    ///
    /// [`Error::StaleKey`] if it has expired or was removed before.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wheelhouse_time::{DelayQueue, Instant};
    ///
    /// let mut queue = DelayQueue::new();
    /// let key = queue.insert("lease", Duration::from_secs(30));
    /// let end = Instant::now() + Duration::from_secs(90);
    /// queue.reset_at(&key, end)?;
    /// assert_eq!(queue.deadline(&key), Some(end));
    /// # Ok::<(), wheelhouse_time::Error>(())
    /// ```
    pub fn reset_at(&mut self, key: &Key, deadline: Instant) -> Result<(), Error> {
        self.lookup(key).ok_or(Error::StaleKey)?;
        let before = self.head_deadline();
        self.order.update(key.slot, deadline);
        self.head_moved(before);
        Ok(())
    }

    /// When an item is due, or `None` if it has expired or was removed.
    pub fn deadline(&self, key: &Key) -> Option<Instant> {
        self.lookup(key)?;
        Some(self.order.deadline(key.slot))
    }

    /// The key of the item that comes out next, due or not.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wheelhouse_time::{DelayQueue};
    ///
    /// let mut queue = DelayQueue::new();
    /// queue.insert("late", Duration::from_secs(2));
    /// let first = queue.insert("early", Duration::from_secs(1));
    /// assert_eq!(queue.peek(), Some(first));
    /// ```
    pub fn peek(&self) -> Option<Key> {
        self.order.first().map(key_of)
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The number of items there is room for without an allocation.
    pub fn capacity(&self) -> usize {
        self.items.capacity()
    }

    /// Makes room for `additional` more items.
    ///
    /// # Panics
    ///
    /// Panics if the room would exceed `isize::MAX` bytes.
    pub fn reserve(&mut self, additional: usize) {
        self.items.reserve(additional);
        self.order.reserve(additional);
    }

    /// Drops every item. Their keys name nothing from here on.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wheelhouse_time::{DelayQueue};
    ///
    /// let mut queue = DelayQueue::new();
    /// let key = queue.insert("item", Duration::from_secs(1));
    /// queue.clear();
    /// assert!(queue.is_empty());
    /// assert!(queue.try_remove(&key).is_none());
    /// ```
    pub fn clear(&mut self) {
        if self.is_empty() {
            return;
        }
        self.order.clear();
        let capacity = self.items.capacity();
        let items = core::mem::replace(&mut self.items, Slab::with_capacity(capacity));
        self.wait.head_receded(self.head_deadline());
        // Last, with the queue in order: the drop of an item may panic.
        drop(items);
    }
}

impl<T> DelayQueue<T> {
    fn insert_item(&mut self, value: T, every: Option<Box<Every<T>>>, deadline: Instant) -> Key {
        let before = self.head_deadline();
        let id = self.next_id;
        self.next_id += 1;
        let slot = self.items.insert(Item { id, value, every });
        self.order.push(Entry { deadline, id, slot });
        self.head_moved(before);
        Key { id, slot }
    }

    fn lookup(&self, key: &Key) -> Option<&Item<T>> {
        self.items.get(key.slot).filter(|item| item.id == key.id)
    }

    /// After an insert or a reset; `before` is the head's deadline until then.
    fn head_moved(&mut self, before: Option<Instant>) {
        if let Some(head) = self.order.first() {
            self.wait.head_moved(before, head.deadline);
        }
    }

    fn head_deadline(&self) -> Option<Instant> {
        self.order.first().map(|head| head.deadline)
    }
}

fn key_of(entry: Entry) -> Key {
    Key { id: entry.id, slot: entry.slot }
}

impl<T> Default for DelayQueue<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// The queue never pins an item.
impl<T> Unpin for DelayQueue<T> {}
