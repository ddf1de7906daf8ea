//! The delay queue: order, keys, and when its task is woken.

mod support;

use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use futures::StreamExt;
use support::{Wakes, World, ms, poll_once};
use wheelhouse_time::{DelayQueue, Error, Instant};

/// What a poll hands out: the item, `None` for an empty queue, or nothing yet.
fn poll<T>(queue: &mut DelayQueue<T>, wakes: &std::sync::Arc<Wakes>) -> Poll<Option<T>> {
    wakes.poll(|cx| queue.poll_expired(cx)).map(|expired| expired.map(|expired| expired.into_inner()))
}

#[test]
fn items_come_out_by_deadline_and_equal_ones_in_order_of_insertion() {
    let world = World::new();
    let start = Instant::now();
    let mut queue = DelayQueue::new();
    queue.insert("c", ms(20));
    queue.insert("a", ms(10));
    queue.insert_at("d", start + ms(20));
    queue.insert("b", ms(10));
    let seen: Vec<_> =
        world.run(queue.by_ref().map(|item| (item.deadline() - start, start.elapsed(), item.into_inner())).collect());
    assert_eq!(seen, [(ms(10), ms(10), "a"), (ms(10), ms(10), "b"), (ms(20), ms(20), "c"), (ms(20), ms(20), "d")]);
    assert!(queue.is_empty());
}

#[test]
fn an_item_inserted_in_the_past_is_due_at_once() {
    let world = World::new();
    world.advance(ms(50));
    let before = world.metrics().armed;
    let mut queue = DelayQueue::new();
    queue.insert_at("past", Instant::now() - ms(20));
    queue.insert("now", Duration::ZERO);
    let wakes = Wakes::new();
    assert_eq!(poll(&mut queue, &wakes), Poll::Ready(Some("past")));
    assert_eq!(poll(&mut queue, &wakes), Poll::Ready(Some("now")));
    assert_eq!(poll(&mut queue, &wakes), Poll::Ready(None));
    assert_eq!(world.metrics().armed, before, "what is due is not filed");
}

#[test]
fn a_pending_queue_is_polled_once_for_each_instant() {
    let world = World::new();
    let mut queue = DelayQueue::new();
    for delay in [10, 10, 10, 30] {
        queue.insert((), ms(delay));
    }
    let (count, polls) = world.run_all([queue.count()]).remove(0);
    assert_eq!((count, polls), (4, 3));
}

#[test]
fn keys_of_items_that_went_are_errors_and_never_name_another_item() {
    let world = World::new();
    let mut queue = DelayQueue::new();
    let expired = queue.insert("expired", ms(1));
    let removed = queue.insert("removed", ms(9));
    assert_eq!(world.run(queue.next()).unwrap().key(), expired);
    assert_eq!(queue.remove(&removed).unwrap().into_inner(), "removed");

    // Both slots are taken again.
    let first = queue.insert("first", ms(5));
    let second = queue.insert("second", ms(6));
    for stale in [expired, removed] {
        assert!(stale != first && stale != second);
        assert_eq!(queue.remove(&stale).unwrap_err(), Error::StaleKey);
        assert!(queue.try_remove(&stale).is_none());
        assert_eq!(queue.reset(&stale, ms(1)), Err(Error::StaleKey));
        assert_eq!(queue.reset_at(&stale, Instant::now()), Err(Error::StaleKey));
        assert_eq!(queue.deadline(&stale), None);
    }
    assert_eq!(queue.len(), 2);

    queue.clear();
    queue.insert("third", ms(1));
    assert!(queue.try_remove(&first).is_none(), "a key does not survive clear");
}

#[test]
fn peek_names_the_next_item_due_or_not() {
    let world = World::new();
    let mut queue = DelayQueue::new();
    assert_eq!(queue.peek(), None);
    let later = queue.insert(2, ms(20));
    let sooner = queue.insert(1, ms(10));
    assert_eq!(queue.peek(), Some(sooner));
    world.advance(ms(15));
    assert_eq!(queue.peek(), Some(sooner));
    queue.reset(&sooner, ms(10)).unwrap();
    assert_eq!(queue.peek(), Some(later));
    assert_eq!(queue.deadline(&sooner), Some(Instant::now() + ms(10)));
}

