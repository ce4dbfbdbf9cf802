//! Prices and flows of messages that travel alone, without a linear program: multiplicative weights, evenly spread.
//!
//! As in [`multiplicative_weights`](super::multiplicative_weights), the prices of resources that were busy in a round
//! grow. But no single path is chosen: a flow arrives at every node in equal parts over all links that lie on cheapest
//! paths. So links that are alike on the platform are used alike, their prices stay equal, and prices move in as many
//! dimensions as there are kinds of links: two or three on a torus, where single paths would take turns for hundreds of
//! rounds.
//!
//! If the messages go between all pairs and the platform is symmetric, one source represents all that are alike
//! ([`Alike`]), and the loads of links that are alike are averaged. Prices that are equal on like links are not worse
//! than others: the mean of best prices under all symmetries is best (Boedi, Herr and Joswig 2013). None of this has to
//! be trusted: any prices prove a bound, which the referee computes from all sources.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, ToPrimitive};
use oneport_numbers::Scaled;
use oneport_plan::{Certificate, Resource, Routing, SharedFlow};
use oneport_platform::{
    Automorphism, LinkId, NodeId, Platform, Rational, SharedId, free_automorphisms, ratio, whole,
};

use super::{Group, Side, groups};
use crate::resources::Resources;
use crate::{LpError, Question};

/// Links looked at over all rounds. Trades a tighter bound for time. Measured: all-to-all on a torus of 128 hosts
/// within 0.1 % in 0.07 s of CPU, on 1000 hosts in racks optimal in 1.3 s.
const EFFORT: usize = 12_000_000;
/// Links looked at for the flows of all sources. Trades throughput of the flows for time. Not measured.
const EFFORT_OF_FLOWS: usize = 6_000_000;
/// Most rounds, and fewest rounds if flows are built. Trades a tighter bound for time. Not measured.
const MOST_ROUNDS: usize = 300;
/// Rounds whose flows are averaged. Trades throughput of the flows for memory. Not measured.
const MOST_AVERAGED: usize = 16;
/// Fact: prices and times below this add up along a path within 128 bits.
const LIMIT: u64 = 1 << 40;
/// The first price of each resource. Trades accuracy of small prices for rounds until prices meet `LIMIT`. Not
/// measured.
const FIRST: u64 = 1 << 20;
/// Fact: units of one message in the flow of one round. Many factors are 2 and 3, so that equal parts are whole.
const UNIT: u64 = (5 << 10) * 3u64.pow(8);
/// Parts of the highest price below which prices are set to zero, tried in sequence. Trades time for a tighter bound.
/// Not measured.
const LEFT_OUT: [u64; 4] = [1 << 12, 1 << 8, 1 << 5, 1 << 2];

/// Prices and flows.
pub struct Spread {
    /// Prices, the best bound first. There are several, because one of them may be simpler.
    pub certificate: Certificate,
    /// Flows of all messages.
    pub routing: Routing,
}

/// Prices that bound a question of messages that travel alone, and flows near the bound. `None` for other questions,
/// for messages without size, and if a link costs nothing.
///
/// `O(EFFORT log n)` steps, and two rounds at least: one run of Dijkstra's algorithm for each representative source.
///
/// # Errors
/// [`LpError::Stopped`] if the question's watch ends the work before the first round.
pub fn spread(question: &Question) -> Result<Option<Spread>, LpError> {
    if question.commodities().is_empty() || question.platform().free_link().is_some() {
        return Ok(None);
    }
    let Some(router) = Router::new(question) else {
        return Ok(None);
    };
    let alike = Alike::new(question, &router);
    let links = question.platform().links().len().max(1);
    let rounds = (EFFORT / (alike.roots.len() * links).max(1)).clamp(2, MOST_ROUNDS);
    let mut prices = vec![FIRST; router.resources.count()];
    let mut history: Vec<Round> = Vec::new();
    for _ in 0..rounds {
        match question.watch().ask() {
            Err(limit) if history.is_empty() => return Err(LpError::Stopped(limit)),
            Err(_) => break,
            Ok(()) => {}
        }
        let round = router.round(&alike, &prices)?;
        let next = round.raised();
        history.push(round);
        prices = next;
    }
    let certificate = best_prices(&router, &alike, &history)?;
    let most = (EFFORT_OF_FLOWS / (router.groups.len() * links).max(1)).clamp(1, MOST_AVERAGED);
    let routing = router.routing(&averaged(&router, &history, most))?;
    Ok(Some(Spread {
        certificate,
        routing,
    }))
}

