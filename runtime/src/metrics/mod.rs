//! What a runtime counts: each worker's counters, histograms, and the snapshot that [`RuntimeMetrics`] is.

mod counters;
mod histogram;
mod source;

pub(crate) use counters::{DriverCounters, ROOT, WorkerCounters};
pub(crate) use histogram::Recorder;
pub(crate) use source::Source;
