//! A lower bound on the time of one operation. The proof is in docs/theory.md.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use num_bigint::BigUint;
use num_traits::Zero;
use oneport_graph::shortest_paths;
use oneport_numbers::Scaled;
use oneport_plan::{NodeId, Problem, Rational, Resource};
use oneport_platform::{LinkId, PerLink, PerNode, Platform, whole};
use oneport_watch::{Limit, Watch};
use petgraph::visit::EdgeRef;

/// A lower bound on the time of one operation: the largest of three times. First, `1 / throughput`, in which
/// `throughput` is a proved bound on the operations per unit of time. Second, per pair of an owner and a node that is a
/// goal of a result of its value: the time in which the value leaves the owner, plus the least delay from there to the
/// node. Third, the same for all values together that leave an owner or enter a node. `O(n m log m + p m)` for `n`
/// nodes, `m` links and `p` pairs.
///
/// The watch is checked for every demand, node and pair. If it ends the work, the result is the first of the three
/// times.
pub fn lower_bound(problem: &Problem, throughput: &Rational, watch: &Watch) -> Rational {
    let steady = if throughput.is_zero() {
        Rational::zero()
    } else {
        throughput.recip()
    };
    let Some(size) = problem.volumes().size.constant() else {
        return steady;
    };
    match delayed(problem, size, watch) {
        Ok(Some(delayed)) => steady.max(delayed),
        _ => steady,
    }
}

/// The larger of the second and the third time. `None` if no node is a goal of another's value.
fn delayed(problem: &Problem, size: &Rational, watch: &Watch) -> Result<Option<Rational>, Limit> {
    let pairs = Pairs::of(problem, watch)?;
    let mut most = pairs.alone(problem, size, watch)?;
    for node in problem.platform().node_ids() {
        watch.ask()?;
        most = most
            .max(pairs.entering(problem, size, node))
            .max(pairs.leaving(problem, size, node));
    }
    Ok(most)
}

/// An owner and a node that is a goal of its value.
struct Pair {
    owner: NodeId,
    wants: NodeId,
    /// Number of messages.
    messages: u128,
    /// Per node: the least delay from the owner.
    delays: Rc<Delays>,
    /// Per node: the least delay to the goal of the result.
    onwards: Rc<Delays>,
}

/// Per node: a delay in the unit of [`Clock`]. `None` if no path leads there.
type Delays = Vec<Option<BigUint>>;

/// Delays of links as integers.
struct Clock {
    unit: Rational,
    /// Per link: the delay of a message of size 0, or of a whole one if messages stay whole.
    links: PerLink<BigUint>,
    /// Per link: the latency.
    latencies: PerLink<BigUint>,
}

impl Clock {
    fn of(problem: &Problem) -> Clock {
        let platform = problem.platform();
        let size = problem.volumes().size.constant();
        let whole = size.filter(|_| all_whole(problem));
        let mut times: Vec<Rational> = Vec::with_capacity(2 * platform.links().len());
        for link in platform.links() {
            let passing = whole.map_or_else(Rational::zero, |size| &link.cost * size);
            times.push(link.latency() + link.overhead() + passing);
        }
        times.extend(platform.links().iter().map(|link| link.latency()));
        let Scaled { mut values, unit } = Scaled::coarsest(&times);
        let latencies = values.split_off(platform.links().len());
        Clock {
            unit,
            links: values.into(),
            latencies: latencies.into(),
        }
    }

    fn time(&self, delay: BigUint) -> Rational {
        &self.unit * whole(delay)
    }
}

/// All pairs, and the data that pass the ports of their nodes.
struct Pairs {
    clock: Clock,
    list: Vec<Pair>,
    /// Per node: the pairs of which it is the owner, and the pairs of which it is the goal.
    out_of: PerNode<Vec<usize>>,
    into: PerNode<Vec<usize>>,
    /// Per node: the number of messages for which a value leaves it, and for which one enters it. A demand of rate `r`
    /// is `r` messages.
    leaving: PerNode<u128>,
    entering: PerNode<u128>,
}

