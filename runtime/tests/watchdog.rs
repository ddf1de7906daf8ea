//! The watchdog: it names the task that blocks its worker while it blocks, once.

use std::collections::HashMap;
use std::fmt;
use std::sync::mpsc::channel;
use std::sync::{Mutex, Once};
use std::thread;
use std::time::{Duration, Instant};

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Metadata, Subscriber, span};
use wheelhouse::runtime::{Builder, Runtime};

const PATIENCE: Duration = Duration::from_secs(20);
const THRESHOLD: Duration = Duration::from_millis(40);

/// A report's fields, as text.
type Report = HashMap<String, String>;

static REPORTS: Mutex<Vec<Report>> = Mutex::new(Vec::new());

/// Keeps the watchdog's events.
struct Listener;

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() == Level::WARN && metadata.target() == "wheelhouse::watchdog"
    }

    fn event(&self, event: &Event<'_>) {
        struct Fields(Report);
        impl Visit for Fields {
            fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
                self.0.insert(field.name().to_owned(), format!("{value:?}"));
            }

            fn record_str(&mut self, field: &Field, value: &str) {
                self.0.insert(field.name().to_owned(), value.to_owned());
            }
        }
        let mut fields = Fields(Report::new());
        event.record(&mut fields);
        REPORTS.lock().unwrap().push(fields.0);
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| tracing::subscriber::set_global_default(Listener).unwrap());
}

fn reports(task: &str) -> Vec<Report> {
    REPORTS
        .lock()
        .unwrap()
        .iter()
        .filter(|report| report.get("task.name").is_some_and(|name| name == task))
        .cloned()
        .collect()
}

/// The first report about the task; it must come.
fn report(task: &str) -> Report {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(report) = reports(task).pop() {
            return report;
        }
        assert!(Instant::now() < end, "`{task}` was not reported in {PATIENCE:?}");
        thread::sleep(Duration::from_millis(1));
    }
}

fn builder(workers: usize) -> Builder {
    listen();
    Builder::new_multi_thread().worker_threads(workers).watchdog(THRESHOLD)
}

/// Spawns a task of that name which blocks its worker until the returned sender is dropped.
#[track_caller]
fn block(runtime: &Runtime, name: &str) -> (wheelhouse::task::JoinHandle<u64>, std::sync::mpsc::Sender<()>) {
    let (release, released) = channel::<()>();
    let (started, is_started) = channel();
    let task = wheelhouse::task::Builder::new()
        .name(name)
        .spawn_on(
            async move {
                started.send(()).unwrap();
                released.recv().unwrap_err();
                os_thread()
            },
            runtime.handle(),
        )
        .unwrap();
    is_started.recv_timeout(PATIENCE).unwrap();
    (task, release)
}

