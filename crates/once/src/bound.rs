//! What no schedule of one operation undercuts; the proof is in docs/theory.md.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use num_traits::{One, Zero};
use oneport_graph::shortest_paths;
use oneport_plan::{NodeId, Problem, Rational, Resource};
use oneport_platform::{LinkId, Platform};
use petgraph::visit::EdgeRef;

/// The largest of: the time in which a steady state of this throughput carries out one operation; for every pair of an
/// owner and a node that wants what is made of its value, the least delay between them; the same with the time that the
/// values need to leave the owner, or to enter the node that wants them. `throughput` is a proved bound, per unit of
/// time. `O(n m log m)` for `n` nodes and `m` links.
pub fn least_time(problem: Problem<'_>, throughput: &Rational) -> Rational {
    let steady = if throughput.is_zero() { Rational::zero() } else { throughput.recip() };
    let Some(size) = problem.volumes().size.constant() else { return steady };
    let pairs = Pairs::of(problem);
    let alone = pairs.0.iter().map(|pair| pair.least(problem, size)).max();
    let entering = problem.platform().node_ids().filter_map(|node| pairs.entering(problem, size, node)).max();
    [Some(steady), alone, entering].into_iter().flatten().max().unwrap_or_default()
}

/// An owner and a node that wants something of it.
struct Pair {
    owner: NodeId,
    wants: NodeId,
    /// In how many demands.
    demands: u64,
    /// By node: the least delay from the owner.
    delays: Rc<Vec<Option<Rational>>>,
    /// By node: the least delay to the node that wants it.
    onwards: Rc<Vec<Option<Rational>>>,
}

struct Pairs(Vec<Pair>);

/// Least delays from a node (to a node, if `backwards`): a message of no size passes every link in its latency and
/// overhead.
fn delays(platform: &Platform, node: NodeId, backwards: bool) -> Vec<Option<Rational>> {
    let delay = |link: LinkId| platform.link(link).latency() + platform.link(link).overhead();
    let from = [(node.into(), Rational::zero())];
    if backwards {
        let turned = petgraph::visit::Reversed(platform.graph());
        return shortest_paths(turned, from, |edge| delay(edge.id().into()), |_| true).distances;
    }
    shortest_paths(platform.graph(), from, |edge| delay(edge.id().into()), |_| true).distances
}

/// The least time in which `amount` of data passes some of these links, all at one node.
fn port(platform: &Platform, links: &[LinkId], amount: &Rational) -> Rational {
    let rates = links.iter().map(|&link| platform.link(link).cost.recip());
    let mut rate: Rational = rates.clone().sum();
    // What all of them occupy, beside themselves.
    let mut shared: Option<Vec<Resource>> = None;
    for &link in links {
        let own: Vec<Resource> = Resource::of_link(platform, link).collect();
        shared = Some(match shared {
            None => own,
            Some(before) => before.into_iter().filter(|resource| own.contains(resource)).collect(),
        });
    }
    let fastest = rates.max().unwrap_or_else(Rational::one);
    for resource in shared.unwrap_or_default() {
        rate = rate.min(&fastest * Rational::from_integer(resource.capacity(platform).into()));
    }
    if rate.is_zero() { Rational::zero() } else { amount / rate }
}

impl Pairs {
    fn of(problem: Problem<'_>) -> Pairs {
        let platform = problem.platform();
        let mut counts: BTreeMap<(NodeId, NodeId), u64> = BTreeMap::new();
        for demand in problem.demands() {
            for (wants, part) in demand.goals() {
                let owners = demand.operands.get(part.first..=part.last).unwrap_or_default();
                for &owner in owners.iter().filter(|owner| **owner != wants) {
                    *counts.entry((owner, wants)).or_default() += 1;
                }
            }
        }
        let known = |backwards: bool| {
            let end = |(owner, wants): &(NodeId, NodeId)| if backwards { *wants } else { *owner };
            let taken: BTreeSet<NodeId> = counts.keys().map(end).collect();
            let of = |node| if taken.contains(&node) { delays(platform, node, backwards) } else { Vec::new() };
            platform.node_ids().map(|node| Rc::new(of(node))).collect::<Vec<_>>()
        };
        let (from, to) = (known(false), known(true));
        let pair = |(&(owner, wants), &demands): (&(NodeId, NodeId), &u64)| Pair {
            owner,
            wants,
            demands,
            delays: from[owner.index()].clone(),
            onwards: to[wants.index()].clone(),
        };
        Pairs(counts.iter().map(pair).collect())
    }

    /// All that has to enter a node, after the least delay of anything that it wants.
    fn entering(&self, problem: Problem<'_>, size: &Rational, node: NodeId) -> Option<Rational> {
        let platform = problem.platform();
        let wanted = problem.demands().filter(|demand| {
            let part = |(wants, part): &(NodeId, oneport_plan::Interval)| {
                *wants == node && demand.operands[part.first..=part.last].iter().any(|owner| *owner != node)
            };
            demand.goals().iter().any(part)
        });
        let amount = size * Rational::from_integer((wanted.count() as u64).into());
        let before = |link: &LinkId| {
            let of = self.0.iter().filter(|pair| pair.wants == node);
            of.filter_map(|pair| pair.delays.get(platform.link(*link).from.index())?.clone()).min()
        };
        let links: Vec<LinkId> =
            platform.incoming(node).iter().copied().filter(|link| before(link).is_some()).collect();
        let begins = links.iter().filter_map(before).min()?;
        let latency = links.iter().map(|&link| platform.link(link).latency()).min()?;
        let overhead = links.iter().map(|&link| platform.link(link).overhead()).min()?;
        Some(begins + overhead + port(platform, &links, &amount) + latency)
    }
}

impl Pair {
    /// The least delay, with what it takes the values to leave the owner.
    fn least(&self, problem: Problem<'_>, size: &Rational) -> Rational {
        let platform = problem.platform();
        let after = |link: &LinkId| self.onwards.get(platform.link(*link).to.index()).cloned().flatten();
        let leaving = platform.outgoing(self.owner).iter().copied().filter(|link| after(link).is_some());
        let links: Vec<LinkId> = leaving.collect();
        let onwards = links.iter().filter_map(|link| Some(platform.link(*link).latency() + after(link)?)).min();
        let overhead = links.iter().map(|&link| platform.link(link).overhead()).min().unwrap_or_default();
        let amount = size * Rational::from_integer(self.demands.into());
        overhead + port(platform, &links, &amount) + onwards.unwrap_or_default()
    }
}
