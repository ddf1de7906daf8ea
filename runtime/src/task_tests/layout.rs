//! What a task costs.

use std::sync::Arc;

use crate::task_core::Header;

#[test]
fn header_scheduler_and_join_waker_take_80_bytes() {
    assert_eq!(size_of::<Header>() + size_of::<Arc<()>>(), 80);
}

#[test]
fn option_of_a_join_handle_is_no_larger() {
    assert_eq!(size_of::<crate::task_core::JoinHandle<()>>(), 16);
    assert_eq!(size_of::<Option<crate::task_core::JoinHandle<()>>>(), 16);
}
