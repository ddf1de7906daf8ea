//! Ending in good order: a signal (or three seconds) -> stop taking work -> let what is under way end, under a deadline
//! -> shut the runtime down with whatever is left.

use std::pin::pin;
use std::time::Duration;

use futures::future::{Either, select};
use wheelhouse::runtime::Runtime;
use wheelhouse::task::JoinSet;
use wheelhouse::time::{interval, sleep, timeout};

fn main() -> std::io::Result<()> {
    let runtime = Runtime::new()?;
    let (done, cut) = runtime.block_on(async {
        let mut jobs = JoinSet::new();
        let mut ticks = interval(Duration::from_millis(200));
        let mut stop = pin!(select(Box::pin(wheelhouse::signal::ctrl_c()), Box::pin(sleep(Duration::from_secs(3)))));
        println!("a job every 200 ms for three seconds, or until Ctrl-C");
        let mut n = 0;
        while let Either::Left(_) = select(pin!(ticks.tick()), stop.as_mut()).await {
            n += 1;
            let job = n;
            jobs.spawn(async move {
                // The last ones are still under way when the signal comes; every tenth does not end in time.
                sleep(Duration::from_millis(if job % 10 == 0 { 60_000 } else { 700 })).await;
                job
            });
        }
        println!("stopping: {} jobs are under way or unread", jobs.len());
        let mut done = 0;
        let drained = timeout(Duration::from_secs(1), async {
            while jobs.join_next().await.is_some() {
                done += 1;
            }
        });
        let _ = drained.await;
        let cut = jobs.len();
        (done, cut)
    });
    println!("{done} jobs done, {cut} cut off");
    runtime.shutdown_timeout(Duration::from_secs(1));
    Ok(())
}
