//! A set of tasks that are awaited in the order in which they end.

mod spawn;

use std::fmt;
use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};

use slab::Slab;

pub use self::spawn::SetBuilder;
use crate::coop;
use crate::task::{AbortHandle, Id, JoinError, JoinHandle};
use crate::task_core::Ready;

/// A set of tasks, all of one output type, that are awaited in the order in which they end.
///
/// Waiting costs as much as there are tasks that ended, not as there are tasks.
///
/// When the set is dropped, its tasks are aborted.
///
/// # Examples
///
/// ```
/// use wheelhouse::task::JoinSet;
///
/// # wheelhouse::runtime::Runtime::new().unwrap().block_on(async {
/// let mut set = JoinSet::new();
/// for i in 0..10 {
///     set.spawn(async move { i });
/// }
/// let mut sum = 0;
/// while let Some(output) = set.join_next().await {
///     sum += output.unwrap();
/// }
/// assert_eq!(sum, 45);
/// # });
/// ```
pub struct JoinSet<T> {
    tasks: Slab<JoinHandle<T>>,
    /// The keys, in `tasks`, of those that ended.
    ready: Arc<Ready>,
}

impl<T> JoinSet<T> {
    /// An empty set.
    pub fn new() -> Self {
        Self { tasks: Slab::new(), ready: Ready::new() }
    }

    /// How many tasks are in the set: those that run, and those that ended and were not taken.
    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    /// Whether no task is in the set.
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Waits for the next task to end, and takes its output. `None` if the set is empty.
    ///
    /// # Errors
    ///
    /// Inside: a [`JoinError`] if that task panicked or was cancelled.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: no task's output is lost.
    pub async fn join_next(&mut self) -> Option<Result<T, JoinError>> {
        poll_fn(|cx| self.poll_join_next(cx)).await
    }

    /// Waits for the next task to end, and takes its id and output. `None` if the set is empty.
    ///
    /// # Errors
    ///
    /// Inside: a [`JoinError`], with the id, if that task panicked or was cancelled.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: no task's output is lost.
    pub async fn join_next_with_id(&mut self) -> Option<Result<(Id, T), JoinError>> {
        poll_fn(|cx| self.poll_join_next_with_id(cx)).await
    }

    /// Takes the output of a task that has ended, if there is one.
    ///
    /// # Errors
    ///
    /// Inside: a [`JoinError`] if that task panicked or was cancelled.
    pub fn try_join_next(&mut self) -> Option<Result<T, JoinError>> {
        let key = self.ready.pop()?;
        Some(self.take(key).1)
    }

    /// Takes id and output of a task that has ended, if there is one.
    ///
    /// # Errors
    ///
    /// Inside: a [`JoinError`], with the id, if that task panicked or was cancelled.
    pub fn try_join_next_with_id(&mut self) -> Option<Result<(Id, T), JoinError>> {
        let key = self.ready.pop()?;
        let (id, output) = self.take(key);
        Some(output.map(|output| (id, output)))
    }

    /// The `poll` of [`join_next`](Self::join_next): only the waker of the last call is woken.
    ///
    /// Spends a unit of the cooperative budget when it is ready.
    pub fn poll_join_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T, JoinError>>> {
        self.poll_take(cx).map(|next| next.map(|(_, output)| output))
    }

    /// The `poll` of [`join_next_with_id`](Self::join_next_with_id): only the waker of the last call is woken.
    ///
    /// Spends a unit of the cooperative budget when it is ready.
    pub fn poll_join_next_with_id(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<(Id, T), JoinError>>> {
        self.poll_take(cx).map(|next| next.map(|(id, output)| output.map(|output| (id, output))))
    }

    /// Waits for all tasks, and returns their outputs in the order in which they ended.
    ///
    /// # Panics
    ///
    /// If a task panicked, with its payload, or was cancelled. The others are aborted then.
    /// [`join_next`](Self::join_next) returns an error instead.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: dropping it aborts the tasks and drops the outputs taken so far.
    pub async fn join_all(mut self) -> Vec<T> {
        let mut outputs = Vec::with_capacity(self.len());
        while let Some(output) = self.join_next().await {
            match output {
                Ok(output) => outputs.push(output),
                Err(error) => match error.try_into_panic() {
                    Ok(payload) => std::panic::resume_unwind(payload),
                    Err(error) => panic!("{error} while `join_all` waited for it: use `join_next` to get an error"),
                },
            }
        }
        outputs
    }

    /// Aborts all tasks. They stay in the set: [`join_next`](Self::join_next) returns what became of each.
    pub fn abort_all(&mut self) {
        for (_, task) in &self.tasks {
            task.abort();
        }
    }

    /// Aborts all tasks, and waits until their futures are dropped.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the tasks are aborted, and those that were not waited for are in the set still.
    pub async fn shutdown(&mut self) {
        self.abort_all();
        while self.join_next().await.is_some() {}
    }

    /// Takes all tasks out of the set, and lets them run.
    pub fn detach_all(&mut self) {
        self.tasks.clear();
        // The old one's keys are of tasks that are gone.
        self.ready = Ready::new();
    }

    /// Takes in a task.
    fn insert(&mut self, mut task: JoinHandle<T>) -> AbortHandle {
        let abort = task.abort_handle();
        let entry = self.tasks.vacant_entry();
        let key = entry.key();
        if !task.watch(&self.ready.waker(key)) {
            // It was over before we looked.
            self.ready.push(key);
        }
        entry.insert(task);
        abort
    }

    fn poll_take(&mut self, cx: &mut Context<'_>) -> Poll<Option<(Id, Result<T, JoinError>)>> {
        if self.tasks.is_empty() {
            return Poll::Ready(None);
        }
        let budget = ready!(coop::poll_budget(cx));
        let key = ready!(self.ready.poll_pop(cx.waker()));
        budget.made_progress();
        Poll::Ready(Some(self.take(key)))
    }

    fn take(&mut self, key: usize) -> (Id, Result<T, JoinError>) {
        let mut task = self.tasks.remove(key);
        match task.poll_output(Waker::noop()) {
            Poll::Ready(output) => (task.id(), output),
            Poll::Pending => unreachable!("a task's key is pushed when it has ended"),
        }
    }
}

impl<T> Drop for JoinSet<T> {
    fn drop(&mut self) {
        self.abort_all();
    }
}

impl<T> Default for JoinSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<F> FromIterator<F> for JoinSet<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    /// Spawns each future on the runtime that this thread has entered.
    ///
    /// # Panics
    ///
    /// Outside of a runtime.
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = F>>(futures: I) -> Self {
        let mut set = Self::new();
        for future in futures {
            set.spawn(future);
        }
        set
    }
}

impl<T> fmt::Debug for JoinSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinSet").field("len", &self.len()).finish_non_exhaustive()
    }
}
