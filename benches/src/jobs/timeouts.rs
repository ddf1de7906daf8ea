//! Jobs of timers that never fire: arming, cancelling, extending.

use std::future::{Future, poll_fn, ready};
use std::hint::black_box;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures::task::noop_waker_ref;

use crate::gate::Gate;
use crate::jobs::Opts;
use crate::jobs::tasks::{per_op, repeat};
use crate::rt::Rt;
use crate::sample::{Sample, median};

/// 256 tasks, each 4,000 timeouts of 5 to 55 s over a `yield_now`: armed, then cancelled.
pub(crate) fn armed<R: Rt>(opts: &Opts) -> Sample {
    const TASKS: usize = 256;
    const TIMEOUTS: usize = 4_000;
    repeat::<R, _, _>(opts, TASKS * TIMEOUTS, || async {
        let gate = Gate::new(TASKS);
        for seed in 0..TASKS {
            R::detach(async move {
                let mut rng = fastrand::Rng::with_seed(seed as u64);
                for _ in 0..TIMEOUTS {
                    let duration = Duration::from_micros(rng.u64(5_000_000..55_000_000));
                    R::timeout(duration, R::yield_now()).await;
                }
                gate.pass();
            });
        }
        gate.open().await;
    })
}

/// A timeout over a future that never pends.
pub(crate) fn ready_inner<R: Rt>(opts: &Opts) -> Sample {
    const TIMEOUTS: usize = 1_000_000;
    repeat::<R, _, _>(opts, TIMEOUTS, || async {
        for i in 0..TIMEOUTS {
            black_box(R::timeout(Duration::from_secs(5), ready(i)).await);
        }
    })
}

/// One armed sleep, moved to a later instant 10 million times; then 256 tasks with a sleep each.
pub(crate) fn reset_later<R: Rt>(opts: &Opts) -> Sample {
    const INSTANTS: usize = 500_000;
    const TASKS: usize = 256;
    const RESETS: usize = 40_000;
    let passes = if opts.quick { 4 } else { 20 };
    let (one, many) = R::run(opts.workers, async move {
        let base = Instant::now() + Duration::from_secs(3600);
        let later: Vec<_> = (0..INSTANTS).map(|i| R::instant(base + Duration::from_micros(i as u64))).collect();
        let later: &'static [R::Instant] = later.leak();
        let mut took = Duration::ZERO;
        for _ in 0..passes {
            let mut sleep = pin!(R::sleep_until(later[0]));
            poll_once(sleep.as_mut()).await;
            let start = Instant::now();
            for at in later {
                R::reset(sleep.as_mut(), *at);
            }
            took += start.elapsed();
        }
        let one = per_op(took, passes * INSTANTS);

        let gate = Gate::new(TASKS);
        let start = Instant::now();
        for _ in 0..TASKS {
            R::detach(async move {
                let mut sleep = pin!(R::sleep_until(later[0]));
                poll_once(sleep.as_mut()).await;
                for at in &later[..RESETS] {
                    R::reset(sleep.as_mut(), *at);
                }
                gate.pass();
            });
        }
        gate.open().await;
        (one, per_op(start.elapsed(), TASKS * RESETS))
    });
    Sample::of("one", one).with("many", many)
}

/// Arms and cancels a timer while 1,000 to 10 million others are armed.
pub(crate) fn growth<R: Rt>(opts: &Opts) -> Sample {
    let top = match (R::NAME, opts.quick) {
        (_, true) | ("smol", _) => 1_000_000,
        _ => 10_000_000,
    };
    R::run(opts.workers, async move {
        let mut sample = Sample::default();
        let mut armed: Vec<Box<[R::Sleep]>> = Vec::new();
        let mut count = 0;
        for n in [1_000, 10_000, 100_000, 1_000_000, 10_000_000] {
            if n > top {
                break;
            }
            armed.push(arm::<R>(n - count));
            count = n;
            sample = sample.with(format!("n{n}"), arm_and_cancel::<R>());
        }
        drop(armed);
        sample
    })
}

/// `n` sleeps that are due in one to two hours, each polled once.
fn arm<R: Rt>(n: usize) -> Box<[R::Sleep]> {
    let mut rng = fastrand::Rng::with_seed(7);
    let sleep = |_| R::sleep(Duration::from_micros(rng.u64(3_600_000_000..7_200_000_000)));
    let mut sleeps: Box<[R::Sleep]> = (0..n).map(sleep).collect();
    let mut cx = Context::from_waker(noop_waker_ref());
    for sleep in &mut sleeps {
        // SAFETY: the boxed slice is moved by its pointer only and never handed out unpinned until it is dropped.
        let sleep = unsafe { Pin::new_unchecked(sleep) };
        assert!(sleep.poll(&mut cx).is_pending());
    }
    sleeps
}

fn arm_and_cancel<R: Rt>() -> f64 {
    const OPS: usize = 100_000;
    let mut rng = fastrand::Rng::with_seed(11);
    let mut cx = Context::from_waker(noop_waker_ref());
    let mut took = Vec::new();
    for _ in 0..7 {
        let start = Instant::now();
        for _ in 0..OPS {
            let sleep = pin!(R::sleep(Duration::from_micros(rng.u64(5_000_000..55_000_000))));
            assert!(sleep.poll(&mut cx).is_pending());
        }
        took.push(per_op(start.elapsed(), OPS));
    }
    median(&mut took)
}

async fn poll_once<F: Future<Output = ()>>(mut future: Pin<&mut F>) {
    poll_fn(|cx| {
        assert!(future.as_mut().poll(cx).is_pending());
        Poll::Ready(())
    })
    .await;
}
