//! The smallest executor, for the examples of the documentation: one thread, one future, the timers driven by hand.

use core::future::Future;
use core::pin::pin;
use core::task::{Context, Poll, Waker};
use std::task::Wake;

use crate::sync::{Arc, AtomicBool, Ordering};
use crate::timer::{Interrupt, Next};
use crate::timers::Timers;

struct Unpark {
    thread: std::thread::Thread,
    woken: AtomicBool,
}

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.woken.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

impl Interrupt for Unpark {
    fn interrupt(&self) {
        self.thread.unpark();
    }
}

/// Runs `future` to its end on this thread.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let unpark = Arc::new(Unpark { thread: std::thread::current(), woken: AtomicBool::new(true) });
    let builder = Timers::builder().interrupt(Arc::clone(&unpark) as Arc<dyn Interrupt>);
    let (timers, mut driver) = builder.build().expect("every platform has a monotonic clock");
    let _entered = timers.enter();
    let waker = Waker::from(Arc::clone(&unpark));
    let mut future = pin!(future);
    let mut wakes = Vec::new();
    loop {
        if unpark.woken.swap(false, Ordering::Acquire) {
            if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                return output;
            }
            continue;
        }
        if !driver.auto_advance() {
            match driver.prepare_park() {
                Next::Now => {}
                Next::At(tick) => std::thread::park_timeout(tick.saturating_duration_since(timers.now())),
                Next::Never => std::thread::park(),
            }
            driver.awake();
        }
        driver.turn(&mut wakes);
        wakes.drain(..).for_each(Waker::wake);
    }
}
