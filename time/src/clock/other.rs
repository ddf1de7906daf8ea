//! The system's clock as std gives it.

use super::ClockKind;
use std::sync::OnceLock;

pub(super) fn is_supported(kind: ClockKind) -> bool {
    kind == ClockKind::Monotonic
}

pub(super) fn coarse(_kind: ClockKind) -> Option<u64> {
    None
}

/// Nanoseconds since the first call.
pub(super) fn raw(_kind: ClockKind) -> u64 {
    static START: OnceLock<std::time::Instant> = OnceLock::new();
    crate::timer::nanos(START.get_or_init(std::time::Instant::now).elapsed())
}
