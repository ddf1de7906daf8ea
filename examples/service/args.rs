//! The command line.

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

/// An HTTP/1.1 service on wheelhouse's own sockets and timers.
#[derive(Debug, Parser)]
#[command(name = "service", version)]
pub(crate) struct Args {
    /// The port on 127.0.0.1; 0 takes a free one.
    #[arg(long, default_value_t = 8080)]
    pub(crate) port: u16,
    /// Worker threads; the runtime's own default unless given.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) workers: Option<u16>,
    /// Drive the service with 64 connections for so long (10s, 500ms, 1m), print what it bore, and exit.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) load: Option<Duration>,
    /// Close a connection on which nothing was asked for so long.
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = duration)]
    pub(crate) idle: Duration,
}

impl Args {
    /// Reads the command line. A mistake in it is told in one line.
    pub(crate) fn read() -> Result<Self, ExitCode> {
        Self::try_parse().map_err(|error| {
            if !error.use_stderr() {
                // --help or --version.
                let _ = error.print();
                return ExitCode::SUCCESS;
            }
            let text = error.to_string();
            let line = text.lines().next().unwrap_or_default();
            eprintln!("service: {} (--help tells more)", line.strip_prefix("error: ").unwrap_or(line));
            ExitCode::from(2)
        })
    }
}

/// Reads `10s`, `500ms` or `1m`.
fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let ms_a_unit = match &text[digits.len()..] {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        _ => return Err("a number and its unit are wanted: 500ms, 10s or 1m".to_owned()),
    };
    let count: u64 = digits.parse().map_err(|_| "a whole number is wanted before the unit".to_owned())?;
    match count.checked_mul(ms_a_unit) {
        None => Err("that is too long".to_owned()),
        Some(0) => Err("it has to be longer than nothing".to_owned()),
        Some(ms) => Ok(Duration::from_millis(ms)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_with_each_unit() {
        assert_eq!(duration("10s"), Ok(Duration::from_secs(10)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1m"), Ok(Duration::from_secs(60)));
    }

    #[test]
    fn what_is_no_duration_is_refused() {
        for text in ["", "10", "s", "0s", "1h", "-1s", "1.5s", "10 s", "99999999999999999999s", "18446744073709551615m"]
        {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
