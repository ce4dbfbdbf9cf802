//! GML as the Internet Topology Zoo writes it, and as networkx and yEd write it.
//!
//! Every node is a processor unless it is marked as a switch. An edge is a link in both directions (unless `directed
//! 1`). Edges from a node to itself are left out. A key that is read has one value. All other keys are ignored, as the
//! format demands. The options for capacities decide how the rest is read:
//!
//! | | without them, as in the Topology Zoo | with them, as in every graph |
//! |---|---|---|
//! | bandwidth | `LinkSpeedRaw` in bits per second, `LinkSpeed` with `LinkSpeedUnits` (K, M, G, T), or a SONET `LinkType` (`OC-n`: n times 51.84 Mbit/s) | the attribute that the user names, or a default |
//! | unit of messages | gigabit | gigabyte |
//! | parallel edges | the fastest counts, with its latency | bandwidths are added, the least latency counts |
//! | names | the label; if it is missing or used twice, `#id` is appended | `name`, label or id; if it is taken, `#id` is appended |

use std::borrow::Cow;
use std::collections::BTreeMap;

use num_traits::Signed;
use oneport_files::error::{FormatError, Mistake, clip};
use oneport_files::source::Source;
use oneport_platform::units::Data;
use oneport_platform::{PortModel, Rational, parse_rational, whole};

use crate::draft::{Draft, Role};
use crate::gml_lists::{Lists, Outline};
use crate::graph::{self, Attributes, Graph, latency_names, value};
use crate::imported::Topic;
use crate::mistakes::unexpected;

/// Limit on bytes of a file that is read without options for capacities: networks of the Zoo have less than one
/// megabyte.
const MAX_BYTES: usize = 16 << 20;
/// Bits per second of SONET's OC-1. OC-n is n times as fast.
const SONET: u64 = 51_840_000;
/// Keys that are read in a file of the Topology Zoo, besides those of the latency.
const ZOO_KEYS: [&str; 12] = [
    "id",
    "label",
    "router",
    "type",
    "kind",
    "role",
    "source",
    "target",
    "LinkSpeedRaw",
    "LinkSpeed",
    "LinkSpeedUnits",
    "LinkType",
];

/// Reads a file in the manner that the options decide.
pub(crate) fn read(source: &Source<'_>, draft: &mut Draft<'_>) -> Result<(), FormatError> {
    let options = draft.options;
    let is_zoo = options.capacity.is_none() && options.capacity_default.is_none();
    let is_read = |key: &str| {
        if is_zoo {
            ZOO_KEYS.contains(&key) || latency_names(options.latency.as_ref()).contains(&key)
        } else {
            matches!(key, "id" | "source" | "target") || graph::is_read(key, options)
        }
    };
    if is_zoo {
        if source.text.len() > MAX_BYTES {
            let limit = MAX_BYTES as u64;
            return Err(source.error_in_file(Mistake::TooLarge { limit }));
        }
        draft.measured_in(Data::GIGABIT);
    }
    let mut lists = Lists::new(*source);
    let Outline {
        directed,
        nodes,
        edges,
    } = lists.outline()?;
    draft.ports_of(PortModel::FullDuplex);
    draft.note(
        Topic::Assumed,
        "a node sends to one node and receives from one at a time, as in all GML; --model links lets all links work at once",
    );
    let labels = if is_zoo {
        uses_of_labels(&mut lists, &nodes, is_read)?
    } else {
        BTreeMap::new()
    };
    let mut graph = Graph::new(draft);
    let mut sites = 0;
    for offset in nodes {
        let mut attributes = lists.entry("node", offset, is_read)?;
        let id = take(source, offset, "node", &mut attributes, "id")?;
        let before = attributes.len();
        attributes.retain(|(name, value)| !is_site(name, value));
        let is_site = attributes.len() < before;
        let added = if is_zoo {
            let name = zoo_name(&id, &attributes, &labels);
            zoo_node(&mut graph, &id, name, &attributes)
        } else {
            graph.node(&id, &attributes)
        };
        let role = added.map_err(|mistake| source.error(offset, Some(clip(&id)), mistake))?;
        if is_site && role == Role::Processor {
            sites += 1;
        }
    }
    for (index, offset) in edges.into_iter().enumerate() {
        let mut attributes = lists.entry("edge", offset, is_read)?;
        let from = take(source, offset, "edge", &mut attributes, "source")?;
        let to = take(source, offset, "edge", &mut attributes, "target")?;
        let added = if is_zoo {
            zoo_edge(&mut graph, &from, &to, directed, &attributes)
        } else {
            graph.edge(&from, &to, directed, &attributes)
        };
        added.map_err(|mistake| {
            let key = format!("edge[{index}] ({} -- {})", clip(&from), clip(&to));
            source.error(offset, Some(key), mistake)
        })?;
    }
    if sites > 0 {
        let text = format!(
            "{sites} nodes of type Router take part: so the Topology Zoo calls places; a node that only forwards has router 1"
        );
        draft.note(Topic::Assumed, text);
    }
    Ok(())
}

