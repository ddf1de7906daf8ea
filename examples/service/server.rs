//! Listens, accepts, and ends in good order.

use std::future::{Future, poll_fn};
use std::io;
use std::net::Ipv4Addr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;
use std::time::Duration;

use futures::future::{Either, select};
use wheelhouse::net::TcpListener;
use wheelhouse::runtime::Handle;
use wheelhouse::signal::unix::{Signal, SignalKind, signal};
use wheelhouse::task::JoinSet;
use wheelhouse::time::{interval, timeout};

use crate::args::Args;
use crate::connection::connection;
use crate::load;

/// How often the service says that it lives.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// How long requests in flight are waited for at the end: longer than any request may take.
const DRAIN: Duration = Duration::from_secs(90);

/// What the connections share.
#[derive(Debug, Default)]
pub(crate) struct Service {
    /// Close a connection on which nothing was asked for so long.
    pub(crate) idle: Duration,
    /// Requests answered.
    pub(crate) requests: AtomicU64,
    /// Requests cut off by their time limit.
    pub(crate) cut_off: AtomicU64,
    /// Connections accepted.
    pub(crate) accepted: AtomicU64,
    /// Connections open now.
    pub(crate) open: AtomicU64,
    /// Connections closed because nothing was asked on them.
    pub(crate) idled_out: AtomicU64,
}

/// Serves until a signal comes or the load is over.
pub(crate) async fn run(args: &Args) -> Result<(), String> {
    // Before the address is printed: whoever reads it may send a signal.
    let mut stop = Stop::listen().map_err(|error| format!("signals cannot be listened to: {error}"))?;
    let bound = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)).await;
    let listener = bound.map_err(|error| format!("cannot listen on 127.0.0.1:{}: {error}", args.port))?;
    let addr = listener.local_addr().map_err(|error| error.to_string())?;
    println!("listening on http://{addr}, two things to try:");
    println!("  curl http://{addr}/sleep/300");
    println!("  curl http://{addr}/metrics");
    let service = Arc::new(Service { idle: args.idle, ..Service::default() });
    let heartbeat = wheelhouse::spawn(heartbeat(Arc::clone(&service)));
    match args.load {
        None => {
            let mut connections = accept_until(listener, &service, pin!(stop.requested())).await;
            println!("draining {} connections; a second signal ends at once", connections.len());
            drain(&mut connections, &mut stop).await?;
        }
        Some(span) => {
            let driven = async {
                let driver = wheelhouse::spawn(load::drive(addr, span));
                match select(pin!(stop.requested()), driver).await {
                    Either::Left(_) => Err("stopped by a signal before the load was over".to_owned()),
                    Either::Right((report, _)) => report.map_err(|error| error.to_string())?,
                }
            };
            let mut report = None;
            let mut connections = accept_until(listener, &service, pin!(async { report = Some(driven.await) })).await;
            drain(&mut connections, &mut stop).await?;
            if let Some(report) = report {
                let report = report?;
                report.print(&Handle::current().metrics());
                report.failure().map_or(Ok(()), Err)?;
            }
        }
    }
    heartbeat.abort();
    println!("{} requests answered on {} connections", count(&service.requests), count(&service.accepted));
    Ok(())
}

/// The connections under way, and the word that tells them to end.
struct Connections {
    tasks: JoinSet<()>,
    /// Dropped to tell it: every connection holds the other end.
    go_on: Option<async_channel::Sender<()>>,
}

impl Connections {
    fn len(&self) -> usize {
        self.tasks.len()
    }
}

/// Accepts until `stop` resolves. The listener is closed when this returns: new connections are refused.
async fn accept_until(
    listener: TcpListener,
    service: &Arc<Service>,
    mut stop: Pin<&mut impl Future<Output = ()>>,
) -> Connections {
    let (go_on, closing) = async_channel::bounded(1);
    let mut tasks = JoinSet::new();
    loop {
        match select(pin!(listener.accept()), stop.as_mut()).await {
            Either::Left((Ok((stream, _)), _)) => {
                tasks.spawn(connection(stream, Arc::clone(service), closing.clone()));
                while tasks.try_join_next().is_some() {}
            }
            // Out of descriptors, or a peer that is gone already: the listener itself waits until it is worth a try.
            Either::Left((Err(error), _)) => tracing::warn!(%error, "accept"),
            Either::Right(_) => return Connections { tasks, go_on: Some(go_on) },
        }
    }
}

/// Lets the requests in flight end. A second signal, or a request that does not end, makes it a failure.
async fn drain(connections: &mut Connections, stop: &mut Stop) -> Result<(), String> {
    connections.go_on = None;
    let ended = timeout(DRAIN, async { while connections.tasks.join_next().await.is_some() {} });
    match select(pin!(ended), pin!(stop.requested())).await {
        Either::Left((Ok(()), _)) => Ok(()),
        Either::Left((Err(_), _)) => Err(format!("requests were still in flight after {} s", DRAIN.as_secs())),
        Either::Right(_) => Err("a second signal: requests in flight are cut off".to_owned()),
    }
}

/// Logs now and then that the service lives, and what it does.
async fn heartbeat(service: Arc<Service>) {
    let mut ticks = interval(HEARTBEAT);
    loop {
        ticks.tick().await;
        tracing::info!(requests = count(&service.requests), open = count(&service.open), "heartbeat");
    }
}

/// A counter's value.
pub(crate) fn count(counter: &AtomicU64) -> u64 {
    // Relaxed: statistics.
    counter.load(Ordering::Relaxed)
}

/// Counts one more.
pub(crate) fn add_one(counter: &AtomicU64) {
    // Relaxed: statistics.
    counter.fetch_add(1, Ordering::Relaxed);
}

/// Ctrl-C and SIGTERM.
struct Stop {
    interrupt: Signal,
    terminate: Signal,
}

impl Stop {
    fn listen() -> io::Result<Self> {
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// Resolves when either comes.
    async fn requested(&mut self) {
        poll_fn(|cx| match (self.interrupt.poll_recv(cx), self.terminate.poll_recv(cx)) {
            (Poll::Pending, Poll::Pending) => Poll::Pending,
            _ => Poll::Ready(()),
        })
        .await;
    }
}
