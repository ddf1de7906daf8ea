//! No counter that the clock is known to go by.

pub(crate) fn is_steady() -> bool {
    false
}

pub(crate) fn read() -> u64 {
    0
}

pub(crate) fn unadjusted_clock() -> u64 {
    0
}