/// Takes out an attribute that an entry must have.
fn take<'a>(
    source: &Source<'_>,
    offset: usize,
    entry: &str,
    attributes: &mut Attributes<'a>,
    key: &'static str,
) -> Result<Cow<'a, str>, FormatError> {
    let index = attributes.iter().position(|(name, _)| name == key);
    index
        .map(|index| attributes.swap_remove(index).1)
        .ok_or_else(|| {
            let meaning = match key {
                "id" => "the node's number",
                _ => "the id of a node",
            };
            let mistake = Mistake::MissingKey { key, meaning };
            source.error(offset, Some(entry.to_string()), mistake)
        })
}

/// Whether an attribute is `type` router, the Topology Zoo's word for a site of a network: such a node takes part.
fn is_site(name: &str, value: &str) -> bool {
    name == "type" && value.eq_ignore_ascii_case("router")
}

/// Number of nodes with each label.
fn uses_of_labels(
    lists: &mut Lists<'_>,
    nodes: &[usize],
    is_read: impl Fn(&str) -> bool + Copy,
) -> Result<BTreeMap<String, usize>, FormatError> {
    let mut uses = BTreeMap::new();
    for &offset in nodes {
        let attributes = lists.entry("node", offset, is_read)?;
        let label = value(&attributes, "label").unwrap_or_default();
        *uses.entry(label.to_string()).or_default() += 1;
    }
    Ok(uses)
}

/// The label, with `#id` if it is missing, empty or used twice.
fn zoo_name(id: &str, attributes: &Attributes<'_>, uses: &BTreeMap<String, usize>) -> String {
    let label = value(attributes, "label").unwrap_or_default();
    if !label.is_empty() && uses.get(label) == Some(&1) {
        label.to_string()
    } else {
        format!("{label}#{id}")
    }
}

fn zoo_node(
    graph: &mut Graph<'_, '_>,
    id: &str,
    name: String,
    attributes: &Attributes<'_>,
) -> Result<Role, Mistake> {
    let (kind, role) = if graph.draft.unused.is_switch(attributes)? {
        ("router", Role::Switch)
    } else {
        ("processor", Role::Processor)
    };
    graph.named_node(id, name, kind, role)?;
    Ok(role)
}

/// Adds an edge. Of parallel edges the fastest counts.
fn zoo_edge(
    graph: &mut Graph<'_, '_>,
    from: &str,
    to: &str,
    directed: bool,
    attributes: &Attributes<'_>,
) -> Result<(), Mistake> {
    let (from, to) = (graph.index(from)?, graph.index(to)?);
    let [latency, delay] = latency_names(graph.draft.options.latency.as_ref());
    let known = [
        "LinkSpeedRaw",
        "LinkSpeed",
        "LinkSpeedUnits",
        "LinkType",
        latency,
        delay,
    ];
    graph.draft.unused.edge(attributes, &known);
    if from == to {
        graph.draft.note_loop(from);
        return Ok(());
    }
    let latency = graph.latency(attributes)?.unwrap_or_default();
    let rate = graph.draft.stated("link", zoo_rate(attributes)?);
    graph.draft.fastest(from, to, &rate, &latency)?;
    if !directed {
        graph.draft.fastest(to, from, &rate, &latency)?;
    }
    Ok(())
}

/// GB/s.
fn zoo_rate(attributes: &Attributes<'_>) -> Result<Rational, Mistake> {
    let [raw, speed, units, kind] = ["LinkSpeedRaw", "LinkSpeed", "LinkSpeedUnits", "LinkType"]
        .map(|key| value(attributes, key));
    let multiple = kind.and_then(|kind| kind.strip_prefix("OC-"));
    let (key, text, unit) = match (raw, speed.zip(units), multiple) {
        (Some(raw), _, _) => ("LinkSpeedRaw", raw, 1),
        (None, Some((speed, units)), _) => ("LinkSpeed", speed, bits(units)?),
        (None, None, Some(multiple)) => ("LinkType OC-", multiple, SONET),
        (None, None, None) => {
            return Err(Mistake::MissingKey {
                key: "LinkSpeedRaw",
                meaning: "the speed in bits per second (or give LinkSpeed and LinkSpeedUnits, or LinkType OC-n; or name \
                          another attribute with --capacity)",
            });
        }
    };
    let speed = parse_rational(text)? * whole(unit);
    if !speed.is_positive() {
        return Err(Mistake::NotPositive {
            what: key,
            value: clip(text),
        });
    }
    Ok(speed / Data::GIGABYTE.bits())
}

/// Bits per second in one unit of speed.
fn bits(units: &str) -> Result<u64, Mistake> {
    match units {
        "K" | "k" => Ok(1_000),
        "M" => Ok(1_000_000),
        "G" => Ok(1_000_000_000),
        "T" => Ok(1_000_000_000_000),
        _ => Err(unexpected(clip(units), "a unit of LinkSpeed: K, M, G or T")),
    }
}
