//! The lines as text and as markdown.

use super::verdict::{Line, Met};
use crate::jobs::Contestant;

/// The heading of the plain table.
pub(crate) fn head() -> String {
    row("job", ["wheelhouse", "tokio", "smol", "others"].map(str::to_owned), "ratio", "target")
}

/// A line of the plain table.
pub(crate) fn plain(line: &Line) -> String {
    let target = format!("{:4} {}", verdict(line.met), line.target);
    row(&format!("{} {}", line.job, line.label), columns(line), &ratio(line), target.trim_end())
}

fn row(job: &str, columns: [String; 4], ratio: &str, target: &str) -> String {
    let [ours, tokio, smol, others] = columns;
    format!("{job:28} {ours:>13} {tokio:>13} {smol:>13}  {ratio:>6}  {target:44} {others}").trim_end().to_owned()
}

/// All lines as a markdown table.
pub(crate) fn markdown(lines: &[Line]) -> String {
    let mut table = String::from("| job | wheelhouse | tokio | smol | others | ratio to tokio | target | |\n");
    table += "| --- | ---: | ---: | ---: | --- | ---: | --- | --- |\n";
    for line in lines {
        let [ours, tokio, smol, others] = columns(line);
        let (job, label, ratio, target, met) = (line.job, line.label, ratio(line), &line.target, verdict(line.met));
        table += &format!("| {job}: {label} | {ours} | {tokio} | {smol} | {others} | {ratio} | {target} | {met} |\n");
    }
    table
}

/// The three runtimes' figures, and the others' with their names.
fn columns(line: &Line) -> [String; 4] {
    let of = |contestant| {
        let found = line.figures.iter().find(|(who, _)| *who == contestant);
        found.map_or_else(|| "-".to_owned(), |(_, value)| figure(*value, line.unit))
    };
    let main = [Contestant::Wheelhouse, Contestant::Tokio, Contestant::Smol];
    let others = line.figures.iter().filter(|(who, _)| !main.contains(who));
    let others: Vec<_> = others.map(|(who, value)| format!("{who} {}", figure(*value, line.unit))).collect();
    let [ours, tokio, smol] = main.map(of);
    [ours, tokio, smol, others.join(", ")]
}

fn ratio(line: &Line) -> String {
    line.ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}"))
}

fn verdict(met: Met) -> &'static str {
    match met {
        Met::Yes => "met",
        Met::No => "MISS",
        Met::Unknown => "",
    }
}

/// A figure with its unit, in three or four digits.
fn figure(value: f64, unit: &str) -> String {
    let digits = match value.abs() {
        v if v >= 100.0 || v == 0.0 => 0,
        v if v >= 10.0 => 1,
        _ => 2,
    };
    format!("{value:.digits$} {unit}").trim_end().to_owned()
}