/// Whether no message may be cut, in any group.
fn all_whole(problem: &Problem) -> bool {
    match problem.collective().members() {
        [] => !problem.collective().is_cut(),
        members => members.iter().all(|one| !one.collective.is_cut()),
    }
}

/// Least delays from a node (to a node, if `backwards`): a message of size 0 passes every link in its latency and
/// overhead. If messages stay whole, it arrives with its last part.
fn delays(platform: &Platform, clock: &Clock, node: NodeId, backwards: bool) -> Delays {
    let delay = |link: LinkId| clock.links[link].clone();
    let from = [(node.into(), BigUint::zero())];
    if backwards {
        let turned = petgraph::visit::Reversed(platform.graph());
        return shortest_paths(turned, from, |edge| delay(edge.id().into()), |_| true).distances;
    }
    shortest_paths(
        platform.graph(),
        from,
        |edge| delay(edge.id().into()),
        |_| true,
    )
    .distances
}

/// The least time in which `amount` of data passes some of these links, all at one node, with one overhead.
fn occupied(platform: &Platform, links: &[LinkId], amount: &Rational) -> Rational {
    if links.iter().any(|&link| platform.link(link).cost.is_zero()) {
        return Rational::zero();
    }
    let rates = links.iter().map(|&link| platform.link(link).cost.recip());
    let mut rate: Rational = rates.sum();
    // Resources that all these links share, each with the least time that a unit of data keeps it busy.
    let mut shared: Option<BTreeMap<Resource, Rational>> = None;
    for &link in links {
        let own: BTreeMap<Resource, Rational> = Resource::uses(platform, link)
            .map(|used| (used.resource, used.of(&platform.link(link).cost)))
            .collect();
        let least = |(resource, time): (Resource, Rational)| {
            Some((resource, own.get(&resource)?.min(&time).clone()))
        };
        shared = Some(match shared {
            None => own,
            Some(before) => before.into_iter().filter_map(least).collect(),
        });
    }
    for (resource, time) in shared.unwrap_or_default() {
        rate = rate.min(whole(resource.capacity(platform)) / time);
    }
    let overhead = links
        .iter()
        .map(|&link| platform.link(link).overhead())
        .min()
        .unwrap_or_default();
    if rate.is_zero() {
        overhead
    } else {
        overhead + amount / rate
    }
}

impl Pairs {
    fn of(problem: &Problem, watch: &Watch) -> Result<Pairs, Limit> {
        let platform = problem.platform();
        let none = || platform.per_node(0_u128);
        let (mut leaving, mut entering) = (none(), none());
        let mut counts: BTreeMap<(NodeId, NodeId), u128> = BTreeMap::new();
        for (number, demand) in problem.demands().enumerate() {
            watch.ask()?;
            let rate = u128::from(problem.collective().rate(number));
            let mut ends: [BTreeSet<NodeId>; 2] = Default::default();
            for (wants, part) in demand.goals() {
                let owners = demand
                    .operands
                    .get(part.first..=part.last)
                    .unwrap_or_default();
                for &owner in owners.iter().filter(|owner| **owner != wants) {
                    *counts.entry((owner, wants)).or_default() += rate;
                    ends[0].insert(owner);
                    ends[1].insert(wants);
                }
            }
            let [out_of, into] = &ends;
            for owner in out_of.iter() {
                leaving[*owner] += rate;
            }
            for wants in into.iter() {
                entering[*wants] += rate;
            }
        }
        let clock = Clock::of(problem);
        let known = |backwards: bool| {
            let end = |(owner, wants): &(NodeId, NodeId)| if backwards { *wants } else { *owner };
            let taken: BTreeSet<NodeId> = counts.keys().map(end).collect();
            let delays_from = |node| {
                watch.ask()?;
                Ok(Rc::new(if taken.contains(&node) {
                    delays(platform, &clock, node, backwards)
                } else {
                    Vec::new()
                }))
            };
            platform
                .node_ids()
                .map(delays_from)
                .collect::<Result<Vec<Rc<Delays>>, Limit>>()
        };
        let (from, to) = (known(false)?, known(true)?);
        let pair = |(&(owner, wants), &messages): (&(NodeId, NodeId), &u128)| Pair {
            owner,
            wants,
            messages,
            delays: from[owner.index()].clone(),
            onwards: to[wants.index()].clone(),
        };
        let list: Vec<Pair> = counts.iter().map(pair).collect();
        let lists = || platform.per_node(Vec::new());
        let (mut out_of, mut into) = (lists(), lists());
        for (index, pair) in list.iter().enumerate() {
            out_of[pair.owner].push(index);
            into[pair.wants].push(index);
        }
        Ok(Pairs {
            clock,
            list,
            out_of,
            into,
            leaving,
            entering,
        })
    }

