//! Drawings as Graphviz text, for those who draw with `dot`.

use std::fmt::Write as _;

use num_traits::Zero;
use oneport_plan::{Interval, Pattern, Problem, Reduction, Window};
use oneport_platform::{Platform, Rational};

use crate::arborescence::{self, Role};
use crate::reduction::{
    Assembly, Flow, Kind, assemble, flow_tooltip, result_words, title, vertex_lines, vertex_tooltip,
};
use crate::scheme;
use crate::{Shape, quantities, words};

/// A reduction tree (RR-4872 figures 5 and 7), the values at the bottom in operand order, the result at the top:
/// merges are boxes `T[k,l,m] @ P`, transfers are edges with what travels and the links in order. The edges' tooltips
/// tell sizes and times.
///
/// The same content as [`svg::tree`](crate::svg::tree); `O(t log t)` for `t` tasks.
pub fn tree(problem: Problem<'_>, tree: &Pattern, weight: Option<&Rational>) -> String {
    let (platform, collective) = (problem.platform(), problem.collective());
    let assembly = assemble(collective, tree);
    let mut out = head("reduction", "BT", &heading(problem, tree, weight));
    for (index, vertex) in assembly.vertices.iter().enumerate() {
        let (label, shape) = vertex_words(platform, vertex.part, vertex.kind);
        let tooltip = vertex_tooltip(problem, vertex.part, vertex.kind);
        let _ = writeln!(out, "  n{index} [label={}, shape={shape}, tooltip={}];", quote(&label), quote(&tooltip));
        for flow in &vertex.inputs {
            edge(&mut out, problem, &assembly, flow, &format!("n{index}"));
        }
    }
    for (index, flow) in assembly.roots.iter().enumerate() {
        let label = result_words(platform, &assembly, flow);
        let _ = writeln!(out, "  r{index} [label={}, shape=box, peripheries=2];", quote(&label));
        edge(&mut out, problem, &assembly, flow, &format!("r{index}"));
    }
    keep_order(&mut out, &assembly);
    out.push_str("}\n");
    out
}

/// The tree of a reduction for Graphviz: processors with the date their transfer starts, the root at the top. O(n).
pub fn once_tree(reduction: &Reduction) -> String {
    let mut out = String::from("digraph reduction {\n  rankdir=BT;\n  node [fontname=\"Arial\", shape=circle];\n");
    // Writing to a string cannot fail.
    let _ = writeln!(out, "  labelloc=t;\n  label=\"length {}\";", reduction.length);
    for (processor, &receiver) in reduction.receivers.iter().enumerate() {
        if processor == reduction.root as usize {
            let _ = writeln!(out, "  {processor} [peripheries=2];");
        } else {
            let start = reduction.starts.get(processor).unwrap_or_else(Rational::zero);
            let _ = writeln!(out, "  {processor} -> {receiver} [label=\"{start}\"];");
        }
    }
    out.push_str("}\n");
    out
}

/// The transmission windows of a reduction for Graphviz: times in the nodes, sender and receiver beside them, the
/// destination's last reception at the top. O(n).
pub fn windows(windows: &[Window]) -> String {
    let mut out = String::from("digraph windows {\n  node [fontname=\"Arial\", shape=circle];\n");
    for (place, window) in windows.iter().enumerate() {
        let (time, sender, receiver) = (&window.time, window.sender, window.receiver);
        let _ = writeln!(out, "  {place} [label=\"{time}\", xlabel=\"{sender} to {receiver}\"];");
        for earlier in window.waits_for.iter().flatten() {
            let _ = writeln!(out, "  {place} -> {earlier};");
        }
    }
    out.push_str("}\n");
    out
}

/// A pattern: a path or an arborescence from its source at the top, with the time of every hop; a reduction tree as
/// [`tree`] has it; a scheme as a graph of its tasks, from the values at the top to what is wanted, in double frames.
///
/// The same content as [`svg::pattern`](crate::svg::pattern()); `O(t log t)` for `t` tasks.
pub fn pattern(problem: Problem<'_>, pattern: &Pattern, weight: Option<&Rational>) -> String {
    match Shape::of(problem, pattern) {
        Shape::Tree => tree(problem, pattern, weight),
        Shape::Scheme => scheme(problem, pattern, weight),
        Shape::Arborescence => arborescence(problem, pattern, weight),
    }
}

