//! Drawings as Graphviz text, for those who draw with `dot`.

use std::fmt::Write as _;

use oneport_plan::{Collective, Interval, ReductionTree, Volumes};
use oneport_platform::{Platform, Rational};

use crate::reduction::{
    Assembly, Flow, Kind, assemble, flow_tooltip, result_words, title, vertex_lines, vertex_tooltip,
};
use crate::svg::words;

/// A reduction tree (papers/000 figures 5 and 7), the values at the bottom in operand order, the result at the top:
/// merges are boxes `T[k,l,m] @ P`, transfers are edges with what travels and the links in order. The edges' tooltips
/// tell sizes and times.
///
/// The same content as [`svg::tree`](crate::svg::tree); `O(t log t)` for `t` tasks.
pub fn tree(
    platform: &Platform,
    collective: &Collective,
    volumes: &Volumes,
    tree: &ReductionTree,
    weight: Option<&Rational>,
) -> String {
    let assembly = assemble(collective, tree);
    let mut out = String::from("digraph reduction {\n  rankdir=BT;\n  labelloc=t;\n  node [fontname=\"Arial\"];\n");
    // Writing to a string cannot fail.
    let _ = writeln!(out, "  edge [fontname=\"Arial\", fontsize=10];");
    let _ = writeln!(out, "  label={};", quote(&heading(platform, collective, volumes, tree, weight)));
    for (index, vertex) in assembly.vertices.iter().enumerate() {
        let (label, shape) = vertex_words(platform, vertex.part, vertex.kind);
        let tooltip = vertex_tooltip(platform, volumes, vertex.part, vertex.kind);
        let _ = writeln!(out, "  n{index} [label={}, shape={shape}, tooltip={}];", quote(&label), quote(&tooltip));
        for flow in &vertex.inputs {
            edge(&mut out, platform, volumes, &assembly, flow, &format!("n{index}"));
        }
    }
    for (index, flow) in assembly.roots.iter().enumerate() {
        let label = result_words(platform, &assembly, flow);
        let _ = writeln!(out, "  r{index} [label={}, shape=box, peripheries=2];", quote(&label));
        edge(&mut out, platform, volumes, &assembly, flow, &format!("r{index}"));
    }
    keep_order(&mut out, &assembly);
    out.push_str("}\n");
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

fn edge(out: &mut String, platform: &Platform, volumes: &Volumes, assembly: &Assembly, flow: &Flow, to: &str) {
    let _ = write!(out, "  n{} -> {to}", flow.from);
    if !flow.links.is_empty() {
        let part = assembly.part(flow);
        let lines = std::iter::once(words::partial(part));
        let lines: Vec<String> = lines.chain(flow.links.iter().map(|&link| words::link_name(platform, link))).collect();
        let tooltip = flow_tooltip(platform, volumes, part, flow);
        let _ = write!(out, " [label={}, tooltip={}]", quote(&lines.join("\n")), quote(&tooltip));
    }
    out.push_str(";\n");
}

/// The name of the collective, then what the tree is.
fn heading(
    platform: &Platform,
    collective: &Collective,
    volumes: &Volumes,
    tree: &ReductionTree,
    weight: Option<&Rational>,
) -> String {
    let [title, subtitle] = title(platform, collective, volumes, tree, weight);
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
