//! Starts a fresh process for every sample, so that memory and CPU time are the sample's own.

use std::collections::HashMap;
use std::fs;
use std::io::{self, IsTerminal, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::jobs::{Contestant, Job};
use crate::sample::{Sample, median};

/// A run that takes longer than this hangs.
const PATIENCE: Duration = Duration::from_secs(100);

/// All samples of a job.
#[derive(Debug)]
pub(crate) struct Collected {
    /// The job.
    pub(crate) job: &'static Job,
    /// A sample a round for each contestant; `None` where the run failed.
    samples: HashMap<String, Vec<Option<Sample>>>,
    /// What went wrong.
    pub(crate) failures: Vec<String>,
}

/// Runs the job `rounds` times on each of its contestants.
pub(crate) fn collect(job: &'static Job, rounds: usize, quick: bool) -> Result<Collected, String> {
    let mut collected = Collected { job, samples: HashMap::new(), failures: Vec::new() };
    let progress = io::stderr().is_terminal();
    for round in 0..rounds {
        let mut order = job.contestants.to_vec();
        if round % 2 == 1 {
            order.reverse();
        }
        if progress {
            eprint!("\r\x1b[K{}: round {} of {rounds}", job.name, round + 1);
        }
        for (contestant, outcome) in self::round(job, &order, quick)? {
            let sample = outcome.map_err(|why| collected.failures.push(format!("{} {contestant}: {why}", job.name)));
            collected.samples.entry(contestant.to_string()).or_default().push(sample.ok());
        }
    }
    if progress {
        eprint!("\r\x1b[K");
    }
    Ok(collected)
}

type Outcome = Result<Sample, String>;

fn round(job: &'static Job, order: &[Contestant], quick: bool) -> Result<Vec<(Contestant, Outcome)>, String> {
    let mut outcomes = Vec::new();
    let Some(stagger) = job.stagger else {
        for contestant in order {
            outcomes.push((*contestant, Started::start(job, *contestant, quick)?.finish()));
        }
        return Ok(outcomes);
    };
    let mut running = Vec::new();
    for contestant in order {
        running.push((*contestant, Started::start(job, *contestant, quick)?));
        thread::sleep(stagger);
    }
    for (contestant, started) in running {
        outcomes.push((contestant, started.finish()));
    }
    Ok(outcomes)
}

/// A child process at work.
struct Started {
    child: Child,
    since: Instant,
    /// Where strace writes, for the job that counts system calls.
    trace: Option<PathBuf>,
}

impl Started {
    fn start(job: &Job, contestant: Contestant, quick: bool) -> Result<Self, String> {
        let program = std::env::current_exe().map_err(|error| format!("this program's own path: {error}"))?;
        let trace = (job.name == "idle" && have_strace())
            .then(|| std::env::temp_dir().join(format!("benches-{}-{contestant}.strace", std::process::id())));
        let mut command = match &trace {
            Some(path) => {
                let mut strace = Command::new("strace");
                strace.args(["-f", "-ttt", "-o"]).arg(path).arg(program);
                strace
            }
            None => Command::new(program),
        };
        command.args(["run", job.name, &contestant.to_string()]);
        if quick {
            command.arg("--quick");
        }
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let child = child.map_err(|error| format!("a child process cannot be started: {error}"))?;
        Ok(Self { child, since: Instant::now(), trace })
    }

    fn finish(mut self) -> Outcome {
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if self.since.elapsed() > PATIENCE => {
                    let _ = self.child.kill();
                    let _ = self.child.wait();
                    return Err(format!("no end after {} s", PATIENCE.as_secs()));
                }
                Ok(None) => thread::sleep(Duration::from_millis(5)),
                Err(error) => return Err(error.to_string()),
            }
        };
        let (mut out, mut err) = (String::new(), String::new());
        let _ = self.child.stdout.take().map(|mut pipe| pipe.read_to_string(&mut out));
        let _ = self.child.stderr.take().map(|mut pipe| pipe.read_to_string(&mut err));
        let parsed = out.lines().last().and_then(Sample::parse).filter(|_| status.success());
        let sample = parsed.ok_or_else(|| format!("{status}: {}", err.lines().next().unwrap_or("no figures")))?;
        Ok(match self.trace {
            Some(path) => count_calls(sample, &path),
            None => sample,
        })
    }
}

