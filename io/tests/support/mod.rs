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