    /// Least delay of any needed value, plus the time in which all needed values enter the node.
    fn entering(&self, problem: &Problem, size: &Rational, node: NodeId) -> Option<Rational> {
        let platform = problem.platform();
        let amount = size * whole(self.entering[node]);
        let before = |link: &LinkId| {
            let of = self.into[node].iter().map(|&pair| &self.list[pair]);
            of.filter_map(|pair| pair.delays.get(platform.link(*link).from.index())?.as_ref())
                .min()
        };
        let links: Vec<LinkId> = platform
            .incoming(node)
            .iter()
            .copied()
            .filter(|link| before(link).is_some())
            .collect();
        let begins = links.iter().filter_map(before).min()?;
        let latency = links
            .iter()
            .map(|&link| platform.link(link).latency())
            .min()?;
        Some(self.clock.time(begins.clone()) + occupied(platform, &links, &amount) + latency)
    }

    /// The time in which all values have left an owner and the last one has arrived after its least delay.
    fn leaving(&self, problem: &Problem, size: &Rational, node: NodeId) -> Option<Rational> {
        let platform = problem.platform();
        let amount = size * whole(self.leaving[node]);
        let after = |link: &LinkId| {
            let of = self.out_of[node].iter().map(|&pair| &self.list[pair]);
            of.filter_map(|pair| pair.onwards.get(platform.link(*link).to.index())?.as_ref())
                .min()
        };
        let (links, onwards) = self.last_out(platform, node, &after)?;
        Some(occupied(platform, &links, &amount) + self.clock.time(onwards))
    }

    /// The largest of all pairs: the least delay, with the time in which the values leave the owner. If they stay
    /// whole, at least the time of a single one's path.
    fn alone(
        &self,
        problem: &Problem,
        size: &Rational,
        watch: &Watch,
    ) -> Result<Option<Rational>, Limit> {
        let platform = problem.platform();
        // The largest delay after a number of messages, by the links out of an owner.
        let mut after_links: BTreeMap<(Vec<LinkId>, u128), BigUint> = BTreeMap::new();
        let mut longest: Option<&BigUint> = None;
        for pair in &self.list {
            watch.ask()?;
            let after = |link: &LinkId| pair.onwards.get(platform.link(*link).to.index())?.as_ref();
            let Some((links, onwards)) = self.last_out(platform, pair.owner, &after) else {
                continue;
            };
            let known = after_links.entry((links, pair.messages)).or_default();
            if onwards > *known {
                *known = onwards;
            }
            let way = pair.delays.get(pair.wants.index());
            longest = longest.max(way.and_then(Option::as_ref));
        }
        let left = after_links.into_iter().map(|((links, messages), onwards)| {
            let amount = size * whole(messages);
            occupied(platform, &links, &amount) + self.clock.time(onwards)
        });
        let way = longest.filter(|_| all_whole(problem));
        Ok(left
            .chain(way.map(|way| self.clock.time(way.clone())))
            .max())
    }

    /// The links out of a node that have a delay `after` their ends, and the least delay from their start on.
    fn last_out<'d>(
        &self,
        platform: &Platform,
        node: NodeId,
        after: &dyn Fn(&LinkId) -> Option<&'d BigUint>,
    ) -> Option<(Vec<LinkId>, BigUint)> {
        let links = platform.outgoing(node).iter().copied();
        let links: Vec<LinkId> = links.filter(|link| after(link).is_some()).collect();
        let onwards = links
            .iter()
            .filter_map(|link| Some(&self.clock.latencies[*link] + after(link)?))
            .min()?;
        Some((links, onwards))
    }
}