fn have_strace() -> bool {
    Command::new("strace").arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// Adds how many system calls were begun inside the sample's window.
fn count_calls(sample: Sample, path: &PathBuf) -> Sample {
    let trace = fs::read_to_string(path).unwrap_or_default();
    let _ = fs::remove_file(path);
    let (Some(from), Some(until)) = (sample.get("from"), sample.get("until")) else { return sample };
    // A line is "PID SECONDS.MICROS call(...)"; "<... call resumed>" is the end of one, not another.
    let calls = trace.lines().filter(|line| !line.contains("<... ")).filter(|line| {
        let at = line.split_whitespace().nth(1).and_then(|at| at.parse::<f64>().ok());
        at.is_some_and(|at| (from..until).contains(&at))
    });
    let calls = calls.count() as f64;
    sample.with("syscalls", calls)
}

impl Collected {
    /// The median of a figure over the rounds.
    pub(crate) fn median(&self, contestant: Contestant, key: &str) -> Option<f64> {
        let samples = self.samples.get(&contestant.to_string())?;
        let mut values: Vec<f64> = samples.iter().flatten().filter_map(|sample| sample.get(key)).collect();
        (!values.is_empty()).then(|| median(&mut values))
    }

    /// The median over the rounds of one contestant's figure divided by another's of the same round.
    pub(crate) fn ratio(&self, of: (Contestant, &str), to: (Contestant, &str)) -> Option<f64> {
        let (ours, theirs) = (self.samples.get(&of.0.to_string())?, self.samples.get(&to.0.to_string())?);
        let ratio = |(a, b): (&Option<Sample>, &Option<Sample>)| {
            let ratio = a.as_ref()?.get(of.1)? / b.as_ref()?.get(to.1)?;
            ratio.is_finite().then_some(ratio)
        };
        let mut ratios: Vec<f64> = ours.iter().zip(theirs).filter_map(ratio).collect();
        (!ratios.is_empty()).then(|| median(&mut ratios))
    }

    /// The median over the rounds of one contestant's figure less another's of the same round.
    pub(crate) fn difference(&self, of: Contestant, to: Contestant, key: &str) -> Option<f64> {
        let (ours, theirs) = (self.samples.get(&of.to_string())?, self.samples.get(&to.to_string())?);
        let difference =
            |(a, b): (&Option<Sample>, &Option<Sample>)| Some(a.as_ref()?.get(key)? - b.as_ref()?.get(key)?);
        let mut differences: Vec<f64> = ours.iter().zip(theirs).filter_map(difference).collect();
        (!differences.is_empty()).then(|| median(&mut differences))
    }

    /// How many sleeps ended before their time, for each contestant that had any.
    pub(crate) fn early(&self) -> Vec<(Contestant, f64)> {
        let mut found = Vec::new();
        for contestant in self.job.contestants {
            let samples = self.samples.get(&contestant.to_string());
            let early: f64 = samples.into_iter().flatten().flatten().map(|sample| sample.sum_of("early")).sum();
            if early > 0.0 {
                found.push((*contestant, early));
            }
        }
        found
    }

    /// Every sample, one a line.
    pub(crate) fn samples_text(&self) -> String {
        let mut text = String::new();
        for contestant in self.job.contestants {
            for sample in self.samples.get(&contestant.to_string()).into_iter().flatten().flatten() {
                text += &format!("{} {contestant} {sample}\n", self.job.name);
            }
        }
        text
    }
}
