//! The reactor's waits and the notifier.
#![cfg(target_os = "linux")]

mod support;

use std::time::{Duration, Instant};

use wheelhouse_io::{Io, Reactor, ReactorConfig, Turned, Wait};

fn new() -> (Reactor, Io) {
    Reactor::new(ReactorConfig::default()).unwrap()
}

/// Nanoseconds on the clock of `Wait::Until`.
fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a live timespec that the call may write.
    assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) }, 0);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

const MS: u64 = 1_000_000;

fn turn(reactor: &mut Reactor, wait: Wait) -> (Turned, Duration) {
    let start = Instant::now();
    let turned = reactor.turn(wait, &mut Vec::new()).unwrap();
    (turned, start.elapsed())
}

#[test]
fn a_wait_ends_at_its_instant_and_not_before() {
    let (mut reactor, _io) = new();
    for wait in [1, 3, 10] {
        let instant = now() + wait * MS;
        turn(&mut reactor, Wait::Until(instant));
        assert!(now() >= instant);
    }
}

#[test]
fn a_wait_until_the_past_returns_at_once() {
    let (mut reactor, _io) = new();
    for instant in [0, 1, now() - MS] {
        let (turned, took) = turn(&mut reactor, Wait::Until(instant));
        assert_eq!(turned, Turned::default());
        assert!(took < Duration::from_millis(500));
    }
}

#[test]
fn no_wait_returns_at_once_with_a_timer_armed() {
    let (mut reactor, io) = new();
    io.notifier().notify().unwrap();
    turn(&mut reactor, Wait::Until(now() + 10_000 * MS));
    let (_, took) = turn(&mut reactor, Wait::Now);
    assert!(took < Duration::from_millis(500));
}

/// Ends a wait after `delay`, unless it ended before.
fn notify_after(io: &Io, delay: u64) -> std::thread::JoinHandle<()> {
    let notifier = io.notifier();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_nanos(delay));
        notifier.notify().unwrap();
    })
}

#[test]
fn a_timer_left_armed_does_not_end_a_later_wait() {
    let (mut reactor, io) = new();
    // Armed for 20 ms, but the notification comes first.
    io.notifier().notify().unwrap();
    assert!(turn(&mut reactor, Wait::Until(now() + 20 * MS)).0.notified);
    let thread = notify_after(&io, 80 * MS);
    let (turned, took) = turn(&mut reactor, Wait::Forever);
    assert!(turned.notified, "the old timer ended the wait after {took:?}");
    thread.join().unwrap();
}

#[test]
fn a_timer_left_armed_does_not_end_a_later_wait_early() {
    let (mut reactor, io) = new();
    io.notifier().notify().unwrap();
    assert!(turn(&mut reactor, Wait::Until(now() + 10 * MS)).0.notified);
    let later = now() + 60 * MS;
    turn(&mut reactor, Wait::Until(later));
    assert!(now() >= later);
}

#[test]
fn an_expiry_nobody_saw_does_not_end_a_later_wait_early() {
    let (mut reactor, io) = new();
    io.notifier().notify().unwrap();
    assert!(turn(&mut reactor, Wait::Until(now() + MS)).0.notified);
    std::thread::sleep(Duration::from_millis(5));
    let later = now() + 40 * MS;
    turn(&mut reactor, Wait::Until(later));
    assert!(now() >= later);
}

#[test]
fn the_same_instant_again_ends_the_wait_again() {
    let (mut reactor, _io) = new();
    let instant = now() + 2 * MS;
    for _ in 0..3 {
        let (_, took) = turn(&mut reactor, Wait::Until(instant));
        assert!(took < Duration::from_secs(5));
    }
}

#[test]
fn the_timer_is_set_only_when_the_wait_differs() {
    let (mut reactor, io) = new();
    let far = now() + 3_600_000 * MS;
    for _ in 0..10 {
        io.notifier().notify().unwrap();
        turn(&mut reactor, Wait::Until(far));
    }
    assert_eq!(io.metrics().timer_updates, 1);
    io.notifier().notify().unwrap();
    turn(&mut reactor, Wait::Forever);
    assert_eq!(io.metrics().timer_updates, 2);
}

#[test]
fn a_far_instant_is_an_ordinary_one() {
    let (mut reactor, io) = new();
    for instant in [u64::MAX, u64::MAX / 2, i64::MAX as u64] {
        let thread = notify_after(&io, 5 * MS);
        assert!(turn(&mut reactor, Wait::Until(instant)).0.notified);
        thread.join().unwrap();
    }
}

#[test]
fn the_clock_that_counts_suspended_time_can_be_waited_on() {
    let mut config = ReactorConfig::default();
    config.clock_id = libc::CLOCK_BOOTTIME;
    let (mut reactor, _io) = Reactor::new(config).unwrap();
    let start = now();
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a live timespec that the call may write.
    assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_BOOTTIME, &mut time) }, 0);
    let boottime = time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64;
    turn(&mut reactor, Wait::Until(boottime + 5 * MS));
    assert!(now() >= start + 5 * MS);
}

#[test]
fn a_notification_before_the_wait_ends_it() {
    let (mut reactor, io) = new();
    io.notifier().notify().unwrap();
    assert!(turn(&mut reactor, Wait::Forever).0.notified);
    assert!(!turn(&mut reactor, Wait::Now).0.notified);
}

#[test]
fn notifications_coalesce_until_one_is_taken() {
    let (mut reactor, io) = new();
    let start = Instant::now();
    for _ in 0..100 {
        io.notifier().notify().unwrap();
    }
    // One every 10 ms at most, however slow this machine is.
    let most = 1 + start.elapsed().as_millis() as u64 / 10;
    assert!(io.metrics().notifies <= most);
    assert!(turn(&mut reactor, Wait::Forever).0.notified);
    let before = io.metrics().notifies;
    io.notifier().notify().unwrap();
    assert_eq!(io.metrics().notifies, before + 1);
    assert!(turn(&mut reactor, Wait::Forever).0.notified);
}

#[test]
fn an_old_notification_covers_no_new_one() {
    let (_reactor, io) = new();
    io.notifier().notify().unwrap();
    std::thread::sleep(Duration::from_millis(12));
    io.notifier().notify().unwrap();
    assert_eq!(io.metrics().notifies, 2);
}

#[test]
fn a_signal_handler_during_the_wait_is_no_error() {
    extern "C" fn nothing(_: libc::c_int) {}
    // SAFETY: the handler does nothing, which is async-signal-safe.
    unsafe { libc::signal(libc::SIGURG, nothing as *const () as libc::sighandler_t) };
    let (mut reactor, _io) = new();
    // SAFETY: no pointers.
    let target = unsafe { libc::pthread_self() };
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(20));
        // SAFETY: the target thread waits for this one before it ends.
        unsafe { libc::pthread_kill(target, libc::SIGURG) };
    });
    let instant = now() + 60 * MS;
    while now() < instant {
        assert_eq!(reactor.turn(Wait::Until(instant), &mut Vec::new()).unwrap(), Turned::default());
    }
    thread.join().unwrap();
}

#[test]
fn a_reactor_without_sources_says_so() {
    let (_reactor, io) = new();
    assert!(!io.has_sources());
    let _guard = wheelhouse_io::context::enter(&io, std::rc::Rc::new(std::cell::Cell::new(255)));
    let pair = wheelhouse_io::net::UnixStream::pair().unwrap();
    assert!(io.has_sources());
    drop(pair);
    assert!(!io.has_sources());
    let metrics = io.metrics();
    assert_eq!((metrics.registered, metrics.deregistered, metrics.sources), (2, 2, 0));
}
