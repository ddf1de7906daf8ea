//! A worker's run queue: first in, first out. The owner puts tasks at the back; owner and thieves alike take from the
//! front, whoever is first.
//!
//! It is the ring of Chase and Lev ("Dynamic circular work-stealing deque", 2005) with both ends' takers at the front, as
//! fairness asks for, and a count of thieves in place of a garbage collector. It grows by doubling, and shrinks only when
//! it is large and nearly empty: a ring that follows every burst keeps the allocator busy, and with a million small
//! blocks free one request for a large one takes the system's allocator tens of milliseconds.
//!
//! # Words
//!
//! | word | written by | what it says |
//! | --- | --- | --- |
//! | `front` | whoever takes, by an exchange | index of the oldest task |
//! | `back` | the owner | index behind the newest task |
//! | `buffer` | the owner | where the slots are: index modulo capacity |
//! | `thieves` | thieves | how many may hold a pointer to a buffer |
//! | slots | the owner of the queue | a task, opaque here; of use to whoever moves `front` past it |
//!
//! Indices only grow (they wrap, after more tasks than a machine runs): `front` is the same as before only if nobody took.
//!
//! # Edges
//!
//! | what | who | method | pair |
//! | --- | --- | --- | --- |
//! | slot filled, then `back` moved on | owner | `push`, `publish` | RUNQ.publish |
//! | `front` read, then `back`, then `buffer`, then slots | thief | `steal_into` | RUNQ.publish |
//! | slots read, then `front` moved on | owner, thief | `pop`, `steal_into` | RUNQ.reuse |
//! | `front` read, then a slot that it has passed is filled anew | owner | `reserve` | RUNQ.reuse |
//! | `thieves` up, fence, `buffer` read | thief | `steal_into` | RUNQ.retire |
//! | `buffer` replaced, fence, `thieves` read: zero frees the old ones | owner | `resize` | RUNQ.retire |
//!
//! A thief that read `front` too early copies tasks that are gone, or slots that are filled anew: its exchange fails then,
//! and the copies are never looked at.
//!
//! # Models
//!
//! `run_queue`: a thief against an owner that pushes, pops, goes round the ring, and grows it.

use core::fmt;
use core::marker::PhantomData;
use core::ptr::{self, NonNull};

use crate::sync::{Arc, AtomicPtr, AtomicUsize, CachePadded, Ordering, UnsafeCell, fence};

/// Something that is as good as a pointer: what a queue holds.
pub(crate) trait Token: Sized {
    type Target;

    fn into_raw(self) -> NonNull<Self::Target>;

    /// # Safety
    ///
    /// `raw` comes from `into_raw`, and this is the only time that it is turned back.
    unsafe fn from_raw(raw: NonNull<Self::Target>) -> Self;
}

/// Above this many slots a ring that is nearly empty shrinks.
pub(crate) const LARGE: usize = 1 << 14;

/// Nearly empty: one of so many slots is in use.
pub(crate) const SPARSE: usize = 16;

/// The slots, a power of two of them.
struct Buffer<P> {
    slots: Box<[AtomicPtr<P>]>,
    /// A model's stand-in for the memory: read by whoever looks at the slots, written when they are freed.
    memory: UnsafeCell<()>,
}

// SAFETY: the slots are atomic, and `memory` is empty.
unsafe impl<P> Send for Buffer<P> {}
// SAFETY: as above.
unsafe impl<P> Sync for Buffer<P> {}

impl<P> Buffer<P> {
    fn new(capacity: usize) -> NonNull<Self> {
        let slots = (0..capacity).map(|_| AtomicPtr::new(ptr::null_mut())).collect();
        let buffer = Box::new(Self { slots, memory: UnsafeCell::new(()) });
        NonNull::from(Box::leak(buffer))
    }

    /// # Safety
    ///
    /// `buffer` comes from `new`, and nobody looks at it any more.
    unsafe fn free(buffer: NonNull<Self>) {
        // SAFETY: the caller's promise.
        let buffer = unsafe { Box::from_raw(buffer.as_ptr()) };
        buffer.memory.with_mut(|_| ());
    }

    #[inline]
    fn slot(&self, index: usize) -> &AtomicPtr<P> {
        &self.slots[index & (self.slots.len() - 1)]
    }
}

/// What owner and thieves share.
struct Shared<T: Token> {
    front: CachePadded<AtomicUsize>,
    back: CachePadded<AtomicUsize>,
    buffer: AtomicPtr<Buffer<T::Target>>,
    thieves: CachePadded<AtomicUsize>,
    /// Replaced while thieves were about. The owner's alone, until nobody has either end.
    retired: UnsafeCell<Vec<NonNull<Buffer<T::Target>>>>,
    /// It owns the tasks in it.
    tasks: PhantomData<T>,
}

