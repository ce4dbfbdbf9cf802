//! One scheme: a column per node, a row per stage, time from top to bottom.

use std::collections::BTreeMap;

use oneport_plan::{Message, Pattern, Problem};
use oneport_platform::{NodeId, Rational};

use super::colour::Colour;
use super::page::{Head, MARGIN, Notes};
use super::xml::{Canvas, GRID, INK, number};
use crate::reduction::Kind;
use crate::scheme::{Diagram, Vertex, diagram, title};
use crate::words::{self, Messages};

const TOP: f64 = 66.0;
/// Height of the columns' names.
const HEAD: f64 = 24.0;
const BOX: f64 = 22.0;
const TEXT: f64 = 10.5;
/// Width of a column.
const COLUMN: (f64, f64) = (58.0, 110.0);
/// Space between the boxes of a cell, and between rows.
const GAP: f64 = 5.0;
const SPACE: f64 = 30.0;
const ARROW: f64 = 6.0;
/// Between a box and an arrow that passes it: boxes of two columns are twice as far apart.
const CLEAR: f64 = 2.0;
/// Most vertices side by side in one cell.
const ABREAST: usize = 6;

/// Draws a scheme. Every node in use has a column, every stage a row: the values at their owners at the top, what
/// travels and what is made of it below, up to what is wanted in a bold frame at the bottom. Merges are boxes
/// `T[k,l,m]`, arrivals round ones.
pub(super) fn draw(problem: Problem<'_>, scheme: &Pattern, weight: Option<&Rational>) -> String {
    let platform = problem.platform();
    let diagram = diagram(problem, scheme);
    let [title, subtitle] = title(problem, scheme, weight);
    let layout = layout(problem, scheme, &diagram);
    let width = layout.width.max(Head::width(&title, &subtitle)) + 2.0 * MARGIN + 1.0;
    let left = (width - layout.width) / 2.0;
    let notes = [
        "a column is a node, time goes down; v[k,m]: partial result of the values k to m, round where it arrives",
        "T[k,l,m] makes v[k,m] of v[k,l] and v[l+1,m]; bold: wanted there",
    ];
    let (head, notes) = (Head::new(&title, &subtitle, width), Notes::new(&notes, width));
    let layout = layout.lowered(head.extra);
    let top = TOP + head.extra;
    let mut canvas = Canvas::new(width, layout.bottom + 14.0 + notes.height, &format!("{title}; {subtitle}"));
    head.draw(&mut canvas);
    for &(node, centre, room) in &layout.columns {
        let x = left + centre;
        canvas.line((x, top + HEAD - 4.0), (x, layout.bottom - 6.0), GRID, 0.6);
        let name = node.map_or_else(|| "nowhere".to_string(), |node| words::name(platform, node));
        canvas.g().s("font-weight", "bold").start();
        canvas.tooltip(&name);
        let shown = words::fit_name(&name, TEXT * 1.08, room - 6.0);
        canvas.text((x, top + 12.0), "middle", TEXT, INK, &shown);
        canvas.close();
    }
    draw_edges(&mut canvas, problem, &diagram, &layout, left);
    let messages = Messages::new(problem);
    for (vertex, &(x, y)) in diagram.vertices.iter().zip(&layout.places) {
        let x = left + x;
        let colour = Colour::category(messages.category(Message { demand: scheme.demand, part: vertex.part }));
        let (class, corner) = match vertex.kind {
            Kind::Merge { .. } => ("merge", 2.0),
            _ if vertex.link.is_some() => ("arrival", BOX / 2.0),
            _ => ("value", BOX / 2.0),
        };
        let width = layout.box_width(vertex);
        let tag = canvas.tag("rect").s("class", class).n("x", x - width / 2.0).n("y", y).n("width", width);
        let tag = tag.n("height", BOX).n("rx", corner).s("fill", &colour.hex()).s("stroke", INK);
        let tag = tag.n("stroke-width", if vertex.wanted { 3.0 } else { 1.0 });
        tag.titled(&vertex.tooltip(problem));
        canvas.g().s("pointer-events", "none").start();
        let text = words::fit(&vertex.label(), TEXT, width - 4.0);
        canvas.text((x, y + BOX / 2.0 + TEXT * 0.36), "middle", TEXT, colour.text(), &text);
        canvas.close();
    }
    notes.draw(&mut canvas, layout.bottom + 6.0);
    canvas.finish()
}

/// Where everything is, in pixels from the left end of the columns.
struct Layout {
    /// The node, the centre and the width of every column; no node for what is nowhere.
    columns: Vec<(Option<NodeId>, f64, f64)>,
    width: f64,
    /// Width of a vertex with the space around it.
    cell: f64,
    /// Centre and top of every vertex.
    places: Vec<(f64, f64)>,
    bottom: f64,
}

