//! Random steady states of every pattern on platforms of every port model: half-duplex, multiport, links, mixed.
//! Switches forward every copy once. Also their loads, from every task and every odd set.

pub use oneport_testkit::ratio;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};
use oneport_period::rounding::{Target, round};
use oneport_plan::{
    Amount, Collective, Demand, Goals, Interval, Member, Pattern, PeriodicSchedule, Problem,
    Resource, SteadyState, Task, Volumes, WeightedPattern, WholePatterns,
};
use oneport_platform::{LinkId, Node, NodeId, Platform, PortModel, Rational};
use oneport_schedule::periodic;
use oneport_watch::Watch;
use proptest::prelude::*;

/// A platform, a problem, and patterns that solve it.
#[derive(Clone)]
pub struct Case {
    pub platform: Platform,
    pub collective: Collective,
    pub volumes: Volumes,
    pub steady_state: SteadyState,
    /// Whether the patterns certainly attain the throughput: odd sets are respected, or do not exist.
    pub attainable: bool,
}

/// The problem of a case.
pub fn problem(case: &Case) -> Problem {
    Problem::new(&case.platform, &case.collective, &case.volumes).unwrap()
}

/// A schedule of at most this number of instances per period.
pub fn schedule(case: &Case, most: u64) -> PeriodicSchedule {
    let whole = round(
        &problem(case),
        &case.steady_state,
        &Target::Instances(most),
        &Watch::unlimited(),
    )
    .unwrap();
    periodic(&problem(case), whole, &Watch::unlimited()).unwrap()
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}, {:?};", self.collective, self.volumes)?;
        for id in self.platform.node_ids() {
            let (node, model) = (self.platform.node(id), self.platform.model_of(id));
            write!(
                f,
                " {} {model} {:?} {:?} {};",
                node.name, node.ports, node.compute, node.replicates
            )?;
        }
        for id in self.platform.link_ids() {
            write!(
                f,
                " {id}: {} {};",
                self.platform.link_name(id),
                self.platform.link(id).cost
            )?;
        }
        for WeightedPattern { pattern, weight } in &self.steady_state.patterns {
            write!(f, " {weight} x {pattern:?};")?;
        }
        Ok(())
    }
}

/// Numbers that decide everything, in sequence: a property draws them, and shrinks them if it fails.
pub struct Dice<'a> {
    numbers: std::iter::Cycle<std::slice::Iter<'a, usize>>,
    count: usize,
}

impl<'a> Dice<'a> {
    pub fn of(numbers: &'a [usize]) -> Self {
        Dice {
            numbers: numbers.iter().cycle(),
            count: 0,
        }
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.count += 1;
        // The count keeps a short list of numbers from repeating itself.
        (self.numbers.next().copied().unwrap_or(0) / 7 + self.count * self.count) % bound.max(1)
    }

    pub fn number(&mut self, most: usize, denominators: usize) -> Rational {
        ratio(
            1 + self.below(most) as i64,
            1 + self.below(denominators) as i64,
        )
    }
}

/// Which models nodes have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Models {
    All(PortModel),
    Mixed,
}

/// A ring in both directions, and chords. The first nodes are processors, some of the others switches.
pub fn platform(
    nodes: usize,
    participants: usize,
    models: Models,
    dice: &mut Dice<'_>,
) -> Platform {
    let mut builder = Platform::builder();
    if let Models::All(model) = models {
        builder.model(model);
    }
    for node in 0..nodes {
        let name = format!("n{node}");
        let router = node >= participants && dice.below(3) > 0;
        let compute = dice.number(6, 3);
        let mut node = if router {
            Node::router(name)
        } else {
            Node::processor(name, compute)
        };
        node.replicates = !router || dice.below(2) == 0;
        node.model = (models == Models::Mixed).then(|| PortModel::ALL[dice.below(4)]);
        let multiport =
            models == Models::All(PortModel::Multiport) || node.model == Some(PortModel::Multiport);
        node.ports = multiport.then(|| 1 + dice.below(3) as u32);
        builder.node(node).unwrap();
    }
    for node in 0..nodes {
        // Two nodes make a ring of one pair of links.
        let _ = builder.duplex(
            NodeId::new(node),
            NodeId::new((node + 1) % nodes),
            dice.number(6, 3),
        );
    }
    for _ in 0..dice.below(2 * nodes) {
        let (from, to) = (
            NodeId::new(dice.below(nodes)),
            NodeId::new(dice.below(nodes)),
        );
        let _ = builder.link(from, to, dice.number(6, 3));
    }
    builder.build().unwrap()
}

