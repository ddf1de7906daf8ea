//! `block_on` of the multi-thread flavour: the future runs on the calling thread, which sleeps on a parker of its own.

use std::cell::Cell;
use std::future::Future;
use std::panic::Location;
use std::pin::pin;
use std::ptr;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use crate::context::{self, Scope};
use crate::coop;
use crate::handle::Handle;
use crate::job::AsCaller;
use crate::park::BlockOnSleep;
use crate::task_core::{Id, Kind};
use crate::trace;
use crate::worker::Scheduler;

/// Wakes a thread that sleeps in `block_on`.
struct Signal {
    sleep: BlockOnSleep,
    scheduler: Arc<Scheduler>,
}

impl Wake for Signal {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.sleep.wake(self.scheduler.lounge.idle.activity());
    }
}

/// Runs `future` to its end on this thread.
#[track_caller]
pub(crate) fn block_on<F: Future>(
    handle: &Handle,
    scheduler: &Arc<Scheduler>,
    future: F,
    location: &'static Location<'static>,
) -> F::Output {
    let _scope = context::enter_block_on(Scope::BlockOn);
    let _entered = context::enter(handle, None);
    let _awake = Awake::new(scheduler);
    let _job = AsCaller::new(&scheduler.services);
    let signal = Arc::new(Signal { sleep: BlockOnSleep::new(), scheduler: scheduler.clone() });
    let waker = Waker::from(signal.clone());
    let mut cx = Context::from_waker(&waker);
    let span = trace::task_span(Kind::BlockOn.as_str(), None, Id::next().get(), size_of::<F>(), location);
    let mut future = pin!(future);
    loop {
        let polled = {
            let _poll = coop::enter_poll(std::ptr::null(), span.as_ref());
            future.as_mut().poll(&mut cx)
        };
        if let Poll::Ready(output) = polled {
            return output;
        }
        signal.sleep.park(scheduler.lounge.idle.activity(), || {
            if scheduler.services.timers.is_paused() {
                // This may be the last one that the simulated clock waits for.
                scheduler.lounge.interrupt();
            }
        });
    }
}

thread_local! {
    /// The scheduler whose simulated clock takes this thread into account; null for none.
    static COUNTED_BY: Cell<*const Scheduler> = const { Cell::new(ptr::null()) };
}

/// Counts the thread as awake, for the simulated clock, while it lives. A thread that is counted by the scheduler
/// already, in a blocking section inside of a poll or of another `block_on`, is not counted twice.
#[derive(Debug)]
pub(crate) struct Awake {
    scheduler: Arc<Scheduler>,
    /// Who counted the thread before; None if it was this scheduler.
    before: Option<*const Scheduler>,
}

impl Awake {
    pub(crate) fn new(scheduler: &Arc<Scheduler>) -> Self {
        let own = Arc::as_ptr(scheduler);
        // Err: the thread ends, and is in no blocking section.
        let before = COUNTED_BY.try_with(|counted| counted.replace(own)).unwrap_or(ptr::null());
        let before = (!ptr::eq(before, own)).then_some(before);
        if before.is_some() {
            scheduler.lounge.idle.activity().begin();
        }
        Self { scheduler: scheduler.clone(), before }
    }
}

impl Drop for Awake {
    fn drop(&mut self) {
        let Some(before) = self.before else { return };
        // Err: the thread ends.
        let _ = COUNTED_BY.try_with(|counted| counted.set(before));
        self.scheduler.lounge.idle.activity().end();
        if self.scheduler.services.timers.is_paused() {
            self.scheduler.lounge.interrupt();
        }
    }
}
