//! A Gantt chart: rows of boxes over a time axis.

use std::collections::BTreeMap;

use num_traits::{One, Signed, Zero};
use oneport_plan::Message;
use oneport_platform::{Rational, whole};

use super::boxes::Boxes;
use super::folded;
use super::frame::{Chart, Frame};
use super::occupancy::Bar;
use super::palette::Palette;
use super::rows::{self, ChartRow};
use crate::svg::legend::{self, Entry};
use crate::svg::page::{Head, Notes};
use crate::svg::ticks;
use crate::svg::xml::{Canvas, GRID, INK, SOFT_INK};
use crate::{quantities, words};

/// Boxes drawn. Trades detail for the size of a picture. Measured: about 400 bytes per box with its label and tooltip.
const MOST_BOXES: usize = 10_000;
/// Limit on the messages with a separate entry in the legend.
const LEGEND: usize = 24;
/// Longest node name, in pixels.
const NAME_ROOM: f64 = 150.0;
/// Longest label of a port or link, in pixels, and its letters.
const PORT_ROOM: f64 = 120.0;
const PORT_SIZE: f64 = 11.0;
/// Rows that are busy all the time.
const FULL: &str = "#d62718";
/// Column with the rows' loads.
const LOADS: f64 = 58.0;
const MARGIN: f64 = 16.0;
const TICK_SIZE: f64 = 11.0;
/// Width of bold letters, relative to normal ones.
const BOLD: f64 = 1.08;

/// Draws the chart.
pub(super) fn draw(chart: &Chart) -> String {
    let (rows, remarks) = rows::rows(chart.problem.platform(), chart.bars);
    let every = loads(chart, &rows);
    let (rows, folded) = folded::fold(chart.problem.platform(), rows, &every);
    let mut subtitle = chart.subtitle.clone();
    if let Some(folded) = folded {
        subtitle += &format!(" · {folded}");
    }
    let palette = Palette::new(chart.problem, chart.bars);
    let mut frame = frame(chart, &rows);
    let axis = Axis::new(chart, frame.width);
    let last_tick = words::widest(axis.ticks.last().map(|tick| &tick.label), TICK_SIZE) / 2.0;
    let beside = if chart.period.is_some() { LOADS } else { 0.0 };
    let total = frame.left + frame.width + last_tick.max(14.0).max(beside) + 8.0;
    let head = Head::new(&chart.title, &subtitle, total);
    frame.lower(head.extra);
    let spans: Vec<(f64, f64)> = chart
        .bars
        .iter()
        .map(|bar| (frame.x(chart, &bar.start), frame.x(chart, &bar.end)))
        .collect();
    let colours: Vec<usize> = chart
        .bars
        .iter()
        .map(|bar| palette.number(bar.message))
        .collect();
    let runs = rows::runs(&rows, chart.bars, &spans, &colours, MOST_BOXES);
    let hatched = runs.iter().flatten().flatten().any(|run| run.mixed);
    let loads = loads(chart, &rows);
    let shown = rows
        .iter()
        .flat_map(|row| &row.lanes)
        .flatten()
        .filter_map(|&bar| chart.bars.get(bar));
    let shown = shown
        .map(|bar| (palette.number(bar.message), bar.message))
        .collect();
    let (entries, notes) = legend_entries(chart, &palette, shown, &remarks, hatched, &loads);
    let legend = legend::layout(&entries, MARGIN, total - 2.0 * MARGIN);
    let notes = Notes::new(&notes, total);
    let legend_top = frame.bottom + 46.0;
    let height = legend_top + legend.height + notes.height + 8.0;

    let mut canvas = head.page(height);
    draw_background(&mut canvas, chart, &frame, &rows, &loads);
    draw_axis(&mut canvas, chart, &frame, &axis);
    let boxes = Boxes {
        chart,
        palette: &palette,
        frame: &frame,
        rows: &rows,
        runs: &runs,
    };
    boxes.draw(&mut canvas, hatched);
    boxes.draw_labels(&mut canvas);
    if rows.is_empty() {
        let middle = (frame.left + frame.width / 2.0, frame.top + 20.0);
        canvas.text(middle, "middle", 13.0, SOFT_INK, "nothing is sent");
    }
    legend::draw(&mut canvas, &entries, &legend, legend_top);
    notes.draw(&mut canvas, legend_top + legend.height - 6.0);
    canvas.finish()
}

/// The time axis.
struct Axis {
    ticks: Vec<ticks::Tick>,
    /// The quantity that it counts, with its unit.
    label: String,
}

impl Axis {
    fn new(chart: &Chart, width: f64) -> Axis {
        let unit = quantities::axis_unit(chart.problem.platform(), &chart.horizon);
        let scale = unit.as_ref().map(|(_, scale)| scale);
        let label = match &unit {
            Some((unit, _)) => format!("{} ({})", chart.time_label, unit.name()),
            None => chart.time_label.to_string(),
        };
        Axis {
            ticks: ticks::time_axis(&chart.horizon, &chart.marks, scale, TICK_SIZE, width),
            label,
        }
    }
}

