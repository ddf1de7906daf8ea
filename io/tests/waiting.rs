//! Who waits for a socket, and who is woken.

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
use wheelhouse_io::net::{TcpListener, TcpStream, UdpSocket, UnixStream};
use wheelhouse_io::{Io, Reactor, ReactorConfig, Wait, context};

#[derive(Default)]
struct Count(AtomicUsize);

impl Count {
    fn get(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn entered() -> (Reactor, Io, context::EnterGuard) {
    let (reactor, io) = Reactor::new(ReactorConfig::default()).unwrap();
    let guard = context::enter(&io, Rc::new(Cell::new(255)));
    (reactor, io, guard)
}

/// Turns until nothing is left to hand out.
fn settle(reactor: &mut Reactor) {
    let mut wakes = Vec::new();
    while reactor.turn(Wait::Now, &mut wakes).unwrap().events > 0 {}
    wakes.into_iter().for_each(Waker::wake);
}

#[test]
fn an_event_wakes_every_task_that_waits_for_its_direction() {
    let (mut reactor, _io, _guard) = entered();
    let (a, b) = UnixStream::pair().unwrap();
    settle(&mut reactor);
    assert!(a.try_read(&mut [0; 1]).is_err());
    // Fill one direction, so that writers of `a` wait too.
    while a.try_write(&[0; 4096]).is_ok() {}
    let counts: Vec<Arc<Count>> = (0..8).map(|_| Arc::default()).collect();
    let wakers: Vec<Waker> = counts.iter().cloned().map(Waker::from).collect();
    let mut contexts: Vec<Context> = wakers.iter().map(Context::from_waker).collect();
    {
        let mut futures: Vec<_> = (0..3).map(|_| Box::pin(a.readable())).collect();
        for (future, cx) in futures.iter_mut().zip(&mut contexts) {
            assert!(future.as_mut().poll(cx).is_pending());
        }
        assert!(a.poll_read_ready(&mut contexts[3]).is_pending());
        assert!(a.poll_read_ready(&mut contexts[4]).is_pending());
        assert!(a.poll_write_ready(&mut contexts[5]).is_pending());
        b.try_write(b"x").unwrap();
        settle(&mut reactor);
        let woken: Vec<usize> = counts.iter().map(|count| count.get()).collect();
        assert_eq!(woken, [1, 1, 1, 1, 1, 0, 0, 0]);
        for (future, cx) in futures.iter_mut().zip(&mut contexts) {
            assert!(future.as_mut().poll(cx).is_ready());
        }
    }
    // Room to write wakes the writer alone.
    let mut buf = [0; 65536];
    while b.try_read(&mut buf).is_ok() {}
    settle(&mut reactor);
    assert_eq!(counts[5].get(), 1);
}

#[test]
fn a_dropped_wait_is_not_woken_and_the_others_are() {
    let (mut reactor, _io, _guard) = entered();
    let (a, b) = UnixStream::pair().unwrap();
    assert!(a.try_read(&mut [0; 1]).is_err());
    let (gone, stays) = (Arc::<Count>::default(), Arc::<Count>::default());
    let (gone_waker, stays_waker) = (gone.clone().into(), stays.clone().into());
    let mut staying = pin!(a.readable());
    let mut leaving = Box::pin(a.readable());
    assert!(leaving.as_mut().poll(&mut Context::from_waker(&gone_waker)).is_pending());
    assert!(staying.as_mut().poll(&mut Context::from_waker(&stays_waker)).is_pending());
    drop(leaving);
    assert_eq!(Arc::strong_count(&gone), 2, "the waker is gone with the wait");
    b.try_write(b"x").unwrap();
    settle(&mut reactor);
    assert_eq!((gone.get(), stays.get()), (0, 1));
}

#[test]
fn a_reader_that_is_polled_again_keeps_its_last_waker_alone() {
    let (mut reactor, _io, _guard) = entered();
    let (mut a, b) = UnixStream::pair().unwrap();
    let (first, last) = (Arc::<Count>::default(), Arc::<Count>::default());
    let (first_waker, last_waker) = (first.clone().into(), last.clone().into());
    let mut buf = [0; 1];
    for waker in [&first_waker, &last_waker] {
        assert!(pin!(a.read(&mut buf)).poll(&mut Context::from_waker(waker)).is_pending());
    }
    settle(&mut reactor);
    b.try_write(b"x").unwrap();
    settle(&mut reactor);
    assert_eq!((first.get(), last.get()), (0, 1));
}

#[test]
fn many_tasks_read_one_socket_and_each_message_is_read_once() {
    let driver = support::Driver::start();
    let (client, server) = driver.block_on(pair()).unwrap();
    let total = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                driver.block_on(async {
                    let mut buf = [0; 1];
                    while (&server).read(&mut buf).await.unwrap() == 1 {
                        total.fetch_add(usize::from(buf[0]), Ordering::SeqCst);
                    }
                });
            });
        }
        driver.block_on(async {
            for n in 0..2000 {
                (&client).write_all(&[(n % 7) as u8]).await.unwrap();
            }
            (&client).close().await.unwrap();
        });
    });
    assert_eq!(total.into_inner(), (0..2000).map(|n| n % 7).sum::<usize>());
}