impl<T: Token> Drop for Shared<T> {
    fn drop(&mut self) {
        let retired = self.retired.with_mut(|retired| {
            // SAFETY: nobody has either end.
            let retired = unsafe { &mut *retired };
            core::mem::take(retired)
        });
        // Relaxed: whoever dropped the last end has seen it.
        let current = NonNull::new(self.buffer.load(Ordering::Relaxed));
        for buffer in retired.into_iter().chain(current) {
            // SAFETY: as above; each was made by `Buffer::new` and is here once.
            unsafe { Buffer::free(buffer) };
        }
    }
}

/// The owner's end. It fills slots and moves `back`, so there is one at a time; it may change threads.
pub(crate) struct RunQueue<T: Token> {
    shared: Arc<Shared<T>>,
    /// `shared.back`, which nobody else writes.
    back: usize,
    /// `shared.buffer`, likewise. Alive until `resize` replaces it.
    buffer: NonNull<Buffer<T::Target>>,
    /// It never shrinks below this.
    least: usize,
}

/// A thief's end.
pub(crate) struct Stealer<T: Token> {
    shared: Arc<Shared<T>>,
}

// SAFETY: it owns its buffers, and the tasks in them may change threads.
unsafe impl<T: Token + Send> Send for RunQueue<T> {}
// SAFETY: a thief's end hands tasks from one thread to another, and everything else in it is atomic.
unsafe impl<T: Token + Send> Send for Stealer<T> {}
// SAFETY: as above.
unsafe impl<T: Token + Send> Sync for Stealer<T> {}

impl<T: Token> RunQueue<T> {
    /// An empty queue that grows from `capacity` slots on, a power of two.
    pub(crate) fn new(capacity: usize) -> Self {
        assert!(capacity.is_power_of_two());
        let buffer = Buffer::new(capacity);
        let shared = Arc::new(Shared {
            front: CachePadded::new(AtomicUsize::new(0)),
            back: CachePadded::new(AtomicUsize::new(0)),
            buffer: AtomicPtr::new(buffer.as_ptr()),
            thieves: CachePadded::new(AtomicUsize::new(0)),
            retired: UnsafeCell::new(Vec::new()),
            tasks: PhantomData,
        });
        Self { shared, back: 0, buffer, least: capacity }
    }

    pub(crate) fn stealer(&self) -> Stealer<T> {
        Stealer { shared: self.shared.clone() }
    }

    /// How many tasks are in it; fewer, perhaps, by the time that the caller knows.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        // Relaxed: a hint, and thieves only make it smaller.
        self.back.wrapping_sub(self.shared.front.load(Ordering::Relaxed))
    }

    /// How many fit before it grows.
    #[inline]
    pub(crate) fn capacity(&self) -> usize {
        self.buffer().slots.len()
    }

    #[inline]
    fn buffer(&self) -> &Buffer<T::Target> {
        // SAFETY: the field's invariant.
        unsafe { self.buffer.as_ref() }
    }

    /// Puts a task at the back.
    #[inline]
    pub(crate) fn push(&mut self, task: T) {
        self.reserve(1);
        // Relaxed: RUNQ.publish orders it.
        self.buffer().slot(self.back).store(task.into_raw().as_ptr(), Ordering::Relaxed);
        self.publish(1);
    }

    /// Takes the task at the front.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<T> {
        // Relaxed: what is read of a slot was written by this end.
        let mut front = self.shared.front.load(Ordering::Relaxed);
        loop {
            if front == self.back {
                return None;
            }
            // Relaxed: likewise.
            let task = self.buffer().slot(front).load(Ordering::Relaxed);
            // RUNQ.reuse
            match self.shared.front.compare_exchange(front, front.wrapping_add(1), Ordering::AcqRel, Ordering::Relaxed)
            {
                Ok(_) => {
                    if self.capacity() > LARGE {
                        self.shrink();
                    }
                    // SAFETY: `push` or a thief of this end's put it there, and this exchange won it.
                    return NonNull::new(task).map(|task| unsafe { T::from_raw(task) });
                }
                Err(now) => front = now,
            }
        }
    }

    /// Makes room for `more` tasks behind the last one.
    #[inline]
    fn reserve(&mut self, more: usize) {
        // RUNQ.reuse
        let front = self.shared.front.load(Ordering::Acquire);
        let needed = self.back.wrapping_sub(front) + more;
        if needed > self.capacity() {
            self.resize(needed.next_power_of_two());
        }
    }

    /// The slots of the next `count` tasks are filled.
    #[inline]
    fn publish(&mut self, count: usize) {
        self.back = self.back.wrapping_add(count);
        // RUNQ.publish
        self.shared.back.store(self.back, Ordering::Release);
    }

    #[cold]
    fn shrink(&mut self) {
        let capacity = self.capacity();
        if self.len() <= capacity / SPARSE && capacity > self.least {
            self.resize((capacity / 4).max(self.least));
        }
    }

    #[cold]
    fn resize(&mut self, capacity: usize) {
        // Relaxed: too low a value copies tasks that are gone.
        let front = self.shared.front.load(Ordering::Relaxed);
        let new = Buffer::new(capacity);
        {
            // SAFETY: just made.
            let new = unsafe { new.as_ref() };
            let old = self.buffer();
            for index in 0..self.back.wrapping_sub(front) {
                let index = front.wrapping_add(index);
                // Relaxed: this end wrote the old slot; the new one is published with the buffer.
                new.slot(index).store(old.slot(index).load(Ordering::Relaxed), Ordering::Relaxed);
            }
        }
        // Release: the slots are written.
        self.shared.buffer.store(new.as_ptr(), Ordering::Release);
        let old = core::mem::replace(&mut self.buffer, new);
        // RUNQ.retire
        fence(Ordering::SeqCst);
        // Acquire: those that have left looked at the slots before.
        let free = self.shared.thieves.load(Ordering::Acquire) == 0;
        let retired = self.shared.retired.with_mut(|retired| {
            // SAFETY: this is the owner, and there is one.
            let retired = unsafe { &mut *retired };
            retired.push(old);
            if free { core::mem::take(retired) } else { Vec::new() }
        });
        for buffer in retired {
            // SAFETY: RUNQ.retire: nobody is about who could have read the pointer before it was replaced.
            unsafe { Buffer::free(buffer) };
        }
    }
}

