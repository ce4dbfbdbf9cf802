//! What is drawn of a reduction tree, and how from below.

use std::cmp::Reverse;

use oneport_plan::{Interval, Message, Problem};
use oneport_platform::LinkId;

use crate::reduction::{Assembly, Flow, Kind, flow_tooltip, result_words, vertex_lines, vertex_tooltip};
use crate::svg::colour::Colour;
use crate::svg::xml::{Canvas, INK, SOFT_INK, number};
use crate::words::{self, Messages};

const TOP: f64 = 66.0;
/// Height of a vertex.
pub(super) const BOX: f64 = 34.0;
pub(super) const BOX_SIZE: f64 = 11.0;
/// Longest text inside a vertex, in pixels.
pub(super) const BOX_ROOM: f64 = 120.0;
/// Width of the column of a value.
const COLUMN: (f64, f64) = (62.0, 132.0);
pub(super) const HOP_SIZE: f64 = 10.0;
pub(super) const HOP_LINE: f64 = 12.5;
/// Longest text along an arrow.
const HOP_ROOM: f64 = 240.0;
/// Most lines of links along an arrow but for the last link; the tooltip lists them all.
const MOST_LINES: usize = 9;
const ARROW: f64 = 7.0;
/// What the letters mean.
pub(super) const WHAT: &str = "v[k,m]: partial result of the values k to m; T[k,l,m] makes it of v[k,l] and v[l+1,m]";

/// What is drawn.
pub(super) struct Picture<'a> {
    pub problem: Problem<'a>,
    pub assembly: &'a Assembly,
    pub demand: usize,
    pub messages: Messages<'a>,
}

/// Where a vertex stands: the columns of the values below it, and its layer, the values' being 0.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub first: usize,
    pub last: usize,
    pub layer: usize,
}

/// Where everything is, in pixels.
pub(super) struct Layout {
    pub places: Vec<Place>,
    pub columns: usize,
    pub column: f64,
    pub left: f64,
    /// Top of the vertices of every layer; the last layer is that of the results.
    pub tops: Vec<f64>,
    /// Height of the space for curves above the texts of every layer.
    pub bends: Vec<f64>,
    pub bottom: f64,
}

/// One arrow.
pub(super) struct Arrow<'a> {
    pub flow: &'a Flow,
    /// The vertex that takes it, and at which part of its width; `None` for the result.
    pub to: Option<(usize, f64)>,
}

impl Layout {
    fn x(&self, place: Place) -> f64 {
        self.left + (place.first + place.last + 1) as f64 / 2.0 * self.column
    }

    fn top(&self, layer: usize) -> f64 {
        self.tops.get(layer).copied().unwrap_or(TOP)
    }

    /// The width of the columns below a place.
    fn room(&self, place: Place) -> f64 {
        (place.last + 1 - place.first) as f64 * self.column - 6.0
    }

    pub(super) fn centred(mut self, width: f64) -> Self {
        self.left = (width - self.columns as f64 * self.column) / 2.0;
        self
    }

    pub(super) fn lowered(mut self, by: f64) -> Self {
        self.tops.iter_mut().for_each(|top| *top += by);
        self.bottom += by;
        self
    }
}

