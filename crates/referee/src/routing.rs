//! Computes the throughput of a routing: the loads of links and processors per instance, and the number of instances
//! that fit.
//!
//! **Ring.** A message goes around the ring from its owner to the last node that wants it: these paths are the
//! patterns of a steady state, one for each demand. Values that are combined start behind the target and end there,
//! each node in between merging its own value, and go on to every node that wants the result. With several targets, an
//! equal part of the instances goes towards each owner. The weight of a hop is the number of these patterns that take
//! it.
//!
//! **Flows.** A flow from one source that leaves at every target as much as it has messages splits into paths with
//! these messages and, perhaps, circulations, which load links to no purpose (RR-4872 section 3.1).
//!
//! **Only way.** In a tree every message takes the links between its ends.
//!
//! **Branchings.** See `branchings`.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;
use num_traits::Zero;
use oneport_plan::{
    Amount, Around, Demand, Goals, Kind, LinkId, Problem, Resource, Routing, SharedFlow,
};
use oneport_platform::{NodeId, PerLink, PerNode, Rational, whole};
use oneport_watch::Watch;

use crate::Violation;
use crate::arithmetic::{Scale, fraction, is_positive, time_on};
use crate::branchings;
use crate::case::Case;
use crate::odd_sets::violated;
use crate::only_way;
use crate::violation::{fault, shown};

/// Instances per unit of time that a routing sustains. Messages have one size, and merges one amount of work.
///
/// `O(demands x participants)` steps for a ring, `O(nodes + links)` for messages between all pairs with one path,
/// `O(flows x links)` for flows. If nodes have one port for both directions, largest flows as in
/// [`check_steady_state`](crate::check_steady_state). Branchings take a largest flow for each member.
///
/// # Errors
/// The first rule broken: a path that leads elsewhere, a node that cannot pass on a message that it has to, a flow that
/// loses something. [`Rule::Stopped`](crate::Rule::Stopped) if the watch ended the check.
pub fn sustained(
    problem: &Problem,
    routing: &Routing,
    watch: &Watch,
) -> Result<Rational, Violation> {
    let case = Case::new(problem).watched(watch);
    let (Amount::Constant(size), Amount::Constant(work)) = (&case.volumes.size, &case.volumes.work)
    else {
        return Err(
            fault!(Question, "sizes and work differ by message"; "a routing counts messages of one size"),
        );
    };
    let mut loads = InstanceLoads::new(&case);
    match routing {
        Routing::Ring(around) => Ring::new(&case, around)?.load(&mut loads)?,
        Routing::OnlyWay => load_only_way(&case, &mut loads)?,
        Routing::Flows(flows) => load_flows(&case, flows, &mut loads)?,
        Routing::Branchings { copied, combined } => {
            return branchings::rate(&case, copied, combined);
        }
    }
    loads.fit(&case, size, work)
}

/// The loads of one instance.
struct InstanceLoads {
    /// Messages by link.
    messages: PerLink<Rational>,
    /// Merges by node.
    merges: PerNode<Rational>,
}

impl InstanceLoads {
    fn new(case: &Case<'_>) -> InstanceLoads {
        InstanceLoads {
            messages: case.platform.per_link(Rational::zero()),
            merges: case.platform.per_node(Rational::zero()),
        }
    }

    /// How many instances fit into a unit of time.
    fn fit(
        &self,
        case: &Case<'_>,
        size: &Rational,
        work: &Rational,
    ) -> Result<Rational, Violation> {
        let platform = case.platform;
        let mut busy: BTreeMap<Resource, Rational> = BTreeMap::new();
        let mut times: Vec<(LinkId, Rational)> = Vec::new();
        for link in platform
            .link_ids()
            .filter(|link| !self.messages[*link].is_zero())
        {
            let data = &self.messages[link] * size;
            for used in Resource::uses(platform, link) {
                let time = &data * time_on(platform, used.resource, link).as_ref();
                *busy.entry(used.resource).or_default() += time;
            }
            times.push((link, data * &platform.link(link).cost));
        }
        for node in platform
            .node_ids()
            .filter(|node| !self.merges[*node].is_zero())
        {
            let compute = platform.node(node).merge_time();
            let missing = || fault!(Task, "'{}' merges", case.name(node); "only processors merge, and switches that reduce");
            let time = &self.merges[node] * work * compute.ok_or_else(missing)?;
            busy.insert(Resource::Compute(node), time);
        }
        let share = |(one, time): (Resource, Rational)| time / whole(one.capacity(platform));
        let busiest = busy.into_iter().map(share).max().filter(is_positive);
        let idle = || fault!(SteadyState, "an instance takes no time"; "some port, link or processor must be busy");
        let mut period = busiest.ok_or_else(idle)?;
        if platform.half_duplex().is_some() {
            period = scheduled(case, &times, period)?;
        }
        Ok(period.recip())
    }
}

