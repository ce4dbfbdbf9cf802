//! Shares: how several goals of one demand pay for the tasks that serve them together.
//!
//! An instance contains a reduction tree for each goal `g`: follow the wanted part back to the operands, one task for
//! every value. Its tasks make or move different parts, or move one part along a path; so it costs, when task `t` costs
//! `g` its share `q(g, t)`, at least
//!
//! - `C[S][j]`, the least price of having part `S` at node `j`: 0 at the owner of an operand; the least over splits
//!   `S = L + R` of `C[L][j] + C[R][j] + q(g, merge)`; the least over links `(i, j)` of
//!   `C[S][i] + q(g, transfer of S)`.
//!
//! The instance pays every task at least once that serves any goal, and the shares of a task add up to its price at
//! most. So it costs at least the sum over the goals. (Values that differ in their operands' order do not exist: shares
//! are only for operators that are not commutative.)

use std::collections::BTreeMap;

use num_bigint::BigUint;
use num_traits::Zero;
use oneport_plan::{Certificate, Demand, Interval, Share, Task};
use oneport_platform::{LinkId, NodeId, Rational};

use crate::Violation;
use crate::arithmetic::{Scale, fraction, is_positive, parts};
use crate::case::{Case, Group};
use crate::prices::Prices;
use crate::violation::{bad_price, fault, no_link, no_node, part_name, shown, unordered};

/// Limit: steps of the programs of all goals of a demand.
const MAX_STEPS: u128 = 1 << 27;

/// The shares of a certificate, checked one by one.
pub(crate) struct Shares<'a> {
    case: Case<'a>,
    shares: &'a [Share],
    scale: Scale,
    /// Prices are scaled by this factor, so shares are, too: numerator and denominator.
    factor: (BigUint, BigUint),
}