fn os_thread() -> u64 {
    let link = std::fs::read_link("/proc/thread-self").unwrap();
    link.file_name().unwrap().to_str().unwrap().parse().unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn blocker_is_named_while_it_blocks() {
    let runtime = builder(2).build().unwrap();
    let (task, release) = block(&runtime, "culprit");
    let line = line!() - 1;
    let report = report("culprit");
    let metrics = runtime.handle().metrics();
    assert_eq!(metrics.watchdog_report_count(), 1);
    assert_eq!(report["task.id"], task.id().to_string());
    assert_eq!(report["spawn.location"], format!("{}:{line}:27", file!()));
    assert!(report["elapsed_ms"].parse::<u128>().unwrap() >= THRESHOLD.as_millis());
    let worker: usize = report["worker"].parse().unwrap();
    assert_eq!(metrics.worker_os_thread_id(worker).map(|id| id.to_string()), Some(report["thread.id"].clone()));
    drop(release);
    assert_eq!(runtime.block_on(task).unwrap().to_string(), report["thread.id"]);
}

#[test]
fn blocker_is_reported_once_however_long_it_blocks() {
    let runtime = builder(2).build().unwrap();
    let (task, release) = block(&runtime, "for long");
    report("for long");
    thread::sleep(THRESHOLD * 5);
    drop(release);
    runtime.block_on(task).unwrap();
    thread::sleep(THRESHOLD * 2);
    assert_eq!(reports("for long").len(), 1);
    assert_eq!(runtime.handle().metrics().watchdog_report_count(), 1);
}

#[test]
fn task_that_blocks_again_is_reported_again() {
    let runtime = builder(1).build().unwrap();
    let task = wheelhouse::task::Builder::new()
        .name("twice")
        .spawn_on(
            async {
                for _ in 0..2 {
                    thread::sleep(THRESHOLD * 4);
                    wheelhouse::task::yield_now().await;
                }
            },
            runtime.handle(),
        )
        .unwrap();
    runtime.block_on(task).unwrap();
    assert_eq!(reports("twice").len(), 2);
}

#[test]
fn every_blocker_is_named_when_all_workers_are_blocked() {
    let runtime = builder(2).build().unwrap();
    let blocked = [block(&runtime, "one of all"), block(&runtime, "other of all")];
    let workers = ["one of all", "other of all"].map(|name| report(name)["worker"].clone());
    assert_ne!(workers[0], workers[1]);
    assert_eq!(runtime.handle().metrics().watchdog_report_count(), 2);
    for (task, release) in blocked {
        drop(release);
        runtime.block_on(task).unwrap();
    }
}

#[test]
fn blocker_of_the_current_thread_flavour_is_named() {
    listen();
    let runtime = Builder::new_current_thread().watchdog(THRESHOLD).build().unwrap();
    let task = wheelhouse::task::Builder::new()
        .name("alone")
        .spawn_on(async { report("alone")["worker"].clone() }, runtime.handle())
        .unwrap();
    assert_eq!(runtime.block_on(task).unwrap(), "0");
}

#[test]
fn future_of_block_on_is_named() {
    listen();
    let runtime = Builder::new_current_thread().watchdog(THRESHOLD).build().unwrap();
    runtime.block_on(async { report("block_on") });
}

#[test]
fn blocker_is_named_after_a_long_rest() {
    let runtime = builder(2).build().unwrap();
    // Long enough for the watchdog to fall asleep.
    thread::sleep(THRESHOLD * 4);
    let (task, release) = block(&runtime, "after a rest");
    report("after a rest");
    drop(release);
    runtime.block_on(task).unwrap();
}

#[test]
fn blocker_woken_by_a_timer_is_named() {
    let runtime = builder(2).build().unwrap();
    let task = wheelhouse::task::Builder::new()
        .name("by timer")
        .spawn_on(
            async {
                wheelhouse::time::sleep(THRESHOLD * 4).await;
                report("by timer");
            },
            runtime.handle(),
        )
        .unwrap();
    runtime.block_on(task).unwrap();
}

#[test]
fn polls_within_the_threshold_are_not_reported() {
    let runtime = builder(2).watchdog(Duration::from_secs(60)).build().unwrap();
    let (task, release) = block(&runtime, "short enough");
    thread::sleep(THRESHOLD);
    drop(release);
    runtime.block_on(task).unwrap();
    assert_eq!(reports("short enough").len(), 0);
    assert_eq!(runtime.handle().metrics().watchdog_report_count(), 0);
}

#[test]
fn watchdog_that_is_off_reports_nothing() {
    let runtime = builder(1).watchdog(Duration::MAX).build().unwrap();
    let (task, release) = block(&runtime, "unwatched");
    thread::sleep(THRESHOLD * 4);
    drop(release);
    runtime.block_on(task).unwrap();
    assert_eq!(reports("unwatched").len(), 0);
}

#[test]
#[cfg(target_os = "linux")]
fn watchdog_of_an_idle_runtime_sleeps() {
    use std::path::{Path, PathBuf};

    // Those of other tests are among them, and sleep too once their runtimes are idle.
    let watchdogs = || -> Vec<PathBuf> {
        let tasks = std::fs::read_dir("/proc/self/task").unwrap().map(|entry| entry.unwrap().path());
        let is_watchdog = |name: String| name.trim() == "wheelhouse-wdog";
        tasks.filter(|path| std::fs::read_to_string(path.join("comm")).is_ok_and(is_watchdog)).collect()
    };
    let switches = |path: &Path| -> Option<u64> {
        let status = std::fs::read_to_string(path.join("status")).ok()?;
        status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:")?.trim().parse().ok())
    };
    let runtime = builder(2).watchdog(Duration::from_millis(4)).build().unwrap();
    runtime.block_on(runtime.spawn(async {})).unwrap();
    let end = Instant::now() + PATIENCE;
    loop {
        let before: Vec<_> = watchdogs().into_iter().map(|path| (switches(&path), path)).collect();
        // Awake, it would look a hundred times.
        thread::sleep(Duration::from_millis(100));
        if before.iter().any(|(before, path)| before.is_some() && *before == switches(path)) {
            break;
        }
        assert!(Instant::now() < end, "no watchdog fell asleep: {before:?}");
    }
    drop(runtime);
}