/// The least period, no shorter than this one, in which links can be busy for these times under the ports that they
/// share.
fn scheduled(
    case: &Case<'_>,
    times: &[(LinkId, Rational)],
    mut period: Rational,
) -> Result<Rational, Violation> {
    let sums = times.len();
    let scale = Scale::new(
        "the times of the links",
        times.iter().map(|(_, time)| time),
        sums,
    )?;
    let whole_times: Vec<(LinkId, BigUint)> = times
        .iter()
        .map(|(link, time)| (*link, scale.scaled(time)))
        .collect();
    loop {
        // Everything times the period's denominator.
        let (whole, unit) = (
            scale.denominator() * period.numer().magnitude(),
            period.denom().magnitude(),
        );
        let scaled: Vec<(LinkId, BigUint)> = whole_times
            .iter()
            .map(|(link, time)| (*link, time * unit))
            .collect();
        let Some(set) = violated(case.platform, &scaled, &whole) else {
            return Ok(period);
        };
        let of_set = whole_times
            .iter()
            .filter(|(link, _)| set.links.binary_search(link).is_ok());
        let load = fraction(of_set.map(|(_, time)| time).sum(), scale.denominator());
        let longer = load / Rational::from_integer(set.capacity.max(1).into());
        if longer <= period {
            let right = "no period is long enough for them";
            return Err(fault!(OddSet, "an odd set of {} links", set.links.len(); "{right}"));
        }
        period = longer;
    }
}

/// A ring whose paths lead around it.
struct Ring<'r, 'a> {
    case: &'r Case<'a>,
    around: &'r Around,
    positions: BTreeMap<NodeId, usize>,
}

impl<'r, 'a> Ring<'r, 'a> {
    fn new(case: &'r Case<'a>, around: &'r Around) -> Result<Self, Violation> {
        let Around { order, ways } = around;
        let known = |node: &NodeId| node.index() < case.platform.nodes().len();
        if order.len() < 2 || order.len() != ways.len() || !order.iter().all(known) {
            let right = "two nodes at least, and a path for each";
            return Err(
                fault!(Question, "a ring of {} nodes and {} paths", order.len(), ways.len(); "{right}"),
            );
        }
        let positions: BTreeMap<NodeId, usize> = order.iter().copied().zip(0..).collect();
        if positions.len() < order.len() {
            return Err(fault!(Question, "a node is on the ring twice"; "each is visited once"));
        }
        for (position, way) in ways.iter().enumerate() {
            let (from, to) = (order[position], order[(position + 1) % order.len()]);
            let mut at = from;
            for &id in way {
                let link = case.link(id, || format!("path {position} of the ring"))?;
                if link.from != at {
                    let (at, from) = (case.name(at), case.name(link.from));
                    return Err(
                        fault!(Task, "a link from '{from}' follows a stop at '{at}'"; "links of a path meet"),
                    );
                }
                at = link.to;
            }
            if at != to {
                let (at, from, to) = (case.name(at), case.name(from), case.name(to));
                return Err(
                    fault!(Task, "the path from '{from}' ends at '{at}'"; "it must lead to '{to}'"),
                );
            }
        }
        Ok(Ring {
            case,
            around,
            positions,
        })
    }

