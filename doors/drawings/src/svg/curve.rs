//! Line charts.

use super::colour::Colour;
use super::legend::{self, Entry};
use super::measure::Measure;
use super::page::Head;
use super::xml::{Canvas, GRID, INK, SOFT_INK, point};
use crate::words;

const WIDTH: f64 = 760.0;
const PLOT_HEIGHT: f64 = 340.0;
const MARGIN: f64 = 16.0;
const SIZE: f64 = 11.0;
const TOP: f64 = 48.0;
const TOP_WITH_SUBTITLE: f64 = 62.0;
const DASHES: [&str; 4] = ["", "7 3", "2 3", "9 3 2 3"];

/// A named line.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Shown in the legend.
    pub name: String,
    /// Points in the order in which they are joined. Points that are not finite are left out.
    pub points: Vec<(f64, f64)>,
}

/// Options of [`curve`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CurveOptions {
    /// Logarithmic x axis. Points with x <= 0 are left out.
    pub log_x: bool,
    /// Logarithmic y axis. Points with y <= 0 are left out.
    pub log_y: bool,
    /// Quantities of the axes: horizontal, vertical.
    pub measures: (Measure, Measure),
    /// A horizontal line at this height, with a label.
    pub reference: Option<(f64, String)>,
}

/// The mapping from values to pixels.
struct Axes {
    log: (bool, bool),
    x: (f64, f64),
    y: (f64, f64),
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Axes {
    fn x(&self, value: f64) -> f64 {
        self.left + (self.right - self.left) * part(value, self.x, self.log.0)
    }

    fn y(&self, value: f64) -> f64 {
        self.bottom - (self.bottom - self.top) * part(value, self.y, self.log.1)
    }
}

/// Position of a value in a range, from 0 to 1.
fn part(value: f64, (low, high): (f64, f64), log: bool) -> f64 {
    let on_axis = |value: f64| if log { value.log10() } else { value };
    (on_axis(value) - on_axis(low)) / (on_axis(high) - on_axis(low))
}

/// A line chart of measured values, such as delivered over optimal throughput against the number of instances.
pub fn curve(
    title: &str,
    x_label: &str,
    y_label: &str,
    series: &[Series],
    options: &CurveOptions,
) -> String {
    let log = (options.log_x, options.log_y);
    let usable = |&(x, y): &(f64, f64)| {
        x.is_finite() && y.is_finite() && (!log.0 || x > 0.0) && (!log.1 || y > 0.0)
    };
    let lines: Vec<Vec<(f64, f64)>> = series
        .iter()
        .map(|series| series.points.iter().copied().filter(usable).collect())
        .collect();
    let reference = options
        .reference
        .as_ref()
        .filter(|(height, _)| height.is_finite() && (!log.1 || *height > 0.0));
    let entries = entries(series, reference);
    let legend = legend::layout(&entries, MARGIN, WIDTH - 2.0 * MARGIN);
    let mut axes = scales(&lines, reference.map(|(height, _)| *height), log);
    let cut = !log.1 && axes.y.0 > 0.0;
    let head = Head::new(
        title,
        if cut {
            "the vertical axis does not begin at 0"
        } else {
            ""
        },
        WIDTH,
    );
    let top = if cut { TOP_WITH_SUBTITLE } else { TOP } + head.extra;
    (axes.top, axes.bottom, axes.right) = (top, top + PLOT_HEIGHT, WIDTH - 30.0);
    let measure = options.measures.1;
    let y_ticks: Vec<(f64, String)> = measure
        .ticks(axes.y, log.1, 7)
        .into_iter()
        .map(|y| (y, measure.show(tidy(y, axes.y))))
        .collect();
    let widest = words::widest(y_ticks.iter().map(|(_, text)| text), SIZE);
    axes.left = MARGIN + 22.0 + widest + 8.0;
    let legend_top = axes.bottom + 54.0;
    let height = legend_top + legend.height + 4.0;

    let mut canvas = Canvas::new(WIDTH, height, title);
    head.draw(&mut canvas);
    draw_axes(
        &mut canvas,
        &axes,
        &y_ticks,
        x_label,
        y_label,
        options.measures.0,
    );
    if let Some((height, _)) = reference {
        let y = axes.y(*height);
        let tag = canvas.segment("", (axes.left, y), (axes.right, y));
        tag.stroke(SOFT_INK, 1.4).dashes("5 4").end();
    }
    for (index, (line, series)) in lines.iter().zip(series).enumerate() {
        draw_line(
            &mut canvas,
            &axes,
            index,
            line,
            &series.name,
            options.measures,
        );
    }
    if lines.iter().all(Vec::is_empty) {
        let middle = (
            (axes.left + axes.right) / 2.0,
            (axes.top + axes.bottom) / 2.0,
        );
        canvas.text(middle, "middle", 13.0, SOFT_INK, "no points");
    }
    legend::draw(&mut canvas, &entries, &legend, legend_top);
    canvas.finish()
}

/// Colours that read well as thin lines on white. The pale ones of the palette are skipped.
fn line_colour(index: usize) -> Colour {
    let dark = (0..)
        .map(Colour::category)
        .filter(|colour| colour.luminance() < 0.45);
    dark.take(index + 1).last().unwrap_or(Colour::category(0))
}

fn entries(series: &[Series], reference: Option<&(f64, String)>) -> Vec<Entry> {
    let lines = series.iter().enumerate().map(|(index, series)| {
        let dashes = DASHES[index % DASHES.len()];
        Entry::line(line_colour(index).hex(), 2.2, dashes, &series.name)
    });
    let reference = reference.map(|(_, label)| Entry::line(SOFT_INK, 1.4, "5 4", label));
    lines.chain(reference).collect()
}

/// Ranges that hold every point, never empty.
fn scales(lines: &[Vec<(f64, f64)>], reference: Option<f64>, log: (bool, bool)) -> Axes {
    let range = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        })
    };
    let (mut x0, mut x1) = range(&mut lines.iter().flatten().map(|point| point.0));
    let (mut y0, mut y1) = range(&mut lines.iter().flatten().map(|point| point.1).chain(reference));
    if x0 > x1 {
        (x0, x1) = (1.0, 10.0);
    }
    if x0 == x1 {
        (x0, x1) = if log.0 {
            (x0 / 2.0, x1 * 2.0)
        } else {
            (x0 - 0.5, x1 + 0.5)
        };
    }
    if !log.0 && x0 > 0.0 && x0 < 0.2 * x1 {
        x0 = 0.0;
    }
    if y0 > y1 {
        (y0, y1) = if log.1 { (1.0, 10.0) } else { (0.0, 1.0) };
    }
    let axes = |y: (f64, f64)| Axes {
        log,
        x: (x0, x1),
        y,
        left: 0.0,
        right: 0.0,
        top: 0.0,
        bottom: 0.0,
    };
    if log.1 {
        // A little room on both sides.
        let factor = (y1 / y0).powf(0.04).max(1.05);
        return axes((y0 / factor, y1 * factor));
    }
    // An axis that nearly starts at zero starts at zero.
    if y0 >= 0.0 && y0 < 0.5 * y1 {
        y0 = 0.0;
    }
    let room = if y1 > y0 {
        (y1 - y0) * 0.05
    } else {
        y1.abs().max(1.0) * 0.5
    };
    let low = if y0 == 0.0 { 0.0 } else { y0 - room };
    axes((low, y1 + room))
}