/// The result of one price for each resource.
struct Round {
    prices: Vec<u64>,
    /// Per resource: its busy time per instance, in units of time over [`UNIT`], averaged over like resources.
    loads: Vec<u128>,
    /// Prices times capacities, and the price of an instance: their ratio is a bound.
    worth: u128,
    instance: u128,
}

impl Round {
    fn is_below(&self, other: &Round) -> bool {
        BigInt::from(self.worth) * BigInt::from(other.instance)
            < BigInt::from(other.worth) * BigInt::from(self.instance)
    }

    /// Prices grow by up to an eighth, in proportion to how busy the resource is.
    fn raised(&self) -> Vec<u64> {
        let busiest = self.loads.iter().copied().max().unwrap_or(0).max(1);
        let raise = |(&price, &load): (&u64, &u128)| {
            // Both are below 2^60 after the shift, for any loads.
            let shift = busiest.ilog2().saturating_sub(60);
            let growth = u128::from(price) * (load >> shift) / (busiest >> shift).max(1) / 8;
            price.saturating_add(u64::try_from(growth).unwrap_or(0))
        };
        let mut prices: Vec<u64> = self.prices.iter().zip(&self.loads).map(raise).collect();
        while prices.iter().any(|&price| price >= LIMIT) {
            for price in &mut prices {
                *price = price.div_ceil(2);
            }
        }
        prices
    }
}

/// The best prices among all rounds' prices, these without the small ones, and the highest ones at one level.
fn best_prices(
    router: &Router<'_>,
    alike: &Alike,
    history: &[Round],
) -> Result<Certificate, LpError> {
    const NONE: LpError = LpError::Contradiction("no message travels");
    let best = history
        .iter()
        .reduce(|best, round| if round.is_below(best) { round } else { best })
        .ok_or(NONE)?;
    let mut candidates: BTreeSet<Vec<u64>> = BTreeSet::new();
    for round in [Some(best), history.last()].into_iter().flatten() {
        let dearest = round.prices.iter().copied().max().unwrap_or(0);
        for part in LEFT_OUT {
            let kept = |price: u64| price >= (dearest / part).max(1);
            candidates.insert(
                round
                    .prices
                    .iter()
                    .map(|&price| if kept(price) { price } else { 0 })
                    .collect(),
            );
            candidates.insert(router.level(&round.prices, kept));
        }
    }
    let mut rounds = Vec::new();
    for prices in candidates {
        // At one level, no single path shows how busy a link is.
        let round = router.priced(alike, prices)?;
        if round.instance > 0 {
            rounds.push(round);
        }
    }
    let best = rounds.iter().fold(
        best,
        |best, round| if round.is_below(best) { round } else { best },
    );
    let exact: Vec<Rational> = best.prices.iter().map(|&price| whole(price)).collect();
    Ok(router.resources.certificate(&exact))
}

/// The last rounds whose averaged flows keep the busiest resource busy for the least time. At most as many as may be
/// averaged.
fn averaged<'h>(router: &Router<'_>, history: &'h [Round], most: usize) -> Vec<&'h Round> {
    let count = history.len();
    let spaced = |from: usize| -> Vec<&Round> {
        let step = (count - from).div_ceil(most).max(1);
        history[from..].iter().step_by(step).collect()
    };
    let alone = history.iter().map(|round| vec![round]);
    let windows = [0, count / 2, count - count.div_ceil(4)].map(spaced);
    let busiest = |rounds: &Vec<&Round>| {
        let load = |index: usize| rounds.iter().map(|round| round.loads[index]).sum::<u128>();
        let most = (0..router.resources.count()).map(load).max().unwrap_or(0);
        ratio(most, rounds.len())
    };
    alone
        .chain(windows)
        .filter(|rounds| !rounds.is_empty())
        .min_by_key(busiest)
        .unwrap_or_default()
}

