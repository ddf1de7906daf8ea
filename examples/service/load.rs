//! Drives the service from inside its own process.

use std::io::{self, IsTerminal};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hdrhistogram::Histogram;
use http_body_util::{BodyExt, Empty};
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Request, StatusCode};
use indicatif::{ProgressBar, ProgressStyle};
use wheelhouse::compat::hyper::HyperIo;
use wheelhouse::net::TcpStream;
use wheelhouse::runtime::RuntimeMetrics;
use wheelhouse::time::{Instant, interval, timeout};

/// Connections; one in eight asks for a short sleep instead of the greeting.
const CONNECTIONS: usize = 64;

/// How long a client waits for an answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// What the load found.
#[derive(Debug)]
pub(crate) struct Report {
    span: Duration,
    failed: u64,
    first_failure: Option<String>,
    /// Microseconds.
    greetings: Histogram<u64>,
    /// Microseconds beyond the 10 ms that were asked for.
    sleeps: Histogram<u64>,
}

/// Keeps 64 connections busy for `span`.
pub(crate) async fn drive(addr: SocketAddr, span: Duration) -> Result<Report, String> {
    let answered = Arc::new(AtomicU64::new(0));
    let start = Instant::now();
    let client = |i| wheelhouse::spawn(client(addr, i % 8 == 7, start + span, Arc::clone(&answered)));
    let clients: Vec<_> = (0..CONNECTIONS).map(client).collect();
    let progress = wheelhouse::spawn(progress(start, span, Arc::clone(&answered)));
    let empty = || Histogram::new(3).map_err(|error| error.to_string());
    let mut report = Report { span, failed: 0, first_failure: None, greetings: empty()?, sleeps: empty()? };
    for client in clients {
        let client = client.await.map_err(|error| error.to_string())?;
        let into = if client.sleeps { &mut report.sleeps } else { &mut report.greetings };
        into.add(&client.latency).map_err(|error| error.to_string())?;
        if let Some(failure) = client.failure {
            report.failed += 1;
            report.first_failure.get_or_insert(failure);
        }
    }
    report.span = start.elapsed();
    progress.await.map_err(|error| error.to_string())?;
    Ok(report)
}

/// What one client saw.
struct Client {
    sleeps: bool,
    latency: Histogram<u64>,
    failure: Option<String>,
}

async fn client(addr: SocketAddr, sleeps: bool, end: Instant, answered: Arc<AtomicU64>) -> Client {
    // Three digits, up to an hour: fixed bounds that the histogram accepts.
    let latency = Histogram::new_with_max(3_600_000_000, 3).expect("three digits are within the histogram's range");
    let mut client = Client { sleeps, latency, failure: None };
    if let Err(failure) = requests(addr, &mut client, end, &answered).await {
        client.failure = Some(failure);
    }
    client
}

async fn requests(addr: SocketAddr, client: &mut Client, end: Instant, answered: &AtomicU64) -> Result<(), String> {
    let stream = TcpStream::connect(addr).await.map_err(|error| format!("connect: {error}"))?;
    let _ = stream.set_nodelay(true);
    let (mut sender, connection) = handshake(HyperIo::new(stream)).await.map_err(|error| error.to_string())?;
    let connection = wheelhouse::spawn(connection);
    let (path, asked) = if client.sleeps { ("/sleep/10", Duration::from_millis(10)) } else { ("/", Duration::ZERO) };
    while Instant::now() < end {
        let start = Instant::now();
        match timeout(PATIENCE, request(&mut sender, addr, path)).await {
            Ok(outcome) => outcome?,
            Err(_) => return Err(format!("no answer within {} s", PATIENCE.as_secs())),
        }
        let micros = start.elapsed().saturating_sub(asked).as_micros();
        client.latency.saturating_record(u64::try_from(micros).unwrap_or(u64::MAX));
        // Relaxed: statistics.
        answered.fetch_add(1, Ordering::Relaxed);
    }
    drop(sender);
    let _ = connection.await;
    Ok(())
}

async fn request(sender: &mut SendRequest<Empty<Bytes>>, addr: SocketAddr, path: &str) -> Result<(), String> {
    let request = Request::get(path).header("host", addr.to_string()).body(Empty::new());
    let request = request.map_err(|error| error.to_string())?;
    let response = sender.send_request(request).await.map_err(|error| error.to_string())?;
    let status = response.status();
    let _body = response.into_body().collect().await.map_err(|error| error.to_string())?;
    if status == StatusCode::OK { Ok(()) } else { Err(format!("{path} answered {status}")) }
}

/// A bar on a terminal, a line a second elsewhere.
async fn progress(start: Instant, span: Duration, answered: Arc<AtomicU64>) {
    let millis = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let terminal = io::stderr().is_terminal();
    let bar = if terminal { ProgressBar::new(millis(span)) } else { ProgressBar::hidden() };
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {elapsed} {msg}") {
        bar.set_style(style);
    }
    let mut ticks = interval(if terminal { Duration::from_millis(100) } else { Duration::from_secs(1) });
    while start.elapsed() < span {
        ticks.tick().await;
        // Relaxed: statistics.
        let requests = answered.load(Ordering::Relaxed);
        let elapsed = start.elapsed();
        bar.set_position(millis(elapsed.min(span)));
        bar.set_message(format!("{requests} requests"));
        if !terminal {
            println!("{:4.1} s: {requests} requests", elapsed.as_secs_f64());
        }
    }
    bar.finish_and_clear();
}

impl Report {
    /// Prints it together with what the timers did.
    pub(crate) fn print(&self, metrics: &RuntimeMetrics) {
        let requests = self.greetings.len() + self.sleeps.len();
        let seconds = self.span.as_secs_f64();
        println!("{requests} requests in {seconds:.2} s: {:.0} requests/s", requests as f64 / seconds);
        print_latency("latency of /", &self.greetings);
        print_latency("lateness of /sleep/10", &self.sleeps);
        if let Some(failure) = &self.first_failure {
            println!("{} clients failed, the first: {failure}", self.failed);
        }
        let timers = metrics.timers();
        println!(
            "timers: {} armed, {} fired, {} cancelled, {} extended without a lock",
            timers.armed, timers.fired, timers.cancelled, timers.extended
        );
        let us = |share| timers.lateness.quantile(share).as_nanos() as f64 / 1e3;
        println!("timer lateness: p50 <= {:.0} us, p99 <= {:.0} us, p99.9 <= {:.0} us", us(0.5), us(0.99), us(0.999));
    }

    /// The load's own failure, if it had one.
    pub(crate) fn failure(&self) -> Option<String> {
        self.first_failure.as_ref().map(|failure| format!("{} of {CONNECTIONS} clients failed: {failure}", self.failed))
    }
}

fn print_latency(what: &str, latency: &Histogram<u64>) {
    let at = |percentile| latency.value_at_percentile(percentile) as f64 / 1e3;
    println!(
        "{what}: p50 {:.2} ms, p90 {:.2} ms, p99 {:.2} ms, p99.9 {:.2} ms, max {:.2} ms",
        at(50.0),
        at(90.0),
        at(99.0),
        at(99.9),
        latency.max() as f64 / 1e3
    );
}
