//! Cuts for every collective: the values that must leave a set of nodes, over the capacity of its outgoing links.
//!
//! Every demand with an operand inside a set and something to bring outside sends at least one message over the links
//! that leave it, so, where only links are exclusive,
//!
//! ```text
//! TP <= capacity leaving S / demands that cross S
//! ```
//!
//! Maximum flows find the set. All-gathers and, with all links turned, reduce-scatters use Newton's method
//! ([`slowest_cut`]). One message or one reduction uses the least cut between its ends. Scatters and gathers use
//! Newton's method on one flow. The sparsest cut for messages between all pairs is hard to find, so only the other
//! sets, single nodes and neighbourhoods are tried. The bound of any set holds.

use std::collections::{BTreeMap, BTreeSet};

use crate::known::Bound;
use num_bigint::{BigInt, BigUint};
use num_traits::One;
use oneport_graph::cut_below;
use oneport_numbers::Scaled;
use oneport_plan::inequality::{Cut, Inequality, Need};
use oneport_plan::{Block, Certificate, Collective, Kind, Problem, ProblemError, Resource};
use oneport_platform::{
    LinkId, Node, NodeId, PerLink, PerNode, Platform, PortModel, Rational, free_automorphisms,
    ratio,
};

use crate::bounds::slowest_cut::slowest_cut;
use crate::{LpError, Question};

/// Centres tried for messages between all pairs. Trades a tighter bound for time. Not measured.
const CENTRES: usize = 16;
/// Sizes of neighbourhoods tried per centre. Trades a tighter bound for time. Not measured.
const SIZES: usize = 64;

/// The best bound by a cut that is found. `None` if ports count, if a link costs nothing, or if values are combined for
/// several nodes.
///
/// # Errors
/// [`LpError::Contradiction`] never, unless oneport is wrong.
pub fn cut_bound(question: &Question) -> Result<Option<Bound>, LpError> {
    let platform = question.platform();
    let links = platform.only_links();
    let links = links && platform.free_link().is_none();
    let sized = question.volumes().size.constant().is_some();
    let Some(block) = question.block().filter(|_| links && sized) else {
        return Ok(None);
    };
    let search = CutSearch::new(question, block);
    let sides = match block.kind {
        Kind::Copy | Kind::Combine if search.is_mutual() => {
            search.of_all(block.kind == Kind::Combine)?
        }
        Kind::Copy | Kind::Combine => search.of_each(),
        Kind::Route => search.of_routes()?,
        Kind::CombineCopy | Kind::Prefix => return Ok(None),
    };
    let best = sides
        .into_iter()
        .filter_map(|side| Some((search.proved(&side)?, side)))
        .min();
    Ok(best.map(|(throughput, side)| Bound {
        throughput,
        certificate: search.certificate(&side),
    }))
}

/// Per node: whether it is inside.
type Side = PerNode<bool>;

struct CutSearch<'q> {
    question: &'q Question,
    block: Block<'q>,
    /// How many messages a link carries per unit of time, as integers over one denominator.
    capacities: PerLink<BigUint>,
    denominator: BigInt,
    /// Owners and receivers, ascending.
    members: Vec<NodeId>,
}

impl<'q> CutSearch<'q> {
    fn new(question: &'q Question, block: Block<'q>) -> Self {
        let exact: Vec<Rational> = question
            .platform()
            .link_ids()
            .map(|link| question.time(link).recip())
            .collect();
        let Scaled { values, unit } = Scaled::of(&exact);
        let mut members: Vec<NodeId> = Vec::new();
        for demand in block.demands() {
            members.extend(demand.operands);
            // One list for all demands of a copy.
            if demand.kind() != Kind::Copy || members.len() == demand.operands.len() {
                members.extend(demand.targets());
            }
        }
        members.sort_unstable();
        members.dedup();
        CutSearch {
            question,
            block,
            capacities: values.into(),
            denominator: unit.denom().clone(),
            members,
        }
    }

