//! What a subscriber hears of the scheduler. A process of its own: the subscriber is everybody's.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use wheelhouse::runtime::Builder;
use wheelhouse::time::sleep;

/// The messages of the events under `wheelhouse`, each with its target.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<BTreeSet<String>>>);

struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}

impl<S: Subscriber> Layer<S> for Heard {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let target = event.metadata().target();
        if target.starts_with("wheelhouse") {
            let mut message = Message(String::new());
            event.record(&mut message);
            self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(format!("{target}: {}", message.0));
        }
    }
}

#[test]
fn a_subscriber_hears_of_rests_steals_the_seat_and_turns() {
    let heard = Heard::default();
    tracing::subscriber::set_global_default(tracing_subscriber::registry().with(heard.clone())).unwrap();
    let runtime = Builder::new_multi_thread().worker_threads(2).build().unwrap();
    runtime.block_on(async {
        for _ in 0..20 {
            sleep(Duration::from_millis(2)).await;
            // Some are stolen while this task keeps its worker.
            wheelhouse::spawn(async {
                let tasks: Vec<_> = (0..50).map(|_| wheelhouse::spawn(async {})).collect();
                std::thread::sleep(Duration::from_millis(3));
                for task in tasks {
                    task.await.unwrap();
                }
            })
            .await
            .unwrap();
        }
    });
    drop(runtime);
    let heard = heard.0.lock().unwrap_or_else(PoisonError::into_inner);
    for expected in [
        "wheelhouse::worker: park",
        "wheelhouse::worker: unpark",
        "wheelhouse::worker: steal",
        "wheelhouse::worker: seat taken",
        "wheelhouse::worker: seat left",
        "wheelhouse::driver: turn",
        "wheelhouse::driver: interrupt",
    ] {
        assert!(heard.contains(expected), "{expected:?} is missing: {heard:?}");
    }
}
