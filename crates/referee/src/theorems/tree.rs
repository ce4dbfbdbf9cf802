//! Trees: how several goals of one demand pay for the tasks that serve them together.
//!
//! An instance contains a reduction tree for each goal `g`: follow the wanted part back to the operands, one task for
//! every value. Its tasks make or move different parts, or move one part along a path. So it costs, when task `t` costs
//! `g` its share `q(g, t)`, at least
//!
//! - `C[S][j]`, the least price of having part `S` at node `j`: 0 at the owner of an operand; the least over splits
//!   `S = L + R` of `C[L][j] + C[R][j] + q(g, merge)`; the least over links `(i, j)` of
//!   `C[S][i] + q(g, transfer of S)`.
//!
//! The instance pays every task at least once that serves any goal, and the shares of a task add up to its price at
//! most. So it costs at least the sum over the goals. (Values that differ in their operands' order do not exist: trees
//! are only for operators that are not commutative.)

use std::collections::BTreeMap;

use num_bigint::{BigInt, BigUint};
use num_traits::Zero;
use oneport_plan::inequality::Tree;
use oneport_plan::{Interval, Task};
use oneport_platform::{NodeId, PerNode, Rational};

use super::asked::{Asked, scaled};
use crate::Violation;
use crate::arithmetic::is_positive;
use crate::case::Case;
use crate::charges::Charges;
use crate::violation::{bad_price, fault, no_link, no_node, part_name, unordered};

/// Limit: steps of the program of a goal.
const MAX_STEPS: u128 = 1 << 27;

/// The demand is a scheme whose operands keep their order; goal and tasks exist; the program is not too large.
pub(super) fn check(asked: &Asked<'_, '_>, tree: &Tree) -> Result<(), Violation> {
    let demand = asked.demand;
    if !(demand.kind().combines() && demand.kind().copies()) || demand.commutative {
        let why = if demand.commutative {
            "its operands may be combined in any order"
        } else {
            "it has a single goal"
        };
        let why = if demand.operands.len() < 2 {
            "it combines nothing"
        } else {
            why
        };
        return Err(fault!(Certificate, "the demand has no trees, since {why}"; "leave it out"));
    }
    let goals = demand.goals();
    let Some(&(_, whole)) = goals.get(tree.goal) else {
        let (goal, goals) = (tree.goal, goals.len());
        return Err(
            fault!(Certificate, "goal {goal} does not exist"; "the demand has {goals}, numbered from 0"),
        );
    };
    if !tree.prices.is_sorted_by(|one, other| one.0 < other.0) {
        return Err(unordered("its tasks"));
    }
    for (task, price) in &tree.prices {
        check_task(asked.case, *task, whole)?;
        if !is_positive(price) {
            return Err(bad_price("a task", price));
        }
    }
    let (operands, goals) = (demand.operands.len(), goals.len() as u128);
    let steps = steps(asked).saturating_mul(goals);
    if steps > MAX_STEPS {
        let found = format!("the trees of {operands} operands take {steps} steps to check");
        return Err(fault!(Certificate, "{found}"; "the limit is {MAX_STEPS}; leave them out"));
    }
    Ok(())
}

/// With `n` operands, `v` nodes and `e` links O(v n^3 + (v^2 + e) n^2) operations.
fn steps(asked: &Asked<'_, '_>) -> u128 {
    let platform = asked.case.platform;
    let (nodes, links) = (
        platform.nodes().len() as u128,
        platform.links().len() as u128,
    );
    let n = asked.demand.operands.len() as u128;
    (n * n * n / 6)
        .saturating_mul(nodes)
        .saturating_add((n * n).saturating_mul(nodes * nodes + links))
}

pub(super) fn charge(
    asked: &Asked<'_, '_>,
    tree: &Tree,
    weight: &Rational,
    charges: &mut Charges<'_>,
) -> Result<Rational, Violation> {
    let prices = scaled(&tree.prices, weight, charges);
    for (task, price) in &prices {
        *charges.tasks.entry(*task).or_default() += BigInt::from(price.clone());
    }
    let Some(&(node, whole)) = asked.demand.goals().get(tree.goal) else {
        return Ok(Rational::zero());
    };
    let goal = Goal {
        case: *asked.case,
        owners: asked.demand.operands,
        whole,
        shares: prices.into_iter().collect(),
    };
    // A goal that nothing reaches is refused elsewhere.
    Ok(Rational::from_integer(
        goal.cheapest(node).unwrap_or_default().into(),
    ))
}

