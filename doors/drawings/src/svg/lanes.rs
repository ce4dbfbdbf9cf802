//! One scheme: a column per node, a row per stage, time from top to bottom.

use std::collections::BTreeMap;

use oneport_plan::{Pattern, Problem};
use oneport_platform::NodeId;

use super::layered::Mark;
use super::page::{Head, MARGIN, Notes};
use super::xml::{Canvas, GRID, INK, point, polygon};
use crate::diagram::Diagram;
use crate::words;

const TOP: f64 = 66.0;
/// Height of the columns' names.
const HEAD: f64 = 24.0;
const BOX: f64 = 24.0;
const TEXT: f64 = 11.0;
/// Width of a column.
const COLUMN: (f64, f64) = (58.0, 110.0);
/// Space between the boxes of a cell, and between rows.
const GAP: f64 = 5.0;
const SPACE: f64 = 30.0;
const ARROW: f64 = 6.0;
/// Limit on the vertices side by side in one cell.
const ABREAST: usize = 6;
const SENT: &str = "#003a66";
const USED: &str = "#8a8a8a";

/// Draws a scheme. Every node in use has a column, every stage a row: the values at their owners at the top, the
/// transfers and their results below, and the goals in a bold frame at the bottom. Merges are boxes `T[k,l,m]`,
/// arrivals round ones.
pub(super) fn draw(
    problem: &Problem,
    scheme: &Pattern,
    diagram: &Diagram,
    marks: Vec<Mark>,
) -> String {
    let platform = problem.platform();
    let layout = layout(problem, scheme, diagram);
    let width = layout
        .width
        .max(Head::width(&diagram.title, &diagram.subtitle))
        + 2.0 * MARGIN
        + 1.0;
    let left = (width - layout.width) / 2.0;
    let notes = [
        "a column is a node, time goes down; v[k,m]: partial result of the values k to m, round where it arrives",
        "T[k,l,m] makes v[k,m] of v[k,l] and v[l+1,m]; bold: wanted there",
    ];
    let (head, notes) = (
        Head::new(&diagram.title, &diagram.subtitle, width),
        Notes::new(&notes, width),
    );
    let layout = layout.moved(left, head.extra);
    let top = TOP + head.extra;
    let mut canvas = head.page(layout.bottom + 14.0 + notes.height);
    for lane in &layout.lanes {
        canvas.line(
            (lane.centre, top + HEAD - 4.0),
            (lane.centre, layout.bottom - 6.0),
            GRID,
            0.6,
        );
        let name = lane
            .node
            .map_or_else(|| "nowhere".to_string(), |node| words::name(platform, node));
        canvas.g().s("font-weight", "bold").start();
        canvas.tooltip(&name);
        let shown = words::fit_name(&name, TEXT * 1.08, lane.width - 6.0);
        canvas.text((lane.centre, top + 12.0), "middle", TEXT, INK, &shown);
        canvas.close();
    }
    draw_edges(&mut canvas, diagram, &layout);
    for (mark, position) in marks.iter().zip(&layout.positions) {
        let text = words::widest(&mark.lines, TEXT);
        let wide = (text + 12.0).clamp(34.0, layout.cell - 4.0) / 2.0;
        mark.draw(
            &mut canvas,
            (position.x, position.top + BOX / 2.0),
            (wide, BOX / 2.0),
        );
    }
    notes.draw(&mut canvas, layout.bottom + 6.0);
    canvas.finish()
}

/// The column of a node. It has no node for inputs that no task makes.
struct Lane {
    node: Option<NodeId>,
    centre: f64,
    width: f64,
}

/// Position of a vertex.
struct Position {
    lane: usize,
    row: usize,
    /// Centre.
    x: f64,
    top: f64,
}

/// Positions in pixels.
struct Layout {
    lanes: Vec<Lane>,
    width: f64,
    /// Width of a vertex with the space around it.
    cell: f64,
    positions: Vec<Position>,
    /// Per row, its top and its bottom.
    rows: Vec<(f64, f64)>,
    bottom: f64,
}

