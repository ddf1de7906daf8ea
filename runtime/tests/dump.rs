//! `Handle::dump`: what every task is doing, also when nothing moves any more.

use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use wheelhouse::runtime::{Builder, Dump, Runtime, TaskDump, TaskState};
use wheelhouse::task::{Id, JoinHandle};

const PATIENCE: Duration = Duration::from_secs(20);

fn eventually(what: &str, condition: impl Fn() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < end, "{what}: not in {PATIENCE:?}");
        thread::sleep(Duration::from_millis(1));
    }
}

fn find(dump: &Dump, id: Id) -> Option<&TaskDump> {
    dump.tasks().iter().find(|task| task.id() == id)
}

/// A task that blocks its worker until the sender is dropped.
fn block(runtime: &Runtime) -> (JoinHandle<()>, Sender<()>) {
    let (release, released) = channel::<()>();
    let (started, is_started) = channel();
    let task = runtime.spawn(async move {
        started.send(()).unwrap();
        released.recv().unwrap_err();
    });
    is_started.recv_timeout(PATIENCE).unwrap();
    (task, release)
}

#[test]
fn stuck_runtime_is_dumped() {
    let runtime = Builder::new_multi_thread().worker_threads(2).watchdog(Duration::from_millis(20)).build().unwrap();
    let builder = wheelhouse::task::Builder::new().name("patient");
    let waiting = builder.spawn_on(std::future::pending::<()>(), runtime.handle()).unwrap();
    let line = line!() - 1;
    eventually("it waits", || {
        find(&runtime.handle().dump(), waiting.id()).is_some_and(|task| task.state() == TaskState::Waiting)
    });
    let blockers = [block(&runtime), block(&runtime)];
    let queued = runtime.spawn(async {});
    eventually("the watchdog has seen both", || {
        let dump = runtime.handle().dump();
        blockers.iter().all(|(task, _)| {
            let state = find(&dump, task.id()).unwrap().state();
            matches!(state, TaskState::Running { worker: Some(_), since: Some(_), .. })
        })
    });

    let dump = runtime.handle().dump();
    assert_eq!(dump.tasks().len(), 4);
    let patient = find(&dump, waiting.id()).unwrap();
    assert_eq!((patient.name(), patient.state(), patient.polls()), (Some("patient"), TaskState::Waiting, 1));
    assert_eq!((patient.spawn_location().file(), patient.spawn_location().line()), (file!(), line));
    let late = find(&dump, queued.id()).unwrap();
    assert_eq!((late.name(), late.state(), late.polls()), (None, TaskState::Queued, 0));
    let workers: Vec<_> = blockers
        .iter()
        .map(|(task, _)| match find(&dump, task.id()).unwrap().state() {
            TaskState::Running { worker, .. } => worker,
            state => panic!("{state:?}"),
        })
        .collect();
    assert_ne!(workers[0], workers[1]);

    let table = dump.to_string();
    let row = |id: Id| table.lines().find(|row| row.starts_with(&format!("{id} "))).unwrap();
    assert!(table.lines().next().unwrap().starts_with("id "), "{table}");
    assert!(row(waiting.id()).contains("task  patient") && row(waiting.id()).contains("waiting"), "{table}");
    assert!(row(queued.id()).contains("queued"), "{table}");
    assert!(row(blockers[0].0.id()).contains("running on worker"), "{table}");
    assert!(table.ends_with("4 tasks"), "{table}");

    for (task, release) in blockers {
        drop(release);
        runtime.block_on(task).unwrap();
    }
    runtime.block_on(queued).unwrap();
}

#[test]
fn finished_task_is_gone_from_the_dump() {
    for runtime in [Builder::new_multi_thread().build().unwrap(), Builder::new_current_thread().build().unwrap()] {
        let task = runtime.spawn(async {});
        let id = task.id();
        runtime.block_on(task).unwrap();
        eventually("it is gone", || find(&runtime.handle().dump(), id).is_none());
    }
}

#[test]
fn dump_taken_by_a_task_shows_it_running() {
    for runtime in [Builder::new_multi_thread().build().unwrap(), Builder::new_current_thread().build().unwrap()] {
        let task = runtime.spawn(async {
            let dump = wheelhouse::runtime::Handle::current().dump();
            find(&dump, wheelhouse::task::id()).unwrap().state()
        });
        let state = runtime.block_on(task).unwrap();
        assert!(matches!(state, TaskState::Running { worker: Some(_), .. }), "{state:?}");
    }
}

#[test]
fn age_grows_with_the_task() {
    let runtime = Builder::new_multi_thread().worker_threads(1).watchdog(Duration::from_millis(20)).build().unwrap();
    let start = Instant::now();
    let old = runtime.spawn(std::future::pending::<()>());
    let (blocker, release) = block(&runtime);
    eventually("a second has passed", || {
        find(&runtime.handle().dump(), old.id()).unwrap().age().unwrap() >= Duration::from_millis(500)
    });
    let age = find(&runtime.handle().dump(), old.id()).unwrap().age().unwrap();
    assert!(age <= start.elapsed(), "{age:?} of {:?}", start.elapsed());
    let young = runtime.spawn(async {});
    assert!(find(&runtime.handle().dump(), young.id()).unwrap().age().unwrap() < age);
    drop(release);
    runtime.block_on(blocker).unwrap();
}

