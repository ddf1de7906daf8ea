//! The list of all jobs with what each has to reach.

use std::time::Duration;

use super::Better::{Higher, Lower};
use super::Contestant::{Bare, BusyLoop, EpollTimeout, NoRescue, Smol, Timerfd, Tokio, Wheelhouse};
use super::Target::{AtMost, OfBare, OfNoRescue, OverBare, Ratio, TimesKey};
use super::{
    Better, Contestant, Job, PartOf, Row, Target, blocked, build, crowds, lateness, net, rest, tasks, timeouts,
};
use crate::rt;

/// A function generic over the runtime as a [`Run`](super::Run), with the bare loop beside it where there is one.
macro_rules! on_each {
    ($module:ident :: $job:ident $(, bare: $bare:path)?) => {
        |contestant, opts| match contestant {
            Wheelhouse | NoRescue => Some($module::$job::<rt::Wheelhouse>(opts)),
            Tokio => Some($module::$job::<rt::Tokio>(opts)),
            Smol => Some($module::$job::<rt::Smol>(opts)),
            $(Bare => Some($bare(opts)),)?
            _ => None,
        }
    };
}

const RUNTIMES: &[Contestant] = &[Tokio, Wheelhouse, Smol];
const WITH_BARE: &[Contestant] = &[Tokio, Wheelhouse, Smol, Bare];
const WITH_PRICE: &[Contestant] = &[Tokio, Wheelhouse, NoRescue, Smol];
const WITH_PRICE_AND_BARE: &[Contestant] = &[Tokio, Wheelhouse, NoRescue, Smol, Bare];

const fn row(
    label: &'static str,
    key: &'static str,
    unit: &'static str,
    better: Better,
    targets: &'static [Target],
) -> Row {
    Row { label, key, unit, better, targets }
}

const DEFAULT: Job = Job {
    name: "",
    what: "",
    contestants: RUNTIMES,
    workers: 2,
    run: |_, _| None,
    rows: &[],
    stagger: None,
    part_of: PartOf::Quick,
};

