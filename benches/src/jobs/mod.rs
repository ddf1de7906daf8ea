//! The jobs: each is written once for every runtime, and says what it has to reach.

mod blocked;
mod build;
mod crowds;
mod lateness;
mod net;
mod rest;
mod table;
mod tasks;
mod timeouts;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

pub(crate) use self::net::{clients, have_wrk};
pub(crate) use self::table::JOBS;
use crate::rt::set_rescue;
use crate::sample::Sample;

/// What a run of a job may vary.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Opts {
    /// Worker threads.
    pub(crate) workers: usize,
    /// Fewer repetitions and smaller crowds.
    pub(crate) quick: bool,
}

/// Who runs a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Contestant {
    /// wheelhouse.
    Wheelhouse,
    /// tokio.
    Tokio,
    /// smol.
    Smol,
    /// wheelhouse without its rescue of blocked workers.
    NoRescue,
    /// System calls without a runtime.
    Bare,
    /// A loop over the clock.
    BusyLoop,
    /// epoll's own timeout.
    EpollTimeout,
    /// A timerfd in epoll.
    Timerfd,
}

/// Every contestant with its name on the command line and in the report.
const NAMES: [(Contestant, &str); 8] = [
    (Contestant::Wheelhouse, "wheelhouse"),
    (Contestant::Tokio, "tokio"),
    (Contestant::Smol, "smol"),
    (Contestant::NoRescue, "no-rescue"),
    (Contestant::Bare, "bare"),
    (Contestant::BusyLoop, "busy-loop"),
    (Contestant::EpollTimeout, "epoll-timeout"),
    (Contestant::Timerfd, "timerfd"),
];

impl fmt::Display for Contestant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(contestant, _)| contestant == self).map_or("", |(_, name)| name);
        f.pad(name)
    }
}

impl FromStr for Contestant {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let found = NAMES.iter().find(|(_, name)| *name == s);
        found.map(|(contestant, _)| *contestant).ok_or_else(|| {
            let names: Vec<_> = NAMES.iter().map(|(_, name)| *name).collect();
            format!("no such contestant; there are {}", names.join(", "))
        })
    }
}

/// Whether a larger figure is the better one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Better {
    /// Time, memory.
    Lower,
    /// Rates.
    Higher,
}

/// What a figure has to reach.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Target {
    /// This share of tokio's: at most, or at least where higher is better.
    Ratio(f64),
    /// This value at most.
    AtMost(f64),
    /// The bare loop's figure and this much more, at most.
    OverBare(f64),
    /// This share of the bare loop's rate, at least.
    OfBare(f64),
    /// This many times the figure called so, at most.
    TimesKey(&'static str, f64),
    /// This share of what the runtime does without its rescue: at most, or at least where higher is better.
    OfNoRescue(f64),
}

/// One line of the report's table: a figure of a job.
#[derive(Debug)]
pub(crate) struct Row {
    /// What the line says beside the job's name.
    pub(crate) label: &'static str,
    /// The figure's name in the samples.
    pub(crate) key: &'static str,
    /// Its unit.
    pub(crate) unit: &'static str,
    /// Which way is better.
    pub(crate) better: Better,
    /// What it has to reach, all of them.
    pub(crate) targets: &'static [Target],
}

/// Which reports include a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PartOf {
    /// All of them.
    Quick,
    /// The full one.
    Full,
    /// None, unless it is named.
    Named,
}

/// Runs a job, or tells that the contestant has no part in it.
pub(crate) type Run = fn(Contestant, &Opts) -> Option<Sample>;

/// A job.
#[derive(Debug)]
pub(crate) struct Job {
    /// Its name on the command line.
    pub(crate) name: &'static str,
    /// What it does.
    pub(crate) what: &'static str,
    /// Who runs it, in the order of a round.
    pub(crate) contestants: &'static [Contestant],
    /// Worker threads.
    pub(crate) workers: usize,
    /// Runs it in this process.
    pub(crate) run: Run,
    /// The figures it is judged by.
    pub(crate) rows: &'static [Row],
    /// For jobs that mostly wait: a round's runs go side by side, each started this long after the one before.
    pub(crate) stagger: Option<Duration>,
    /// Which reports include it.
    pub(crate) part_of: PartOf,
}

impl Job {
    /// The job called `name`.
    pub(crate) fn find(name: &str) -> Option<&'static Self> {
        JOBS.iter().find(|job| job.name == name)
    }

    /// Runs the job in this process.
    pub(crate) fn run(&self, contestant: Contestant, quick: bool) -> Option<Sample> {
        set_rescue(contestant != Contestant::NoRescue);
        (self.run)(contestant, &Opts { workers: self.workers, quick })
    }
}
