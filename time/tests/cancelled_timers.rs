//! Memory of timers that were cancelled long before their deadline; in a process of its own, so that no other test's
//! memory is counted.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Wake, Waker};
use std::time::Duration;

use wheelhouse_time::{Timers, sleep};

struct Nobody;

impl Wake for Nobody {
    fn wake(self: Arc<Self>) {}
}

/// Bytes of memory that this process holds, or 0 where that is not known.
fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").ok();
    let pages = pages.as_deref().and_then(|text| text.split(' ').nth(1)).and_then(|pages| pages.parse().ok());
    4096 * pages.unwrap_or(0)
}

#[test]
fn cancelled_timers_keep_no_memory() {
    let (timers, _driver) = Timers::builder().build().unwrap();
    let _entered = timers.enter();
    let nobody = Arc::new(Nobody);
    let waker = Waker::from(Arc::clone(&nobody));
    let lose = |count: u64| {
        for nth in 0..count {
            let loser = pin!(sleep(Duration::from_secs(3600 + nth % 100)));
            assert!(loser.poll(&mut Context::from_waker(&waker)).is_pending());
        }
    };
    lose(10_000);
    let before = resident();
    lose(1_000_000);
    assert!(resident() <= before + (1 << 19), "{before} grew to {}", resident());
    let metrics = timers.metrics();
    assert_eq!((metrics.armed, metrics.cancelled), (1_010_000, 1_010_000));
    assert_eq!(Arc::strong_count(&nobody), 2, "no waker is kept");
}
