use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use futures::channel::oneshot;
use futures::io::{AsyncReadExt, AsyncWriteExt, Cursor};
use hyper::body::Incoming;
use hyper::rt::{Executor, Read, ReadBuf, Sleep, Timer, Write};
use hyper::service::service_fn;
use hyper::{Request, Response};

use super::drain::Drain;
use super::{FuturesIo, HyperExecutor, HyperIo, HyperTimer, serve};
use crate::net::{TcpListener, TcpStream};
use crate::runtime::Builder;
use crate::time::{Instant, sleep, timeout};

fn on_runtime<F: Future>(future: F) -> F::Output {
    Builder::new_current_thread().build().expect("a runtime").block_on(future)
}

fn on_paused_runtime<F: Future>(future: F) -> F::Output {
    Builder::new_current_thread().start_paused(true).build().expect("a runtime").block_on(future)
}

async fn pair() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let addr = listener.local_addr().expect("a bound address");
    let client = TcpStream::connect(addr).await.expect("the listener has room");
    (client, listener.accept().await.expect("a waiting connection").0)
}

async fn read_once(io: &mut (impl Read + Unpin), room: usize) -> Vec<u8> {
    let mut memory = vec![MaybeUninit::uninit(); room];
    let mut buf = ReadBuf::uninit(&mut memory);
    poll_fn(|cx| Pin::new(&mut *io).poll_read(cx, buf.unfilled())).await.expect("a read");
    buf.filled().to_vec()
}

#[test]
fn a_read_fills_uninitialised_memory_and_the_end_advances_nothing() {
    on_runtime(async {
        let (mut client, server) = pair().await;
        let mut io = HyperIo::new(server);
        client.write_all(b"hello").await.expect("a write");
        assert_eq!(read_once(&mut io, 3).await, b"hel");
        assert_eq!(read_once(&mut io, 16).await, b"lo");
        client.close().await.expect("a half-close");
        assert_eq!(read_once(&mut io, 16).await, b"");
    });
}

#[test]
fn vectored_writes_arrive_in_order() {
    on_runtime(async {
        let (mut client, server) = pair().await;
        let mut io = HyperIo::new(server);
        assert!(io.is_write_vectored());
        let bufs = [IoSlice::new(b"one "), IoSlice::new(b""), IoSlice::new(b"two")];
        let n = poll_fn(|cx| Pin::new(&mut io).poll_write_vectored(cx, &bufs)).await.expect("a write");
        assert_eq!(n, 7);
        poll_fn(|cx| Pin::new(&mut io).poll_shutdown(cx)).await.expect("a shutdown");
        let mut text = String::new();
        client.read_to_string(&mut text).await.expect("the text");
        assert_eq!(text, "one two");
    });
}

#[test]
fn any_futures_io_stream_reads_as_hyper_wants() {
    on_runtime(async {
        let mut io = FuturesIo::new(Cursor::new(b"hello".to_vec()));
        assert_eq!(read_once(&mut io, 3).await, b"hel");
        assert_eq!(read_once(&mut io, 16).await, b"lo");
        assert_eq!(read_once(&mut io, 16).await, b"");
    });
}

#[test]
fn a_reset_keeps_the_allocation_and_the_new_deadline_holds() {
    on_paused_runtime(async {
        let timer = HyperTimer::new();
        let start = Instant::now();
        let mut sleep = timer.sleep(Duration::from_secs(1));
        let before = std::ptr::from_ref(&*sleep).cast::<()>();
        assert!(futures::poll!(sleep.as_mut()).is_pending());
        timer.reset(&mut sleep, timer.now() + Duration::from_secs(5));
        assert_eq!(std::ptr::from_ref(&*sleep).cast::<()>(), before);
        sleep.await;
        assert_eq!(start.elapsed(), Duration::from_secs(5));
    });
}

#[test]
fn the_timers_now_is_the_paused_clocks() {
    on_paused_runtime(async {
        let timer = HyperTimer::new();
        let start = timer.now();
        assert_eq!(timer.now(), start);
        sleep(Duration::from_secs(60)).await;
        assert_eq!(timer.now() - start, Duration::from_secs(60));
        timer.sleep_until(start + Duration::from_secs(90)).await;
        assert_eq!(timer.now() - start, Duration::from_secs(90));
    });
}

struct Foreign;

impl Future for Foreign {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }
}

impl Sleep for Foreign {}

