//! Many timers that do fire: a million sleeps spread over five seconds, and 600,000 in one millisecond.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::gate::Gate;
use crate::hist::Histogram;
use crate::jobs::Opts;
use crate::jobs::net::echo_client;
use crate::rt::{Rt, echo_server};
use crate::sample::Sample;
use crate::sys::{Usage, memory};

/// What the tasks of [`million`] share.
struct Crowd {
    lateness: Histogram,
    gate: &'static Gate,
}

/// A million tasks, each sleeping 2 s and up to 5 s more.
pub(crate) fn million<R: Rt>(opts: &Opts) -> Sample {
    let tasks = if opts.quick { 200_000 } else { 1_000_000 };
    let before = Usage::now();
    let (spawn, lateness) = R::run(opts.workers, async move {
        // A task captures one word and its duration: what it weighs is the runtime's.
        let crowd: &'static Crowd =
            Box::leak(Box::new(Crowd { lateness: Histogram::default(), gate: Gate::new(tasks) }));
        let mut rng = fastrand::Rng::with_seed(1);
        let start = Instant::now();
        for _ in 0..tasks {
            let micros = rng.u32(2_000_000..7_000_000);
            R::detach(async move {
                let duration = Duration::from_micros(micros.into());
                let due = Instant::now() + duration;
                R::sleep(duration).await;
                crowd.lateness.record_since(due);
                crowd.gate.pass();
            });
        }
        let spawn = start.elapsed();
        crowd.gate.open().await;
        (spawn, crowd.lateness.summary())
    });
    let used = Usage::now().since(before);
    lateness
        .with("spawn", spawn.as_secs_f64())
        .with("cpu", used.cpu.as_secs_f64())
        .with("switches", used.switches as f64)
        .with("rss", memory("VmHWM"))
}

/// 600,000 timers due in the same millisecond after a long quiet, beside a TCP echo with a client outside the runtime.
pub(crate) fn burst<R: Rt>(opts: &Opts) -> Sample {
    let (tasks, quiet) = if opts.quick { (200_000, 3) } else { (600_000, 10) };
    R::run(opts.workers, async move {
        let addr = echo_server::<R>().await.expect("a listener on loopback");
        let gate = Gate::new(tasks);
        let due = Instant::now() + Duration::from_secs(quiet);
        let mut rng = fastrand::Rng::with_seed(3);
        for _ in 0..tasks {
            let at = R::instant(due + Duration::from_nanos(rng.u64(0..1_000_000)));
            R::detach(async move {
                R::sleep_until(at).await;
                gate.pass();
            });
        }
        let done: &'static AtomicBool = Box::leak(Box::default());
        let client = thread::spawn(move || {
            let from = due - Duration::from_millis(2);
            thread::sleep(from.saturating_duration_since(Instant::now()));
            echo_client(addr, Duration::from_micros(200), done)
        });
        gate.open().await;
        let fired = due.elapsed();
        // Relaxed: only ends the client's loop.
        done.store(true, Ordering::Relaxed);
        let echo = client.join().expect("the echo client");
        Sample::of("fired_ms", fired.as_secs_f64() * 1e3).join("echo_", echo.summary())
    })
}
