//! A poller that fails at every call: the timers go on, and no waker is lost.
#![cfg(target_os = "linux")]

use std::os::fd::AsRawFd;
use std::time::Duration;

use wheelhouse::runtime::Builder;
use wheelhouse::time::{Instant, sleep};

/// Puts something in the place of every poller of this process that is no poller.
fn break_pollers() -> usize {
    let null = std::fs::File::open("/dev/null").unwrap();
    let mut broken = 0;
    for entry in std::fs::read_dir("/proc/self/fd").unwrap() {
        let entry = entry.unwrap();
        let target = std::fs::read_link(entry.path()).unwrap_or_default();
        if target.to_string_lossy() != "anon_inode:[eventpoll]" {
            continue;
        }
        let fd = entry.file_name().to_string_lossy().parse().unwrap();
        // SAFETY: both descriptors are open; the number stays its owner's to close.
        assert_eq!(unsafe { libc::dup2(null.as_raw_fd(), fd) }, fd);
        broken += 1;
    }
    broken
}

#[test]
fn timers_fire_and_wake_although_the_poller_fails() {
    let multi = Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let single = Builder::new_current_thread().build().unwrap();
    assert!(break_pollers() >= 2);
    for runtime in [multi, single] {
        runtime.block_on(async {
            let start = Instant::now();
            let sleepers: Vec<_> =
                (0..100).map(|k| wheelhouse::spawn(sleep(Duration::from_millis(10 + k % 20)))).collect();
            for sleeper in sleepers {
                sleeper.await.unwrap();
            }
            assert!(start.elapsed() >= Duration::from_millis(29));
        });
    }
}