/// A path with the fewest links.
pub fn path(platform: &Platform, from: NodeId, to: NodeId, dice: &mut Dice<'_>) -> Vec<LinkId> {
    let mut by: BTreeMap<NodeId, LinkId> = BTreeMap::new();
    let mut queue = VecDeque::from([from]);
    while let Some(node) = queue.pop_front() {
        let mut links = platform.outgoing(node).to_vec();
        let first = dice.below(links.len());
        links.rotate_left(first);
        for link in links {
            let next = platform.link(link).to;
            if next != from && !by.contains_key(&next) {
                by.insert(next, link);
                queue.push_back(next);
            }
        }
    }
    let mut links = Vec::new();
    let mut node = to;
    while node != from {
        links.push(by[&node]);
        node = platform.link(by[&node]).from;
    }
    links.reverse();
    links
}

/// The nodes of a value, each with its task.
type Holders = Vec<(NodeId, Option<u32>)>;

/// Brings a value to a node from one of its holders. Returns the task that brought it.
fn bring(
    platform: &Platform,
    holders: &mut Holders,
    target: NodeId,
    dice: &mut Dice<'_>,
    send: &mut dyn FnMut(LinkId, Option<u32>) -> usize,
) -> Option<u32> {
    if let Some(&(_, task)) = holders.iter().find(|(node, _)| *node == target) {
        return task;
    }
    let links = path(platform, holders[dice.below(holders.len())].0, target, dice);
    // Not through a node that holds it already.
    let sender = |link: LinkId| {
        holders
            .iter()
            .find(|(node, _)| *node == platform.link(link).from)
    };
    let first = links
        .iter()
        .rposition(|&link| sender(link).is_some())
        .unwrap();
    let mut last = sender(links[first]).unwrap().1;
    for &link in &links[first..] {
        last = Some(send(link, last) as u32);
        let to = platform.link(link).to;
        if platform.node(to).replicates {
            holders.push((to, last));
        }
    }
    last
}

fn arborescence(
    platform: &Platform,
    commodity: usize,
    source: NodeId,
    goals: &[NodeId],
    dice: &mut Dice<'_>,
) -> Pattern {
    let mut hops: Vec<(LinkId, Option<u32>)> = Vec::new();
    let mut holders = vec![(source, None)];
    let mut goals = goals.to_vec();
    let first = dice.below(goals.len());
    goals.rotate_left(first);
    for goal in goals {
        bring(platform, &mut holders, goal, dice, &mut |link, after| {
            hops.push((link, after));
            hops.len() - 1
        });
    }
    Pattern::arborescence(commodity, hops)
}

/// Makes a partial result somewhere.
fn value(
    platform: &Platform,
    owners: &[NodeId],
    part: Interval,
    dice: &mut Dice<'_>,
    tasks: &mut Vec<Task>,
) -> Holders {
    if part.first == part.last {
        return vec![(owners[part.first], None)];
    }
    let split = part.first + dice.below(part.last - part.first);
    let halves = [
        Interval {
            last: split,
            ..part
        },
        Interval {
            first: split + 1,
            ..part
        },
    ];
    let mut held = halves.map(|half| value(platform, owners, half, dice, tasks));
    vec![merge(platform, part, split, &mut held, dice, tasks)]
}

