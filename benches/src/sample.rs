//! What one child process measured: named figures, printed as one line of flat JSON.

use std::collections::BTreeMap;
use std::fmt;

/// The figures of one run of a job.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Sample(BTreeMap<String, f64>);

impl Sample {
    /// A sample of one figure.
    pub(crate) fn of(key: impl Into<String>, value: f64) -> Self {
        Self::default().with(key, value)
    }

    /// Adds a figure.
    #[must_use]
    pub(crate) fn with(mut self, key: impl Into<String>, value: f64) -> Self {
        self.0.insert(key.into(), value);
        self
    }

    /// Adds another sample's figures, each name after `prefix`.
    #[must_use]
    pub(crate) fn join(mut self, prefix: &str, other: Self) -> Self {
        self.0.extend(other.0.into_iter().map(|(key, value)| (format!("{prefix}{key}"), value)));
        self
    }

    /// The figure called `key`.
    pub(crate) fn get(&self, key: &str) -> Option<f64> {
        self.0.get(key).copied()
    }

    /// The sum of all figures whose names end so.
    pub(crate) fn sum_of(&self, end: &str) -> f64 {
        self.0.iter().filter(|(key, _)| key.ends_with(end)).map(|(_, value)| value).sum()
    }

    /// Reads what [`Sample`]'s `Display` wrote; `None` for any other text.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let body = line.trim().strip_prefix('{')?.strip_suffix('}')?;
        let mut figures = BTreeMap::new();
        for pair in body.split(',').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once(':')?;
            let key = key.strip_prefix('"')?.strip_suffix('"')?;
            figures.insert(key.to_owned(), value.parse().ok()?);
        }
        Some(Self(figures))
    }
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (i, (key, value)) in self.0.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            write!(f, "{comma}\"{key}\":{value}")?;
        }
        f.write_str("}")
    }
}

/// The median; not a number when there is none.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => values[n / 2],
        n => (values[n / 2 - 1] + values[n / 2]) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_sample_reads_back_the_same() {
        let sample = Sample::of("ns", 12.5).with("p99", 3e9).join("timers.", Sample::of("worst", 0.25));
        assert_eq!(Sample::parse(&sample.to_string()), Some(sample));
        assert_eq!(Sample::parse("{}"), Some(Sample::default()));
        assert_eq!(Sample::parse("thread panicked"), None);
    }

    #[test]
    fn the_median_is_the_middle_or_the_mean_of_the_two_middles() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 1.0, 3.0, 2.0]), 2.5);
        assert!(median(&mut []).is_nan());
    }
}