    fn platform(&self) -> &'q Platform {
        self.question.platform()
    }

    /// Whether all members play the same role.
    fn is_mutual(&self) -> bool {
        let count = self.members.len();
        match self.block.kind {
            Kind::Copy => self.block.count == count && self.block.count > 1,
            Kind::Combine => self.block.count == count && self.block.operands().len() == count,
            _ => self.block.count == count * (count - 1),
        }
    }

    /// Bound of a set: capacity leaving it divided by the demands crossing it. `None` if none cross.
    fn proved(&self, side: &Side) -> Option<Rational> {
        let leaving = self.platform().links().iter().zip(&self.capacities);
        let leaving = leaving.filter(|(link, _)| side[link.from] && !side[link.to]);
        let capacity: BigUint = leaving.map(|(_, capacity)| capacity).sum();
        let crossing = self.crossing(side);
        (crossing > 0).then(|| ratio(capacity, &self.denominator * BigInt::from(crossing)))
    }

    fn crossing(&self, side: &Side) -> usize {
        let inside = |node: &NodeId| side[*node];
        if self.block.kind == Kind::Route && self.is_mutual() {
            let count = self.members.iter().filter(|node| inside(node)).count();
            return count * (self.members.len() - count);
        }
        self.block
            .demands()
            .filter(|demand| demand.crosses(|node| side[node]))
            .count()
    }

    fn certificate(&self, side: &Side) -> Certificate {
        let platform = self.platform();
        let leaves =
            |link: &LinkId| side[platform.link(*link).from] && !side[platform.link(*link).to];
        let price = |link: LinkId| (Resource::Link(link), self.question.time(link).recip());
        let nodes = platform.node_ids().filter(|node| side[*node]).collect();
        let need = Need::once(None, Inequality::Cut(Cut { nodes }));
        Certificate::new(platform.link_ids().filter(leaves).map(price), [], [need])
    }

    /// The slowest cut of an all-gather among the members. On the platform with all links turned, its other side.
    fn of_all(&self, turned: bool) -> Result<Vec<Side>, LpError> {
        const NONE: LpError =
            LpError::Contradiction("the all-gather among the members is not a valid collective");
        let platform = &replicating(self.platform(), turned).ok_or(NONE)?;
        let collective = Collective::all_gather(self.members.clone());
        let problem = match Problem::new(platform, collective, self.question.volumes()) {
            Ok(problem) => problem,
            Err(ProblemError::Unreachable { .. }) => return Ok(Vec::new()),
            Err(_) => return Err(NONE),
        };
        let question = Question::new(&problem).watched(self.question.watch().clone());
        let sinks = representatives(platform, &self.members);
        let found = slowest_cut(&question, Some(&sinks)).ok_or(NONE)?;
        let side = |need: &Need| -> Option<Side> {
            let Inequality::Cut(cut) = &need.inequality else {
                return None;
            };
            let inside = |node: NodeId| cut.nodes.binary_search(&node).is_ok() != turned;
            Some(platform.node_ids().map(inside).collect())
        };
        Ok(found.certificate.needs.iter().filter_map(side).collect())
    }

    /// Least cuts between an owner and a goal of single demands.
    fn of_each(&self) -> Vec<Side> {
        let arcs = self.arcs();
        let twins = twins(self.platform());
        let mut seen = BTreeSet::new();
        let mut least = self.capacities.iter().sum::<BigUint>() + BigUint::one();
        let mut sides = Vec::new();
        for demand in self.block.demands() {
            let goals = demand.targets();
            let pairs = demand
                .operands
                .iter()
                .flat_map(|&owner| goals.iter().map(move |&goal| (owner, goal)));
            for (owner, goal) in pairs.filter(|(owner, goal)| owner != goal) {
                // As much flows between twins of theirs.
                if !seen.insert((twins[owner], twins[goal])) {
                    continue;
                }
                if self.question.watch().ask().is_err() && !sides.is_empty() {
                    return sides;
                }
                let (owner, goal) = (owner.index(), goal.index());
                while let Some(side) =
                    cut_below(self.platform().nodes().len(), &arcs, owner, goal, &least)
                {
                    let side = Side::from(side);
                    least = self.leaving(&side);
                    sides.push(side);
                }
            }
        }
        sides
    }

    fn leaving(&self, side: &Side) -> BigUint {
        let links = self.platform().links().iter().zip(&self.capacities);
        let leaving = links.filter(|(link, _)| side[link.from] && !side[link.to]);
        leaving.map(|(_, capacity)| capacity).sum()
    }

    fn arcs(&self) -> Vec<(usize, usize, BigUint)> {
        let links = self.platform().links().iter().zip(&self.capacities);
        links
            .map(|(link, capacity)| (link.from.index(), link.to.index(), capacity.clone()))
            .collect()
    }

    /// Sets for messages that travel alone.
    fn of_routes(&self) -> Result<Vec<Side>, LpError> {
        if !self.is_mutual() {
            let ends: Vec<(NodeId, NodeId)> = self
                .block
                .commodities()
                .into_iter()
                .map(|commodity| (commodity.source, commodity.target))
                .collect();
            let Some(&(source, target)) = ends.first() else {
                return Ok(Vec::new());
            };
            if ends.iter().all(|ends| ends.0 == source) {
                let wanted: Vec<NodeId> = ends.iter().map(|ends| ends.1).collect();
                return Ok(self.of_one(source, &wanted, false));
            }
            if ends.iter().all(|ends| ends.1 == target) {
                let owners: Vec<NodeId> = ends.iter().map(|ends| ends.0).collect();
                return Ok(self.of_one(target, &owners, true));
            }
        }
        let mut sides = self.neighbourhoods();
        if self.is_mutual() {
            sides.extend(self.of_all(false)?);
            sides.extend(self.of_all(true)?);
        }
        Ok(sides)
    }

    /// Newton's method on one flow: from a node to others, or from the others to it.
    fn of_one(&self, centre: NodeId, others: &[NodeId], turned: bool) -> Vec<Side> {
        let count = self.platform().nodes().len();
        let turn = |from: usize, to: usize| if turned { (to, from) } else { (from, to) };
        let alone = self
            .platform()
            .node_ids()
            .map(|node| (node == centre) != turned)
            .collect();
        let mut sides: Vec<Side> = vec![alone];
        loop {
            let Some(throughput) = sides.last().and_then(|side| self.proved(side)) else {
                return sides;
            };
            // Everything times the throughput's denominator.
            let unit = throughput.denom().magnitude();
            let offer = (throughput.numer() * &self.denominator).magnitude().clone();
            let links =
                self.platform()
                    .links()
                    .iter()
                    .zip(&self.capacities)
                    .map(|(link, capacity)| {
                        let (from, to) = turn(link.from.index(), link.to.index());
                        (from, to, capacity * unit)
                    });
            let ends = others
                .iter()
                .map(|node| (node.index(), count, offer.clone()));
            let arcs: Vec<(usize, usize, BigUint)> = links.chain(ends).collect();
            let all = &offer * BigUint::from(others.len());
            let Some(mut side) = cut_below(count + 1, &arcs, centre.index(), count, &all) else {
                return sides;
            };
            side.truncate(count);
            sides.push(side.into_iter().map(|inside| inside != turned).collect());
        }
    }

    /// The sets of one member, and of all members but one, that prove most. Only one of two twins is tried.
    fn alone(&self) -> Vec<Side> {
        let platform = self.platform();
        let capacity = |links: &[LinkId]| {
            links
                .iter()
                .map(|&link| &self.capacities[link])
                .sum::<BigUint>()
        };
        // Messages between all pairs cross all these sets equally often. For other demands every set is tried.
        let (leaving, entering) = if !self.is_mutual() {
            (self.members.clone(), self.members.clone())
        } else {
            (
                self.members
                    .iter()
                    .copied()
                    .min_by_key(|&node| capacity(platform.outgoing(node)))
                    .into_iter()
                    .collect(),
                self.members
                    .iter()
                    .copied()
                    .min_by_key(|&node| capacity(platform.incoming(node)))
                    .into_iter()
                    .collect(),
            )
        };
        let side = |member: NodeId, inside: bool| -> Side {
            platform
                .node_ids()
                .map(|node| (node == member) == inside)
                .collect()
        };
        let leaving = leaving.into_iter().map(|member| side(member, true));
        let sides = leaving.chain(entering.into_iter().map(|member| side(member, false)));
        let proved = sides.take_while(|_| self.question.watch().ask().is_ok());
        let best = proved
            .filter_map(|side| Some((self.proved(&side)?, side)))
            .min();
        best.into_iter().map(|(_, side)| side).collect()
    }

    /// The sides that prove a bound alone, and for some members the neighbourhood that proves the best bound.
    fn neighbourhoods(&self) -> Vec<Side> {
        let platform = self.platform();
        let mut sides = self.alone();
        let step = self.members.len().div_ceil(CENTRES).max(1);
        let coarse = self.members.len().div_ceil(SIZES).max(1);
        for &centre in self.members.iter().step_by(step) {
            if self.question.watch().ask().is_err() {
                break;
            }
            let mut side = platform.per_node(false);
            let mut best: Option<(Rational, Side)> = None;
            let mut inside = 0;
            for node in nearest(platform, centre) {
                side[node] = true;
                if self.members.binary_search(&node).is_err() {
                    continue;
                }
                inside += 1;
                let Some(proved) = (inside % coarse == 0).then(|| self.proved(&side)).flatten()
                else {
                    continue;
                };
                if best.as_ref().is_none_or(|(least, _)| proved < *least) {
                    best = Some((proved, side.clone()));
                }
            }
            sides.extend(best.map(|(_, side)| self.tightened(side)));
        }
        sides
    }

    /// The set with the same members whose links carry least.
    fn tightened(&self, side: Side) -> Side {
        let count = self.platform().nodes().len();
        let large = self.capacities.iter().sum::<BigUint>() + BigUint::one();
        let mut arcs = self.arcs();
        for member in &self.members {
            let (from, to) = if side[*member] {
                (count, member.index())
            } else {
                (member.index(), count + 1)
            };
            arcs.push((from, to, large.clone()));
        }
        let mut best = side;
        while let Some(mut better) =
            cut_below(count + 2, &arcs, count, count + 1, &self.leaving(&best))
        {
            better.truncate(count);
            best = better.into();
        }
        best
    }
}

