//! What the tests of the test clock share: a paused runtime of each flavour.

use std::future::Future;
use std::time::Duration;

use wheelhouse::runtime::Builder;

pub(crate) const HOUR: Duration = Duration::from_secs(3600);

pub(crate) const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// The flavours, with the number of threads that poll tasks.
pub(crate) fn builders() -> Vec<(&'static str, Builder)> {
    let multi = |workers| Builder::new_multi_thread().worker_threads(workers);
    vec![
        ("current-thread", Builder::new_current_thread()),
        ("1 worker", multi(1)),
        ("2 workers", multi(2)),
        ("4 workers", multi(4)),
    ]
}

/// Runs a test on a paused runtime of each flavour.
pub(crate) fn paused<F: Future>(test: impl Fn() -> F) {
    for (flavour, builder) in builders() {
        let runtime = builder.start_paused(true).build().unwrap();
        eprintln!("{flavour}");
        runtime.block_on(test());
    }
}
