//! The aggregated flow program: one commodity per source (or per target), however many messages.
//!
//! Symbols: `x[g, e]` messages of group `g` sent over link `e` per instance of the collective; `T` time per
//! instance, the inverse of the throughput.
//!
//! ```text
//! minimise T subject to
//!   for each group g and node v other than its root:  in(v) - out(v) = 1 if v is a leaf of g, else 0
//!   for each resource r (port or link):  sum over links e that occupy r, groups g:  size c(e) x[g, e] <= cap_r T
//! ```
//!
//! A group is a source with its targets, or a target with its sources (then the balance is `out - in`), whichever
//! makes fewer groups. Why one commodity is enough: a flow from one root splits into paths to the leaves, and the
//! path that ends at a leaf carries that leaf's message (RR-4872 section 3.1 uses one commodity per target).
//! Links into the root of a group are left out: a message that comes back is a detour.
//!
//! The dual solution of the port rows is the price certificate: with prices adding up to 1, `T` is the price of the
//! cheapest paths of all messages of one instance.

pub(crate) mod crash_basis;
mod decompose;
pub(crate) mod multiplicative_weights;

pub use decompose::{GroupFlow, split};

use std::collections::BTreeMap;

use num_traits::{One, Zero};
use oneport_exact::{Column, ExactError, LinearProgram, Relation, Row, Sense};
use oneport_plan::Resource;
use oneport_platform::{LinkId, NodeId, Rational};

use crate::Question;
use crate::resources::Resources;

/// Which end the messages of a group share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// One source, many targets.
    Source,
    /// One target, many sources.
    Target,
}

/// Messages that share an end and travel as one flow.
#[derive(Debug, Clone)]
pub struct Group {
    /// The shared end.
    pub root: NodeId,
    /// Whether it is the source or the target.
    pub side: Side,
    /// The other ends, with the place of each message among the commodities.
    pub leaves: Vec<(NodeId, usize)>,
}

impl Group {
    /// Whether the group's flow may use a link: nothing flows back into the root.
    fn uses(&self, from: NodeId, to: NodeId) -> bool {
        match self.side {
            Side::Source => to != self.root,
            Side::Target => from != self.root,
        }
    }
}

/// The groups of a question: by source or by target, whichever are fewer.
pub fn groups(question: &Question<'_>) -> Vec<Group> {
    let by = |side: Side| {
        let mut groups: BTreeMap<NodeId, Vec<(NodeId, usize)>> = BTreeMap::new();
        for (place, commodity) in question.commodities().iter().enumerate() {
            let (root, leaf) = match side {
                Side::Source => (commodity.source, commodity.target),
                Side::Target => (commodity.target, commodity.source),
            };
            groups.entry(root).or_default().push((leaf, place));
        }
        groups.into_iter().map(|(root, leaves)| Group { root, side, leaves }).collect::<Vec<_>>()
    };
    let (sources, targets) = (by(Side::Source), by(Side::Target));
    if sources.len() <= targets.len() { sources } else { targets }
}

/// A flow variable: messages of a group on a link.
#[derive(Debug, Clone, Copy)]
pub struct Flow {
    /// Place of the group.
    pub group: usize,
    /// The link.
    pub link: LinkId,
    /// The program's column.
    pub column: Column,
}

/// The program and what its rows and columns stand for.
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

/// What the ports may spend.
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
pub fn build(question: &Question<'_>, budget: &Budget) -> Result<FlowProgram, ExactError> {
    let platform = question.platform();
    let groups = groups(question);
    let mut program = LinearProgram::new(Sense::Minimize);
    let (room, demand) = match budget {
        Budget::Least => (Rational::zero(), Rational::one()),
        Budget::Fixed { period, instances } => (period.clone(), instances.clone()),
        Budget::Most { period } => (period.clone(), Rational::zero()),
    };
    let resources = Resources::new(platform, false);
    let row = |place| program.add_row(Relation::AtMost, &room * resources.capacity(place));
    let rows: Vec<Row> = (0..resources.count()).map(row).collect();
    let ports = resources.list().zip(rows.iter().copied()).collect();
    let times: Vec<Rational> = platform.link_ids().map(|link| question.time(link)).collect();
    let nodes = platform.nodes().len();
    let balances: Vec<_> = groups.iter().map(|group| balance_rows(&mut program, nodes, group, &demand)).collect();
    let time = match budget {
        Budget::Least => {
            let taken = rows.iter().enumerate().map(|(place, &row)| (row, -resources.capacity(place)));
            Some(program.add_column(Rational::one(), taken)?)
        }
        Budget::Fixed { .. } => None,
        Budget::Most { .. } => {
            let leaves = groups.iter().zip(&balances).flat_map(|(group, balance)| {
                group.leaves.iter().filter_map(|(leaf, _)| Some((balance[leaf.index()]?, -Rational::one())))
            });
            Some(program.add_column(-Rational::one(), leaves)?)
        }
    };
    let mut flows = Vec::new();
    for (place, (group, balance)) in groups.iter().zip(&balances).enumerate() {
        let (plus, minus) = match group.side {
            Side::Source => (Rational::one(), -Rational::one()),
            Side::Target => (-Rational::one(), Rational::one()),
        };
        for link in platform.link_ids() {
            let (from, to) = (platform.link(link).from, platform.link(link).to);
            if !group.uses(from, to) {
                continue;
            }
            let time = &times[link.index()];
            let ends = [(balance[to.index()], &plus), (balance[from.index()], &minus)];
            let ends = ends.into_iter().filter_map(|(row, value)| Some((row?, value.clone())));
            let entries = resources.of_link(link).iter().map(|&place| (rows[place], time.clone())).chain(ends);
            let column = program.add_column(Rational::zero(), entries)?;
            flows.push(Flow { group: place, link, column });
        }
    }
    Ok(FlowProgram { program, groups, flows, time, ports })
}

/// One balance row per node other than the root.
fn balance_rows(program: &mut LinearProgram, nodes: usize, group: &Group, demand: &Rational) -> Vec<Option<Row>> {
    let mut wanted = vec![Rational::zero(); nodes];
    for &(leaf, _) in &group.leaves {
        wanted[leaf.index()] += demand;
    }
    let row = |(node, wanted): (usize, Rational)| {
        (node != group.root.index()).then(|| program.add_row(Relation::Equal, wanted))
    };
    wanted.into_iter().enumerate().map(row).collect()
}