fn arborescence(problem: Problem<'_>, tree: &Pattern, weight: Option<&Rational>) -> String {
    let platform = problem.platform();
    let copies = arborescence::assemble(problem, tree);
    let [title, subtitle] = arborescence::title(problem, tree, (&copies, weight));
    let mut out = head("arborescence", "TB", &format!("{title}\n{subtitle}"));
    let source = copies.source.map_or_else(|| "nowhere".to_string(), |source| words::name(platform, source));
    // Writing to a string cannot fail.
    let _ = writeln!(out, "  s [label={}, shape=box, style=bold];", quote(&source));
    let longest = copies.copies.iter().map(|copy| &copy.time).max().cloned().unwrap_or_default();
    for (index, copy) in copies.copies.iter().enumerate() {
        let shape = match copy.role {
            Role::Target => "box, peripheries=2",
            Role::Relay => "box",
            Role::Router => "box, width=0.2, height=0.2, fontsize=9, style=filled, fillcolor=gray",
            Role::Switch => "diamond, width=0.2, height=0.2, fontsize=9",
        };
        let (name, tooltip) = (quote(&copy.name(platform)), quote(&copy.tooltip(platform)));
        let _ = writeln!(out, "  n{index} [label={name}, shape={shape}, tooltip={tooltip}];");
        let from = copy.parent.map_or_else(|| "s".to_string(), |parent| format!("n{parent}"));
        // 1 to 4, the longest hop being the widest.
        let wide = if longest.is_zero() { 1 } else { 1 + thirds(&copy.time, &longest) };
        let time = quote(&quantities::time(platform, &copy.time));
        let _ = writeln!(out, "  {from} -> n{index} [label={time}, penwidth={wide}, tooltip={tooltip}];");
    }
    out.push_str("}\n");
    out
}

fn scheme(problem: Problem<'_>, tasks: &Pattern, weight: Option<&Rational>) -> String {
    let platform = problem.platform();
    let [title, subtitle] = scheme::title(problem, tasks, weight);
    let mut out = head("scheme", "TB", &format!("{title}\n{subtitle}"));
    for (index, vertex) in scheme::diagram(problem, tasks).vertices.iter().enumerate() {
        let place = vertex
            .kind
            .node()
            .map_or_else(|| "made nowhere".to_string(), |node| format!("@ {}", words::name(platform, node)));
        let label = quote(&format!("{}\n{place}", vertex.label()));
        let shape = if let Kind::Merge { .. } = vertex.kind { "box" } else { "ellipse" };
        let frame = if vertex.wanted { ", peripheries=2" } else { "" };
        let tooltip = quote(&vertex.tooltip(problem));
        let _ = writeln!(out, "  n{index} [label={label}, shape={shape}{frame}, tooltip={tooltip}];");
        for input in &vertex.inputs {
            // What is used in place is dashed.
            let style = if vertex.link.is_some() { "" } else { " [style=dashed]" };
            let _ = writeln!(out, "  n{input} -> n{index}{style};");
        }
    }
    out.push_str("}\n");
    out
}

/// How many thirds of the whole the part fills.
fn thirds(part: &Rational, whole: &Rational) -> usize {
    (1..=3_u8)
        .filter(|&count| part * Rational::from_integer(3.into()) >= whole * Rational::from_integer(count.into()))
        .count()
}

/// The beginning of a graph.
fn head(name: &str, direction: &str, label: &str) -> String {
    let mut out = format!("digraph {name} {{\n  rankdir={direction};\n  labelloc=t;\n  node [fontname=\"Arial\"];\n");
    let _ = writeln!(out, "  edge [fontname=\"Arial\", fontsize=10];\n  label={};", quote(label));
    out
}

/// The values side by side in operand order.
fn keep_order(out: &mut String, assembly: &Assembly) {
    let mut leaves: Vec<(Interval, usize)> = Vec::new();
    for (index, vertex) in assembly.vertices.iter().enumerate().filter(|(_, vertex)| vertex.inputs.is_empty()) {
        leaves.push((vertex.part, index));
    }
    leaves.sort_unstable();
    let names: Vec<String> = leaves.iter().map(|(_, index)| format!("n{index}")).collect();
    if names.len() > 1 {
        let _ = writeln!(out, "  {{ rank=same; {} [style=invis]; }}", names.join(" -> "));
    }
}

fn edge(out: &mut String, problem: Problem<'_>, assembly: &Assembly, flow: &Flow, to: &str) {
    let platform = problem.platform();
    let _ = write!(out, "  n{} -> {to}", flow.from);
    if !flow.links.is_empty() {
        let part = assembly.part(flow);
        let lines = std::iter::once(words::partial(part));
        let lines: Vec<String> = lines.chain(flow.links.iter().map(|&link| words::link_name(platform, link))).collect();
        let tooltip = flow_tooltip(problem, part, flow);
        let _ = write!(out, " [label={}, tooltip={}]", quote(&lines.join("\n")), quote(&tooltip));
    }
    out.push_str(";\n");
}

/// The name of the collective, then what the tree is.
fn heading(problem: Problem<'_>, tree: &Pattern, weight: Option<&Rational>) -> String {
    let [title, subtitle] = title(problem, tree, weight);
    format!("{title}\n{subtitle}")
}

/// Label and shape of a vertex.
fn vertex_words(platform: &Platform, part: Interval, kind: Kind) -> (String, &'static str) {
    let [what, place] = vertex_lines(platform, part, kind);
    (format!("{what}\n{place}"), if let Kind::Merge { .. } = kind { "box" } else { "ellipse" })
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
