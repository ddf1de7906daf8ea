//! How late single sleeps come on an idle runtime, beside a bare timerfd loop; and three bare ways to wait.

use std::time::{Duration, Instant};

use crate::hist::Histogram;
use crate::jobs::Opts;
use crate::rt::Rt;
use crate::sample::Sample;
use crate::sys::{BareTimer, Epoll, Usage};

/// The durations and how often each is slept in one run: often enough for a p99 that is not the worst one or two, which
/// are the machine's.
const SHORT: [(&str, Duration, usize); 5] = [
    ("50us", Duration::from_micros(50), 4_000),
    ("100us", Duration::from_micros(100), 3_000),
    ("500us", Duration::from_micros(500), 1_000),
    ("1ms", Duration::from_millis(1), 800),
    ("5ms", Duration::from_millis(5), 400),
];

/// In a quick report a quarter of them.
fn often(times: usize, quick: bool) -> usize {
    if quick { times / 4 } else { times }
}

/// Short sleeps, one after the other, and three of a second.
pub(crate) fn short<R: Rt>(opts: &Opts) -> Sample {
    let quick = opts.quick;
    R::run(opts.workers, async move {
        let mut sample = Sample::default();
        for (name, duration, times) in SHORT {
            sample = sample.join(name, sleeps::<R>(duration, often(times, quick)).await);
        }
        sample.join("1s", sleeps::<R>(Duration::from_secs(1), if quick { 1 } else { 2 }).await)
    })
}

/// The same on a timerfd in epoll, without a runtime.
pub(crate) fn short_bare(opts: &Opts) -> Sample {
    let timer = BareTimer::new().expect("a timerfd");
    let mut sample = Sample::default();
    for (name, duration, times) in SHORT {
        sample = sample.join(name, waits(duration, often(times, opts.quick), |d| timer.wait(d)));
    }
    let times = if opts.quick { 1 } else { 2 };
    sample.join("1s", waits(Duration::from_secs(1), times, |d| timer.wait(d)))
}

/// One sleep of 10 s.
pub(crate) fn long<R: Rt>(opts: &Opts) -> Sample {
    R::run(opts.workers, sleeps::<R>(Duration::from_secs(10), 1))
}

/// One wait of 10 s on a timerfd.
pub(crate) fn long_bare(_opts: &Opts) -> Sample {
    let timer = BareTimer::new().expect("a timerfd");
    waits(Duration::from_secs(10), 1, |d| timer.wait(d))
}

async fn sleeps<R: Rt>(duration: Duration, times: usize) -> Sample {
    let lateness = Histogram::default();
    for _ in 0..times {
        let start = Instant::now();
        R::sleep(duration).await;
        lateness.record_lateness(start.elapsed(), duration);
    }
    lateness.summary()
}

fn waits(duration: Duration, times: usize, wait: impl Fn(Duration)) -> Sample {
    let lateness = Histogram::default();
    for _ in 0..times {
        let start = Instant::now();
        wait(duration);
        lateness.record_lateness(start.elapsed(), duration);
    }
    lateness.summary()
}

/// Waits of 100 µs, 1 ms and 10 ms by `how`: precision and the share of a core it takes.
fn precision(how: impl Fn(Duration)) -> Sample {
    let mut sample = Sample::default();
    for (name, duration, times) in [
        ("100us", Duration::from_micros(100), 2_000),
        ("1ms", Duration::from_millis(1), 300),
        ("10ms", Duration::from_millis(10), 40),
    ] {
        let (start, before) = (Instant::now(), Usage::now());
        let summary = waits(duration, times, &how);
        let share = Usage::now().since(before).cpu.as_secs_f64() / start.elapsed().as_secs_f64();
        sample = sample.join(name, summary.with("cpu", share * 100.0));
    }
    sample
}

/// Waits by looking at the clock again and again.
pub(crate) fn busy_loop(_opts: &Opts) -> Sample {
    precision(|duration| {
        let start = Instant::now();
        while start.elapsed() < duration {
            std::hint::spin_loop();
        }
    })
}

/// Waits by epoll's own timeout, which counts whole milliseconds.
pub(crate) fn epoll_timeout(_opts: &Opts) -> Sample {
    let epoll = Epoll::new().expect("an epoll instance");
    precision(|duration| {
        let start = Instant::now();
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; 1];
        while let Some(left) = duration.checked_sub(start.elapsed()).filter(|left| !left.is_zero()) {
            let ms = left.as_nanos().div_ceil(1_000_000) as i32;
            let _ready = epoll.wait(&mut events, ms).count();
        }
    })
}

/// Waits by a timerfd in epoll.
pub(crate) fn timerfd(_opts: &Opts) -> Sample {
    let timer = BareTimer::new().expect("a timerfd");
    precision(|duration| timer.wait(duration))
}
