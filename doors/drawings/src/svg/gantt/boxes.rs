//! The boxes of a Gantt chart: the shape of each, its tooltip and its label.

use num_traits::One;
use oneport_platform::Platform;

use super::frame::{Chart, Frame};
use super::occupancy::{Activity, Bar, Note};
use super::palette::Palette;
use super::rows::{ChartRow, DrawnRun, Port};
use crate::quantities;
use crate::svg::xml::{Canvas, INK};
use crate::words::{self, Messages};

/// Longest label, in letters, that is shown in full although a short one exists.
const LONG: usize = 14;

/// The boxes of a chart and their context.
pub(super) struct Boxes<'a> {
    pub chart: &'a Chart<'a>,
    pub palette: &'a Palette<'a>,
    pub frame: &'a Frame,
    pub rows: &'a [ChartRow],
    /// Per row and lane.
    pub runs: &'a [Vec<Vec<DrawnRun>>],
}

impl Boxes<'_> {
    /// Boxes with their tooltips, a group per row.
    pub(super) fn draw(&self, canvas: &mut Canvas, hatched: bool) {
        let Boxes {
            chart,
            palette,
            frame,
            rows,
            runs,
        } = self;
        let platform = chart.problem.platform();
        let messages = palette.messages();
        if hatched {
            canvas.hatch("hatch");
        }
        for ((row, lanes), extent) in rows.iter().zip(*runs).zip(&frame.rows) {
            let node = words::name(platform, row.node);
            canvas
                .g()
                .s("class", "row")
                .s("data-node", &node)
                .s("data-port", row.port.kind())
                .start();
            for (lane, (bars, runs)) in row.lanes.iter().zip(lanes).enumerate() {
                let (y, height) = lane_extent(extent, row.lanes.len(), lane);
                for run in runs {
                    let Some(bar) = bars.get(run.first).and_then(|&index| chart.bars.get(index))
                    else {
                        continue;
                    };
                    // Boxes narrower than a hair stay visible.
                    let width = (run.right - run.left).max(0.05);
                    let tag = canvas.rect("box", (run.left, y), (width, height));
                    if run.count > 1 {
                        let last = bars
                            .get(run.first + run.count - 1)
                            .and_then(|&index| chart.bars.get(index));
                        let end = last.map_or(&bar.end, |last| &last.end);
                        let (start, end) = (
                            quantities::time(platform, &bar.start),
                            quantities::time(platform, end),
                        );
                        let fill = if run.mixed {
                            "url(#hatch)".to_string()
                        } else {
                            palette.colour(bar.message).hex()
                        };
                        let what = if run.various {
                            String::new()
                        } else {
                            format!(" of {}", messages.label(bar.message))
                        };
                        tag.fill(&fill).titled(&format!(
                            "{} short {}s{what}, {start} to {end}",
                            run.count,
                            row.port.activity()
                        ));
                        continue;
                    }
                    let tag = tag.fill(&palette.colour(bar.message).hex());
                    let tag = if width >= 4.0 {
                        tag.s("stroke", "#333").s("stroke-width", ".5")
                    } else {
                        tag
                    };
                    tag.titled(&tooltip(platform, messages, bar));
                    if row.port == Port::Both && receives(platform, row, bar) {
                        let foot = (height * 0.2).clamp(1.0, 4.0);
                        canvas
                            .rect("received", (run.left, y + height - foot), (width, foot))
                            .fill(INK)
                            .untouched()
                            .end();
                    }
                }
            }
            canvas.close();
        }
    }

    /// Texts inside the boxes, if they fit.
    pub(super) fn draw_labels(&self, canvas: &mut Canvas) {
        let Boxes {
            chart,
            palette,
            frame,
            rows,
            runs,
        } = self;
        canvas.g().untouched().start();
        for ((row, lanes), extent) in rows.iter().zip(*runs).zip(&frame.rows) {
            for (lane, (bars, runs)) in row.lanes.iter().zip(lanes).enumerate() {
                let (y, height) = lane_extent(extent, row.lanes.len(), lane);
                let size = frame.font.min(height * 0.85);
                for run in runs
                    .iter()
                    .filter(|run| run.count == 1 && run.right - run.left >= 8.0)
                {
                    let Some(bar) = bars.get(run.first).and_then(|&index| chart.bars.get(index))
                    else {
                        continue;
                    };
                    let room = run.right - run.left - 4.0;
                    let choices = choices(palette, bar);
                    let Some(text) = choices.iter().find(|text| words::width(text, size) <= room)
                    else {
                        continue;
                    };
                    let at = ((run.left + run.right) / 2.0, y + height / 2.0 + size * 0.36);
                    canvas.text(at, "middle", size, palette.colour(bar.message).text(), text);
                }
            }
        }
        canvas.close();
    }
}

/// Whether the row's node is the receiver of a bar.
fn receives(platform: &Platform, row: &ChartRow, bar: &Bar) -> bool {
    let Activity::Transfer(link) = bar.activity else {
        return false;
    };
    words::link(platform, link).is_some_and(|link| link.to == row.node)
}

/// Top and height of a lane's boxes.
fn lane_extent(&(top, height): &(f64, f64), lanes: usize, lane: usize) -> (f64, f64) {
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
    let resource = match bar.activity {
        Activity::Transfer(link) => words::link_name(platform, link),
        Activity::Merge { node, split } => {
            let made = words::merge(bar.message.part, split);
            format!("{made} at {}", words::name(platform, node))
        }
    };
    let (start, end) = (
        quantities::time(platform, &bar.start),
        quantities::time(platform, &bar.end),
    );
    format!("{what}, {resource}, {start} to {end}")
}

/// Texts for a box, the longest first.
fn choices(palette: &Palette, bar: &Bar) -> Vec<String> {
    let messages = palette.messages();
    let label = messages.label(bar.message);
    let short = messages.short_label(bar.message);
    match &bar.note {
        Note::Instance(instance) => {
            let short = short.unwrap_or(label);
            let long = messages
                .combines(bar.message)
                .then(|| format!("{short} #{instance}"));
            long.into_iter()
                .chain([format!("#{instance}"), instance.to_string()])
                .collect()
        }
        Note::Count(count) => {
            let often = format!("×{}", words::show(count));
            // If all bars share a long label, it carries no information.
            let long = (label.chars().count() <= LONG || short.is_none())
                .then(|| format!("{label} {often}"));
            let short = short.map(|short| format!("{short} {often}"));
            let choices = long.into_iter().chain(short);
            let alone = if palette.is_coarse() || !count.is_one() {
                vec![often]
            } else {
                vec![label]
            };
            choices.chain(alone).collect()
        }
    }
}
