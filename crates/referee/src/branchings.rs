//! Whether trees attain a throughput, without any tree: a theorem and largest flows.
//!
//! If only links are exclusive, copies of the messages of owners `r` at rate `TP` each reach a set `V` of nodes that
//! all replicate if and only if every nonempty part `X` of `V` can be entered by `TP` for every owner outside of it
//! (Edmonds 1973: the links' capacities then hold arborescences of weight `TP` from each owner that span `V`). With a
//! super source that offers `TP` to each owner, that says: all that it offers can flow to every node of `V`.
//!
//! Other nodes may lie between. One that replicates and that everything can flow to is as good as a member of `V`.
//! Any other is split off, if no more can leave it than can enter it: its links become, in pairs, links past it, and
//! every node of `V` keeps its flow (Bang-Jensen, Frank and Jackson 1995). A node that offers more than it receives
//! would have to copy, and is refused.
//!
//! Reductions whose operands commute are the same with all links turned, if merges take no time: an arborescence
//! turned round is a reduction tree, and each node of `V` merges what arrives with its own value. All-reduces take
//! turns:
//! a part of the time operands are reduced, to every participant equally often, and for the rest results are copied.
//!
//! **One flow after the other.** If everything can flow to `v`, a set that is entered by too little and holds `w` does
//! not hold `v`, or it would be too little for `v`. So the super source may offer `v` without limit when `w` is
//! looked at.

use std::collections::{BTreeSet, VecDeque};

use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};
use oneport_plan::{Demand, Goals, Kind};
use oneport_platform::{NodeId, PerLink, Rational, whole};

use crate::Violation;
use crate::arithmetic::{Scale, is_positive};
use crate::case::Case;
use crate::violation::{fault, shown};

/// Checks that copies at one rate are feasible alone, and so are reductions at the other. Returns the rate of the
/// question: the rate of its kind, or of both in turns.
///
/// # Errors
/// [`Rule::Question`](crate::Rule::Question) if the theorem does not apply, [`Rule::SteadyState`](crate::Rule) if
/// too little flows.
pub(crate) fn rate(
    case: &Case<'_>,
    copied: &Rational,
    combined: &Rational,
) -> Result<Rational, Violation> {
    let platform = case.platform;
    if !platform.only_links() || platform.free_link().is_some() {
        return Err(
            fault!(Question, "ports count, too, or links cost nothing"; "only links may be exclusive"),
        );
    }
    let [group] = &case.groups()[..] else {
        return Err(
            fault!(Question, "there are several groups"; "one, whose demands are carried out equally often"),
        );
    };
    let times = whole(group.rate);
    let demands: Vec<Demand<'_>> = (0..group.case.demands())
        .filter_map(|index| group.case.demand(index))
        .collect();
    let mut is_member = platform.per_node(false);
    let work = case.volumes.work.constant().is_some_and(Zero::is_zero);
    let combines = group.kind != Kind::Copy;
    if combines && !(work && demands.iter().all(|demand| demand.commutative)) {
        let right = "operands commute, and merges take no time";
        return Err(fault!(Question, "trees are turned round"; "{right}"));
    }
    let mut roots = Vec::new();
    for demand in &demands {
        case.ask()?;
        for node in demand.operands.iter().chain(demand.targets()) {
            is_member[*node] = true;
        }
        match (group.kind, demand.goals) {
            (Kind::Copy, Goals::Everywhere(_)) => roots.extend(demand.operands),
            (Kind::Combine, Goals::At(target)) => roots.push(target),
            (Kind::CombineCopy, Goals::Everywhere(_)) if demands.len() == 1 => {
                roots.extend(demand.operands)
            }
            _ => {
                return Err(
                    fault!(Question, "these demands have no arborescences"; "copies, or reductions"),
                );
            }
        }
    }
    let members = platform
        .node_ids()
        .filter(|node| is_member[*node])
        .collect();
    let flow = |turned: bool, rate: &Rational| {
        Flow::new(case, &members, turned, combines)?.check(&roots, rate)
    };
    match group.kind {
        Kind::Copy => flow(false, copied).map(|()| copied / times),
        Kind::Combine => flow(true, combined).map(|()| combined / times),
        _ => {
            flow(false, copied)?;
            flow(true, combined)?;
            // Towards each root x per unit of time, in time x / copied and x / combined.
            let turns = copied.recip() + combined.recip();
            Ok(whole(roots.len()) / turns / times)
        }
    }
}

/// The platform's capacities, perhaps with all links turned.
struct Flow<'c, 'a> {
    case: &'c Case<'a>,
    members: &'c BTreeSet<NodeId>,
    turned: bool,
    scale: Scale,
    /// The number of messages that each link carries per unit of time.
    capacities: PerLink<Rational>,
}

impl<'c, 'a> Flow<'c, 'a> {
    fn new(
        case: &'c Case<'a>,
        members: &'c BTreeSet<NodeId>,
        turned: bool,
        combines: bool,
    ) -> Result<Self, Violation> {
        let platform = case.platform;
        let size = case
            .volumes
            .size
            .constant()
            .filter(|size| is_positive(size));
        let size = size.ok_or_else(
            || fault!(Question, "messages differ in size, or have none"; "one positive size"),
        )?;
        let able = |node: &NodeId| {
            let node = platform.node(*node);
            node.replicates && (!combines || node.merges())
        };
        if let Some(&node) = members.iter().find(|node| !able(node)) {
            return Err(
                fault!(Question, "'{}' cannot pass on all it has to", case.name(node); "members copy and merge"),
            );
        }
        let capacities: PerLink<Rational> = platform
            .links()
            .iter()
            .map(|link| (&link.cost * size).recip())
            .collect();
        let scale = Scale::new(
            "the capacities of the links",
            capacities.iter(),
            capacities.len(),
        )?;
        Ok(Flow {
            case,
            members,
            turned,
            scale,
            capacities,
        })
    }

