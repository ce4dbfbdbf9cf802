//! Formats paths, trees and schemes, one per line.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use oneport::plan::{Goals, Interval, Kind, Pattern, Task};
use oneport::platform::names::{self, common};
use oneport::{Collective, NodeId, Plan};

use crate::words::numbers::Shown;
use crate::words::output::{count, few};
use crate::words::tables::{Sheet, first, plain, wide};

/// Default limits on rows, chains of a pattern and merges of a pattern.
const ROWS: usize = 20;
const CHAINS: usize = 8;
const MERGES: usize = 8;

/// The plural noun for the collective's patterns, and the noun for one step of them.
pub fn words(collective: &Collective) -> (&'static str, &'static str) {
    match collective.blocks()[..] {
        [block] if collective.members().is_empty() => {
            let Speech { plural, step, .. } = speech(block.kind);
            (plural, step)
        }
        _ => ("patterns", "task"),
    }
}

/// The nouns for patterns of a kind.
struct Speech {
    plural: &'static str,
    step: &'static str,
    /// Whether a pattern is described by its merges instead of its hops.
    merges: bool,
}

fn speech(kind: Kind) -> Speech {
    let (plural, step, merges) = match kind {
        Kind::Route => ("paths", "hop", false),
        Kind::Copy => ("trees", "hop", false),
        Kind::Combine => ("trees", "task", true),
        Kind::CombineCopy | Kind::Prefix => ("schemes", "task", true),
    };
    Speech {
        plural,
        step,
        merges,
    }
}

/// The kind of a pattern's demand.
pub fn kind_of(plan: &Plan<'_>, pattern: &Pattern) -> Option<Kind> {
    plan.collective()
        .demand(pattern.demand)
        .map(|demand| demand.kind())
}

/// All patterns, each in full.
pub fn all(plan: &Plan<'_>, shown: Shown) -> String {
    wide(&sheet(plan, shown))
}

/// All patterns as a table, each in full.
pub fn sheet(plan: &Plan<'_>, shown: Shown) -> Sheet {
    let rows = plan.steady_state.patterns.iter().map(|weighted| {
        let line = full(plan, &weighted.pattern);
        vec![shown.rate(&weighted.weight), line]
    });
    let (name, _) = words(plan.collective());
    plain(&[shown.per(), name], &[], rows)
}

/// One of each class of alike patterns: as frequent, and with names that differ in digits only.
pub fn classes(plan: &Plan<'_>, shown: Shown) -> String {
    let mut indices: BTreeMap<(String, Vec<String>), usize> = BTreeMap::new();
    let mut rows: Vec<(String, usize, String)> = Vec::new();
    for weighted in &plan.steady_state.patterns {
        let rate = shown.rate(&weighted.weight);
        let index = *indices
            .entry((rate.clone(), shape(plan, &weighted.pattern)))
            .or_insert(rows.len());
        match rows.get_mut(index) {
            Some((_, alike, _)) => *alike += 1,
            None => rows.push((rate, 1, line(plan, &weighted.pattern, CHAINS))),
        }
    }
    let (name, _) = words(plan.collective());
    let times = |alike| {
        if alike == 1 {
            String::new()
        } else {
            format!("{alike} alike")
        }
    };
    let rows = rows
        .into_iter()
        .map(|(rate, alike, line)| vec![rate, times(alike), line])
        .collect();
    first(&[shown.per(), "", name], rows, ROWS, "--patterns")
}

/// Its tasks, in any order, without the numbers in the names of nodes.
fn shape(plan: &Plan<'_>, pattern: &Pattern) -> Vec<String> {
    let task = |task: &Task| match task {
        Task::Send { link, .. } => common(&plan.platform().link_name(*link)),
        Task::Merge { node, .. } => common(plan.platform().name(*node)),
    };
    let mut tasks: Vec<String> = pattern.tasks.iter().map(task).collect();
    tasks.sort_unstable();
    tasks
}

/// Every task of a pattern: hops as chains. If values are combined, transfers and merges in their order.
fn full(plan: &Plan<'_>, pattern: &Pattern) -> String {
    if !kind_of(plan, pattern).is_some_and(|kind| speech(kind).merges) {
        return hops_line(plan, pattern, usize::MAX);
    }
    let owners = owners(plan, pattern);
    let task = |task: &Task| match task {
        Task::Send { link, part, .. } => {
            format!(
                "{}: {}",
                value(plan, &owners, *part),
                plan.platform().link_name(*link)
            )
        }
        Task::Merge { .. } => merge(plan, &owners, task).unwrap_or_default(),
    };
    let tasks: Vec<String> = pattern.tasks.iter().map(task).collect();
    format!("{}{}", into(plan, pattern), tasks.join(", "))
}

