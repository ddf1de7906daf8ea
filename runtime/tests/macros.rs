//! The attribute macros: what they accept does what it says. What they refuse is tested in their own crate.

use std::num::ParseIntError;
use std::time::{Duration, Instant};

use wheelhouse::runtime::Handle;
use wheelhouse::time::sleep;

extern crate wheelhouse as renamed;

fn workers() -> usize {
    Handle::current().metrics().num_workers()
}

#[wheelhouse::test]
async fn test_runs_on_one_thread_by_default() {
    let here = std::thread::current().id();
    assert_eq!(wheelhouse::spawn(async { std::thread::current().id() }).await.unwrap(), here);
}

#[wheelhouse::test(flavor = "multi_thread", worker_threads = 3)]
async fn test_has_the_workers_it_asks_for() {
    assert_eq!(workers(), 3);
}

#[wheelhouse::test(start_paused = true)]
async fn paused_test_sleeps_in_no_time() {
    let start = Instant::now();
    sleep(Duration::from_secs(3600)).await;
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[wheelhouse::test(flavor = "multi_thread", worker_threads = 1_usize, start_paused = true, auto_advance = false)]
async fn clock_that_does_not_advance_by_itself_stands_still() {
    let start = wheelhouse::time::Instant::now();
    let mut task = wheelhouse::spawn(sleep(Duration::from_millis(1)));
    std::thread::sleep(Duration::from_millis(20));
    assert!(futures::poll!(&mut task).is_pending());
    assert_eq!(wheelhouse::time::Instant::now(), start);
    task.abort();
}

#[wheelhouse::test]
async fn test_returns_a_result() -> Result<(), ParseIntError> {
    let seven: u32 = "7".parse()?;
    assert_eq!(seven, 7);
    Ok(())
}

#[wheelhouse::test]
#[should_panic(expected = "as it should")]
async fn test_that_should_panic_does() {
    wheelhouse::task::yield_now().await;
    panic!("as it should");
}

#[should_panic = "as it should"]
#[wheelhouse::test(flavor = "multi_thread")]
async fn attribute_before_the_macro_is_kept() {
    panic!("as it should");
}

/// Never compiled: an attribute after the macro is kept.
#[wheelhouse::test]
#[cfg(any())]
async fn absent_test() {
    compile_error!("the attribute was lost");
}

#[renamed::test(crate = "renamed")]
async fn renamed_crate_is_found_by_a_string() {
    assert_eq!(workers(), 1);
}

#[renamed::test(crate = self::renamed)]
async fn renamed_crate_is_found_by_a_path() {
    assert_eq!(workers(), 1);
}

macro_rules! made_by_macro {
    ($name:ident, $threads:literal, $visibility:vis, $result:ty, $body:block) => {
        #[wheelhouse::test(flavor = "multi_thread", worker_threads = $threads)]
        $visibility async fn $name() -> $result $body
    };
}

made_by_macro!(test_made_by_a_macro_runs, 2, pub(crate), Result<(), ParseIntError>, {
    assert_eq!(workers(), 2);
    Ok(())
});

#[wheelhouse::main]
async fn many() -> usize {
    workers()
}

#[wheelhouse::main(worker_threads = 2)]
async fn two() -> usize {
    workers()
}

#[wheelhouse::main(flavor = "current_thread")]
async fn alone() -> (usize, std::thread::ThreadId) {
    (workers(), wheelhouse::spawn(async { std::thread::current().id() }).await.unwrap())
}

#[wheelhouse::main(flavor = "current_thread")]
async fn generic_result() -> impl Iterator<Item = u32> {
    0..3
}

#[test]
fn main_builds_the_flavour_it_asks_for() {
    assert!(many() >= 2);
    assert_eq!(two(), 2);
    assert_eq!(alone(), (1, std::thread::current().id()));
    assert_eq!(generic_result().count(), 3);
}

#[test]
fn main_may_be_called_again_and_again() {
    for _ in 0..10 {
        assert_eq!(two(), 2);
    }
}