impl Layout {
    fn moved(mut self, right: f64, down: f64) -> Layout {
        for lane in self.lanes.iter_mut() {
            lane.centre += right;
        }
        for position in &mut self.positions {
            position.x += right;
            position.top += down;
        }
        for row in self.rows.iter_mut() {
            *row = (row.0 + down, row.1 + down);
        }
        self.bottom += down;
        self
    }
}

/// Vertices of the same node and row are side by side, up to [`ABREAST`], then below one another.
fn layout(problem: &Problem, scheme: &Pattern, diagram: &Diagram) -> Layout {
    let platform = problem.platform();
    let nodes = columns(problem, scheme, diagram);
    let lane_of: BTreeMap<Option<NodeId>, usize> = nodes
        .iter()
        .enumerate()
        .map(|(index, &node)| (node, index))
        .collect();
    let mut cells: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut ranks = Vec::with_capacity(diagram.vertices.len());
    for vertex in &diagram.vertices {
        let key = (vertex.row, lane_of.get(&vertex.node).copied().unwrap_or(0));
        let count = cells.entry(key).or_insert(0);
        ranks.push((key, *count));
        *count += 1;
    }
    let rows = diagram.vertices.iter().map(|vertex| vertex.row + 1).max();
    let mut high = vec![1_usize; rows.unwrap_or(0)];
    let mut wide = vec![1_usize; nodes.len()];
    for (&(row, lane), &count) in &cells {
        high[row] = count.div_ceil(ABREAST).max(high[row]);
        wide[lane] = count.min(ABREAST).max(wide[lane]);
    }
    let names = nodes
        .iter()
        .flatten()
        .map(|&node| words::name(platform, node));
    let labels = diagram.vertices.iter().map(|vertex| vertex.lines.concat());
    let (names, labels) = (
        words::widest(names, TEXT * 1.08) + 10.0,
        words::widest(labels, TEXT) + 20.0,
    );
    let cell = names.max(labels).clamp(COLUMN.0, COLUMN.1);
    let mut width = 0.0;
    let mut lanes = Vec::new();
    for (&node, &wide) in nodes.iter().zip(&wide) {
        let room = wide as f64 * cell;
        lanes.push(Lane {
            node,
            centre: width + room / 2.0,
            width: room,
        });
        width += room;
    }
    let mut top = TOP + HEAD;
    let mut rows = Vec::new();
    for high in &high {
        let height = *high as f64 * (BOX + GAP) - GAP;
        rows.push((top, top + height));
        top += height + SPACE;
    }
    let position = |&((row, lane), rank): &((usize, usize), usize)| {
        let abreast = cells
            .get(&(row, lane))
            .map_or(1, |&count| count.min(ABREAST));
        let aside = (rank % ABREAST) as f64 - (abreast - 1) as f64 / 2.0;
        let top = rows[row].0 + (rank / ABREAST) as f64 * (BOX + GAP);
        Position {
            lane,
            row,
            x: lanes.get(lane).map_or(0.0, |lane| lane.centre) + aside * cell,
            top,
        }
    };
    let positions = ranks.iter().map(position).collect();
    Layout {
        lanes,
        width,
        cell,
        positions,
        rows,
        bottom: top - SPACE + 16.0,
    }
}

