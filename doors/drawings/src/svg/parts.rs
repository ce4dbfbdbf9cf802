//! Bar charts: parts of a whole.

use oneport_platform::Rational;

use super::colour::Colour;
use super::xml::{Canvas, GRID, INK, SOFT_INK};
use crate::words;

const WIDTH: f64 = 760.0;
const MARGIN: f64 = 16.0;
const ROW: f64 = 24.0;
const SIZE: f64 = 12.0;

/// A part: a bar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Before the bar.
    pub name: String,
    /// Length of the bar.
    pub value: Rational,
    /// Length of a narrow bar below it.
    pub second: Option<Rational>,
    /// Text behind the bar.
    pub label: String,
    /// Tooltip.
    pub about: String,
    /// Whether it is drawn differently from the others.
    pub marked: bool,
}

/// Horizontal bars from the top down against a whole, which a line marks. `O(bars)`.
pub fn parts(title: &str, whole: &Rational, whole_label: &str, bars: &[Part]) -> String {
    const TOP: f64 = 72.0;
    let bottom = TOP + ROW * bars.len() as f64;
    let mut canvas = Canvas::new(WIDTH, bottom + MARGIN, title);
    canvas.text(
        (MARGIN, 30.0),
        "start",
        17.0,
        INK,
        &words::fit(title, 17.0, WIDTH - 2.0 * MARGIN),
    );
    let names = words::widest(bars.iter().map(|bar| &bar.name), SIZE).min(WIDTH / 3.0);
    let labels = words::widest(bars.iter().map(|bar| &bar.label), SIZE).min(WIDTH / 3.0);
    let (left, right) = (MARGIN + names + 10.0, WIDTH - MARGIN - labels - 10.0);
    let length = |value: &Rational| (right - left) * words::share(value, whole).clamp(0.0, 1.0);
    canvas.text(
        (right, TOP - 12.0),
        "end",
        SIZE,
        SOFT_INK,
        &words::fit(whole_label, SIZE, right - MARGIN),
    );
    canvas.line((left, TOP - 4.0), (left, bottom + 4.0), GRID, 1.0);
    for (index, bar) in bars.iter().enumerate() {
        let top = TOP + ROW * index as f64;
        let base = top + ROW / 2.0 + SIZE * 0.36;
        let name = words::fit(&bar.name, SIZE, left - MARGIN - 8.0);
        canvas.text((left - 8.0, base), "end", SIZE, INK, &name);
        let colour = Colour::category(if bar.marked { 5 } else { 0 }).hex();
        let height = ROW - if bar.second.is_some() { 13.0 } else { 8.0 };
        canvas
            .rect("bar", (left, top + 4.0), (length(&bar.value), height))
            .fill(&colour)
            .titled(&bar.about);
        if let Some(second) = &bar.second {
            let tag = canvas
                .rect("second", (left, top + 5.0 + height), (length(second), 4.0))
                .fill(&colour)
                .s("opacity", "0.55");
            tag.titled(&bar.about);
        }
        let label = words::fit(&bar.label, SIZE, WIDTH / 3.0);
        let longest = bar
            .second
            .as_ref()
            .map_or(&bar.value, |second| second.max(&bar.value));
        canvas.text(
            (left + length(longest) + 6.0, base),
            "start",
            SIZE,
            INK,
            &label,
        );
    }
    let tag = canvas.segment("", (right, TOP - 4.0), (right, bottom + 4.0));
    tag.stroke(SOFT_INK, 1.4).dashes("5 4").end();
    canvas.finish()
}
