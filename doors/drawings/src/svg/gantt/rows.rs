//! Rows of a chart: one per port or processor, and per link if nodes have no ports. A row is split into lanes if a port
//! does several things at a time.

use std::collections::{BTreeMap, BTreeSet};

use oneport_plan::Resource;
use oneport_platform::{LinkId, NodeId, Platform, PortModel, Rational};

use super::occupancy::{Activity, Bar};
use crate::words;

/// Up to this number of active nodes, idle ports keep an empty row. Beyond it, only ports in use have one.
const SHOW_IDLE: usize = 12;
/// A bar narrower than this, in pixels, is not drawn separately.
const NARROW: f64 = 0.3;
/// If there are too many bars, those up to this width are drawn together.
const WIDE: f64 = 100.0;

/// The port, processor or link that a row shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::svg) enum Port {
    Send,
    Receive,
    /// The only port of a half-duplex node.
    Both,
    /// A link between nodes without ports. Its row is among those of its sender.
    Link(LinkId),
    Compute,
}

impl Port {
    /// "send", "recv", "port", "link" or "comp".
    pub(in crate::svg) fn kind(self) -> &'static str {
        match self {
            Port::Send => "send",
            Port::Receive => "recv",
            Port::Both => "port",
            Port::Link(_) => "link",
            Port::Compute => "comp",
        }
    }

    /// The text in front of the row: the kind, or the target of the link.
    pub(in crate::svg) fn label(self, platform: &Platform) -> String {
        match self {
            Port::Link(link) => match words::link(platform, link) {
                Some(link) => format!("→ {}", words::name(platform, link.to)),
                None => format!("link {link}"),
            },
            other => other.kind().to_string(),
        }
    }

    /// The activity in a row: "transfer" or "merge".
    pub(in crate::svg) fn activity(self) -> &'static str {
        if self == Port::Compute {
            "merge"
        } else {
            "transfer"
        }
    }
}

/// The rows that show a transfer over a link.
fn ports(platform: &Platform, id: LinkId) -> Vec<(NodeId, Port)> {
    let Some(link) = words::link(platform, id) else {
        return Vec::new();
    };
    let port = |end: Resource| match end {
        Resource::Send(node) => Some((node, Port::Send)),
        Resource::Receive(node) => Some((node, Port::Receive)),
        Resource::Port(node) => Some((node, Port::Both)),
        Resource::Compute(_) | Resource::Link(_) | Resource::Shared(_) => None,
    };
    let ports: Vec<_> = Resource::ends(platform, id)
        .into_iter()
        .flatten()
        .filter_map(port)
        .collect();
    if ports.is_empty() {
        vec![(link.from, Port::Link(id))]
    } else {
        ports
    }
}

/// The activities of one port: lanes of bars, by their index, in order of time. One-port models need one lane.
pub(in crate::svg) struct ChartRow {
    pub node: NodeId,
    pub port: Port,
    pub lanes: Vec<Vec<usize>>,
}

impl ChartRow {
    /// Number of its simultaneous transfers or merges.
    pub(in crate::svg) fn capacity(&self, platform: &Platform) -> u32 {
        match self.port {
            Port::Send if words::node(platform, self.node).is_some() => {
                Resource::Send(self.node).capacity(platform)
            }
            Port::Receive if words::node(platform, self.node).is_some() => {
                Resource::Receive(self.node).capacity(platform)
            }
            _ => 1,
        }
    }
}

/// Consecutive bars of one lane drawn as one box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::svg) struct DrawnRun {
    /// Index of the first bar in its lane.
    pub first: usize,
    /// Number of bars.
    pub count: usize,
    pub left: f64,
    pub right: f64,
    /// Whether the bars carry different messages.
    pub various: bool,
    /// Whether these have different colours.
    pub mixed: bool,
}

/// The rows of all active nodes in platform order, and remarks on them.
pub(in crate::svg) fn rows(
    platform: &Platform,
    bars: &[Bar],
) -> (Vec<ChartRow>, Vec<&'static str>) {
    let mut own: BTreeMap<(NodeId, Port), Vec<usize>> = BTreeMap::new();
    for (index, bar) in bars.iter().enumerate() {
        match bar.activity {
            Activity::Merge { node, .. } => {
                own.entry((node, Port::Compute)).or_default().push(index)
            }
            Activity::Transfer(link) => {
                for row in ports(platform, link) {
                    own.entry(row).or_default().push(index);
                }
            }
        }
    }
    let directed = |node: &NodeId| {
        let known = words::node(platform, *node).is_some();
        known
            && matches!(
                platform.model_of(*node),
                PortModel::FullDuplex | PortModel::Multiport
            )
    };
    let active: BTreeSet<NodeId> = own.keys().map(|&(node, _)| node).filter(directed).collect();
    if active.len() <= SHOW_IDLE {
        for &node in &active {
            own.entry((node, Port::Send)).or_default();
            own.entry((node, Port::Receive)).or_default();
        }
    }
    let count = |is: fn(Port) -> bool| own.keys().filter(|(_, port)| is(*port)).count();
    let mut remarks = Vec::new();
    if count(|port| matches!(port, Port::Send | Port::Receive)) < 2 * active.len() {
        remarks.push("ports that are never used have no row");
    }
    if (1..platform.links().len()).contains(&count(|port| matches!(port, Port::Link(_)))) {
        remarks.push("a row is a link; links that are never used have none");
    }
    if count(|port| port == Port::Both) > 0 {
        remarks.push(
            "in a row of a half-duplex port, boxes with a dark foot are received, the others sent",
        );
    }
    let rows = own
        .into_iter()
        .map(|((node, port), own)| ChartRow {
            node,
            port,
            lanes: lanes(bars, own),
        })
        .collect();
    (rows, remarks)
}

