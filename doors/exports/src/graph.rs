//! Writes the platform and its loads as graphs: GraphML and node-link JSON (networkx), DOT (Graphviz).

use std::fmt::Write as _;

use num_bigint::BigInt;
use num_traits::Zero;
use oneport_plan::{Problem, Task};
use oneport_platform::{LinkId, Rational, floored};
use oneport_schedule::Execution;

use crate::text::{json, xml};
use crate::{ExportError, File, Format, Request};

const LACKS: &str = "dates, order, patterns, the proof";

/// GraphML.
pub const GRAPHML: Format = Format {
    name: "graphml",
    about: "the platform with loads as GraphML, for networkx, igraph, Gephi, yEd",
    lacks: LACKS,
    write: |request| Ok(File::only(graphml(&Loads::new(request)?))),
};

/// Node-link JSON.
pub const NODE_LINK: Format = Format {
    name: "node-link",
    about: "the platform with loads as node-link JSON, for networkx and d3",
    lacks: LACKS,
    write: |request| Ok(File::only(node_link(&Loads::new(request)?))),
};

/// DOT.
pub const DOT: Format = Format {
    name: "dot",
    about: "the platform with loads for Graphviz",
    lacks: LACKS,
    write: |request| Ok(File::only(dot(&Loads::new(request)?))),
};

/// Decimals if a format holds no rationals.
const DECIMALS: u32 = 12;

/// Loads of links and processors.
struct Loads<'a> {
    problem: &'a Problem,
    execution: Execution,
    /// Per link: messages per period, and busy time in units.
    links: Vec<(u64, BigInt)>,
    /// Per node: merges per period, and busy time in units.
    nodes: Vec<(u64, BigInt)>,
}

impl<'a> Loads<'a> {
    fn new(request: &Request<'a>) -> Result<Self, ExportError> {
        let (problem, platform) = (request.problem, request.problem.platform());
        let (_, execution) = request.execution("graph", None)?;
        let mut links = vec![(0, BigInt::zero()); platform.links().len()];
        let mut nodes = vec![(0, BigInt::zero()); platform.nodes().len()];
        for dated in &execution.tasks {
            let (count, busy) = match dated.task {
                Task::Send { link, .. } => &mut links[link.index()],
                Task::Merge { node, .. } => &mut nodes[node.index()],
            };
            *count += 1;
            *busy += &dated.duration;
        }
        Ok(Loads {
            problem,
            execution,
            links,
            nodes,
        })
    }

    /// Share of the period.
    fn share(&self, busy: &BigInt) -> Rational {
        if self.execution.period.is_zero() {
            Rational::zero()
        } else {
            Rational::new(busy.clone(), self.execution.period.clone())
        }
    }

    /// Node attributes: key, type, value; by node.
    fn node(&self, index: usize) -> [(&'static str, Kind, String); 6] {
        let node = &self.problem.platform().nodes()[index];
        let (merges, busy) = &self.nodes[index];
        [
            ("name", Kind::Text, node.name.clone()),
            ("router", Kind::Bool, (!node.is_processor()).to_string()),
            (
                "compute",
                Kind::Text,
                node.compute
                    .as_ref()
                    .map(ToString::to_string)
                    .unwrap_or_default(),
            ),
            ("replicates", Kind::Bool, node.replicates.to_string()),
            ("merges", Kind::Whole, merges.to_string()),
            (
                "merging",
                Kind::Decimal,
                floored(&self.share(busy), DECIMALS),
            ),
        ]
    }

    /// Link attributes.
    fn link(&self, link: LinkId) -> [(&'static str, Kind, String); 6] {
        let (messages, busy) = &self.links[link.index()];
        let (cost, share) = (&self.problem.platform().link(link).cost, self.share(busy));
        [
            ("link", Kind::Whole, link.to_string()),
            ("cost", Kind::Decimal, floored(cost, DECIMALS)),
            ("exact_cost", Kind::Text, cost.to_string()),
            ("messages", Kind::Whole, messages.to_string()),
            ("busy", Kind::Decimal, floored(&share, DECIMALS)),
            ("exact_busy", Kind::Text, share.to_string()),
        ]
    }

    fn ends(&self) -> impl Iterator<Item = (LinkId, usize, usize)> + '_ {
        let platform = self.problem.platform();
        platform.link_ids().map(|link| {
            (
                link,
                platform.link(link).from.index(),
                platform.link(link).to.index(),
            )
        })
    }
}

/// Types of attributes.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    Bool,
    Whole,
    Decimal,
}

