//! The charts, as SVG: ratios to tokio, lateness by duration, growth with the number of armed timers.

use std::error::Error;
use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;

use super::collect::Collected;
use super::verdict::Line;
use crate::jobs::{Better, Contestant};

const OURS: RGBColor = RGBColor(27, 94, 160);
const TOKIO: RGBColor = RGBColor(200, 90, 40);
const SMOL: RGBColor = RGBColor(90, 150, 70);
const BARE: RGBColor = RGBColor(120, 120, 120);

type Drawn = Result<(), Box<dyn Error>>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Draws what the samples allow and tells the files' names.
pub(crate) fn draw(out: &Path, lines: &[Line], all: &[Collected]) -> Result<Vec<&'static str>, Box<dyn Error>> {
    let mut drawn = Vec::new();
    let bars: Vec<&Line> = lines.iter().filter(|line| line.ratio.is_some()).collect();
    if !bars.is_empty() {
        let path = out.join("ratios.svg");
        let area = SVGBackend::new(&path, (1000, 60 + 26 * bars.len() as u32)).into_drawing_area();
        ratios(&area, &bars)?;
        drawn.push("ratios.svg");
    }
    let find = |name| all.iter().find(|collected| collected.job.name == name);
    if let Some(collected) = find("lateness") {
        let path = out.join("lateness.svg");
        let points = [("50us", 50.0), ("100us", 100.0), ("500us", 500.0), ("1ms", 1e3), ("5ms", 5e3)];
        let points = points.map(|(key, x)| (format!("{key}p50"), x));
        lines_chart(&path, "lateness p50 by duration of the sleep (us, us)", collected, &points)?;
        drawn.push("lateness.svg");
    }
    if let Some(collected) = find("growth") {
        let path = out.join("growth.svg");
        let points = [1_000, 10_000, 100_000, 1_000_000, 10_000_000].map(|n| (format!("n{n}"), f64::from(n)));
        lines_chart(&path, "arm and cancel by number of armed timers (ns)", collected, &points)?;
        drawn.push("growth.svg");
    }
    Ok(drawn)
}

/// Two bars a line, ours and smol's, against tokio's 1, on a logarithmic scale.
fn ratios(area: &Area<'_>, bars: &[&Line]) -> Drawn {
    area.fill(&WHITE)?;
    let n = bars.len() as i32;
    let mut chart = ChartBuilder::on(area)
        .caption("ratio to tokio (1 = tokio; blue: wheelhouse, green: smol)", ("sans-serif", 18))
        .margin(10)
        .margin_right(40)
        .x_label_area_size(25)
        .y_label_area_size(250)
        .build_cartesian_2d((0.01..100.0).log_scale(), 0..n)?;
    let name = |y: &i32| {
        let line = usize::try_from(n - 1 - *y).ok().and_then(|i| bars.get(i));
        let note = |line: &Line| if line.better == Better::Higher { " (more is better)" } else { "" };
        line.map_or_else(String::new, |line| format!("{} {}{}", line.job, line.label, note(line)))
    };
    chart.configure_mesh().disable_y_mesh().y_labels(bars.len()).y_label_formatter(&name).y_label_offset(-13).draw()?;
    for (i, line) in bars.iter().enumerate() {
        let y = n - 1 - i as i32;
        let both = [(line.ratio, OURS), (line.smol_ratio, SMOL)];
        for (half, (ratio, colour)) in both.into_iter().enumerate() {
            let Some(ratio) = ratio.map(|ratio| ratio.clamp(0.011, 99.0)) else { continue };
            let mut bar = Rectangle::new([(1.0, y), (ratio, y + 1)], colour.filled());
            let top = 3 + 11 * half as u32;
            bar.set_margin(top, 14 - 11 * half as u32, 0, 0);
            chart.draw_series(std::iter::once(bar))?;
        }
    }
    chart.draw_series(LineSeries::new([(1.0, 0), (1.0, n)], BLACK.stroke_width(1)))?;
    area.present()?;
    Ok(())
}

/// One line a contestant over the samples' figures `points`, both axes logarithmic.
fn lines_chart(path: &Path, title: &str, collected: &Collected, points: &[(String, f64)]) -> Drawn {
    let mut series = Vec::new();
    for contestant in collected.job.contestants {
        let point = |(key, x): &(String, f64)| Some((*x, collected.median(*contestant, key)?.max(0.1)));
        let line: Vec<(f64, f64)> = points.iter().filter_map(point).collect();
        series.push((*contestant, line));
    }
    let values = || series.iter().flat_map(|(_, line)| line.iter().map(|(_, y)| *y));
    let (low, high) = (values().fold(f64::MAX, f64::min) * 0.7, values().fold(0.0, f64::max) * 1.5);
    let (Some((_, first)), Some((_, last))) = (points.first(), points.last()) else { return Ok(()) };
    if high == 0.0 {
        return Ok(());
    }
    let area = SVGBackend::new(path, (800, 420)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 18))
        .margin(12)
        .margin_right(40)
        .x_label_area_size(30)
        .y_label_area_size(60)
        .build_cartesian_2d((*first..*last).log_scale(), (low..high).log_scale())?;
    chart.configure_mesh().draw()?;
    for (contestant, line) in series {
        let colour = colour(contestant);
        let drawn = chart.draw_series(LineSeries::new(line.clone(), colour.stroke_width(2)).point_size(3))?;
        drawn
            .label(contestant.to_string())
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
    }
    chart.configure_series_labels().border_style(BLACK).background_style(WHITE).draw()?;
    area.present()?;
    Ok(())
}

fn colour(contestant: Contestant) -> RGBColor {
    match contestant {
        Contestant::Wheelhouse => OURS,
        Contestant::Tokio => TOKIO,
        Contestant::Smol => SMOL,
        _ => BARE,
    }
}
