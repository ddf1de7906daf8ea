//! From knobs to a running runtime.

use std::io;
use std::sync::{Arc, Weak};
use std::time::Instant;

use crossbeam_utils::CachePadded;
use wheelhouse_io::{Io, Reactor, ReactorConfig};
use wheelhouse_time::{ClockKind, TimerDriver, Timers};

use super::{Builder, Flavour, UnhandledPanic};
use crate::blocking;
use crate::context;
use crate::driver::{Bell, Machine, WATCH};
use crate::error::BadKnob;
use crate::handle::Handle;
use crate::job;
use crate::later::Later;
use crate::listing::Listing;
use crate::metrics::{DriverCounters, Source, WorkerCounters};
use crate::park::{Interrupt, Lounge};
use crate::run_queue::RunQueue;
use crate::runtime::Runtime;
use crate::services::{Services, tell_thread};
use crate::spawn::{BlockingPool, Offload, Pooling};
use crate::task_core::Owned;
use crate::threads::Threads;
use crate::watchdog::Watchdog;
use crate::{current_thread, worker};

/// The environment variable that says how many workers there are where the builder does not.
const WORKERS: &str = "WHEELHOUSE_WORKER_THREADS";

/// The most workers that a runtime may have. Each keeps a note of each of the others.
const MOST_WORKERS: usize = 2_048;

/// The most events that a turn takes. There is room for as many from the start.
const MOST_EVENTS: usize = 1 << 16;

/// The least bytes of stack that a worker needs for itself and a plain task.
const LEAST_STACK: usize = 64 << 10;

/// How many polls apart a busy worker looks at the global queue, and at the driver at the latest.
const INTERVAL: u32 = 61;

pub(super) fn assemble(mut builder: Builder) -> io::Result<Runtime> {
    let workers = match builder.flavour {
        Flavour::MultiThread => worker_count(builder.workers)?,
        Flavour::CurrentThread => 1,
    };
    at_least_one("max_blocking_threads", builder.max_blocking_threads)?;
    at_least_one("max_io_events_per_tick", builder.max_io_events)?;
    builder.max_io_events = builder.max_io_events.min(MOST_EVENTS);
    builder.stack_size = builder.stack_size.map(|bytes| bytes.max(LEAST_STACK));
    let global_queue_interval = interval("global_queue_interval", builder.global_queue_interval)?;
    // Counts of polls wrap, and are compared within half of their range: as good as never.
    let event_interval = interval("event_interval", builder.event_interval)?.min(i32::MAX as u32);

    let (reactor, io, wheel, timers, bell) = driver_parts(&builder, workers)?;
    let later = Later::default();
    let services = services(&builder, workers, &timers, &io, &later);
    io.set_blocking(Arc::new(Offload::new(&services)));
    let watch = builder.rescue.then_some(WATCH);
    let machine = Machine::new(reactor, io, wheel, timers, WATCH, services.driver.clone());

    match builder.flavour {
        Flavour::MultiThread => {
            let seed = builder.seed.unwrap_or_else(|| fastrand::u64(..));
            let config = worker::Config { workers, global_queue_interval, event_interval, seed };
            let queues: Vec<_> = (0..workers).map(|_| RunQueue::new(worker::queue::CAPACITY)).collect();
            let lounge = Lounge::new(workers, machine, bell, watch);
            let threads = worker::launch::Threads::new(builder.thread_name.clone(), builder.stack_size);
            let scheduler = Arc::new(worker::Scheduler::new(config, services, lounge, &queues, threads));
            later.set(&Handle::from(scheduler.clone()));
            let source: Weak<dyn Source> = Arc::<worker::Scheduler>::downgrade(&scheduler);
            watch_over(&scheduler.services, source);
            worker::launch::launch(&scheduler, queues)?;
            Ok(Runtime::from_handle(scheduler.into()))
        }
        Flavour::CurrentThread => {
            let config = current_thread::Config { global_queue_interval, event_interval };
            let core = current_thread::core::Core::new(machine);
            let scheduler = Arc::new(current_thread::Scheduler::new(config, services, core, bell));
            later.set(&Handle::from(scheduler.clone()));
            let source: Weak<dyn Source> = Arc::<current_thread::Scheduler>::downgrade(&scheduler);
            watch_over(&scheduler.services, source);
            Ok(Runtime::from_handle(scheduler.into()))
        }
    }
}

fn watch_over(services: &Services, source: Weak<dyn Source>) {
    if let Some(watchdog) = &services.watchdog {
        watchdog.watch(source);
    }
}

