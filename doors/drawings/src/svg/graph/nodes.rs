//! Nodes as marks with their names inside.

use std::collections::BTreeMap;

use oneport_platform::{NodeId, Platform};

use super::flows::{Flows, Role};
use super::labels::{Area, Page, Point};
use super::placement;
use super::strokes::{CHARGED, Charged};
use crate::svg::xml::{Canvas, INK, number, point, polygon};
use crate::words;

/// Colour of a processor's share of time computing.
pub(super) const COMPUTING: &str = "#882255";
/// Limit on the nodes with their names inside.
const NAMED: usize = 150;
/// Limit on the nodes whose names are printed if there is room.
const SOME_NAMES: usize = 1000;
/// Longest name, in pixels.
const NAME_ROOM: f64 = 130.0;
/// Size of the letters of limits.
const LIMIT: f64 = 8.5;

/// The marks, sizes and names drawn for the nodes.
pub(super) struct Marks {
    marks: Vec<Mark>,
    sizes: Vec<Point>,
    /// Letters of the names.
    font: f64,
}

struct Mark {
    name: String,
    role: Role,
    dashed: bool,
    /// Share of time computing.
    computing: Option<f64>,
    /// The resource of the node that limits the throughput, in words.
    limit: Option<String>,
}

impl Marks {
    pub(super) fn new(
        platform: &Platform,
        roles: &[Role],
        flows: &Flows,
        charged: &Charged,
    ) -> Marks {
        let count = platform.nodes().len();
        let (height, font) = match count {
            0..=12 => (32.0, 12.0),
            13..=30 => (27.0, 11.5),
            31..=60 => (23.0, 11.0),
            61..=NAMED => (18.0, 9.5),
            _ => (10.0, 8.5),
        };
        let names = names(platform, font);
        let mark = |((id, name), &role): ((NodeId, String), &Role)| Mark {
            name,
            role,
            dashed: words::node(platform, id)
                .is_some_and(|node| node.is_processor() && !node.replicates),
            computing: flows
                .compute
                .get(&id)
                .map(|share| words::pixels(share).clamp(0.0, 1.0))
                .filter(|&share| share > 0.0),
            limit: charged.of_node(id),
        };
        let marks: Vec<Mark> = platform
            .node_ids()
            .zip(names)
            .zip(roles)
            .map(mark)
            .collect();
        let size = |mark: &Mark| {
            let ring = if mark.computing.is_some() {
                2.0 * ring(height)
            } else {
                0.0
            };
            if count > NAMED {
                return (height + ring, height + ring);
            }
            let limit = mark
                .limit
                .as_ref()
                .map_or(0.0, |limit| words::width(limit, LIMIT));
            let high = if mark.limit.is_some() {
                height.max(font + LIMIT + 9.0)
            } else {
                height
            };
            let text = words::width(&mark.name, font).max(limit);
            // Short names have room in a circle.
            let wide = if text <= high - 7.0 {
                high
            } else {
                text + high * 0.6
            };
            (wide + ring, high + ring)
        };
        let sizes = marks.iter().map(size).collect();
        Marks { marks, sizes, font }
    }

    /// Width and height of every mark.
    pub(super) fn sizes(&self) -> &[Point] {
        &self.sizes
    }

    /// The areas of the marks around these centres.
    pub(super) fn areas(&self, positions: &[Point]) -> Vec<Area> {
        positions
            .iter()
            .zip(&self.sizes)
            .map(|(&position, size)| Area::around(position, size.0, size.1))
            .collect()
    }

    /// Draws marks and names.
    pub(super) fn draw(
        &self,
        canvas: &mut Canvas,
        page: &mut Page,
        areas: &[Area],
        tooltip: impl Fn(NodeId, Role) -> String,
    ) {
        let named = self.marks.len() <= NAMED;
        for (index, (mark, area)) in self.marks.iter().zip(areas).enumerate() {
            mark.draw(canvas, area, &tooltip(NodeId::new(index), mark.role));
        }
        canvas.g().untouched().s("class", "names").start();
        for (mark, area) in self.marks.iter().zip(areas) {
            let (x, y) = area.centre();
            if named {
                let ink = if mark.role == Role::Router {
                    "#ffffff"
                } else {
                    INK
                };
                let up = if mark.limit.is_some() {
                    LIMIT * 0.55
                } else {
                    0.0
                };
                canvas.text(
                    (x, y + self.font * 0.36 - up),
                    "middle",
                    self.font,
                    ink,
                    &mark.name,
                );
                if let Some(limit) = &mark.limit {
                    canvas.text(
                        (x, y + self.font * 0.36 + LIMIT * 0.6),
                        "middle",
                        LIMIT,
                        ink,
                        limit,
                    );
                }
            } else if self.marks.len() <= SOME_NAMES {
                self.beside(canvas, page, mark, area);
            }
        }
        canvas.close();
    }

