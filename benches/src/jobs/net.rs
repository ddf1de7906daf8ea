//! Jobs of TCP: echo (beside a bare epoll loop), HTTP driven by wrk, and idle connections.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};

use crate::gate::Gate;
use crate::hist::Histogram;
use crate::jobs::Opts;
use crate::rt::{Rt, echo_server, read_exact};
use crate::sample::Sample;
use crate::sys::{Epoll, memory, raise_file_limit};

const CONNECTIONS: usize = 64;
const MESSAGE: usize = 64;

/// 64 connections with 64-byte round trips, both ends on the runtime.
pub(crate) fn echo<R: Rt>(opts: &Opts) -> Sample {
    let span = span(opts);
    let rate = R::run(opts.workers, async move {
        let addr = echo_server::<R>().await.expect("a listener on loopback");
        let trips: &'static AtomicU64 = Box::leak(Box::default());
        let stop: &'static AtomicBool = Box::leak(Box::default());
        let ended = Gate::new(CONNECTIONS);
        for _ in 0..CONNECTIONS {
            R::detach(async move {
                let mut stream = R::connect(addr).await.expect("the echo server accepts");
                let mut buf = [0; MESSAGE];
                // Relaxed, here and below: counters.
                while !stop.load(Ordering::Relaxed) {
                    R::write_all(&mut stream, &buf).await.expect("a round trip");
                    read_exact::<R>(&mut stream, &mut buf).await.expect("a round trip");
                    trips.fetch_add(1, Ordering::Relaxed);
                }
                ended.pass();
            });
        }
        R::sleep(Duration::from_millis(300)).await;
        let (start, before) = (Instant::now(), trips.load(Ordering::Relaxed));
        R::sleep(span).await;
        let rate = (trips.load(Ordering::Relaxed) - before) as f64 / start.elapsed().as_secs_f64();
        stop.store(true, Ordering::Relaxed);
        ended.open().await;
        rate
    });
    Sample::of("rate", rate)
}

/// The same on two threads with an epoll loop each, one for the server's ends and one for the clients'.
pub(crate) fn echo_bare(opts: &Opts) -> Sample {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a listener on loopback");
    let addr = listener.local_addr().expect("a bound address");
    let connect = |_| TcpStream::connect(addr).expect("the listener's backlog has room");
    let clients: Vec<_> = (0..CONNECTIONS).map(connect).collect();
    let servers: Vec<_> = (0..CONNECTIONS).map(|_| listener.accept().expect("a waiting connection").0).collect();
    let trips: &'static AtomicU64 = Box::leak(Box::default());
    for mut client in &clients {
        client.write_all(&[0; MESSAGE]).expect("the first message");
    }
    for ends in [clients, servers] {
        // Never joined: the process ends when the figure is printed.
        thread::spawn(move || bounce(&ends, trips));
    }
    thread::sleep(Duration::from_millis(300));
    let (start, before) = (Instant::now(), trips.load(Ordering::Relaxed));
    thread::sleep(span(opts));
    let bounces = (trips.load(Ordering::Relaxed) - before) as f64;
    // Each round trip bounces once at either end.
    Sample::of("rate", bounces / 2.0 / start.elapsed().as_secs_f64())
}

