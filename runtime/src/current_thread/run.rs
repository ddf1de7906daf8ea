//! `block_on` and its loop.

use std::future::Future;
use std::panic::Location;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use super::Scheduler;
use super::core::{Core, Here};
use crate::context::{self, Scope};
use crate::coop;
use crate::handle::Handle;
use crate::job::AsCaller;
use crate::metrics::ROOT;
use crate::panics::contain;
use crate::park::{BlockOnSleep, Bound, Driver, Turn};
use crate::services::{tell_task, tell_thread};
use crate::sync::{AtomicBool, Ordering, fence};
use crate::task_core::{Id, Kind, Notified};
use crate::trace::{self, event};

/// Wakes a thread inside `block_on`, whether it runs the tasks or waits for its turn.
pub(super) struct Signal {
    woken: AtomicBool,
    /// The thread has the core: its sleep is the scheduler's.
    drives: AtomicBool,
    sleep: BlockOnSleep,
    scheduler: Arc<Scheduler>,
}

impl Signal {
    fn new(scheduler: &Arc<Scheduler>) -> Arc<Self> {
        Arc::new(Self {
            woken: AtomicBool::new(true),
            drives: AtomicBool::new(false),
            sleep: BlockOnSleep::new(),
            scheduler: scheduler.clone(),
        })
    }

    /// The core is to be had.
    pub(super) fn wake_to_take(&self) {
        self.sleep.wake(&self.scheduler.activity);
    }

    fn take_woken(&self) -> bool {
        self.woken.swap(false, Ordering::AcqRel)
    }
}

impl Wake for Signal {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.woken.store(true, Ordering::Release);
        // With the fence in `drive`: either this sees that the thread drives, or the thread sees the flag.
        fence(Ordering::SeqCst);
        if self.drives.load(Ordering::Relaxed) {
            self.scheduler.unpark();
        } else {
            self.sleep.wake(&self.scheduler.activity);
        }
    }
}

/// Runs `future` to its end on this thread, and the tasks beside it while no other thread does.
#[track_caller]
pub(crate) fn block_on<F: Future>(
    handle: &Handle,
    scheduler: &Arc<Scheduler>,
    future: F,
    location: &'static Location<'static>,
) -> F::Output {
    let _scope = context::enter_block_on(Scope::BlockOnAlone);
    let _entered = context::enter(handle, Some(0));
    let signal = Signal::new(scheduler);
    let waker = Waker::from(signal.clone());
    let span = trace::task_span(Kind::BlockOn.as_str(), None, Id::next().get(), size_of::<F>(), location);
    let mut future = pin!(future);
    let mut root = Root { signal: &signal, waker: &waker, span: span.as_ref(), future: future.as_mut() };
    let caller = Caller::new(scheduler, &signal);
    let _job = AsCaller::new(&scheduler.services);
    loop {
        if let Some(core) = scheduler.slot.take_or_wait(&signal) {
            let _uncounted = Uncounted::new(scheduler);
            let output = drive(Driving::new(scheduler, &signal, core), &mut root);
            if let Some(output) = output {
                return output;
            }
        } else if let Poll::Ready(output) = root.poll_if_woken() {
            return output;
        } else {
            caller.wait();
        }
    }
}

/// The future given to `block_on`.
struct Root<'a, F> {
    signal: &'a Arc<Signal>,
    waker: &'a Waker,
    span: Option<&'a trace::TaskSpan>,
    future: Pin<&'a mut F>,
}

impl<F: Future> Root<'_, F> {
    fn poll_if_woken(&mut self) -> Poll<F::Output> {
        if !self.signal.take_woken() {
            return Poll::Pending;
        }
        let _poll = coop::enter_poll(std::ptr::null(), self.span);
        self.future.as_mut().poll(&mut Context::from_waker(self.waker))
    }
}

/// A caller of `block_on`: counts as awake unless it waits or drives.
struct Caller<'a> {
    scheduler: &'a Scheduler,
    signal: &'a Arc<Signal>,
}

