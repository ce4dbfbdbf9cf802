//! Patterns: copies from the source down, trees from the values up, schemes in lanes.

use std::collections::BTreeSet;

use oneport_plan::{Pattern, Problem};
use oneport_platform::{LinkId, Platform, Rational};

use super::colour::Colour;
use super::lanes;
use super::layered::{self, Edge, Mark, Picture, SMALL, Shape};
use super::legend::{self, Entry};
use super::xml::INK;
use crate::diagram::{self, Diagram, Role, Style, Vertex, diagram, drawn_as};
use crate::quantities;
use crate::words::{self, Messages};

const SOURCE: &str = "#d55e00";
const TARGET: &str = "#56b4e9";
const RELAY: &str = "#e4e4e4";
const ROUTER: &str = "#555555";
const COPY: &str = "#0072b2";
const FLOW: &str = "#666666";

/// Draws a pattern. A path or an arborescence has its source at the top (at the left where it is wide): targets are
/// coloured, routers small squares, switches hollow diamonds. Arrows are the wider the longer their link is busy. A
/// reduction tree is drawn by [`tree()`]. An all-reduce or a scan has a column for every node and goes on from row to
/// row, the reduction part of an all-reduce above, the broadcast part below. `weight` is how often the pattern is
/// executed per unit of time.
///
/// Tasks that do not fit together are drawn as far as they go. `O(t log t)` for `t` tasks.
pub fn pattern(problem: &Problem, pattern: &Pattern, weight: Option<&Rational>) -> String {
    draw(problem, pattern, &diagram(problem, pattern, weight))
}

/// Draws a reduction tree as RR-4872 figures 5, 7, 11 and 12 have it: values `v0, v1, ...` at their owners, merges
/// `T[k,l,m] @ P`, transfers as arrows with what travels and the links, read from below; the result at the target.
/// Trees of more than 16 values go from left to right. Vertices have the colour of the partial result they make, the
/// same as in [`gantt`](super::gantt); every element has a tooltip with sizes and times. `weight` is how often the
/// tree is executed per unit of time.
///
/// Tasks that do not fit together are drawn as far as they go. `O(t log t)` for `t` tasks.
pub fn tree(problem: &Problem, tree: &Pattern, weight: Option<&Rational>) -> String {
    draw(problem, tree, &drawn_as(Style::Tree, problem, tree, weight))
}

fn draw(problem: &Problem, pattern: &Pattern, diagram: &Diagram) -> String {
    let messages = Messages::new(problem.platform(), problem.collective());
    let top = diagram::depth(&diagram.vertices);
    let layer = |vertex: &Vertex| {
        if diagram.style == Style::Copies {
            vertex.row
        } else {
            top - vertex.row
        }
    };
    let mark = |vertex: &Vertex| {
        let colour = messages.category(pattern.message(vertex.part));
        mark(vertex, Colour::category(colour), layer(vertex))
    };
    let marks = diagram.vertices.iter().map(mark).collect();
    let notes: &[&str] = match diagram.style {
        Style::Copies => &[],
        Style::Tree => &[
            "v[k,m]: partial result of the values k to m; T[k,l,m] makes it of v[k,l] and v[l+1,m]",
            "along an arrow, from the values on: what travels, and the links it takes",
        ],
        Style::Scheme => return lanes::draw(problem, pattern, diagram, marks),
    };
    let picture = Picture {
        title: &diagram.title,
        subtitle: &diagram.subtitle,
        marks,
        edges: edges(problem, diagram),
        upwards: diagram.style == Style::Tree,
        notes: notes.iter().map(|note| note.to_string()).collect(),
        legend: if diagram.style == Style::Copies {
            legend_entries(diagram)
        } else {
            Vec::new()
        },
    };
    layered::draw(&picture)
}

fn mark(vertex: &Vertex, colour: Colour, layer: usize) -> Mark {
    let of_part = (colour.hex(), colour.text());
    let (class, shape, (fill, ink), frame) = match vertex.role {
        Role::Source => ("source", Shape::Box(4.0), (SOURCE.to_string(), INK), 3.0),
        Role::Target => ("target", Shape::Box(4.0), (TARGET.to_string(), INK), 1.8),
        Role::Relay => ("relay", Shape::Box(4.0), (RELAY.to_string(), INK), 1.0),
        Role::Router => ("router", Shape::Square, (ROUTER.to_string(), INK), 0.0),
        Role::Switch => ("switch", Shape::Diamond, ("#ffffff".to_string(), INK), 2.0),
        Role::Value | Role::Missing | Role::Arrival => {
            (vertex.role.name(), Shape::Box(12.0), of_part, 1.0)
        }
        Role::Merge | Role::Result => (vertex.role.name(), Shape::Box(2.0), of_part, 1.0),
    };
    let is_small = matches!(shape, Shape::Square | Shape::Diamond);
    Mark {
        class,
        shape,
        lines: if is_small {
            Vec::new()
        } else {
            vertex.lines.clone()
        },
        beside: if is_small {
            vertex.lines.concat()
        } else {
            String::new()
        },
        fill,
        ink,
        frame: if vertex.wanted { 3.0 } else { frame },
        tooltip: vertex.tooltip.clone(),
        layer,
    }
}

