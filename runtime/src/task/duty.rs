//! What each edge of the task word obliges its caller to do.

/// What the holder of a notified reference does next.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub(super) enum Start {
    /// The future is the caller's: poll it.
    Poll,
    /// The future is the caller's: drop it and complete as cancelled.
    Cancel,
    /// The owned list's closing was faster: drop the reference, touch nothing.
    Skip,
}

/// What the runner does after a poll that was pending.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub(super) enum Idle {
    /// The task waits; the runner's reference is gone.
    Waits,
    /// It was woken meanwhile: the runner's reference is a notified one again, to be queued.
    Reschedule,
    /// It was aborted meanwhile: drop the future and complete as cancelled.
    Cancel,
    /// Nobody can wake it any more, and that was the last reference: free it.
    Free,
}

/// What a waker (or an abort) does next.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub(super) enum Wake {
    /// A notified reference was made: hand it to the scheduler.
    Submit,
    /// Somebody else polls it, or nobody has to.
    Nothing,
    /// The waker's reference was the last: free the task.
    Free,
}

/// Who drops the future of a task whose owned list closes.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub(super) enum Claim {
    /// The caller: drop it and complete as cancelled.
    Cancel,
    /// Its runner, or it is gone already.
    Nothing,
}

/// What the completing side does with output and join waker.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub(super) enum Complete {
    /// The join handle takes the output when it looks.
    Keep,
    /// The slot is the caller's: take the waker and wake it.
    WakeJoin,
    /// No join handle: drop the output.
    DropOutput,
}

/// Whether the join waker's slot changed hands.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub(super) enum Offer {
    /// It did: after an offer it is the completing side's, after a retraction the join handle's.
    Done,
    /// The task is complete: after an offer the slot is still the join handle's; after a retraction it is the
    /// completing side's. Either way the output is there.
    Complete,
}

/// What a dropped join handle leaves to do.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub(super) enum JoinDrop {
    /// Nothing, the reference is gone too.
    Nothing,
    /// Empty the join waker's slot, then drop the reference.
    DropWaker,
    /// Drop the output, then the reference.
    DropOutput,
    /// It was the last reference: free the task.
    Free,
}

/// Whether references are left.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub(super) enum Dropped {
    Alive,
    /// The caller dropped the last: free the task.
    Free,
}

/// A task's state as a snapshot shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lifecycle {
    /// In a run queue.
    Queued,
    /// Being polled (or dropped).
    Running,
    /// Waiting for a wake-up.
    Waiting,
    /// Done.
    Complete,
}