/// The platform, prepared for cheapest paths from, or to, the groups' roots.
struct Router<'q> {
    question: &'q Question,
    groups: Vec<Group>,
    resources: Resources,
    /// The flow of each link, in whole units.
    times: Vec<u64>,
    /// Per resource.
    capacities: Vec<u64>,
    /// Per node: the links on which a flow leaves it, with their other ends. Then the links on which it arrives.
    next: Vec<Vec<(usize, usize)>>,
    before: Vec<Vec<(usize, usize)>>,
}

impl<'q> Router<'q> {
    /// `None` if a message takes no time.
    fn new(question: &'q Question) -> Option<Self> {
        let platform = question.platform();
        let exact: Vec<Rational> = platform
            .link_ids()
            .map(|link| question.time(link))
            .collect();
        let times = whole_times(&exact)?;
        let groups = groups(question);
        let resources = Resources::new(platform, false);
        let capacities = (0..resources.count())
            .map(|index| resources.capacity(index).to_integer().to_u64().unwrap_or(1))
            .collect();
        let mut next = vec![Vec::new(); platform.nodes().len()];
        let mut before = next.clone();
        let is_source = groups.first()?.side == Side::Source;
        for (index, link) in platform.links().iter().enumerate() {
            let (from, to) = (link.from.index(), link.to.index());
            let (from, to) = if is_source { (from, to) } else { (to, from) };
            next[from].push((to, index));
            before[to].push((from, index));
        }
        Some(Router {
            question,
            groups,
            resources,
            times,
            capacities,
            next,
            before,
        })
    }

    fn costs(&self, prices: &[u64]) -> Vec<u128> {
        let cost = |(index, &time): (usize, &u64)| {
            let price = self
                .resources
                .uses(LinkId::new(index))
                .iter()
                .map(|one| one.of_whole(prices[one.row].into()))
                .sum::<u128>();
            price * u128::from(time)
        };
        self.times.iter().enumerate().map(cost).collect()
    }

    /// Puts the kept prices at one level: a message costs the same on each of these links, as on the links of a cut,
    /// and a unit of time costs the same at each of these ports.
    fn level(&self, prices: &[u64], kept: impl Fn(u64) -> bool) -> Vec<u64> {
        let link = |one: Resource| match one {
            Resource::Link(link) => Some(self.times[link.index()]),
            _ => None,
        };
        let times: Vec<Option<u64>> = self.resources.list().map(link).collect();
        let common =
            |all: Option<u64>, time: u64| Some(all?.lcm(&time)).filter(|common| *common < LIMIT);
        let kept_times = times
            .iter()
            .zip(prices)
            .filter(|(_, price)| kept(**price))
            .filter_map(|(time, _)| *time);
        let unit = kept_times.fold(Some(1), common).unwrap_or(LIMIT);
        let level_price = |(&price, time): (&u64, &Option<u64>)| {
            if kept(price) {
                time.map_or(unit, |time| (unit / time).max(1))
            } else {
                0
            }
        };
        prices.iter().zip(&times).map(level_price).collect()
    }

    /// Distances from a root, and the nodes by distance.
    fn distances(&self, root: usize, costs: &[u128]) -> (Vec<Option<u128>>, Vec<usize>) {
        let mut distances = vec![None; self.next.len()];
        let mut order = Vec::with_capacity(self.next.len());
        let mut heap = BinaryHeap::from([Reverse((0u128, root))]);
        let mut least: Vec<u128> = vec![u128::MAX; self.next.len()];
        while let Some(Reverse((distance, node))) = heap.pop() {
            if distances[node].is_some() {
                continue;
            }
            distances[node] = Some(distance);
            order.push(node);
            for &(to, link) in &self.next[node] {
                let further = distance.saturating_add(costs[link]);
                if further < least[to] {
                    least[to] = further;
                    heap.push(Reverse((further, to)));
                }
            }
        }
        (distances, order)
    }

