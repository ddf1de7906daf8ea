//! Side-by-side comparison of wheelhouse, tokio and smol.
//!
//! `benches run JOB CONTESTANT` measures once, in this process, and prints one line of figures; `benches report` starts
//! such a process a sample, the contestants alternating, and writes a table and charts.

mod counts;
mod gate;
mod hist;
mod jobs;
mod report;
mod rt;
mod sample;
mod sys;

use std::net::SocketAddr;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::jobs::{Contestant, JOBS, Job};

#[derive(Debug, Parser)]
#[command(about = "Side-by-side comparison of wheelhouse, tokio and smol", version)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Runs every job on every runtime, in alternation, and writes a report.
    Report(report::Args),
    /// Runs one job once in this process and prints its figures.
    Run {
        /// The job's name, as `list` tells it.
        job: String,
        /// wheelhouse, tokio, smol, no-rescue, bare, ...
        contestant: Contestant,
        /// Fewer repetitions and smaller crowds.
        #[arg(long)]
        quick: bool,
    },
    /// Lists the jobs.
    List,
    /// Counts instructions by valgrind and compares them with the accepted ones.
    Counts(counts::Args),
    /// One case of `counts`.
    #[command(hide = true)]
    Counted { case: String, ops: usize },
    /// The far end of the job `connections`.
    #[command(hide = true)]
    Clients { addr: SocketAddr, n: usize },
}

fn main() -> ExitCode {
    match run(Args::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("benches: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<(), String> {
    match command {
        Command::Report(args) => report::run(&args),
        Command::Run { job, contestant, quick } => {
            let job = Job::find(&job).ok_or_else(|| format!("no job is called {job}; `list` tells their names"))?;
            let sample = job.run(contestant, quick);
            println!("{}", sample.ok_or_else(|| format!("{contestant} has no part in {}", job.name))?);
            Ok(())
        }
        Command::List => {
            for job in JOBS {
                println!("{:14} {}", job.name, job.what);
            }
            Ok(())
        }
        Command::Counts(args) => counts::run(&args),
        Command::Counted { case, ops } => counts::counted(&case, ops),
        Command::Clients { addr, n } => jobs::clients(addr, n).map_err(|error| error.to_string()),
    }
}
