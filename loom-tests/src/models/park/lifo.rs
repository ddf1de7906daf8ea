//! Claim: each task that is put into the slot comes out exactly once, whole: displaced, taken by the owner, or taken by
//! the thief.
//!
//! Threads: the owner, which puts two tasks and takes what is left; a thief, which takes once.
//!
//! Breaks if: `put` stores with Relaxed instead of LIFO.publish, or `take` swaps with Relaxed instead of LIFO.observe
//! (the thief reads a task that is not written yet); `take` loads and then stores null (a task comes out twice).

use core::ptr::NonNull;

use super::{explore, thread};
use crate::park::LifoSlot;
use crate::sync::{Arc, UnsafeCell};

struct Task(UnsafeCell<u32>);

fn new_task(value: u32) -> NonNull<Task> {
    NonNull::from(Box::leak(Box::new(Task(UnsafeCell::new(value)))))
}

/// Reads the task and frees it.
fn finish(task: NonNull<Task>) -> u32 {
    // SAFETY: whoever got the pointer out of the slot has the task alone: the model's claim. Made by `new_task`.
    let task = unsafe { Box::from_raw(task.as_ptr()) };
    // SAFETY: as above; a race is what loom would report.
    task.0.with(|value| unsafe { *value })
}

#[test]
fn a_task_goes_to_the_owner_or_to_the_thief() {
    explore(3, || {
        let slot = Arc::new(LifoSlot::<Task>::new());
        let thief = {
            let slot = slot.clone();
            thread::spawn(move || slot.take().map(finish))
        };
        let mut seen = Vec::new();
        for value in [1, 2] {
            seen.extend(slot.put(new_task(value)).map(finish));
        }
        seen.extend(slot.take().map(finish));
        seen.extend(thief.join().unwrap());
        seen.sort_unstable();
        assert_eq!(seen, [1, 2]);
    });
}
