//! Metrics: each figure grows with what it counts, none is a constant, and those of a stuck worker are current.

use std::collections::HashMap;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use wheelhouse::runtime::{Builder, Histogram, Runtime, RuntimeMetrics};
use wheelhouse::task::yield_now;
use wheelhouse::time::{sleep, timeout};

const PATIENCE: Duration = Duration::from_secs(20);

fn eventually(what: &str, condition: impl Fn() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < end, "{what}: not in {PATIENCE:?}");
        thread::sleep(Duration::from_millis(1));
    }
}

fn runtime(workers: usize) -> Runtime {
    Builder::new_multi_thread().worker_threads(workers).build().unwrap()
}

fn total(metrics: &RuntimeMetrics, figure: impl Fn(&RuntimeMetrics, usize) -> u64) -> u64 {
    (0..metrics.num_workers()).map(|worker| figure(metrics, worker)).sum()
}

#[test]
fn polls_are_counted_one_by_one() {
    for runtime in [runtime(2), Builder::new_current_thread().build().unwrap()] {
        let metrics = runtime.handle().metrics();
        let before = total(&metrics, RuntimeMetrics::worker_poll_count);
        let task = runtime.spawn(async {
            for _ in 0..99 {
                yield_now().await;
            }
        });
        runtime.block_on(task).unwrap();
        let polls = total(&metrics, RuntimeMetrics::worker_poll_count) - before;
        assert!((100..120).contains(&polls), "{polls}");
    }
}

#[test]
fn parks_and_unparks_grow_in_step() {
    let runtime = runtime(1);
    let metrics = runtime.handle().metrics();
    let task = runtime.spawn(async {
        for _ in 0..10 {
            sleep(Duration::from_millis(2)).await;
        }
    });
    runtime.block_on(task).unwrap();
    let (parks, unparks) = (metrics.worker_park_count(0), metrics.worker_unpark_count(0));
    assert!(parks >= 10, "{parks}");
    assert!(parks.abs_diff(unparks) <= 1, "{parks} parks, {unparks} unparks");
}

#[test]
fn alive_tasks_and_queue_depths_are_those_of_now() {
    let runtime = runtime(1);
    let metrics = runtime.handle().metrics();
    assert_eq!(metrics.num_alive_tasks(), 0);
    let (release, released) = channel::<()>();
    let (started, is_started) = channel();
    let blocker = runtime.spawn(async move {
        // These wait in the queue of the worker that this task blocks.
        let local: Vec<_> = (0..3).map(|_| wheelhouse::spawn(async {})).collect();
        started.send(()).unwrap();
        released.recv().unwrap_err();
        local
    });
    is_started.recv_timeout(PATIENCE).unwrap();
    let remote: Vec<_> = (0..5).map(|_| runtime.spawn(async {})).collect();
    assert_eq!(metrics.num_alive_tasks(), 9);
    assert_eq!(metrics.worker_local_queue_depth(0), 3);
    assert_eq!(metrics.global_queue_depth(), 5);
    drop(release);
    runtime.block_on(async {
        for task in blocker.await.unwrap().into_iter().chain(remote) {
            task.await.unwrap();
        }
    });
    eventually("all are gone", || metrics.num_alive_tasks() == 0);
    assert_eq!((metrics.worker_local_queue_depth(0), metrics.global_queue_depth()), (0, 0));
}

#[test]
fn figures_of_a_stuck_worker_are_current() {
    let runtime = runtime(1);
    let metrics = runtime.handle().metrics();
    let (release, released) = channel::<()>();
    let (started, is_started) = channel();
    let polls = metrics.worker_poll_count(0);
    let stuck = runtime.spawn(async move {
        started.send(()).unwrap();
        released.recv().unwrap_err();
    });
    is_started.recv_timeout(PATIENCE).unwrap();
    assert_eq!(metrics.worker_poll_count(0), polls + 1);
    let before = metrics.worker_total_busy_duration(0);
    thread::sleep(Duration::from_millis(30));
    assert!(metrics.worker_total_busy_duration(0) >= before + Duration::from_millis(30));
    assert!(metrics.worker_mean_poll_time(0) >= Duration::from_millis(10));
    drop(release);
    runtime.block_on(stuck).unwrap();
}

#[test]
fn busy_time_stands_still_while_the_runtime_is_idle() {
    let runtime = runtime(2);
    let metrics = runtime.handle().metrics();
    runtime.block_on(runtime.spawn(async { thread::sleep(Duration::from_millis(20)) })).unwrap();
    let busy = || (0..2).map(|worker| metrics.worker_total_busy_duration(worker)).collect::<Vec<_>>();
    assert!(busy().iter().sum::<Duration>() >= Duration::from_millis(20));
    eventually("the workers rest", || {
        let before = busy();
        thread::sleep(Duration::from_millis(20));
        before == busy()
    });
}