/// The busy part of the period per row. Empty without a period.
fn loads(chart: &Chart, rows: &[ChartRow]) -> Vec<Rational> {
    let Some(period) = chart.period.filter(|period| period.is_positive()) else {
        return Vec::new();
    };
    let load = |row: &ChartRow| {
        let bars = row
            .lanes
            .iter()
            .flatten()
            .filter_map(|&bar| chart.bars.get(bar));
        let busy: Rational = bars.map(|bar| &bar.end - &bar.start).sum();
        busy / (period * whole(row.capacity(chart.problem.platform())))
    };
    rows.iter().map(load).collect()
}

/// Whether the row is busy all the time.
fn is_full(load: &Rational) -> bool {
    *load >= Rational::one()
}

/// Chooses sizes by the number of rows and of boxes to distinguish in time.
fn frame(chart: &Chart, rows: &[ChartRow]) -> Frame {
    let row_height: f64 = match rows.len() {
        0..=12 => 28.0,
        13..=30 => 22.0,
        31..=60 => 16.0,
        _ => 13.0,
    };
    let name_size = name_size(row_height);
    let platform = chart.problem.platform();
    let names = rows.iter().map(|row| words::name(platform, row.node));
    let names = words::widest(names, name_size * BOLD) + 2.0;
    let labels = rows.iter().map(|row| row.port.label(platform));
    let ports = words::widest(labels, name_size.min(PORT_SIZE)) + 13.0;
    let ports = ports.clamp(44.0, PORT_ROOM);
    let left = MARGIN + names.clamp(40.0, NAME_ROOM) + ports + 2.0;
    let least = if rows.len() <= 12 { 720.0 } else { 1000.0 };
    let width = (40.0 * bars_per_axis(chart)).clamp(least, chart.widest);
    let high = rows.len() > 40;
    let top =
        62.0 + if chart.phases.is_empty() { 0.0 } else { 22.0 } + if high { 20.0 } else { 0.0 };
    let mut y = top;
    let mut extents = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        y += row_height
            * space(
                chart,
                index.checked_sub(1).and_then(|before| rows.get(before)),
                row,
            );
        let lane = if row.lanes.len() > 1 {
            (row_height * 0.65).max(9.0)
        } else {
            0.0
        };
        let height = row_height.max(row.lanes.len() as f64 * lane);
        extents.push((y, height));
        y += height;
    }
    let bottom = if rows.is_empty() { top + 32.0 } else { y };
    Frame {
        left,
        top,
        width,
        rows: extents,
        bottom,
        font: (row_height * 0.48).clamp(7.5, 12.5),
        high,
        ports,
    }
}

/// Space before a row, in rows: between nodes, and more between boxes of nodes.
fn space(chart: &Chart, before: Option<&ChartRow>, row: &ChartRow) -> f64 {
    let name = |row: &ChartRow| words::name(chart.problem.platform(), row.node);
    match before {
        None => 0.0,
        Some(before) if before.node == row.node => 0.0,
        Some(before) if words::prefix(&name(before)) == words::prefix(&name(row)) => 0.25,
        Some(_) => 0.6,
    }
}

/// Number of bars of median length that fill the time axis.
fn bars_per_axis(chart: &Chart) -> f64 {
    let mut lengths: Vec<f64> = chart
        .bars
        .iter()
        .map(|bar| words::share(&(&bar.end - &bar.start), &chart.horizon))
        .collect();
    lengths.sort_by(f64::total_cmp);
    lengths
        .get(lengths.len() / 2)
        .map_or(1.0, |&median| 1.0 / median.max(1e-6))
}

fn name_size(row_height: f64) -> f64 {
    (row_height * 0.55).clamp(9.0, 13.0)
}

/// Bands behind the rows, names of nodes and ports, loads, phases.
fn draw_background(
    canvas: &mut Canvas,
    chart: &Chart,
    frame: &Frame,
    rows: &[ChartRow],
    loads: &[Rational],
) {
    for phase in &chart.phases {
        let (left, right) = (frame.x(chart, &phase.start), frame.x(chart, &phase.end));
        let top = if frame.high {
            frame.top - 42.0
        } else {
            frame.top - 22.0
        };
        canvas
            .rect("", (left, top), (right - left, frame.bottom - top))
            .fill(phase.fill)
            .titled(phase.label);
        if words::width(phase.label, 11.5) + 6.0 <= right - left {
            canvas.text(
                ((left + right) / 2.0, top + 14.0),
                "middle",
                11.5,
                INK,
                phase.label,
            );
        }
    }
    let mut first = 0;
    while let Some(row) = rows.get(first) {
        let count = rows
            .iter()
            .skip(first)
            .take_while(|other| other.node == row.node)
            .count();
        let extent = |index: usize| frame.rows.get(index).copied().unwrap_or((frame.top, 0.0));
        let ((top, height), last) = (extent(first), extent(first + count - 1));
        let bottom = last.0 + last.1;
        let size = name_size(height.min(28.0));
        let name = words::name(chart.problem.platform(), row.node);
        let tag = canvas.rect("", (frame.left, top), (frame.width, bottom - top));
        tag.fill("#000000").s("fill-opacity", "0.045").end();
        let at = (frame.left - frame.ports, (top + bottom) / 2.0 + size * 0.35);
        canvas.g().s("font-weight", "bold").start();
        canvas.tooltip(&name);
        canvas.text(
            at,
            "end",
            size,
            INK,
            &words::fit_name(&name, size * BOLD, frame.left - MARGIN - frame.ports),
        );
        canvas.close();
        for index in first..first + count {
            let Some(row) = rows.get(index) else { continue };
            let (y, height) = extent(index);
            let size = size.min(PORT_SIZE);
            let label = words::fit_name(
                &row.port.label(chart.problem.platform()),
                size,
                frame.ports - 10.0,
            );
            let full = loads.get(index).is_some_and(is_full);
            let ink = if full { FULL } else { SOFT_INK };
            canvas.text(
                (frame.left - 7.0, y + height / 2.0 + size * 0.35),
                "end",
                size,
                ink,
                &label,
            );
            if let Some(load) = loads.get(index) {
                draw_load(canvas, frame, (y, height), size, load);
            }
        }
        first += count;
    }
}

