//! What the kernel tells of this process, and the two bare ways to wait that the runtimes are held against.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::time::{Duration, Instant};

/// CPU time and context switches of this process so far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Usage {
    /// User and system time.
    pub(crate) cpu: Duration,
    /// Context switches, voluntary and not.
    pub(crate) switches: i64,
}

impl Usage {
    /// Reads the counters.
    pub(crate) fn now() -> Self {
        let mut usage = MaybeUninit::<libc::rusage>::uninit();
        // SAFETY: `usage` is writable memory of the type that getrusage fills.
        let rc = unsafe { libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) };
        assert_eq!(rc, 0, "getrusage of oneself");
        // SAFETY: getrusage has succeeded, so it has filled the struct.
        let usage = unsafe { usage.assume_init() };
        let time = |t: libc::timeval| Duration::new(t.tv_sec as u64, t.tv_usec as u32 * 1000);
        Self { cpu: time(usage.ru_utime) + time(usage.ru_stime), switches: usage.ru_nvcsw + usage.ru_nivcsw }
    }

    /// What was used since `earlier`.
    pub(crate) fn since(self, earlier: Self) -> Self {
        Self { cpu: self.cpu - earlier.cpu, switches: self.switches - earlier.switches }
    }
}

/// A field of /proc/self/status, in MiB.
pub(crate) fn memory(field: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
    let kib = line.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok());
    kib.map_or(f64::NAN, |kib| kib / 1024.0)
}

/// Bytes that the allocator has handed out.
pub(crate) fn allocated() -> f64 {
    #[cfg(target_env = "gnu")]
    {
        // SAFETY: mallinfo2 has no preconditions.
        let info = unsafe { libc::mallinfo2() };
        (info.uordblks + info.hblkhd) as f64
    }
    #[cfg(not(target_env = "gnu"))]
    f64::NAN
}

/// Lets this process open as many files as the system allows it.
pub(crate) fn raise_file_limit() {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is a valid rlimit to write to.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) } == 0;
    if known {
        limit.rlim_cur = limit.rlim_max;
        // SAFETY: `limit` is a valid rlimit to read. A refusal leaves the old limit, and the job then says what fails.
        unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) };
    }
}

/// An epoll instance without a runtime around it.
#[derive(Debug)]
pub(crate) struct Epoll(OwnedFd);

impl Epoll {
    /// A new, empty one.
    pub(crate) fn new() -> io::Result<Self> {
        // SAFETY: no pointer is passed.
        let fd = check(unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) })?;
        // SAFETY: epoll_create1 has just made this descriptor, and nobody else knows it.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    /// Watches `fd` for input, edge-triggered, under the name `key`.
    pub(crate) fn watch(&self, fd: RawFd, key: u64) -> io::Result<()> {
        let mut event = libc::epoll_event { events: (libc::EPOLLIN | libc::EPOLLET) as u32, u64: key };
        // SAFETY: both descriptors are open, and `event` lives over the call.
        check(unsafe { libc::epoll_ctl(self.0.as_raw_fd(), libc::EPOLL_CTL_ADD, fd, &raw mut event) })?;
        Ok(())
    }

    /// Waits up to `timeout_ms` (-1: for ever) and tells the keys that have input.
    pub(crate) fn wait<'e>(
        &self,
        events: &'e mut [libc::epoll_event],
        timeout_ms: i32,
    ) -> impl Iterator<Item = u64> + 'e {
        let room = events.len() as i32;
        // SAFETY: `events` is writable for `room` entries.
        let n = unsafe { libc::epoll_wait(self.0.as_raw_fd(), events.as_mut_ptr(), room, timeout_ms) };
        events[..n.max(0) as usize].iter().map(|event| event.u64)
    }
}

/// A monotonic timerfd in an epoll instance of its own: the least that a precise wait in epoll costs.
#[derive(Debug)]
pub(crate) struct BareTimer {
    epoll: Epoll,
    timer: OwnedFd,
}

impl BareTimer {
    /// A disarmed one.
    pub(crate) fn new() -> io::Result<Self> {
        let flags = libc::TFD_NONBLOCK | libc::TFD_CLOEXEC;
        // SAFETY: no pointer is passed.
        let fd = check(unsafe { libc::timerfd_create(libc::CLOCK_MONOTONIC, flags) })?;
        // SAFETY: timerfd_create has just made this descriptor, and nobody else knows it.
        let timer = unsafe { OwnedFd::from_raw_fd(fd) };
        let epoll = Epoll::new()?;
        epoll.watch(timer.as_raw_fd(), 0)?;
        Ok(Self { epoll, timer })
    }

    /// Blocks for `duration`.
    pub(crate) fn wait(&self, duration: Duration) {
        let start = Instant::now();
        let value =
            libc::timespec { tv_sec: duration.as_secs() as libc::time_t, tv_nsec: duration.subsec_nanos().into() };
        let spec = libc::itimerspec { it_interval: libc::timespec { tv_sec: 0, tv_nsec: 0 }, it_value: value };
        // SAFETY: `spec` lives over the call, and a null old value is allowed.
        unsafe { libc::timerfd_settime(self.timer.as_raw_fd(), 0, &raw const spec, std::ptr::null_mut()) };
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; 1];
        while start.elapsed() < duration {
            let _fired = self.epoll.wait(&mut events, -1).count();
        }
    }
}

fn check(rc: i32) -> io::Result<i32> {
    if rc < 0 { Err(io::Error::last_os_error()) } else { Ok(rc) }
}