impl Kind {
    fn graphml(self) -> &'static str {
        match self {
            Kind::Text => "string",
            Kind::Bool => "boolean",
            Kind::Whole => "long",
            Kind::Decimal => "double",
        }
    }
}

fn graphml(loads: &Loads<'_>) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
    );
    let of_nodes = loads.node(0).map(|attribute| ("node", attribute));
    let of_links = loads
        .ends()
        .next()
        .map(|(link, ..)| loads.link(link).map(|attribute| ("edge", attribute)));
    for (whose, (key, kind, _)) in of_nodes.into_iter().chain(of_links.into_iter().flatten()) {
        let kind = kind.graphml();
        let _ = writeln!(
            text,
            "<key id=\"{whose}_{key}\" for=\"{whose}\" attr.name=\"{key}\" attr.type=\"{kind}\"/>"
        );
    }
    let period = loads.execution.time(&loads.execution.period);
    let _ = writeln!(
        text,
        "<!-- {} instances per period of {period} -->",
        loads.execution.instances
    );
    text.push_str("<graph edgedefault=\"directed\">\n");
    let data = |whose: &str, attributes: [(&str, Kind, String); 6]| {
        let data = |(key, _, value): (&str, Kind, String)| {
            format!("<data key=\"{whose}_{key}\">{}</data>", xml(&value))
        };
        attributes.map(data).concat()
    };
    for index in 0..loads.nodes.len() {
        let _ = writeln!(
            text,
            "<node id=\"n{index}\">{}</node>",
            data("node", loads.node(index))
        );
    }
    for (link, from, to) in loads.ends() {
        let _ = writeln!(
            text,
            "<edge source=\"n{from}\" target=\"n{to}\">{}</edge>",
            data("edge", loads.link(link))
        );
    }
    text.push_str("</graph>\n</graphml>\n");
    text
}

fn node_link(loads: &Loads<'_>) -> String {
    let period = loads.execution.time(&loads.execution.period);
    let mut text = String::from("{\"directed\":true,\"multigraph\":false,");
    let _ = write!(
        text,
        "\"graph\":{{\"period\":\"{period}\",\"instances\":{}}},\n\"nodes\":[",
        loads.execution.instances
    );
    let members = |attributes: [(&str, Kind, String); 6]| {
        let member = |(key, kind, value): (&str, Kind, String)| match kind {
            Kind::Text => format!(",\"{key}\":{}", json(&value)),
            Kind::Bool | Kind::Whole | Kind::Decimal => format!(",\"{key}\":{value}"),
        };
        attributes.map(member).concat()
    };
    for index in 0..loads.nodes.len() {
        let comma = if index == 0 { "" } else { "," };
        let _ = write!(
            text,
            "{comma}\n{{\"id\":{index}{}}}",
            members(loads.node(index))
        );
    }
    text.push_str("],\n\"edges\":[");
    for (place, (link, from, to)) in loads.ends().enumerate() {
        let comma = if place == 0 { "" } else { "," };
        let _ = write!(
            text,
            "{comma}\n{{\"source\":{from},\"target\":{to}{}}}",
            members(loads.link(link))
        );
    }
    text.push_str("]}\n");
    text
}

fn dot(loads: &Loads<'_>) -> String {
    let platform = loads.problem.platform();
    let mut text = String::from("digraph platform {\n");
    // In DOT only quotes and backslashes need care.
    let quoted = |name: &str| format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""));
    for (index, node) in platform.nodes().iter().enumerate() {
        let shape = if node.is_processor() {
            "ellipse"
        } else {
            "box"
        };
        let _ = writeln!(
            text,
            "  n{index} [label={}, shape={shape}];",
            quoted(&node.name)
        );
    }
    for (link, from, to) in loads.ends() {
        let (messages, busy) = &loads.links[link.index()];
        let percent = oneport_platform::percent(&loads.share(busy));
        let style = if *messages == 0 { ", style=dotted" } else { "" };
        let _ = writeln!(
            text,
            "  n{from} -> n{to} [label=\"{messages} ({percent})\"{style}];"
        );
    }
    text.push_str("}\n");
    text
}
