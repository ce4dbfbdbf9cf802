//! Writes the platform and its loads as graphs: GraphML and node-link JSON (networkx), DOT (Graphviz).

use std::fmt::Write as _;

use num_bigint::{BigInt, BigUint};
use num_traits::{ToPrimitive, Zero};
use oneport_plan::{PeriodicSchedule, Problem, ScheduledPattern, Task};
use oneport_platform::{LinkId, Rational, floored};
use oneport_schedule::Measure;

use crate::text::{json, xml};
use crate::{File, Format, Request};

const LACKS: &str = "dates, order, patterns, the proof";

/// GraphML.
pub(crate) const GRAPHML: Format = Format {
    name: "graphml",
    about: "the platform with loads as GraphML, for networkx, igraph, Gephi, yEd",
    lacks: LACKS,
    write: |request| Ok(File::only(graphml(&Loads::new(request)))),
};

/// Node-link JSON.
pub(crate) const NODE_LINK: Format = Format {
    name: "node-link",
    about: "the platform with loads as node-link JSON, for networkx and d3",
    lacks: LACKS,
    write: |request| Ok(File::only(node_link(&Loads::new(request)))),
};

/// DOT.
pub(crate) const DOT: Format = Format {
    name: "dot",
    about: "the platform with loads for Graphviz",
    lacks: LACKS,
    write: |request| Ok(File::only(dot(&Loads::new(request)))),
};

/// Decimals if a format holds no rationals.
const DECIMALS: u32 = 12;

/// Loads of links and processors: sums over the patterns, so that a period may be of any length.
struct Loads<'a> {
    problem: &'a Problem,
    schedule: &'a PeriodicSchedule,
    /// Per link: messages per period, and busy time.
    links: Vec<(BigUint, Rational)>,
    /// Per node: merges per period, and busy time.
    nodes: Vec<(BigUint, Rational)>,
    /// The kind of numbers of messages and merges: a GraphML `long` has 64 bits.
    counts: Kind,
}

impl<'a> Loads<'a> {
    fn new(request: &Request<'a>) -> Self {
        let (problem, schedule) = (request.problem, request.schedule);
        let measure = Measure::new(problem);
        let links = problem.platform().links().len();
        let mut counts = vec![BigUint::zero(); measure.carriers()];
        let mut totals = vec![BigInt::zero(); measure.carriers()];
        for ScheduledPattern { pattern, copies } in &schedule.patterns {
            measure.add(pattern, &copies.clone().into(), &mut totals);
            for task in &pattern.tasks {
                let index = match *task {
                    Task::Send { link, .. } => link.index(),
                    Task::Merge { node, .. } => links + node.index(),
                };
                counts[index] += copies;
            }
        }
        let long = counts.iter().all(|count| count.to_i64().is_some());
        let busy = |(index, units): (usize, &BigInt)| measure.time(index) * units;
        let times = totals.iter().enumerate().map(busy);
        let mut links_and_nodes: Vec<(BigUint, Rational)> = counts.into_iter().zip(times).collect();
        let nodes = links_and_nodes.split_off(links);
        Loads {
            problem,
            schedule,
            links: links_and_nodes,
            nodes,
            counts: if long { Kind::Whole } else { Kind::Text },
        }
    }

    /// Share of the period.
    fn share(&self, busy: &Rational) -> Rational {
        if self.schedule.period.is_zero() {
            Rational::zero()
        } else {
            busy / &self.schedule.period
        }
    }

    /// Node attributes (key, type, value), by node.
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
            ("merges", self.counts, merges.to_string()),
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
            ("messages", self.counts, messages.to_string()),
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
    let _ = writeln!(
        text,
        "<!-- {} instances per period of {} -->",
        loads.schedule.instances, loads.schedule.period
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
    let mut text = String::from("{\"directed\":true,\"multigraph\":false,");
    let _ = write!(
        text,
        "\"graph\":{{\"period\":\"{}\",\"instances\":{}}},\n\"nodes\":[",
        loads.schedule.period, loads.schedule.instances
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
    for (row, (link, from, to)) in loads.ends().enumerate() {
        let comma = if row == 0 { "" } else { "," };
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
    // In DOT only quotes and backslashes need an escape.
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
        let style = if messages.is_zero() {
            ", style=dotted"
        } else {
            ""
        };
        let _ = writeln!(
            text,
            "  n{from} -> n{to} [label=\"{messages} ({percent})\"{style}];"
        );
    }
    text.push_str("}\n");
    text
}