    /// The cost of a group's messages together, and its flow by link if every link costs something.
    fn flow(
        &self,
        group: &Group,
        costs: &[u128],
        amounts: Option<&mut [u64]>,
    ) -> Result<u128, LpError> {
        let root = group.root.index();
        let (distances, order) = self.distances(root, costs);
        let mut total = 0u128;
        let mut needs = vec![0u64; distances.len()];
        let leaves = group.leaves.iter().map(|leaf| leaf.node.index());
        for leaf in leaves.filter(|&leaf| leaf != root) {
            let distance = distances[leaf];
            total = total.saturating_add(
                distance.ok_or(LpError::Contradiction("a target is not reachable"))?,
            );
            needs[leaf] += UNIT;
        }
        let Some(amounts) = amounts else {
            return Ok(total);
        };
        let mut cheapest: Vec<(usize, usize)> = Vec::new();
        for &node in order.iter().rev().filter(|&&node| node != root) {
            let need = needs[node];
            let Some(distance) = distances[node].filter(|_| need > 0) else {
                continue;
            };
            cheapest.clear();
            let tight = |&&(from, link): &&(usize, usize)| {
                costs[link] > 0
                    && distances[from].is_some_and(|before| before + costs[link] == distance)
            };
            cheapest.extend(self.before[node].iter().filter(tight));
            let ways = cheapest.len() as u64;
            for (index, &(from, link)) in cheapest.iter().enumerate() {
                let part = need / ways + u64::from((index as u64) < need % ways);
                needs[from] += part;
                amounts[link] += part;
            }
        }
        Ok(total)
    }

    /// The bound of prices, of which some may be 0. No flows are computed.
    fn priced(&self, alike: &Alike, prices: Vec<u64>) -> Result<Round, LpError> {
        let costs = self.costs(&prices);
        let mut instance = 0u128;
        for &(index, count) in &alike.roots {
            instance = instance.saturating_add(
                self.flow(&self.groups[index], &costs, None)?
                    .saturating_mul(count),
            );
        }
        let worth = self.worth(&prices);
        Ok(Round {
            prices,
            loads: Vec::new(),
            worth,
            instance,
        })
    }

    fn worth(&self, prices: &[u64]) -> u128 {
        prices
            .iter()
            .zip(&self.capacities)
            .map(|(&price, &capacity)| u128::from(price) * u128::from(capacity))
            .sum()
    }

    /// The bound of positive prices, and how busy cheapest paths keep everything.
    fn round(&self, alike: &Alike, prices: &[u64]) -> Result<Round, LpError> {
        let costs = self.costs(prices);
        let mut instance = 0u128;
        let mut sums = vec![0u128; self.resources.count()];
        let mut amounts = vec![0u64; costs.len()];
        for &(index, count) in &alike.roots {
            amounts.fill(0);
            let total = self.flow(&self.groups[index], &costs, Some(&mut amounts))?;
            instance = instance.saturating_add(total.saturating_mul(count));
            for (link, &amount) in amounts
                .iter()
                .enumerate()
                .filter(|(_, amount)| **amount > 0)
            {
                let time = u128::from(amount) * u128::from(self.times[link]) * count;
                for one in self.resources.uses(LinkId::new(link)) {
                    sums[alike.resources[one.row]] += one.of_whole(time);
                }
            }
        }
        let load = |index: usize| {
            let orbit = alike.resources[index];
            sums[orbit] / u128::from(alike.sizes[orbit]) / u128::from(self.capacities[index].max(1))
        };
        let loads = (0..self.resources.count()).map(load).collect();
        Ok(Round {
            prices: prices.to_vec(),
            loads,
            worth: self.worth(prices),
            instance,
        })
    }