impl<T: Token> Drop for RunQueue<T> {
    /// Drops what is still queued. Peers may go on to look.
    fn drop(&mut self) {
        while self.pop().is_some() {}
    }
}

impl<T: Token> Stealer<T> {
    /// How many tasks are in it, or were a moment ago.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        let front = self.shared.front.load(Ordering::Acquire);
        let back = self.shared.back.load(Ordering::Acquire);
        // `front` is the older of the two, so it is never ahead.
        back.wrapping_sub(front)
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes up to half of the tasks, and `limit` at the most: one to run, the others into `own`. `None` where there is
    /// none, or somebody else was faster. The second value says how many came.
    pub(crate) fn steal_into(&self, own: &mut RunQueue<T>, limit: usize) -> Option<(T, usize)> {
        if self.is_empty() {
            return None;
        }
        // Relaxed: the fence orders it.
        self.shared.thieves.fetch_add(1, Ordering::Relaxed);
        // RUNQ.retire
        fence(Ordering::SeqCst);
        let stolen = self.steal_here(own, limit);
        // Release: the slots were read before.
        self.shared.thieves.fetch_sub(1, Ordering::Release);
        stolen
    }

    /// As `steal_into`, by somebody who is counted.
    fn steal_here(&self, own: &mut RunQueue<T>, limit: usize) -> Option<(T, usize)> {
        // RUNQ.publish: in this order. An older `front` is caught by the exchange; an older buffer would be an empty one.
        let front = self.shared.front.load(Ordering::Acquire);
        let back = self.shared.back.load(Ordering::Acquire);
        let buffer = NonNull::new(self.shared.buffer.load(Ordering::Acquire))?;
        // SAFETY: RUNQ.retire: this thief is counted, so what it reads here is not freed.
        let buffer = unsafe { buffer.as_ref() };
        buffer.memory.with(|_| ());
        let count = back.wrapping_sub(front).div_ceil(2).min(limit);
        if count == 0 {
            return None;
        }
        own.reserve(count - 1);
        // Relaxed: RUNQ.publish has ordered these, and RUNQ.reuse does.
        let first = buffer.slot(front).load(Ordering::Relaxed);
        for i in 1..count {
            let task = buffer.slot(front.wrapping_add(i)).load(Ordering::Relaxed);
            own.buffer().slot(own.back.wrapping_add(i - 1)).store(task, Ordering::Relaxed);
        }
        // RUNQ.reuse
        let taken = front.wrapping_add(count);
        self.shared.front.compare_exchange(front, taken, Ordering::AcqRel, Ordering::Relaxed).ok()?;
        own.publish(count - 1);
        // SAFETY: the owner put it there, and the exchange won it.
        NonNull::new(first).map(|first| (unsafe { T::from_raw(first) }, count))
    }

    /// Takes one task, however many others want it.
    pub(crate) fn steal(&self) -> Option<T> {
        let mut nothing = RunQueue::new(1);
        while !self.is_empty() {
            if let Some((task, _)) = self.steal_into(&mut nothing, 1) {
                return Some(task);
            }
            core::hint::spin_loop();
        }
        None
    }
}

impl<T: Token> fmt::Debug for RunQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunQueue").field("len", &self.len()).finish_non_exhaustive()
    }
}

impl<T: Token> fmt::Debug for Stealer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stealer").field("len", &self.len()).finish_non_exhaustive()
    }
}
