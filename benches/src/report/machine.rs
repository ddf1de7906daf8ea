//! Where and with what the figures were taken.

use std::fmt;
use std::fs;
use std::process::Command;
use std::thread;
use std::time::SystemTime;

/// The machine, the versions and the day.
#[derive(Debug)]
pub(crate) struct Machine {
    cpu: String,
    cores: usize,
    kernel: String,
    rustc: String,
    peers: String,
    date: String,
}

impl Machine {
    /// Looks around.
    pub(crate) fn look() -> Self {
        let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = cpuinfo.lines().find(|line| line.starts_with("model name"));
        let cpu = model.and_then(|line| line.split_once(':')).map_or("unknown CPU", |(_, name)| name.trim());
        let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        // The workspace's lock file names what this binary was built with.
        let lock = include_str!("../../../Cargo.lock");
        let version = |name| {
            let entry = lock.split("[[package]]").find(|entry| entry.contains(&format!("name = \"{name}\"\n")));
            let line = entry.and_then(|entry| entry.lines().find_map(|line| line.strip_prefix("version = ")));
            format!("{name} {}", line.unwrap_or("?").trim_matches('"'))
        };
        Self {
            cpu: cpu.to_owned(),
            cores: thread::available_parallelism().map_or(0, usize::from),
            kernel: format!("{} {}", std::env::consts::OS, release.trim()),
            rustc: first_line("rustc", "--version"),
            peers: ["wheelhouse", "tokio", "smol", "hyper"].map(version).join(", "),
            date: date(SystemTime::now()),
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cpu, cores, kernel, rustc, peers, date } = self;
        write!(f, "{date}; {cpu}, {cores} cores, {kernel}; {rustc}; {peers}; release, thin LTO, one codegen unit")
    }
}

fn first_line(program: &str, arg: &str) -> String {
    let output = Command::new(program).arg(arg).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.lines().next().unwrap_or("rustc unknown").to_owned()
}

/// The UTC date, by counting days from 1 March of the year 0 in cycles of 400 years.
fn date(time: SystemTime) -> String {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let days = since / 86_400 + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, year) = if month < 10 { (month + 3, year) } else { (month - 9, year + 1) };
    format!("{:04}-{month:02}-{day:02}", era * 400 + year)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn dates_come_out_as_the_calendar_has_them() {
        let at = |seconds| date(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01");
        assert_eq!(at(951_782_400), "2000-02-29");
        assert_eq!(at(1_767_225_599), "2025-12-31");
    }
}
