//! Drawings as Graphviz text, for the program `dot`.

use std::fmt::Write as _;

use num_traits::Zero;
use oneport_plan::{Interval, Pattern, Problem, Reduction, Window};
use oneport_platform::{Platform, Rational, whole};

use crate::diagram::{Diagram, Role, Style, Vertex, diagram, drawn_as};
use crate::{quantities, words};

/// A reduction tree (RR-4872 figures 5 and 7), the values at the bottom in operand order, the result at the top: merges
/// are boxes `T[k,l,m] @ P`, transfers are edges with their part and the links in order. The edges' tooltips give sizes
/// and times.
///
/// The content equals that of [`svg::tree`](crate::svg::tree()). `O(t log t)` for `t` tasks.
pub fn tree(problem: &Problem, tree: &Pattern, weight: Option<&Rational>) -> String {
    draw(
        problem.platform(),
        &drawn_as(Style::Tree, problem, tree, weight),
    )
}

/// The tree of a reduction for Graphviz: processors with the date their transfer starts, the root at the top. O(n).
pub fn single_tree(reduction: &Reduction) -> String {
    let mut out = String::from(
        "digraph reduction {\n  rankdir=BT;\n  node [fontname=\"Arial\", shape=circle];\n",
    );
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "  labelloc=t;\n  label=\"length {}\";",
        reduction.length
    );
    for (processor, &receiver) in reduction.receivers.iter().enumerate() {
        if processor == reduction.root as usize {
            let _ = writeln!(out, "  {processor} [peripheries=2];");
        } else {
            let start = reduction
                .starts
                .get(processor)
                .unwrap_or_else(Rational::zero);
            let _ = writeln!(out, "  {processor} -> {receiver} [label=\"{start}\"];");
        }
    }
    out.push_str("}\n");
    out
}

/// The transmission windows of a reduction for Graphviz: times in the nodes, sender and receiver next to them, the
/// destination's last reception at the top. O(n).
pub fn windows(windows: &[Window]) -> String {
    let mut out = String::from("digraph windows {\n  node [fontname=\"Arial\", shape=circle];\n");
    for (index, window) in windows.iter().enumerate() {
        let (time, sender, receiver) = (&window.time, window.sender, window.receiver);
        let _ = writeln!(
            out,
            "  {index} [label=\"{time}\", xlabel=\"{sender} to {receiver}\"];"
        );
        for earlier in window.waits_for.iter().flatten() {
            let _ = writeln!(out, "  {index} -> {earlier};");
        }
    }
    out.push_str("}\n");
    out
}

/// A pattern. A path or an arborescence has its source at the top, with the time of every hop. A reduction tree is
/// drawn by [`tree`]. A scheme is a graph of its tasks, from the values at the top to the goals, in double frames.
///
/// The content equals that of [`svg::pattern`](crate::svg::pattern()). `O(t log t)` for `t` tasks.
pub fn pattern(problem: &Problem, pattern: &Pattern, weight: Option<&Rational>) -> String {
    draw(problem.platform(), &diagram(problem, pattern, weight))
}

fn draw(platform: &Platform, diagram: &Diagram) -> String {
    let (name, direction) = match diagram.style {
        Style::Copies => ("arborescence", "TB"),
        Style::Tree => ("reduction", "BT"),
        Style::Scheme => ("scheme", "TB"),
    };
    let mut out = format!(
        "digraph {name} {{\n  rankdir={direction};\n  labelloc=t;\n  node [fontname=\"Arial\"];\n"
    );
    let label = quote(&format!("{}\n{}", diagram.title, diagram.subtitle));
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "  edge [fontname=\"Arial\", fontsize=10];\n  label={label};"
    );
    for (index, vertex) in diagram.vertices.iter().enumerate() {
        let mut lines = vertex.lines.clone();
        if diagram.style == Style::Scheme {
            let at_node = vertex
                .node
                .map(|node| format!("@ {}", words::name(platform, node)));
            lines.push(at_node.unwrap_or_else(|| "made nowhere".to_string()));
        }
        let (label, tooltip) = (quote(&lines.join("\n")), quote(&vertex.tooltip));
        let frame = if vertex.wanted { ", peripheries=2" } else { "" };
        let _ = writeln!(
            out,
            "  n{index} [label={label}, shape={}{frame}, tooltip={tooltip}];",
            shape(vertex.role)
        );
    }
    let longest = diagram.longest();
    for edge in &diagram.edges {
        let (tooltip, target) = (quote(&edge.tooltip), &diagram.vertices[edge.to]);
        let style = match diagram.style {
            // Parts used in place are dashed.
            Style::Scheme if edge.links.is_empty() => " [style=dashed]".to_string(),
            Style::Tree if !edge.links.is_empty() => {
                let names = edge
                    .links
                    .iter()
                    .map(|&link| words::link_name(platform, link));
                let lines: Vec<String> = std::iter::once(words::partial(edge.part))
                    .chain(names)
                    .collect();
                format!(" [label={}, tooltip={tooltip}]", quote(&lines.join("\n")))
            }
            Style::Copies => {
                let time = quote(&quantities::time(platform, &edge.time));
                // 1 to 4, the longest hop being the widest.
                let wide = if longest.is_zero() {
                    1
                } else {
                    1 + thirds(&edge.time, &longest)
                };
                format!(
                    " [label={time}, penwidth={wide}, tooltip={}]",
                    quote(&target.tooltip)
                )
            }
            _ => String::new(),
        };
        let _ = writeln!(out, "  n{} -> n{}{style};", edge.from, edge.to);
    }
    if diagram.style == Style::Tree {
        keep_order(&mut out, diagram);
    }
    out.push_str("}\n");
    out
}

/// The shape of a vertex, with its attributes.
fn shape(role: Role) -> &'static str {
    match role {
        Role::Source => "box, style=bold",
        Role::Target => "box, peripheries=2",
        Role::Relay | Role::Merge | Role::Result => "box",
        Role::Router => "box, width=0.2, height=0.2, fontsize=9, style=filled, fillcolor=gray",
        Role::Switch => "diamond, width=0.2, height=0.2, fontsize=9",
        Role::Value | Role::Missing | Role::Arrival => "ellipse",
    }
}

/// Number of thirds of the whole that the part fills.
fn thirds(part: &Rational, all: &Rational) -> usize {
    (1..=3_u8)
        .filter(|&count| part * whole(3) >= all * whole(count))
        .count()
}

/// The values side by side in operand order.
fn keep_order(out: &mut String, diagram: &Diagram) {
    let is_leaf = |vertex: &Vertex| matches!(vertex.role, Role::Value | Role::Missing);
    let leaves = diagram
        .vertices
        .iter()
        .enumerate()
        .filter(|(_, vertex)| is_leaf(vertex));
    let mut leaves: Vec<(Interval, usize)> =
        leaves.map(|(index, vertex)| (vertex.part, index)).collect();
    leaves.sort_unstable();
    let names: Vec<String> = leaves
        .iter()
        .map(|(_, index)| format!("n{index}"))
        .collect();
    if names.len() > 1 {
        let _ = writeln!(
            out,
            "  {{ rank=same; {} [style=invis]; }}",
            names.join(" -> ")
        );
    }
}

/// The text as a Graphviz string: quotes and backslashes escaped, `&` so that it starts no entity, lines broken.
fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '&' => quoted.push_str("&amp;"),
            '\n' => quoted.push_str("\\n"),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