async fn pair() -> io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let client = TcpStream::connect(listener.local_addr()?).await?;
    let (server, _) = listener.accept().await?;
    Ok((client, server))
}

#[test]
fn an_always_ready_socket_uses_up_the_budget_and_yields() {
    let (mut reactor, io) = Reactor::new(ReactorConfig::default()).unwrap();
    let (a, b) = support::block_on(&mut reactor, &io, async {
        let a = UdpSocket::bind("127.0.0.1:0").await?;
        let b = UdpSocket::bind("127.0.0.1:0").await?;
        a.connect(b.local_addr()?).await?;
        io::Result::Ok((a, b))
    })
    .unwrap();
    let budget = Rc::new(Cell::new(10));
    let _guard = context::enter(&io, budget.clone());
    let woken = Arc::<Count>::default();
    let waker = woken.clone().into();
    let mut cx = Context::from_waker(&waker);
    let sent = Cell::new(0);
    let mut sender = pin!(async {
        loop {
            a.send(b"x").await.unwrap();
            sent.set(sent.get() + 1);
        }
    });
    let _: Poll<()> = sender.as_mut().poll(&mut cx);
    assert_eq!((sent.get(), budget.get(), woken.get()), (10, 0, 1));
    budget.set(5);
    let _: Poll<()> = sender.as_mut().poll(&mut cx);
    assert_eq!((sent.get(), woken.get()), (15, 2));

    // What does not get ready spends nothing.
    budget.set(20);
    let mut buf = [0; 8];
    let mut drain = pin!(async {
        for _ in 0..15 {
            b.recv(&mut buf).await.unwrap();
        }
        b.recv(&mut buf).await.unwrap();
    });
    assert!(drain.as_mut().poll(&mut cx).is_pending());
    assert_eq!((budget.get(), woken.get()), (5, 2));
}

#[test]
fn without_a_reactor_a_socket_is_an_error_that_says_the_remedy() {
    let mut bind = pin!(TcpListener::bind("127.0.0.1:0"));
    let Poll::Ready(Err(error)) = bind.as_mut().poll(&mut Context::from_waker(Waker::noop())) else {
        panic!("no error");
    };
    assert_eq!(wheelhouse_io::Error::inside(&error), Some(wheelhouse_io::Error::NoRuntime));
    assert!(error.to_string().contains("inside a runtime"));
}

#[test]
fn nested_contexts_restore_what_was_current() {
    let (_one, one) = Reactor::new(ReactorConfig::default()).unwrap();
    let (_two, two) = Reactor::new(ReactorConfig::default()).unwrap();
    let outer = context::enter(&one, Rc::new(Cell::new(255)));
    {
        let _inner = context::enter(&two, Rc::new(Cell::new(255)));
        drop(UnixStream::pair().unwrap());
    }
    drop(UnixStream::pair().unwrap());
    assert_eq!((one.metrics().registered, two.metrics().registered), (2, 2));
    drop(outer);
    assert!(UnixStream::pair().is_err());
}

#[test]
fn tasks_that_lost_interest_in_a_shared_stream_leave_few_wakers_behind() {
    let (mut reactor, _io, _guard) = entered();
    let (a, b) = UnixStream::pair().unwrap();
    settle(&mut reactor);
    // One that waits by a future is not pushed out.
    let patient = Arc::<Count>::default();
    let waker = Waker::from(patient.clone());
    let mut readable = pin!(a.readable());
    assert!(a.try_read(&mut [0; 1]).is_err());
    assert!(readable.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    let counts: Vec<Arc<Count>> = (0..1_000).map(|_| Arc::default()).collect();
    for count in &counts {
        let waker = Waker::from(count.clone());
        let (mut reader, mut buf) = (&a, [0; 1]);
        assert!(pin!(reader.read(&mut buf)).poll(&mut Context::from_waker(&waker)).is_pending());
    }
    let kept = counts.iter().filter(|count| Arc::strong_count(count) > 1).count();
    assert_eq!(kept, 32);
    // Whoever was pushed out was told, and would have polled again; the others hear of the event.
    assert!(counts.iter().all(|count| count.get() == usize::from(Arc::strong_count(count) == 1)));
    b.try_write(b"x").unwrap();
    settle(&mut reactor);
    assert!(counts.iter().all(|count| count.get() == 1));
    assert_eq!(patient.get(), 1);
}
