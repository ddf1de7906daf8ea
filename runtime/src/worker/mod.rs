//! The multi-thread scheduler. In reading order:
//!
//! - [`scheduler`]: what the workers share, and where a task that is woken goes.
//! - [`local`]: what a worker has to itself.
//! - [`run`] (below): the loop.
//! - [`search`]: where the next task comes from.
//! - [`rest`](crate::park::rest): what a worker does when there is none.
//! - [`launch`]: threads, and how a worker moves to another one.
//! - [`shutdown`]: the end.

mod home;
pub(crate) mod launch;
pub(crate) mod local;
pub(crate) mod queue;
pub(crate) mod scheduler;
mod search;
mod shutdown;
mod surroundings;

use std::time::Duration;

use self::local::Local;
pub(crate) use self::scheduler::{Config, Scheduler};
pub(crate) use self::shutdown::BLOCKING_PATIENCE;
use crate::services::{tell_task, tell_thread};
use crate::task_core::Notified;
use crate::trace::event;

/// Once a turn of the driver has made fewer tasks ready than this, peers sleep on for a moment...
const WAKE_PEER_AT: usize = 64;
/// ... this long: most batches are done by then, and a wake-up of a peer costs two switches of context.
const WAKE_PEER_AFTER: Duration = Duration::from_micros(100);
/// With sockets among them a peer is woken for so few: each is worth several system calls, and should this worker lose its
/// processor to another process, the peer takes what waits here.
const WAKE_PEER_AT_SOCKETS: usize = 2;
/// After so long without a batch one more wake-up costs next to nothing, and the first of the batch may be a task that
/// blocks: a peer is woken at once.
const CALM: Duration = Duration::from_millis(2);

/// Runs worker tasks until the runtime stops, or until the worker has moved to another thread.
fn run(local: &Local) {
    let scheduler = local.scheduler();
    while !scheduler.is_stopping() {
        if local.is_driver_due() {
            visit_driver(local);
        }
        let task = search::next(local).or_else(|| search::steal(local));
        match task {
            Some(task) => {
                run_task(local, task);
                if local.has_moved() {
                    local.end_section();
                    return;
                }
                share_batch(local);
            }
            None => rest(local),
        }
    }
}

fn run_task(local: &Local, task: Notified) {
    let services = &local.scheduler().services;
    let id = task.id();
    let poll = local.counters().poll(id.get(), || task.queued_at());
    tell_task(services.hooks.before_poll.as_ref(), id);
    local.set_polling(true);
    task.run();
    local.set_polling(false);
    tell_task(services.hooks.after_poll.as_ref(), id);
    if local.has_moved() { poll.end_outside() } else { drop(poll) }
}

/// A busy worker looks at the driver in passing, so that timers and sockets are served though nobody rests.
fn visit_driver(local: &Local) {
    let scheduler = local.scheduler();
    let services = &scheduler.services;
    let timers = local.admits_timers();
    let due = timers && (services.timers.is_due() || services.timers.is_advancing());
    let worthwhile = due || services.io.has_sources();
    let found = worthwhile
        && scheduler.lounge.visit(local.index(), |driver| {
            let found = driver.pass(timers);
            local.collect(driver);
            found
        }) == Some(true);
    // With more timers to come, perhaps, the next look is not put off.
    local.plan_next_visit(found || !timers);
    let woken = call_wakers(local);
    if timers {
        local.admitted(woken);
    }
}

/// Nothing to do: sleeps until there is.
fn rest(local: &Local) {
    let scheduler = local.scheduler();
    let services = &scheduler.services;
    let k = local.index();
    tell_thread(services.hooks.thread_park.as_ref(), k);
    if local.has_work() {
        // The hook woke a task.
        return;
    }
    local.counters().park();
    event!(TRACE, "wheelhouse::worker", worker = k, "park");
    let waking = scheduler.lounge.rest(k, local.take_searching(), local);
    local.set_searching(waking.searching);
    local.counters().unpark();
    if let Some(watchdog) = &services.watchdog {
        watchdog.worker_awake(|| scheduler.lounge.watch().is_some() && scheduler.lounge.idle.any_parked());
    }
    event!(TRACE, "wheelhouse::worker", worker = k, searching = waking.searching, "unpark");
    tell_thread(services.hooks.thread_unpark.as_ref(), k);
    if waking.drove {
        let woken = call_wakers(local);
        local.admitted(woken);
        local.start_visits_anew();
    }
}

/// Calls the wakers that the driver's turn collected; the seat is left. What they make ready goes to the own queue, and
/// peers sleep on unless it is much. Returns how many there were.
fn call_wakers(local: &Local) -> usize {
    let woken = local.call_wakers();
    if woken == 0 {
        return 0;
    }
    let many = if local.woke_sockets() { WAKE_PEER_AT_SOCKETS } else { WAKE_PEER_AT };
    let queued = local.queued();
    if queued >= many || (queued > 1 && !local.starts_batch(CALM)) {
        local.wake_peer();
    }
    woken
}

/// Wakes a peer if the batch of the last turn is still not done after a while.
fn share_batch(local: &Local) {
    if let Some(since) = local.batch() {
        if local.queued() == 0 {
            local.end_batch();
        } else if since.elapsed() >= WAKE_PEER_AFTER {
            local.end_batch();
            local.wake_peer();
        }
    }
}