impl Layout {
    fn box_width(&self, vertex: &Vertex) -> f64 {
        (words::width(&vertex.label(), TEXT) + 12.0).clamp(34.0, self.cell - 4.0)
    }

    fn lowered(mut self, by: f64) -> Layout {
        self.places.iter_mut().for_each(|place| place.1 += by);
        self.bottom += by;
        self
    }
}

/// Vertices of the same node and row stand side by side, up to [`ABREAST`], then below one another.
fn layout(problem: Problem<'_>, scheme: &Pattern, diagram: &Diagram) -> Layout {
    let platform = problem.platform();
    let nodes = columns(problem, scheme, diagram);
    let number: BTreeMap<Option<NodeId>, usize> =
        nodes.iter().enumerate().map(|(place, &node)| (node, place)).collect();
    let mut cells: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut ranks = Vec::with_capacity(diagram.vertices.len());
    for vertex in &diagram.vertices {
        let key = (vertex.row, number.get(&vertex.kind.node()).copied().unwrap_or(0));
        let count = cells.entry(key).or_insert(0);
        ranks.push((key, *count));
        *count += 1;
    }
    let mut high = vec![1_usize; diagram.rows];
    let mut wide = vec![1_usize; nodes.len()];
    for (&(row, column), &count) in &cells {
        if let (Some(high), Some(wide)) = (high.get_mut(row), wide.get_mut(column)) {
            *high = count.div_ceil(ABREAST).max(*high);
            *wide = count.min(ABREAST).max(*wide);
        }
    }
    let names = nodes.iter().flatten().map(|&node| words::width(&words::name(platform, node), TEXT * 1.08) + 10.0);
    let labels = diagram.vertices.iter().map(|vertex| words::width(&vertex.label(), TEXT) + 20.0);
    let cell = names.chain(labels).fold(COLUMN.0, f64::max).min(COLUMN.1);
    let mut width = 0.0;
    let mut columns = Vec::new();
    for (&node, &wide) in nodes.iter().zip(&wide) {
        let room = wide as f64 * cell;
        columns.push((node, width + room / 2.0, room));
        width += room;
    }
    let mut top = TOP + HEAD;
    let mut tops = Vec::new();
    for high in &high {
        tops.push(top);
        top += *high as f64 * (BOX + GAP) - GAP + SPACE;
    }
    let place = |&((row, column), rank): &((usize, usize), usize)| {
        let abreast = cells.get(&(row, column)).map_or(1, |&count| count.min(ABREAST));
        let aside = (rank % ABREAST) as f64 - (abreast - 1) as f64 / 2.0;
        let centre = columns.get(column).map_or(0.0, |&(_, centre, _)| centre);
        let top = tops.get(row).copied().unwrap_or(TOP);
        (centre + aside * cell, top + (rank / ABREAST) as f64 * (BOX + GAP))
    };
    let places = ranks.iter().map(place).collect();
    Layout { columns, width, cell, places, bottom: top - SPACE + 16.0 }
}

/// The nodes in use: participants in operand order, every other node near those it talks to.
fn columns(problem: Problem<'_>, scheme: &Pattern, diagram: &Diagram) -> Vec<Option<NodeId>> {
    let (platform, collective) = (problem.platform(), problem.collective());
    let demand = collective.demand(scheme.demand);
    let operands = demand.as_ref().map(|demand| demand.operands).unwrap_or_default();
    let own = |place: &usize| operands.get(*place).copied();
    let order: Vec<NodeId> = match &scheme.order {
        Some(order) => order.iter().filter_map(own).collect(),
        None => operands.to_vec(),
    };
    let fixed: BTreeMap<NodeId, f64> = order.iter().enumerate().map(|(place, &node)| (node, place as f64)).collect();
    let mut places: BTreeMap<Option<NodeId>, f64> = BTreeMap::new();
    let mut talks: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    let middle = order.len() as f64 / 2.0;
    for vertex in &diagram.vertices {
        let node = vertex.kind.node();
        places.insert(node, node.and_then(|node| fixed.get(&node)).copied().unwrap_or(middle));
        if let Some(link) = vertex.link.and_then(|link| words::link(platform, link)) {
            talks.entry(link.from).or_default().push(link.to);
            talks.entry(link.to).or_default().push(link.from);
        }
    }
    for _ in 0..4 {
        for (node, others) in talks.iter().filter(|(node, _)| !fixed.contains_key(node)) {
            let known: Vec<f64> = others.iter().filter_map(|other| places.get(&Some(*other))).copied().collect();
            let mean = known.iter().sum::<f64>() / known.len().max(1) as f64;
            places.insert(Some(*node), mean);
        }
    }
    let mut columns: Vec<(f64, Option<NodeId>)> = places.into_iter().map(|(node, place)| (place, node)).collect();
    columns.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    columns.into_iter().map(|(_, node)| node).collect()
}

