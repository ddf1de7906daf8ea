//! What ends with the process: each case runs in a child of its own, whose exit is timed. No test harness: the
//! children's mains are real ones.

use std::process::{Command, ExitCode};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

const CASE: &str = "WHEELHOUSE_PROCESS_CASE";
/// The children block for much longer than they may take to exit.
const BLOCKED: Duration = Duration::from_secs(60);
const LIMIT: Duration = Duration::from_secs(10);

/// A child's main.
type Case = (&'static str, fn());

const CASES: [Case; 6] = [
    ("main_returns_beside_a_blocking_task", returns_beside_a_blocking_task),
    ("current_thread_main_returns_beside_a_blocking_task", returns_beside_a_blocking_task_on_one_thread),
    ("main_cancels_its_tasks_before_it_returns", cancels_its_tasks),
    ("blocking_task_is_not_lost_when_no_thread_can_start", no_thread_can_start),
    ("runtime_that_cannot_start_its_workers_is_an_error", workers_cannot_start),
    ("blocking_section_runs_in_place_when_no_thread_can_start", section_without_a_thread),
];

#[wheelhouse::main]
async fn returns_beside_a_blocking_task() {
    block_a_thread();
}

#[wheelhouse::main(flavor = "current_thread")]
async fn returns_beside_a_blocking_task_on_one_thread() {
    block_a_thread();
}

/// A job that has started, and that nobody waits for.
fn block_a_thread() {
    let (started, is_started) = channel();
    wheelhouse::task::spawn_blocking(move || {
        started.send(()).unwrap();
        thread::sleep(BLOCKED);
    });
    is_started.recv().unwrap();
}

/// Prints when the task's future is dropped: the parent looks for it.
#[wheelhouse::main]
async fn cancels_its_tasks() {
    struct Guard;
    impl Drop for Guard {
        fn drop(&mut self) {
            println!("the task was dropped");
        }
    }
    let guard = Guard;
    wheelhouse::spawn(async move {
        let _guard = guard;
        std::future::pending::<()>().await;
    });
    wheelhouse::task::yield_now().await;
}

/// Limits the process to the threads it has: the system refuses to start another. Root is exempt from the limit, so the
/// process becomes somebody else first.
#[cfg(target_os = "linux")]
fn refuse_threads() -> bool {
    // No account has this number, so nobody else's processes count.
    const NOBODY: libc::uid_t = 2_000_000_011;
    // SAFETY: sets this process' ids; it has nothing that depends on them.
    let changed = unsafe { libc::setresuid(NOBODY, NOBODY, NOBODY) } == 0;
    let limit = libc::rlimit { rlim_cur: 1, rlim_max: 1 };
    // SAFETY: reads a struct that lives through the call.
    let limited = unsafe { libc::setrlimit(libc::RLIMIT_NPROC, &limit) } == 0;
    let refused = thread::Builder::new().spawn(|| {}).is_err();
    let possible = changed && limited && refused;
    if !possible {
        println!("skipped: this user cannot limit the number of threads");
    }
    possible
}

#[cfg(not(target_os = "linux"))]
fn refuse_threads() -> bool {
    println!("skipped: no such limit here");
    false
}

/// With a thread of the pool alive a job waits for it; with none it is an error: nobody waits for ever.
fn no_thread_can_start() {
    let runtime = wheelhouse::runtime::Builder::new_current_thread()
        .thread_keep_alive(Duration::from_millis(50))
        .watchdog(Duration::MAX)
        .build()
        .unwrap();
    let (started, is_started) = channel();
    let first = runtime.spawn_blocking(move || {
        started.send(()).unwrap();
        thread::sleep(Duration::from_millis(200));
        1
    });
    is_started.recv().unwrap();
    if !refuse_threads() {
        return;
    }
    let second = runtime.spawn_blocking(|| 2);
    runtime.block_on(async {
        assert_eq!(first.await.unwrap(), 1);
        assert_eq!(second.await.unwrap(), 2);
    });
    while runtime.handle().metrics().num_blocking_threads() > 0 {
        thread::sleep(Duration::from_millis(5));
    }
    let third = wheelhouse::task::Builder::new()
        .spawn_blocking_on(|| unreachable!("no thread can be had"), runtime.handle())
        .map(|_: wheelhouse::task::JoinHandle<()>| ());
    assert_eq!(third.unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    println!("refused as it should be");
}

/// The closure runs on the worker, a peer takes what was queued there, and the worker goes on afterwards.
fn section_without_a_thread() {
    let runtime = wheelhouse::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    // The watchdog, too, has its thread now.
    runtime.block_on(async { wheelhouse::spawn(wheelhouse::task::yield_now()).await.unwrap() });
    if !refuse_threads() {
        return;
    }
    let section = || {
        let beside = [1, 2, 3].map(|i| wheelhouse::spawn(async move { i }));
        wheelhouse::task::block_in_place(|| {
            wheelhouse::runtime::Handle::current().block_on(async {
                let mut sum = wheelhouse::spawn(async { 4 }).await.unwrap();
                for task in beside {
                    sum += task.await.unwrap();
                }
                sum
            })
        })
    };
    for _ in 0..10 {
        let task = runtime.spawn(async move {
            let sum = section();
            wheelhouse::task::yield_now().await;
            sum + section()
        });
        assert_eq!(runtime.block_on(task).unwrap(), 20);
    }
    println!("it ran as it should");
}

fn workers_cannot_start() {
    if !refuse_threads() {
        return;
    }
    let error = wheelhouse::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock, "{error}");
    println!("refused as it should be");
}

fn main() -> ExitCode {
    if let Ok(name) = std::env::var(CASE) {
        let (_, case) = CASES.iter().find(|(known, _)| *known == name).unwrap();
        case();
        return ExitCode::SUCCESS;
    }
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let mut failed = false;
    for (name, _) in CASES {
        if !wanted.is_empty() && !wanted.iter().any(|part| name.contains(part.as_str())) {
            continue;
        }
        match run(name) {
            Ok(note) => println!("test {name} ... ok{note}"),
            Err(problem) => {
                failed = true;
                println!("test {name} ... FAILED\n{problem}");
            }
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Runs a case in a child; what is wrong with it, if anything.
fn run(name: &str) -> Result<String, String> {
    let start = Instant::now();
    let child = Command::new(std::env::current_exe().unwrap()).env(CASE, name).output().unwrap();
    let (took, output) = (start.elapsed(), String::from_utf8_lossy(&child.stdout).into_owned());
    if !child.status.success() {
        return Err(format!("{}\n{output}{}", child.status, String::from_utf8_lossy(&child.stderr)));
    }
    if took > LIMIT {
        return Err(format!("it took {took:?}"));
    }
    if name == "main_cancels_its_tasks_before_it_returns" && output != "the task was dropped\n" {
        return Err(format!("the task was not dropped: {output:?}"));
    }
    let note = output.lines().find(|line| line.starts_with("skipped")).map(|line| format!(" ({line})"));
    Ok(note.unwrap_or_default())
}
