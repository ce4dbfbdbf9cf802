//! A Gantt chart: rows of boxes over a time axis.

use std::collections::BTreeMap;

use num_traits::{One, Zero};
use oneport_plan::{Message, Problem};
use oneport_platform::{Platform, Rational};

use super::colour::Colour;
use super::occupancy::{Activity, Bar, Note};
use super::rows::{self, Port, Row, Run};
use super::xml::{Canvas, GRID, INK, SOFT_INK};
use super::{legend, ticks};
use crate::words::{self, Messages};

/// Most boxes drawn: each takes about 400 bytes with its label and tooltip.
const MOST_BOXES: usize = 10_000;
/// Most messages with an entry of their own in the legend.
const LEGEND: usize = 24;
/// Longest node name, in pixels.
const NAME_ROOM: f64 = 150.0;
/// Longest label of a port or link, in pixels, and its letters.
const PORT_ROOM: f64 = 120.0;
const PORT_SIZE: f64 = 11.0;
const MARGIN: f64 = 16.0;
const TICK_SIZE: f64 = 11.0;
/// How much wider bold letters are.
const BOLD: f64 = 1.08;

/// A labelled stretch of time, drawn as a band behind the rows.
pub(super) struct Phase {
    pub label: &'static str,
    pub start: Rational,
    pub end: Rational,
    pub fill: &'static str,
}

/// Everything a chart shows.
pub(super) struct Chart<'a> {
    pub problem: Problem<'a>,
    pub title: String,
    pub subtitle: String,
    pub bars: &'a [Bar],
    /// The end of the time axis.
    pub horizon: Rational,
    /// Ends of slots or periods: thin vertical lines, and ticks when they are few.
    pub marks: Vec<Rational>,
    pub phases: Vec<Phase>,
    pub time_label: &'static str,
    /// Largest width of the rows, in pixels.
    pub widest: f64,
}

/// Where things are, in pixels.
struct Frame {
    left: f64,
    top: f64,
    width: f64,
    /// Top and height of every row.
    rows: Vec<(f64, f64)>,
    bottom: f64,
    font: f64,
    /// Whether the ticks are repeated above the rows.
    high: bool,
    /// Width of the column with the ports' labels.
    ports: f64,
}

/// Draws the chart.
pub(super) fn draw(chart: &Chart) -> String {
    let (rows, remarks) = rows::rows(chart.problem.platform(), chart.bars);
    let messages = Messages::new(chart.problem);
    let frame = frame(chart, &rows);
    let spans: Vec<(f64, f64)> =
        chart.bars.iter().map(|bar| (frame.x(chart, &bar.start), frame.x(chart, &bar.end))).collect();
    let runs = rows::runs(&rows, chart.bars, &spans, MOST_BOXES);
    let hatched = runs.iter().flatten().flatten().any(|run| run.mixed);
    let (entries, notes) = legend_entries(chart, &messages, &remarks, hatched);
    let last_tick = words::width(&words::show(&chart.horizon), TICK_SIZE) / 2.0;
    let total = frame.left + frame.width + last_tick.max(14.0) + 8.0;
    let legend = legend::layout(&entries, MARGIN, total - 2.0 * MARGIN);
    let legend_top = frame.bottom + 46.0;
    let height = legend_top + legend.height + notes.len() as f64 * 16.0 + 8.0;

    let mut canvas = Canvas::new(total, height, &format!("{}; {}", chart.title, chart.subtitle));
    canvas.text((MARGIN, 28.0), "start", 17.0, INK, &words::fit(&chart.title, 17.0, total - 2.0 * MARGIN));
    canvas.text((MARGIN, 48.0), "start", 12.5, SOFT_INK, &words::fit(&chart.subtitle, 12.5, total - 2.0 * MARGIN));
    draw_background(&mut canvas, chart, &frame, &rows);
    draw_axis(&mut canvas, chart, &frame);
    draw_boxes(&mut canvas, chart, &messages, &frame, &rows, &runs, hatched);
    draw_labels(&mut canvas, chart, &messages, &frame, &rows, &runs);
    if rows.is_empty() {
        let middle = (frame.left + frame.width / 2.0, frame.top + 20.0);
        canvas.text(middle, "middle", 13.0, SOFT_INK, "nothing is sent");
    }
    legend::draw(&mut canvas, &entries, &legend, legend_top);
    for (line, note) in notes.iter().enumerate() {
        let y = legend_top + legend.height + 6.0 + 16.0 * line as f64;
        canvas.text((MARGIN, y), "start", 11.0, SOFT_INK, &words::fit(note, 11.0, total - 2.0 * MARGIN));
    }
    canvas.finish()
}