/// What arrows have to go around, from the left end of the columns.
struct Obstacles {
    /// Left and right end, and top, of every box.
    boxes: Vec<[f64; 3]>,
    /// Where columns meet: no box is there.
    between: Vec<f64>,
}

impl Obstacles {
    fn new(diagram: &Diagram, layout: &Layout) -> Self {
        let ends = |(vertex, &(x, top)): (&Vertex, &(f64, f64))| {
            let half = layout.box_width(vertex) / 2.0;
            [x - half, x + half, top]
        };
        let sides = layout.columns.iter().flat_map(|&(_, centre, room)| [centre - room / 2.0, centre + room / 2.0]);
        Obstacles { boxes: diagram.vertices.iter().zip(&layout.places).map(ends).collect(), between: sides.collect() }
    }

    /// Where an arrow from one point down to another passes the boxes between them, and the heights above and below
    /// which no box is; `None` where there is nothing between.
    fn passage(&self, from: (f64, f64), to: (f64, f64)) -> Option<(f64, f64, f64)> {
        let between: Vec<&[f64; 3]> =
            self.boxes.iter().filter(|[_, _, top]| *top >= from.1 && top + BOX <= to.1).collect();
        let first = between.iter().map(|[_, _, top]| *top).min_by(f64::total_cmp)?;
        let last = between.iter().map(|[_, _, top]| top + BOX).max_by(f64::total_cmp)?;
        let is_free = |x: &f64| between.iter().all(|[left, right, _]| *x <= left - CLEAR || *x >= right + CLEAR);
        let beside = between.iter().flat_map(|[left, right, _]| [left - CLEAR, right + CLEAR]);
        let all = [from.0, to.0].into_iter().chain(beside).chain(self.between.iter().copied());
        let detour = |x: &f64| (x - from.0).abs() + (x - to.0).abs();
        let best = all.filter(is_free).min_by(|one, other| detour(one).total_cmp(&detour(other)))?;
        Some((best, first, last))
    }
}

/// Arrows from every vertex to those that use it, around all other boxes.
fn draw_edges(canvas: &mut Canvas, problem: Problem<'_>, diagram: &Diagram, layout: &Layout, left: f64) {
    let obstacles = Obstacles::new(diagram, layout);
    let point = |x: f64, y: f64| format!("{} {}", number(left + x), number(y));
    for (vertex, &(x, top)) in diagram.vertices.iter().zip(&layout.places) {
        for (side, &input) in vertex.inputs.iter().enumerate() {
            let Some(&(from, y)) = layout.places.get(input) else { continue };
            let shift = if vertex.inputs.len() < 2 { 0.0 } else { side as f64 * 16.0 - 8.0 };
            let (start, end) = ((from, y + BOX), (x + shift, top));
            let sent = vertex.link.is_some();
            let colour = if sent { "#003a66" } else { "#8a8a8a" };
            let tip = end.1 - ARROW;
            let s_curve = |from: (f64, f64), to: (f64, f64)| {
                let bend = (SPACE * 0.8).min((to.1 - from.1) / 2.0);
                format!("C{} {} {}", point(from.0, from.1 + bend), point(to.0, to.1 - bend), point(to.0, to.1))
            };
            let path = match obstacles.passage(start, end) {
                None => s_curve(start, (end.0, tip)),
                Some((x, first, last)) => {
                    // Boxes one below the other in a cell leave less room than a tip takes.
                    let end = (end.0, tip.max(last + GAP / 2.0));
                    format!("{}L{}{}", s_curve(start, (x, first)), point(x, last), s_curve((x, last), end))
                }
            };
            canvas.g().s("class", if sent { "sent" } else { "used" }).start();
            canvas.tooltip(&vertex.tooltip(problem));
            let path = format!("M{}{path}", point(start.0, start.1));
            let tag = canvas.tag("path").s("d", &path).s("fill", "none").s("stroke", colour);
            let tag = tag.n("stroke-width", if sent { 1.8 } else { 1.2 });
            if sent {
                tag.end()
            } else {
                tag.s("stroke-dasharray", "3 2").end()
            }
            let head = format!("M{}L{}L{}Z", point(end.0, end.1), point(end.0 - 3.0, tip), point(end.0 + 3.0, tip));
            canvas.tag("path").s("d", &head).s("fill", colour).end();
            canvas.close();
        }
    }
}