/// The nodes in use: participants in operand order, every other node near its communication partners.
fn columns(problem: &Problem, scheme: &Pattern, diagram: &Diagram) -> Vec<Option<NodeId>> {
    let (platform, collective) = (problem.platform(), problem.collective());
    let demand = collective.demand(scheme.demand);
    let operands = demand
        .as_ref()
        .map(|demand| demand.operands)
        .unwrap_or_default();
    let operand_at = |index: &usize| operands.get(*index).copied();
    let order: Vec<NodeId> = match &scheme.order {
        Some(order) => order.iter().filter_map(operand_at).collect(),
        None => operands.to_vec(),
    };
    let fixed: BTreeMap<NodeId, f64> = order
        .iter()
        .enumerate()
        .map(|(index, &node)| (node, index as f64))
        .collect();
    let mut means: BTreeMap<Option<NodeId>, f64> = BTreeMap::new();
    let mut talks: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    let middle = order.len() as f64 / 2.0;
    for node in diagram.vertices.iter().map(|vertex| vertex.node) {
        let index = node.and_then(|node| fixed.get(&node));
        means.insert(node, index.copied().unwrap_or(middle));
    }
    for link in diagram
        .edges
        .iter()
        .flat_map(|edge| &edge.links)
        .filter_map(|&link| words::link(platform, link))
    {
        talks.entry(link.from).or_default().push(link.to);
        talks.entry(link.to).or_default().push(link.from);
    }
    for _ in 0..4 {
        for (node, others) in talks.iter().filter(|(node, _)| !fixed.contains_key(node)) {
            let known: Vec<f64> = others
                .iter()
                .filter_map(|other| means.get(&Some(*other)))
                .copied()
                .collect();
            let mean = known.iter().sum::<f64>() / known.len().max(1) as f64;
            means.insert(Some(*node), mean);
        }
    }
    let mut columns: Vec<(f64, Option<NodeId>)> = means
        .into_iter()
        .map(|(node, index)| (index, node))
        .collect();
    columns.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    columns.into_iter().map(|(_, node)| node).collect()
}

/// Arrows from every vertex to the vertices that use it. If a result waits for several rows, its arrow goes down next
/// to the boxes, at the side of the lane that uses it.
fn draw_edges(canvas: &mut Canvas, diagram: &Diagram, layout: &Layout) {
    let mut before = None;
    for edge in &diagram.edges {
        let (from, to) = (&layout.positions[edge.from], &layout.positions[edge.to]);
        let sent = !edge.links.is_empty();
        let shift = if sent {
            0.0
        } else {
            if before == Some(edge.to) { 8.0 } else { -8.0 }
        };
        before = Some(edge.to);
        let colour = if sent { SENT } else { USED };
        let (start, end) = ((from.x, from.top + BOX), (to.x + shift, to.top));
        let tip = end.1 - ARROW;
        let curve = |from: (f64, f64), to: (f64, f64)| {
            let middle = (from.1 + to.1) / 2.0;
            let (first, second) = (point((from.0, middle)), point((to.0, middle)));
            format!("C{first} {second} {}", point(to))
        };
        let mut path = format!("M{}", point(start));
        let leaving = (start.0, layout.rows[from.row].1);
        if leaving.1 > start.1 {
            path += &format!("L{}", point(leaving));
        }
        let entering = (end.0, layout.rows[to.row].0 - ARROW);
        if to.row > from.row + 1 {
            let lane = &layout.lanes[to.lane];
            let side = if shift > 0.0 || (sent && start.0 > lane.centre) {
                0.5
            } else {
                -0.5
            };
            let x = lane.centre + side * (lane.width - 1.0);
            let (upper, lower) = (
                layout.rows[from.row].1 + SPACE,
                layout.rows[to.row].0 - SPACE,
            );
            path += &curve(leaving, (x, upper));
            path += &format!("L{}", point((x, lower)));
            path += &curve((x, lower), entering);
        } else {
            path += &curve(leaving, entering);
        }
        if tip > entering.1 {
            path += &format!("L{}", point((end.0, tip)));
        }
        canvas
            .g()
            .s("class", if sent { "sent" } else { "used" })
            .start();
        canvas.tooltip(&diagram.vertices[edge.to].tooltip);
        let (width, dashes) = if sent { (1.8, "") } else { (1.2, "3 2") };
        let line = canvas.path("", &path).fill("none");
        line.stroke(colour, width).dashes(dashes).end();
        let head = polygon(&[end, (end.0 - 3.0, tip), (end.0 + 3.0, tip)]);
        canvas.path("", &head).fill(colour).end();
        canvas.close();
    }
}
