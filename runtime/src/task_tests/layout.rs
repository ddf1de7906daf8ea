//! What a task costs.

use std::sync::Arc;

use crate::task_core::front_size;

#[test]
fn header_scheduler_and_join_waker_take_80_bytes() {
    assert_eq!(front_size::<Arc<()>>(), 80);
}

#[test]
fn option_of_a_join_handle_is_no_larger() {
    assert_eq!(size_of::<crate::task_core::JoinHandle<()>>(), 16);
    assert_eq!(size_of::<Option<crate::task_core::JoinHandle<()>>>(), 16);
}