    /// The mean flows of some rounds, of all groups.
    fn routing(&self, rounds: &[&Round]) -> Result<Routing, LpError> {
        let costs: Vec<Vec<u128>> = rounds
            .iter()
            .map(|round| self.costs(&round.prices))
            .collect();
        let unit = UNIT * rounds.len() as u64;
        let mut flows = Vec::with_capacity(self.groups.len());
        for group in &self.groups {
            self.question.watch().ask()?;
            let mut amounts = vec![0u64; self.times.len()];
            for costs in &costs {
                self.flow(group, costs, Some(&mut amounts))?;
            }
            flows.push(SharedFlow {
                root: group.root,
                is_source: group.side == Side::Source,
                unit,
                amounts,
            });
        }
        Ok(Routing::Flows(flows))
    }
}

/// Times in whole units below [`LIMIT`]: exact, or rounded up if they share no such unit.
fn whole_times(times: &[Rational]) -> Option<Vec<u64>> {
    // The shortest link's time in units, if times share no unit. Trades accuracy for the number of links whose times
    // fit a word. Not measured.
    const RESOLUTION: u64 = 1 << 16;
    let fits = |time: &u64| (1..LIMIT).contains(time);
    let exact: Option<Vec<u64>> = Scaled::of(times)
        .values
        .iter()
        .map(|time| time.to_u64().filter(fits))
        .collect();
    exact.or_else(|| {
        let shortest = times.iter().min().cloned().unwrap_or_else(Rational::one);
        let scale = whole(RESOLUTION) / Some(shortest).filter(|one| *one > Rational::default())?;
        let rounded = |time: &Rational| {
            (time * &scale)
                .ceil()
                .to_integer()
                .to_u64()
                .unwrap_or(LIMIT)
                .clamp(1, LIMIT)
        };
        Some(times.iter().map(rounded).collect())
    })
}

/// Representatives of like resources and groups.
struct Alike {
    /// Groups, each with how many are like it, itself included.
    roots: Vec<(usize, u128)>,
    /// The representative of each resource.
    resources: Vec<usize>,
    /// The number of resources that each representative represents.
    sizes: Vec<u64>,
}

impl Alike {
    /// Everything for itself, unless messages go between all pairs.
    fn new(question: &Question, router: &Router<'_>) -> Alike {
        let (groups, resources) = (router.groups.len(), router.resources.count());
        let (mut of_groups, mut of_resources) = (Classes::new(groups), Classes::new(resources));
        let members: Vec<NodeId> = router.groups.iter().map(|group| group.root).collect();
        // Between all pairs of distinct members there is one message each.
        let sorted: BTreeSet<NodeId> = members.iter().copied().collect();
        let is_mutual = groups > 1
            && router
                .groups
                .iter()
                .all(|group| group.leaves.len() + 1 == groups)
            && router
                .groups
                .iter()
                .all(|group| group.leaves.iter().all(|leaf| sorted.contains(&leaf.node)));
        if is_mutual {
            let platform = question.platform();
            let indices: BTreeMap<Resource, usize> = router.resources.list().zip(0..).collect();
            let of_root: BTreeMap<NodeId, usize> = members.iter().copied().zip(0..).collect();
            let mut join = |nodes: &dyn Fn(NodeId) -> NodeId,
                            links: &dyn Fn(LinkId) -> LinkId,
                            shared: &dyn Fn(SharedId) -> SharedId| {
                for (index, root) in members.iter().enumerate() {
                    if let Some(&other) = of_root.get(&nodes(*root)) {
                        of_groups.join(index, other);
                    }
                }
                for (resource, &index) in &indices {
                    let image = indices.get(&image_of(*resource, nodes, links, shared));
                    if let Some(&other) = image {
                        of_resources.join(index, other);
                    }
                }
            };
            for Automorphism {
                nodes,
                links,
                shared,
            } in free_automorphisms(platform, &members).iter().skip(1)
            {
                join(&|node| nodes[node], &|link| links[link], &|id| shared[id]);
            }
            for (nodes, links) in swaps(platform, &sorted) {
                join(
                    &|node| nodes.get(&node).copied().unwrap_or(node),
                    &|link| links.get(&link).copied().unwrap_or(link),
                    &|id| id,
                );
            }
        }
        let mut sizes = vec![0; resources];
        let resources: Vec<usize> = (0..resources)
            .map(|index| of_resources.find(index))
            .collect();
        for &orbit in &resources {
            sizes[orbit] += 1;
        }
        let mut roots: BTreeMap<usize, u128> = BTreeMap::new();
        for index in 0..groups {
            *roots.entry(of_groups.find(index)).or_default() += 1;
        }
        Alike {
            roots: roots.into_iter().collect(),
            resources,
            sizes,
        }
    }
}

