//! Jobs of the scheduler alone: spawn, chained, yield, ping-pong.

use std::time::{Duration, Instant};

use crate::gate::Gate;
use crate::jobs::Opts;
use crate::rt::Rt;
use crate::sample::{Sample, median};
use crate::sys::Usage;

/// From a task, spawns 200,000 empty tasks and waits for the last.
pub(crate) fn spawn<R: Rt>(opts: &Opts) -> Sample {
    const TASKS: usize = 200_000;
    repeat::<R, _, _>(opts, TASKS, || async {
        let gate = Gate::new(TASKS);
        for _ in 0..TASKS {
            R::detach(async move { gate.pass() });
        }
        gate.open().await;
    })
}

/// A task spawns its successor, 200,000 times.
pub(crate) fn chained<R: Rt>(opts: &Opts) -> Sample {
    const TASKS: usize = 200_000;

    fn link<R: Rt>(left: usize, gate: &'static Gate) {
        R::detach(async move {
            match left {
                0 => gate.pass(),
                _ => link::<R>(left - 1, gate),
            }
        });
    }

    repeat::<R, _, _>(opts, TASKS, || async {
        let gate = Gate::new(1);
        link::<R>(TASKS, gate);
        gate.open().await;
    })
}

/// 1,000 tasks that yield 500 times each.
pub(crate) fn yields<R: Rt>(opts: &Opts) -> Sample {
    const TASKS: usize = 1_000;
    const YIELDS: usize = 500;
    repeat::<R, _, _>(opts, TASKS * YIELDS, || async {
        let gate = Gate::new(TASKS);
        for _ in 0..TASKS {
            R::detach(async move {
                for _ in 0..YIELDS {
                    R::yield_now().await;
                }
                gate.pass();
            });
        }
        gate.open().await;
    })
}

/// 100 pairs of tasks that hand a message back and forth 2,000 times over channels of one place.
pub(crate) fn ping_pong<R: Rt>(opts: &Opts) -> Sample {
    const PAIRS: usize = 100;
    const ROUNDS: usize = 2_000;
    repeat::<R, _, _>(opts, PAIRS * ROUNDS, || async {
        let gate = Gate::new(PAIRS);
        for _ in 0..PAIRS {
            let (ping, pinged) = async_channel::bounded(1);
            let (pong, ponged) = async_channel::bounded(1);
            R::detach(async move {
                while let Ok(()) = pinged.recv().await {
                    let _ = pong.send(()).await;
                }
            });
            R::detach(async move {
                for _ in 0..ROUNDS {
                    ping.send(()).await.expect("the other half waits");
                    ponged.recv().await.expect("the other half answers");
                }
                gate.pass();
            });
        }
        gate.open().await;
    })
}

/// Runs `once` on one runtime a few times after a warm-up, and tells nanoseconds for each of its `n` operations.
pub(crate) fn repeat<R, F, Fut>(opts: &Opts, n: usize, once: F) -> Sample
where
    R: Rt,
    F: Fn() -> Fut + Send + Sync + 'static,
    Fut: Future<Output = ()> + Send + 'static,
{
    let repeats = if opts.quick { 3 } else { 5 };
    let (mut took, cpu) = R::run(opts.workers, async move {
        once().await;
        let before = Usage::now();
        let mut took = Vec::new();
        for _ in 0..repeats {
            let start = Instant::now();
            once().await;
            took.push(per_op(start.elapsed(), n));
        }
        (took, Usage::now().since(before).cpu)
    });
    // The CPU time tells on a loaded machine, where the time of day does not.
    Sample::of("ns", median(&mut took)).with("cpu_ns", per_op(cpu, n * repeats))
}

/// Nanoseconds an operation.
pub(crate) fn per_op(total: Duration, n: usize) -> f64 {
    total.as_nanos() as f64 / n as f64
}