#[test]
fn a_periodic_item_comes_out_on_a_strict_grid_until_it_is_removed() {
    let world = World::new();
    let start = Instant::now();
    let mut queue = DelayQueue::new();
    let beat = queue.insert_every("beat", ms(100));
    queue.insert("once", ms(250));
    let mut seen = Vec::new();
    for turn in 0..7 {
        let item = world.run(queue.next()).unwrap();
        seen.push(((item.deadline() - start).as_millis(), start.elapsed().as_millis(), item.into_inner()));
        if turn == 3 {
            world.advance(ms(250)); // blocked from 300 to 550
        }
    }
    assert_eq!(
        seen,
        [
            (100, 100, "beat"),
            (200, 200, "beat"),
            (250, 250, "once"),
            (300, 300, "beat"),
            (400, 550, "beat"),
            (500, 550, "beat"),
            (600, 600, "beat"),
        ]
    );
    queue.reset(&beat, ms(30)).unwrap();
    assert_eq!(world.run(queue.next()).unwrap().deadline(), start + ms(630));
    assert_eq!(world.run(queue.next()).unwrap().deadline(), start + ms(730), "a reset moves the grid");
    assert_eq!(queue.remove(&beat).unwrap().deadline(), start + ms(830));
    assert!(world.run(queue.next()).is_none());
}

#[test]
fn a_clone_that_panics_leaves_the_periodic_item_in_place() {
    struct Fragile(std::cell::Cell<bool>);
    impl Clone for Fragile {
        fn clone(&self) -> Self {
            assert!(!self.0.replace(false), "once");
            Fragile(std::cell::Cell::new(false))
        }
    }
    let world = World::new();
    let start = Instant::now();
    let mut queue = DelayQueue::new();
    let key = queue.insert_every(Fragile(std::cell::Cell::new(true)), ms(10));
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| world.run(queue.next())));
    assert!(panicked.is_err());
    assert_eq!((queue.len(), queue.deadline(&key)), (1, Some(start + ms(10))), "it is still due");
    for due in [10, 20] {
        let item = world.run(queue.next()).unwrap();
        assert_eq!((item.key(), item.deadline(), Instant::now()), (key, start + ms(due), start + ms(due)));
    }
}

#[test]
fn a_waker_whose_clone_panics_leaves_the_waker_before_it_and_the_items() {
    static VTABLE: std::task::RawWakerVTable =
        std::task::RawWakerVTable::new(|_| panic!("this waker cannot be cloned"), |_| {}, |_| {}, |_| {});
    // SAFETY: the functions use no data.
    let poisonous = unsafe { std::task::Waker::from_raw(std::task::RawWaker::new(std::ptr::null(), &VTABLE)) };
    let poll_poisonous = |queue: &mut DelayQueue<&str>| {
        let mut cx = std::task::Context::from_waker(&poisonous);
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(queue.poll_expired(&mut cx))))
    };
    for filed in [false, true] {
        let world = World::new();
        let wakes = Wakes::new();
        let mut queue = DelayQueue::new();
        queue.insert("late", ms(1_000));
        if filed {
            assert_eq!(poll(&mut queue, &wakes), Poll::Pending);
        }
        assert!(poll_poisonous(&mut queue).is_err());
        // Whoever waited before is told of an earlier head.
        queue.insert("early", ms(10));
        assert_eq!(wakes.take(), usize::from(filed));
        assert!(poll_poisonous(&mut queue).is_err());
        assert_eq!(poll(&mut queue, &wakes), Poll::Pending);
        for (wait, item) in [(10, "early"), (990, "late")] {
            world.advance(ms(wait));
            assert_eq!(wakes.take(), 1);
            assert_eq!(poll(&mut queue, &wakes), Poll::Ready(Some(item)));
            let _ = poll(&mut queue, &wakes);
        }
        assert!(queue.is_empty());
        // With nothing in it, too: an insert tells whoever saw the end.
        assert_eq!(poll(&mut queue, &wakes), Poll::Ready(None));
        assert!(poll_poisonous(&mut queue).is_err());
        queue.insert("more", ms(10));
        assert_eq!(wakes.take(), 1);
    }
}

