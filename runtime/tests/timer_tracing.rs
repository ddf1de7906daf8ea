//! What a console sees of timers, with the feature `tracing`. One test: the subscriber is the process's. It goes by the
//! rules that consoles go by: a resource needs its two words, an operation belongs to the resource that is entered when it is
//! made, and a poll counts only while the task, the resource and the operation are all entered.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;
use wheelhouse::runtime::Builder;
use wheelhouse::time::{Instant, Sleep, interval, sleep, sleep_until, timeout};

#[derive(Clone, Default)]
struct Console(Arc<Mutex<Seen>>);

#[derive(Default)]
struct Seen {
    resources: HashMap<u64, Resource>,
    /// The resource of each operation.
    operations: HashMap<u64, u64>,
}

#[derive(Clone, Debug, Default)]
struct Resource {
    fields: HashMap<String, String>,
    target: String,
    is_root: bool,
    operations: usize,
    /// Whether the poll was ready, in order.
    polls: Vec<bool>,
    /// The durations it was set to, in milliseconds.
    durations: Vec<u64>,
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

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.0.insert(field.name().to_owned(), format!("bool {value}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), format!("str {value}"));
    }
}

/// The spans that are entered on this thread, by name, the innermost last.
fn entered<S: Subscriber + for<'a> LookupSpan<'a>>(context: &Context<'_, S>) -> Vec<(&'static str, u64)> {
    let Some(current) = context.lookup_current() else { return Vec::new() };
    // `scope` follows parents; a console follows what is entered. For these spans the registry's stack is asked.
    let mut names: Vec<_> = current.scope().map(|span| (span.name(), span.id().into_u64())).collect();
    names.reverse();
    names
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Console {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        let mut seen = self.0.lock().unwrap();
        match attributes.metadata().name() {
            "runtime.resource" => {
                let resource = Resource {
                    fields: fields.0,
                    target: attributes.metadata().target().to_owned(),
                    is_root: attributes.is_root(),
                    ..Resource::default()
                };
                seen.resources.insert(id.into_u64(), resource);
            }
            "runtime.resource.async_op" => {
                assert!(fields.0["source"].starts_with("str "));
                assert!(attributes.is_contextual(), "a parent that is named is not seen");
                let (name, resource) = *entered(&context).last().expect("made inside of its resource");
                assert_eq!(name, "runtime.resource");
                seen.resources.get_mut(&resource).unwrap().operations += 1;
                seen.operations.insert(id.into_u64(), resource);
            }
            _ => {}
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let mut seen = self.0.lock().unwrap();
        match event.metadata().target() {
            "runtime::resource::poll_op" => {
                assert!(fields.0["op_name"].starts_with("str "));
                let entered = entered(&context);
                let &(name, operation) = entered.last().expect("inside of the operation");
                assert_eq!(name, "runtime.resource.async_op");
                let resource = seen.operations[&operation];
                let is_ready = fields.0["is_ready"] == "bool true";
                seen.resources.get_mut(&resource).unwrap().polls.push(is_ready);
            }
            "runtime::resource::state_update" => {
                assert_eq!((&*fields.0["duration.unit"], &*fields.0["duration.op"]), ("str ms", "str override"));
                let duration = fields.0["duration"].strip_prefix("u64 ").expect("a number").parse().unwrap();
                let &(name, resource) = entered(&context).last().expect("inside of the resource");
                assert_eq!(name, "runtime.resource");
                seen.resources.get_mut(&resource).unwrap().durations.push(duration);
            }
            _ => {}
        }
    }

    fn on_close(&self, id: Id, _: Context<'_, S>) {
        if let Some(resource) = self.0.lock().unwrap().resources.get_mut(&id.into_u64()) {
            resource.closed = true;
        }
    }
}

impl Console {
    /// The timer that was made in that line of this file.
    fn timer(&self, line: u32) -> Resource {
        let seen = self.0.lock().unwrap();
        let here = |resource: &&Resource| {
            resource.fields["loc.file"] == format!("str {}", file!())
                && resource.fields["loc.line"] == format!("u64 {line}")
        };
        let mut found = seen.resources.values().filter(here);
        let resource = found.next().unwrap_or_else(|| panic!("no timer of line {line}")).clone();
        assert!(found.next().is_none(), "two timers of line {line}");
        resource
    }
}

#[test]
fn timers_are_resources_as_consoles_look_for_them() {
    assert!(size_of::<Sleep>() <= 72, "no larger for it");
    let runtime = Builder::new_current_thread().start_paused(true).build().unwrap();
    let entered = runtime.enter();
    let unseen = Box::pin(sleep(Duration::from_millis(1)));
    drop(entered);
    let console = Console::default();
    tracing::subscriber::set_global_default(tracing_subscriber::registry().with(console.clone())).unwrap();

    // Made before anybody listened: nothing is told of it, and it works.
    runtime.block_on(unseen);
    assert!(console.0.lock().unwrap().resources.is_empty());

    let slept = runtime.block_on(async {
        wheelhouse::spawn(async {
            sleep(Duration::from_millis(1_500)).await;
            line!() - 1
        })
        .await
        .unwrap()
    });
    let timer = console.timer(slept);
    assert!(timer.is_root && timer.target.starts_with("wheelhouse::"));
    assert_eq!((&*timer.fields["concrete_type"], &*timer.fields["kind"]), ("str Sleep", "str timer"));
    assert_eq!(timer.fields["is_internal"], "bool false");
    assert_eq!(timer.fields["inherits_child_attrs"], "bool false");
    assert!(timer.fields["loc.col"].starts_with("u64 "));
    assert_eq!((timer.operations, timer.polls, timer.closed), (1, vec![false, true], true));
    assert_eq!(timer.durations.len(), 1);

    // Pushed back, cancelled, moved in between: one resource, closed when the timer is dropped.
    let line = runtime.block_on(async {
        let mut nap = Box::pin(sleep_until(Instant::now() + Duration::from_secs(5)));
        let line = line!() - 1;
        assert!(futures::poll!(nap.as_mut()).is_pending());
        nap.as_mut().reset(Instant::now() + Duration::from_secs(60));
        assert!(futures::poll!(nap.as_mut()).is_pending());
        assert!(!console.timer(line).closed);
        drop(nap);
        line
    });
    let timer = console.timer(line);
    assert_eq!((timer.durations.len(), timer.polls, timer.closed), (2, vec![false, false], true));

    // Timers inside of others bear the place of those.
    let (limited, beat) = runtime.block_on(async {
        let limited = timeout(Duration::from_millis(5), std::future::pending::<()>()).await;
        assert!(limited.is_err());
        let mut beat = pin!(interval(Duration::from_millis(5)));
        let lines = (line!() - 3, line!() - 1);
        beat.tick().await;
        lines
    });
    assert_eq!(console.timer(limited).polls, [false, true]);
    assert_eq!(console.timer(beat).polls, [true]);
}