/// Merges two partial results somewhere.
fn merge(
    platform: &Platform,
    part: Interval,
    split: usize,
    halves: &mut [Holders; 2],
    dice: &mut Dice<'_>,
    tasks: &mut Vec<Task>,
) -> (NodeId, Option<u32>) {
    let processors: Vec<NodeId> = platform.processors().collect();
    let node = processors[dice.below(processors.len())];
    let parts = [
        Interval {
            last: split,
            ..part
        },
        Interval {
            first: split + 1,
            ..part
        },
    ];
    let [left, right] =
        [0, 1].map(|side| carry(platform, &mut halves[side], node, parts[side], dice, tasks));
    tasks.push(Task::Merge {
        node,
        part,
        split,
        left,
        right,
    });
    (node, Some(tasks.len() as u32 - 1))
}

fn carry(
    platform: &Platform,
    holders: &mut Holders,
    target: NodeId,
    part: Interval,
    dice: &mut Dice<'_>,
    tasks: &mut Vec<Task>,
) -> Option<u32> {
    bring(platform, holders, target, dice, &mut |link, after| {
        tasks.push(Task::Send { link, part, after });
        tasks.len() - 1
    })
}

/// A random pattern for a demand.
fn pattern(
    platform: &Platform,
    commodity: usize,
    demand: &Demand<'_>,
    dice: &mut Dice<'_>,
) -> Pattern {
    let owners = &demand.operands;
    let whole = demand.whole();
    let mut tasks = Vec::new();
    match (owners.len(), demand.goals) {
        (1, Goals::At(target)) => Pattern::path(commodity, path(platform, owners[0], target, dice)),
        (1, Goals::Everywhere(goals)) => arborescence(platform, commodity, owners[0], goals, dice),
        (_, Goals::At(target)) => {
            let mut holders = value(platform, owners, whole, dice, &mut tasks);
            carry(platform, &mut holders, target, whole, dice, &mut tasks);
            Pattern {
                demand: commodity,
                order: None,
                tasks,
            }
        }
        (_, Goals::Everywhere(goals)) => {
            let mut holders = value(platform, owners, whole, dice, &mut tasks);
            for &goal in goals {
                carry(platform, &mut holders, goal, whole, dice, &mut tasks);
            }
            Pattern {
                demand: commodity,
                order: None,
                tasks,
            }
        }
        (count, Goals::Prefixes) => {
            let mut prefix = vec![(owners[0], None)];
            for last in 1..count {
                let part = Interval { first: 0, last };
                let mut halves = [prefix, vec![(owners[last], None)]];
                prefix = vec![merge(
                    platform,
                    part,
                    last - 1,
                    &mut halves,
                    dice,
                    &mut tasks,
                )];
                carry(platform, &mut prefix, owners[last], part, dice, &mut tasks);
            }
            Pattern {
                demand: commodity,
                order: None,
                tasks,
            }
        }
    }
}

fn collective(kind: usize, mut members: Vec<NodeId>, dice: &mut Dice<'_>) -> Collective {
    let first = dice.below(members.len());
    members.rotate_left(first);
    let (first, rest) = (members[0], members[1..].to_vec());
    match kind {
        0 => Collective::broadcast(first, rest),
        1 => Collective::all_gather(members),
        2 => Collective::all_reduce(members).in_order(),
        3 => Collective::scan(members),
        4 => Collective::scatter(first, rest),
        5 => Collective::reduce(first, members).in_order(),
        6 => Collective::all_to_all(members),
        _ => {
            let member = |_| {
                let most = members.len();
                let some = members[..2 + dice.below(most - 1)].to_vec();
                let kind = dice.below(6);
                Member {
                    collective: collective(kind, some, dice),
                    rate: 1 + dice.below(3) as u64,
                }
            };
            Collective::Groups((0..2).map(member).collect())
        }
    }
}

fn volumes(kind: usize, dice: &mut Dice<'_>) -> Volumes {
    let sizes = |dice: &mut Dice<'_>| match kind {
        2 | 3 | 5 if dice.below(2) == 0 => Amount::Affine {
            fixed: dice.number(3, 2),
            per_operand: dice.number(2, 2),
        },
        _ => Amount::Constant(dice.number(4, 3)),
    };
    Volumes {
        size: sizes(dice),
        work: sizes(dice),
    }
}