impl<'a> Shares<'a> {
    /// Checks that shares are sorted, positive, and of existing demands, goals and tasks.
    pub(crate) fn new(case: &Case<'a>, certificate: &'a Certificate, prices: &Prices) -> Result<Shares<'a>, Violation> {
        let shares = certificate.shares.as_slice();
        if !shares.is_sorted_by(|one, other| key(one) < key(other)) {
            return Err(unordered("certificate: the shares"));
        }
        let mut before = 0;
        for of_demand in shares.chunk_by(|one, other| one.demand == other.demand) {
            check_demand(case, before, of_demand)?;
            before += of_demand.len();
        }
        let scale = Scale::new("the shares", shares.iter().map(|share| &share.price), shares.len())?;
        Ok(Shares { case: *case, shares, scale, factor: prices.factor.clone() })
    }

    /// Lower bound on the price of the group's demands per instance by their shares, in the unit of the scaled prices;
    /// 0 without shares.
    ///
    /// With `n` operands, `v` nodes and `e` links O(v n^3 + (v^2 + e) n^2) operations for each goal that has shares.
    pub(crate) fn of_group(&self, group: &Group<'_>, prices: &Prices) -> Result<Rational, Violation> {
        let first = self.shares.partition_point(|share| share.demand < group.first);
        let last = group.first.saturating_add(group.case.demands());
        let of_group = self.shares[first..].split_at(self.shares[first..].partition_point(|one| one.demand < last)).0;
        let mut total = BigUint::zero();
        for of_demand in of_group.chunk_by(|one, other| one.demand == other.demand) {
            let Some(place) = of_demand.first().map(|share| share.demand) else { continue };
            let Some(demand) = self.case.demand(place) else { continue };
            self.check_size(of_demand, &demand, place)?;
            self.check_charges(of_demand, prices, place)?;
            let goals = demand.goals();
            for of_goal in of_demand.chunk_by(|one, other| one.goal == other.goal) {
                self.case.ask()?;
                let Some(&(node, whole)) = of_goal.first().and_then(|share| goals.get(share.goal)) else { continue };
                let shares = of_goal.iter().map(|share| (share.task, self.scale.scaled(&share.price))).collect();
                let goal = Goal { case: self.case, owners: demand.operands, whole, shares };
                // A goal that nothing reaches is refused elsewhere.
                total += goal.cheapest(node).unwrap_or_default();
            }
        }
        Ok(fraction(total * &self.factor.0, &(&self.factor.1 * self.scale.denominator())))
    }

    /// No task's shares add up to more than its price.
    fn check_charges(&self, shares: &[Share], prices: &Prices, demand: usize) -> Result<(), Violation> {
        let mut charged: BTreeMap<Task, BigUint> = BTreeMap::new();
        for share in shares {
            *charged.entry(share.task).or_default() += self.scale.scaled(&share.price);
        }
        let (lengths, merges) = (prices.lengths(&self.case), prices.merges(&self.case));
        let over = &self.factor.1 * self.scale.denominator();
        let free = (BigUint::zero(), BigUint::from(1u32));
        for (task, charge) in charged {
            let ((numerator, denominator), amount) = match task {
                Task::Send { link, part, .. } => (&lengths[link.index()], self.case.size(part)),
                Task::Merge { node, part, split, .. } => {
                    let work = self.case.volumes.work.of_merge(node, part, split).unwrap_or_default();
                    (merges[node.index()].as_ref().unwrap_or(&free), work)
                }
            };
            let (amount, by) = parts(&amount);
            let (charge, cost, cost_over) = (charge * &self.factor.0, numerator * amount, denominator * by);
            if &charge * &cost_over > &cost * &over {
                // In the unit of the certificate.
                let unit = fraction(self.factor.1.clone(), &self.factor.0);
                let (demand, task) = (self.case.demand_name(demand), name(&self.case, task));
                let charged = shown(fraction(charge, &over) * &unit);
                let cost = shown(fraction(cost, &cost_over) * unit);
                let right = format!("it costs {cost}, and they may pay no more");
                return Err(fault!(Overcharge, "the goals of {demand} pay {charged} for {task}"; "{right}"));
            }
        }
        Ok(())
    }

    /// The programs are not too large.
    fn check_size(&self, shares: &[Share], demand: &Demand<'_>, place: usize) -> Result<(), Violation> {
        let platform = self.case.platform;
        let (nodes, links) = (platform.nodes().len() as u128, platform.links().len() as u128);
        let (operands, goals) = (demand.operands.len(), shares.chunk_by(|one, other| one.goal == other.goal).count());
        let n = operands as u128;
        let of_goal =
            (n * n * n / 6).saturating_mul(nodes).saturating_add((n * n).saturating_mul(nodes * nodes + links));
        let steps = of_goal.saturating_mul(goals as u128);
        if steps > MAX_STEPS {
            let demand = self.case.demand_name(place);
            let found = format!("the shares of {demand} ({operands} operands) take {steps} steps to check");
            return Err(fault!(Certificate, "{found}"; "the limit is {MAX_STEPS}; leave them out"));
        }
        Ok(())
    }
}

/// One goal, and what tasks cost it.
struct Goal<'g> {
    case: Case<'g>,
    owners: &'g [NodeId],
    whole: Interval,
    shares: BTreeMap<Task, BigUint>,
}

/// Per node: a price. `None` if unreachable.
type Labels = Vec<Option<BigUint>>;