#[test]
fn steals_are_counted_with_their_operations() {
    let runtime = runtime(2);
    let metrics = runtime.handle().metrics();
    // One worker has a queue full of work, the other has none.
    let spawner = runtime.spawn(async {
        let tasks: Vec<_> = (0..200)
            .map(|_| {
                wheelhouse::spawn(async {
                    let start = Instant::now();
                    while start.elapsed() < Duration::from_micros(100) {}
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
    });
    runtime.block_on(spawner).unwrap();
    let steals = total(&metrics, RuntimeMetrics::worker_steal_count);
    let operations = total(&metrics, RuntimeMetrics::worker_steal_operations);
    assert!(operations > 0 && steals >= operations, "{steals} tasks in {operations} steals");
}

#[test]
fn timers_are_counted_by_what_became_of_them() {
    let runtime = runtime(1);
    let metrics = runtime.handle().metrics();
    let before = metrics.timers();
    runtime
        .block_on(runtime.spawn(async {
            sleep(Duration::from_millis(2)).await;
            assert!(timeout(Duration::from_secs(60), yield_now()).await.is_ok());
            let mut extended = std::pin::pin!(sleep(Duration::from_secs(60)));
            assert!(futures::poll!(extended.as_mut()).is_pending());
            let later = extended.deadline() + Duration::from_secs(60);
            extended.as_mut().reset(later);
        }))
        .unwrap();
    let after = metrics.timers();
    assert!(after.armed >= before.armed + 3, "{after:?}");
    assert!(after.fired > before.fired, "{after:?}");
    assert!(after.cancelled >= before.cancelled + 2, "{after:?}");
    assert!(after.extended > before.extended, "{after:?}");
    assert_eq!(after.lateness.count(), after.fired);
    assert!(metrics.driver_turn_count() > 0);
}

#[test]
fn driver_taken_over_from_a_blocked_worker_is_counted() {
    let runtime = runtime(2);
    let metrics = runtime.handle().metrics();
    let task = runtime.spawn(async {
        for _ in 0..5 {
            // It wakes in the driver's seat more often than not, and blocks right after.
            sleep(Duration::from_millis(2)).await;
            thread::sleep(Duration::from_millis(10));
        }
    });
    runtime.block_on(task).unwrap();
    assert!(metrics.driver_handoff_count() > 0);
}

#[test]
fn task_in_the_reach_of_a_blocked_worker_alone_is_rescued_and_counted() {
    let runtime = runtime(2);
    let metrics = runtime.handle().metrics();
    let task = runtime.spawn(async {
        // It waits in the slot for the next task of the worker that this task blocks.
        let rescued = wheelhouse::spawn(async {});
        let end = Instant::now() + PATIENCE;
        while !rescued.is_finished() && Instant::now() < end {
            thread::sleep(Duration::from_millis(1));
        }
        rescued.is_finished()
    });
    assert!(runtime.block_on(task).unwrap());
    assert!(metrics.rescue_count() > 0);
}

#[test]
fn sockets_events_are_counted() {
    let runtime = runtime(1);
    let metrics = runtime.handle().metrics();
    let task = runtime.spawn(async {
        let listener = wheelhouse::net::TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let client = thread::spawn(move || std::net::TcpStream::connect(address));
        listener.accept().await?;
        client.join().unwrap()
    });
    runtime.block_on(task).unwrap().unwrap();
    assert!(metrics.io_driver_ready_count() > 0);
}

#[test]
fn task_queued_globally_after_block_in_place_is_counted() {
    let runtime = runtime(1);
    let metrics = runtime.handle().metrics();
    let task = runtime.spawn(async {
        wheelhouse::spawn(async {}).await.unwrap();
        wheelhouse::task::block_in_place(|| {});
        // The worker's queue is on another thread.
        wheelhouse::spawn(async {}).await.unwrap();
    });
    runtime.block_on(async { task.await.unwrap() });
    assert_eq!(metrics.worker_overflow_count(0), 1);
}

#[test]
fn used_up_budget_is_counted() {
    for runtime in [runtime(1), Builder::new_current_thread().build().unwrap()] {
        let metrics = runtime.handle().metrics();
        assert_eq!(metrics.budget_forced_yield_count(), 0);
        let task = runtime.spawn(async {
            for _ in 0..1_000 {
                sleep(Duration::ZERO).await;
            }
        });
        runtime.block_on(task).unwrap();
        let yields = metrics.budget_forced_yield_count();
        assert!((5..=10).contains(&yields), "{yields}");
    }
}

#[test]
fn histograms_are_there_when_asked_for() {
    let plain = runtime(1);
    assert!(!plain.handle().metrics().poll_time_histogram_enabled());
    assert_eq!(plain.handle().metrics().worker_poll_time_histogram(0), None);
    assert_eq!(plain.handle().metrics().worker_schedule_latency_histogram(0), None);

    let runtime = Builder::new_multi_thread().worker_threads(1).metrics_poll_time_histogram(true).build().unwrap();
    let metrics = runtime.handle().metrics();
    assert!(metrics.poll_time_histogram_enabled());
    let first = runtime.spawn(async { thread::sleep(Duration::from_millis(10)) });
    let second = runtime.spawn(async {});
    runtime.block_on(async { (first.await.unwrap(), second.await.unwrap()) });
    let at_least = |histogram: &Histogram, least: Duration| -> u64 {
        let late = |upper: Option<Duration>| upper.is_none_or(|upper| upper > least);
        histogram.buckets().iter().filter(|bucket| late(bucket.upper)).map(|bucket| bucket.count).sum()
    };
    // The second task's poll is recorded after its join handle is woken.
    eventually("both polls are recorded", || metrics.worker_poll_time_histogram(0).unwrap().count() >= 2);
    let polls = metrics.worker_poll_time_histogram(0).unwrap();
    assert_eq!(at_least(&polls, Duration::from_millis(10)), 1, "{polls:?}");
    assert!(polls.sum() >= Duration::from_millis(10));
    assert_eq!(metrics.worker_mean_poll_time(0), polls.mean().unwrap());
    // The second one was queued while the first blocked the worker.
    let latencies = metrics.worker_schedule_latency_histogram(0).unwrap();
    assert!(latencies.count() >= 2);
    assert!(at_least(&latencies, Duration::from_millis(4)) >= 1, "{latencies:?}");
}

#[test]
#[should_panic(expected = "there is no worker 1: this runtime has 1")]
fn worker_that_is_not_there_is_the_callers_mistake() {
    let runtime = Builder::new_current_thread().build().unwrap();
    runtime.handle().metrics().worker_poll_count(1);
}

/// The samples of a page by name and labels, after a check of its form.
fn parse(page: &str) -> HashMap<String, f64> {
    let mut samples = HashMap::new();
    let mut families: HashMap<&str, &str> = HashMap::new();
    let mut described = "";
    for line in page.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            described = help.split_once(' ').unwrap().0;
        } else if let Some(kind) = line.strip_prefix("# TYPE ") {
            let (name, kind) = kind.split_once(' ').unwrap();
            assert_eq!(name, described, "HELP and TYPE stand together");
            assert_eq!(families.insert(name, kind), None, "{name} stands twice");
        } else {
            let (sample, value) = line.rsplit_once(' ').unwrap();
            let name = sample.split('{').next().unwrap();
            let kind = families[described];
            let suffixes: &[&str] = if kind == "histogram" { &["_bucket", "_sum", "_count"] } else { &[""] };
            assert!(suffixes.iter().any(|suffix| name == format!("{described}{suffix}")), "{line}");
            assert_eq!(name.ends_with("_total"), kind == "counter", "{line}");
            assert_eq!(samples.insert(sample.to_owned(), value.parse().unwrap()), None, "{sample} stands twice");
        }
    }
    samples
}

#[test]
fn prometheus_page_is_well_formed_and_says_the_same() {
    let runtime = Builder::new_multi_thread().worker_threads(2).metrics_poll_time_histogram(true).build().unwrap();
    let metrics = runtime.handle().metrics();
    // Long enough to be armed, however late the worker comes to its first poll.
    runtime.block_on(runtime.spawn(async { sleep(Duration::from_millis(200)).await })).unwrap();
    eventually("the workers rest", || {
        let before = metrics.to_prometheus();
        thread::sleep(Duration::from_millis(20));
        before == metrics.to_prometheus()
    });
    let samples = parse(&metrics.to_prometheus());
    assert_eq!(samples["wheelhouse_workers"], 2.0);
    assert_eq!(samples["wheelhouse_tasks_alive"], 0.0);
    for worker in 0..2 {
        let polls = metrics.worker_poll_count(worker) as f64;
        assert_eq!(samples[&format!("wheelhouse_worker_polls_total{{worker=\"{worker}\"}}")], polls);
        assert_eq!(samples[&format!("wheelhouse_worker_poll_duration_seconds_count{{worker=\"{worker}\"}}")], polls);
        let busy = metrics.worker_total_busy_duration(worker).as_secs_f64();
        assert_eq!(samples[&format!("wheelhouse_worker_busy_seconds_total{{worker=\"{worker}\"}}")], busy);
    }
    assert_eq!(samples["wheelhouse_timers_fired_total"], 1.0);
    assert_eq!(samples["wheelhouse_timer_lateness_seconds_bucket{le=\"+Inf\"}"], 1.0);
    assert_eq!(samples["wheelhouse_timer_lateness_seconds_count"], 1.0);
}

#[test]
fn labels_of_the_users_own_stand_on_each_sample() {
    let runtime = Builder::new_current_thread().build().unwrap();
    let page = runtime.handle().metrics().to_prometheus_labelled(&[("runtime", "a \"b\""), ("zone", "1")]);
    let samples = parse(&page);
    assert!(samples.keys().all(|sample| sample.contains("{runtime=\"a \\\"b\\\"\",zone=\"1\"")), "{page}");
    let metrics = runtime.handle().metrics();
    let outcome = std::panic::catch_unwind(|| metrics.to_prometheus_labelled(&[("le", "1")]));
    assert!(outcome.is_err());
}
