//! What the pool's lock protects.

use super::alloc::collections::{BTreeMap, VecDeque};
use super::alloc::vec::Vec;
use super::{Figures, Job};

/// The pool's state. Every field is read and written under the pool's lock alone.
pub(super) struct State<J, T> {
    /// Jobs that no thread has taken.
    pub(super) queue: VecDeque<J>,
    /// Threads alive or being started.
    pub(super) threads: usize,
    /// Threads that wait and are not claimed.
    pub(super) idle: usize,
    /// Waiting threads that a submitter has claimed and that have not woken yet.
    pub(super) claims: usize,
    /// Threads that run a job.
    running: usize,
    /// No job is taken in any more.
    pub(super) closed: bool,
    /// The number of the next thread.
    next_index: usize,
    /// Where the handle of each thread is in its life.
    slots: BTreeMap<usize, Slot<T>>,
    /// Threads past their last touch of this state: to be joined, outside the lock.
    exited: Vec<T>,
}

/// The handle of one thread: its starter brings it after the thread may already have come and gone.
enum Slot<T> {
    Starting,
    Running(T),
    Gone,
}

/// What a submitter must do about the job it has queued.
#[must_use]
pub(super) enum Queued {
    /// Notify one waiting thread: it is claimed.
    Notify,
    /// Start this thread: it is counted.
    Start(usize),
    /// Nothing: every thread is busy and there may be no more of them.
    Waits,
}

/// What a thread that looked for work must do.
#[must_use]
pub(super) enum Found<J> {
    Job(J),
    Idle,
    Closed,
}

impl<J: Job, T> State<J, T> {
    pub(super) fn new() -> Self {
        Self {
            queue: VecDeque::new(),
            threads: 0,
            idle: 0,
            claims: 0,
            running: 0,
            closed: false,
            next_index: 0,
            slots: BTreeMap::new(),
            exited: Vec::new(),
        }
    }

    pub(super) fn figures(&self) -> Figures {
        Figures { threads: self.threads, idle: self.idle, queue_depth: self.queue.len() }
    }

    /// Queues a job and decides who is to run it.
    pub(super) fn push(&mut self, job: J, max_threads: usize) -> Queued {
        self.queue.push_back(job);
        if self.idle > 0 {
            self.idle -= 1;
            self.claims += 1;
            return Queued::Notify;
        }
        if self.threads >= max_threads {
            return Queued::Waits;
        }
        let index = self.next_index;
        self.next_index += 1;
        self.threads += 1;
        self.slots.insert(index, Slot::Starting);
        Queued::Start(index)
    }

    /// Takes the next job; counts the caller as idle when there is none.
    pub(super) fn find(&mut self) -> Found<J> {
        match self.queue.pop_front() {
            Some(job) => {
                self.running += 1;
                Found::Job(job)
            }
            None if self.closed => Found::Closed,
            None => {
                self.idle += 1;
                Found::Idle
            }
        }
    }

    /// A thread is done with the job it found.
    pub(super) fn done(&mut self) {
        self.running -= 1;
    }

    /// A waiting thread woke: true if it is claimed and must look for work.
    pub(super) fn take_claim(&mut self) -> bool {
        let claimed = self.claims > 0;
        self.claims -= usize::from(claimed);
        claimed
    }

    /// Whether every thread has left and every starter has brought its handle.
    pub(super) fn all_left(&self) -> bool {
        self.threads == 0 && self.slots.is_empty()
    }

    /// Whether every thread has left that does not run a job.
    pub(super) fn idle_left(&self) -> bool {
        self.threads == self.running && self.slots.values().all(|slot| matches!(slot, Slot::Running(_)))
    }

    /// The starter brings the handle of the thread it started.
    pub(super) fn started(&mut self, index: usize, thread: T) {
        match self.slots.get_mut(&index) {
            Some(slot @ Slot::Starting) => *slot = Slot::Running(thread),
            Some(_) => {
                self.slots.remove(&index);
                self.exited.push(thread);
            }
            // The pool gave up waiting and forgot its handles: the thread is detached.
            None => drop(thread),
        }
    }

    /// The thread could not be started. If it was the last, the queued jobs go to the caller: nobody else would come
    /// for them (B2).
    pub(super) fn not_started(&mut self, index: usize) -> VecDeque<J> {
        self.slots.remove(&index);
        self.threads -= 1;
        if self.threads == 0 { core::mem::take(&mut self.queue) } else { VecDeque::new() }
    }

    /// A thread leaves: its last touch of this state. Returns the threads that left before it, for it to join.
    pub(super) fn leave(&mut self, index: usize) -> Vec<T> {
        self.threads -= 1;
        let before = core::mem::take(&mut self.exited);
        match self.slots.remove(&index) {
            Some(Slot::Running(thread)) => self.exited.push(thread),
            Some(Slot::Starting | Slot::Gone) => drop(self.slots.insert(index, Slot::Gone)),
            None => {}
        }
        before
    }

    /// Closes the queue; the jobs in it are the caller's to cancel.
    pub(super) fn close(&mut self) -> VecDeque<J> {
        self.closed = true;
        core::mem::take(&mut self.queue)
    }

    /// Whether a thread for which `is_current` holds is one of the pool's.
    pub(super) fn any_running(&self, is_current: impl Fn(&T) -> bool) -> bool {
        self.slots.values().any(|slot| matches!(slot, Slot::Running(thread) if is_current(thread)))
    }

    /// The threads that have left and nobody has joined.
    pub(super) fn take_exited(&mut self) -> Vec<T> {
        core::mem::take(&mut self.exited)
    }

    /// Lets go of every handle: the threads still running are detached.
    pub(super) fn detach(&mut self) -> impl Sized + use<J, T> {
        (core::mem::take(&mut self.slots), core::mem::take(&mut self.exited))
    }
}
