//! A reduction tree from left to right: a row for every value.

use super::picture::{Arrow, BOX, BOX_ROOM, BOX_SIZE, HOP_LINE, HOP_SIZE, Picture, Place, Vertex, WHAT};
use crate::reduction::flow_tooltip;
use crate::svg::page::{Head, MARGIN, Notes};
use crate::svg::xml::{Canvas, INK, SOFT_INK, number};
use crate::words;

const TOP: f64 = 66.0;
/// Longest text along an arrow, and most lines of it.
const ROOM: f64 = 260.0;
const LINES: usize = 2;
/// Space for an arrow's head, and for curves.
const ARROW: f64 = 7.0;
const BEND: f64 = 34.0;

/// Where everything is, in pixels.
struct Layout<'a> {
    places: &'a [Place],
    top: f64,
    row: f64,
    /// Left end of every layer, and width of its boxes; the last layer is that of the results.
    layers: Vec<(f64, f64)>,
}

impl Layout<'_> {
    fn y(&self, place: Place) -> f64 {
        self.top + (place.first + place.last + 1) as f64 / 2.0 * self.row
    }

    fn layer(&self, layer: usize) -> (f64, f64) {
        self.layers.get(layer).copied().unwrap_or((MARGIN, 0.0))
    }
}

/// Draws a tree of so many rows.
pub(super) fn draw(picture: &Picture, places: &[Place], rows: usize, (title, subtitle): (&str, &str)) -> String {
    let results = places.iter().map(|place| place.layer + 1).max().unwrap_or(0);
    let boxes = picture.boxes(places, results);
    let (layers, right) = layers(picture, places, &boxes, results);
    let lines = picture.arrows().map(|arrow| texts(picture, &arrow).len()).max().unwrap_or(0);
    // The links stand below the line.
    let row = f64::max(BOX + 8.0, 2.0 * (HOP_LINE * lines.saturating_sub(1) as f64 + 4.0));
    let width = right.max(Head::width(title, subtitle) + MARGIN) + MARGIN + 1.0;
    let head = Head::new(title, subtitle, width);
    let layout = Layout { places, top: TOP + head.extra, row, layers };
    let bottom = layout.top + rows as f64 * row;
    let notes = Notes::new(&[WHAT, "along an arrow: what travels, and the links it takes"], width);
    let mut canvas = Canvas::new(width, bottom + 10.0 + notes.height + 8.0, &format!("{title}; {subtitle}"));
    head.draw(&mut canvas);
    for arrow in picture.arrows() {
        draw_flow(&mut canvas, picture, &layout, &arrow);
    }
    for vertex in &boxes {
        let (left, width) = layout.layer(vertex.place.layer);
        picture.draw_box(&mut canvas, (left + width / 2.0, layout.y(vertex.place) - BOX / 2.0), width, vertex);
    }
    notes.draw(&mut canvas, bottom + 10.0);
    canvas.finish()
}

/// Left end of every layer and width of its boxes, and the right end of the last.
fn layers(picture: &Picture, places: &[Place], boxes: &[Vertex], results: usize) -> (Vec<(f64, f64)>, f64) {
    let mut widths = vec![44.0_f64; results + 1];
    for vertex in boxes {
        let text = vertex.lines.iter().map(|line| words::width(line, BOX_SIZE)).fold(0.0, f64::max).min(BOX_ROOM);
        if let Some(width) = widths.get_mut(vertex.place.layer) {
            *width = width.max(text + 14.0);
        }
    }
    let mut gaps = vec![0.0_f64; results + 1];
    for arrow in picture.arrows() {
        let text = texts(picture, &arrow).iter().map(|line| words::width(line, HOP_SIZE)).fold(0.0, f64::max);
        let layer = places.get(arrow.flow.from).map_or(0, |place| place.layer);
        if let Some(gap) = gaps.get_mut(layer) {
            *gap = gap.max(text + 10.0);
        }
    }
    let mut left = MARGIN;
    let mut layers = Vec::new();
    for (width, gap) in widths.into_iter().zip(gaps) {
        layers.push((left, width));
        left += width + gap + BEND;
    }
    let right = layers.last().map_or(MARGIN, |(left, width)| left + width);
    (layers, right)
}

/// What stands along an arrow: what travels, then its links.
fn texts(picture: &Picture, arrow: &Arrow) -> Vec<String> {
    picture.hop_texts(arrow.flow, ROOM, LINES)
}

/// A line to the right of a vertex with its texts, then a curve into the next.
fn draw_flow(canvas: &mut Canvas, picture: &Picture, layout: &Layout, arrow: &Arrow) {
    let Some(&from) = layout.places.get(arrow.flow.from) else { return };
    let end = match arrow.to.and_then(|(to, side)| Some((side, *layout.places.get(to)?))) {
        Some((side, place)) => (layout.layer(place.layer).0, layout.y(place) + side * BOX),
        None => (layout.layer(layout.layers.len() - 1).0, layout.y(from)),
    };
    let (left, width) = layout.layer(from.layer);
    let start = (left + width, layout.y(from));
    let (turn, tip) = (end.0 - BEND, end.0 - ARROW);
    let middle = (turn + tip) / 2.0;
    let point = |x: f64, y: f64| format!("{} {}", number(x), number(y));
    let curve = format!("C{} {} {}", point(middle, start.1), point(middle, end.1), point(tip, end.1));
    canvas.g().s("class", "flow").start();
    canvas.tooltip(&flow_tooltip(picture.problem, picture.assembly.part(arrow.flow), arrow.flow));
    let path = format!("M{}L{}{curve}", point(start.0, start.1), point(turn, start.1));
    canvas.tag("path").s("d", &path).s("fill", "none").s("stroke", "#666666").n("stroke-width", 1.4).end();
    let head = format!("M{}L{}L{}Z", point(end.0 - 0.5, end.1), point(tip, end.1 - 3.2), point(tip, end.1 + 3.2));
    canvas.tag("path").s("d", &head).s("fill", "#666666").end();
    for (index, line) in texts(picture, arrow).iter().enumerate() {
        let y = if index == 0 { start.1 - 4.0 } else { start.1 + HOP_LINE * index as f64 - 2.0 };
        canvas.text((start.0 + 4.0, y), "start", HOP_SIZE, if index == 0 { INK } else { SOFT_INK }, line);
    }
    canvas.close();
}