fn driver_parts(builder: &Builder, workers: usize) -> io::Result<(Reactor, Io, TimerDriver, Timers, Bell)> {
    // The clock decides what the reactor waits on, and the reactor's notifier is what interrupts the timers' driver: the
    // reactor comes first, so the clock's id is asked of timers that nobody uses.
    let clock = if builder.suspend_aware { ClockKind::Boottime } else { ClockKind::Monotonic };
    let (probe, _) = Timers::builder().clock(clock).build().map_err(time_error)?;
    let mut config = ReactorConfig::default();
    config.max_events = builder.max_io_events;
    config.clock_id = probe.clock_id();
    let (reactor, io) = Reactor::new(config)?;
    let bell = Bell::new(io.notifier(), builder.lost_interruptions.clone());
    let (timers, wheel) = Timers::builder()
        .shards(workers)
        .clock(clock)
        .slack(builder.timer_slack)
        .start_paused(builder.start_paused)
        .auto_advance(builder.auto_advance)
        .interrupt(Arc::new(bell.clone()))
        .build()
        .map_err(time_error)?;
    Ok((reactor, io, wheel, timers, bell))
}

fn services(builder: &Builder, workers: usize, timers: &Timers, io: &Io, later: &Later) -> Services {
    let epoch = Instant::now();
    let counters = (0..workers).map(|_| CachePadded::new(WorkerCounters::new(epoch, builder.poll_histogram))).collect();
    let hooks = Arc::new(builder.hooks.clone());
    let listing = Listing::new();
    Services {
        timers: timers.clone(),
        io: io.clone(),
        time: builder.time,
        sockets: builder.sockets,
        pool: pool(builder, workers, later),
        owned: Owned::new(workers * 4),
        pooling: Arc::new(Pooling::new(&listing, hooks.clone(), later.clone())),
        listing,
        hooks,
        times_queues: builder.poll_histogram,
        counters,
        driver: Arc::new(DriverCounters::new()),
        watchdog: builder.watchdog.map(Watchdog::new),
        panic_is_fatal: builder.unhandled_panic == UnhandledPanic::ShutdownRuntime,
    }
}

fn pool(builder: &Builder, workers: usize, later: &Later) -> BlockingPool {
    let mut threads = Threads::new(builder.thread_name.clone(), builder.stack_size);
    let hooks = builder.hooks.clone();
    let scheduler = later.clone();
    threads.around = Arc::new(move |index, body| {
        job::enter_pool(&scheduler);
        let handle = scheduler.handle();
        let _entered = handle.as_ref().map(|handle| context::enter(handle, None));
        tell_thread(hooks.thread_start.as_ref(), workers + index);
        body();
        tell_thread(hooks.thread_stop.as_ref(), workers + index);
    });
    let scheduler = later.clone();
    threads.drained = Arc::new(move || {
        let Some(handle) = scheduler.handle() else { return };
        if handle.services().timers.is_paused() {
            // The simulated clock waited for this.
            Bell::new(handle.services().io.notifier(), None).interrupt();
        }
    });
    let config = blocking::Config { max_threads: builder.max_blocking_threads, keep_alive: builder.keep_alive };
    BlockingPool::new(config, threads)
}

fn worker_count(set: Option<usize>) -> Result<usize, BadKnob> {
    let count = match set {
        Some(count) => count,
        None => match std::env::var(WORKERS) {
            Ok(value) => value
                .trim()
                .parse()
                .map_err(|_| BadKnob(format!("{WORKERS} must be a number of worker threads, not {value:?}")))?,
            Err(_) => num_cpus::get().clamp(2, MOST_WORKERS),
        },
    };
    if count > MOST_WORKERS {
        return Err(BadKnob(format!(
            "`worker_threads` must be {MOST_WORKERS} or less, not {count}: workers beyond the number of processors gain \
             nothing, and work that blocks has threads of its own (`spawn_blocking`)"
        )));
    }
    at_least_one("worker_threads", count)
}

fn interval(name: &str, set: Option<u32>) -> Result<u32, BadKnob> {
    at_least_one(name, set.unwrap_or(INTERVAL) as usize)?;
    Ok(set.unwrap_or(INTERVAL))
}

fn at_least_one(name: &str, value: usize) -> Result<usize, BadKnob> {
    if value == 0 {
        return Err(BadKnob(format!("`{name}` must be 1 or more")));
    }
    Ok(value)
}

fn time_error(error: wheelhouse_time::Error) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, error)
}

#[cfg(test)]
mod tests {

    use super::Builder;
    use crate::handle::Scheduler;
    use crate::worker::local::Local;

    /// The peers that two workers begin their searches with.
    fn chances(builder: Builder) -> Vec<usize> {
        let runtime = builder.worker_threads(2).build().unwrap();
        let Scheduler::MultiThread(scheduler) = runtime.handle().scheduler() else { unreachable!("as built") };
        let worker = |index| {
            let local = Local::new(scheduler.clone(), index, crate::run_queue::RunQueue::new(2), scheduler.config.seed);
            (0..64).map(|_| local.random_start()).collect::<Vec<_>>()
        };
        [worker(0), worker(1)].concat()
    }

    #[test]
    fn rng_seed_makes_what_is_left_to_chance_the_same_in_each_run() {
        let seeded = |seed| chances(Builder::new_multi_thread().rng_seed(seed));
        assert_eq!(seeded(7), seeded(7));
        assert_ne!(seeded(7), seeded(8));
        let unseeded = || chances(Builder::new_multi_thread());
        assert_ne!(unseeded(), unseeded(), "one in 2^64 runs is like the one before");
    }
}