impl Picture<'_> {
    pub(super) fn layout(&self, places: Vec<Place>, columns: usize) -> Layout {
        let layers = places.iter().map(|place| place.layer + 1).max().unwrap_or(0);
        let mut layout = Layout {
            columns,
            column: self.column(),
            left: 0.0,
            tops: Vec::new(),
            bends: Vec::new(),
            places,
            bottom: TOP,
        };
        let mut texts = vec![0.0_f64; layers];
        let mut bends = vec![26.0_f64; layers];
        for arrow in self.arrows() {
            let Some(&from) = layout.places.get(arrow.flow.from) else { continue };
            if let Some(text) = texts.get_mut(from.layer) {
                let lines = self.hop_texts(arrow.flow, layout.room(from).min(HOP_ROOM), MOST_LINES).len();
                *text = text.max(lines as f64 * HOP_LINE);
            }
            let to = arrow.to.and_then(|(to, _)| layout.places.get(to)).copied().unwrap_or(from);
            let end_layer = if arrow.to.is_some() { to.layer } else { layers };
            let across = (layout.x(to) - layout.x(from)).abs();
            if let Some(bend) = end_layer.checked_sub(1).and_then(|below| bends.get_mut(below)) {
                *bend = bend.max((across * 0.1).min(70.0));
            }
        }
        let mut top = TOP;
        layout.tops = vec![TOP; layers + 1];
        for layer in (0..layers).rev() {
            let space = |list: &[f64]| list.get(layer).copied().unwrap_or(0.0);
            top += BOX + space(&texts) + space(&bends);
            if let Some(place) = layout.tops.get_mut(layer) {
                *place = top;
            }
        }
        layout.bottom = top + BOX;
        layout.bends = bends;
        layout
    }

    /// Width of a value's column: its own texts and those of its transfers.
    fn column(&self) -> f64 {
        let vertex = self.assembly.vertices.iter().map(|vertex| {
            let lines = vertex_lines(self.problem.platform(), vertex.part, vertex.kind);
            let width = lines.iter().map(|line| words::width(line, BOX_SIZE)).fold(0.0, f64::max) + 22.0;
            // A merge is at least two columns wide.
            if vertex.inputs.is_empty() { width } else { width / 2.0 }
        });
        let hops = self.arrows().map(|arrow| {
            let value = self.assembly.vertices.get(arrow.flow.from).is_none_or(|vertex| vertex.inputs.is_empty());
            let names = arrow
                .flow
                .links
                .iter()
                .map(|&link| words::width(&words::link_name(self.problem.platform(), link), HOP_SIZE));
            let widest = names.fold(0.0, f64::max) + 14.0;
            if value { widest } else { widest / 2.0 }
        });
        vertex.chain(hops).fold(COLUMN.0, f64::max).min(COLUMN.1)
    }

    pub(super) fn arrows(&self) -> impl Iterator<Item = Arrow<'_>> {
        let inner = self.assembly.vertices.iter().enumerate().flat_map(|(index, vertex)| {
            let ends = [-0.25, 0.25];
            vertex.inputs.iter().zip(ends).map(move |(flow, end)| Arrow { flow, to: Some((index, end)) })
        });
        inner.chain(self.assembly.roots.iter().map(|flow| Arrow { flow, to: None }))
    }

    fn box_width(&self, layout: &Layout, place: Place, lines: &[String]) -> f64 {
        let text = lines.iter().map(|line| words::width(line, BOX_SIZE)).fold(0.0, f64::max).min(BOX_ROOM);
        (text + 14.0).max(44.0).min(layout.room(place) - 2.0)
    }

    pub(super) fn draw_flows(&self, canvas: &mut Canvas, layout: &Layout) {
        for arrow in self.arrows() {
            let Some(&from) = layout.places.get(arrow.flow.from) else { continue };
            let part = self.assembly.part(arrow.flow);
            let end = match arrow.to.and_then(|(to, side)| Some((to, side, *layout.places.get(to)?))) {
                Some((to, side, place)) => {
                    let vertex = self.assembly.vertices.get(to);
                    let lines = vertex.map(|vertex| vertex_lines(self.problem.platform(), vertex.part, vertex.kind));
                    let width = self.box_width(layout, place, &lines.unwrap_or_default());
                    (layout.x(place) + side * width, layout.top(place.layer) + BOX, place.layer)
                }
                None => (layout.x(from), layout.top(layout.tops.len() - 1) + BOX, layout.tops.len() - 1),
            };
            canvas.g().s("class", "flow").start();
            canvas.tooltip(&flow_tooltip(self.problem, part, arrow.flow));
            draw_arrow(canvas, layout, from, end);
            self.draw_hops(canvas, layout, from, arrow.flow);
            canvas.close();
        }
    }

    /// What travels, and the links, from below.
    fn draw_hops(&self, canvas: &mut Canvas, layout: &Layout, from: Place, flow: &Flow) {
        let x = layout.x(from);
        for (index, line) in self.hop_texts(flow, layout.room(from).min(HOP_ROOM), MOST_LINES).iter().enumerate() {
            let base = layout.top(from.layer) - 6.0 - index as f64 * HOP_LINE;
            let width = words::width(line, HOP_SIZE) + 3.0;
            let tag = canvas.tag("rect").n("x", x - width / 2.0).n("y", base - HOP_SIZE).n("width", width);
            tag.n("height", HOP_LINE).s("fill", "#ffffff").n("fill-opacity", 0.88).end();
            canvas.text((x, base), "middle", HOP_SIZE, if index == 0 { INK } else { SOFT_INK }, line);
        }
    }

    /// The lines along an arrow: none where nothing is sent.
    pub(super) fn hop_texts(&self, flow: &Flow, room: f64, most: usize) -> Vec<String> {
        if flow.links.is_empty() {
            return Vec::new();
        }
        let mut lines = vec![words::fit(&words::partial(self.assembly.part(flow)), HOP_SIZE, room)];
        let mut hidden = 0;
        for (index, &link) in flow.links.iter().enumerate() {
            let before = index.checked_sub(1).and_then(|before| flow.links.get(before)).filter(|_| hidden == 0);
            let line = before.and_then(|&before| self.joined(lines.last()?, before, link));
            let is_last = index + 1 == flow.links.len();
            if let Some(longer) = line.filter(|line| words::width(line, HOP_SIZE) <= room) {
                lines.pop();
                lines.push(longer);
            } else if is_last || (hidden == 0 && lines.len() <= most) {
                lines.push(self.hop(link, room));
            } else {
                hidden += 1;
            }
        }
        if hidden > 0 {
            lines.insert(lines.len() - 1, format!("… {hidden} more"));
        }
        lines
    }

    /// The line with a further link, where that begins at the end of the link before.
    pub(super) fn joined(&self, line: &str, before: LinkId, link: LinkId) -> Option<String> {
        let (before, link) =
            (words::link(self.problem.platform(), before)?, words::link(self.problem.platform(), link)?);
        (before.to == link.from).then(|| format!("{line} → {}", words::name(self.problem.platform(), link.to)))
    }

    /// `from → to`, both names shortened where there is too little room.
    pub(super) fn hop(&self, link: LinkId, room: f64) -> String {
        let whole = words::link_name(self.problem.platform(), link);
        let Some(ends) = words::link(self.problem.platform(), link).filter(|_| words::width(&whole, HOP_SIZE) > room)
        else {
            return words::fit(&whole, HOP_SIZE, room);
        };
        let half = (room - words::width(" → ", HOP_SIZE)) / 2.0;
        let short = |node| words::fit_name(&words::name(self.problem.platform(), node), HOP_SIZE, half);
        format!("{} → {}", short(ends.from), short(ends.to))
    }

    pub(super) fn draw_vertices(&self, canvas: &mut Canvas, layout: &Layout) {
        for vertex in self.boxes(&layout.places, layout.tops.len() - 1) {
            let place = vertex.place;
            let width = self.box_width(layout, place, &vertex.lines);
            self.draw_box(canvas, (layout.x(place), layout.top(place.layer)), width, &vertex);
        }
    }

    /// Everything that has a box: vertices, and the results in a layer of their own.
    pub(super) fn boxes(&self, places: &[Place], results: usize) -> Vec<Vertex> {
        let platform = self.problem.platform();
        let vertex = |(vertex, &place): (&crate::reduction::Vertex, &Place)| Vertex {
            place,
            part: vertex.part,
            lines: vertex_lines(platform, vertex.part, vertex.kind).to_vec(),
            class: match vertex.kind {
                Kind::Value(_) => "value",
                Kind::Missing => "missing",
                Kind::Merge { .. } => "merge",
            },
            tooltip: vertex_tooltip(self.problem, vertex.part, vertex.kind),
        };
        let result = |flow: &Flow| {
            let words = result_words(platform, self.assembly, flow);
            Some(Vertex {
                place: Place { layer: results, ..*places.get(flow.from)? },
                part: self.assembly.part(flow),
                lines: words.split('\n').map(str::to_string).collect(),
                class: "result",
                tooltip: format!("the result {}", words.replace('\n', " ")),
            })
        };
        let vertices = self.assembly.vertices.iter().zip(places).map(vertex);
        vertices.chain(self.assembly.roots.iter().filter_map(result)).collect()
    }

    /// Draws a box around `x`, below `y`.
    pub(super) fn draw_box(&self, canvas: &mut Canvas, (x, y): (f64, f64), width: f64, vertex: &Vertex) {
        let colour = Colour::category(self.messages.category(Message { demand: self.demand, part: vertex.part }));
        let (corner, stroke) = match vertex.class {
            "value" | "missing" => (BOX / 2.0, 1.0),
            "merge" => (2.0, 1.0),
            _ => (2.0, 3.0),
        };
        let tag = canvas.tag("rect").s("class", vertex.class).n("x", x - width / 2.0).n("y", y).n("width", width);
        let tag = tag.n("height", BOX).n("rx", corner).s("fill", &colour.hex()).s("stroke", INK);
        tag.n("stroke-width", stroke).titled(&vertex.tooltip);
        for (line, text) in vertex.lines.iter().enumerate() {
            let room = width - 8.0;
            let text = if line == 0 { words::fit(text, BOX_SIZE, room) } else { words::fit_name(text, BOX_SIZE, room) };
            let y = y + 14.0 + 13.5 * line as f64;
            canvas.g().s("pointer-events", "none").start();
            canvas.text((x, y), "middle", BOX_SIZE, colour.text(), &text);
            canvas.close();
        }
    }
}

