//! The aggregated flow program: one commodity per source (or per target), however many messages.
//!
//! Symbols: `x[g, e]` messages of group `g` sent over link `e` per instance of the collective. `T` time per instance,
//! the inverse of the throughput.
//!
//! ```text
//! minimise T subject to
//!   for each group g and node v other than its root:  in(v) - out(v) = rate of v if v is a leaf of g, else 0
//!   for each resource r (port or link):  sum over links e that occupy r, groups g:  size c(e) x[g, e] <= cap_r T
//! ```
//!
//! A group is a source with its targets, or a target with its sources (then the balance is `out - in`). The choice that
//! makes fewer groups is taken. One commodity per group is enough: a flow from one root splits into paths to the
//! leaves, and the path that ends at a leaf carries that leaf's message (RR-4872 section 3.1 uses one commodity per
//! target). Links into the root of a group are left out: a message that comes back is a detour.
//!
//! The dual solution of the port rows is the price certificate: with prices adding up to 1, `T` is the price of the
//! cheapest paths of all messages of one instance.

pub(crate) mod crash_basis;
pub(crate) mod multiplicative_weights;
pub(crate) mod spread;

pub use oneport_extract::paths::{Group, Leaf, Side};

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use num_traits::{One, Zero};
use oneport_exact::{Column, ExactError, LinearProgram, Relation, Row, Sense};
use oneport_extract::paths::paths;
use oneport_plan::{Commodity, Pattern, Resource};
use oneport_platform::{LinkId, NodeId, PerLink, PerNode, Rational, whole};

use crate::resources::Resources;
use crate::{LpError, Question};

/// Amounts by link for one group, and the demand of each leaf, in one integer unit.
pub type GroupFlow = BTreeMap<LinkId, BigInt>;

/// Whether a group's flow may use a link: nothing flows back into the root.
fn uses(group: &Group, from: NodeId, to: NodeId) -> bool {
    match group.side {
        Side::Source => to != group.root,
        Side::Target => from != group.root,
    }
}

/// The groups of a question, by source or by target: the choice with fewer groups.
pub fn groups(question: &Question) -> Vec<Group> {
    let messages = question.collective().messages();
    let grouped = |side: Side| {
        let mut groups: BTreeMap<NodeId, Vec<Leaf>> = BTreeMap::new();
        for (demand, &(commodity, rate)) in messages.iter().enumerate() {
            let (root, node) = match side {
                Side::Source => (commodity.source, commodity.target),
                Side::Target => (commodity.target, commodity.source),
            };
            let leaf = Leaf { node, demand, rate };
            groups.entry(root).or_default().push(leaf);
        }
        groups
            .into_iter()
            .map(|(root, leaves)| Group { root, side, leaves })
            .collect::<Vec<_>>()
    };
    let (sources, targets) = (grouped(Side::Source), grouped(Side::Target));
    if sources.len() <= targets.len() {
        sources
    } else {
        targets
    }
}

/// Flow variables up to which a program is solved although each pair of nodes has one path. Trades time for prices of
/// all busy resources, not of one. Not measured.
const MOST_FLOWS: usize = 1 << 14;

/// Whether a program of flows is large.
pub fn is_large(question: &Question) -> bool {
    let ends = |of: fn(&Commodity) -> NodeId| {
        question
            .commodities()
            .iter()
            .map(of)
            .collect::<BTreeSet<_>>()
            .len()
    };
    let groups = ends(|commodity| commodity.source).min(ends(|commodity| commodity.target));
    groups.saturating_mul(question.platform().links().len()) > MOST_FLOWS
}

/// A flow variable: messages of a group on a link.
#[derive(Debug, Clone, Copy)]
pub struct Flow {
    /// Index of the group.
    pub group: usize,
    /// The link.
    pub link: LinkId,
    /// The program's column.
    pub column: Column,
}

/// The program and the meaning of its rows and columns.
pub struct FlowProgram {
    /// The program.
    pub program: LinearProgram,
    /// The groups.
    pub groups: Vec<Group>,
    /// The flow variables.
    pub flows: Vec<Flow>,
    /// The variable `T` or the number of instances, absent when both are fixed.
    pub time: Option<Column>,
    /// The port rows.
    pub ports: Vec<(Resource, Row)>,
}

/// Time available at the ports.
#[derive(Debug, Clone)]
pub enum Budget {
    /// As little as possible for one instance: `T` is a variable.
    Least,
    /// This much time for this many instances: a feasibility program.
    Fixed {
        /// Length of the period.
        period: Rational,
        /// Instances per period.
        instances: Rational,
    },
    /// As many instances as fit into this much time: their number is a variable.
    Most {
        /// Length of the period.
        period: Rational,
    },
}

