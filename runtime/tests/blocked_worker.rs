//! A blocked worker stops nobody, in real time. What it stops is late by all that is left of the block, so half of a block
//! is a bound that tells the two apart; how late the others are is measured by the benches.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures::{AsyncReadExt, AsyncWriteExt};
use wheelhouse::net::{TcpListener, TcpStream};
use wheelhouse::runtime::{Builder, Runtime};
use wheelhouse::time::{Instant as Moment, sleep, sleep_until};

/// How long a worker is blocked, unless said otherwise.
const BLOCK: Duration = Duration::from_millis(200);

/// One scene at a time: they measure.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn assert_in_time(what: &str, worst: Duration, block: Duration) {
    println!("{what}: {worst:?}");
    assert!(worst < block / 2, "{what}: late by {worst:?} beside a block of {block:?}");
}

fn runtime(workers: usize) -> Runtime {
    Builder::new_multi_thread().worker_threads(workers).build().unwrap()
}

/// How a task keeps its worker.
#[derive(Debug, Clone, Copy)]
enum Block {
    Sleep,
    Spin,
    Lock,
}

fn block(how: Block, time: Duration) {
    match how {
        Block::Sleep => std::thread::sleep(time),
        Block::Spin => {
            let start = Instant::now();
            while start.elapsed() < time {
                std::hint::spin_loop();
            }
        }
        Block::Lock => {
            let lock = Mutex::new(());
            let (locked, is_locked) = mpsc::channel();
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    let _guard = lock.lock().unwrap();
                    locked.send(()).unwrap();
                    std::thread::sleep(time);
                });
                is_locked.recv().unwrap();
                drop(lock.lock().unwrap());
            });
        }
    }
}

/// Woken by a timer, it is the driver itself that comes to block, and leaves its seat for that.
async fn block_soon(how: Block, time: Duration) {
    sleep(Duration::from_millis(20)).await;
    block(how, time);
}

/// Blocks all workers but one, `times` times, while tasks elsewhere sleep 10 ms at a time: the worst lateness of these.
fn worst_lateness(workers: usize, how: Block, time: Duration, times: u32) -> Duration {
    let runtime = runtime(workers);
    let done = Arc::new(AtomicBool::new(false));
    let sleepers: Vec<_> = (0..8)
        .map(|_| {
            let done = done.clone();
            runtime.spawn(async move {
                let mut worst = Duration::ZERO;
                while !done.load(Ordering::Relaxed) {
                    let due = Moment::now() + Duration::from_millis(10);
                    sleep_until(due).await;
                    worst = worst.max(Moment::now() - due);
                }
                worst
            })
        })
        .collect();
    runtime.block_on(async {
        sleep(Duration::from_millis(50)).await;
        for _ in 0..times {
            let blockers: Vec<_> = (1..workers).map(|_| wheelhouse::spawn(block_soon(how, time))).collect();
            for blocker in blockers {
                blocker.await.unwrap();
            }
            sleep(Duration::from_millis(30)).await;
        }
        done.store(true, Ordering::Relaxed);
        let mut worst = Duration::ZERO;
        for sleeper in sleepers {
            worst = worst.max(sleeper.await.unwrap());
        }
        worst
    })
}

fn assert_timers_go_on(workers: usize, how: Block) {
    let _alone = alone();
    assert_in_time(&format!("timers, {workers} workers, {how:?}"), worst_lateness(workers, how, BLOCK, 2), BLOCK);
}

#[test]
fn timers_go_on_beside_a_sleeping_worker_of_two() {
    assert_timers_go_on(2, Block::Sleep);
}

#[test]
fn timers_go_on_beside_a_spinning_worker_of_two() {
    assert_timers_go_on(2, Block::Spin);
}

#[test]
fn timers_go_on_beside_a_worker_of_two_that_waits_for_a_mutex() {
    assert_timers_go_on(2, Block::Lock);
}

#[test]
fn timers_go_on_beside_three_blocked_workers_of_four() {
    assert_timers_go_on(4, Block::Sleep);
    assert_timers_go_on(4, Block::Lock);
}