impl Goal<'_> {
    /// The price of the cheapest reduction tree; `None` without one.
    fn cheapest(&self, target: NodeId) -> Option<BigUint> {
        let Interval { first, last } = self.whole;
        let mut prices: BTreeMap<Interval, Labels> = BTreeMap::new();
        for operands in 1..=last + 1 - first {
            for first in first..=last + 1 - operands {
                let part = Interval { first, last: first + operands - 1 };
                let mut labels = self.made(part, &prices);
                self.send(part, &mut labels);
                prices.insert(part, labels);
            }
        }
        prices.remove(&self.whole)?.swap_remove(target.index())
    }

    /// Prices of owning a part, or of making it from two parts.
    fn made(&self, part: Interval, prices: &BTreeMap<Interval, Labels>) -> Labels {
        let platform = self.case.platform;
        let mut labels: Labels = vec![None; platform.nodes().len()];
        if part.first == part.last {
            labels[self.owners[part.first].index()] = Some(BigUint::zero());
        }
        for split in part.first..part.last {
            let halves = [(part.first, split), (split + 1, part.last)];
            let [Some(left), Some(right)] = halves.map(|(first, last)| prices.get(&Interval { first, last })) else {
                continue;
            };
            for node in platform.processors() {
                let (Some(left), Some(right)) = (&left[node.index()], &right[node.index()]) else { continue };
                let mut price = left + right;
                if let Some(share) = self.shares.get(&Task::merge(node, part, split)) {
                    price += share;
                }
                improve(&mut labels[node.index()], price);
            }
        }
        labels
    }

    /// Sends a part along cheapest paths: Dijkstra's algorithm from all nodes that have it.
    fn send(&self, part: Interval, labels: &mut Labels) {
        let platform = self.case.platform;
        let mut settled = vec![false; labels.len()];
        loop {
            let open = (0..labels.len()).filter(|&node| !settled[node]);
            let nearest = open.filter_map(|node| Some((labels[node].as_ref()?, node))).min();
            let Some((price, node)) = nearest.map(|(price, node)| (price.clone(), node)) else { return };
            settled[node] = true;
            for &link in platform.outgoing(NodeId::new(node)) {
                let to = platform.link(link).to.index();
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

fn key(share: &Share) -> (usize, usize, Task) {
    (share.demand, share.goal, share.task)
}

/// Checks the shares of one demand: it is a scheme whose operands keep their order, and goals and tasks exist. `before`
/// is the number of shares listed earlier.
fn check_demand(case: &Case<'_>, before: usize, shares: &[Share]) -> Result<(), Violation> {
    let Some(share) = shares.first() else { return Ok(()) };
    let Some(demand) = case.demand(share.demand) else {
        let (demand, demands) = (share.demand, case.demands());
        let found = format!("share {before}: demand {demand} does not exist");
        return Err(fault!(Certificate, "{found}"; "an instance has {demands}, numbered from 0"));
    };
    if !(demand.kind().combines() && demand.kind().copies()) || demand.commutative {
        let why = if demand.commutative { "its operands may be combined in any order" } else { "it has a single goal" };
        let why = if demand.operands.len() < 2 { "it combines nothing" } else { why };
        let demand = case.demand_name(share.demand);
        return Err(fault!(Certificate, "share {before}: {demand} has no shares, since {why}"; "leave them out"));
    }
    let goals = demand.goals();
    for (share, place) in shares.iter().zip(before..) {
        let Some(&(_, whole)) = goals.get(share.goal) else {
            let (goal, goals) = (share.goal, goals.len());
            let found = format!("share {place}: goal {goal} does not exist");
            return Err(fault!(Certificate, "{found}"; "the demand has {goals}, numbered from 0"));
        };
        check_task(case, place, share.task, whole)?;
        if !is_positive(&share.price) {
            return Err(bad_price(&format!("share {place}"), &share.price));
        }
    }
    Ok(())
}

/// The task exists and makes or moves a part of what the goal combines.
fn check_task(case: &Case<'_>, share: usize, task: Task, whole: Interval) -> Result<(), Violation> {
    let part = task.part();
    let wrong = |what: String, right: String| {
        Err(fault!(Certificate, "share {share}: {what} is not a task of the goal"; "{right}"))
    };
    if part.first > part.last || part.first < whole.first || part.last > whole.last {
        return wrong(part_name(&part), format!("the goal combines {}; list parts of it", part_name(&whole)));
    }
    if task.inputs().next().is_some() {
        let right = "a share is of the task whatever its inputs; name none";
        return wrong("a task with inputs".into(), right.to_string());
    }
    match task {
        Task::Send { link, .. } => {
            let exists = link.index() < case.platform.links().len();
            if exists { Ok(()) } else { Err(no_link(&format!("share {share}: the"), link, case.platform)) }
        }
        Task::Merge { node, split, .. } => {
            let Some(found) = case.platform.nodes().get(node.index()) else {
                return Err(no_node(&format!("share {share}: the processor"), node, case.platform));
            };
            if !found.is_processor() {
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

/// For messages; the task exists.
fn name(case: &Case<'_>, task: Task) -> String {
    let link = |link: LinkId| case.platform.link_name(link);
    match task {
        Task::Send { link: id, part, .. } => format!("{} over link '{}'", part_name(&part), link(id)),
        Task::Merge { node, part, split, .. } => {
            let [left, right] =
                [(part.first, split), (split + 1, part.last)].map(|(first, last)| part_name(&Interval { first, last }));
            format!("the merge of {left} and {right} at '{}'", case.name(node))
        }
    }
}
