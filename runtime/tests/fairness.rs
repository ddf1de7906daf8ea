//! With every worker busy for ever, whatever else becomes ready has its turn.

use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use futures::{AsyncReadExt, AsyncWriteExt};
use wheelhouse::net::{TcpListener, TcpStream};
use wheelhouse::runtime::{Builder, Runtime};
use wheelhouse::time::{sleep, sleep_until};

/// Within how many polls of the busy tasks, on both workers together, whatever becomes ready is served: polls of 50 µs,
/// so 10 ms. Counted in polls because a pause of the machine adds none.
const BOUND: usize = 400;

fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A runtime all of whose workers are busy with tasks that wake themselves and poll for 50 µs.
struct Saturated {
    runtime: Runtime,
    stop: Arc<AtomicBool>,
    /// When each of their polls began.
    polls: Arc<Mutex<Vec<Instant>>>,
}

impl Saturated {
    fn new(runtime: Runtime, tasks: usize) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let polls = Arc::new(Mutex::new(Vec::new()));
        for _ in 0..tasks {
            let (stop, polls) = (stop.clone(), polls.clone());
            runtime.spawn(poll_fn(move |cx| {
                let start = Instant::now();
                polls.lock().unwrap().push(start);
                while start.elapsed() < Duration::from_micros(50) {
                    std::hint::spin_loop();
                }
                if stop.load(Ordering::Relaxed) {
                    return Poll::Ready(());
                }
                cx.waker().wake_by_ref();
                Poll::Pending
            }));
        }
        std::thread::sleep(Duration::from_millis(20));
        Self { runtime, stop, polls }
    }

    /// Measures several times from when something became ready until it was served, and returns the median, in polls that
    /// began meanwhile.
    fn polls_until_served(&self, mut one: impl FnMut(&Runtime) -> (Instant, Instant)) -> usize {
        let mut all: Vec<_> = (0..9)
            .map(|_| {
                let (ready, served) = one(&self.runtime);
                let mut polls = self.polls.lock().unwrap();
                let count = polls.iter().filter(|&&poll| ready < poll && poll < served).count();
                polls.clear();
                count
            })
            .collect();
        all.sort_unstable();
        println!("{all:?}");
        all[4]
    }
}

impl Drop for Saturated {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

fn two_workers() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).build().unwrap()
}

#[test]
fn a_remote_spawn_is_served_under_saturation() {
    let _alone = alone();
    let busy = Saturated::new(two_workers(), 4);
    let polls = busy.polls_until_served(|runtime| {
        let ready = Instant::now();
        (ready, futures::executor::block_on(runtime.spawn(async { Instant::now() })).unwrap())
    });
    assert!(polls < BOUND, "{polls}");
}

#[test]
fn a_timer_is_served_under_saturation() {
    let _alone = alone();
    let busy = Saturated::new(two_workers(), 4);
    let polls = busy.polls_until_served(|runtime| {
        let task = runtime.spawn(async {
            let due = Instant::now() + Duration::from_millis(5);
            sleep_until(due.into()).await;
            (due, Instant::now())
        });
        futures::executor::block_on(task).unwrap()
    });
    assert!(polls < BOUND, "{polls}");
}

#[test]
fn a_socket_is_served_under_saturation() {
    let _alone = alone();
    let busy = Saturated::new(two_workers(), 4);
    let polls = busy.polls_until_served(|runtime| {
        let task = runtime.spawn(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let receiver = wheelhouse::spawn(async move {
                let (mut stream, _) = listener.accept().await.unwrap();
                stream.read_exact(&mut [0]).await.unwrap();
                Instant::now()
            });
            let mut stream = TcpStream::connect(address).await.unwrap();
            sleep(Duration::from_millis(5)).await;
            let ready = Instant::now();
            stream.write_all(b"x").await.unwrap();
            (ready, receiver.await.unwrap())
        });
        futures::executor::block_on(task).unwrap()
    });
    assert!(polls < BOUND, "{polls}");
}

#[test]
fn a_pair_that_wakes_each_other_does_not_starve_the_queue() {
    let _alone = alone();
    let runtime = Builder::new_multi_thread().worker_threads(1).build().unwrap();
    let (to_b, at_b) = async_channel::bounded::<()>(1);
    let (to_a, at_a) = async_channel::bounded::<()>(1);
    let rounds = Arc::new(AtomicU64::new(0));
    let counted = rounds.clone();
    runtime.spawn(async move {
        while to_b.send(()).await.is_ok() && at_a.recv().await.is_ok() {
            counted.fetch_add(1, Ordering::Relaxed);
        }
    });
    runtime.spawn(async move { while at_b.recv().await.is_ok() && to_a.send(()).await.is_ok() {} });
    let third = runtime.spawn(async {
        for _ in 0..100 {
            wheelhouse::task::yield_now().await;
        }
    });
    let start = Instant::now();
    futures::executor::block_on(third).unwrap();
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    assert!(rounds.load(Ordering::Relaxed) > 0);
    // A timer beside them, on the one worker they share.
    let timer = runtime.spawn(sleep(Duration::from_millis(5)));
    futures::executor::block_on(timer).unwrap();
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}

#[test]
fn the_current_thread_flavour_serves_all_under_saturation() {
    let _alone = alone();
    let runtime = Builder::new_current_thread().build().unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let (start, stopped) = (Instant::now(), stop.clone());
    runtime.block_on(async move {
        wheelhouse::spawn(async move {
            while !stopped.load(Ordering::Relaxed) {
                wheelhouse::task::yield_now().await;
            }
        });
        sleep(Duration::from_millis(5)).await;
        let handle = wheelhouse::runtime::Handle::current();
        let remote = std::thread::spawn(move || handle.spawn(async { 1 })).join().unwrap();
        assert_eq!(remote.await.unwrap(), 1);
        stop.store(true, Ordering::Relaxed);
    });
    assert!(start.elapsed() < Duration::from_secs(1));
}
