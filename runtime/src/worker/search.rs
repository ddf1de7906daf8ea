//! Where the next task comes from.
//!
//! In this order: every so often the global queue; the LIFO slot, at most three times in a row; the own queue; the
//! global queue; the queues of peers, from a random one on; the global queue once more.

use super::local::Local;
use crate::task_core::Notified;
use crate::trace::event;

/// The next task without taking anything from a peer.
#[inline]
pub(super) fn next(local: &Local) -> Option<Notified> {
    if local.is_global_turn() {
        if let Some(task) = from_global(local) {
            return Some(task);
        }
    }
    let task = local.pop().or_else(|| from_global(local))?;
    if local.take_searching() {
        local.scheduler().lounge.found();
    }
    Some(task)
}

/// A task of a peer's queue. The caller has none.
pub(super) fn steal(local: &Local) -> Option<Notified> {
    let lounge = &local.scheduler().lounge;
    let mut searching = local.take_searching();
    let task = lounge.search(&mut searching, || hunt(local));
    local.set_searching(searching);
    task
}

fn from_global(local: &Local) -> Option<Notified> {
    let scheduler = local.scheduler();
    if scheduler.injector.is_empty() {
        return None;
    }
    let task = local.queue().take_from(&scheduler.injector)?;
    if local.take_searching() {
        scheduler.lounge.found();
    }
    Some(task)
}

fn hunt(local: &Local) -> Option<Notified> {
    let scheduler = local.scheduler();
    let workers = scheduler.workers();
    let start = local.random_start();
    for i in 0..workers {
        let victim = (start + i) % workers;
        if victim == local.index() {
            continue;
        }
        if let Some((task, count)) = local.queue().steal_from(&scheduler.remotes[victim].stealer) {
            local.counters().stole(count);
            event!(TRACE, "wheelhouse::worker", worker = local.index(), victim, count, "steal");
            return Some(task);
        }
        if let Some(task) = rescue(local, victim) {
            return Some(task);
        }
    }
    local.queue().take_from(&scheduler.injector)
}

/// Takes the task in the victim's LIFO slot, if the victim has been in one poll for longer than a watch period: it is
/// stuck, and would not come to it.
fn rescue(local: &Local, victim: usize) -> Option<Notified> {
    let scheduler = local.scheduler();
    if !local.is_stuck(victim, scheduler.services.counters[victim].polls.get()) {
        return None;
    }
    let task = scheduler.remotes[victim].take_lifo()?;
    scheduler.services.driver.rescued();
    event!(TRACE, "wheelhouse::worker", worker = local.index(), victim, "rescue");
    Some(task)
}
