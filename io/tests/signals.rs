//! Signals. Alone in its process, which they are sent to.

mod support;

use std::cell::Cell;
use std::io;
use std::rc::Rc;
use std::sync::Mutex;
use std::task::{Context, Waker};

use futures::StreamExt;
use wheelhouse_io::signal::ctrl_c;
use wheelhouse_io::signal::unix::{SignalKind, signal};
use wheelhouse_io::{Reactor, ReactorConfig, Wait, context};

/// The tests of this file send signals to the whole process, so they run one after the other.
static ALONE: Mutex<()> = Mutex::new(());

fn raise(kind: SignalKind) {
    // SAFETY: no pointers; every signal sent here has a handler by then.
    assert_eq!(unsafe { libc::kill(std::process::id() as i32, kind.as_raw_value()) }, 0);
}

#[test]
fn every_listener_hears_every_arrival() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    support::run(async {
        let mut first = signal(SignalKind::user_defined1())?;
        let mut second = signal(SignalKind::user_defined1())?;
        let mut other = signal(SignalKind::user_defined2())?;
        for _ in 0..3 {
            raise(SignalKind::user_defined1());
            assert_eq!(first.recv().await, Some(()));
            assert_eq!(second.next().await, Some(()));
        }
        assert!(other.poll_recv(&mut Context::from_waker(Waker::noop())).is_pending());
        raise(SignalKind::user_defined2());
        assert_eq!(other.recv().await, Some(()));
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_listener_hears_nothing_from_before_it_listened() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    support::run(async {
        let mut first = signal(SignalKind::user_defined1())?;
        raise(SignalKind::user_defined1());
        first.recv().await;
        let mut late = signal(SignalKind::user_defined1())?;
        assert!(late.poll_recv(&mut Context::from_waker(Waker::noop())).is_pending());
        raise(SignalKind::user_defined1());
        assert_eq!(late.recv().await, Some(()));
        Ok(())
    })
    .unwrap();
}

#[test]
fn arrivals_nobody_looked_at_count_as_one() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let (mut reactor, io) = Reactor::new(ReactorConfig::default()).unwrap();
    let _guard = context::enter(&io, Rc::new(Cell::new(255)));
    let mut listener = signal(SignalKind::user_defined1()).unwrap();
    for _ in 0..5 {
        raise(SignalKind::user_defined1());
    }
    reactor.turn(Wait::Forever, &mut Vec::new()).unwrap();
    let mut cx = Context::from_waker(Waker::noop());
    assert!(listener.poll_recv(&mut cx).is_ready());
    assert!(listener.poll_recv(&mut cx).is_pending());
}

#[test]
fn two_reactors_hear_the_same_signal() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let drivers = [support::Driver::start(), support::Driver::start()];
    let mut listeners =
        drivers.each_ref().map(|driver| driver.block_on(async { signal(SignalKind::user_defined2()) }).unwrap());
    raise(SignalKind::user_defined2());
    for (driver, listener) in drivers.iter().zip(&mut listeners) {
        assert_eq!(driver.block_on(listener.recv()), Some(()));
    }
    // One of them goes; the other still hears.
    let [gone, stays] = drivers;
    gone.io.shutdown(&mut Vec::new());
    assert_eq!(gone.block_on(listeners[0].recv()), None);
    raise(SignalKind::user_defined2());
    assert_eq!(stays.block_on(listeners[1].recv()), Some(()));
}

#[test]
fn ctrl_c_listens_from_the_call_on() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    support::run(async {
        let stop = ctrl_c();
        raise(SignalKind::interrupt());
        stop.await
    })
    .unwrap();
}

#[test]
fn signals_that_cannot_be_listened_to_are_errors() {
    support::run(async {
        for number in [libc::SIGKILL, libc::SIGSTOP, libc::SIGSEGV, libc::SIGILL, libc::SIGFPE, -1, 0, 1000] {
            let error = signal(SignalKind::from_raw(number)).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "signal {number}: {error}");
        }
        Ok(())
    })
    .unwrap();
    let error = signal(SignalKind::hangup()).unwrap_err();
    assert_eq!(wheelhouse_io::Error::inside(&error), Some(wheelhouse_io::Error::NoRuntime));
}

#[test]
fn a_flood_of_signals_neither_blocks_nor_loses_the_last() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let (mut reactor, io) = Reactor::new(ReactorConfig::default()).unwrap();
    let _guard = context::enter(&io, Rc::new(Cell::new(255)));
    let mut listener = signal(SignalKind::user_defined1()).unwrap();
    let mut cx = Context::from_waker(Waker::noop());
    // More than the pipe holds, with nobody looking.
    for _ in 0..2000 {
        raise(SignalKind::user_defined1());
    }
    for _ in 0..3 {
        reactor.turn(Wait::Forever, &mut Vec::new()).unwrap();
        assert!(listener.poll_recv(&mut cx).is_ready());
        raise(SignalKind::user_defined1());
    }
}
