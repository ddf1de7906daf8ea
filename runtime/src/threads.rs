//! The standard library's threads as the blocking pool's host.

use std::io;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use crate::blocking::{Body, Host, NoThread};
use crate::panics::contain;

/// Runs on each new thread around its body.
pub(crate) type Around = Arc<dyn Fn(usize, &mut dyn FnMut()) + Send + Sync>;

/// Starts the pool's threads as the builder's knobs say.
pub(crate) struct Threads {
    /// The name of thread `index`.
    pub(crate) name: Arc<dyn Fn(usize) -> String + Send + Sync>,
    /// Bytes of stack; the platform's default when `None`.
    pub(crate) stack_size: Option<usize>,
    /// Enters the runtime and calls the start and stop hooks.
    pub(crate) around: Around,
    /// Called when the last job is over: a paused clock may now advance.
    pub(crate) drained: Arc<dyn Fn() + Send + Sync>,
    start: Instant,
    fault: Option<Arc<dyn Fn() -> Option<i32> + Send + Sync>>,
}

impl Threads {
    pub(crate) fn new(name: Arc<dyn Fn(usize) -> String + Send + Sync>, stack_size: Option<usize>) -> Self {
        Self {
            name,
            stack_size,
            around: Arc::new(|_, body| body()),
            drained: Arc::new(|| {}),
            start: Instant::now(),
            fault: None,
        }
    }

    /// Before each start `fault` is asked; a code it returns is treated as the system's refusal.
    #[cfg(test)]
    pub(crate) fn with_fault(mut self, fault: impl Fn() -> Option<i32> + Send + Sync + 'static) -> Self {
        self.fault = Some(Arc::new(fault));
        self
    }
}

/// What the user's function calls thread `index`. One that panics leaves the name to us, and what the system does not
/// take in a name, the character 0, is left out: a thread is not lost for it.
pub(crate) fn thread_name(name: &dyn Fn(usize) -> String, index: usize) -> String {
    let mut given = "wheelhouse".to_owned();
    contain(|| given = name(index));
    given.retain(|character| character != '\0');
    given
}

impl Host for Threads {
    type Thread = JoinHandle<()>;

    fn start(&self, index: usize, body: Body) -> Result<JoinHandle<()>, NoThread> {
        if let Some(code) = self.fault.as_ref().and_then(|fault| fault()) {
            return Err(NoThread(code));
        }
        let mut builder = Builder::new().name(thread_name(&*self.name, index));
        if let Some(size) = self.stack_size {
            builder = builder.stack_size(size);
        }
        let around = self.around.clone();
        let mut body = Some(body);
        let run = move || around(index, &mut || body.take().into_iter().for_each(|body| body()));
        builder.spawn(run).map_err(|error: io::Error| NoThread(error.raw_os_error().unwrap_or(0)))
    }

    fn join(&self, thread: JoinHandle<()>) {
        // A thread's last hook may end the runtime: it does not wait for itself.
        if !self.is_current(&thread) {
            // A panic can only come from the `around` hooks; the thread has ended either way.
            drop(thread.join());
        }
    }

    fn is_current(&self, thread: &JoinHandle<()>) -> bool {
        thread.thread().id() == std::thread::current().id()
    }

    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn drained(&self) {
        (self.drained)();
    }
}

impl std::fmt::Debug for Threads {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Threads").field("stack_size", &self.stack_size).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