/// Zero instead of the tiny rounding errors of adding steps.
fn tidy(value: f64, (low, high): (f64, f64)) -> f64 {
    if value.abs() < (high - low) * 1e-9 {
        0.0
    } else {
        value
    }
}

fn draw_axes(
    canvas: &mut Canvas,
    axes: &Axes,
    y_ticks: &[(f64, String)],
    x_label: &str,
    y_label: &str,
    measure: Measure,
) {
    for (value, text) in y_ticks {
        let y = axes.y(*value);
        canvas.line((axes.left, y), (axes.right, y), "#dddddd", 0.8);
        canvas.text((axes.left - 7.0, y + SIZE * 0.36), "end", SIZE, INK, text);
    }
    let values = measure.ticks(axes.x, axes.log.0, 9);
    let mut free = f64::NEG_INFINITY;
    for value in values {
        let x = axes.x(value);
        canvas.line((x, axes.top), (x, axes.bottom), "#ececec", 0.8);
        canvas.line((x, axes.bottom), (x, axes.bottom + 4.0), SOFT_INK, 1.0);
        let text = measure.show(tidy(value, axes.x));
        let half = words::width(&text, SIZE) / 2.0 + 3.0;
        if x - half >= free {
            canvas.text((x, axes.bottom + 17.0), "middle", SIZE, INK, &text);
            free = x + half;
        }
    }
    canvas.line(
        (axes.left, axes.bottom),
        (axes.right, axes.bottom),
        SOFT_INK,
        1.0,
    );
    canvas.line((axes.left, axes.top), (axes.left, axes.bottom), GRID, 1.0);
    if !axes.log.1 && axes.y.0 > 0.0 {
        break_axis(canvas, (axes.left, axes.bottom));
    }
    let room = axes.right - axes.left;
    let middle = (axes.left + axes.right) / 2.0;
    canvas.text(
        (middle, axes.bottom + 36.0),
        "middle",
        12.0,
        SOFT_INK,
        &words::fit(x_label, 12.0, room),
    );
    let at = (MARGIN + 10.0, (axes.top + axes.bottom) / 2.0);
    let turn = format!("rotate(-90 {})", point(at));
    canvas.g().s("transform", &turn).start();
    canvas.text(
        at,
        "middle",
        12.0,
        SOFT_INK,
        &words::fit(y_label, 12.0, PLOT_HEIGHT),
    );
    canvas.close();
}

/// Two strokes across the foot of an axis that does not begin at 0.
fn break_axis(canvas: &mut Canvas, (x, bottom): (f64, f64)) {
    for up in [6.0, 10.0] {
        canvas
            .segment(
                "break",
                (x - 5.0, bottom - up + 2.0),
                (x + 5.0, bottom - up - 2.0),
            )
            .stroke(INK, 1.2)
            .end();
    }
}

fn draw_line(
    canvas: &mut Canvas,
    axes: &Axes,
    index: usize,
    points: &[(f64, f64)],
    name: &str,
    measures: (Measure, Measure),
) {
    /// Beyond this number of points the line has no dots.
    const DOTS: usize = 60;
    let colour = line_colour(index).hex();
    let pixels = |&(x, y): &(f64, f64)| point((axes.x(x), axes.y(y)));
    let path: Vec<String> = points.iter().map(pixels).collect();
    if path.len() > 1 {
        let dash = DASHES[index % DASHES.len()];
        let tag = canvas
            .path("series", &format!("M{}", path.join("L")))
            .fill("none");
        let tag = tag.stroke(&colour, 2.2).s("stroke-linejoin", "round");
        tag.dashes(dash).titled(name);
    }
    if points.len() <= DOTS {
        for &(x, y) in points {
            let tag = canvas.circle("", (axes.x(x), axes.y(y)), 3.0).fill(&colour);
            tag.titled(&format!(
                "{name}: {}, {}",
                measures.0.show(x),
                measures.1.show(y)
            ));
        }
    }
}
