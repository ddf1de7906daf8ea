//! The time stamp counter of x86-64, where Linux tells the time by it.

use core::arch::x86_64::{__cpuid, _rdtsc};

/// Whether the counter runs at one rate whatever the processor does, and the kernel has found those of all processors to
/// agree: then it is the kernel's own source of time.
pub(crate) fn is_steady() -> bool {
    const SOURCE: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    is_invariant() && std::fs::read_to_string(SOURCE).is_ok_and(|source| source.trim() == "tsc")
}

/// Whether the processor promises a constant rate, in its sleep too.
fn is_invariant() -> bool {
    const POWER: u32 = 0x8000_0007;
    const INVARIANT: u32 = 1 << 8;
    #[allow(unused_unsafe, reason = "unsafe up to some version of the compiler")]
    // SAFETY: every x86-64 processor has the instruction, and it answers for any leaf.
    let highest = unsafe { __cpuid(0x8000_0000) }.eax;
    #[allow(unused_unsafe, reason = "unsafe up to some version of the compiler")]
    // SAFETY: as above.
    let power = unsafe { __cpuid(POWER) }.edx;
    highest >= POWER && power & INVARIANT != 0
}

#[inline]
pub(crate) fn read() -> u64 {
    #[allow(unused_unsafe, reason = "unsafe up to some version of the compiler")]
    // SAFETY: every x86-64 processor has the instruction, and it touches no memory. Where the system forbids it to its
    // programs the clock does not come from it either, and nobody asks after `is_steady` said no.
    unsafe {
        _rdtsc()
    }
}

/// The monotonic clock as the hardware gives it, without anybody's corrections.
pub(crate) fn unadjusted_clock() -> u64 {
    crate::clock::platform::read(libc::CLOCK_MONOTONIC_RAW)
}