/// All nodes that a node reaches over links in either direction, by the number of links.
fn nearest(platform: &Platform, centre: NodeId) -> Vec<NodeId> {
    let mut seen = platform.per_node(false);
    seen[centre] = true;
    let mut order = vec![centre];
    let mut next = 0;
    while let Some(&node) = order.get(next) {
        let out = platform
            .outgoing(node)
            .iter()
            .map(|&link| platform.link(link).to);
        for other in out.chain(
            platform
                .incoming(node)
                .iter()
                .map(|&link| platform.link(link).from),
        ) {
            if !std::mem::replace(&mut seen[other], true) {
                order.push(other);
            }
        }
        next += 1;
    }
    order
}

/// The platform in which every node replicates (cuts do not depend on replication), with all links reversed if
/// `turned` is set. Ids stay.
fn replicating(platform: &Platform, turned: bool) -> Option<Platform> {
    let mut builder = Platform::builder();
    builder.model(PortModel::Links);
    for node in platform.nodes() {
        builder
            .node(Node {
                replicates: true,
                ..node.clone()
            })
            .ok()?;
    }
    for link in platform.links() {
        let (from, to) = if turned {
            (link.to, link.from)
        } else {
            (link.from, link.to)
        };
        builder.link(from, to, link.cost.clone()).ok()?;
    }
    builder.build().ok()
}

