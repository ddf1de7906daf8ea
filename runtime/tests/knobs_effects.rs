//! What the knobs of fairness and of waiting do, told by counts rather than by the clock.

use std::future::Future;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use futures::AsyncReadExt;
use wheelhouse::net::{TcpListener, TcpStream};
use wheelhouse::runtime::{Builder, Handle};
use wheelhouse::task::yield_now;
use wheelhouse::time::sleep;

/// One thread polls tasks.
fn builders() -> [(&'static str, Builder); 2] {
    [("current thread", Builder::new_current_thread()), ("one worker", Builder::new_multi_thread().worker_threads(1))]
}

/// Keeps the one thread that polls tasks busy with one task for `polls` polls, and runs `happens` in the first of them.
/// What it returns counts how many of these polls there were before `served` was.
async fn polls_until<F>(polls: usize, happens: impl FnOnce(Arc<AtomicUsize>) -> F + Send + 'static) -> usize
where
    F: Future<Output = usize> + Send + 'static,
{
    let count = Arc::new(AtomicUsize::new(0));
    let seen = count.clone();
    let busy = wheelhouse::spawn(async move {
        let served = happens(seen.clone());
        for _ in 0..polls {
            yield_now().await;
            seen.fetch_add(1, Ordering::SeqCst);
        }
        served.await
    });
    busy.await.unwrap()
}

/// A thread of its own spawns a task while the runtime is busy. How many polls pass before it has its turn?
async fn polls_until_a_remote_task(polls: usize) -> usize {
    polls_until(polls, |count| {
        let handle = Handle::current();
        let remote = move || handle.spawn(async move { count.load(Ordering::SeqCst) });
        let task = std::thread::spawn(remote).join().unwrap();
        async { task.await.unwrap() }
    })
    .await
}

#[test]
fn global_queue_interval_says_how_long_a_remote_task_waits_behind_local_ones() {
    for (flavour, builder) in builders() {
        let served = |interval| {
            let runtime = builder.clone().global_queue_interval(interval).build().unwrap();
            runtime.block_on(polls_until_a_remote_task(4_000))
        };
        for interval in [1, 5, 61] {
            let polls = served(interval);
            assert!(polls <= interval as usize, "{flavour}: {polls} polls for an interval of {interval}");
        }
        let polls = served(1_000);
        assert!((100..=1_000).contains(&polls), "{flavour}: {polls} polls for an interval of 1000");
        assert_eq!(served(u32::MAX), 4_000, "{flavour}: it waits for the local queue to be empty");
    }
}

/// A timer is due while the runtime is busy. How many polls pass before it fires?
async fn polls_until_a_due_timer(polls: usize) -> usize {
    let (armed, is_armed) = channel();
    let (count, is_counted) = channel::<Arc<AtomicUsize>>();
    let timer = wheelhouse::spawn(async move {
        let nap = sleep(Duration::from_millis(1));
        armed.send(()).unwrap();
        nap.await;
        is_counted.recv().unwrap().load(Ordering::SeqCst)
    });
    polls_until(polls, move |seen| {
        is_armed.recv().unwrap();
        std::thread::sleep(Duration::from_millis(3));
        count.send(seen).unwrap();
        async { timer.await.unwrap() }
    })
    .await
}

#[test]
fn event_interval_says_how_long_a_due_timer_waits_behind_tasks() {
    for (flavour, builder) in builders() {
        let fired = |interval| {
            let runtime = builder.clone().event_interval(interval).build().unwrap();
            runtime.block_on(polls_until_a_due_timer(4_000))
        };
        for interval in [1, 10, 61] {
            let polls = fired(interval);
            assert!(polls <= interval as usize + 1, "{flavour}: {polls} polls for an interval of {interval}");
        }
        let polls = fired(1_000);
        assert!((100..=1_001).contains(&polls), "{flavour}: {polls} polls for an interval of 1000");
        assert_eq!(fired(u32::MAX), 4_000, "{flavour}: it waits until there is nothing else to do");
    }
}

/// `count` sockets become ready in one poll. How many turns does the driver need to tell their readers?
async fn turns_for_ready_sockets(count: usize) -> u64 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (mut writers, mut readers) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let (near, far) = futures::join!(TcpStream::connect(address), listener.accept());
        writers.push(near.unwrap().into_std().unwrap());
        let mut reader = far.unwrap().0;
        readers.push(wheelhouse::spawn(async move { reader.read_exact(&mut [0]).await }));
    }
    // Each reader waits by now, and the events of its connection are taken.
    sleep(Duration::from_millis(20)).await;
    let turns = || Handle::current().metrics().driver_turn_count();
    let before = turns();
    for writer in &mut writers {
        writer.write_all(b"x").unwrap();
    }
    for reader in readers {
        reader.await.unwrap().unwrap();
    }
    turns() - before
}

#[test]
fn max_io_events_per_tick_says_how_many_sockets_a_turn_takes() {
    const SOCKETS: usize = 40;
    let turns = |events| {
        let runtime = Builder::new_current_thread().max_io_events_per_tick(events).build().unwrap();
        runtime.block_on(turns_for_ready_sockets(SOCKETS))
    };
    let (one, eight, all) = (turns(1), turns(8), turns(1_024));
    assert!(one >= 40, "{one} turns of one event");
    assert!((5..30).contains(&eight), "{eight} turns of eight events");
    assert!(all < 5, "{all} turns for all of them");
}

/// The first of many timers fires; the others are due one after the other. How many turns does the driver make until it
/// is woken from outside?
fn turns_for_a_row_of_timers(slack: Duration) -> u64 {
    const TIMERS: u64 = 100;
    let runtime = Builder::new_current_thread().timer_slack(slack).build().unwrap();
    let (send, receive) = async_channel::bounded(1);
    runtime.block_on(async {
        for i in 1..=TIMERS {
            wheelhouse::spawn(sleep(Duration::from_millis(i)));
        }
        yield_now().await;
        let before = Handle::current().metrics().driver_turn_count();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(2 * TIMERS));
            send.send_blocking(()).unwrap();
        });
        receive.recv().await.unwrap();
        Handle::current().metrics().driver_turn_count() - before
    })
}

#[test]
fn timer_slack_says_how_soon_the_driver_wakes_for_the_next_timers() {
    let turns = turns_for_a_row_of_timers(Duration::MAX);
    assert!(turns <= 5, "{turns} turns, though none may begin");
    let turns = turns_for_a_row_of_timers(Duration::from_millis(40));
    assert!(turns <= 10, "{turns} turns within 200 ms, at least 40 ms apart");
}