impl<'a> Caller<'a> {
    fn new(scheduler: &'a Scheduler, signal: &'a Arc<Signal>) -> Self {
        scheduler.activity.begin();
        Self { scheduler, signal }
    }

    fn wait(&self) {
        self.signal.sleep.park(&self.scheduler.activity, || self.poke());
    }

    /// This may be the last one that the simulated clock waits for.
    fn poke(&self) {
        if self.scheduler.services.timers.is_paused() {
            self.scheduler.interrupt();
        }
    }
}

impl Drop for Caller<'_> {
    fn drop(&mut self) {
        self.scheduler.slot.forget(self.signal);
        self.scheduler.activity.end();
        self.poke();
    }
}

/// While a caller drives, it decides itself whether all is quiet, and counts only the others.
struct Uncounted<'a>(&'a Scheduler);

impl<'a> Uncounted<'a> {
    fn new(scheduler: &'a Scheduler) -> Self {
        scheduler.activity.end();
        Self(scheduler)
    }
}

impl Drop for Uncounted<'_> {
    fn drop(&mut self) {
        self.0.activity.begin();
    }
}

/// The core, on the thread that runs it; it goes back when this is dropped, by a panic too.
struct Driving<'a> {
    scheduler: &'a Scheduler,
    signal: &'a Signal,
    core: Option<Box<Core>>,
    here: Box<Here>,
}

impl<'a> Driving<'a> {
    fn new(scheduler: &'a Scheduler, signal: &'a Signal, mut core: Box<Core>) -> Self {
        let here = Box::new(Here::new(scheduler, std::mem::take(&mut core.tasks)));
        here.enter();
        signal.drives.store(true, Ordering::Relaxed);
        // See `Signal::wake_by_ref`.
        fence(Ordering::SeqCst);
        scheduler.services.counters[0].attach();
        if let Some(watchdog) = &scheduler.services.watchdog {
            watchdog.worker_awake(|| false);
        }
        Self { scheduler, signal, core: Some(core), here }
    }

    fn core(&mut self) -> &mut Core {
        self.core.as_mut().expect("taken out only at the end")
    }

    /// The next task: from other threads every so often, and when there is no other.
    fn next(&mut self) -> Option<Notified> {
        let scheduler = self.scheduler;
        let core = self.core();
        core.tick = core.tick.wrapping_add(1);
        if core.tick % scheduler.config.global_queue_interval != 0 {
            if let Some(task) = self.here.pop() {
                return Some(task);
            }
        }
        self.here.append(&mut scheduler.inbox.lock().tasks);
        self.here.pop()
    }

    fn run_task(&self, task: Notified) {
        let services = &self.scheduler.services;
        let id = task.id();
        let poll = services.counters[0].poll(id.get(), || task.queued_at());
        tell_task(services.hooks.before_poll.as_ref(), id);
        task.run();
        tell_task(services.hooks.after_poll.as_ref(), id);
        drop(poll);
    }

    /// Looks at timers and sockets without sleeping.
    fn pass(&mut self) {
        let services = &self.scheduler.services;
        let polls = self.core().tick;
        let timers = self.core().admission.is_open(polls);
        let due = timers && (services.timers.is_due() || services.timers.is_advancing());
        if due || services.io.has_sources() {
            let _ = self.core().machine.pass(timers);
            let woken = self.call_wakers();
            if timers {
                self.core().admission.admitted(woken, polls);
            }
        }
    }