/// Everything decided by a list of numbers.
pub fn case(
    nodes: usize,
    participants: usize,
    most: usize,
    models: Models,
    kind: usize,
    numbers: &[usize],
) -> Case {
    let dice = &mut Dice::of(numbers);
    let platform = platform(nodes.max(participants), participants, models, dice);
    let collective = collective(kind, (0..participants).map(NodeId::new).collect(), dice);
    collective.validate(&platform).unwrap();
    let volumes = volumes(kind, dice);
    let mut patterns: Vec<(Pattern, Rational)> = Vec::new();
    for index in 0..collective.demands() {
        let demand = collective.demand(index).unwrap();
        let distinct: BTreeSet<Pattern> = (0..1 + dice.below(most))
            .map(|_| pattern(&platform, index, &demand, dice))
            .collect();
        let shares: Vec<i64> = distinct.iter().map(|_| 1 + dice.below(6) as i64).collect();
        let total: i64 = shares.iter().sum();
        let rate = collective.rate(index) as i64;
        patterns.extend(
            distinct
                .into_iter()
                .zip(shares)
                .map(|(it, share)| (it, ratio(rate * share, total))),
        );
    }
    let loads = Loads::new(
        &platform,
        &volumes,
        patterns
            .iter()
            .map(|(pattern, share)| (pattern, share.clone())),
    );
    // Now and then too much for odd sets: rounding has to notice that.
    let exact = loads.exact().filter(|_| dice.below(4) > 0);
    let attainable = exact.is_some() || !has_odd_sets(&platform);
    let throughput = exact.unwrap_or_else(|| loads.busiest()).recip();
    let weighted = |(pattern, share)| WeightedPattern {
        pattern,
        weight: share * &throughput,
    };
    let patterns = patterns.into_iter().map(weighted).collect();
    Case {
        platform,
        collective,
        volumes,
        steady_state: SteadyState {
            throughput,
            patterns,
        },
        attainable,
    }
}

pub fn has_odd_sets(platform: &Platform) -> bool {
    platform
        .node_ids()
        .any(|node| platform.model_of(node) == PortModel::HalfDuplex)
}

/// Busy times of links and processors.
pub struct Loads<'p> {
    platform: &'p Platform,
    pub links: BTreeMap<LinkId, Rational>,
    pub processors: BTreeMap<NodeId, Rational>,
}

impl<'p> Loads<'p> {
    pub fn new<'a>(
        platform: &'p Platform,
        volumes: &Volumes,
        patterns: impl Iterator<Item = (&'a Pattern, Rational)>,
    ) -> Self {
        let mut loads = Loads {
            platform,
            links: BTreeMap::new(),
            processors: BTreeMap::new(),
        };
        for (pattern, count) in patterns {
            for task in &pattern.tasks {
                match *task {
                    Task::Send { link, part, .. } => {
                        let size = volumes.size.of(part).unwrap();
                        *loads.links.entry(link).or_default() +=
                            &count * size * &platform.link(link).cost;
                    }
                    Task::Merge { node, part, .. } => {
                        let time = &count
                            * volumes.work.of(part).unwrap()
                            * platform.node(node).compute.clone().unwrap();
                        *loads.processors.entry(node).or_default() += time;
                    }
                }
            }
        }
        loads
    }

    pub fn of_whole(case: &'p Case, whole: &WholePatterns) -> Self {
        let copies = |count: &oneport_plan::BigUint| ratio(count.clone(), 1);
        let patterns = whole
            .patterns
            .iter()
            .map(|it| (&it.pattern, copies(&it.copies)));
        Loads::new(&case.platform, &case.volumes, patterns)
    }

    pub fn computing(&self) -> Rational {
        self.processors.values().max().cloned().unwrap_or_default()
    }

