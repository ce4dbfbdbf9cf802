//! Links as arrows that lead around the nodes.

use oneport_platform::{LinkId, Platform};

use super::labels::{Area, Point};
use crate::svg::xml::{Canvas, point, polygon};

/// Up to this many links get a wide invisible line that makes them easy to point at.
const EASY: usize = 300;
/// Pairs of links and nodes up to which arrows avoid nodes. Trades curved arrows for time. Not measured.
const MOST_TRIED: usize = 200_000;
/// Least distance of an arrow and a node that it does not belong to.
const CLEAR: f64 = 4.0;
/// Distance of parallel opposite links from the middle.
const BESIDE: f64 = 3.5;
/// Number of points along an arrow that are checked.
const POINTS: u32 = 40;

/// Style of a link.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Stroke {
    pub width: f64,
    pub colour: String,
    /// Higher layers are drawn later and lie on top.
    pub layer: u8,
}

/// A link, or two opposite links of equal style, as a quadratic curve from node to node.
pub(super) struct Edge {
    pub link: LinkId,
    /// The opposite link, drawn with this one.
    pub back: Option<LinkId>,
    /// Whether an opposite link has a separate curve.
    pub bent: bool,
    pub stroke: Stroke,
    start: Point,
    control: Point,
    end: Point,
}

/// The links of a platform, the lowest layers first.
///
/// Opposite links of one stroke are one straight line with two heads. Others bend apart if they have labels
/// (`labelled`), and run side by side if not. A line that would run under a node bends around it. `marks` are the areas
/// of the nodes, round ones at their ends.
pub(super) fn edges(
    platform: &Platform,
    marks: &[Area],
    strokes: &[Stroke],
    labelled: bool,
) -> Vec<Edge> {
    let tried = platform.links().len() * marks.len() <= MOST_TRIED;
    let mut edges = Vec::new();
    for (id, link) in platform.link_ids().zip(platform.links()) {
        let back = twin(platform, strokes, id);
        if back.is_some_and(|back| back < id) {
            continue;
        }
        let (Some(stroke), Some(from), Some(to)) = (
            strokes.get(id.index()),
            marks.get(link.from.index()),
            marks.get(link.to.index()),
        ) else {
            continue;
        };
        let bent = back.is_none() && platform.link_between(link.to, link.from).is_some();
        let ends = [link.from.index(), link.to.index()];
        let others: Vec<&Area> = marks
            .iter()
            .enumerate()
            .filter(|(node, _)| tried && !ends.contains(node))
            .map(|(_, mark)| mark)
            .collect();
        let (first, last) = aside(
            from.centre(),
            to.centre(),
            if bent && !labelled { BESIDE } else { 0.0 },
        );
        let control = control(first, last, bent && labelled, &others);
        let curve = |t: f64| at(first, control, last, t);
        let start = leave(from, 1.0, &curve);
        let end = leave(to, 2.0, &|t| curve(1.0 - t));
        edges.push(Edge {
            link: id,
            back,
            bent,
            stroke: stroke.clone(),
            start,
            control,
            end,
        });
    }
    edges.sort_by(|a, b| {
        let (one, other) = (&a.stroke, &b.stroke);
        let by_layer = one.layer.cmp(&other.layer);
        by_layer
            .then(other.width.total_cmp(&one.width))
            .then(a.link.cmp(&b.link))
    });
    edges
}

/// The opposite link that is drawn as one line with this one.
fn twin(platform: &Platform, strokes: &[Stroke], id: LinkId) -> Option<LinkId> {
    let link = platform.link(id);
    let back = platform.link_between(link.to, link.from)?;
    (back != id && strokes.get(back.index()) == strokes.get(id.index())).then_some(back)
}

/// Number of lines that draw the links.
pub(super) fn count(platform: &Platform, strokes: &[Stroke]) -> usize {
    platform
        .link_ids()
        .filter(|&id| twin(platform, strokes, id).is_none_or(|back| back > id))
        .count()
}

/// Both ends moved by this distance to the right-hand side.
fn aside(from: Point, to: Point, by: f64) -> (Point, Point) {
    let (dx, dy, length) = way(from, to);
    let (x, y) = (-dy / length * by, dx / length * by);
    ((from.0 + x, from.1 + y), (to.0 + x, to.1 + y))
}

/// The vector from one point to another, and its length, which is never 0.
fn way(from: Point, to: Point) -> (f64, f64, f64) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    (dx, dy, (dx * dx + dy * dy).sqrt().max(1e-6))
}

/// A point of a quadratic curve.
fn at(start: Point, control: Point, end: Point, t: f64) -> Point {
    let (a, b, c) = ((1.0 - t) * (1.0 - t), 2.0 * t * (1.0 - t), t * t);
    (
        a * start.0 + b * control.0 + c * end.0,
        a * start.1 + b * control.1 + c * end.1,
    )
}

