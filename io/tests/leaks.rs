//! Descriptors: none left behind, and none with a stale event. Alone in its process, since it counts them.
#![cfg(target_os = "linux")]

mod support;

use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::sync::Mutex;

use futures::{AsyncReadExt, AsyncWriteExt};
use wheelhouse_io::io::Interest;
use wheelhouse_io::net::{TcpListener, TcpStream, UnixStream};
use wheelhouse_io::signal::unix::{SignalKind, signal};
use wheelhouse_io::{Reactor, ReactorConfig};

/// The tests of this file count the process' descriptors, so they run one after the other.
static ALONE: Mutex<()> = Mutex::new(());

fn open_descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

async fn some_traffic() -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let mut client = TcpStream::connect(listener.local_addr()?).await?;
    let (mut server, _) = listener.accept().await?;
    client.write_all(b"hello").await?;
    server.read_exact(&mut [0; 5]).await?;
    Ok(())
}

#[test]
fn nothing_is_left_of_fifty_reactors() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let one = |keep: &mut Vec<_>| {
        let (mut reactor, io) = Reactor::new(ReactorConfig::default()).unwrap();
        support::block_on(&mut reactor, &io, async {
            some_traffic().await?;
            keep.push(signal(SignalKind::window_change())?);
            keep.push(signal(SignalKind::window_change())?);
            io::Result::Ok(())
        })
        .unwrap();
        io.shutdown(&mut Vec::new());
    };
    let mut signals = Vec::new();
    one(&mut signals); // what the process allocates once
    let before = open_descriptors();
    for _ in 0..50 {
        one(&mut signals);
    }
    assert_eq!(open_descriptors(), before);
}

#[test]
fn a_handle_that_outlives_its_reactor_holds_no_poller() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let before = open_descriptors();
    let (mut reactor, io) = Reactor::new(ReactorConfig::default()).unwrap();
    let (a, _) = support::block_on(&mut reactor, &io, async { UnixStream::pair() }).unwrap();
    io.shutdown(&mut Vec::new());
    drop(reactor);
    // The socket itself, and the notifier's eventfd for as long as somebody may notify.
    assert!(open_descriptors() <= before + 2);
    drop((a, io));
    assert_eq!(open_descriptors(), before);
}

#[test]
fn a_reused_number_meets_no_event_of_its_last_owner() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let (mut reactor, io) = Reactor::new(ReactorConfig::default()).unwrap();
    support::block_on(&mut reactor, &io, async {
        let mut duplicates = Vec::new();
        let mut reused = 0;
        let mut last = -1;
        for round in 0..200u8 {
            let (ours, mut theirs) = std::os::unix::net::UnixStream::pair()?;
            // Keeps the description alive, and with it whatever the poller knew of it.
            duplicates.push(ours.try_clone()?);
            let mut ours = UnixStream::from_std(ours)?;
            reused += usize::from(ours.as_raw_fd() == last);
            last = ours.as_raw_fd();
            theirs.write_all(&[round])?;
            let mut buf = [0; 1];
            ours.read_exact(&mut buf).await?;
            assert_eq!(buf, [round]);
            drop(ours);
            // An event that the old owner would have got, if it were still in the poller.
            theirs.write_all(b"stale")?;
            let (mut next, peer) = UnixStream::pair()?;
            assert!(next.try_read(&mut [0; 1]).is_err());
            support::yield_now().await;
            assert!(next.try_io(Interest::READABLE, || Ok(())).is_err(), "an event of the last owner");
            let read = async { next.read(&mut [0; 1]).await };
            let write = async { (&peer).write_all(b"x").await };
            let (read, written) = futures::join!(read, write);
            written?;
            assert_eq!(read?, 1);
        }
        assert!(reused > 100, "{reused}");
        io::Result::Ok(())
    })
    .unwrap();
    assert_eq!(io.metrics().sources, 0);
}

#[test]
fn a_closed_socket_is_out_of_the_poller_although_a_duplicate_lives() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let (mut reactor, io) = Reactor::new(ReactorConfig::default()).unwrap();
    let (duplicate, mut theirs) = support::block_on(&mut reactor, &io, async {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
        let duplicate = ours.try_clone()?;
        drop(UnixStream::from_std(ours)?);
        io::Result::Ok((duplicate, theirs))
    })
    .unwrap();
    io.notifier().notify().unwrap();
    while reactor.turn(wheelhouse_io::Wait::Now, &mut Vec::new()).unwrap() != Default::default() {}
    theirs.write_all(b"x").unwrap();
    // An entry left in the poller would end this wait at once, for ever and again.
    let io_thread = io.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(30));
        io_thread.notifier().notify().unwrap();
    });
    let turned = reactor.turn(wheelhouse_io::Wait::Forever, &mut Vec::new()).unwrap();
    assert!(turned.notified);
    thread.join().unwrap();
    drop(duplicate);
}
