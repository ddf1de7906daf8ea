//! An idle runtime does nothing at all: none of its threads is scheduled. A process of its own: it looks at all threads.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use wheelhouse::net::TcpListener;
use wheelhouse::runtime::Builder;
use wheelhouse::time::sleep;

/// How often each of the runtime's threads was switched to, by its id.
fn switches() -> BTreeMap<String, u64> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir("/proc/self/task").unwrap() {
        let path = entry.unwrap().path();
        let name = fs::read_to_string(path.join("comm")).unwrap();
        if !name.starts_with("idle-runtime") {
            continue;
        }
        let status = fs::read_to_string(path.join("status")).unwrap();
        let count = status
            .lines()
            .filter(|line| line.contains("ctxt_switches"))
            .map(|line| line.split_whitespace().last().unwrap().parse::<u64>().unwrap())
            .sum();
        all.insert(path.display().to_string(), count);
    }
    all
}

#[test]
fn no_thread_of_an_idle_runtime_is_scheduled() {
    let runtime = Builder::new_multi_thread().worker_threads(4).thread_name("idle-runtime").build().unwrap();
    runtime.spawn(sleep(Duration::from_secs(60)));
    runtime.spawn(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let _ = listener.accept().await;
    });
    runtime.block_on(sleep(Duration::from_millis(50)));
    // Workers, sentinel and watchdog come to rest one after the other.
    std::thread::sleep(Duration::from_millis(1000));
    let before = switches();
    assert!(before.len() >= 4, "{before:?}");
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(switches(), before);
    runtime.shutdown_background();
}
