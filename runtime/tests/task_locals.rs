//! What `task_local!` promises.

mod task_support;

use std::future::pending;
use std::sync::{Arc, Mutex};

use task_support::{Gate, flavours};
use wheelhouse::task::yield_now;
use wheelhouse::task_local;

task_local! {
    static NUMBER: u32;
    /// Public, with attributes.
    pub static NAME: String;
    static SEEN: Arc<Mutex<Vec<u32>>>
}

#[test]
fn value_follows_the_task_from_thread_to_thread() {
    for (name, runtime) in flavours() {
        let tasks: Vec<_> = (0..50)
            .map(|i| {
                runtime.spawn(NUMBER.scope(i, async move {
                    for _ in 0..20 {
                        assert_eq!(NUMBER.get(), i);
                        yield_now().await;
                    }
                    NUMBER.with(|number| *number)
                }))
            })
            .collect();
        for (i, task) in (0..).zip(tasks) {
            assert_eq!(runtime.block_on(task).unwrap(), i, "{name}");
        }
        assert!(NUMBER.try_with(|_| ()).is_err());
    }
}

#[test]
fn scopes_nest_and_spawned_tasks_inherit_nothing() {
    for (name, runtime) in flavours() {
        runtime.block_on(NUMBER.scope(1, async {
            let inner = NUMBER.scope(2, async {
                yield_now().await;
                NUMBER.sync_scope(3, || assert_eq!(NUMBER.get(), 3));
                NUMBER.get()
            });
            assert_eq!(inner.await, 2, "{name}");
            assert_eq!(NUMBER.get(), 1);
            let spawned = wheelhouse::spawn(async { NUMBER.try_with(|number| *number).is_err() });
            assert!(spawned.await.unwrap(), "{name}");
        }));
    }
}

#[test]
fn value_is_set_during_the_drop_of_the_future() {
    struct Looks;
    impl Drop for Looks {
        fn drop(&mut self) {
            SEEN.with(|seen| seen.lock().unwrap().push(NUMBER.get()));
        }
    }
    for (name, runtime) in flavours() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let looks = Looks;
        let task = runtime.spawn(SEEN.scope(
            Arc::clone(&seen),
            NUMBER.scope(7, async move {
                pending::<()>().await;
                drop(looks);
            }),
        ));
        runtime.block_on(yield_now());
        task.abort();
        assert!(runtime.block_on(task).unwrap_err().is_cancelled());
        assert_eq!(*seen.lock().unwrap(), [7], "{name}");
    }
}

#[test]
fn panic_in_a_scope_leaves_no_value_behind() {
    for (name, runtime) in flavours() {
        let task = runtime.spawn(NUMBER.scope(7, async { panic!("here") }));
        assert!(runtime.block_on(task).unwrap_err().is_panic());
        let tasks: Vec<_> = (0..8).map(|_| runtime.spawn(async { NUMBER.try_with(|_| ()).is_err() })).collect();
        for task in tasks {
            assert!(runtime.block_on(task).unwrap(), "{name}");
        }
    }
    assert!(std::panic::catch_unwind(|| NUMBER.sync_scope(1, || panic!("here"))).is_err());
    assert!(NUMBER.try_with(|_| ()).is_err());
}

#[test]
fn value_can_be_taken_out_of_the_future() {
    let gate = Gate::default();
    let mut future = Box::pin(NAME.scope("name".to_owned(), gate.clone()));
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(std::future::Future::poll(future.as_mut(), &mut cx).is_pending());
    gate.open();
    futures::executor::block_on(future.as_mut());
    assert_eq!(future.as_mut().take_value().as_deref(), Some("name"));
    assert_eq!(future.as_mut().take_value(), None);
}

#[test]
fn access_outside_of_the_scope_says_what_to_do() {
    let payload = std::panic::catch_unwind(|| NUMBER.get()).unwrap_err();
    assert!(payload.downcast_ref::<String>().unwrap().contains("`scope`"));
    assert!(!NUMBER.try_with(|_| ()).unwrap_err().to_string().is_empty());
}

#[test]
fn access_inside_of_with_works_and_a_scope_inside_panics() {
    NUMBER.sync_scope(1, || {
        NUMBER.with(|outer| NUMBER.with(|inner| assert_eq!(outer, inner)));
        let entered = std::panic::catch_unwind(|| NUMBER.with(|_| NUMBER.sync_scope(2, || ())));
        assert!(entered.is_err());
        assert_eq!(NUMBER.get(), 1);
    });
}
