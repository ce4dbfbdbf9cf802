//! Contents of a Gantt chart, and positions in it.

use oneport_plan::Problem;
use oneport_platform::Rational;

use super::occupancy::Bar;
use crate::words;

/// A labelled interval of time, drawn as a band behind the rows.
pub(super) struct Phase {
    pub label: &'static str,
    pub start: Rational,
    pub end: Rational,
    pub fill: &'static str,
}

/// Everything a chart shows.
pub(super) struct Chart<'a> {
    pub problem: &'a Problem,
    pub title: String,
    pub subtitle: String,
    pub bars: &'a [Bar],
    /// The end of the time axis.
    pub horizon: Rational,
    /// Ends of slots or periods: thin vertical lines, and ticks when they are few.
    pub marks: Vec<Rational>,
    pub phases: Vec<Phase>,
    /// The rows' loads are shares of this period. `None` if no loads are shown.
    pub period: Option<&'a Rational>,
    /// The owners of the operands, if all patterns number them equally.
    pub owners: Option<String>,
    /// The quantity of the time axis, without its unit.
    pub time_label: &'static str,
    /// Largest width of the rows, in pixels.
    pub widest: f64,
}

/// Positions in pixels.
pub(super) struct Frame {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    /// Top and height of every row.
    pub rows: Vec<(f64, f64)>,
    pub bottom: f64,
    /// Letters in boxes.
    pub font: f64,
    /// Whether the ticks are repeated above the rows.
    pub high: bool,
    /// Width of the column with the ports' labels.
    pub ports: f64,
}

impl Frame {
    pub(super) fn x(&self, chart: &Chart, time: &Rational) -> f64 {
        self.left + self.width * words::share(time, &chart.horizon).clamp(0.0, 1.0)
    }

    /// Everything further down.
    pub(super) fn lower(&mut self, by: f64) {
        self.top += by;
        self.bottom += by;
        for row in self.rows.iter_mut() {
            row.0 += by;
        }
    }
}
