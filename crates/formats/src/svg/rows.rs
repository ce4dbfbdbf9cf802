//! Rows of a chart: one per port or processor, split into lanes where a port does several things at a time.

use std::collections::{BTreeMap, BTreeSet};

use oneport_platform::{NodeId, Platform, Rational};

use super::occupancy::{Activity, Bar};
use super::words;

/// Up to this many active nodes, idle ports keep an empty row; beyond, only ports in use have one.
const SHOW_IDLE: usize = 12;
/// A bar narrower than this, in pixels, is not drawn apart.
const NARROW: f64 = 0.3;

/// The two directions of a node's port, and its processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Port {
    Send,
    Receive,
    Compute,
}

impl Port {
    pub(super) fn label(self) -> &'static str {
        match self {
            Port::Send => "send",
            Port::Receive => "recv",
            Port::Compute => "comp",
        }
    }

    /// What a row holds: "transfer" or "merge".
    pub(super) fn activity(self) -> &'static str {
        if self == Port::Compute { "merge" } else { "transfer" }
    }
}

/// What one port does: lanes of bars, by their index, in order of time. One-port models need one lane.
pub(super) struct Row {
    pub node: NodeId,
    pub port: Port,
    pub lanes: Vec<Vec<usize>>,
}

/// Consecutive bars of one lane drawn as one box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Run {
    /// Place of the first bar in its lane.
    pub first: usize,
    /// Number of bars.
    pub count: usize,
    pub left: f64,
    pub right: f64,
    /// Whether the bars carry different messages.
    pub mixed: bool,
}

/// The rows of all active nodes in platform order, and whether idle ports were left out.
pub(super) fn rows(platform: &Platform, bars: &[Bar]) -> (Vec<Row>, bool) {
    let mut ports: BTreeMap<(NodeId, Port), Vec<usize>> = BTreeMap::new();
    for (index, bar) in bars.iter().enumerate() {
        match bar.activity {
            Activity::Merge { node, .. } => ports.entry((node, Port::Compute)).or_default().push(index),
            Activity::Transfer(link) => {
                let Some(link) = words::link(platform, link) else { continue };
                ports.entry((link.from, Port::Send)).or_default().push(index);
                ports.entry((link.to, Port::Receive)).or_default().push(index);
            }
        }
    }
    let active: BTreeSet<NodeId> = ports.keys().map(|&(node, _)| node).collect();
    if active.len() <= SHOW_IDLE {
        for &node in &active {
            ports.entry((node, Port::Send)).or_default();
            ports.entry((node, Port::Receive)).or_default();
        }
    }
    let left_out = ports.keys().filter(|(_, port)| *port != Port::Compute).count() < 2 * active.len();
    let rows = ports.into_iter().map(|((node, port), own)| Row { node, port, lanes: lanes(bars, own) }).collect();
    (rows, left_out)
}

/// Puts bars into the fewest lanes without overlap: in order of their start, each into the first lane that is free.
fn lanes(bars: &[Bar], mut own: Vec<usize>) -> Vec<Vec<usize>> {
    let bar = |index: usize| bars.get(index);
    own.sort_by(|&a, &b| {
        let key = |index| bar(index).map(|bar| (&bar.start, &bar.end, bar.activity));
        key(a).cmp(&key(b)).then(a.cmp(&b))
    });
    let mut lanes: Vec<(Vec<usize>, &Rational)> = Vec::new();
    for index in own {
        let Some(bar) = bar(index) else { continue };
        match lanes.iter_mut().find(|(_, end)| **end <= bar.start) {
            Some((lane, end)) => {
                lane.push(index);
                *end = &bar.end;
            }
            None => lanes.push((vec![index], &bar.end)),
        }
    }
    lanes.into_iter().map(|(lane, _)| lane).collect()
}

/// Joins the narrow bars of every lane into runs, so that at most `most` boxes are drawn where possible: the width
/// below which bars are joined starts at 0.3 px and doubles until they are few enough.
pub(super) fn runs(rows: &[Row], bars: &[Bar], spans: &[(f64, f64)], most: usize) -> Vec<Vec<Vec<Run>>> {
    let mut narrow = NARROW;
    loop {
        let runs: Vec<Vec<Vec<Run>>> =
            rows.iter().map(|row| row.lanes.iter().map(|lane| join(lane, bars, spans, narrow)).collect()).collect();
        let boxes: usize = runs.iter().flatten().map(Vec::len).sum();
        if boxes <= most || narrow > 100.0 {
            return runs;
        }
        narrow *= 2.0;
    }
}

/// Joins neighbours narrower than `narrow` that lie less than `narrow` apart.
fn join(lane: &[usize], bars: &[Bar], spans: &[(f64, f64)], narrow: f64) -> Vec<Run> {
    let message = |place: usize| lane.get(place).and_then(|&index| bars.get(index)).map(|bar| bar.message);
    let mut runs: Vec<(Run, bool)> = Vec::new();
    for (first, &index) in lane.iter().enumerate() {
        let &(left, right) = spans.get(index).unwrap_or(&(0.0, 0.0));
        let thin = right - left < narrow;
        match runs.last_mut() {
            Some((run, true)) if thin && left - run.right < narrow => {
                run.count += 1;
                run.right = right;
                run.mixed |= message(run.first) != message(first);
            }
            _ => runs.push((Run { first, count: 1, left, right, mixed: false }, thin)),
        }
    }
    runs.into_iter().map(|(run, _)| run).collect()
}