#[test]
fn woken_when_an_insert_makes_the_head_earlier() {
    let world = World::new();
    let wakes = Wakes::new();
    let mut queue = DelayQueue::new();
    queue.insert("late", ms(10_000));
    assert_eq!(poll(&mut queue, &wakes), Poll::Pending);
    queue.insert("later", ms(10_001));
    assert_eq!(wakes.take(), 0);
    queue.insert("early", ms(600));
    assert_eq!(wakes.take(), 1);
    assert_eq!(poll(&mut queue, &wakes), Poll::Pending);
    world.advance(ms(599));
    assert_eq!(wakes.take(), 0);
    world.advance(ms(1));
    assert_eq!(wakes.take(), 1);
    assert_eq!(poll(&mut queue, &wakes), Poll::Ready(Some("early")));
}

#[test]
fn woken_when_a_reset_lands_in_the_past() {
    let world = World::new();
    world.advance(ms(100));
    for target in ["head", "other"] {
        let wakes = Wakes::new();
        let mut queue = DelayQueue::new();
        let head = queue.insert("head", ms(50));
        let other = queue.insert("other", ms(60));
        assert_eq!(poll(&mut queue, &wakes), Poll::Pending);
        let key = if target == "head" { head } else { other };
        queue.reset_at(&key, Instant::now() - ms(1)).unwrap();
        assert_eq!(wakes.take(), 1, "{target}");
        assert_eq!(poll(&mut queue, &wakes), Poll::Ready(Some(target)));
    }
}

#[test]
fn woken_when_the_last_item_goes_and_then_sees_the_end() {
    let _world = World::new();
    for clear in [false, true] {
        let wakes = Wakes::new();
        let mut queue = DelayQueue::new();
        let first = queue.insert(1, ms(10));
        let second = queue.insert(2, ms(20));
        assert_eq!(poll(&mut queue, &wakes), Poll::Pending);
        if clear {
            queue.clear();
        } else {
            queue.remove(&second).unwrap();
            assert_eq!(wakes.take(), 0, "one item is left");
            queue.remove(&first).unwrap();
        }
        assert_eq!(wakes.take(), 1);
        assert_eq!(poll(&mut queue, &wakes), Poll::Ready(None));
        queue.clear();
        assert_eq!(wakes.take(), 0, "nothing went");
    }
}

#[test]
fn an_insert_into_an_empty_queue_wakes_the_task_that_saw_the_end() {
    let world = World::new();
    let wakes = Wakes::new();
    let mut queue = DelayQueue::new();
    assert_eq!(poll(&mut queue, &wakes), Poll::Ready(None));
    queue.insert(1, ms(10));
    assert_eq!(wakes.take(), 1);
    assert_eq!(poll(&mut queue, &wakes), Poll::Pending);
    world.advance(ms(10));
    assert_eq!(poll(&mut queue, &wakes), Poll::Ready(Some(1)));
}

#[test]
fn a_head_that_goes_or_moves_later_leaves_no_wake_up_behind() {
    let world = World::new();
    let wakes = Wakes::new();
    let mut queue = DelayQueue::new();
    let first = queue.insert(1, ms(10));
    let second = queue.insert(2, ms(20));
    queue.insert(3, ms(100));
    assert_eq!(poll(&mut queue, &wakes), Poll::Pending);
    queue.remove(&first).unwrap();
    queue.reset(&second, ms(200)).unwrap();
    world.advance(ms(99));
    assert_eq!(wakes.take(), 0);
    world.advance(ms(1));
    assert_eq!(wakes.take(), 1);
    assert_eq!(poll(&mut queue, &wakes), Poll::Ready(Some(3)));
}

