//! All workers but one are blocked: what becomes of timers, of I/O, and of the tasks in a blocked worker's own queue.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use futures::channel::oneshot;

use crate::gate::Gate;
use crate::hist::Histogram;
use crate::jobs::Opts;
use crate::jobs::net::echo_client;
use crate::rt::{Rt, echo_server};
use crate::sample::Sample;

/// Blocks N-1 of N workers five times for 200 ms and once for a second: the worst lateness, in milliseconds, of 10 ms
/// sleeps and of echo round trips elsewhere, and of a task left in a blocked worker's LIFO slot and local queue.
pub(crate) fn blocked<R: Rt>(opts: &Opts) -> Sample {
    let workers = opts.workers;
    let blocks: &[u64] = if opts.quick { &[200, 200] } else { &[200, 200, 200, 200, 200, 1_000] };
    R::run(workers, async move {
        let stop: &'static AtomicBool = Box::leak(Box::default());
        let timers: &'static Histogram = Box::leak(Box::default());
        let ended = Gate::new(1);
        R::detach(sleeper::<R>(stop, timers, ended));
        let addr = echo_server::<R>().await.expect("a listener on loopback");
        let echo = thread::spawn(move || echo_client(addr, Duration::from_millis(3), stop));
        R::sleep(Duration::from_millis(50)).await;
        for block in blocks {
            block_all_but_one::<R>(workers, Duration::from_millis(*block)).await;
            R::sleep(Duration::from_millis(30)).await;
        }
        // Relaxed: only ends the loops.
        stop.store(true, Ordering::Relaxed);
        ended.open().await;
        let echo = echo.join().expect("the echo client");
        let mut sample = Sample::of("timers", timers.quantile(1.0) / 1e6).with("echo", echo.quantile(1.0) / 1e6);
        let (mut lifo, mut queue) = (0.0_f64, 0.0_f64);
        for _ in 0..blocks.len().min(5) {
            let (first, second) = left_behind::<R>(Duration::from_millis(200)).await;
            lifo = lifo.max(first);
            queue = queue.max(second);
        }
        sample = sample.with("lifo", lifo).with("queue", queue);
        sample
    })
}

async fn sleeper<R: Rt>(stop: &'static AtomicBool, late: &'static Histogram, ended: &'static Gate) {
    let duration = Duration::from_millis(10);
    while !stop.load(Ordering::Relaxed) {
        let start = Instant::now();
        R::sleep(duration).await;
        late.record_lateness(start.elapsed(), duration);
    }
    ended.pass();
}

/// `workers - 1` tasks, started by timers, block their threads at about the same time; resolves when all are done.
async fn block_all_but_one<R: Rt>(workers: usize, block: Duration) {
    let gate = Gate::new(workers - 1);
    let start = Instant::now() + Duration::from_millis(20);
    for _ in 1..workers {
        R::detach(async move {
            R::sleep_until(R::instant(start)).await;
            thread::sleep(block);
            gate.pass();
        });
    }
    gate.open().await;
}

/// A task wakes two others and then blocks its worker: how long, in milliseconds, until each of the two runs. The one
/// woken last sits in the LIFO slot where the runtime has one, the other in the local queue.
async fn left_behind<R: Rt>(block: Duration) -> (f64, f64) {
    let (to_queue, queued) = oneshot::channel::<Instant>();
    let (to_slot, slotted) = oneshot::channel::<Instant>();
    let in_queue = R::spawn(async move { queued.await.map_or(0.0, |woken| woken.elapsed().as_secs_f64() * 1e3) });
    let in_slot = R::spawn(async move { slotted.await.map_or(0.0, |woken| woken.elapsed().as_secs_f64() * 1e3) });
    R::sleep(Duration::from_millis(20)).await;
    let blocker = R::spawn(async move {
        let _ = to_queue.send(Instant::now());
        let _ = to_slot.send(Instant::now());
        thread::sleep(block);
    });
    let delays = (in_slot.await, in_queue.await);
    blocker.await;
    delays
}
