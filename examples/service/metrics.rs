//! The page that Prometheus scrapes: the runtime's own figures, then the service's.

use std::fmt::Write;

use wheelhouse::runtime::RuntimeMetrics;

use crate::server::{Service, count};

/// The page.
pub(crate) fn page(service: &Service, metrics: &RuntimeMetrics) -> String {
    let mut page = metrics.to_prometheus();
    let counters = [
        ("requests_total", "counter", "Requests answered.", &service.requests),
        ("requests_cut_off_total", "counter", "Requests cut off by their time limit.", &service.cut_off),
        ("connections_total", "counter", "Connections accepted.", &service.accepted),
        ("connections_open", "gauge", "Connections open now.", &service.open),
        ("connections_idled_out_total", "counter", "Connections closed for idleness.", &service.idled_out),
    ];
    for (name, kind, help, counter) in counters {
        let value = count(counter);
        // Writing to a string does not fail.
        let _ = writeln!(page, "# HELP service_{name} {help}\n# TYPE service_{name} {kind}\nservice_{name} {value}");
    }
    page
}