#[test]
fn a_reset_between_the_wake_up_and_the_poll_is_not_lost() {
    let world = World::new();
    let wakes = Wakes::new();
    let mut queue = DelayQueue::new();
    let key = queue.insert(1, ms(10));
    assert_eq!(poll(&mut queue, &wakes), Poll::Pending);
    world.advance(ms(10));
    assert_eq!(wakes.take(), 1);
    queue.reset(&key, ms(30)).unwrap();
    assert_eq!(poll(&mut queue, &wakes), Poll::Pending, "no longer due");
    world.advance(ms(30));
    assert_eq!(wakes.take(), 1);
    assert_eq!(poll(&mut queue, &wakes), Poll::Ready(Some(1)));
}

#[test]
fn only_the_last_waker_is_woken() {
    let world = World::new();
    let (first, second) = (Wakes::new(), Wakes::new());
    let mut queue = DelayQueue::new();
    queue.insert(1, ms(10));
    assert_eq!(poll(&mut queue, &first), Poll::Pending);
    assert_eq!(poll(&mut queue, &second), Poll::Pending);
    queue.insert(0, ms(5));
    assert_eq!((first.take(), second.take()), (0, 1));
    assert_eq!(poll(&mut queue, &second), Poll::Pending);
    world.advance(ms(5));
    assert_eq!((first.take(), second.take()), (0, 1));
}

#[test]
fn dropping_next_loses_no_item() {
    let world = World::new();
    let mut queue = DelayQueue::new();
    queue.insert("kept", ms(10));
    assert!(poll_once(pin!(queue.next())).is_pending());
    world.advance(ms(10));
    drop(queue.next());
    assert_eq!(queue.len(), 1);
    assert_eq!(world.run(queue.next()).unwrap().into_inner(), "kept");
}

#[test]
fn expiring_many_at_once_spends_budget_so_that_the_task_yields() {
    let world = World::new();
    let wakes = Wakes::new();
    let mut queue = DelayQueue::new();
    for item in 0..1_000 {
        queue.insert(item, ms(item));
    }
    world.advance(ms(1_000));
    world.set_budget(10);
    for item in 0..10 {
        assert_eq!(poll(&mut queue, &wakes), Poll::Ready(Some(item)));
    }
    assert_eq!(poll(&mut queue, &wakes), Poll::Pending);
    assert_eq!(wakes.take(), 1);
    world.set_budget(10);
    assert_eq!(poll(&mut queue, &wakes), Poll::Ready(Some(10)), "the item was not lost");
}

#[test]
fn items_are_dropped_once_whichever_way_they_go() {
    let world = World::new();
    let counter = Rc::new(());
    let mut queue = DelayQueue::with_capacity(4);
    let key = queue.insert(Rc::clone(&counter), ms(1));
    queue.insert(Rc::clone(&counter), ms(2));
    queue.insert_every(Rc::clone(&counter), ms(3));
    queue.insert(Rc::clone(&counter), ms(9));
    drop(queue.remove(&key));
    assert_eq!(Rc::strong_count(&counter), 4);
    drop(world.run(queue.next()));
    assert_eq!(Rc::strong_count(&counter), 3);
    drop(world.run(queue.next()));
    assert_eq!(Rc::strong_count(&counter), 3, "the periodic one is still there");
    queue.clear();
    assert_eq!(Rc::strong_count(&counter), 1);
    queue.insert(Rc::clone(&counter), ms(9));
    drop(queue);
    assert_eq!(Rc::strong_count(&counter), 1);
}

#[test]
fn reserved_room_is_there() {
    let mut queue = DelayQueue::with_capacity(10);
    assert!(queue.capacity() >= 10);
    queue.insert(1, ms(1));
    queue.reserve(100);
    assert!(queue.capacity() >= 101);
}

#[test]
#[should_panic(expected = "a period must be greater than zero")]
fn a_zero_period_panics_at_the_call() {
    DelayQueue::new().insert_every((), Duration::ZERO);
}