/// A box to be drawn.
pub(super) struct Vertex {
    pub place: Place,
    pub part: Interval,
    pub lines: Vec<String>,
    pub class: &'static str,
    pub tooltip: String,
}

/// Columns and layers of all vertices, and the number of columns. Values stand in the order of the tree, from the
/// left.
pub(super) fn places(assembly: &Assembly) -> (Vec<Place>, usize) {
    let nowhere = Place { first: 0, last: 0, layer: 0 };
    let mut places = vec![nowhere; assembly.vertices.len()];
    let mut columns = 0;
    let mut roots: Vec<usize> = assembly.roots.iter().map(|flow| flow.from).collect();
    roots.sort_by_key(|&root| Reverse(assembly.vertices.get(root).map(|vertex| vertex.part)));
    while let Some(index) = roots.pop() {
        let Some(vertex) = assembly.vertices.get(index) else { continue };
        roots.extend(vertex.inputs.iter().rev().map(|flow| flow.from));
        if vertex.inputs.is_empty() {
            if let Some(place) = places.get_mut(index) {
                *place = Place { first: columns, last: columns, layer: 0 };
            }
            columns += 1;
        }
    }
    // Inputs come before what is made of them.
    for (index, vertex) in assembly.vertices.iter().enumerate().filter(|(_, vertex)| !vertex.inputs.is_empty()) {
        let inputs = vertex.inputs.iter().filter_map(|flow| places.get(flow.from)).copied();
        let joined = inputs.reduce(|a, b| Place {
            first: a.first.min(b.first),
            last: a.last.max(b.last),
            layer: a.layer.max(b.layer),
        });
        if let (Some(place), Some(joined)) = (places.get_mut(index), joined) {
            *place = Place { layer: joined.layer + 1, ..joined };
        }
    }
    (places, columns)
}

/// A line straight up from a vertex, then a curve into the next.
fn draw_arrow(canvas: &mut Canvas, layout: &Layout, from: Place, (x, y, layer): (f64, f64, usize)) {
    let start = (layout.x(from), layout.top(from.layer));
    let bend = layer.checked_sub(1).and_then(|below| layout.bends.get(below)).copied().unwrap_or(0.0);
    let (low, tip) = (y + bend, y + ARROW);
    let middle = (low + tip) / 2.0;
    let point = |x: f64, y: f64| format!("{} {}", number(x), number(y));
    let path = format!(
        "M{}L{}C{} {} {}",
        point(start.0, start.1),
        point(start.0, low),
        point(start.0, middle),
        point(x, middle),
        point(x, tip)
    );
    let tag = canvas.tag("path").s("d", &path).s("fill", "none").s("stroke", "#666666");
    tag.n("stroke-width", 1.4).end();
    let head = format!("M{}L{}L{}Z", point(x, y + 0.5), point(x - 3.2, tip), point(x + 3.2, tip));
    canvas.tag("path").s("d", &head).s("fill", "#666666").end();
}