/// Builds the program.
///
/// # Errors
/// None in practice: the program is built consistently.
pub fn build(question: &Question, budget: &Budget) -> Result<FlowProgram, ExactError> {
    let platform = question.platform();
    let groups = groups(question);
    let mut program = LinearProgram::new(Sense::Minimize);
    let (room, demand) = match budget {
        Budget::Least => (Rational::zero(), Rational::one()),
        Budget::Fixed { period, instances } => (period.clone(), instances.clone()),
        Budget::Most { period } => (period.clone(), Rational::zero()),
    };
    let resources = Resources::new(platform, false);
    let row = |index| program.add_row(Relation::AtMost, &room * resources.capacity(index));
    let rows: Vec<Row> = (0..resources.count()).map(row).collect();
    let ports = resources.list().zip(rows.iter().copied()).collect();
    let times: PerLink<Rational> = platform
        .link_ids()
        .map(|link| question.time(link))
        .collect();
    let nodes = platform.nodes().len();
    let balances: Vec<_> = groups
        .iter()
        .map(|group| balance_rows(&mut program, nodes, group, &demand))
        .collect();
    let time = match budget {
        Budget::Least => {
            let taken = rows
                .iter()
                .enumerate()
                .map(|(index, &row)| (row, -resources.capacity(index)));
            Some(program.add_column(Rational::one(), taken)?)
        }
        Budget::Fixed { .. } => None,
        Budget::Most { .. } => {
            let leaves = groups.iter().zip(&balances).flat_map(|(group, balance)| {
                let rate = |leaf: &Leaf| -whole(leaf.rate);
                group
                    .leaves
                    .iter()
                    .filter_map(move |leaf| Some((balance[leaf.node.index()]?, rate(leaf))))
            });
            Some(program.add_column(-Rational::one(), leaves)?)
        }
    };
    let mut flows = Vec::new();
    for (index, (group, balance)) in groups.iter().zip(&balances).enumerate() {
        let (plus, minus) = match group.side {
            Side::Source => (Rational::one(), -Rational::one()),
            Side::Target => (-Rational::one(), Rational::one()),
        };
        for link in platform.link_ids() {
            let (from, to) = (platform.link(link).from, platform.link(link).to);
            if !uses(group, from, to) {
                continue;
            }
            let time = &times[link];
            let ends = [
                (balance[to.index()], &plus),
                (balance[from.index()], &minus),
            ];
            let ends = ends
                .into_iter()
                .filter_map(|(row, value)| Some((row?, value.clone())));
            let entries = resources
                .times(link, time)
                .map(|(index, time)| (rows[index], time))
                .chain(ends);
            let column = program.add_column(Rational::zero(), entries)?;
            flows.push(Flow {
                group: index,
                link,
                column,
            });
        }
    }
    Ok(FlowProgram {
        program,
        groups,
        flows,
        time,
        ports,
    })
}

/// One balance row per node other than the root.
fn balance_rows(
    program: &mut LinearProgram,
    nodes: usize,
    group: &Group,
    demand: &Rational,
) -> Vec<Option<Row>> {
    let mut wanted: PerNode<Rational> = vec![Rational::zero(); nodes].into();
    for leaf in &group.leaves {
        wanted[leaf.node] += demand * whole(leaf.rate);
    }
    let row = |(node, wanted): (usize, Rational)| {
        (node != group.root.index()).then(|| program.add_row(Relation::Equal, wanted))
    };
    wanted.into_iter().enumerate().map(row).collect()
}

/// Splits the flows of all groups into paths, sorted by commodity.
pub fn split(
    question: &Question,
    groups: &[Group],
    flows: &[GroupFlow],
    demand: &BigInt,
) -> Result<Vec<(Pattern, BigInt)>, LpError> {
    let mut all = Vec::new();
    for (group, flow) in groups.iter().zip(flows) {
        let paths = paths(question.platform(), group, flow, demand);
        all.extend(paths.ok_or(LpError::Contradiction("a flow does not serve its targets"))?);
    }
    all.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(merge_equal(all))
}

/// Adds up amounts of equal patterns. The list is sorted.
fn merge_equal(sorted: Vec<(Pattern, BigInt)>) -> Vec<(Pattern, BigInt)> {
    let mut merged: Vec<(Pattern, BigInt)> = Vec::with_capacity(sorted.len());
    for (pattern, amount) in sorted {
        match merged.last_mut() {
            Some((last, total)) if *last == pattern => *total += amount,
            _ => merged.push((pattern, amount)),
        }
    }
    merged
}
