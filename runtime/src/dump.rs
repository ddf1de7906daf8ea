//! A list of every task and what it does.

use std::fmt;
use std::panic::Location;
use std::time::Duration;

use crate::metrics::Source;
use crate::task_core::{Id, Lifecycle, Snapshot};

/// Every live task of a runtime and what it is doing, taken by `Handle::dump`.
///
/// Taking one waits for no worker and polls nothing, so it works on a process that is stuck. Each task is looked at
/// once, one after the other: the list is no picture of one instant.
///
/// Listed are spawned tasks, those of `spawn_blocking`, and those of the local sets that the runtime has polled.
///
/// `Display` renders it as a table.
///
/// # Examples
///
/// ```
/// # wheelhouse::runtime::Runtime::new()?.block_on(async {
/// let task = wheelhouse::spawn(std::future::pending::<()>());
/// wheelhouse::task::yield_now().await;
/// let dump = wheelhouse::runtime::Handle::current().dump();
/// assert!(dump.tasks().iter().any(|dumped| dumped.id() == task.id()));
/// println!("{dump}");
/// # task.abort();
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Dump {
    tasks: Vec<TaskDump>,
}

/// One task of a [`Dump`].
#[derive(Clone, Debug)]
pub struct TaskDump {
    task: Snapshot,
    state: TaskState,
    age: Option<Duration>,
}

/// What a task was doing when it was dumped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TaskState {
    /// It is being polled.
    Running {
        /// On this worker; `None` when the poll ended or began while the dump was taken, or goes on outside of a worker.
        worker: Option<usize>,
        /// For at least this long; `None` when the watchdog has not seen the poll yet, or is off.
        since: Option<Duration>,
    },
    /// It is in a run queue.
    Queued,
    /// It waits to be woken.
    Waiting,
}

impl Dump {
    /// Looks at every live task of `source`.
    pub(crate) fn take(source: &dyn Source) -> Self {
        let running: Vec<u64> = source.workers().iter().map(|counters| counters.sample().1).collect();
        let watchdog = source.watchdog();
        let mut tasks: Vec<TaskDump> = source
            .tasks()
            .into_iter()
            .filter_map(|task| {
                let state = match task.lifecycle {
                    Lifecycle::Complete => return None,
                    Lifecycle::Queued => TaskState::Queued,
                    Lifecycle::Waiting => TaskState::Waiting,
                    Lifecycle::Running => {
                        let worker = running.iter().position(|&id| id == task.id.get());
                        let since = worker.zip(watchdog).and_then(|(worker, watchdog)| watchdog.seen_for(worker));
                        TaskState::Running { worker, since }
                    }
                };
                let age = watchdog.and_then(|watchdog| watchdog.age(task.id.get()));
                Some(TaskDump { task, state, age })
            })
            .collect();
        tasks.sort_by_key(TaskDump::id);
        Self { tasks }
    }

    /// The tasks, by their ids.
    pub fn tasks(&self) -> &[TaskDump] {
        &self.tasks
    }
}

impl TaskDump {
    /// The task's id.
    pub fn id(&self) -> Id {
        self.task.id
    }

    /// The name that `task::Builder` gave it.
    pub fn name(&self) -> Option<&str> {
        self.task.name.as_deref()
    }

    /// What kind of task it is, as in its `tracing` span: `task`, `local` on a local set, or `blocking`.
    pub fn kind(&self) -> &'static str {
        self.task.kind.as_str()
    }

    /// Where it was spawned.
    pub fn spawn_location(&self) -> &'static Location<'static> {
        self.task.location
    }

    /// What it was doing.
    pub fn state(&self) -> TaskState {
        self.state
    }

    /// How often it has been polled; a poll that goes on counts.
    pub fn polls(&self) -> u64 {
        self.task.polls
    }

    /// For at least how long it has existed; `None` when the watchdog is off.
    ///
    /// No clock is read when a task is spawned: the age comes from the watchdog's samples, to the second for young tasks
    /// and more coarsely for those older than a quarter of an hour.
    pub fn age(&self) -> Option<Duration> {
        self.age
    }
}

impl fmt::Display for Dump {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = ["id", "kind", "name", "state", "polls", "age", "spawned at"].map(str::to_owned);
        let rows: Vec<[String; 7]> = std::iter::once(header).chain(self.tasks.iter().map(TaskDump::row)).collect();
        let widths: [usize; 7] =
            std::array::from_fn(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0));
        for row in &rows {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(widths) {
                line.push_str(&format!("{cell:<width$}  "));
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        write!(f, "{} tasks", self.tasks.len())
    }
}

impl TaskDump {
    fn row(&self) -> [String; 7] {
        [
            self.id().to_string(),
            self.kind().to_owned(),
            self.name().unwrap_or("-").to_owned(),
            self.state.to_string(),
            self.polls().to_string(),
            self.age.map_or_else(|| "-".to_owned(), |age| format!("{age:.1?}")),
            self.spawn_location().to_string(),
        ]
    }
}

impl fmt::Display for TaskState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Running { worker, since } => {
                f.write_str("running")?;
                if let Some(worker) = worker {
                    write!(f, " on worker {worker}")?;
                }
                if let Some(since) = since {
                    write!(f, " for {since:.1?}")?;
                }
                Ok(())
            }
            Self::Queued => f.write_str("queued"),
            Self::Waiting => f.write_str("waiting"),
        }
    }
}
