//! A lost interruption of the driver is made good: by the watch while a worker is awake, else by the next one.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::builder::Builder;

/// Loses the next `count` interruptions.
fn losing() -> (Arc<AtomicUsize>, impl Fn() -> bool + Send + Sync + 'static) {
    let to_lose = Arc::new(AtomicUsize::new(0));
    let counter = to_lose.clone();
    let fault = move || counter.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok();
    (to_lose, fault)
}

#[test]
fn with_a_worker_awake_a_lost_interruption_is_made_good_within_a_watch_period() {
    let (to_lose, fault) = losing();
    let runtime = Builder::new_multi_thread().worker_threads(2).with_lost_interruptions(fault).build().unwrap();
    let mut delays = Vec::new();
    for _ in 0..9 {
        let (started, is_started) = mpsc::channel();
        let busy = runtime.spawn(async move {
            started.send(()).unwrap();
            std::thread::sleep(Duration::from_millis(100));
        });
        is_started.recv().unwrap();
        std::thread::sleep(Duration::from_millis(10));
        to_lose.store(1, Ordering::SeqCst);
        let (sent, received) = mpsc::channel();
        let start = Instant::now();
        drop(runtime.spawn(async move { sent.send(start.elapsed()).unwrap() }));
        delays.push(received.recv_timeout(Duration::from_secs(30)).unwrap());
        to_lose.store(0, Ordering::SeqCst);
        runtime.block_on(busy).unwrap();
    }
    delays.sort_unstable();
    // 10 ms on a machine that is not busy elsewhere.
    assert!(delays[4] < Duration::from_millis(40), "{delays:?}");
}

#[test]
fn with_all_asleep_a_lost_interruption_is_made_good_by_the_next() {
    // A worker that is woken in the seat is interrupted twice: as the one woken, and as the one who keeps watch.
    for (builder, interruptions) in
        [(Builder::new_multi_thread().worker_threads(1), 2), (Builder::new_current_thread(), 1)]
    {
        let (to_lose, fault) = losing();
        let runtime = Arc::new(builder.with_lost_interruptions(fault).build().unwrap());
        let (end, ended) = async_channel::bounded::<()>(1);
        let host = runtime.clone();
        let host = std::thread::spawn(move || host.block_on(async move { ended.recv().await }));
        std::thread::sleep(Duration::from_millis(50));
        let (sent, received) = mpsc::channel();
        to_lose.store(interruptions, Ordering::SeqCst);
        let first = sent.clone();
        drop(runtime.spawn(async move { first.send(1).unwrap() }));
        assert!(received.recv_timeout(Duration::from_millis(100)).is_err(), "the interruption was not lost");
        drop(runtime.spawn(async move { sent.send(2).unwrap() }));
        let mut both: Vec<i32> = (0..2).map(|_| received.recv_timeout(Duration::from_secs(30)).unwrap()).collect();
        both.sort_unstable();
        assert_eq!(both, [1, 2]);
        end.try_send(()).unwrap();
        host.join().unwrap().unwrap();
    }
}
