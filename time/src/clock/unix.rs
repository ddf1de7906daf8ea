//! The system's clocks by `clock_gettime`.

use super::ClockKind;

pub(crate) fn id(kind: ClockKind) -> libc::clockid_t {
    match kind {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        ClockKind::Boottime => libc::CLOCK_BOOTTIME,
        _ => libc::CLOCK_MONOTONIC,
    }
}

pub(super) fn is_supported(kind: ClockKind) -> bool {
    kind == ClockKind::Monotonic || id(kind) != libc::CLOCK_MONOTONIC
}

/// Nanoseconds on the kernel's clock. A builder refuses the clocks that `is_supported` does not know.
#[inline]
pub(super) fn raw(kind: ClockKind) -> u64 {
    read(id(kind))
}

/// The same clock as of the kernel's last tick, where it has one that is cheaper to read.
#[inline]
pub(super) fn coarse(kind: ClockKind) -> Option<u64> {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    if kind == ClockKind::Monotonic {
        return Some(read(libc::CLOCK_MONOTONIC_COARSE));
    }
    let _ = kind;
    None
}

#[inline]
pub(super) fn read(clock: libc::clockid_t) -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is a writable timespec. A clock that does not exist leaves it as it is.
    unsafe { libc::clock_gettime(clock, &mut now) };
    (now.tv_sec as u64).saturating_mul(1_000_000_000).saturating_add(now.tv_nsec as u64)
}