/// The control point of a curve that meets the fewest nodes, the flattest of these.
fn control(from: Point, to: Point, bent: bool, others: &[&Area]) -> Point {
    let (dx, dy, length) = way(from, to);
    let middle = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0);
    // Each direction of a pair bends to its own right-hand side.
    let own = if bent {
        (length * 0.16).clamp(8.0, 26.0)
    } else {
        0.0
    };
    let bend = |(bend, along): (f64, f64)| {
        (
            middle.0 - dy / length * bend + along * dx,
            middle.1 + dx / length * bend + along * dy,
        )
    };
    let reach = length * 0.6;
    let area = Area {
        left: from.0.min(to.0) - reach,
        top: from.1.min(to.1) - reach,
        right: from.0.max(to.0) + reach,
        bottom: from.1.max(to.1) + reach,
    };
    let near: Vec<&&Area> = others
        .iter()
        .filter(|other| area.overlap(other) > 0.0)
        .collect();
    let met = |control: Point| {
        let points =
            || (1..POINTS).map(|k| at(from, control, to, f64::from(k) / f64::from(POINTS)));
        near.iter()
            .filter(|other| points().any(|point| other.grown(CLEAR).contains(point)))
            .count()
    };
    let step = f64::max(8.0, length * 0.05);
    let sides = if bent { [1.0, 1.0] } else { [1.0, -1.0] };
    let sides = (0..22).flat_map(|k| sides.map(|side| own + side * f64::from(k) * step));
    // Bent in the middle, or nearer to one of the ends.
    let bends = sides.flat_map(|bend| [0.0, -0.25, 0.25, -0.45, 0.45].map(|along| (bend, along)));
    let mut best: Option<(usize, Point)> = None;
    for control in bends.map(bend) {
        let count = met(control);
        if count == 0 {
            return control;
        }
        if best.is_none_or(|(least, _)| count < least) {
            best = Some((count, control));
        }
    }
    best.map_or(middle, |(_, control)| control)
}

/// The point at which a curve leaves the mark in which it begins, and `gap` further.
fn leave(mark: &Area, gap: f64, curve: &dyn Fn(f64) -> Point) -> Point {
    let (mut inside, mut outside) = (0.0, 0.5);
    for _ in 0..24 {
        let t = (inside + outside) / 2.0;
        if mark.distance(curve(t)) < gap {
            inside = t;
        } else {
            outside = t;
        }
    }
    curve(outside)
}

impl Edge {
    fn at(&self, t: f64) -> Point {
        at(self.start, self.control, self.end, t)
    }

    /// The curve moved by `dx` and `dy`.
    pub(super) fn moved(mut self, dx: f64, dy: f64) -> Edge {
        for point in [&mut self.start, &mut self.control, &mut self.end] {
            *point = (point.0 + dx, point.1 + dy);
        }
        self
    }

    /// Points along the curve.
    pub(super) fn samples(&self) -> impl Iterator<Item = Point> + '_ {
        (0..=24).map(|k| self.at(f64::from(k) / 24.0))
    }

    /// Possible positions on the line for a label of this size, the best first.
    pub(super) fn label_areas(&self, width: f64, height: f64) -> Vec<Area> {
        let areas = if self.bent {
            [0.42, 0.36, 0.5, 0.3, 0.58, 0.64, 0.24]
        } else {
            [0.5, 0.44, 0.56, 0.38, 0.62, 0.3, 0.7]
        };
        areas
            .map(|t| Area::around(self.at(t), width, height))
            .to_vec()
    }
}

/// Draws all links with their tooltips.
pub(super) fn draw(canvas: &mut Canvas, edges: &[Edge], tooltip: impl Fn(LinkId) -> String) {
    for edge in edges {
        let (width, colour) = (edge.stroke.width, &edge.stroke.colour);
        let size = 5.0 + 1.2 * width;
        let (tip, low) = head(edge.end, edge.control, size);
        let (tail, high) = head(edge.start, edge.control, size);
        let start = if edge.back.is_some() {
            high
        } else {
            edge.start
        };
        let curve = format!("M{} Q{} {}", point(start), point(edge.control), point(low));
        canvas.g().s("class", "link").start();
        let back = edge
            .back
            .map(|back| format!("\n{}", tooltip(back)))
            .unwrap_or_default();
        canvas.tooltip(&format!("{}{back}", tooltip(edge.link)));
        if edges.len() <= EASY {
            let line = canvas.path("", &curve).fill("none").s("stroke", "#ffffff");
            line.s("stroke-opacity", "0").n("stroke-width", 9.0).end();
        }
        let line = canvas.path("line", &curve).fill("none");
        line.stroke(colour, width).end();
        for corners in std::iter::once(tip).chain(edge.back.map(|_| tail)) {
            canvas.path("", &polygon(&corners)).fill(colour).end();
        }
        canvas.close();
    }
}

/// The corners of an arrow's head that comes from `from`, and the middle of its base.
fn head(tip: Point, from: Point, size: f64) -> ([Point; 3], Point) {
    let (dx, dy, length) = way(from, tip);
    let (ux, uy) = (dx / length, dy / length);
    let base = (tip.0 - ux * size, tip.1 - uy * size);
    let half = size * 0.4;
    (
        [
            tip,
            (base.0 - uy * half, base.1 + ux * half),
            (base.0 + uy * half, base.1 - ux * half),
        ],
        base,
    )
}
