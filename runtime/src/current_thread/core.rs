//! What the thread that runs the tasks has to itself: the queue and the driver. Threads inside `block_on` hand it on.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ptr;
use std::sync::Arc;
use std::task::Waker;
use std::time::Instant;

use super::Scheduler;
use super::run::Signal;
use crate::driver::{Admission, Machine};
use crate::sync::{Condvar, Mutex};
use crate::task_core::Notified;

thread_local! {
    /// The core that this thread runs. Set by `Core::enter`, whose guard resets it.
    static HERE: Cell<*const Here> = const { Cell::new(ptr::null()) };
}

/// Queue and driver. Whoever owns it runs the tasks.
#[derive(Debug)]
pub(crate) struct Core {
    pub(super) machine: Machine,
    pub(super) wakes: Vec<Waker>,
    pub(super) tick: u32,
    pub(super) admission: Admission,
    pub(super) tasks: VecDeque<Notified>,
}

impl Core {
    pub(crate) fn new(machine: Machine) -> Box<Self> {
        Box::new(Self { machine, wakes: Vec::new(), tick: 0, admission: Admission::default(), tasks: VecDeque::new() })
    }
}

/// The queue, where the thread's own wake-ups find it.
pub(super) struct Here {
    scheduler: *const Scheduler,
    tasks: RefCell<VecDeque<Notified>>,
    before: Cell<*const Here>,
}

impl Here {
    pub(super) fn new(scheduler: &Scheduler, tasks: VecDeque<Notified>) -> Self {
        Self { scheduler, tasks: RefCell::new(tasks), before: Cell::new(ptr::null()) }
    }

    /// Makes this the thread's queue until [`leave`](Self::leave), which its owner calls before it goes.
    pub(super) fn enter(&self) {
        self.before.set(HERE.replace(self));
    }

    /// Undoes `enter` and gives the queue back.
    pub(super) fn leave(&self) -> VecDeque<Notified> {
        // Err: the thread ends.
        let _ = HERE.try_with(|here| here.set(self.before.get()));
        self.tasks.take()
    }

    pub(super) fn pop(&self) -> Option<Notified> {
        self.tasks.borrow_mut().pop_front()
    }

    pub(super) fn push(&self, task: Notified) {
        self.tasks.borrow_mut().push_back(task);
    }

    pub(super) fn append(&self, tasks: &mut VecDeque<Notified>) {
        self.tasks.borrow_mut().append(tasks);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.tasks.borrow().is_empty()
    }
}

/// Queues a task on this thread, if it runs `scheduler`'s tasks.
///
/// # Errors
///
/// The task, if it does not.
#[inline]
pub(super) fn push_here(scheduler: *const Scheduler, task: Notified) -> Result<(), Notified> {
    let here = HERE.try_with(Cell::get).unwrap_or(ptr::null());
    // SAFETY: `enter` set it, and its owner resets it in `leave` before it goes.
    match unsafe { here.as_ref() } {
        Some(here) if ptr::eq(here.scheduler, scheduler) => {
            here.push(task);
            Ok(())
        }
        _ => Err(task),
    }
}

/// Where the core lies while nobody runs the tasks, and who waits for it.
pub(super) struct CoreSlot {
    state: Mutex<SlotState>,
    /// The core is gone for good.
    closed: Condvar,
}

struct SlotState {
    core: Option<Box<Core>>,
    closed: bool,
    waiting: Vec<Arc<Signal>>,
}

impl CoreSlot {
    pub(super) fn new(core: Box<Core>) -> Self {
        let state = SlotState { core: Some(core), closed: false, waiting: Vec::new() };
        Self { state: Mutex::new(state), closed: Condvar::new() }
    }

    /// Takes the core, or notes that `signal` wants it: it is woken when the core comes back.
    pub(super) fn take_or_wait(&self, signal: &Arc<Signal>) -> Option<Box<Core>> {
        let mut state = self.state.lock();
        let core = state.core.take();
        if core.is_none() && !state.waiting.iter().any(|waiting| Arc::ptr_eq(waiting, signal)) {
            state.waiting.push(signal.clone());
        }
        core
    }

    /// Takes the core if it lies here.
    pub(super) fn take(&self) -> Option<Box<Core>> {
        self.state.lock().core.take()
    }

    /// Puts the core back; those who wait for it race for it.
    pub(super) fn put_back(&self, core: Box<Core>) {
        let mut state = self.state.lock();
        state.core = Some(core);
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        for signal in waiting {
            signal.wake_to_take();
        }
    }

    /// `signal`'s caller is gone.
    pub(super) fn forget(&self, signal: &Arc<Signal>) {
        self.state.lock().waiting.retain(|waiting| !Arc::ptr_eq(waiting, signal));
    }

    /// The core is gone for good.
    pub(super) fn close(&self) {
        self.state.lock().closed = true;
        self.closed.notify_all();
    }

    /// Waits until the core is gone for good, but not past `deadline`.
    pub(super) fn wait_closed(&self, deadline: Option<Instant>) {
        let mut state = self.state.lock();
        while !state.closed {
            state = match deadline {
                None => self.closed.wait(state),
                Some(deadline) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return;
                    }
                    self.closed.wait_timeout(state, left).0
                }
            };
        }
    }
}