/// Every job, in the report's order.
pub(crate) static JOBS: &[Job] = &[
    Job {
        name: "spawn",
        what: "from a task, spawn 200,000 empty tasks and wait for the last",
        run: on_each!(tasks::spawn),
        rows: &[row("a task", "ns", "ns", Lower, &[Ratio(0.30)])],
        ..DEFAULT
    },
    Job {
        name: "chained",
        what: "a task spawns its successor, 200,000 times",
        run: on_each!(tasks::chained),
        rows: &[row("a task", "ns", "ns", Lower, &[Ratio(0.35)])],
        ..DEFAULT
    },
    Job {
        name: "yield",
        what: "1,000 tasks x 500 yield_now",
        run: on_each!(tasks::yields),
        rows: &[row("a yield", "ns", "ns", Lower, &[Ratio(0.45)])],
        ..DEFAULT
    },
    Job {
        name: "ping-pong",
        what: "100 pairs over channels of one place, 2,000 rounds",
        contestants: WITH_PRICE,
        run: on_each!(tasks::ping_pong),
        rows: &[row("a round", "ns", "ns", Lower, &[Ratio(0.80), OfNoRescue(1.02)])],
        ..DEFAULT
    },
    Job {
        name: "timeout",
        what: "256 tasks, each 4,000 timeouts of 5 to 55 s over yield_now: armed and cancelled",
        contestants: WITH_PRICE,
        run: on_each!(timeouts::armed),
        rows: &[row("a timeout", "ns", "ns", Lower, &[Ratio(0.20), OfNoRescue(1.02)])],
        ..DEFAULT
    },
    Job {
        name: "timeout-8",
        what: "the same with 8 workers",
        workers: 8,
        run: on_each!(timeouts::armed),
        rows: &[row("a timeout", "ns", "ns", Lower, &[Ratio(0.20)])],
        ..DEFAULT
    },
    Job {
        name: "timeout-ready",
        what: "a timeout over a future that never pends",
        run: on_each!(timeouts::ready_inner),
        rows: &[row("a timeout", "ns", "ns", Lower, &[Ratio(0.60)])],
        ..DEFAULT
    },
    Job {
        name: "reset-later",
        what: "an armed sleep reset to later and later instants",
        run: on_each!(timeouts::reset_later),
        rows: &[
            row("one sleep", "one", "ns", Lower, &[Ratio(0.80)]),
            row("256 tasks", "many", "ns", Lower, &[Ratio(0.80)]),
        ],
        ..DEFAULT
    },
    Job {
        name: "growth",
        what: "arm and cancel with so many timers already armed",
        run: on_each!(timeouts::growth),
        rows: &[
            row("1e3", "n1000", "ns", Lower, &[]),
            row("1e4", "n10000", "ns", Lower, &[]),
            row("1e5", "n100000", "ns", Lower, &[]),
            row("1e6", "n1000000", "ns", Lower, &[]),
            row("1e7", "n10000000", "ns", Lower, &[TimesKey("n1000", 1.2)]),
        ],
        ..DEFAULT
    },
    Job {
        name: "lateness",
        what: "single sleeps on an idle runtime, beside a bare timerfd loop",
        contestants: WITH_BARE,
        run: on_each!(lateness::short, bare: lateness::short_bare),
        rows: &[
            row("50 us p50", "50usp50", "us", Lower, &[OverBare(5.0)]),
            row("50 us p99", "50usp99", "us", Lower, &[OverBare(50.0)]),
            row("100 us p50", "100usp50", "us", Lower, &[OverBare(5.0)]),
            row("100 us p99", "100usp99", "us", Lower, &[OverBare(50.0)]),
            row("500 us p50", "500usp50", "us", Lower, &[OverBare(5.0)]),
            row("500 us p99", "500usp99", "us", Lower, &[OverBare(50.0)]),
            row("1 ms p50", "1msp50", "us", Lower, &[OverBare(5.0)]),
            row("1 ms p99", "1msp99", "us", Lower, &[OverBare(50.0)]),
            row("5 ms p50", "5msp50", "us", Lower, &[OverBare(5.0)]),
            row("5 ms p99", "5msp99", "us", Lower, &[OverBare(50.0)]),
            row("1 s worst", "1sworst", "us", Lower, &[AtMost(500.0)]),
        ],
        ..DEFAULT
    },
    Job {
        name: "lateness-10s",
        what: "one sleep of 10 s on an idle runtime",
        contestants: WITH_BARE,
        run: on_each!(lateness::long, bare: lateness::long_bare),
        rows: &[row("late by", "worst", "us", Lower, &[AtMost(500.0)])],
        stagger: Some(Duration::from_millis(330)),
        part_of: PartOf::Full,
        ..DEFAULT
    },
    Job {
        name: "million",
        what: "a million tasks, each sleeping 2 s + 0..5 s (a fifth of them in a quick report)",
        run: on_each!(crowds::million),
        rows: &[
            row("spawn", "spawn", "s", Lower, &[AtMost(0.30)]),
            row("CPU", "cpu", "s", Lower, &[AtMost(3.0)]),
            row("resident", "rss", "MiB", Lower, &[AtMost(210.0)]),
            row("lateness p50", "p50", "us", Lower, &[AtMost(60.0)]),
            row("lateness p99", "p99", "us", Lower, &[AtMost(500.0)]),
            row("lateness p99.9", "p999", "us", Lower, &[AtMost(3_000.0)]),
        ],
        ..DEFAULT
    },
    Job {
        name: "burst",
        what: "600,000 timers due in one millisecond after 10 s of quiet, beside a TCP echo",
        run: on_each!(crowds::burst),
        rows: &[
            row("echo p99", "echo_p99", "us", Lower, &[AtMost(5_000.0)]),
            row("all fired", "fired_ms", "ms", Lower, &[Ratio(2.0)]),
        ],
        stagger: Some(Duration::from_secs(4)),
        part_of: PartOf::Full,
        ..DEFAULT
    },
    Job {
        name: "blocked-2",
        what: "1 of 2 workers blocked for 200 ms five times and for 1 s once",
        run: on_each!(blocked::blocked),
        rows: BLOCKED,
        ..DEFAULT
    },
    Job {
        name: "blocked-4",
        what: "3 of 4 workers blocked likewise",
        workers: 4,
        run: on_each!(blocked::blocked),
        rows: BLOCKED,
        ..DEFAULT
    },
    Job {
        name: "echo",
        what: "64 connections, 64-byte round trips, both ends on the runtime",
        contestants: WITH_PRICE_AND_BARE,
        run: on_each!(net::echo, bare: net::echo_bare),
        rows: &[row("round trips", "rate", "/s", Higher, &[Ratio(1.10), OfBare(0.90), OfNoRescue(0.98)])],
        ..DEFAULT
    },
    Job {
        name: "http",
        what: "hyper's hello world driven by wrk -t2 -c64",
        run: on_each!(net::http),
        rows: &[row("requests", "rate", "/s", Higher, &[Ratio(1.05)])],
        ..DEFAULT
    },
    Job {
        name: "connections",
        what: "10,000 idle connections (2,000 in a quick report), each read under a timeout of 60 s",
        run: on_each!(net::connections),
        rows: &[
            row("resident", "rss", "MiB", Lower, &[Ratio(0.5)]),
            row("a connection", "each_kib", "KiB", Lower, &[]),
        ],
        ..DEFAULT
    },
    Job {
        name: "idle",
        what: "4 workers and one 60 s sleep, for 5 s",
        workers: 4,
        run: on_each!(rest::idle),
        rows: &[
            row("system calls", "syscalls", "", Lower, &[AtMost(0.0)]),
            row("CPU", "cpu_ms", "ms", Lower, &[AtMost(0.5)]),
        ],
        stagger: Some(Duration::from_millis(100)),
        ..DEFAULT
    },
    Job {
        name: "sizes",
        what: "a Sleep, and what the allocator gives for a spawned task",
        run: on_each!(rest::sizes),
        rows: &[row("Sleep", "sleep", "B", Lower, &[AtMost(72.0)]), row("a pending task", "task", "B", Lower, &[])],
        ..DEFAULT
    },
    Job {
        name: "build",
        what: "cargo build --release of hello world, clean",
        run: |contestant, _| build::hello_world(contestant),
        rows: &[row("time", "seconds", "s", Lower, &[Ratio(1.0)]), row("packages locked", "locked", "", Lower, &[])],
        part_of: PartOf::Named,
        ..DEFAULT
    },
    Job {
        name: "waits",
        what: "three bare ways to wait: precision, and the share of a core that each takes",
        contestants: &[BusyLoop, EpollTimeout, Timerfd],
        run: |contestant, opts| match contestant {
            BusyLoop => Some(lateness::busy_loop(opts)),
            EpollTimeout => Some(lateness::epoll_timeout(opts)),
            Timerfd => Some(lateness::timerfd(opts)),
            _ => None,
        },
        rows: &[
            row("100 us p50", "100usp50", "us", Lower, &[]),
            row("100 us p99", "100usp99", "us", Lower, &[]),
            row("100 us CPU", "100uscpu", "%", Lower, &[]),
            row("1 ms p50", "1msp50", "us", Lower, &[]),
            row("1 ms p99", "1msp99", "us", Lower, &[]),
            row("1 ms CPU", "1mscpu", "%", Lower, &[]),
            row("10 ms p50", "10msp50", "us", Lower, &[]),
            row("10 ms p99", "10msp99", "us", Lower, &[]),
            row("10 ms CPU", "10mscpu", "%", Lower, &[]),
        ],
        ..DEFAULT
    },
];

const BLOCKED: &[Row] = &[
    row("10 ms sleeps", "timers", "ms", Lower, &[AtMost(1.0)]),
    row("TCP echo", "echo", "ms", Lower, &[AtMost(1.0)]),
    row("its LIFO slot", "lifo", "ms", Lower, &[AtMost(4.0)]),
    row("its local queue", "queue", "ms", Lower, &[AtMost(4.0)]),
];
