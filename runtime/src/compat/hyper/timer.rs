//! hyper's timers: ours, boxed once and then only moved.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::rt::{Sleep, Timer};
use pin_project_lite::pin_project;

use crate::time;

/// Gives hyper the runtime's timers.
///
/// `now` is the runtime's clock, so a paused test clock holds for hyper too. A reset to a later deadline, which is what
/// a connection's timers see nearly always, takes no lock and allocates nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct HyperTimer;

impl HyperTimer {
    /// The timers of the runtime that each sleep is made or first polled on.
    pub fn new() -> Self {
        Self
    }
}

pin_project! {
    /// A [`Sleep`](crate::time::Sleep) that hyper can hold: what [`HyperTimer`] makes.
    ///
    /// # Panics
    ///
    /// `poll` panics as the sleep's own does: polled outside a runtime for the first time, or after its runtime is gone.
    ///
    /// # Cancel safety
    ///
    /// Dropping it cancels the timer.
    #[derive(Debug)]
    pub struct HyperSleep {
        #[pin]
        sleep: time::Sleep,
    }
}

impl Future for HyperSleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.project().sleep.poll(cx)
    }
}

impl Sleep for HyperSleep {}

impl Timer for HyperTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        Box::pin(HyperSleep { sleep: time::sleep(duration) })
    }

    fn sleep_until(&self, deadline: std::time::Instant) -> Pin<Box<dyn Sleep>> {
        Box::pin(HyperSleep { sleep: time::sleep_until(deadline.into()) })
    }

    fn now(&self) -> std::time::Instant {
        time::Instant::now().into()
    }

    fn reset(&self, sleep: &mut Pin<Box<dyn Sleep>>, deadline: std::time::Instant) {
        match sleep.as_mut().downcast_mut_pin::<HyperSleep>() {
            Some(ours) => ours.project().sleep.reset(deadline.into()),
            // Made by another timer: hyper's own default, a new one in its place.
            None => *sleep = self.sleep_until(deadline),
        }
    }
}
