//! What an idle runtime does, and how large things are.

use std::future::pending;
use std::time::{Duration, SystemTime};

use crate::gate::Gate;
use crate::jobs::Opts;
use crate::rt::Rt;
use crate::sample::Sample;
use crate::sys::{Usage, allocated};

/// Four workers and one sleep of 60 s: CPU and context switches over five seconds. The window's ends are told in
/// seconds since 1970, so that a trace of system calls can be cut to it.
pub(crate) fn idle<R: Rt>(opts: &Opts) -> Sample {
    let seconds = if opts.quick { 1 } else { 5 };
    let watch = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(1_000));
        // This thread's own calls stay outside the window.
        let (before, from) = (Usage::now(), since_1970() + 0.02);
        std::thread::sleep(Duration::from_secs(seconds));
        let (until, used) = (since_1970() - 0.02, Usage::now().since(before));
        Sample::of("cpu_ms", used.cpu.as_secs_f64() * 1e3)
            .with("switches", used.switches as f64)
            .with("from", from)
            .with("until", until)
    });
    R::run(opts.workers, async move {
        R::detach(R::sleep(Duration::from_secs(60)));
        R::sleep(Duration::from_millis(1_200) + Duration::from_secs(seconds)).await;
    });
    watch.join().expect("the watching thread")
}

fn since_1970() -> f64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(f64::NAN, |since| since.as_secs_f64())
}

/// Bytes of a `Sleep`, and what the allocator gives for a spawned task that pends.
pub(crate) fn sizes<R: Rt>(opts: &Opts) -> Sample {
    const TASKS: usize = 100_000;
    let task = R::run(opts.workers, async {
        let spawn = |n| async move {
            let gate = Gate::new(n);
            for _ in 0..n {
                R::detach(async move {
                    gate.pass();
                    pending::<()>().await;
                });
            }
            gate.open().await;
        };
        spawn(1_000).await;
        let before = allocated();
        spawn(TASKS).await;
        (allocated() - before) / TASKS as f64
    });
    Sample::of("sleep", size_of::<R::Sleep>() as f64).with("task", task)
}