    /// The time that single links and nodes need.
    pub fn talking(&self) -> Rational {
        let mut busy = self.links.values().max().cloned().unwrap_or_default();
        for node in self.platform.node_ids() {
            let sum = |links: &[LinkId]| -> Rational {
                links.iter().filter_map(|link| self.links.get(link)).sum()
            };
            let (out, into) = (
                sum(self.platform.outgoing(node)),
                sum(self.platform.incoming(node)),
            );
            let ports = ratio(self.platform.node(node).ports.unwrap_or(1), 1);
            let needed = match self.platform.model_of(node) {
                PortModel::FullDuplex => out.max(into),
                PortModel::HalfDuplex => out + into,
                PortModel::Multiport => out.max(into) / ports,
                PortModel::Links => Rational::zero(),
            };
            busy = busy.max(needed);
        }
        busy
    }

    pub fn busiest(&self) -> Rational {
        self.talking().max(self.computing())
    }

    /// The time that all odd sets of ports need, by enumeration (Edmonds 1965). `None` if ports serve several links at
    /// a time.
    pub fn odd_sets(&self) -> Option<Rational> {
        let ends: Vec<[Option<Resource>; 2]> = self
            .links
            .keys()
            .map(|&link| Resource::ends(self.platform, link))
            .collect();
        let ports: BTreeSet<Resource> = ends.iter().flatten().copied().flatten().collect();
        if ports.iter().any(|port| port.capacity(self.platform) > 1) || ports.len() > 12 {
            return None;
        }
        let ports: Vec<Resource> = ports.into_iter().collect();
        let denominator = self
            .links
            .values()
            .fold(BigInt::one(), |all, time| all.lcm(time.denom()));
        let bit = |end: Option<Resource>| {
            end.map_or(1 << 20, |end| 1usize << ports.binary_search(&end).unwrap())
        };
        let times: Vec<(usize, i128)> = ends
            .iter()
            .zip(self.links.values())
            .map(|(ends, time)| {
                (
                    bit(ends[0]) | bit(ends[1]),
                    (time * &denominator).to_integer().to_i128().unwrap(),
                )
            })
            .collect();
        let mut longest = Rational::zero();
        for set in (0..1usize << ports.len())
            .filter(|set| set.count_ones() >= 3 && set.count_ones() % 2 == 1)
        {
            let inside: i128 = times
                .iter()
                .filter(|(ends, _)| ends & !set == 0)
                .map(|(_, time)| time)
                .sum();
            let needed = ratio(inside, &denominator * (set.count_ones() / 2));
            longest = longest.max(needed);
        }
        Some(longest)
    }

    /// The exact time of the transfers, if it can be determined.
    pub fn exact_talking(&self) -> Option<Rational> {
        if !has_odd_sets(self.platform) {
            return Some(self.talking());
        }
        self.odd_sets().map(|odd| odd.max(self.talking()))
    }

    pub fn exact(&self) -> Option<Rational> {
        self.exact_talking()
            .map(|talking| talking.max(self.computing()))
    }
}

/// Every collective under these models, on up to `nodes` nodes, with up to `patterns` patterns per demand.
pub fn cases(
    models: impl Strategy<Value = Models>,
    nodes: usize,
    patterns: usize,
) -> impl Strategy<Value = Case> {
    let numbers = prop::collection::vec(0..10_000usize, 1..60);
    (
        models,
        2..=nodes,
        2..=nodes.min(4),
        1..=patterns,
        0..8usize,
        numbers,
    )
        .prop_map(|(models, nodes, participants, patterns, kind, numbers)| {
            case(nodes, participants, patterns, models, kind, &numbers)
        })
}

/// Half-duplex platforms more often than others: they have the most to go wrong.
pub fn any_models() -> impl Strategy<Value = Models> {
    prop_oneof![
        3 => Just(Models::All(PortModel::HalfDuplex)),
        1 => Just(Models::All(PortModel::Multiport)),
        1 => Just(Models::All(PortModel::Links)),
        1 => Just(Models::All(PortModel::FullDuplex)),
        2 => Just(Models::Mixed),
    ]
}