/// A pattern in one line: its hops or its merges.
pub fn line(plan: &Plan<'_>, pattern: &Pattern, most: usize) -> String {
    let merges = kind_of(plan, pattern).is_some_and(|kind| speech(kind).merges);
    if merges {
        merges_line(plan, pattern, most.max(MERGES))
    } else {
        hops_line(plan, pattern, most)
    }
}

/// Hops as chains. Chains that differ in their ends only share one entry: `a -> b -> {c, d}, d -> e`.
fn hops_line(plan: &Plan<'_>, pattern: &Pattern, most: usize) -> String {
    let mut chains: Vec<(usize, Vec<NodeId>)> = Vec::new();
    for (index, (task, link)) in pattern.tasks.iter().zip(pattern.links()).enumerate() {
        let link = plan.platform().link(link);
        let before = task.inputs().next();
        match chains.iter_mut().find(|(last, _)| before == Some(*last)) {
            Some((last, nodes)) => {
                *last = index;
                nodes.push(link.to);
            }
            None => chains.push((index, vec![link.from, link.to])),
        }
    }
    let mut bundles: Vec<(Vec<NodeId>, Vec<NodeId>)> = Vec::new();
    for (_, mut way) in chains {
        let Some(end) = way.pop() else { continue };
        match bundles.iter_mut().find(|(known, _)| *known == way) {
            Some((_, ends)) => ends.push(end),
            None => bundles.push((way, vec![end])),
        }
    }
    let more = bundles.len().saturating_sub(most);
    let mut text = String::new();
    for (_, ends) in &mut bundles {
        ends.sort_unstable();
    }
    for (way, ends) in bundles.into_iter().take(most) {
        let before = if text.is_empty() { "" } else { ", " };
        let way: Vec<&str> = way
            .into_iter()
            .map(|node| plan.platform().name(node))
            .collect();
        let ends = match ends[..] {
            [end] => plan.platform().name(end).to_string(),
            _ => format!("{{{}}}", names::list(plan.platform(), ends.into_iter())),
        };
        let _ = write!(text, "{before}{} -> {ends}", way.join(" -> "));
    }
    if more > 0 {
        let _ = write!(text, ", ... ({} in all)", count(pattern.tasks.len(), "hop"));
    }
    text
}

/// The merges, with their nodes: `a + b at sw, (a..b) + c at c; 4 transfers`.
fn merges_line(plan: &Plan<'_>, pattern: &Pattern, most: usize) -> String {
    let owners = owners(plan, pattern);
    let merges: Vec<String> = pattern
        .tasks
        .iter()
        .filter_map(|task| merge(plan, &owners, task))
        .collect();
    let transfers = count(pattern.tasks.len() - merges.len(), "transfer");
    let more = format!(", ... ({} in all)", count(merges.len(), "merge"));
    format!(
        "{}{}; {transfers}",
        into(plan, pattern),
        few(merges, most, &more)
    )
}

/// The owners of a pattern's operands, in its own order.
fn owners(plan: &Plan<'_>, pattern: &Pattern) -> Vec<NodeId> {
    let demand = plan.collective().demand(pattern.demand);
    let owners = demand.as_ref().map_or(&[][..], |demand| demand.operands);
    match &pattern.order {
        Some(order) => order
            .iter()
            .filter_map(|&operand| owners.get(operand).copied())
            .collect(),
        None => owners.to_vec(),
    }
}

/// `into a: ` if one node wants the result.
fn into(plan: &Plan<'_>, pattern: &Pattern) -> String {
    match plan
        .collective()
        .demand(pattern.demand)
        .map(|demand| demand.goals)
    {
        Some(Goals::At(target)) => format!("into {}: ", plan.platform().name(target)),
        _ => String::new(),
    }
}

fn merge(plan: &Plan<'_>, owners: &[NodeId], task: &Task) -> Option<String> {
    let Task::Merge {
        node, part, split, ..
    } = task
    else {
        return None;
    };
    let value = |first: usize, last: usize| value(plan, owners, Interval { first, last });
    let (left, right) = (value(part.first, *split), value(split + 1, part.last));
    Some(format!(
        "{left} + {right} at {}",
        plan.platform().name(*node)
    ))
}

/// A partial result by the owners of its operands: `a`, `(a + b)`, `(a .. e)`.
fn value(plan: &Plan<'_>, owners: &[NodeId], part: Interval) -> String {
    let name = |operand: usize| {
        owners.get(operand).map_or_else(
            || format!("value {operand}"),
            |&node| plan.platform().name(node).to_string(),
        )
    };
    match part.last.saturating_sub(part.first) {
        0 => name(part.first),
        1 => format!("({} + {})", name(part.first), name(part.last)),
        _ => format!("({} .. {})", name(part.first), name(part.last)),
    }
}
