use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::run_queue::{LARGE, RunQueue, SPARSE, Stealer, Token};

/// A number in the place of a pointer.
#[derive(Debug, PartialEq, Eq)]
struct Number(usize);

impl Token for Number {
    type Target = u8;

    fn into_raw(self) -> core::ptr::NonNull<u8> {
        core::ptr::NonNull::new(core::ptr::without_provenance_mut(self.0 + 1)).expect("not 0")
    }

    unsafe fn from_raw(raw: core::ptr::NonNull<u8>) -> Self {
        Self(raw.as_ptr().addr() - 1)
    }
}

fn drain(queue: &mut RunQueue<Number>) -> Vec<usize> {
    core::iter::from_fn(|| queue.pop()).map(|number| number.0).collect()
}

#[test]
fn tasks_come_out_in_order_though_the_ring_goes_round_and_grows() {
    let mut queue = RunQueue::new(4);
    let (mut next, mut expected) = (0, 0);
    for round in 0..200 {
        for _ in 0..round % 13 {
            queue.push(Number(next));
            next += 1;
        }
        for _ in 0..round % 11 {
            if let Some(number) = queue.pop() {
                assert_eq!(number, Number(expected));
                expected += 1;
            }
        }
        assert_eq!(queue.len(), next - expected);
    }
    assert_eq!(drain(&mut queue), (expected..next).collect::<Vec<_>>());
}

#[test]
fn a_thief_gets_the_older_half_in_order() {
    let mut victim = RunQueue::new(8);
    let mut own = RunQueue::new(1);
    let stealer = victim.stealer();
    assert_eq!(stealer.steal_into(&mut own, 8), None);
    (0..7).for_each(|i| victim.push(Number(i)));
    assert_eq!(stealer.steal_into(&mut own, 8), Some((Number(0), 4)));
    assert_eq!(drain(&mut own), [1, 2, 3]);
    assert_eq!(stealer.steal_into(&mut own, 1), Some((Number(4), 1)));
    assert_eq!((stealer.len(), victim.len()), (2, 2));
    assert_eq!(drain(&mut victim), [5, 6]);
    assert!(stealer.is_empty());
}

#[test]
fn a_large_ring_shrinks_when_it_is_nearly_empty_and_no_further_than_it_began() {
    let mut queue = RunQueue::new(8);
    (0..4 * LARGE).for_each(|i| queue.push(Number(i)));
    assert_eq!(queue.capacity(), 4 * LARGE);
    let kept = 4 * LARGE / SPARSE;
    (0..4 * LARGE - kept).for_each(|i| assert_eq!(queue.pop(), Some(Number(i))));
    assert_eq!(queue.capacity(), LARGE);
    assert_eq!(drain(&mut queue), (4 * LARGE - kept..4 * LARGE).collect::<Vec<_>>());
    // What is not large stays as it is, or a ring would follow every burst.
    assert_eq!(queue.capacity(), LARGE);
}

#[test]
fn what_is_queued_is_dropped_with_the_queue() {
    struct Counted(std::sync::Arc<()>);
    impl Token for Counted {
        type Target = ();
        fn into_raw(self) -> core::ptr::NonNull<()> {
            core::ptr::NonNull::new(std::sync::Arc::into_raw(self.0).cast_mut()).expect("an allocation")
        }
        unsafe fn from_raw(raw: core::ptr::NonNull<()>) -> Self {
            // SAFETY: the caller's promise.
            Self(unsafe { std::sync::Arc::from_raw(raw.as_ptr()) })
        }
    }
    let counted = std::sync::Arc::new(());
    let mut queue = RunQueue::new(2);
    let stealer = queue.stealer();
    (0..5).for_each(|_| queue.push(Counted(counted.clone())));
    drop(stealer.steal());
    assert_eq!(std::sync::Arc::strong_count(&counted), 5);
    drop(queue);
    assert_eq!(std::sync::Arc::strong_count(&counted), 1);
    assert!(stealer.steal().is_none());
}

/// The owner pushes in waves that make the ring grow and shrink, and takes part; thieves take from it and from each other.
#[test]
fn every_task_comes_out_once_under_stress() {
    const TASKS: usize = 2_000_000;
    const THIEVES: usize = 3;
    let seen: Vec<AtomicU8> = (0..TASKS).map(|_| AtomicU8::new(0)).collect();
    let see = |number: Number| assert_eq!(seen[number.0].fetch_add(1, Ordering::Relaxed), 0, "{number:?} came twice");
    let mut owner = RunQueue::new(2);
    let mut thieves: Vec<_> = (0..THIEVES).map(|_| RunQueue::new(2)).collect();
    let stealers: Vec<Stealer<Number>> = core::iter::once(&owner).chain(&thieves).map(RunQueue::stealer).collect();
    let done = AtomicBool::new(false);
    let deadline = Instant::now() + Duration::from_secs(120);
    thread::scope(|scope| {
        for (k, mut own) in thieves.drain(..).enumerate() {
            let (stealers, done, see) = (&stealers, &done, &see);
            scope.spawn(move || {
                while !done.load(Ordering::Acquire) || stealers.iter().any(|stealer| !stealer.is_empty()) {
                    assert!(Instant::now() < deadline, "tasks are lost");
                    for (_, victim) in stealers.iter().enumerate().filter(|(victim, _)| *victim != k + 1) {
                        victim.steal_into(&mut own, 8).into_iter().for_each(|(number, _)| see(number));
                    }
                    // Half of it stays for the other thieves.
                    for _ in 0..own.len().div_ceil(2) {
                        own.pop().into_iter().for_each(see);
                    }
                }
                drain(&mut own).into_iter().map(Number).for_each(see);
            });
        }
        let mut next = 0;
        while next < TASKS {
            let wave = if next % 7 == 0 { 4 * LARGE } else { 50 };
            for _ in 0..wave.min(TASKS - next) {
                owner.push(Number(next));
                next += 1;
            }
            let pops = if next % 3 == 0 { usize::MAX } else { 20 };
            core::iter::from_fn(|| owner.pop()).take(pops).for_each(see);
        }
        drain(&mut owner).into_iter().map(Number).for_each(see);
        done.store(true, Ordering::Release);
    });
    assert!(seen.iter().all(|seen| seen.load(Ordering::Relaxed) == 1));
}