    /// Adds the loads of all demands.
    fn load(&self, loads: &mut InstanceLoads) -> Result<(), Violation> {
        let count = self.around.order.len();
        // The excess of each hop's load over that of the hop before. Hops may go around twice.
        let mut steps = vec![Rational::zero(); 3 * count + 1];
        let mut add = |first: usize, hops: usize, weight: &Rational| {
            steps[first] += weight;
            steps[first + hops] -= weight;
        };
        for index in 0..self.case.demands() {
            let Some(demand) = self.case.demand(index) else {
                continue;
            };
            self.case.ask()?;
            let rate = whole(self.case.rate(index));
            self.check(&demand)?;
            let roots: Vec<NodeId> = match (demand.kind(), demand.goals) {
                (Kind::Copy, _) => demand.operands.to_vec(),
                (_, Goals::At(target)) => vec![target],
                _ => demand.operands.to_vec(),
            };
            let weight = rate / whole(roots.len());
            for root in roots {
                let (first, hops) = self.chain(&demand, root)?;
                add(first, hops, &weight);
                self.merge(&demand, first, &weight, loads);
            }
        }
        let mut load = Rational::zero();
        for (position, step) in steps.into_iter().enumerate() {
            load += step;
            for &link in self.around.ways[position % count]
                .iter()
                .filter(|_| !load.is_zero())
            {
                loads.messages[link] += &load;
            }
        }
        Ok(())
    }

    /// Checks that every node on the ring can run all tasks that it may get.
    fn check(&self, demand: &Demand<'_>) -> Result<(), Violation> {
        let combines = match demand.kind() {
            Kind::Copy => false,
            Kind::Combine | Kind::CombineCopy if demand.commutative => true,
            Kind::Combine | Kind::CombineCopy => {
                return Err(
                    fault!(Task, "operands keep their order"; "around a ring they are combined in its order"),
                );
            }
            Kind::Route | Kind::Prefix => {
                return Err(
                    fault!(Question, "a ring carries no such demand"; "it copies and combines"),
                );
            }
        };
        let node_of = |node: NodeId| self.case.platform.node(node);
        let able =
            |node: &NodeId| node_of(*node).replicates && (!combines || node_of(*node).merges());
        match self.around.order.iter().find(|node| !able(node)) {
            None => Ok(()),
            Some(&node) => Err(
                fault!(Task, "'{}' is on the ring", self.case.name(node); "it cannot copy and combine"),
            ),
        }
    }

    fn position(&self, node: NodeId) -> Result<usize, Violation> {
        let missing = || fault!(Task, "'{}' is not on the ring", self.case.name(node); "all participants must be");
        self.positions.get(&node).copied().ok_or_else(missing)
    }

    /// The first hop of the pattern towards a root, and how many hops it has.
    fn chain(&self, demand: &Demand<'_>, root: NodeId) -> Result<(usize, usize), Violation> {
        let count = self.around.order.len();
        let root_position = self.position(root)?;
        // How far behind the root a node comes, 0 being the root itself.
        let behind = |node: NodeId| {
            Ok::<usize, Violation>((self.position(node)? + count - root_position) % count)
        };
        let mut last = 0;
        if let Goals::Everywhere(targets) = demand.goals {
            for &node in targets {
                last = last.max(behind(node)?);
            }
        }
        if demand.kind() == Kind::Copy {
            return Ok((root_position, last));
        }
        let mut before = 0;
        for &node in demand.operands {
            // The operand of the root itself waits there.
            before = before.max((count - behind(node)?) % count);
        }
        Ok((root_position + count - before, before + last))
    }

    /// Adds the merges of a chain: at every owner but the first one that it meets.
    fn merge(
        &self,
        demand: &Demand<'_>,
        first: usize,
        weight: &Rational,
        loads: &mut InstanceLoads,
    ) {
        if demand.kind() == Kind::Copy {
            return;
        }
        let start = self.around.order[first % self.around.order.len()];
        for &node in demand.operands.iter().filter(|&&node| node != start) {
            loads.merges[node] += weight;
        }
    }
}

/// Adds the loads of messages with one path only.
fn load_only_way(case: &Case<'_>, loads: &mut InstanceLoads) -> Result<(), Violation> {
    for group in case.groups() {
        let messages = if group.kind == Kind::Route {
            only_way::messages(&group.case)?
        } else {
            None
        };
        let several = || fault!(Question, "there are several ways, or other demands"; "messages that travel alone in a tree");
        let counts = messages.ok_or_else(several)?;
        for (load, count) in loads
            .messages
            .iter_mut()
            .zip(counts)
            .filter(|(_, count)| *count > 0)
        {
            *load += whole(count) * whole(group.rate);
        }
    }
    Ok(())
}

