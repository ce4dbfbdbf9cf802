//! Links as arrows.

use std::collections::BTreeMap;

use oneport_platform::{LinkId, NodeId, Platform, Rational};

use super::labels::Area;
use super::xml::{Canvas, number};
use crate::words;

/// Colour of links in use.
pub(super) const BUSY: &str = "#0072b2";
/// Colour of links out of use.
pub(super) const UNUSED: &str = "#c4c4c4";
/// Colour of links when there is no steady state.
pub(super) const PLAIN: &str = "#666666";
/// Up to this many links get a wide invisible line that makes them easy to point at.
const EASY: usize = 300;

type Point = (f64, f64);

/// A link as a quadratic curve from node to node.
pub(super) struct Edge {
    pub link: LinkId,
    start: Point,
    control: Point,
    end: Point,
    width: f64,
    colour: &'static str,
}

/// The links of a platform, those out of use first so that the others are drawn above them.
///
/// The two links of a duplex pair bend apart. `size_of` is half the extent of a node's mark.
pub(super) fn edges(
    platform: &Platform,
    places: &[Point],
    busy: &BTreeMap<LinkId, Rational>,
    solved: bool,
    size_of: impl Fn(NodeId) -> f64,
) -> Vec<Edge> {
    let mut edges = Vec::new();
    for id in platform.link_ids() {
        let Some(link) = words::link(platform, id) else { continue };
        let (Some(&from), Some(&to)) = (places.get(link.from.index()), places.get(link.to.index())) else { continue };
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = (dx * dx + dy * dy).sqrt().max(1e-6);
        let duplex = platform.link_between(link.to, link.from).is_some();
        // Each direction bends to its own right-hand side.
        let bend = if duplex { (length * 0.16).clamp(6.0, 26.0) } else { 0.0 };
        let middle = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0);
        let control = (middle.0 - dy / length * bend, middle.1 + dx / length * bend);
        let share = busy.get(&id).map(|share| words::pixels(share).clamp(0.0, 1.0));
        let most = if platform.nodes().len() <= 60 { 5.5 } else { 3.5 };
        let (width, colour) = match share {
            Some(share) => (1.2 + most * share, BUSY),
            None if solved => (1.0, UNUSED),
            None => (1.2, PLAIN),
        };
        let start = toward(from, control, size_of(link.from) + 1.5);
        let end = toward(to, control, size_of(link.to) + 2.5);
        edges.push(Edge { link: id, start, control, end, width, colour });
    }
    edges.sort_by(|a, b| a.width.total_cmp(&b.width).then(a.link.cmp(&b.link)));
    edges
}

/// The point `distance` from `from` in the direction of `to`.
fn toward(from: Point, to: Point, distance: f64) -> Point {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = (dx * dx + dy * dy).sqrt();
    if length < 1e-6 { from } else { (from.0 + dx / length * distance, from.1 + dy / length * distance) }
}

impl Edge {
    fn at(&self, t: f64) -> Point {
        let (a, b, c) = ((1.0 - t) * (1.0 - t), 2.0 * t * (1.0 - t), t * t);
        (a * self.start.0 + b * self.control.0 + c * self.end.0, a * self.start.1 + b * self.control.1 + c * self.end.1)
    }

    /// Points along the curve.
    pub(super) fn samples(&self) -> impl Iterator<Item = Point> + '_ {
        (0..=24).map(|k| self.at(f64::from(k) / 24.0))
    }

    /// Where a label of this size might stand, the best places first.
    pub(super) fn label_areas(&self, width: f64, height: f64) -> Vec<Area> {
        let (dx, dy) = (self.end.0 - self.start.0, self.end.1 - self.start.1);
        let length = (dx * dx + dy * dy).sqrt().max(1e-6);
        // The side to which the curve bends comes first.
        let normal = (-dy / length, dx / length);
        let reach = normal.0.abs() * width / 2.0 + normal.1.abs() * height / 2.0 + self.width / 2.0 + 1.5;
        let mut areas = Vec::new();
        for t in [0.5, 0.43, 0.57, 0.36, 0.64, 0.28, 0.72, 0.2, 0.8] {
            let (x, y) = self.at(t);
            for side in [1.0, -1.0] {
                let centre = (x + side * reach * normal.0, y + side * reach * normal.1);
                areas.push(Area::around(centre, width, height));
            }
        }
        areas
    }
}

/// Draws all links with their tooltips.
pub(super) fn draw(canvas: &mut Canvas, edges: &[Edge], tooltip: impl Fn(&Edge) -> String) {
    for edge in edges {
        let head = 5.5 + 1.6 * edge.width;
        let (dx, dy) = (edge.end.0 - edge.control.0, edge.end.1 - edge.control.1);
        let length = (dx * dx + dy * dy).sqrt().max(1e-6);
        let (ux, uy) = (dx / length, dy / length);
        let base = (edge.end.0 - ux * head, edge.end.1 - uy * head);
        let half = head * 0.42;
        let point = |(x, y): Point| format!("{} {}", number(x), number(y));
        let curve = format!("M{} Q{} {}", point(edge.start), point(edge.control), point(base));
        canvas.g().s("class", "link").start();
        canvas.tooltip(&tooltip(edge));
        if edges.len() <= EASY {
            let tag = canvas.tag("path").s("d", &curve).s("fill", "none").s("stroke", "#ffffff");
            tag.s("stroke-opacity", "0").n("stroke-width", 9.0).end();
        }
        let tag = canvas.tag("path").s("d", &curve).s("fill", "none").s("stroke", edge.colour);
        tag.n("stroke-width", edge.width).end();
        let corners = [edge.end, (base.0 - uy * half, base.1 + ux * half), (base.0 + uy * half, base.1 - ux * half)];
        let corners: Vec<String> = corners.into_iter().map(point).collect();
        canvas.tag("path").s("d", &format!("M{}Z", corners.join("L"))).s("fill", edge.colour).end();
        canvas.close();
    }
}
