//! `block_on` of the multi-thread flavour: the future runs on the calling thread, which sleeps on a parker of its own.

use std::future::Future;
use std::panic::Location;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use crate::context;
use crate::coop;
use crate::handle::Handle;
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
    let _scope = context::enter_block_on();
    let _entered = context::enter(handle, None);
    let _awake = Awake::new(scheduler);
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

/// Counts the caller as awake, for the simulated clock, while it lives.
struct Awake<'a>(&'a Scheduler);

impl<'a> Awake<'a> {
    fn new(scheduler: &'a Scheduler) -> Self {
        scheduler.lounge.idle.activity().begin();
        Self(scheduler)
    }
}

impl Drop for Awake<'_> {
    fn drop(&mut self) {
        self.0.lounge.idle.activity().end();
        if self.0.services.timers.is_paused() {
            self.0.lounge.interrupt();
        }
    }
}