/// Checks that every message is in one flow, and adds the loads of the flows.
fn load_flows(
    case: &Case<'_>,
    flows: &[SharedFlow],
    loads: &mut InstanceLoads,
) -> Result<(), Violation> {
    let is_source = flows.first().is_some_and(|flow| flow.is_source);
    let mut wanted: BTreeMap<NodeId, BTreeMap<NodeId, u64>> = BTreeMap::new();
    for index in 0..case.demands() {
        let Some(demand) = case.demand(index) else {
            continue;
        };
        let (Goals::At(target), &[source], Kind::Route) =
            (demand.goals, demand.operands, demand.kind())
        else {
            return Err(
                fault!(Question, "demand {index} is not a single message"; "flows carry messages that travel alone"),
            );
        };
        let (root, leaf) = if is_source {
            (source, target)
        } else {
            (target, source)
        };
        if root != leaf {
            *wanted.entry(root).or_default().entry(leaf).or_default() += case.rate(index);
        }
    }
    let mut seen = BTreeSet::new();
    // Flows that count in the same unit are added up as integers.
    let mut sums: BTreeMap<u64, Vec<u128>> = BTreeMap::new();
    for flow in flows {
        case.ask()?;
        let name = case
            .platform
            .nodes()
            .get(flow.root.index())
            .map(|_| case.name(flow.root));
        let name = name
            .ok_or_else(|| fault!(Unknown, "a flow has no root"; "give a node of the platform"))?;
        let leaves = wanted.remove(&flow.root).unwrap_or_default();
        if flow.is_source != is_source || !seen.insert(flow.root) {
            return Err(
                fault!(Question, "the flow of '{name}' comes twice"; "one flow for each source, or target"),
            );
        }
        check_flow(case, flow, &leaves)
            .map_err(|violation| violation.at(format!("the flow of '{name}'")))?;
        let sum = sums
            .entry(flow.unit)
            .or_insert_with(|| vec![0; flow.amounts.len()]);
        for (sum, &amount) in sum.iter_mut().zip(&flow.amounts) {
            *sum += u128::from(amount);
        }
    }
    for (unit, sum) in sums {
        let unit = BigUint::from(unit);
        for (load, amount) in loads
            .messages
            .iter_mut()
            .zip(sum)
            .filter(|(_, amount)| *amount > 0)
        {
            *load += fraction(amount.into(), &unit);
        }
    }
    match wanted.keys().next() {
        None => Ok(()),
        Some(&root) => Err(
            fault!(SteadyState, "no flow is that of '{}'", case.name(root); "every message needs one"),
        ),
    }
}

/// One flow: at every leaf as much arrives as it has messages, and elsewhere nothing is lost.
fn check_flow(
    case: &Case<'_>,
    flow: &SharedFlow,
    leaves: &BTreeMap<NodeId, u64>,
) -> Result<(), Violation> {
    let platform = case.platform;
    if flow.unit == 0 || flow.amounts.len() != platform.links().len() {
        return Err(
            fault!(Question, "{} links", flow.amounts.len(); "an amount for each, in positive units"),
        );
    }
    let mut arrives = platform.per_node(0i128);
    for (link, &amount) in platform.links().iter().zip(&flow.amounts) {
        let amount = i128::from(amount) * if flow.is_source { 1 } else { -1 };
        arrives[link.to] += amount;
        arrives[link.from] -= amount;
    }
    for node in platform.node_ids().filter(|&node| node != flow.root) {
        let messages = i128::from(leaves.get(&node).copied().unwrap_or_default());
        if arrives[node] != messages * i128::from(flow.unit) {
            let found = fraction(arrives[node].unsigned_abs().into(), &flow.unit.into());
            let right = format!("{messages} messages end there");
            return Err(
                fault!(SteadyState, "{} stay at '{}'", shown(found), case.name(node); "{right}"),
            );
        }
    }
    Ok(())
}