impl Frame {
    fn x(&self, chart: &Chart, time: &Rational) -> f64 {
        self.left + self.width * words::share(time, &chart.horizon).clamp(0.0, 1.0)
    }
}

/// Chooses sizes by the number of rows and of things to tell apart in time.
fn frame(chart: &Chart, rows: &[Row]) -> Frame {
    let row_height: f64 = match rows.len() {
        0..=12 => 28.0,
        13..=30 => 22.0,
        31..=60 => 16.0,
        _ => 13.0,
    };
    let name_size = name_size(row_height);
    let names =
        rows.iter().map(|row| words::width(&words::name(chart.problem.platform(), row.node), name_size * BOLD) + 2.0);
    let labels =
        rows.iter().map(|row| words::width(&row.port.label(chart.problem.platform()), name_size.min(PORT_SIZE)) + 13.0);
    let ports = labels.fold(44.0, f64::max).min(PORT_ROOM);
    let left = MARGIN + names.fold(40.0, f64::max).min(NAME_ROOM) + ports + 2.0;
    let least = if rows.len() <= 12 { 720.0 } else { 1000.0 };
    let width = (40.0 * bars_per_axis(chart)).clamp(least, chart.widest);
    let high = rows.len() > 40;
    let top = 62.0 + if chart.phases.is_empty() { 0.0 } else { 22.0 } + if high { 20.0 } else { 0.0 };
    let mut y = top;
    let mut places = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        if index > 0 && rows.get(index - 1).is_some_and(|before| before.node != row.node) {
            y += row_height / 4.0;
        }
        let lane = if row.lanes.len() > 1 { (row_height * 0.65).max(9.0) } else { 0.0 };
        let height = row_height.max(row.lanes.len() as f64 * lane);
        places.push((y, height));
        y += height;
    }
    let bottom = if rows.is_empty() { top + 32.0 } else { y };
    Frame { left, top, width, rows: places, bottom, font: (row_height * 0.48).clamp(7.5, 12.5), high, ports }
}

/// How many bars of median length fill the time axis.
fn bars_per_axis(chart: &Chart) -> f64 {
    let mut lengths: Vec<f64> =
        chart.bars.iter().map(|bar| words::share(&(&bar.end - &bar.start), &chart.horizon)).collect();
    lengths.sort_by(f64::total_cmp);
    lengths.get(lengths.len() / 2).map_or(1.0, |&median| 1.0 / median.max(1e-6))
}

fn name_size(row_height: f64) -> f64 {
    (row_height * 0.55).clamp(9.0, 13.0)
}

/// Bands behind the rows, names of nodes and ports, phases.
fn draw_background(canvas: &mut Canvas, chart: &Chart, frame: &Frame, rows: &[Row]) {
    for phase in &chart.phases {
        let (left, right) = (frame.x(chart, &phase.start), frame.x(chart, &phase.end));
        let top = if frame.high { frame.top - 42.0 } else { frame.top - 22.0 };
        let tag = canvas.tag("rect").n("x", left).n("y", top).n("width", right - left);
        tag.n("height", frame.bottom - top).s("fill", phase.fill).titled(phase.label);
        if words::width(phase.label, 11.5) + 6.0 <= right - left {
            canvas.text(((left + right) / 2.0, top + 14.0), "middle", 11.5, INK, phase.label);
        }
    }
    let mut first = 0;
    while let Some(row) = rows.get(first) {
        let count = rows.iter().skip(first).take_while(|other| other.node == row.node).count();
        let place = |index: usize| frame.rows.get(index).copied().unwrap_or((frame.top, 0.0));
        let (top, bottom) = (place(first).0, place(first + count - 1).0 + place(first + count - 1).1);
        let row_height = place(first).1.min(28.0);
        let size = name_size(row_height);
        let name = words::name(chart.problem.platform(), row.node);
        let tag = canvas.tag("rect").n("x", frame.left).n("y", top).n("width", frame.width).n("height", bottom - top);
        tag.s("fill", "#000000").s("fill-opacity", "0.045").end();
        let at = (frame.left - frame.ports, (top + bottom) / 2.0 + size * 0.35);
        canvas.g().s("font-weight", "bold").start();
        canvas.tooltip(&name);
        canvas.text(at, "end", size, INK, &words::fit_name(&name, size * BOLD, frame.left - MARGIN - frame.ports));
        canvas.close();
        for index in first..first + count {
            let Some(row) = rows.get(index) else { continue };
            let (y, height) = place(index);
            let size = size.min(PORT_SIZE);
            let label = words::fit_name(&row.port.label(chart.problem.platform()), size, frame.ports - 10.0);
            canvas.text((frame.left - 7.0, y + height / 2.0 + size * 0.35), "end", size, SOFT_INK, &label);
        }
        first += count;
    }
}