/// A row's load at its right end. A row that is busy all the time has a red frame.
fn draw_load(
    canvas: &mut Canvas,
    frame: &Frame,
    (y, height): (f64, f64),
    size: f64,
    load: &Rational,
) {
    let full = is_full(load);
    if full {
        canvas
            .rect("full", (frame.left - 4.0, y + 0.5), (3.0, height - 1.0))
            .fill(FULL)
            .titled("busy all the time");
    }
    let right = frame.left + frame.width;
    let at = (right + 8.0, y + height / 2.0 + size * 0.35);
    let text = oneport_platform::percent(load);
    canvas
        .g()
        .s("class", "load")
        .s("font-weight", if full { "bold" } else { "normal" })
        .start();
    canvas.text(at, "start", size, if full { FULL } else { SOFT_INK }, &text);
    canvas.close();
}

/// Slot boundaries, axis, ticks.
fn draw_axis(canvas: &mut Canvas, chart: &Chart, frame: &Frame, axis: &Axis) {
    let mut last = f64::NEG_INFINITY;
    // Lines that close would be a grey area.
    let sparse = chart.marks.len() as f64 * 8.0 <= frame.width;
    for mark in chart.marks.iter().filter(|_| sparse) {
        let x = frame.x(chart, mark);
        if x - last >= 4.0 {
            canvas.line((x, frame.top), (x, frame.bottom), GRID, 0.7);
            last = x;
        }
    }
    let above = frame.high.then_some((frame.top, -1.0));
    for (y, direction) in std::iter::once((frame.bottom, 1.0)).chain(above) {
        canvas.line(
            (frame.left, y),
            (frame.left + frame.width, y),
            SOFT_INK,
            1.0,
        );
        for tick in &axis.ticks {
            let x = frame.x(chart, &tick.time);
            canvas.line((x, y), (x, y + 4.0 * direction), SOFT_INK, 1.0);
            if !tick.label.is_empty() {
                let y = if direction > 0.0 { y + 15.0 } else { y - 7.0 };
                canvas.text((x, y), "middle", TICK_SIZE, INK, &tick.label);
            }
        }
    }
    let middle = frame.left + frame.width / 2.0;
    canvas.text(
        (middle, frame.bottom + 31.0),
        "middle",
        TICK_SIZE,
        SOFT_INK,
        &axis.label,
    );
}

/// The legend of the messages used, and the remarks below it.
fn legend_entries(
    chart: &Chart,
    palette: &Palette,
    used: BTreeMap<usize, Message>,
    remarks: &[&str],
    hatched: bool,
    loads: &[Rational],
) -> (Vec<Entry>, Vec<String>) {
    let mut entries = Vec::new();
    let mut notes = Vec::new();
    if used.len() <= LEGEND {
        let entry = |message| Entry::swatch(palette.colour(message).hex(), palette.label(message));
        entries.extend(used.into_values().map(entry));
    } else {
        notes.push(format!(
            "{} messages, one colour each; in an SVG file, a box's tooltip names its message",
            used.len()
        ));
    }
    match &chart.owners {
        Some(owners) => notes.push(owners.clone()),
        None if chart.problem.collective().is_commutative() => {
            notes.push("v[k,m] counts operands in the order of its own tree".to_string());
        }
        None => {}
    }
    if loads.iter().any(is_full) {
        entries.push(Entry::swatch(FULL, "busy all the time"));
    }
    if hatched {
        entries.push(Entry::swatch("url(#hatch)", "too short to draw apart"));
    }
    if !loads.is_empty() {
        notes.push("%: how much of the period a port, link or processor is busy".to_string());
    }
    notes.extend(remarks.iter().map(|note| note.to_string()));
    (entries, notes)
}

/// The end of the last bar, or `least` if that is later.
pub(super) fn horizon(bars: &[Bar], least: &Rational) -> Rational {
    let last = bars.iter().map(|bar| &bar.end).max();
    let end = last.filter(|end| *end > least).unwrap_or(least);
    if end.is_zero() {
        Rational::one()
    } else {
        end.clone()
    }
}
