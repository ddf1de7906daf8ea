//! A `tracing` subscriber that panics at whatever it is told: the threads of a runtime live on, and no task, no wake-up
//! and no join handle is lost. One test: the subscriber is the process's.

mod task_support;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::time::Duration;

use task_support::{PATIENCE, flavours};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};
use wheelhouse::runtime::{Builder, Runtime};
use wheelhouse::task::{LocalSet, spawn_blocking, spawn_local, yield_now};
use wheelhouse::time::{sleep, timeout};

/// What the subscriber is told.
#[derive(Clone, Copy)]
enum Told {
    Span,
    Enter,
    Exit,
    Event,
    Close,
}

const ALL: [Told; 5] = [Told::Span, Told::Enter, Told::Exit, Told::Event, Told::Close];

/// Counts how often it panicked, by what it was told.
static PANICS: [AtomicUsize; ALL.len()] = [const { AtomicUsize::new(0) }; ALL.len()];
/// What it panics at now.
static PANICS_AT: [AtomicBool; ALL.len()] = [const { AtomicBool::new(false) }; ALL.len()];

struct Clumsy;

fn stumble(told: Told) {
    if PANICS_AT[told as usize].load(Ordering::SeqCst) {
        PANICS[told as usize].fetch_add(1, Ordering::SeqCst);
        panic!("a subscriber stumbles");
    }
}

impl Subscriber for Clumsy {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        stumble(Told::Span);
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {
        stumble(Told::Event);
    }

    fn enter(&self, _: &Id) {
        stumble(Told::Enter);
    }

    fn exit(&self, _: &Id) {
        stumble(Told::Exit);
    }

    fn try_close(&self, _: Id) -> bool {
        stumble(Told::Close);
        true
    }
}

/// Tasks of every kind that wait, are woken, end, and are cancelled.
async fn everything() {
    let woken = wheelhouse::spawn(async {
        for _ in 0..10 {
            yield_now().await;
            sleep(Duration::from_micros(200)).await;
        }
        1
    });
    let (send, receive) = async_channel::bounded(1);
    let receiver = wheelhouse::spawn(async move {
        let mut sum = 0;
        while let Ok(value) = receive.recv().await {
            sum += value;
        }
        sum
    });
    for value in 0..50 {
        send.send(value).await.unwrap();
    }
    drop(send);
    let cancelled = wheelhouse::spawn(std::future::pending::<()>());
    cancelled.abort();
    assert!(cancelled.await.unwrap_err().is_cancelled());
    let panics = wheelhouse::spawn(async { panic!("of the task's own") });
    assert!(panics.await.unwrap_err().is_panic());
    assert_eq!(spawn_blocking(|| 2).await.unwrap(), 2);
    assert_eq!((woken.await.unwrap(), receiver.await.unwrap()), (1, 49 * 25));
}

fn run_everything(name: &str, runtime: &Runtime) {
    let outcome = runtime.block_on(timeout(PATIENCE, everything()));
    assert!(outcome.is_ok(), "{name}: something was not woken");
    let local = LocalSet::new();
    let value = local.block_on(runtime, async {
        let task = spawn_local(async {
            sleep(Duration::from_micros(200)).await;
            7
        });
        timeout(PATIENCE, task).await.expect("not woken").unwrap()
    });
    assert_eq!(value, 7, "{name}");
}

/// Two tasks that wait for each other, each blocking its worker: over only if both workers are alive.
fn assert_both_workers_live(runtime: &Runtime) {
    let meeting = Arc::new(Barrier::new(2));
    let both = async {
        let meet = |meeting: &Arc<Barrier>| {
            let meeting = meeting.clone();
            wheelhouse::spawn(async move { meeting.wait() })
        };
        let (one, other) = (meet(&meeting), meet(&meeting));
        one.await.unwrap();
        other.await.unwrap();
    };
    assert!(runtime.block_on(timeout(PATIENCE, both)).is_ok(), "a worker is gone");
}

#[test]
fn a_subscriber_that_panics_takes_no_thread_and_no_task_down() {
    // Hundreds of panics are on their way: without their messages.
    std::panic::set_hook(Box::new(|_| {}));
    tracing::subscriber::set_global_default(Clumsy).unwrap();
    for told in ALL.map(Some).into_iter().chain([None]) {
        for at in ALL {
            let panics = told.is_none_or(|told| told as usize == at as usize);
            PANICS_AT[at as usize].store(panics, Ordering::SeqCst);
        }
        for (name, runtime) in flavours() {
            run_everything(name, &runtime);
        }
        let runtime = Builder::new_multi_thread().worker_threads(2).build().unwrap();
        run_everything("two workers", &runtime);
        assert_both_workers_live(&runtime);
    }
    let _ = std::panic::take_hook();
    for at in ALL {
        assert!(PANICS[at as usize].load(Ordering::SeqCst) > 0, "it was never told of number {}", at as usize);
    }
}
