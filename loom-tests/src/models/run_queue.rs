//! Claim: each task that is pushed comes out exactly once, whole: to the owner, or to one thief. Nobody looks at a buffer
//! that was freed.
//!
//! Threads: an owner that pushes and pops; one thief or two.
//!
//! Breaks if: `publish` stores with Relaxed, or `steal_here` loads `back` with Relaxed (a thief reads a task that is not
//! written yet); `pop` or `steal_here` moves `front` with a store (a task comes out twice); `steal_here` reads `buffer`
//! before `back` (a slot of the old buffer that was never filled); either RUNQ.retire fence or the count of thieves is
//! left out, or `resize` reads the count with Relaxed, or a thief leaves with Relaxed (a buffer is freed while it is read).

use core::ptr::NonNull;

use crate::run_queue::{RunQueue, Stealer, Token};
use crate::sync::UnsafeCell;

/// A task that loom watches: made by whoever pushes, read by whoever takes.
struct Task(Box<UnsafeCell<u32>>);

impl Task {
    fn new(value: u32) -> Self {
        Self(Box::new(UnsafeCell::new(value)))
    }

    fn finish(self) -> u32 {
        // SAFETY: whoever took it has it alone: the model's claim, and a race is what loom would report.
        self.0.with_mut(|value| unsafe { *value })
    }
}

impl Token for Task {
    type Target = UnsafeCell<u32>;

    fn into_raw(self) -> NonNull<Self::Target> {
        NonNull::from(Box::leak(self.0))
    }

    unsafe fn from_raw(raw: NonNull<Self::Target>) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { Box::from_raw(raw.as_ptr()) })
    }
}

/// Explores with an owner and `thieves`, each steal taking at most two; the owner is started first, and last. What came
/// out, in all, is what went in: the numbers from 0 to `tasks`.
fn explore(
    thieves: usize,
    capacity: usize,
    tasks: usize,
    owner: impl Fn(&mut RunQueue<Task>, &mut Vec<u32>) + Send + Sync + Copy + 'static,
) {
    for owner_first in [true, false] {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(if thieves == 1 { 3 } else { 2 });
        builder.check(move || {
            let mut queue = RunQueue::new(capacity);
            let stealers: Vec<Stealer<Task>> = (0..thieves).map(|_| queue.stealer()).collect();
            let own = move || {
                let mut seen = Vec::new();
                owner(&mut queue, &mut seen);
                seen.extend(core::iter::from_fn(|| queue.pop()).map(Task::finish));
                seen
            };
            let mut own = Some(own);
            let mut threads = Vec::new();
            if owner_first {
                threads.extend(own.take().map(loom::thread::spawn));
            }
            threads.extend(stealers.into_iter().map(|stealer| loom::thread::spawn(move || rob(&stealer))));
            threads.extend(own.take().map(loom::thread::spawn));
            let mut seen: Vec<u32> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
            seen.sort_unstable();
            assert!(seen.iter().copied().eq(0..tasks as u32), "{seen:?}");
        });
    }
}

fn rob(victim: &Stealer<Task>) -> Vec<u32> {
    let mut own = RunQueue::new(1);
    let first = victim.steal_into(&mut own, 2).map(|(task, _)| task);
    first.into_iter().chain(core::iter::from_fn(|| own.pop())).map(Task::finish).collect()
}

fn push(queue: &mut RunQueue<Task>, values: core::ops::Range<u32>) {
    values.for_each(|value| queue.push(Task::new(value)));
}

#[test]
fn a_task_goes_to_the_owner_or_to_one_thief() {
    explore(2, 4, 2, |queue, _| push(queue, 0..2));
}

#[test]
fn a_thief_takes_several_at_once_while_the_owner_takes_one() {
    explore(1, 4, 4, |queue, seen| {
        push(queue, 0..3);
        seen.extend(queue.pop().map(Task::finish));
        push(queue, 3..4);
    });
}

#[test]
fn a_slot_is_filled_anew_while_a_thief_reads_it() {
    explore(1, 2, 5, |queue, seen| {
        push(queue, 0..2);
        for value in 2..5 {
            seen.extend(queue.pop().map(Task::finish));
            push(queue, value..value + 1);
        }
    });
}

#[test]
fn the_ring_grows_while_thieves_are_about() {
    explore(1, 1, 3, |queue, _| push(queue, 0..3));
}

#[test]
fn the_ring_grows_while_two_thieves_are_about() {
    explore(2, 1, 2, |queue, _| push(queue, 0..2));
}