/// One goal, and what tasks cost it.
struct Goal<'g> {
    case: Case<'g>,
    owners: &'g [NodeId],
    whole: Interval,
    shares: BTreeMap<Task, BigUint>,
}

/// Per node: a price. `None` if unreachable.
type Labels = PerNode<Option<BigUint>>;

impl Goal<'_> {
    /// The price of the cheapest reduction tree. `None` without one.
    fn cheapest(&self, target: NodeId) -> Option<BigUint> {
        let Interval { first, last } = self.whole;
        let mut prices: BTreeMap<Interval, Labels> = BTreeMap::new();
        for operands in 1..=last + 1 - first {
            for first in first..=last + 1 - operands {
                let part = Interval {
                    first,
                    last: first + operands - 1,
                };
                let mut labels = self.made(part, &prices);
                self.send(part, &mut labels);
                prices.insert(part, labels);
            }
        }
        prices.remove(&self.whole)?[target].take()
    }

    /// Prices of owning a part, or of making it from two parts.
    fn made(&self, part: Interval, prices: &BTreeMap<Interval, Labels>) -> Labels {
        let platform = self.case.platform;
        let mut labels: Labels = platform.per_node(None);
        if part.first == part.last {
            labels[self.owners[part.first]] = Some(BigUint::zero());
        }
        for split in part.first..part.last {
            let halves = [(part.first, split), (split + 1, part.last)];
            let [Some(left), Some(right)] =
                halves.map(|(first, last)| prices.get(&Interval { first, last }))
            else {
                continue;
            };
            for node in platform.mergers() {
                let (Some(left), Some(right)) = (&left[node], &right[node]) else {
                    continue;
                };
                let mut price = left + right;
                if let Some(share) = self.shares.get(&Task::merge(node, part, split)) {
                    price += share;
                }
                improve(&mut labels[node], price);
            }
        }
        labels
    }

    /// Sends a part along cheapest paths: Dijkstra's algorithm from all nodes that have it.
    fn send(&self, part: Interval, labels: &mut Labels) {
        let platform = self.case.platform;
        let mut settled = platform.per_node(false);
        loop {
            let open = platform.node_ids().filter(|&node| !settled[node]);
            let nearest = open
                .filter_map(|node| Some((labels[node].as_ref()?, node)))
                .min();
            let Some((price, node)) = nearest.map(|(price, node)| (price.clone(), node)) else {
                return;
            };
            settled[node] = true;
            for &link in platform.outgoing(node) {
                let to = platform.link(link).to;
                if settled[to] {
                    continue;
                }
                let next = match self.shares.get(&Task::send(link, part)) {
                    Some(share) => &price + share,
                    None => price.clone(),
                };
                improve(&mut labels[to], next);
            }
        }
    }
}

fn improve(label: &mut Option<BigUint>, candidate: BigUint) {
    if label.as_ref().is_none_or(|label| candidate < *label) {
        *label = Some(candidate);
    }
}

/// Checks that the task exists and makes or moves a part of the goal's operands.
fn check_task(case: &Case<'_>, task: Task, whole: Interval) -> Result<(), Violation> {
    let part = task.part();
    let wrong = |what: String, right: String| {
        Err(fault!(Certificate, "{what} is no task of the goal"; "{right}"))
    };
    if part.first > part.last || part.first < whole.first || part.last > whole.last {
        return wrong(
            part_name(&part),
            format!("the goal combines {}; list parts of it", part_name(&whole)),
        );
    }
    if task.inputs().next().is_some() {
        let right = "a price is of the task whatever its inputs; name none";
        return wrong("a task with inputs".into(), right.to_string());
    }
    match task {
        Task::Send { link, .. } => {
            let exists = link.index() < case.platform.links().len();
            if exists {
                Ok(())
            } else {
                Err(no_link("the", link, case.platform))
            }
        }
        Task::Merge { node, split, .. } => {
            let Some(found) = case.platform.nodes().get(node.index()) else {
                return Err(no_node("the processor", node, case.platform));
            };
            if !found.merges() {
                return wrong(
                    format!("a merge at '{}'", found.name),
                    "the node is a router, which merges nothing".into(),
                );
            }
            if split < part.first || split >= part.last {
                let what = format!("a merge of {} after operand {split}", part_name(&part));
                let right = "the left part ends at one of its operands, but not at the last";
                return wrong(what, right.to_string());
            }
            Ok(())
        }
    }
}
