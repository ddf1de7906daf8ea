//! A timer that lost its race gives its memory back at once. Alone in its process: it looks at the whole of it.
#![cfg(target_os = "linux")]

use std::pin::pin;
use std::time::Duration;

use futures::future::{Either, select};
use wheelhouse::runtime::Builder;
use wheelhouse::task::yield_now;
use wheelhouse::time::sleep;

/// Resident memory of this process, in KiB.
fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4
}

/// `LOSERS` sets their number.
#[test]
fn losers_with_deadlines_an_hour_away_leave_memory_flat() {
    let losers = std::env::var("LOSERS").ok().and_then(|value| value.parse().ok()).unwrap_or(400_000_usize);
    for builder in [Builder::new_current_thread(), Builder::new_multi_thread().worker_threads(2)] {
        let runtime = builder.build().unwrap();
        let race = |times: usize| {
            runtime.block_on(async {
                let tasks: Vec<_> = (0..64)
                    .map(|_| {
                        wheelhouse::spawn(async move {
                            for _ in 0..times / 64 {
                                // The loser is dropped while it is armed, an hour before its deadline.
                                match select(pin!(sleep(Duration::from_secs(3600))), pin!(yield_now())).await {
                                    Either::Left(_) => panic!("an hour went by"),
                                    Either::Right(_) => {}
                                }
                            }
                        })
                    })
                    .collect();
                for task in tasks {
                    task.await.unwrap();
                }
            });
        };
        race(losers / 10);
        let before = resident();
        race(losers);
        let grown = resident().saturating_sub(before);
        assert!(grown < 4 * 1024, "{losers} losers left {grown} KiB behind");
    }
}
