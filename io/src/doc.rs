//! The smallest executor, for the examples of the documentation: one thread, one future, a reactor of its own.

use std::cell::Cell;
use std::future::Future;
use std::io;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Wake, Waker};

use crate::context;
use crate::notifier::Notifier;
use crate::reactor::{Reactor, ReactorConfig, Wait};
use crate::sync::{Arc, AtomicBool, Ordering};

struct Woken {
    woken: AtomicBool,
    notifier: Notifier,
}

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.woken.store(true, Ordering::Release);
        // Err: the reactor is gone, and nobody waits.
        let _ = self.notifier.notify();
    }
}

/// Runs `future` to its end on this thread.
///
/// # Panics
///
/// If it ends in an error.
pub fn run(future: impl Future<Output = io::Result<()>>) {
    let (mut reactor, io) = Reactor::new(ReactorConfig::default()).expect("a reactor");
    let _guard = context::enter(&io, Rc::new(Cell::new(u8::MAX)));
    let woken = Arc::new(Woken { woken: AtomicBool::new(true), notifier: io.notifier() });
    let waker = Waker::from(woken.clone());
    let mut future = pin!(future);
    let mut wakes = Vec::new();
    loop {
        if woken.woken.swap(false, Ordering::Acquire) {
            if let Poll::Ready(result) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                return result.expect("the example ends without an error");
            }
        }
        reactor.turn(Wait::Forever, &mut wakes).expect("a turn");
        wakes.drain(..).for_each(Waker::wake);
    }
}