/// Participants that represent all others, which symmetries map to them.
fn representatives(platform: &Platform, participants: &[NodeId]) -> Vec<NodeId> {
    let twins = twins(platform);
    let mut known = BTreeSet::new();
    let mut chosen: Vec<NodeId> = participants
        .iter()
        .copied()
        .filter(|node| known.insert(twins[*node]))
        .collect();
    if chosen.len() == 1 {
        return chosen;
    }
    let group = free_automorphisms(platform, participants);
    let mut seen = platform.per_node(false);
    chosen.retain(|participant| {
        let new = !seen[*participant];
        for element in &group {
            seen[element.nodes[*participant]] = true;
        }
        new
    });
    chosen
}

/// Per node: the number of its class of twins: nodes whose links lead to the same nodes, and come from the same, at the
/// same costs. Two twins exchanged leave all cuts as they were. `O((n + m) log(n + m))`.
fn twins(platform: &Platform) -> PerNode<usize> {
    let mut classes = BTreeMap::new();
    let of_node = |node: NodeId| {
        let link = |id: &LinkId| platform.link(*id);
        let mut out: Vec<_> = platform
            .outgoing(node)
            .iter()
            .map(link)
            .map(|link| (link.to, &link.cost))
            .collect();
        let mut into: Vec<_> = platform
            .incoming(node)
            .iter()
            .map(link)
            .map(|link| (link.from, &link.cost))
            .collect();
        out.sort_unstable();
        into.sort_unstable();
        let new = classes.len();
        *classes.entry((out, into)).or_insert(new)
    };
    platform.node_ids().map(of_node).collect()
}
