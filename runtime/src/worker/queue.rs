//! A worker's own queue, which may move to another thread.

use core::fmt;
use core::ptr::NonNull;

use crossbeam_deque::{Injector, Steal};

use crate::run_queue::{RunQueue, Stealer, Token};
use crate::sync::UnsafeCell;
use crate::task_core::{Header, Notified};

/// Slots that a queue begins with.
pub(crate) const CAPACITY: usize = 256;

/// At most this many tasks are stolen at a time, and half of the victim's queue. Fewer make spawning dearer, more tear
/// tasks that talk to each other apart.
const STEAL_CAP: usize = 8;

impl Token for Notified {
    type Target = Header;

    #[inline]
    fn into_raw(self) -> NonNull<Header> {
        Self::into_raw(self)
    }

    #[inline]
    unsafe fn from_raw(raw: NonNull<Header>) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Self::from_raw(raw) }
    }
}

/// The owner's end of a queue. It can be moved out, to another thread that takes the worker over.
pub(crate) struct LocalQueue<T: Token> {
    /// Only the thread that has this queue touches the cell (the type is not `Sync`), and no reference into it lives
    /// across a call that could come back here: a push or a pop runs no code of a user.
    queue: UnsafeCell<Option<RunQueue<T>>>,
}

impl<T: Token> LocalQueue<T> {
    pub(crate) fn new(queue: RunQueue<T>) -> Self {
        Self { queue: UnsafeCell::new(Some(queue)) }
    }

    #[inline]
    fn with<R>(&self, f: impl FnOnce(&mut Option<RunQueue<T>>) -> R) -> R {
        // SAFETY: the field's invariant: the reference ends within a method of this type, before anything else is done
        // with the cell.
        self.queue.with_mut(|queue| f(unsafe { &mut *queue }))
    }

    /// Moves the queue out: from now on this one is gone.
    pub(crate) fn take(&self) -> Option<RunQueue<T>> {
        self.with(Option::take)
    }

    /// Moves the queue back in.
    pub(crate) fn put_back(&self, queue: RunQueue<T>) {
        let before = self.with(|cell| cell.replace(queue));
        debug_assert!(before.is_none(), "a worker has one queue");
    }

    /// Whether the queue was moved out.
    #[inline]
    pub(crate) fn is_gone(&self) -> bool {
        self.with(|queue| queue.is_none())
    }

    /// Puts a task at the back.
    ///
    /// # Errors
    ///
    /// The task, if the queue is gone.
    #[inline]
    pub(crate) fn push(&self, task: T) -> Result<(), T> {
        self.with(|queue| match queue {
            Some(queue) => {
                queue.push(task);
                Ok(())
            }
            None => Err(task),
        })
    }

    #[inline]
    pub(crate) fn pop(&self) -> Option<T> {
        self.with(|queue| queue.as_mut()?.pop())
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.with(|queue| queue.as_ref().map_or(0, RunQueue::len))
    }

    /// Takes a few tasks from `injector`: one to run, the others into this queue.
    pub(crate) fn take_from(&self, injector: &Injector<T>) -> Option<T> {
        self.with(|queue| {
            let queue = queue.as_mut()?;
            let first = settled(injector)?;
            (1..STEAL_CAP).map_while(|_| settled(injector)).for_each(|task| queue.push(task));
            Some(first)
        })
    }

    /// Takes a few tasks from a peer: one to run, the others into this queue. `None` where the peer's queue is empty or
    /// somebody else was faster. The second value says how many came.
    pub(crate) fn steal_from(&self, victim: &Stealer<T>) -> Option<(T, usize)> {
        self.with(|queue| victim.steal_into(queue.as_mut()?, STEAL_CAP))
    }
}

impl<T: Token> fmt::Debug for LocalQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalQueue").field("len", &self.len()).finish_non_exhaustive()
    }
}

/// Takes one task from `injector`, however many others want it.
pub(super) fn settled<T>(injector: &Injector<T>) -> Option<T> {
    loop {
        match injector.steal() {
            Steal::Success(task) => return Some(task),
            Steal::Empty => return None,
            Steal::Retry => std::hint::spin_loop(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crossbeam_deque::Injector;

    use super::{LocalQueue, STEAL_CAP};
    use crate::run_queue::{RunQueue, Token};

    #[derive(Debug, PartialEq, Eq)]
    struct Boxed(Box<usize>);

    impl Token for Boxed {
        type Target = usize;

        fn into_raw(self) -> core::ptr::NonNull<usize> {
            core::ptr::NonNull::from(Box::leak(self.0))
        }

        unsafe fn from_raw(raw: core::ptr::NonNull<usize>) -> Self {
            // SAFETY: the caller's promise.
            Self(unsafe { Box::from_raw(raw.as_ptr()) })
        }
    }

    fn task(number: usize) -> Boxed {
        Boxed(Box::new(number))
    }

    #[test]
    fn a_few_tasks_at_a_time_come_from_the_global_queue_in_order() {
        let queue = LocalQueue::new(RunQueue::new(2));
        let injector = Injector::new();
        assert_eq!(queue.take_from(&injector), None);
        (0..STEAL_CAP + 1).for_each(|i| injector.push(task(i)));
        assert_eq!(queue.take_from(&injector), Some(task(0)));
        assert_eq!(queue.len(), STEAL_CAP - 1);
        (1..STEAL_CAP).for_each(|i| assert_eq!(queue.pop(), Some(task(i))));
        assert_eq!(queue.take_from(&injector), Some(task(STEAL_CAP)));
        assert_eq!(queue.len(), 0);
    }

    #[test]
    fn a_queue_that_was_moved_out_takes_nothing_and_comes_back_whole() {
        let queue = LocalQueue::new(RunQueue::new(2));
        queue.push(task(1)).unwrap();
        let moved = queue.take().unwrap();
        assert!(queue.is_gone());
        assert_eq!(queue.push(task(2)), Err(task(2)));
        assert_eq!((queue.pop(), queue.len()), (None, 0));
        queue.put_back(moved);
        assert_eq!((queue.pop(), queue.pop()), (Some(task(1)), None));
    }
}