/// Sends each message back, for ever.
fn bounce(ends: &[TcpStream], count: &AtomicU64) {
    let epoll = Epoll::new().expect("an epoll instance");
    for (i, end) in ends.iter().enumerate() {
        end.set_nonblocking(true).expect("a socket option");
        end.set_nodelay(true).expect("a TCP option");
        epoll.watch(end.as_raw_fd(), i as u64).expect("room in the epoll instance");
    }
    let mut events = vec![libc::epoll_event { events: 0, u64: 0 }; CONNECTIONS];
    let mut buf = [0; 1024];
    loop {
        for key in epoll.wait(&mut events, -1) {
            let mut end = &ends[key as usize];
            // One read a readiness: the peer sends nothing more before it has its answer.
            if let Ok(n) = end.read(&mut buf) {
                end.write_all(&buf[..n]).expect("64 bytes fit the socket's buffer");
                count.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

fn span(opts: &Opts) -> Duration {
    Duration::from_millis(if opts.quick { 700 } else { 1_500 })
}

/// Whether `wrk` can be started.
pub(crate) fn have_wrk() -> bool {
    Command::new("wrk").arg("-v").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// hyper's "hello world" on the runtime, driven by `wrk -t2 -c64` from outside.
pub(crate) fn http<R: Rt>(opts: &Opts) -> Sample {
    let seconds = if opts.quick { 1 } else { 3 };
    R::run(opts.workers, async move {
        let (listener, addr) = R::bind().await.expect("a listener on loopback");
        R::detach(async move {
            while let Ok(stream) = R::accept(&listener).await {
                R::detach(async move {
                    let service = service_fn(|_: Request<Incoming>| async {
                        Ok::<_, io::Error>(Response::new(Full::new(Bytes::from_static(b"Hello, world!\n"))))
                    });
                    let io = R::hyper_io(stream);
                    let _ = http1::Builder::new().timer(R::hyper_timer()).serve_connection(io, service).await;
                });
            }
        });
        let output: Arc<Mutex<Option<io::Result<String>>>> = Arc::default();
        let done = Gate::new(1);
        thread::spawn({
            let output = Arc::clone(&output);
            move || {
                let run = wrk(addr, seconds);
                *output.lock().expect("nobody panics with the lock") = Some(run);
                done.pass();
            }
        });
        done.open().await;
        let output = output.lock().expect("nobody panics with the lock").take();
        let output = output.expect("the thread has stored it").expect("wrk runs");
        let figure = |name| {
            let rest = output.lines().find_map(|line| line.trim().strip_prefix(name));
            rest.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok())
        };
        let sample = Sample::of("rate", figure("Requests/sec:").unwrap_or(f64::NAN));
        sample.with("socket_errors", if output.contains("Socket errors") { 1.0 } else { 0.0 })
    })
}

fn wrk(addr: SocketAddr, seconds: u32) -> io::Result<String> {
    let seconds = format!("-d{seconds}s");
    let output = Command::new("wrk").args(["-t2", "-c64", &seconds, &format!("http://{addr}/")]).output()?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// 10,000 idle connections, each read under a timeout of 60 s: what they add to the resident memory of the server.
pub(crate) fn connections<R: Rt>(opts: &Opts) -> Sample {
    let n = if opts.quick { 2_000 } else { 10_000 };
    raise_file_limit();
    R::run(opts.workers, async move {
        let (listener, addr) = R::bind().await.expect("a listener on loopback");
        let before = memory("VmRSS");
        let mut clients = spawn_clients(addr, n).expect("this program can start itself");
        for _ in 0..n {
            let mut stream = R::accept(&listener).await.expect("room for another descriptor");
            R::detach(async move {
                // What an idle connection weighs is the runtime's, not a buffer's.
                let mut buf = [0; 1];
                while let Some(Ok(1..)) = R::timeout(Duration::from_secs(60), R::read(&mut stream, &mut buf)).await {}
            });
        }
        R::sleep(Duration::from_millis(200)).await;
        let rss = memory("VmRSS");
        let _ = clients.kill();
        let _ = clients.wait();
        Sample::of("rss", rss - before).with("each_kib", (rss - before) * 1024.0 / n as f64)
    })
}

fn spawn_clients(addr: SocketAddr, n: usize) -> io::Result<Child> {
    Command::new(std::env::current_exe()?)
        .args(["clients", &addr.to_string(), &n.to_string()])
        .stdin(Stdio::piped())
        .spawn()
}

/// The other end of [`connections`], a process of its own: connects `n` times, then waits for its input to end.
pub(crate) fn clients(addr: SocketAddr, n: usize) -> io::Result<()> {
    raise_file_limit();
    let mut streams = Vec::with_capacity(n);
    for i in 0..n {
        streams.push(TcpStream::connect(addr)?);
        if i % 100 == 99 {
            // Not faster than the server accepts: a full backlog costs a second for the lost SYN to be sent again.
            thread::sleep(Duration::from_millis(3));
        }
    }
    io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

/// Round trips with a pause after each until `done`, on a blocking socket outside the runtime: the client itself needs no
/// turn of the scheduler that it measures.
pub(crate) fn echo_client(addr: SocketAddr, pause: Duration, done: &AtomicBool) -> Histogram {
    let histogram = Histogram::default();
    let mut stream = TcpStream::connect(addr).expect("the echo server accepts");
    stream.set_nodelay(true).expect("a TCP option");
    let mut buf = [0; MESSAGE];
    // Relaxed: only ends the loop.
    while !done.load(Ordering::Relaxed) {
        let start = Instant::now();
        stream.write_all(&buf).expect("a round trip");
        stream.read_exact(&mut buf).expect("a round trip");
        let took = start.elapsed();
        histogram.record(took);
        // The round trips that a steady client would have begun in the meantime have waited too.
        let mut missed = took;
        while let Some(left) = missed.checked_sub(pause).filter(|left| *left > pause) {
            histogram.record(left);
            missed = left;
        }
        thread::sleep(pause);
    }
    histogram
}
