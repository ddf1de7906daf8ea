//! Three tasks sleep for 3 s, 1 s and 2 s; they report in the order 1, 2, 3, after 3 s in all.

use std::time::Duration;

use wheelhouse::time::{Instant, sleep};

#[wheelhouse::main]
async fn main() {
    let start = Instant::now();
    let tasks = [3, 1, 2].map(|seconds| {
        wheelhouse::spawn(async move {
            sleep(Duration::from_secs(seconds)).await;
            println!("{seconds}");
        })
    });
    for task in tasks {
        task.await.expect("a task that only sleeps does not panic");
    }
    println!("all done after {:.3} s", start.elapsed().as_secs_f64());
}
