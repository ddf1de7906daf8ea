//! The report: every job in child processes, contestants alternating, then a table and charts.

mod chart;
mod collect;
mod machine;
mod table;
mod verdict;

use std::fs;
use std::path::{Path, PathBuf};

use self::collect::Collected;
use self::machine::Machine;
use self::verdict::{Line, Met};
use crate::jobs::{JOBS, Job, PartOf, have_wrk};

/// The options of `benches report`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How many times each contestant runs each job; five unless given.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: Option<u16>,
    /// Only these jobs, separated by commas.
    #[arg(long, value_delimiter = ',')]
    jobs: Vec<String>,
    /// Smaller crowds, fewer repetitions, two rounds unless `--rounds` says otherwise, and without the jobs that take long.
    #[arg(long)]
    quick: bool,
    /// Where the report goes.
    #[arg(long, default_value = "target/report")]
    out: PathBuf,
}

/// Runs the jobs and writes the report.
pub(crate) fn run(args: &Args) -> Result<(), String> {
    let jobs = selection(args)?;
    let rounds = args.rounds.unwrap_or(if args.quick { 2 } else { 5 });
    let machine = Machine::look();
    println!("{machine}");
    println!("{}", table::head());
    let mut all = Vec::new();
    let mut lines = Vec::new();
    for job in jobs {
        let collected = collect::collect(job, usize::from(rounds), args.quick)?;
        let judged = verdict::judge(job, &collected);
        for line in &judged {
            println!("{}", table::plain(line));
        }
        lines.extend(judged);
        all.push(collected);
    }
    let summary = summary(&lines, &all);
    println!("{summary}");
    write(&args.out, &machine, rounds, args.quick, &lines, &all, &summary)
        .map_err(|error| format!("the report cannot be written to {}: {error}", args.out.display()))?;
    println!("written to {}", args.out.display());
    match all.iter().flat_map(|collected| &collected.failures).count() {
        0 => Ok(()),
        n => Err(format!("{n} runs failed")),
    }
}

fn selection(args: &Args) -> Result<Vec<&'static Job>, String> {
    if !args.jobs.is_empty() {
        let find = |name: &String| Job::find(name).ok_or_else(|| format!("no job is called {name}"));
        return args.jobs.iter().map(find).collect();
    }
    let wrk = have_wrk();
    if !wrk {
        eprintln!("benches: wrk is not installed, so the job http is left out");
    }
    let wanted = |job: &&Job| match job.part_of {
        PartOf::Quick => wrk || job.name != "http",
        PartOf::Full => !args.quick,
        PartOf::Named => false,
    };
    Ok(JOBS.iter().filter(wanted).collect())
}

fn summary(lines: &[Line], all: &[Collected]) -> String {
    let count = |met| lines.iter().filter(|line| line.met == met).count();
    let mut summary = format!("{} targets met, {} missed", count(Met::Yes), count(Met::No));
    for line in lines.iter().filter(|line| line.met == Met::No) {
        summary += &format!("\n  missed: {} {}: {}", line.job, line.label, line.reasons.join("; "));
    }
    for collected in all {
        for failure in &collected.failures {
            summary += &format!("\n  failed: {failure}");
        }
        for (contestant, n) in collected.early() {
            summary += &format!("\n  early: {n} sleeps of {contestant} in {}", collected.job.name);
        }
    }
    summary
}

fn write(
    out: &Path,
    machine: &Machine,
    rounds: u16,
    quick: bool,
    lines: &[Line],
    all: &[Collected],
    summary: &str,
) -> Result<(), Box<dyn std::error::Error>> {
    fs::create_dir_all(out)?;
    let charts = chart::draw(out, lines, all)?;
    let scale = if quick { "quick: small crowds, few repetitions" } else { "full" };
    let mut page = format!("# wheelhouse beside tokio and smol\n\n{machine}\n\nRounds: {rounds}; {scale}.\n");
    page += "Each figure is the median over the rounds, each ratio the median of the rounds' own ratios to tokio.\n\n";
    page += &table::markdown(lines);
    page += &format!("\n```text\n{summary}\n```\n");
    for name in charts {
        page += &format!("\n![{name}]({name})\n");
    }
    page += "\n## What the jobs do\n\n";
    for collected in all {
        page += &format!("- {}: {}\n", collected.job.name, collected.job.what);
    }
    fs::write(out.join("report.md"), page)?;
    let mut samples = String::new();
    for collected in all {
        samples += &collected.samples_text();
    }
    fs::write(out.join("samples.txt"), samples)?;
    Ok(())
}
