//! What a runtime counts: each worker's counters, histograms, and what users see of them.

mod counters;
mod histogram;
mod prometheus;
mod runtime_metrics;
mod source;

pub(crate) use counters::{DriverCounters, ROOT, WorkerCounters};
pub(crate) use histogram::Recorder;
pub use histogram::{Bucket, Histogram};
pub use runtime_metrics::RuntimeMetrics;
pub(crate) use source::Source;