    /// Checks that this rate from each root can flow to every member, and that no other node has to copy.
    fn check(&self, roots: &[NodeId], rate: &Rational) -> Result<(), Violation> {
        if !is_positive(rate) || roots.is_empty() {
            return Err(fault!(SteadyState, "the rate is {}", shown(rate); "it must be positive"));
        }
        let platform = self.case.platform;
        // Everything times the rate's denominator.
        let unit = rate.denom().magnitude();
        let offer = rate.numer().magnitude() * self.scale.denominator();
        let all = &offer * BigUint::from(roots.len());
        let large = || fault!(TooLarge, "the capacities are too long for flows"; "they share a small denominator");
        let number = |value: BigUint| {
            value
                .to_u128()
                .filter(|value| *value < 1 << 100)
                .ok_or_else(large)
        };
        let source = platform.nodes().len();
        let mut network = Network::new(source + 1);
        for (link, capacity) in platform.links().iter().zip(&self.capacities) {
            let (from, to) = if self.turned {
                (link.to, link.from)
            } else {
                (link.from, link.to)
            };
            network.arc(
                from.index(),
                to.index(),
                number(self.scale.scaled(capacity) * unit)?,
            );
        }
        for root in roots {
            network.arc(source, root.index(), number(offer.clone())?);
        }
        let all = number(all)?;
        for &member in self.members {
            self.case.ask()?;
            if !network.carries(source, member.index(), all) {
                let name = self.case.name(member);
                return Err(
                    fault!(SteadyState, "less than everything flows to '{name}'"; "trees need all of it"),
                );
            }
            network.arc(source, member.index(), all);
        }
        for node in platform
            .node_ids()
            .filter(|node| !self.members.contains(node))
        {
            let sum = |links: &[oneport_plan::LinkId]| -> Rational {
                links.iter().map(|&link| &self.capacities[link]).sum()
            };
            let (into, out) = (sum(platform.incoming(node)), sum(platform.outgoing(node)));
            let (receives, offers) = if self.turned {
                (out, into)
            } else {
                (into, out)
            };
            let joins = || {
                self.case.replicates(node)
                    && !self.turned
                    && network.clone().carries(source, node.index(), all)
            };
            if offers > receives && !joins() {
                let (offers, receives) = (shown(&offers), shown(&receives));
                let name = self.case.name(node);
                return Err(
                    fault!(SteadyState, "'{name}' offers {offers}"; "no more than it receives, {receives}"),
                );
            }
        }
        Ok(())
    }
}

/// Arcs with their residual capacity, each followed by its reverse arc.
#[derive(Clone)]
struct Network {
    ends: Vec<usize>,
    left: Vec<u128>,
    /// The capacities before any flow.
    whole: Vec<u128>,
    leaving: Vec<Vec<usize>>,
}

impl Network {
    fn new(nodes: usize) -> Network {
        Network {
            ends: Vec::new(),
            left: Vec::new(),
            whole: Vec::new(),
            leaving: vec![Vec::new(); nodes],
        }
    }

    fn arc(&mut self, from: usize, to: usize, capacity: u128) {
        for (from, to, capacity) in [(from, to, capacity), (to, from, 0)] {
            self.leaving[from].push(self.ends.len());
            self.ends.push(to);
            self.whole.push(capacity);
            self.left.push(capacity);
        }
    }

    /// Whether so much can flow: shortest augmenting paths (Edmonds and Karp 1972).
    fn carries(&mut self, source: usize, sink: usize, amount: u128) -> bool {
        self.left.clone_from(&self.whole);
        let mut missing = amount;
        while missing > 0 {
            let Some(path) = self.path(source, sink) else {
                return false;
            };
            let room = path
                .iter()
                .map(|&arc| self.left[arc])
                .min()
                .unwrap_or(0)
                .min(missing);
            for arc in path {
                self.left[arc] -= room;
                self.left[arc ^ 1] += room;
            }
            missing -= room;
        }
        true
    }

    /// A path with room from the source, found from the sink: most sinks are near an arc of unlimited capacity.
    fn path(&self, source: usize, sink: usize) -> Option<Vec<usize>> {
        let mut onwards: Vec<Option<usize>> = vec![None; self.leaving.len()];
        let mut queue = VecDeque::from([sink]);
        while let Some(node) = queue.pop_front() {
            for &back in &self.leaving[node] {
                // The arc into this node.
                let (arc, from) = (back ^ 1, self.ends[back]);
                if self.left[arc] == 0 || from == sink || onwards[from].is_some() {
                    continue;
                }
                onwards[from] = Some(arc);
                if from == source {
                    let mut path = vec![arc];
                    while let Some(next) = path
                        .last()
                        .map(|&arc| self.ends[arc])
                        .filter(|&node| node != sink)
                    {
                        path.extend(onwards[next]);
                    }
                    return Some(path);
                }
                queue.push_back(from);
            }
        }
        None
    }
}
