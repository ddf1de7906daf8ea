//! A reactor that goes while its sockets live elsewhere.

mod support;

use std::cell::Cell;
use std::future::Future;
use std::io;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures::{AsyncReadExt, AsyncWriteExt};
use wheelhouse_io::io::Interest;
use wheelhouse_io::net::{TcpListener, TcpStream, UdpSocket, UnixStream};
use wheelhouse_io::signal::unix::{SignalKind, signal};
use wheelhouse_io::{Error, Reactor, ReactorConfig, context};

#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("pending after the shutdown"),
    }
}

fn says_so<T: std::fmt::Debug>(result: io::Result<T>) {
    assert_eq!(Error::inside(&result.unwrap_err()), Some(Error::ShutDown));
}

#[test]
fn operations_after_the_shutdown_are_errors_that_say_so() {
    let (mut reactor, io) = Reactor::new(ReactorConfig::default()).unwrap();
    let (listener, mut client, udp, mut signals) = support::block_on(&mut reactor, &io, async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let client = TcpStream::connect(listener.local_addr()?).await?;
        let udp = UdpSocket::bind("127.0.0.1:0").await?;
        io::Result::Ok((listener, client, udp, signal(SignalKind::window_change())?))
    })
    .unwrap();
    io.shutdown(&mut Vec::new());
    drop(reactor);
    let _guard = context::enter(&io, Rc::new(Cell::new(255)));
    says_so(now(listener.accept()));
    says_so(now(client.read(&mut [0; 1])));
    says_so(now(client.write(b"x")));
    says_so(now(client.readable()));
    says_so(client.try_read(&mut [0; 1]));
    says_so(client.try_write(b"x"));
    says_so(client.try_io(Interest::READABLE, || Ok(())));
    says_so(now(udp.recv(&mut [0; 1])));
    says_so(now(UdpSocket::bind("127.0.0.1:0")));
    says_so(UnixStream::pair());
    assert_eq!(now(signals.recv()), None);
    says_so(signal(SignalKind::window_change()));
    // What needs no reactor still works.
    assert!(client.peer_addr().is_ok());
    client.into_std().unwrap();
}

#[test]
fn whoever_waits_is_woken_by_the_shutdown_once() {
    let (reactor, io) = Reactor::new(ReactorConfig::default()).unwrap();
    let guard = context::enter(&io, Rc::new(Cell::new(255)));
    let (mut a, _b) = UnixStream::pair().unwrap();
    let mut signals = signal(SignalKind::window_change()).unwrap();
    let woken = Arc::<Count>::default();
    let waker = woken.clone().into();
    let mut cx = Context::from_waker(&waker);
    let mut buf = [0; 1];
    assert!(pin!(a.read(&mut buf)).poll(&mut cx).is_pending());
    assert!(signals.poll_recv(&mut cx).is_pending());
    drop(guard);
    let mut wakes = Vec::new();
    io.shutdown(&mut wakes);
    io.shutdown(&mut wakes);
    assert_eq!(wakes.len(), 2);
    wakes.into_iter().for_each(Waker::wake);
    assert_eq!(woken.0.load(Ordering::SeqCst), 2);
    drop(reactor);
}

#[test]
fn a_shutdown_races_registrations_without_losing_one() {
    for _ in 0..50 {
        let driver = support::Driver::start();
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    driver.block_on(async {
                        // Ends by an error at the latest once the reactor is gone.
                        let error = loop {
                            let result = async {
                                let (mut a, _b) = UnixStream::pair()?;
                                a.read(&mut [0; 1]).await
                            };
                            if let Err(error) = result.await {
                                break error;
                            }
                        };
                        assert_eq!(Error::inside(&error), Some(Error::ShutDown));
                    });
                });
            }
            std::thread::sleep(std::time::Duration::from_micros(200));
            let mut wakes = Vec::new();
            driver.io.shutdown(&mut wakes);
            wakes.into_iter().for_each(Waker::wake);
        });
    }
}

#[test]
fn a_dropped_reactor_wakes_whoever_waits() {
    let (reactor, io) = Reactor::new(ReactorConfig::default()).unwrap();
    let _guard = context::enter(&io, Rc::new(Cell::new(255)));
    let (mut a, _b) = UnixStream::pair().unwrap();
    let woken = Arc::<Count>::default();
    let waker = woken.clone().into();
    let mut buf = [0; 1];
    assert!(pin!(a.read(&mut buf)).poll(&mut Context::from_waker(&waker)).is_pending());
    drop(reactor);
    assert_eq!(woken.0.load(Ordering::SeqCst), 1);
    says_so(now(a.read(&mut buf)));
}
