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

impl Entry {
    pub(super) fn new(mark: Mark, label: impl Into<String>) -> Entry {
        let label = label.into();
        Entry { mark, label }
    }

    /// A line: stroke, width, dash pattern.
    pub(super) fn line(
        stroke: impl Into<String>,
        width: f64,
        dashes: &'static str,
        label: impl Into<String>,
    ) -> Entry {
        Entry::new(Mark::Line(stroke.into(), width, dashes), label)
    }

    /// A rectangle with this fill.
    pub(super) fn swatch(fill: impl Into<String>, label: impl Into<String>) -> Entry {
        Entry::new(Mark::Swatch(fill.into()), label)
    }
}

/// Positions of the entries, relative to the legend's top.
pub(super) struct Layout {
    /// Start of an entry, and the lines of its label.
    positions: Vec<((f64, f64), Vec<String>)>,
    pub height: f64,
}

/// Arranges entries from the left, wrapping at `width`. A longer label is wrapped, too.
pub(super) fn layout(entries: &[Entry], left: f64, width: f64) -> Layout {
    let (mut x, mut y, mut line) = (left, 0.0, LINE);
    let mut positions = Vec::new();
    for entry in entries {
        let label = words::wrap(&entry.label, SIZE, width - MARK - 6.0);
        let own = MARK + 6.0 + words::widest(&label, SIZE);
        if x > left && x + own > left + width {
            x = left;
            y += line;
            line = LINE;
        }
        line = line.max(LINE + MORE * label.len().saturating_sub(1) as f64);
        positions.push(((x, y), label));
        x += own + 16.0;
    }
    Layout {
        positions,
        height: if entries.is_empty() { 0.0 } else { y + line },
    }
}

/// Draws the entries.
pub(super) fn draw(canvas: &mut Canvas, entries: &[Entry], layout: &Layout, top: f64) {
    for (entry, &((x, y), ref label)) in entries.iter().zip(&layout.positions) {
        let y = top + y;
        match &entry.mark {
            Mark::Swatch(fill) => {
                let tag = canvas.rect("", (x, y - 6.0), (MARK, 12.0));
                tag.fill(fill).stroke("#333", 0.5).end();
            }
            Mark::Circle(fill, stroke, width) => {
                let tag = canvas.circle("", (x + MARK / 2.0, y), 6.5).fill(fill);
                tag.stroke(stroke, *width).end();
            }
            Mark::Square(fill) => {
                canvas
                    .rect("", (x + MARK / 2.0 - 5.0, y - 5.0), (10.0, 10.0))
                    .fill(fill)
                    .end();
            }
            Mark::Diamond(fill) => {
                let tag = canvas
                    .path("", &diamond((x + MARK / 2.0, y), 7.0))
                    .fill(fill);
                tag.stroke(INK, 2.0).end();
            }
            Mark::Line(stroke, width, dash) => {
                let tag = canvas.segment("", (x, y), (x + MARK, y));
                tag.stroke(stroke, *width).dashes(dash).end();
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
