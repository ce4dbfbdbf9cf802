//! Shared parts of charts of measured and computed values: the quantity of an axis, and bars.

use num_traits::Signed;
use oneport_platform::{Rational, Units, decimal};

use super::legend::{self, Entry, Mark};
use super::page::{Head, MARGIN, Notes};
use super::ticks;
use super::xml::{Canvas, GRID, INK, SOFT_INK};
use crate::words;

const TOP: f64 = 62.0;
const ROW: f64 = 28.0;
const BAR: f64 = 18.0;
const SIZE: f64 = 12.0;
/// Longest name, and length of the longest bar.
const NAME: f64 = 260.0;
const LONGEST: f64 = 460.0;
/// Most bars drawn.
const MOST: usize = 200;
const BLUE: &str = "#56b4e9";
const DARK: &str = "#0072b2";
const BOUND: &str = "#d62718";

/// The quantity of an axis, so that its ticks are round numbers with units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Measure {
    /// Numbers without a unit.
    #[default]
    Number,
    /// Bytes: by thousands (`64 MB`) on a linear axis, by 1024 (`64 MiB`) on a logarithmic one.
    Bytes,
    /// Seconds: `1.5 ms`.
    Seconds,
    /// Bytes per second: `25 GB/s`.
    BytesPerSecond,
}

impl Measure {
    /// Round values between two others, about `most` at most.
    pub(super) fn ticks(self, (low, high): (f64, f64), log: bool, most: usize) -> Vec<f64> {
        match (self, log) {
            (_, false) => ticks::round_values(low, high, most),
            (Measure::Bytes, true) => powers_of_two(low, high, most),
            (_, true) => ticks::log_values(low, high),
        }
    }

    /// A value in the unit that suits it.
    pub(super) fn show(self, value: f64) -> String {
        let units = Units::bytes_and_seconds();
        let Some(exact) = words::rational(value) else {
            return value.to_string();
        };
        match self {
            Measure::Number => decimal(&exact, 4),
            Measure::Seconds => units.show_time(&exact),
            Measure::Bytes => units.show_data(&exact),
            Measure::BytesPerSecond => units.show_rate(&exact),
        }
    }
}

/// Powers of two, so few that their labels have room.
fn powers_of_two(low: f64, high: f64, most: usize) -> Vec<f64> {
    let (first, last) = (
        low.max(f64::MIN_POSITIVE).log2().ceil() as i32,
        high.log2().floor() as i32,
    );
    let least = ((last - first + 1).max(1) as usize).div_ceil(most.max(1)) as i32;
    // Multiples of five and ten meet the units.
    let every = [1, 2, 5, 10]
        .into_iter()
        .find(|&every| every >= least)
        .unwrap_or(least);
    (first..=last)
        .filter(|power| power.rem_euclid(every) == 0)
        .map(|power| 2f64.powi(power))
        .collect()
}

/// One bar of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bar {
    /// Its name, at the left.
    pub name: String,
    /// Its length; negative ones have none.
    pub value: Rational,
    /// The text at its end: the value in the caller's units.
    pub label: String,
    /// Whether it is drawn darker than the others.
    pub strong: bool,
}

/// Values as horizontal bars, one below another, in the order given. `bound` is an upper bound on the values, drawn as
/// a red line with its name. Bars beyond the first 200 are left out, and this is said. O(n).
pub fn bars(title: &str, subtitle: &str, bars: &[Bar], bound: Option<(&Rational, &str)>) -> String {
    let shown = bars.get(..MOST).unwrap_or(bars);
    let names = shown
        .iter()
        .map(|bar| words::width(&bar.name, SIZE))
        .fold(40.0, f64::max)
        .min(NAME);
    let labels = shown
        .iter()
        .map(|bar| words::width(&bar.label, SIZE))
        .fold(0.0, f64::max);
    let left = MARGIN + names + 10.0;
    let width =
        (left + LONGEST + labels + 12.0).max(Head::width(title, subtitle) + MARGIN) + MARGIN;
    let head = Head::new(title, subtitle, width);
    let top = TOP + head.extra;
    let bottom = top + shown.len() as f64 * ROW;
    let entries: Vec<Entry> = bound
        .iter()
        .map(|(_, name)| Entry {
            mark: Mark::Line(BOUND.to_string(), 2.0, "5 4"),
            label: (*name).to_string(),
        })
        .collect();
    let legend = legend::layout(&entries, MARGIN, width - 2.0 * MARGIN);
    let more = bars.len() - shown.len();
    let notes = if more > 0 {
        vec![format!("{more} more are not shown")]
    } else {
        Vec::new()
    };
    let notes = Notes::new(&notes, width);
    let height = bottom + 18.0 + legend.height + notes.height + 8.0;
    let longest = shown
        .iter()
        .map(|bar| &bar.value)
        .chain(bound.map(|(value, _)| value))
        .max();
    let length = |value: &Rational| match longest {
        Some(longest) if value.is_positive() => {
            words::share(value, longest).clamp(0.0, 1.0) * LONGEST
        }
        _ => 0.0,
    };

    let mut canvas = Canvas::new(width, height, &format!("{title}; {subtitle}"));
    head.draw(&mut canvas);
    canvas.line((left, top), (left, bottom), GRID, 1.0);
    for (bar, row) in shown.iter().zip(0_u32..) {
        let middle = top + (f64::from(row) + 0.5) * ROW;
        let size = length(&bar.value);
        let tag = canvas
            .tag("rect")
            .s("class", "bar")
            .n("x", left)
            .n("y", middle - BAR / 2.0)
            .n("width", size);
        let tag = tag
            .n("height", BAR)
            .s("fill", if bar.strong { DARK } else { BLUE });
        tag.titled(&format!("{}: {}", bar.name, bar.label));
        let line = middle + SIZE * 0.36;
        canvas.text(
            (left - 8.0, line),
            "end",
            SIZE,
            INK,
            &words::fit_name(&bar.name, SIZE, NAME),
        );
        canvas.text(
            (left + size + 8.0, line),
            "start",
            SIZE,
            if bar.strong { INK } else { SOFT_INK },
            &bar.label,
        );
    }
    if let Some((value, name)) = bound {
        let x = left + length(value);
        let tag = canvas
            .tag("line")
            .s("class", "bound")
            .n("x1", x)
            .n("y1", top - 2.0)
            .n("x2", x)
            .n("y2", bottom + 2.0);
        tag.s("stroke", BOUND)
            .n("stroke-width", 2.0)
            .s("stroke-dasharray", "5 4")
            .titled(name);
    }
    legend::draw(&mut canvas, &entries, &legend, bottom + 18.0);
    notes.draw(&mut canvas, bottom + 8.0 + legend.height);
    canvas.finish()
}
