//! Legends: marks and labels in wrapped lines.

use super::xml::diamond;
use super::xml::{Canvas, INK};
use crate::words;

const SIZE: f64 = 11.5;
const LINE: f64 = 20.0;
/// Width of a mark.
const MARK: f64 = 18.0;
/// Height of further lines of a label.
const MORE: f64 = 14.0;

/// The mark in front of a label.
pub(super) enum Mark {
    /// A rectangle with this fill.
    Swatch(String),
    /// A circle: fill, stroke, stroke width.
    Circle(String, &'static str, f64),
    /// A small square.
    Square(&'static str),
    /// A hollow square on its corner.
    Diamond(&'static str),
    /// A line: stroke, width, dash pattern (empty for a solid line).
    Line(String, f64, &'static str),
}

/// One line of a legend.
pub(super) struct Entry {
    pub mark: Mark,
    pub label: String,
}

/// Where the entries go, relative to the legend's top.
pub(super) struct Layout {
    /// Where an entry begins, and the lines of its label.
    places: Vec<((f64, f64), Vec<String>)>,
    pub height: f64,
}

/// Places entries from the left, wrapping at `width`; a label longer than that is wrapped, too.
pub(super) fn layout(entries: &[Entry], left: f64, width: f64) -> Layout {
    let (mut x, mut y, mut line) = (left, 0.0, LINE);
    let mut places = Vec::new();
    for entry in entries {
        let label = words::wrap(&entry.label, SIZE, width - MARK - 6.0);
        let own = MARK
            + 6.0
            + label
                .iter()
                .map(|line| words::width(line, SIZE))
                .fold(0.0, f64::max);
        if x > left && x + own > left + width {
            x = left;
            y += line;
            line = LINE;
        }
        line = line.max(LINE + MORE * label.len().saturating_sub(1) as f64);
        places.push(((x, y), label));
        x += own + 16.0;
    }
    Layout {
        places,
        height: if entries.is_empty() { 0.0 } else { y + line },
    }
}

/// Draws the entries.
pub(super) fn draw(canvas: &mut Canvas, entries: &[Entry], layout: &Layout, top: f64) {
    for (entry, &((x, y), ref label)) in entries.iter().zip(&layout.places) {
        let y = top + y;
        match &entry.mark {
            Mark::Swatch(fill) => {
                let tag = canvas
                    .tag("rect")
                    .n("x", x)
                    .n("y", y - 6.0)
                    .n("width", MARK)
                    .n("height", 12.0);
                tag.s("fill", fill)
                    .s("stroke", "#333")
                    .n("stroke-width", 0.5)
                    .end();
            }
            Mark::Circle(fill, stroke, width) => {
                let tag = canvas
                    .tag("circle")
                    .n("cx", x + MARK / 2.0)
                    .n("cy", y)
                    .n("r", 6.5)
                    .s("fill", fill);
                tag.s("stroke", stroke).n("stroke-width", *width).end();
            }
            Mark::Square(fill) => {
                let tag = canvas
                    .tag("rect")
                    .n("x", x + MARK / 2.0 - 5.0)
                    .n("y", y - 5.0)
                    .n("width", 10.0);
                tag.n("height", 10.0).s("fill", fill).end();
            }
            Mark::Diamond(fill) => {
                let tag = canvas
                    .tag("path")
                    .s("d", &diamond((x + MARK / 2.0, y), 7.0))
                    .s("fill", fill);
                tag.s("stroke", INK).n("stroke-width", 2.0).end();
            }
            Mark::Line(stroke, width, dash) => {
                let tag = canvas
                    .tag("line")
                    .n("x1", x)
                    .n("y1", y)
                    .n("x2", x + MARK)
                    .n("y2", y);
                let tag = tag.s("stroke", stroke).n("stroke-width", *width);
                if dash.is_empty() {
                    tag.end()
                } else {
                    tag.s("stroke-dasharray", dash).end()
                }
            }
        }
        for (line, text) in label.iter().enumerate() {
            canvas.text(
                (x + MARK + 6.0, y + SIZE * 0.35 + MORE * line as f64),
                "start",
                SIZE,
                INK,
                text,
            );
        }
    }
}
