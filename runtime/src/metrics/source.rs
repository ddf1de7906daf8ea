//! Where the figures come from: implemented by each scheduler's shared part.

use crossbeam_utils::CachePadded;
use wheelhouse_time::TimerMetrics;

use super::counters::{DriverCounters, WorkerCounters};
use crate::blocking::Figures;
use crate::task_core::Snapshot;
use crate::watchdog::Watchdog;

/// What metrics, watchdog and dump need of a scheduler. No method waits for a worker.
pub(crate) trait Source: Send + Sync + 'static {
    /// One for each worker; the current-thread flavour has one.
    fn workers(&self) -> &[CachePadded<WorkerCounters>];
    fn local_depth(&self, worker: usize) -> usize;
    fn global_depth(&self) -> usize;
    fn alive(&self) -> usize;
    fn driver(&self) -> &DriverCounters;
    fn timers(&self) -> TimerMetrics;
    fn blocking(&self) -> Figures;
    /// The live task with this id.
    fn task(&self, id: u64) -> Option<Snapshot>;
    /// Every live task.
    fn tasks(&self) -> Vec<Snapshot>;
    fn watchdog(&self) -> Option<&Watchdog>;
}