fn edges<'a>(problem: &'a Problem, diagram: &'a Diagram) -> Vec<Edge<'a>> {
    let platform = problem.platform();
    let longest = diagram.longest();
    let mut before = None;
    let mut edges = Vec::with_capacity(diagram.edges.len());
    for edge in &diagram.edges {
        if diagram.style == Style::Copies {
            let (time, to) = (
                quantities::terse_time(platform, &edge.time),
                &diagram.vertices[edge.to],
            );
            edges.push(Edge {
                lower: edge.to,
                upper: edge.from,
                side: 0.0,
                class: "hop",
                colour: COPY,
                width: 1.2 + 4.3 * words::share(&edge.time, &longest),
                has_head: true,
                tooltip: to.tooltip.clone(),
                wish: words::width(&time, SMALL),
                texts: Box::new(move |_, _| vec![time.clone()]),
            });
            continue;
        }
        let side = match diagram.vertices[edge.to].role {
            Role::Merge => {
                if before == Some(edge.to) {
                    0.25
                } else {
                    -0.25
                }
            }
            _ => 0.0,
        };
        before = Some(edge.to);
        let names = edge
            .links
            .iter()
            .map(|&link| words::width(&words::link_name(platform, link), SMALL));
        edges.push(Edge {
            lower: edge.from,
            upper: edge.to,
            side,
            class: "flow",
            colour: FLOW,
            width: 1.4,
            has_head: true,
            tooltip: edge.tooltip.clone(),
            wish: names.fold(0.0, f64::max),
            texts: Box::new(move |room, most| flow_texts(platform, edge, room, most)),
        });
    }
    edges
}

/// The lines along a flow: none for flow 0. Links that follow one another share a line while there is room.
fn flow_texts(platform: &Platform, flow: &diagram::Edge, room: f64, most: usize) -> Vec<String> {
    if flow.links.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![words::fit(&words::partial(flow.part), SMALL, room)];
    let mut hidden = 0;
    for (index, &link) in flow.links.iter().enumerate() {
        let before = index
            .checked_sub(1)
            .and_then(|before| flow.links.get(before))
            .filter(|_| hidden == 0);
        let line = before.and_then(|&before| joined(platform, lines.last()?, before, link));
        if let Some(longer) = line.filter(|line| words::width(line, SMALL) <= room) {
            lines.pop();
            lines.push(longer);
        } else if index + 1 == flow.links.len() || (hidden == 0 && lines.len() <= most) {
            lines.push(hop(platform, link, room));
        } else {
            hidden += 1;
        }
    }
    if hidden > 0 {
        lines.insert(lines.len() - 1, format!("… {hidden} more"));
    }
    lines
}

/// The line with a further link, if that begins at the end of the link before.
fn joined(platform: &Platform, line: &str, before: LinkId, link: LinkId) -> Option<String> {
    let (before, link) = (words::link(platform, before)?, words::link(platform, link)?);
    (before.to == link.from).then(|| format!("{line} → {}", words::name(platform, link.to)))
}

/// `from → to`, both names shortened if there is too little room.
fn hop(platform: &Platform, link: LinkId, room: f64) -> String {
    let whole = words::link_name(platform, link);
    let Some(ends) = words::link(platform, link).filter(|_| words::width(&whole, SMALL) > room)
    else {
        return words::fit(&whole, SMALL, room);
    };
    let half = (room - words::width(" → ", SMALL)) / 2.0;
    let short = |node| words::fit_name(&words::name(platform, node), SMALL, half);
    format!("{} → {}", short(ends.from), short(ends.to))
}

fn legend_entries(diagram: &Diagram) -> Vec<Entry> {
    let roles: BTreeSet<Role> = diagram.vertices.iter().map(|vertex| vertex.role).collect();
    let entry = |role: Role| match role {
        Role::Source => Entry::swatch(SOURCE, role.name()),
        Role::Target => Entry::swatch(TARGET, role.name()),
        Role::Router => Entry::new(legend::Mark::Square(ROUTER), role.name()),
        Role::Switch => Entry::new(legend::Mark::Diamond("#ffffff"), role.name()),
        _ => Entry::swatch(RELAY, role.name()),
    };
    let copy = Entry::line(COPY, 4.0, "", "a copy sent, with the time it takes");
    roles.into_iter().map(entry).chain([copy]).collect()
}
