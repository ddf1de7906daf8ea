//! The one place where platforms differ. Each provides:
//!
//! * `clock`: `ClockId`, `DEFAULT_CLOCK`, `now(ClockId)`;
//! * `wait`: `WaitTimer`, what ends the reactor's wait at an instant. Linux has a timer descriptor in the poller, the
//!   others compute the poller's own timeout;
//! * `tcp`: `INTEREST` and `TELLS_URGENT`, what the poller says of a stream. Linux tells of urgent data;
//! * `connecting`: `is_in_progress(error)`, how a non-blocking connect says that it has begun;
//! * `interest`: `to_mio(Interest)`; priority data is Linux's;
//! * `fd`: `read` into memory that need not be initialised (Unix);
//! * `peer_cred`: `of(socket)`, whose process is at the other end (Unix);
//! * `signals`: `Signals`, the signals of one reactor;
//! * `exhausted`: `is_exhausted(code)`, the errors that say that descriptors or memory ran out.

#[cfg(any(target_os = "linux", target_os = "android"))]
#[path = "wait_timerfd.rs"]
pub(crate) mod wait;

#[cfg(not(any(target_os = "linux", target_os = "android")))]
#[path = "wait_timeout.rs"]
pub(crate) mod wait;

#[cfg(unix)]
#[path = "clock_unix.rs"]
pub(crate) mod clock;

#[cfg(not(unix))]
#[path = "clock_other.rs"]
pub(crate) mod clock;

#[cfg(any(target_os = "linux", target_os = "android"))]
#[path = "tcp_linux.rs"]
pub(crate) mod tcp;

#[cfg(not(any(target_os = "linux", target_os = "android")))]
#[path = "tcp_plain.rs"]
pub(crate) mod tcp;

#[cfg(unix)]
#[path = "exhausted_unix.rs"]
pub(crate) mod exhausted;

#[cfg(not(unix))]
#[path = "exhausted_other.rs"]
pub(crate) mod exhausted;

#[cfg(unix)]
#[path = "signals_unix.rs"]
pub(crate) mod signals;

#[cfg(not(unix))]
#[path = "signals_none.rs"]
pub(crate) mod signals;

#[cfg(unix)]
#[path = "connecting_unix.rs"]
pub(crate) mod connecting;

#[cfg(not(unix))]
#[path = "connecting_other.rs"]
pub(crate) mod connecting;

#[cfg(unix)]
pub(crate) mod fd;

#[cfg(any(target_os = "linux", target_os = "android"))]
#[path = "peer_cred_linux.rs"]
pub(crate) mod peer_cred;

#[cfg(any(
    target_vendor = "apple",
    target_os = "freebsd",
    target_os = "dragonfly",
    target_os = "netbsd",
    target_os = "openbsd"
))]
#[path = "peer_cred_bsd.rs"]
pub(crate) mod peer_cred;

#[cfg(all(
    unix,
    not(any(
        target_os = "linux",
        target_os = "android",
        target_vendor = "apple",
        target_os = "freebsd",
        target_os = "dragonfly",
        target_os = "netbsd",
        target_os = "openbsd"
    ))
))]
#[path = "peer_cred_none.rs"]
pub(crate) mod peer_cred;

#[cfg(any(target_os = "linux", target_os = "android"))]
#[path = "interest_linux.rs"]
pub(crate) mod interest;

#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
#[path = "interest_other.rs"]
pub(crate) mod interest;