/// Slot boundaries, axis, ticks.
fn draw_axis(canvas: &mut Canvas, chart: &Chart, frame: &Frame) {
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
    let sides = if frame.high { vec![(frame.bottom, 1.0), (frame.top, -1.0)] } else { vec![(frame.bottom, 1.0)] };
    let ticks = ticks::time_axis(&chart.horizon, &chart.marks, TICK_SIZE, frame.width);
    for (y, direction) in sides {
        canvas.line((frame.left, y), (frame.left + frame.width, y), SOFT_INK, 1.0);
        for tick in &ticks {
            let x = frame.x(chart, &tick.time);
            canvas.line((x, y), (x, y + 4.0 * direction), SOFT_INK, 1.0);
            if !tick.label.is_empty() {
                let y = if direction > 0.0 { y + 15.0 } else { y - 7.0 };
                canvas.text((x, y), "middle", TICK_SIZE, INK, &tick.label);
            }
        }
    }
    let middle = frame.left + frame.width / 2.0;
    canvas.text((middle, frame.bottom + 31.0), "middle", TICK_SIZE, SOFT_INK, chart.time_label);
}

fn draw_boxes(
    canvas: &mut Canvas,
    chart: &Chart,
    messages: &Messages,
    frame: &Frame,
    rows: &[Row],
    runs: &[Vec<Vec<Run>>],
    hatched: bool,
) {
    if hatched {
        canvas.hatch("hatch");
    }
    for ((row, lanes), place) in rows.iter().zip(runs).zip(&frame.rows) {
        let node = words::name(chart.problem.platform(), row.node);
        canvas.g().s("class", "row").s("data-node", &node).s("data-port", row.port.kind()).start();
        for (lane, (bars, runs)) in row.lanes.iter().zip(lanes).enumerate() {
            let (y, height) = lane_place(place, row.lanes.len(), lane);
            for run in runs {
                let Some(bar) = bars.get(run.first).and_then(|&index| chart.bars.get(index)) else { continue };
                // What is shorter than a hair still shows.
                let width = (run.right - run.left).max(0.05);
                let tag = canvas.tag("rect").s("class", "box").n("x", run.left).n("y", y).n("width", width);
                let tag = tag.n("height", height);
                if run.count > 1 {
                    let last = bars.get(run.first + run.count - 1).and_then(|&index| chart.bars.get(index));
                    let end = last.map_or(&bar.end, |last| &last.end);
                    let (start, end) = (words::show(&bar.start), words::show(end));
                    let fill =
                        if run.mixed { "url(#hatch)" } else { &Colour::category(messages.category(bar.message)).hex() };
                    let what = if run.mixed { String::new() } else { format!(" of {}", messages.label(bar.message)) };
                    tag.s("fill", fill).titled(&format!(
                        "{} short {}s{what}, {start} to {end}",
                        run.count,
                        row.port.activity()
                    ));
                    continue;
                }
                let tag = tag.s("fill", &Colour::category(messages.category(bar.message)).hex());
                let tag = if width >= 4.0 { tag.s("stroke", "#333").s("stroke-width", ".5") } else { tag };
                tag.titled(&tooltip(chart.problem.platform(), messages, bar));
                if row.port == Port::Both && receives(chart.problem.platform(), row, bar) {
                    let foot = (height * 0.2).clamp(1.0, 4.0);
                    let tag = canvas.tag("rect").s("class", "received").n("x", run.left).n("y", y + height - foot);
                    tag.n("width", width).n("height", foot).s("fill", INK).s("pointer-events", "none").end();
                }
            }
        }
        canvas.close();
    }
}

/// Whether the row's node is the receiver of a bar.
fn receives(platform: &Platform, row: &Row, bar: &Bar) -> bool {
    let Activity::Transfer(link) = bar.activity else { return false };
    words::link(platform, link).is_some_and(|link| link.to == row.node)
}