#[test]
fn a_reset_of_a_foreign_sleep_replaces_it() {
    on_paused_runtime(async {
        let timer = HyperTimer::new();
        let start = Instant::now();
        let mut sleep: Pin<Box<dyn Sleep>> = Box::pin(Foreign);
        timer.reset(&mut sleep, timer.now() + Duration::from_millis(7));
        sleep.await;
        assert_eq!(start.elapsed(), Duration::from_millis(7));
    });
}

#[test]
fn the_executor_runs_what_it_is_handed() {
    on_runtime(async {
        let (tx, rx) = oneshot::channel();
        HyperExecutor::new().execute(async move { tx.send(7).expect("the receiver waits") });
        assert_eq!(rx.await, Ok(7));
    });
}

#[test]
fn connections_that_are_gone_are_swept_out() {
    let mut drain = Drain::default();
    let kept: Vec<_> = (0..10).map(|_| drain.join()).collect();
    for _ in 0..10_000 {
        drop(drain.join());
    }
    assert!(drain.links() <= 200, "{} links", drain.links());
    drop(kept);
    futures::executor::block_on(drain.wait());
}

/// A server whose every request takes `delay`, and the sender that stops it.
async fn server(delay: Duration) -> (SocketAddr, oneshot::Sender<()>, crate::task::JoinHandle<std::io::Result<()>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let addr = listener.local_addr().expect("a bound address");
    let service = service_fn(move |_: Request<Incoming>| async move {
        sleep(delay).await;
        Ok::<_, Infallible>(Response::new("hello".to_owned()))
    });
    let (stop, stopped) = oneshot::channel();
    let serving = serve(listener, service)
        .graceful_shutdown(stopped)
        .header_read_timeout(Duration::from_millis(400))
        .drain_timeout(Duration::from_secs(5));
    (addr, stop, crate::spawn(serving.into_future()))
}

async fn request(stream: &mut TcpStream) {
    stream.write_all(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n").await.expect("a write");
}

async fn response(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    let mut buf = [0; 256];
    while !text.ends_with(b"hello") {
        match stream.read(&mut buf).await.expect("a read") {
            0 => break,
            n => text.extend_from_slice(&buf[..n]),
        }
    }
    String::from_utf8(text).expect("text")
}

#[test]
fn a_stopped_server_answers_what_is_in_flight_and_refuses_the_rest() {
    on_runtime(async {
        let (addr, stop, serving) = server(Duration::from_millis(150)).await;
        let mut idle = TcpStream::connect(addr).await.expect("the server accepts");
        request(&mut idle).await;
        assert!(response(&mut idle).await.starts_with("HTTP/1.1 200 OK"));
        let mut busy = TcpStream::connect(addr).await.expect("the server accepts");
        request(&mut busy).await;
        sleep(Duration::from_millis(50)).await;
        stop.send(()).expect("the server waits for it");
        let text = response(&mut busy).await;
        assert!(text.starts_with("HTTP/1.1 200 OK") && text.contains("connection: close"), "{text}");
        assert_eq!(idle.read(&mut [0; 1]).await.expect("a read"), 0, "the idle connection is closed");
        let served = timeout(Duration::from_secs(5), serving).await.expect("the server ends");
        served.expect("no panic").expect("no error");
        assert!(TcpStream::connect(addr).await.is_err(), "a new connection is refused");
    });
}

#[test]
fn a_head_that_does_not_come_closes_the_connection() {
    on_runtime(async {
        let (addr, _stop, _serving) = server(Duration::ZERO).await;
        let mut stream = TcpStream::connect(addr).await.expect("the server accepts");
        stream.write_all(b"GET / HT").await.expect("a write");
        let mut rest = Vec::new();
        let closed = timeout(Duration::from_secs(5), stream.read_to_end(&mut rest)).await;
        assert!(closed.is_ok(), "still open");
    });
}

#[test]
fn a_drain_gives_up_at_its_limit() {
    on_runtime(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let addr = listener.local_addr().expect("a bound address");
        let never = service_fn(|_: Request<Incoming>| std::future::pending::<Result<Response<String>, Infallible>>());
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = serve(listener, never).graceful_shutdown(stopped).drain_timeout(Duration::from_millis(50));
        let mut serving = pin!(serving.into_future());
        assert!(futures::poll!(serving.as_mut()).is_pending());
        let mut stream = TcpStream::connect(addr).await.expect("the server accepts");
        request(&mut stream).await;
        let _ = timeout(Duration::from_millis(50), serving.as_mut()).await;
        drop(stop);
        let ended = timeout(Duration::from_secs(5), serving).await;
        ended.expect("it ends at its limit").expect("no error");
    });
}
