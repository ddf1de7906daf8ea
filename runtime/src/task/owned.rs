//! The live tasks of a scheduler: what shutdown cancels and a dump lists.
//!
//! Intrusive lists through the headers, each behind its own lock. A task is bound when it is spawned and removed by
//! whoever completes it, or by the closing, never both: whoever unlinks it gets the list's reference.
//!
//! # Invariants
//!
//! 1. `links` of a header are touched under the lock of its shard only, which the id chooses.
//! 2. A linked task's list reference is counted: its header is alive while the lock is held.
//! 3. A shard that is closed stays closed and takes no task.
//!
//! # Models
//!
//! `loom-tests/src/models/task/owned.rs`: bind against close, complete against close.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::mem::ManuallyDrop;
use core::panic::Location;
use core::ptr::NonNull;

use super::duty::Lifecycle;
use super::header::{Header, Kind};
use super::{Id, Task};
use crate::sync::{AtomicUsize, Mutex, Ordering::Relaxed};

/// A header's place in its shard's list.
#[derive(Debug, Default)]
pub(super) struct Links {
    previous: Option<NonNull<Header>>,
    next: Option<NonNull<Header>>,
}

/// The live tasks of one scheduler.
pub(crate) struct Owned {
    shards: Box<[Shard]>,
}

/// A list in cache lines of its own (two: adjacent ones are fetched together).
#[repr(align(128))]
struct Shard {
    list: Mutex<List>,
    /// Written under the lock, read without.
    len: AtomicUsize,
}

#[derive(Default)]
struct List {
    head: Option<NonNull<Header>>,
    closed: bool,
}

// SAFETY: the headers behind the pointers are shared between threads anyway, and are reached under the lock.
unsafe impl Send for List {}

/// A live task as a dump shows it.
#[derive(Debug, Clone)]
pub(crate) struct Snapshot {
    pub(crate) id: Id,
    pub(crate) kind: Kind,
    pub(crate) name: Option<String>,
    pub(crate) location: &'static Location<'static>,
    pub(crate) lifecycle: Lifecycle,
    pub(crate) polls: u64,
}

impl Owned {
    /// An empty set of at least `shards` lists.
    pub(crate) fn new(shards: usize) -> Self {
        let shards = (0..shards.max(1).next_power_of_two())
            .map(|_| Shard { list: Mutex::new(List::default()), len: AtomicUsize::new(0) })
            .collect();
        Self { shards }
    }

    /// Takes a task in.
    ///
    /// # Errors
    ///
    /// The task itself, once the set is closed: the caller cancels it.
    pub(crate) fn bind(&self, task: Task) -> Result<(), Task> {
        let shard = self.shard(task.id());
        let mut list = shard.list.lock();
        if list.closed {
            return Err(task);
        }
        list.push(task);
        shard.count(1);
        Ok(())
    }

    /// Removes a task that completed; true if it was linked: its list reference is the caller's then.
    pub(crate) fn remove(&self, task: &Task) -> bool {
        let shard = self.shard(task.id());
        let mut list = shard.list.lock();
        let linked = list.unlink(task.header());
        if linked {
            shard.count(-1);
        }
        linked
    }

    /// Closes the set and cancels every live task: those that nobody polls now on this thread, the others at the end
    /// of their poll.
    ///
    /// No worker may start a poll any more (see "Exclusive" in the task word's header); a poll that goes on, outside
    /// its worker, has called [`Task::share`] before.
    pub(crate) fn close_and_cancel_all(&self) {
        for shard in &self.shards {
            shard.list.lock().closed = true;
        }
        for shard in &self.shards {
            while let Some(task) = shard.pop() {
                task.shutdown();
            }
        }
    }

    /// How many tasks live; exact when nobody binds or removes meanwhile.
    pub(crate) fn len(&self) -> usize {
        // Relaxed: a figure, out of date when it is read.
        self.shards.iter().map(|shard| shard.len.load(Relaxed)).sum()
    }

    /// Whether no task lives.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the live tasks are doing, shard by shard, without waiting for any of them.
    pub(crate) fn snapshot(&self) -> Vec<Snapshot> {
        let mut all = Vec::new();
        for shard in &self.shards {
            // Room is made before the lock is taken; what came in meanwhile is rarely more.
            all.reserve(shard.len.load(Relaxed)); // Relaxed: a hint
            let list = shard.list.lock();
            list.for_each(|task| all.push(Snapshot::of(task)));
        }
        all
    }

    /// What the live task with this id is doing.
    pub(crate) fn find(&self, id: Id) -> Option<Snapshot> {
        let list = self.shard(id).list.lock();
        let mut found = None;
        list.for_each(|task| {
            if task.id == id {
                found = Some(Snapshot::of(task));
            }
        });
        found
    }

    /// Ids of one thread come in runs of 2^12: a thread's spawns mostly meet one shard.
    fn shard(&self, id: Id) -> &Shard {
        &self.shards[(id.get() >> 12) as usize & (self.shards.len() - 1)]
    }
}

impl Shard {
    fn pop(&self) -> Option<Task> {
        let mut list = self.list.lock();
        let header = list.head?;
        list.unlink(header);
        self.count(-1);
        // SAFETY: the list's reference is the caller's now (invariant 2).
        Some(unsafe { Task::from_raw(header) })
    }

    /// Under the lock.
    fn count(&self, by: isize) {
        // Relaxed: written under the lock alone, read as a figure.
        self.len.store(self.len.load(Relaxed).wrapping_add_signed(by), Relaxed);
    }
}

impl List {
    fn push(&mut self, task: Task) {
        let header = ManuallyDrop::new(task).header();
        if let Some(head) = self.head {
            links(head, |links| links.previous = Some(header));
        }
        links(header, |links| *links = Links { previous: None, next: self.head });
        self.head = Some(header);
    }

    fn unlink(&mut self, header: NonNull<Header>) -> bool {
        let Links { previous, next } = links(header, core::mem::take);
        match previous {
            Some(previous) => links(previous, |links| links.next = next),
            None if self.head == Some(header) => self.head = next,
            None => return false,
        }
        if let Some(next) = next {
            links(next, |links| links.previous = previous);
        }
        true
    }

    fn for_each(&self, mut f: impl FnMut(&Header)) {
        let mut at = self.head;
        while let Some(header) = at {
            // SAFETY: linked, and so alive (invariant 2).
            f(unsafe { header.as_ref() });
            at = links(header, |links| links.next);
        }
    }
}

/// Access to a header's links; `&mut List` or `&List` at the call stands for the lock (invariant 1).
fn links<R>(header: NonNull<Header>, f: impl FnOnce(&mut Links) -> R) -> R {
    // SAFETY: linked or held by the caller, and so alive (invariant 2).
    let header = unsafe { header.as_ref() };
    // SAFETY: under the lock (invariant 1).
    header.links.with_mut(|links| f(unsafe { &mut *links }))
}

impl Snapshot {
    fn of(task: &Header) -> Self {
        Self {
            id: task.id,
            kind: task.kind(),
            name: task.name().map(String::from),
            location: task.location(),
            lifecycle: task.state.lifecycle(),
            polls: task.polls(),
        }
    }
}

impl fmt::Debug for Owned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Owned").field("len", &self.len()).finish_non_exhaustive()
    }
}