#[test]
fn dump_without_a_watchdog_has_no_ages() {
    let runtime = Builder::new_multi_thread().worker_threads(1).watchdog(Duration::MAX).build().unwrap();
    let (blocker, release) = block(&runtime);
    let dump = runtime.handle().dump();
    let task = find(&dump, blocker.id()).unwrap();
    assert_eq!(task.age(), None);
    assert_eq!(task.state(), TaskState::Running { worker: Some(0), since: None });
    drop(release);
    runtime.block_on(blocker).unwrap();
}

#[test]
fn dump_of_ten_thousand_tasks_is_complete() {
    let runtime = Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let tasks: Vec<_> = (0..10_000).map(|_| runtime.spawn(std::future::pending::<()>())).collect();
    let dump = runtime.handle().dump();
    assert_eq!(dump.tasks().len(), tasks.len());
    let mut ids: Vec<_> = tasks.iter().map(JoinHandle::id).collect();
    ids.sort();
    assert!(ids.iter().eq(dump.tasks().iter().map(TaskDump::id).collect::<Vec<_>>().iter()));
}

#[test]
fn blocking_tasks_are_listed_until_they_end() {
    let runtime = Builder::new_multi_thread().worker_threads(1).max_blocking_threads(1).build().unwrap();
    let (release, released) = channel::<()>();
    let (started, is_started) = channel();
    let running = runtime.spawn_blocking(move || {
        started.send(()).unwrap();
        released.recv().unwrap_err();
    });
    is_started.recv_timeout(PATIENCE).unwrap();
    let queued = runtime.spawn_blocking(|| {});
    let dump = runtime.handle().dump();
    let (first, second) = (find(&dump, running.id()).unwrap(), find(&dump, queued.id()).unwrap());
    assert_eq!((first.kind(), first.state()), ("blocking", TaskState::Running { worker: None, since: None }));
    assert_eq!((second.kind(), second.state()), ("blocking", TaskState::Queued));
    drop(release);
    runtime.block_on(async { (running.await.unwrap(), queued.await.unwrap()) });
    eventually("both are gone", || runtime.handle().dump().tasks().is_empty());
}

#[test]
fn blocking_tasks_cancelled_by_shutdown_leave_the_list() {
    let runtime = Builder::new_multi_thread().worker_threads(1).max_blocking_threads(1).build().unwrap();
    let handle = runtime.handle().clone();
    let (release, released) = channel::<()>();
    let (started, is_started) = channel();
    runtime.spawn_blocking(move || {
        started.send(()).unwrap();
        released.recv().unwrap_err();
    });
    is_started.recv_timeout(PATIENCE).unwrap();
    drop(runtime.spawn_blocking(|| unreachable!("it never had a thread")));
    assert_eq!(handle.dump().tasks().len(), 2);
    runtime.shutdown_background();
    eventually("the queued one is gone", || handle.dump().tasks().len() == 1);
    drop(release);
    eventually("the running one is gone", || handle.dump().tasks().is_empty());
}

#[test]
fn tasks_of_a_local_set_are_listed_once_it_was_polled() {
    let runtime = Builder::new_current_thread().build().unwrap();
    let local = wheelhouse::task::LocalSet::new();
    let task = local.spawn_local(std::future::pending::<()>());
    assert!(find(&runtime.handle().dump(), task.id()).is_none());
    local.block_on(&runtime, async { wheelhouse::task::yield_now().await });
    let dump = runtime.handle().dump();
    let dumped = find(&dump, task.id()).unwrap();
    assert_eq!((dumped.kind(), dumped.state()), ("local", TaskState::Waiting));
    drop(local);
    assert!(runtime.handle().dump().tasks().is_empty());
}

#[test]
fn stuck_current_thread_runtime_is_dumped_from_outside() {
    let runtime = Builder::new_current_thread().watchdog(Duration::from_millis(20)).build().unwrap();
    let (release, released) = channel::<()>();
    let (started, is_started) = channel();
    let task = runtime.spawn(async move {
        started.send(()).unwrap();
        released.recv().unwrap_err();
    });
    let (id, handle) = (task.id(), runtime.handle().clone());
    let driver = thread::spawn(move || runtime.block_on(task));
    is_started.recv_timeout(PATIENCE).unwrap();
    eventually("the watchdog has seen it", || {
        let state = find(&handle.dump(), id).unwrap().state();
        matches!(state, TaskState::Running { worker: Some(0), since: Some(_), .. })
    });
    drop(release);
    driver.join().unwrap().unwrap();
}
