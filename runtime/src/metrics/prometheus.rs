//! The Prometheus text format, version 0.0.4.

use std::fmt::{self, Display, Write};
use std::time::Duration;

use wheelhouse_time::TimerMetrics;

use super::WorkerCounters;
use super::histogram::{Histogram, Recorder};
use super::runtime_metrics::RuntimeMetrics;

/// One family of a worker's counters: name, help, figure.
type WorkerFamily = (&'static str, &'static str, fn(&WorkerCounters) -> u64);

const WORKER_COUNTERS: [WorkerFamily; 7] = [
    ("polls", "Polls begun.", |counters| counters.polls.get()),
    ("parks", "Times the worker parked for want of work.", |counters| counters.parks.get()),
    ("unparks", "Times the worker left its park.", |counters| counters.unparks.get()),
    ("steals", "Tasks taken from other workers.", |counters| counters.steals.get()),
    ("steal_operations", "Times tasks were taken from another worker.", |counters| counters.steal_operations.get()),
    ("overflows", "Tasks queued globally for want of the worker's own queue.", |counters| counters.overflows()),
    ("forced_yields", "Polls ended by a used-up cooperative budget.", |counters| counters.forced_yields.get()),
];

/// One family of a worker's histograms: name, help, where it is recorded.
type WorkerHistogram = (&'static str, &'static str, fn(&WorkerCounters) -> Option<&Recorder>);

const WORKER_HISTOGRAMS: [WorkerHistogram; 2] = [
    ("worker_poll_duration_seconds", "How long polls took.", |counters| counters.poll_times.as_ref()),
    ("worker_schedule_latency_seconds", "How long tasks were queued before their poll.", |counters| {
        counters.schedule_latencies.as_ref()
    }),
];

/// Whether a user may label samples with this name.
pub(super) fn is_label(name: &str) -> bool {
    let mut chars = name.chars();
    let first = chars.next().is_some_and(|char| char.is_ascii_alphabetic() || char == '_');
    first && chars.all(|char| char.is_ascii_alphanumeric() || char == '_') && !matches!(name, "worker" | "le")
}

/// All families of a runtime, each sample with `labels`.
pub(super) fn render(metrics: &RuntimeMetrics, labels: &[(&str, &str)]) -> String {
    let mut page = Page { text: String::with_capacity(8 * 1024), labels };
    runtime(&mut page, metrics);
    workers(&mut page, metrics);
    timers(&mut page, &metrics.timers());
    driver(&mut page, metrics);
    blocking(&mut page, metrics);
    page.text
}

fn runtime(page: &mut Page<'_>, metrics: &RuntimeMetrics) {
    page.gauge("workers", "Worker threads.", metrics.num_workers());
    page.gauge("tasks_alive", "Tasks spawned and not yet complete.", metrics.num_alive_tasks());
    page.gauge("global_queue_depth", "Tasks that wait in the global queue.", metrics.global_queue_depth());
    page.counter("watchdog_reports_total", "Polls reported as blocking their worker.", metrics.watchdog_report_count());
}

fn workers(page: &mut Page<'_>, metrics: &RuntimeMetrics) {
    let counters = metrics.source.workers();
    for (name, help, figure) in WORKER_COUNTERS {
        let name = format!("worker_{name}_total");
        page.family(&name, help, "counter");
        for (worker, counters) in counters.iter().enumerate() {
            page.sample(&name, &[("worker", &worker)], figure(counters));
        }
    }
    page.family("worker_busy_seconds_total", "Time awake, polling or looking for work.", "counter");
    for (worker, counters) in counters.iter().enumerate() {
        page.sample("worker_busy_seconds_total", &[("worker", &worker)], Seconds(counters.busy()));
    }
    page.family("worker_local_queue_depth", "Tasks that wait in the worker's own queue.", "gauge");
    for worker in 0..counters.len() {
        page.sample("worker_local_queue_depth", &[("worker", &worker)], metrics.source.local_depth(worker));
    }
    for (name, help, recorder) in WORKER_HISTOGRAMS {
        let recorders =
            counters.iter().enumerate().filter_map(|(worker, counters)| Some((worker, recorder(counters)?)));
        for (position, (worker, recorder)) in recorders.enumerate() {
            if position == 0 {
                page.family(name, help, "histogram");
            }
            page.histogram(name, &[("worker", &worker)], &recorder.snapshot());
        }
    }
}

fn timers(page: &mut Page<'_>, timers: &TimerMetrics) {
    let families = [
        ("armed", "Timers filed in the wheel.", timers.armed),
        ("fired", "Timers whose deadline came.", timers.fired),
        ("cancelled", "Timers dropped or reset while armed.", timers.cancelled),
        ("extended", "Resets to a later deadline, which took no lock.", timers.extended),
        ("cascaded", "Moves of a timer to a lower level of the wheel.", timers.cascaded),
    ];
    for (name, help, value) in families {
        page.counter(&format!("timers_{name}_total"), help, value);
    }
    page.family("timer_lateness_seconds", "How late timers were when they fired.", "histogram");
    page.histogram("timer_lateness_seconds", &[], &Histogram::from(&timers.lateness));
}

fn driver(page: &mut Page<'_>, metrics: &RuntimeMetrics) {
    page.counter("driver_turns_total", "Turns of the timers and I/O driver.", metrics.driver_turn_count());
    page.counter("driver_ready_events_total", "I/O events taken.", metrics.io_driver_ready_count());
    page.counter(
        "driver_handoffs_total",
        "Times a parked worker took over a driver left by a blocked or busy one.",
        metrics.driver_handoff_count(),
    );
    page.counter("rescues_total", "Tasks taken out of the reach of a blocked worker.", metrics.rescue_count());
}