    /// The name next to its mark, if there is room.
    fn beside(&self, canvas: &mut Canvas, page: &mut Page, mark: &Mark, area: &Area) {
        let (width, half) = (words::width(&mark.name, self.font), area.size().0 / 2.0);
        let apart = (half + 3.0 + width / 2.0, half + 3.0 + self.font / 2.0);
        let candidates = area.beside(apart, (width, self.font + 2.0));
        let Some(area) = page.choose(&candidates) else {
            return;
        };
        page.taken.push(area);
        let (x, y) = area.centre();
        halo(canvas, &area);
        canvas.text(
            (x, y + self.font * 0.36),
            "middle",
            self.font,
            INK,
            &mark.name,
        );
    }
}

/// Names as they are drawn: without the name of their frame, and shortened if they are long. If the shortened name
/// equals another one of its frame, it is not shortened.
fn names(platform: &Platform, font: f64) -> Vec<String> {
    let whole: Vec<&str> = platform
        .nodes()
        .iter()
        .map(|node| node.name.as_str())
        .collect();
    let mut own = whole.clone();
    let mut frame = vec![0_usize; whole.len()];
    for (number, group) in placement::groups(&whole).iter().enumerate() {
        for &node in &group.members {
            frame[node] = number + 1;
            let rest = whole[node]
                .get(group.prefix.len() + 1..)
                .filter(|rest| !rest.is_empty());
            own[node] = rest.unwrap_or(whole[node]);
        }
    }
    let short: Vec<String> = own
        .iter()
        .map(|name| words::fit_name(name, font, NAME_ROOM))
        .collect();
    let mut count: BTreeMap<(usize, &str), usize> = BTreeMap::new();
    for (frame, name) in frame.iter().zip(&short) {
        *count.entry((*frame, name)).or_insert(0) += 1;
    }
    let unique = |node: usize| {
        count
            .get(&(frame[node], short[node].as_str()))
            .is_none_or(|&count| count < 2)
    };
    (0..whole.len())
        .map(|node| {
            if unique(node) {
                short[node].clone()
            } else {
                own[node].to_string()
            }
        })
        .collect()
}

/// Width of the ring around a processor that computes.
fn ring(height: f64) -> f64 {
    (height * 0.14).clamp(2.0, 4.0)
}

impl Mark {
    fn draw(&self, canvas: &mut Canvas, area: &Area, tooltip: &str) {
        let whole = area.size().1;
        // The ring is a part of the mark's area.
        let ring = if self.computing.is_some() {
            ring(whole / 1.28)
        } else {
            0.0
        };
        let area = area.grown(-ring);
        let (fill, outline) = self.role.style();
        let (width, height) = area.size();
        let tag = match self.role {
            Role::Switch => canvas.path("", &hexagon(&area)),
            role => {
                let corner = if role == Role::Router {
                    3.0
                } else {
                    height / 2.0
                };
                canvas
                    .rect("", (area.left, area.top), (width, height))
                    .n("rx", corner)
            }
        };
        let tag = tag.s("class", "node");
        let (ink, outline) = match &self.limit {
            Some(_) => (CHARGED, 3.0),
            None => (INK, outline),
        };
        let tag = tag.fill(fill).stroke(ink, outline);
        tag.dashes(if self.dashed { "3 2" } else { "" })
            .titled(tooltip);
        if let Some(share) = self.computing {
            draw_ring(canvas, &area.grown(ring / 2.0 + 0.5), ring, share);
        }
    }
}

/// A rectangle whose shorter sides are points. A square becomes a diamond.
fn hexagon(area: &Area) -> String {
    let (y, cut) = (area.centre().1, area.size().1 / 2.0);
    polygon(&[
        (area.left, y),
        (area.left + cut, area.top),
        (area.right - cut, area.top),
        (area.right, y),
        (area.right - cut, area.bottom),
        (area.left + cut, area.bottom),
    ])
}

/// A ring around an area with round ends, filled to `share`, clockwise from the top.
fn draw_ring(canvas: &mut Canvas, area: &Area, width: f64, share: f64) {
    let (x, _) = area.centre();
    let (wide, high) = area.size();
    let r = high / 2.0;
    let straight = wide - 2.0 * r;
    let n = number;
    let (right, left) = (n(area.right - r), n(area.left + r));
    let path = format!(
        "M{} {top}H{right}A{r} {r} 0 0 1 {right} {}H{left}A{r} {r} 0 0 1 {left} {top}Z",
        n(x),
        n(area.bottom),
        r = n(r),
        top = n(area.top)
    );
    let around = 2.0 * straight + std::f64::consts::TAU * r;
    let mut draw = |stroke: &str, dashes: &str| {
        let tag = canvas.path("ring", &path).fill("none");
        tag.stroke(stroke, width).untouched().dashes(dashes).end();
    };
    if share >= 0.999 {
        return draw(COMPUTING, "");
    }
    draw("#d5d5d5", "");
    draw(COMPUTING, &point((share * around, around)));
}

/// A nearly white area that keeps lines from crossing a text.
pub(super) fn halo(canvas: &mut Canvas, area: &Area) {
    let tag = canvas
        .rect("", (area.left, area.top), area.size())
        .n("rx", 2.0)
        .fill("#ffffff");
    tag.n("fill-opacity", 0.86).end();
}