/// Top and height of a lane's boxes.
fn lane_place(&(top, height): &(f64, f64), lanes: usize, lane: usize) -> (f64, f64) {
    let one = height / lanes.max(1) as f64;
    let gap = if one < 12.0 { 0.5 } else { 1.5 };
    (top + one * lane as f64 + gap, one - 2.0 * gap)
}

fn tooltip(platform: &Platform, messages: &Messages, bar: &Bar) -> String {
    let label = messages.label(bar.message);
    let what = match &bar.note {
        Note::Count(count) => format!("{label} ×{}", words::show(count)),
        Note::Instance(instance) => format!("{label} of instance {instance}"),
    };
    let place = match bar.activity {
        Activity::Transfer(link) => words::link_name(platform, link),
        Activity::Merge { node, split } => {
            let made = words::merge(bar.message.part, split);
            format!("{made} at {}", words::name(platform, node))
        }
    };
    let (start, end) = (words::show(&bar.start), words::show(&bar.end));
    format!("{what}, {place}, {start} to {end}")
}

/// Texts inside the boxes, where they fit.
fn draw_labels(
    canvas: &mut Canvas,
    chart: &Chart,
    messages: &Messages,
    frame: &Frame,
    rows: &[Row],
    runs: &[Vec<Vec<Run>>],
) {
    canvas.g().s("pointer-events", "none").start();
    for ((row, lanes), place) in rows.iter().zip(runs).zip(&frame.rows) {
        for (lane, (bars, runs)) in row.lanes.iter().zip(lanes).enumerate() {
            let (y, height) = lane_place(place, row.lanes.len(), lane);
            let size = frame.font.min(height * 0.85);
            for run in runs.iter().filter(|run| run.count == 1 && run.right - run.left >= 8.0) {
                let Some(bar) = bars.get(run.first).and_then(|&index| chart.bars.get(index)) else { continue };
                let room = run.right - run.left - 4.0;
                let choices = choices(messages, bar);
                let Some(text) = choices.iter().find(|text| words::width(text, size) <= room) else { continue };
                let at = ((run.left + run.right) / 2.0, y + height / 2.0 + size * 0.36);
                canvas.text(at, "middle", size, Colour::category(messages.category(bar.message)).text(), text);
            }
        }
    }
    canvas.close();
}

/// Texts for a box, the longest first.
fn choices(messages: &Messages, bar: &Bar) -> Vec<String> {
    let label = messages.label(bar.message);
    match &bar.note {
        Note::Instance(instance) => {
            let short = messages.short_label(bar.message).unwrap_or(label);
            let long = messages.combines(bar.message).then(|| format!("{short} #{instance}"));
            long.into_iter().chain([format!("#{instance}"), instance.to_string()]).collect()
        }
        Note::Count(count) => {
            let mut choices = vec![format!("{label} ×{}", words::show(count))];
            if let Some(short) = messages.short_label(bar.message) {
                choices.push(if count.is_one() { label.clone() } else { format!("{short} ×{}", words::show(count)) });
                choices.push(label);
                choices.push(short);
            } else {
                choices.push(label);
            }
            choices
        }
    }
}

/// The legend, and the remarks below it.
fn legend_entries(
    chart: &Chart,
    messages: &Messages,
    remarks: &[&str],
    hatched: bool,
) -> (Vec<legend::Entry>, Vec<String>) {
    let used: BTreeMap<usize, Message> =
        chart.bars.iter().map(|bar| (messages.category(bar.message), bar.message)).collect();
    let mut entries = Vec::new();
    let mut notes = Vec::new();
    if used.len() <= LEGEND {
        entries.extend(used.into_values().map(|message| {
            let mark = legend::Mark::Swatch(Colour::category(messages.category(message)).hex());
            legend::Entry { mark, label: messages.category_label(message) }
        }));
    } else {
        notes.push(format!("{} messages, one colour each; a box's tooltip names its message", used.len()));
    }
    if chart.problem.collective().is_commutative() {
        notes.push("v[k,m] counts operands in the order of its own tree".to_string());
    }
    if hatched {
        let mark = legend::Mark::Swatch("url(#hatch)".to_string());
        entries.push(legend::Entry { mark, label: "too short to draw apart".to_string() });
    }
    notes.extend(remarks.iter().map(|note| note.to_string()));
    (entries, notes)
}

/// The end of the last bar, or `least` when that is later.
pub(super) fn horizon(bars: &[Bar], least: &Rational) -> Rational {
    let last = bars.iter().map(|bar| &bar.end).max();
    let end = last.filter(|end| *end > least).unwrap_or(least);
    if end.is_zero() { Rational::one() } else { end.clone() }
}
