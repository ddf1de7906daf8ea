//! What a `tracing` subscriber sees of tasks. One test: the subscriber is the process's.

use std::collections::HashMap;
use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::task::Poll;

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::{Event, Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use wheelhouse::runtime::Builder;

#[derive(Clone, Default)]
struct Record(Arc<Mutex<Seen>>);

#[derive(Default)]
struct Seen {
    spans: HashMap<u64, Span>,
    /// `op` and `task.id` of the events of wakers.
    wakers: Vec<(String, u64)>,
}

#[derive(Default, Clone, Debug)]
struct Span {
    name: &'static str,
    target: String,
    fields: HashMap<String, String>,
    is_root: bool,
    enters: usize,
    exits: usize,
    closed: bool,
}

#[derive(Default)]
struct Fields(HashMap<String, String>);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0.insert(field.name().to_owned(), format!("debug {value:?}"));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().to_owned(), format!("u64 {value}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), format!("str {value}"));
    }
}

impl<S: Subscriber> Layer<S> for Record {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, _: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        let metadata: &Metadata<'_> = attributes.metadata();
        let span = Span {
            name: metadata.name(),
            target: metadata.target().to_owned(),
            fields: fields.0,
            is_root: attributes.is_root(),
            ..Span::default()
        };
        self.0.lock().unwrap().spans.insert(id.into_u64(), span);
    }

    fn on_enter(&self, id: &Id, _: Context<'_, S>) {
        self.0.lock().unwrap().spans.get_mut(&id.into_u64()).unwrap().enters += 1;
    }

    fn on_exit(&self, id: &Id, _: Context<'_, S>) {
        self.0.lock().unwrap().spans.get_mut(&id.into_u64()).unwrap().exits += 1;
    }

    fn on_close(&self, id: Id, _: Context<'_, S>) {
        self.0.lock().unwrap().spans.get_mut(&id.into_u64()).unwrap().closed = true;
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if event.metadata().target() != "runtime::waker" {
            return;
        }
        let mut fields = Fields::default();
        event.record(&mut fields);
        let op = fields.0["op"].strip_prefix("str ").expect("op is a str").to_owned();
        let id = fields.0["task.id"].strip_prefix("u64 ").expect("task.id is a u64").parse().unwrap();
        self.0.lock().unwrap().wakers.push((op, id));
    }
}

impl Record {
    /// The span of the task with that id of the runtime's, and its own id.
    fn task(&self, id: u64) -> (u64, Span) {
        let seen = self.0.lock().unwrap();
        let mut found = seen
            .spans
            .iter()
            .filter(|(_, span)| span.name == "runtime.spawn" && span.fields["task.id"] == format!("u64 {id}"));
        let (id, span) = found.next().expect("a span for the task");
        assert!(found.next().is_none(), "two spans for one task");
        (*id, span.clone())
    }

    fn ops(&self, span: u64) -> Vec<String> {
        self.0.lock().unwrap().wakers.iter().filter(|(_, id)| *id == span).map(|(op, _)| op.clone()).collect()
    }
}

#[test]
fn spans_and_waker_events_are_what_tools_look_for() {
    let runtime = Builder::new_current_thread().build().unwrap();
    // Spawned before anybody listens: no span, and no events of its wakers, ever.
    let unseen = runtime.spawn(async { wheelhouse::task::yield_now().await });

    let record = Record::default();
    tracing::subscriber::set_global_default(tracing_subscriber::registry().with(record.clone())).unwrap();

    let line = line!() + 1;
    let mut task = wheelhouse::task::Builder::new().name("named").spawn_on(
        {
            let mut polls = 0;
            poll_fn(move |cx| {
                polls += 1;
                match polls {
                    1 => {
                        let clone = cx.waker().clone();
                        clone.wake();
                    }
                    2 => cx.waker().wake_by_ref(),
                    3 => {
                        drop(cx.waker().clone());
                        cx.waker().wake_by_ref();
                    }
                    _ => return Poll::Ready(()),
                }
                Poll::Pending
            })
        },
        runtime.handle(),
    );
    let task = task.as_mut().unwrap();
    let id: u64 = task.id().to_string().parse().unwrap();

    let (span_id, before) = record.task(id);
    assert!(before.is_root, "its parent is nobody");
    assert!(before.target.starts_with("wheelhouse::"), "{}", before.target);
    assert_eq!(before.fields["kind"], "str task");
    assert_eq!(before.fields["task.name"], "str named");
    assert!(before.fields["size.bytes"].starts_with("u64 "));
    assert_eq!(before.fields["loc.file"], format!("str {}", file!()));
    assert_eq!(before.fields["loc.line"], format!("u64 {line}"));
    assert!(before.fields["loc.col"].starts_with("u64 "));
    assert_eq!((before.enters, before.closed), (0, false));

    runtime.block_on(unseen).unwrap();
    runtime.block_on(async {
        while !task.is_finished() {
            wheelhouse::task::yield_now().await;
        }
    });
    let (_, after) = record.task(id);
    assert_eq!((after.enters, after.exits), (4, 4), "entered around each poll");
    assert!(after.closed, "closed when the future is dropped, though the handle lives");
    let expected = ["waker.clone", "waker.wake", "waker.wake_by_ref", "waker.clone", "waker.drop", "waker.wake_by_ref"];
    assert_eq!(record.ops(span_id), expected);
    assert!(record.0.lock().unwrap().wakers.iter().all(|(_, id)| *id == span_id), "events of a task without a span");

    runtime.block_on(task).unwrap();
    let blocking = runtime.spawn_blocking(|| ());
    let id = blocking.id().to_string().parse().unwrap();
    runtime.block_on(blocking).unwrap();
    assert_eq!(record.task(id).1.fields["kind"], "str blocking");
    assert!(!record.task(id).1.fields.contains_key("task.name"));

    let local = wheelhouse::task::LocalSet::new();
    let in_local = local.spawn_local(async {});
    let id = in_local.id().to_string().parse().unwrap();
    drop(local);
    let (_, span) = record.task(id);
    assert_eq!(span.fields["kind"], "str local");
    assert!(span.closed, "cancelled: its future is dropped");
    drop(in_local);
}