    /// Sleeps until there is something to do.
    fn rest(&mut self) {
        let scheduler = self.scheduler;
        let services = &scheduler.services;
        tell_thread(services.hooks.thread_park.as_ref(), 0);
        if self.has_work() {
            // The hook woke a task: no rest, but timers and sockets have their turn.
            return self.pass();
        }
        services.counters[0].park();
        event!(TRACE, "wheelhouse::worker", worker = 0, "park");
        let bound = match self.simulate() {
            Some(bound) => bound,
            None => Bound::Unbounded,
        };
        if bound != Bound::Now && scheduler.parker.enter_driver() {
            let _ = self.core().machine.turn(bound);
            // What the token stands for is looked at next, with or without it.
            let _ = scheduler.parker.leave_driver();
        }
        services.counters[0].unpark();
        if let Some(watchdog) = &services.watchdog {
            watchdog.worker_awake(|| false);
        }
        event!(TRACE, "wheelhouse::worker", worker = 0, "unpark");
        tell_thread(services.hooks.thread_unpark.as_ref(), 0);
        let woken = self.call_wakers();
        let polls = self.core().tick;
        self.core().admission.admitted(woken, polls);
    }

    /// With a simulated clock: takes what is ready, moves the clock if all is quiet, and says how long to sleep.
    fn simulate(&mut self) -> Option<Bound> {
        if !self.core().machine.is_simulated() {
            return None;
        }
        // All is quiet from before the look at the sockets until after it: what the last one to park has written is seen.
        let scheduler = self.scheduler;
        let changes = scheduler.activity.changes();
        let quiet = scheduler.activity.is_quiet() && !scheduler.services.pool.is_busy() && !self.has_work();
        if self.core().machine.turn(Bound::Now) == Turn::Work {
            return Some(Bound::Now);
        }
        if !quiet || scheduler.activity.changes() != changes {
            return Some(Bound::Watch);
        }
        if !self.core().machine.advance() {
            return Some(Bound::Unbounded);
        }
        let _ = self.core().machine.turn(Bound::Now);
        Some(Bound::Now)
    }

    fn has_work(&self) -> bool {
        !self.here.is_empty()
            || self.signal.woken.load(Ordering::Acquire)
            || !self.scheduler.inbox.lock().tasks.is_empty()
    }

    fn call_wakers(&mut self) -> usize {
        let core = self.core();
        let mut wakes = std::mem::take(&mut core.wakes);
        let _ = core.machine.take_wakes(&mut wakes);
        let woken = wakes.len();
        for waker in wakes.drain(..) {
            contain(|| waker.wake());
        }
        self.core().wakes = wakes;
        woken
    }
}

impl Drop for Driving<'_> {
    fn drop(&mut self) {
        self.signal.drives.store(false, Ordering::SeqCst);
        let tasks = self.here.leave();
        if let Some(mut core) = self.core.take() {
            core.tasks = tasks;
            self.scheduler.services.counters[0].park();
            self.scheduler.slot.put_back(core);
            // Whoever stopped the runtime meanwhile has not found the core.
            self.scheduler.finish_if_stopping();
        }
    }
}

/// Runs the tasks and the root future until that is ready, or until the runtime stops (None).
fn drive<F: Future>(mut driving: Driving<'_>, root: &mut Root<'_, F>) -> Option<F::Output> {
    let scheduler = driving.scheduler;
    loop {
        if driving.signal.woken.load(Ordering::Acquire) {
            let poll = scheduler.services.counters[0].poll(ROOT, || None);
            let polled = root.poll_if_woken();
            drop(poll);
            if let Poll::Ready(output) = polled {
                return Some(output);
            }
        }
        for _ in 0..scheduler.config.event_interval {
            if scheduler.is_stopping() {
                return stop(driving);
            }
            match driving.next() {
                Some(task) => driving.run_task(task),
                None => break,
            }
        }
        if driving.has_work() {
            driving.pass();
        } else if !scheduler.is_stopping() {
            driving.rest();
        }
    }
}

/// The runtime stops while this thread runs its tasks.
fn stop<T>(mut driving: Driving<'_>) -> Option<T> {
    let mut core = driving.core.take()?;
    core.tasks = driving.here.leave();
    let scheduler = driving.scheduler;
    drop(driving);
    super::shutdown::finish(scheduler, core);
    assert!(
        // Relaxed: written before `stopping`, which was read.
        !scheduler.panicked.load(Ordering::Relaxed),
        "a task panicked, and `unhandled_panic(ShutdownRuntime)` shut the runtime down"
    );
    None
}