/// Puts bars into the fewest lanes without overlap: in order of their start, each into a free lane, after a bar of the
/// same link if possible.
fn lanes(bars: &[Bar], mut own: Vec<usize>) -> Vec<Vec<usize>> {
    let bar = |index: usize| bars.get(index);
    own.sort_by(|&a, &b| {
        let key = |index| bar(index).map(|bar| (&bar.start, &bar.end, bar.activity));
        key(a).cmp(&key(b)).then(a.cmp(&b))
    });
    let mut lanes: Vec<(Vec<usize>, &Rational)> = Vec::new();
    for index in own {
        let Some(bar) = bar(index) else { continue };
        let free = |(_, end): &(Vec<usize>, &Rational)| **end <= bar.start;
        let same = |(lane, _): &(Vec<usize>, &Rational)| {
            let last = lane.last().and_then(|&last| bars.get(last));
            last.is_some_and(|last| last.activity == bar.activity)
        };
        let number = lanes.iter().position(|lane| free(lane) && same(lane));
        let number = number.or_else(|| lanes.iter().position(free));
        match number.and_then(|number| lanes.get_mut(number)) {
            Some((lane, end)) => {
                lane.push(index);
                *end = &bar.end;
            }
            None => lanes.push((vec![index], &bar.end)),
        }
    }
    lanes.into_iter().map(|(lane, _)| lane).collect()
}

/// Joins the narrow bars of every lane into runs, so that at most `most` boxes are drawn if possible: bars of one
/// colour first, then bars of several. The width below which bars are joined starts at 0.3 px and doubles until they
/// are few enough. `spans` and `colours` are per bar.
pub(in crate::svg) fn runs(
    rows: &[ChartRow],
    bars: &[Bar],
    spans: &[(f64, f64)],
    colours: &[usize],
    most: usize,
) -> Vec<Vec<Vec<DrawnRun>>> {
    let (mut alike, mut mixed) = (NARROW, NARROW);
    loop {
        let join = |lane: &Vec<usize>| join(lane, bars, spans, colours, alike, mixed);
        let runs: Vec<Vec<Vec<DrawnRun>>> = rows
            .iter()
            .map(|row| row.lanes.iter().map(join).collect())
            .collect();
        let boxes: usize = runs.iter().flatten().map(Vec::len).sum();
        if boxes <= most || mixed > WIDE {
            return runs;
        }
        *(if alike > WIDE { &mut mixed } else { &mut alike }) *= 2.0;
    }
}

/// Joins neighbours of one colour that are narrower than `alike` and less than that distance apart, and others narrower
/// than `mixed`.
fn join(
    lane: &[usize],
    bars: &[Bar],
    spans: &[(f64, f64)],
    colours: &[usize],
    alike: f64,
    mixed: f64,
) -> Vec<DrawnRun> {
    let message = |bar: usize| {
        lane.get(bar)
            .and_then(|&index| bars.get(index))
            .map(|bar| bar.message)
    };
    let colour = |bar: usize| lane.get(bar).and_then(|&index| colours.get(index));
    // A run, and the width of its widest bar.
    let mut runs: Vec<(DrawnRun, f64)> = Vec::new();
    for (first, &index) in lane.iter().enumerate() {
        let &(left, right) = spans.get(index).unwrap_or(&(0.0, 0.0));
        let width = right - left;
        let joins = |(run, widest): &(DrawnRun, f64)| {
            let same = !run.mixed && colour(run.first) == colour(first);
            let most = if same { alike } else { mixed };
            width.max(*widest) < most && left - run.right < most
        };
        match runs.last_mut().filter(|last| joins(last)) {
            Some((run, widest)) => {
                run.count += 1;
                run.right = right;
                run.various |= message(run.first) != message(first);
                run.mixed |= colour(run.first) != colour(first);
                *widest = width.max(*widest);
            }
            None => runs.push((
                DrawnRun {
                    first,
                    count: 1,
                    left,
                    right,
                    various: false,
                    mixed: false,
                },
                width,
            )),
        }
    }
    runs.into_iter().map(|(run, _)| run).collect()
}
