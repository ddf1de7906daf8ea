#[wheelhouse_macros::main(flavour = "multi_thread")]
async fn unknown_option() {}

#[wheelhouse_macros::main(flavor = "threads")]
async fn unknown_flavor() {}

#[wheelhouse_macros::main(flavor = 2)]
async fn flavor_is_no_string() {}

#[wheelhouse_macros::main(flavor = "multi_thread", worker_threads = 1, flavor = "current_thread")]
async fn option_set_twice() {}

#[wheelhouse_macros::main(worker_threads = 0)]
async fn no_threads() {}

#[wheelhouse_macros::main(worker_threads = "two")]
async fn threads_are_no_number() {}

#[wheelhouse_macros::main(worker_threads = 2, flavor = "current_thread")]
async fn threads_beside_current_thread() {}

#[wheelhouse_macros::test(worker_threads = 2)]
async fn threads_beside_the_default_of_tests() {}

#[wheelhouse_macros::main(start_paused = 1, auto_advance = "no")]
async fn flags_are_no_booleans() {}

#[wheelhouse_macros::main(start_paused)]
async fn option_without_a_value() {}

#[wheelhouse_macros::main("multi_thread")]
async fn value_without_an_option() {}

#[wheelhouse_macros::main(crate = 7)]
async fn crate_is_no_path() {}

fn main() {}
