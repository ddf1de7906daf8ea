//! Holds the figures against the targets.

use super::collect::Collected;
use crate::jobs::{Better, Contestant, Job, Row, Target};

/// Whether a line's targets are reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Met {
    /// All of them.
    Yes,
    /// At least one is not.
    No,
    /// There is none, or its figures are missing.
    Unknown,
}

/// One line of the table.
#[derive(Debug)]
pub(crate) struct Line {
    /// The job's name.
    pub(crate) job: &'static str,
    /// Which of its figures.
    pub(crate) label: &'static str,
    /// The figure's unit.
    pub(crate) unit: &'static str,
    /// The medians, in the job's order of contestants.
    pub(crate) figures: Vec<(Contestant, f64)>,
    /// Ours to tokio's.
    pub(crate) ratio: Option<f64>,
    /// smol's to tokio's.
    pub(crate) smol_ratio: Option<f64>,
    /// Which way is better.
    pub(crate) better: Better,
    /// The targets in words.
    pub(crate) target: String,
    /// Whether they are reached.
    pub(crate) met: Met,
    /// The ones that are not, with what was seen.
    pub(crate) reasons: Vec<String>,
}

/// The lines of a job.
pub(crate) fn judge(job: &'static Job, collected: &Collected) -> Vec<Line> {
    job.rows.iter().map(|row| line(job, row, collected)).collect()
}

fn line(job: &'static Job, row: &'static Row, collected: &Collected) -> Line {
    let figure = |contestant: &Contestant| Some((*contestant, collected.median(*contestant, row.key)?));
    let to_tokio = |contestant| collected.ratio((contestant, row.key), (Contestant::Tokio, row.key));
    let verdicts: Vec<_> = row.targets.iter().map(|target| check(*target, row, collected)).collect();
    let met = match () {
        () if verdicts.iter().any(|(_, met, _)| *met == Met::No) => Met::No,
        () if verdicts.iter().any(|(_, met, _)| *met == Met::Unknown) || verdicts.is_empty() => Met::Unknown,
        () => Met::Yes,
    };
    let missed = verdicts.iter().filter(|(_, met, _)| *met == Met::No);
    Line {
        job: job.name,
        label: row.label,
        unit: row.unit,
        figures: job.contestants.iter().filter_map(figure).collect(),
        ratio: to_tokio(Contestant::Wheelhouse),
        smol_ratio: to_tokio(Contestant::Smol),
        better: row.better,
        reasons: missed.map(|(target, _, seen)| format!("{seen} instead of {target}")).collect(),
        target: verdicts.iter().map(|(target, _, _)| target.as_str()).collect::<Vec<_>>().join(", "),
        met,
    }
}

/// The target in words, whether it is met, and what was seen.
fn check(target: Target, row: &Row, collected: &Collected) -> (String, Met, String) {
    let ours = (Contestant::Wheelhouse, row.key);
    let sign = if row.better == Better::Lower { "<=" } else { ">=" };
    let (words, seen, limit, better) = match target {
        Target::Ratio(limit) => {
            let ratio = collected.ratio(ours, (Contestant::Tokio, row.key));
            (format!("{sign} {limit:.2}x tokio"), ratio, limit, row.better)
        }
        Target::AtMost(limit) => {
            let value = collected.median(Contestant::Wheelhouse, row.key);
            (format!("<= {limit} {}", row.unit), value, limit, Better::Lower)
        }
        Target::OverBare(limit) => {
            let over = collected.difference(Contestant::Wheelhouse, Contestant::Bare, row.key);
            (format!("<= bare + {limit} {}", row.unit), over, limit, Better::Lower)
        }
        Target::OfBare(limit) => {
            let ratio = collected.ratio(ours, (Contestant::Bare, row.key));
            (format!(">= {limit:.2}x bare"), ratio, limit, Better::Higher)
        }
        Target::TimesKey(key, limit) => {
            let ratio = collected.ratio(ours, (Contestant::Wheelhouse, key));
            (format!("<= {limit:.2}x {key}"), ratio, limit, Better::Lower)
        }
        Target::OfNoRescue(limit) => {
            let ratio = collected.ratio(ours, (Contestant::NoRescue, row.key));
            (format!("{sign} {limit:.2}x no-rescue"), ratio, limit, row.better)
        }
    };
    let met = match seen {
        None => Met::Unknown,
        Some(seen) if better == Better::Lower && seen <= limit => Met::Yes,
        Some(seen) if better == Better::Higher && seen >= limit => Met::Yes,
        Some(_) => Met::No,
    };
    (words, met, seen.map_or_else(String::new, |seen| format!("{seen:.2}")))
}