#[test]
fn timers_go_on_beside_workers_blocked_for_a_second() {
    let _alone = alone();
    let block = Duration::from_secs(1);
    assert_in_time("timers, three of four blocked for 1 s", worst_lateness(4, Block::Sleep, block, 1), block);
}

#[test]
fn a_short_sleep_ends_on_time_beside_a_blocked_worker() {
    let _alone = alone();
    let runtime = runtime(2);
    let start = Instant::now();
    let blocker = runtime.spawn(async { std::thread::sleep(Duration::from_secs(5)) });
    let sleeper = runtime.spawn(async { sleep(Duration::from_secs(2)).await });
    runtime.block_on(sleeper).unwrap();
    let took = start.elapsed();
    assert!(took >= Duration::from_secs(2) && took < Duration::from_secs(3), "{took:?}");
    drop(blocker);
    runtime.shutdown_background();
}

/// A task wakes another, which goes to its worker's LIFO slot, and then blocks.
fn lifo_delay(workers: usize) -> Duration {
    let runtime = runtime(workers);
    runtime.block_on(async {
        sleep(Duration::from_millis(20)).await;
        let (sent, is_sent) = async_channel::bounded::<Instant>(1);
        let receiver = wheelhouse::spawn(async move { is_sent.recv().await.unwrap().elapsed() });
        sleep(Duration::from_millis(20)).await;
        let blocker = wheelhouse::spawn(async move {
            sent.send(Instant::now()).await.unwrap();
            std::thread::sleep(BLOCK);
        });
        let delay = receiver.await.unwrap();
        blocker.await.unwrap();
        delay
    })
}

#[test]
fn a_task_in_the_lifo_slot_of_a_blocked_worker_is_rescued() {
    let _alone = alone();
    for workers in [2, 4] {
        assert_in_time(&format!("LIFO slot, {workers} workers"), lifo_delay(workers), BLOCK);
    }
}

fn queue_delay() -> Duration {
    let runtime = runtime(2);
    runtime.block_on(async {
        sleep(Duration::from_millis(20)).await;
        let (report, reports) = async_channel::unbounded::<Duration>();
        let blocker = wheelhouse::spawn(async move {
            let start = Instant::now();
            for _ in 0..20 {
                let report = report.clone();
                wheelhouse::spawn(async move { report.try_send(start.elapsed()).unwrap() });
            }
            drop(report);
            std::thread::sleep(BLOCK);
        });
        let mut worst = Duration::ZERO;
        while let Ok(delay) = reports.recv().await {
            worst = worst.max(delay);
        }
        blocker.await.unwrap();
        worst
    })
}

#[test]
fn tasks_in_the_queue_of_a_blocked_worker_are_stolen() {
    let _alone = alone();
    assert_in_time("local queue", queue_delay(), BLOCK);
}

fn worst_echo() -> Duration {
    let runtime = runtime(2);
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        wheelhouse::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut buffer = [0; 64];
            while let Ok(n) = stream.read(&mut buffer).await {
                if n == 0 || stream.write_all(&buffer[..n]).await.is_err() {
                    return;
                }
            }
        });
        let client = wheelhouse::spawn(async move {
            let mut stream = TcpStream::connect(address).await.unwrap();
            let mut worst = Duration::ZERO;
            let end = Instant::now() + Duration::from_millis(900);
            while Instant::now() < end {
                let start = Instant::now();
                stream.write_all(b"ping").await.unwrap();
                let mut buffer = [0; 4];
                stream.read_exact(&mut buffer).await.unwrap();
                worst = worst.max(start.elapsed());
            }
            worst
        });
        for _ in 0..3 {
            sleep(Duration::from_millis(50)).await;
            wheelhouse::spawn(block_soon(Block::Sleep, BLOCK)).await.unwrap();
        }
        client.await.unwrap()
    })
}

#[test]
fn sockets_go_on_beside_a_blocked_worker() {
    let _alone = alone();
    assert_in_time("echo", worst_echo(), BLOCK);
}