fn image_of(
    resource: Resource,
    nodes: &dyn Fn(NodeId) -> NodeId,
    links: &dyn Fn(LinkId) -> LinkId,
    shared: &dyn Fn(SharedId) -> SharedId,
) -> Resource {
    match resource {
        Resource::Send(at) => Resource::Send(nodes(at)),
        Resource::Receive(at) => Resource::Receive(nodes(at)),
        Resource::Compute(at) => Resource::Compute(nodes(at)),
        Resource::Port(at) => Resource::Port(nodes(at)),
        Resource::Link(link) => Resource::Link(links(link)),
        Resource::Shared(id) => Resource::Shared(shared(id)),
    }
}

/// The other end of a link, the link's cost and shared capacities, and the link.
type End<'p> = (NodeId, &'p Rational, &'p [(SharedId, Rational)], LinkId);

/// Images under a renaming that differ from the original.
type Renaming = (BTreeMap<NodeId, NodeId>, BTreeMap<LinkId, LinkId>);

/// Renamings that swap a node with another one that has the same neighbours over links of the same costs and parts of
/// shared capacities: each of these keeps its index.
fn swaps(platform: &Platform, members: &BTreeSet<NodeId>) -> Vec<Renaming> {
    let mut first: BTreeMap<_, (NodeId, Vec<LinkId>)> = BTreeMap::new();
    let mut found = Vec::new();
    for node in platform.node_ids() {
        let sorted_ends = |links: &[LinkId], other: fn(&oneport_platform::Link) -> NodeId| {
            let end = |&id: &LinkId| {
                let link = platform.link(id);
                (other(link), &link.cost, platform.shared_by(id), id)
            };
            let mut ends: Vec<End<'_>> = links.iter().map(end).collect();
            ends.sort_unstable();
            ends
        };
        let (out, into) = (
            sorted_ends(platform.outgoing(node), |link| link.to),
            sorted_ends(platform.incoming(node), |link| link.from),
        );
        let own: Vec<LinkId> = out.iter().chain(&into).map(|end| end.3).collect();
        let alike = |ends: Vec<End<'_>>| -> Vec<_> {
            ends.into_iter()
                .map(|(end, cost, shared, _)| (end, cost.clone(), shared.to_vec()))
                .collect()
        };
        let (model, ports) = (platform.model_of(node), platform.node(node).ports);
        let key = (
            members.contains(&node),
            model.name(),
            ports,
            alike(out),
            alike(into),
        );
        match first.get(&key) {
            None => _ = first.insert(key, (node, own)),
            Some((other, links)) => {
                let links = links.iter().copied().zip(own.iter().copied());
                let both = links
                    .flat_map(|(one, two)| [(one, two), (two, one)])
                    .collect();
                found.push((BTreeMap::from([(node, *other), (*other, node)]), both));
            }
        }
    }
    found
}

/// Disjoint sets.
struct Classes {
    parents: Vec<usize>,
}

impl Classes {
    fn new(count: usize) -> Classes {
        Classes {
            parents: (0..count).collect(),
        }
    }

    fn find(&mut self, index: usize) -> usize {
        let mut root = index;
        while self.parents[root] != root {
            self.parents[root] = self.parents[self.parents[root]];
            root = self.parents[root];
        }
        root
    }

    fn join(&mut self, one: usize, two: usize) {
        let (one, two) = (self.find(one), self.find(two));
        self.parents[one.max(two)] = one.min(two);
    }
}