fn blocking(page: &mut Page<'_>, metrics: &RuntimeMetrics) {
    let figures = metrics.source.blocking();
    page.gauge("blocking_threads", "Threads of the blocking pool.", figures.threads);
    page.gauge("blocking_idle_threads", "Threads of the blocking pool that wait for a job.", figures.idle);
    page.gauge("blocking_queue_depth", "Jobs that wait for a thread of the blocking pool.", figures.queue_depth);
}

/// The text so far.
struct Page<'a> {
    text: String,
    labels: &'a [(&'a str, &'a str)],
}

impl Page<'_> {
    fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.family(name, help, "gauge");
        self.sample(name, &[], value);
    }

    fn counter(&mut self, name: &str, help: &str, value: impl Display) {
        self.family(name, help, "counter");
        self.sample(name, &[], value);
    }

    /// The two lines before the samples. `help` is ours: it has no backslash and no newline to escape.
    fn family(&mut self, name: &str, help: &str, kind: &str) {
        self.line(format_args!("# HELP wheelhouse_{name} {help}\n# TYPE wheelhouse_{name} {kind}\n"));
    }

    fn sample(&mut self, name: &str, labels: &[(&str, &dyn Display)], value: impl Display) {
        self.line(format_args!("wheelhouse_{name}"));
        let own = self.labels.iter().map(|(name, value)| (*name, value as &dyn Display));
        for (position, (name, value)) in own.chain(labels.iter().copied()).enumerate() {
            let open = if position == 0 { '{' } else { ',' };
            self.line(format_args!("{open}{name}=\"{}\"", Escaped(value)));
        }
        let close = if self.labels.is_empty() && labels.is_empty() { "" } else { "}" };
        self.line(format_args!("{close} {value}\n"));
    }

    fn histogram(&mut self, name: &str, labels: &[(&str, &dyn Display)], histogram: &Histogram) {
        let mut total = 0;
        let bucket_name = format!("{name}_bucket");
        for bucket in histogram.buckets() {
            total += bucket.count;
            let upper = bucket.upper.map_or_else(|| "+Inf".to_owned(), |upper| Seconds(upper).to_string());
            let labels: Vec<_> = labels.iter().copied().chain([("le", &upper as &dyn Display)]).collect();
            self.sample(&bucket_name, &labels, total);
        }
        self.sample(&format!("{name}_sum"), labels, Seconds(histogram.sum()));
        self.sample(&format!("{name}_count"), labels, total);
    }

    fn line(&mut self, text: fmt::Arguments<'_>) {
        // Writing to a `String` cannot fail.
        let _ = self.text.write_fmt(text);
    }
}

/// A duration in seconds to the nanosecond, without trailing zeros.
struct Seconds(Duration);

impl Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, nanos) = (self.0.as_secs(), self.0.subsec_nanos());
        if nanos == 0 {
            return write!(f, "{seconds}");
        }
        let fraction = format!("{nanos:09}");
        write!(f, "{seconds}.{}", fraction.trim_end_matches('0'))
    }
}

/// A label's value: backslash, quote and newline escaped.
struct Escaped<T>(T);

impl<T: Display> Display for Escaped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for char in self.0.to_string().chars() {
            match char {
                '\\' => f.write_str("\\\\")?,
                '"' => f.write_str("\\\"")?,
                '\n' => f.write_str("\\n")?,
                other => f.write_char(other)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::histogram::Bucket;
    use super::*;

    fn page<'a>(labels: &'a [(&'a str, &'a str)]) -> Page<'a> {
        Page { text: String::new(), labels }
    }

    #[test]
    fn label_values_are_escaped() {
        let mut page = page(&[("path", "C:\\a \"b\"\nc")]);
        page.counter("x_total", "An x.", 7);
        let expected = "# HELP wheelhouse_x_total An x.\n# TYPE wheelhouse_x_total counter\n\
                        wheelhouse_x_total{path=\"C:\\\\a \\\"b\\\"\\nc\"} 7\n";
        assert_eq!(page.text, expected);
    }

    #[test]
    fn histogram_buckets_are_cumulative_and_in_seconds() {
        let buckets = [(Some(Duration::from_nanos(1024)), 3), (Some(Duration::from_micros(1500)), 2), (None, 1)];
        let buckets = buckets.map(|(upper, count)| Bucket { upper, count }).into();
        let mut page = page(&[]);
        page.histogram("h_seconds", &[("worker", &1)], &Histogram { buckets, sum: Duration::from_millis(2500) });
        let expected = "wheelhouse_h_seconds_bucket{worker=\"1\",le=\"0.000001024\"} 3\n\
                        wheelhouse_h_seconds_bucket{worker=\"1\",le=\"0.0015\"} 5\n\
                        wheelhouse_h_seconds_bucket{worker=\"1\",le=\"+Inf\"} 6\n\
                        wheelhouse_h_seconds_sum{worker=\"1\"} 2.5\n\
                        wheelhouse_h_seconds_count{worker=\"1\"} 6\n";
        assert_eq!(page.text, expected);
    }

    #[test]
    fn seconds_keep_the_nanosecond_and_drop_trailing_zeros() {
        let text = |nanos| Seconds(Duration::from_nanos(nanos)).to_string();
        assert_eq!((text(0), text(1), text(1_000_000_000)), ("0".into(), "0.000000001".into(), "1".into()));
        assert_eq!(text(61_020_000_000), "61.02");
    }

    #[test]
    fn reserved_and_malformed_label_names_are_refused() {
        assert!(["runtime", "_x", "a1"].into_iter().all(is_label));
        assert!(["", "1a", "worker", "le", "a-b", "a b"].into_iter().all(|name| !is_label(name)));
    }
}
