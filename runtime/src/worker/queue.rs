//! A worker's own queue: first in, first out, with thieves at the other end.

use crossbeam_deque::{Injector, Steal, Stealer, Worker};

use crate::sync::UnsafeCell;

/// At most this many tasks are stolen at a time, and half of the victim's queue. Fewer make spawning dearer, more tear
/// tasks that talk to each other apart.
const STEAL_CAP: usize = 8;

/// The owner's end of a queue. It can be moved out, to another thread that takes the worker over.
#[derive(Debug)]
pub(crate) struct LocalQueue<T> {
    /// Only the thread that has this queue touches the cell (the type is not `Sync`), and no reference into it lives
    /// across a call that could come back here: a push or a pop runs no code of a user.
    queue: UnsafeCell<Option<Worker<T>>>,
}

impl<T> LocalQueue<T> {
    pub(crate) fn new(queue: Worker<T>) -> Self {
        Self { queue: UnsafeCell::new(Some(queue)) }
    }

    fn get(&self) -> Option<&Worker<T>> {
        // SAFETY: the field's invariant: the reference ends within a method of this type, before anything else is done
        // with the cell.
        self.queue.with(|queue| unsafe { &*queue }).as_ref()
    }

    /// Moves the queue out: from now on this one is gone.
    pub(crate) fn take(&self) -> Option<Worker<T>> {
        // SAFETY: the field's invariant: no other reference into the cell is alive.
        self.queue.with_mut(|queue| unsafe { &mut *queue }).take()
    }

    /// Moves the queue back in.
    pub(crate) fn put_back(&self, queue: Worker<T>) {
        // SAFETY: the field's invariant: no other reference into the cell is alive.
        self.queue.with_mut(|cell| unsafe { *cell = Some(queue) });
    }

    /// Whether the queue was moved out.
    pub(crate) fn is_gone(&self) -> bool {
        self.get().is_none()
    }

    /// Puts a task at the back.
    ///
    /// # Errors
    ///
    /// The task, if the queue is gone.
    pub(crate) fn push(&self, task: T) -> Result<(), T> {
        match self.get() {
            Some(queue) => {
                queue.push(task);
                Ok(())
            }
            None => Err(task),
        }
    }

    pub(crate) fn pop(&self) -> Option<T> {
        self.get()?.pop()
    }

    pub(crate) fn len(&self) -> usize {
        self.get().map_or(0, Worker::len)
    }

    /// Takes a few tasks from `injector`: one to run, the others into this queue.
    pub(crate) fn take_from(&self, injector: &Injector<T>) -> Option<T> {
        let queue = self.get()?;
        loop {
            match injector.steal_batch_with_limit_and_pop(queue, STEAL_CAP) {
                Steal::Success(task) => return Some(task),
                Steal::Empty => return None,
                Steal::Retry => {}
            }
        }
    }

    /// Takes a few tasks from a peer: one to run, the others into this queue. `None` where the peer's queue is empty or
    /// somebody else was faster. The second value says how many came.
    pub(crate) fn steal_from(&self, victim: &Stealer<T>) -> Option<(T, usize)> {
        let queue = self.get()?;
        let before = queue.len();
        let task = victim.steal_batch_with_limit_and_pop(queue, STEAL_CAP).success()?;
        Some((task, 1 + queue.len().saturating_sub(before)))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
    use std::thread;
    use std::time::{Duration, Instant};

    use crossbeam_deque::{Injector, Worker};

    use super::LocalQueue;

    /// What the models take for granted of the real queues: whatever goes in comes out exactly once.
    #[test]
    fn every_task_comes_out_once_under_stress() {
        const TASKS: usize = 200_000;
        const THIEVES: usize = 3;
        let seen: Vec<AtomicU8> = (0..TASKS).map(|_| AtomicU8::new(0)).collect();
        let see = |task: usize| assert_eq!(seen[task].fetch_add(1, Ordering::Relaxed), 0, "task {task} came out twice");
        let worker = Worker::new_fifo();
        let victim = worker.stealer();
        let injector = Injector::new();
        let done = AtomicBool::new(false);
        let deadline = Instant::now() + Duration::from_secs(60);
        thread::scope(|scope| {
            for _ in 0..THIEVES {
                scope.spawn(|| {
                    let own = LocalQueue::new(Worker::new_fifo());
                    while !done.load(Ordering::Acquire) || !victim.is_empty() || !injector.is_empty() {
                        assert!(Instant::now() < deadline, "tasks are lost");
                        if let Some((task, count)) = own.steal_from(&victim) {
                            assert!(count >= 1);
                            see(task);
                        }
                        own.take_from(&injector).into_iter().for_each(see);
                        while let Some(task) = own.pop() {
                            see(task);
                        }
                    }
                });
            }
            let own = LocalQueue::new(worker);
            for task in 0..TASKS {
                match task % 4 {
                    0 => injector.push(task),
                    _ => own.push(task).unwrap(),
                }
                if task % 3 == 0 {
                    own.pop().into_iter().for_each(see);
                }
            }
            done.store(true, Ordering::Release);
            // What is left in the queue goes to the thieves, or with it: the owner takes part until it is empty.
            while let Some(task) = own.pop() {
                see(task);
            }
        });
        assert!(seen.iter().all(|task| task.load(Ordering::Relaxed) == 1));
    }

    #[test]
    fn a_queue_that_was_moved_out_takes_nothing_and_comes_back_whole() {
        let queue = LocalQueue::new(Worker::new_fifo());
        queue.push(1).unwrap();
        let moved = queue.take().unwrap();
        assert!(queue.is_gone());
        assert_eq!(queue.push(2), Err(2));
        assert_eq!((queue.pop(), queue.len()), (None, 0));
        queue.put_back(moved);
        assert_eq!((queue.pop(), queue.pop()), (Some(1), None));
    }
}
