// A small executor over the reactor, for tests and examples: one thread, one task at a time. Included by path, so it
// keeps to items that any program can hold.

#[allow(dead_code, reason = "each includer uses a part")]
pub(crate) struct Flag(std::sync::atomic::AtomicBool, wheelhouse_io::Notifier);

impl std::task::Wake for Flag {
    fn wake(self: std::sync::Arc<Self>) {
        self.0.store(true, std::sync::atomic::Ordering::SeqCst);
        let _ = self.1.notify();
    }
}

/// Runs `future` to its end on `reactor`, with an unlimited budget.
#[allow(dead_code, reason = "each includer uses a part")]
pub(crate) fn block_on<F: std::future::Future>(
    reactor: &mut wheelhouse_io::Reactor,
    io: &wheelhouse_io::Io,
    future: F,
) -> F::Output {
    use std::sync::atomic::Ordering::SeqCst;
    let _guard = wheelhouse_io::context::enter(io, std::rc::Rc::new(std::cell::Cell::new(255)));
    let flag = std::sync::Arc::new(Flag(true.into(), io.notifier()));
    let waker = flag.clone().into();
    let mut cx = std::task::Context::from_waker(&waker);
    let mut future = std::pin::pin!(future);
    let mut wakes = Vec::new();
    loop {
        if flag.0.swap(false, SeqCst) {
            if let std::task::Poll::Ready(output) = future.as_mut().poll(&mut cx) {
                return output;
            }
        }
        let wait = if flag.0.load(SeqCst) { wheelhouse_io::Wait::Now } else { wheelhouse_io::Wait::Forever };
        reactor.turn(wait, &mut wakes).unwrap();
        wakes.drain(..).for_each(std::task::Waker::wake);
    }
}

/// Runs `future` on a reactor of its own.
#[allow(dead_code, reason = "each includer uses a part")]
pub(crate) fn run<T>(future: impl std::future::Future<Output = std::io::Result<T>>) -> std::io::Result<T> {
    let (mut reactor, io) = wheelhouse_io::Reactor::new(wheelhouse_io::ReactorConfig::default())?;
    block_on(&mut reactor, &io, future)
}

/// Pends once, so that the reactor turns.
#[allow(dead_code, reason = "each includer uses a part")]
pub(crate) async fn yield_now() {
    let mut yielded = false;
    std::future::poll_fn(|cx| {
        if std::mem::replace(&mut yielded, true) {
            return std::task::Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await;
}

/// A reactor on a thread of its own, as a scheduler's other worker would drive it. Futures run on the callers' threads.
#[allow(dead_code, reason = "each includer uses a part")]
pub(crate) struct Driver {
    pub io: wheelhouse_io::Io,
    stop: std::sync::Arc<std::sync::atomic::AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

#[allow(dead_code, reason = "each includer uses a part")]
impl Driver {
    pub(crate) fn start() -> Driver {
        let (mut reactor, io) = wheelhouse_io::Reactor::new(wheelhouse_io::ReactorConfig::default()).unwrap();
        let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = std::thread::spawn(move || {
            let mut wakes = Vec::new();
            while !stopped.load(std::sync::atomic::Ordering::SeqCst) {
                reactor.turn(wheelhouse_io::Wait::Forever, &mut wakes).unwrap();
                wakes.drain(..).for_each(std::task::Waker::wake);
            }
        });
        Driver { io, stop, thread: Some(thread) }
    }

    /// Runs `future` to its end on this thread, which parks while it waits.
    pub(crate) fn block_on<F: std::future::Future>(&self, future: F) -> F::Output {
        struct Unpark(std::thread::Thread);
        impl std::task::Wake for Unpark {
            fn wake(self: std::sync::Arc<Self>) {
                self.0.unpark();
            }
        }
        let _guard = wheelhouse_io::context::enter(&self.io, std::rc::Rc::new(std::cell::Cell::new(255)));
        let waker = std::sync::Arc::new(Unpark(std::thread::current())).into();
        let mut cx = std::task::Context::from_waker(&waker);
        let mut future = std::pin::pin!(future);
        loop {
            if let std::task::Poll::Ready(output) = future.as_mut().poll(&mut cx) {
                return output;
            }
            std::thread::park();
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.stop.store(true, std::sync::atomic::Ordering::SeqCst);
        let _ = self.io.notifier().notify();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
