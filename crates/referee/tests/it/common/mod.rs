//! Plans to test the referee, and naive twins of its computations.

pub mod ask;
pub mod every;
pub mod generate;
pub mod judge;
pub mod mutate;
pub mod plan;
pub mod play;
pub mod scheme;
pub mod trees;

pub use plan::{Plan, check_plan};

pub use oneport_platform::{ratio, whole};
pub use oneport_testkit::Dice;
use oneport_testkit::{Reductions, toys};
use std::collections::BTreeMap;

use num_traits::{ToPrimitive, Zero};
use oneport_plan::inequality::{Cut, Inequality, Need};
use oneport_plan::{
    Certificate, Collective, Event, Interval, MergeEvent, Message, Pattern, PeriodicSchedule,
    Resource, ScheduledPattern, Slot, Status, SteadyState, Task, Timeline, Volumes,
    WeightedPattern,
};
use oneport_platform::{LinkId, Node, NodeId, Platform, Rational};
use oneport_referee::{Rule, Violation};

/// Whether the verdict is a refusal by this rule.
pub fn broken<T>(verdict: &Result<T, Violation>, rule: Rule) -> bool {
    verdict
        .as_ref()
        .is_err_and(|violation| violation.rule() == rule)
}

/// The text of a refusal. Empty without a refusal.
pub fn told<T>(verdict: &Result<T, Violation>) -> String {
    verdict
        .as_ref()
        .err()
        .map(|violation| violation.to_string())
        .unwrap_or_default()
}

pub fn path(commodity: usize, links: &[LinkId]) -> Pattern {
    Pattern::path(commodity, links.to_vec())
}

/// Changes the links of a path.
pub fn relink(pattern: &mut Pattern, change: impl FnOnce(&mut Vec<LinkId>)) {
    let mut links: Vec<LinkId> = pattern.links().collect();
    change(&mut links);
    *pattern = path(pattern.demand, &links);
}

/// A use of a link by a pattern.
pub struct Sent {
    pub link: LinkId,
    pub message: Message,
    pub stage: usize,
}

/// A merge by a pattern.
pub struct Made {
    pub node: NodeId,
    pub message: Message,
    pub split: usize,
    pub stage: usize,
}

/// The sends and merges of a pattern, each stage one later than that of its latest input.
pub fn steps(pattern: &Pattern) -> (Vec<Sent>, Vec<Made>) {
    let (mut sends, mut merges) = (Vec::new(), Vec::new());
    let mut stages: Vec<usize> = Vec::new();
    for task in &pattern.tasks {
        let after = |input: Option<u32>| input.map_or(0, |input| stages[input as usize] + 1);
        let message = |part| Message {
            demand: pattern.demand,
            part,
        };
        let stage = match *task {
            Task::Send {
                link,
                part,
                after: input,
            } => {
                let stage = after(input);
                sends.push(Sent {
                    link,
                    message: message(part),
                    stage,
                });
                stage
            }
            Task::Merge {
                node,
                part,
                split,
                left,
                right,
            } => {
                let stage = after(left).max(after(right));
                merges.push(Made {
                    node,
                    message: message(part),
                    split,
                    stage,
                });
                stage
            }
        };
        stages.push(stage);
    }
    (sends, merges)
}

/// The sends of a pattern.
pub fn sends(pattern: &Pattern) -> Vec<Sent> {
    steps(pattern).0
}

/// The merges of a pattern.
pub fn made(pattern: &Pattern) -> Vec<Made> {
    steps(pattern).1
}

pub fn part(first: usize, last: usize) -> Interval {
    Interval { first, last }
}

pub fn weighted(pattern: &Pattern, weight: Rational) -> WeightedPattern {
    WeightedPattern {
        pattern: pattern.clone(),
        weight,
    }
}

pub fn scheduled(pattern: &Pattern, copies: u32) -> ScheduledPattern {
    ScheduledPattern {
        pattern: pattern.clone(),
        copies: copies.into(),
    }
}

/// Named nodes (names that begin with a small letter are routers) and links with their costs.
pub fn platform(nodes: &[&str], links: &[(&str, &str, Rational)]) -> Platform {
    let mut builder = Platform::builder();
    for &name in nodes {
        let router = name.starts_with(|c: char| c.is_ascii_lowercase());
        let node = if router {
            Node::router(name)
        } else {
            Node::processor(name, ratio(1, 1))
        };
        builder.node(node).unwrap();
    }
    for (from, to, cost) in links {
        let (from, to) = (builder.find(from).unwrap(), builder.find(to).unwrap());
        builder.link(from, to, cost.clone()).unwrap();
    }
    builder.build().unwrap()
}

/// RR-4872 Fig. 2: the scatter toy with its optimum of 1/2, reached with period 2.
pub fn toy() -> Plan {
    let platform = toys::scatter();
    let [source, _, _, p0, p1] = [0, 1, 2, 3, 4].map(NodeId::new);
    let [sa, sb, a0, _, b1] = [0, 1, 2, 3, 4].map(LinkId::new);
    let (to_0, to_1) = (path(0, &[sa, a0]), path(1, &[sb, b1]));
    let slot = |length, links: &[LinkId]| Slot {
        shares: Vec::new(),
        length,
        links: links.to_vec(),
    };
    Plan {
        platform,
        collective: Collective::scatter(source, vec![p0, p1]),
        volumes: Volumes::of_size(ratio(1, 1)),
        status: Status::Optimal,
        steady_state: SteadyState {
            throughput: ratio(1, 2),
            patterns: vec![weighted(&to_0, ratio(1, 2)), weighted(&to_1, ratio(1, 2))],
        },
        certificate: Certificate::of_prices(vec![(Resource::Send(source), ratio(1, 1))]),
        upper_bound: ratio(1, 2),
        schedule: PeriodicSchedule {
            period: ratio(2, 1),
            instances: 1u32.into(),
            patterns: vec![scheduled(&to_0, 1), scheduled(&to_1, 1)],
            slots: vec![
                slot(ratio(2, 3), &[sb, a0]),
                slot(ratio(1, 3), &[sb, b1]),
                slot(ratio(1, 1), &[sa, b1]),
            ],
        },
    }
}

/// The solution that RR-4872 prints for the same toy (Fig. 2 to 4): routes to P0 by both sides, period 12.
pub fn paper_toy() -> Plan {
    let mut plan = toy();
    let [sa, sb, a0, b0, b1] = [0, 1, 2, 3, 4].map(LinkId::new);
    let (by_a, by_b, to_1) = (path(0, &[sa, a0]), path(0, &[sb, b0]), path(1, &[sb, b1]));
    plan.steady_state.patterns = vec![
        weighted(&by_a, ratio(1, 4)),
        weighted(&by_b, ratio(1, 4)),
        weighted(&to_1, ratio(1, 2)),
    ];
    let slot = |length, links: &[LinkId]| Slot {
        shares: Vec::new(),
        length: ratio(length, 1),
        links: links.to_vec(),
    };
    plan.schedule = PeriodicSchedule {
        period: ratio(12, 1),
        instances: 6u32.into(),
        patterns: vec![
            scheduled(&by_a, 3),
            scheduled(&by_b, 3),
            scheduled(&to_1, 6),
        ],
        slots: vec![
            slot(6, &[sb, b1]),
            slot(3, &[sa, b0]),
            slot(2, &[sb, a0, b1]),
            slot(1, &[sb, b0]),
        ],
    };
    plan
}

/// All-to-all on a one-way ring of three: a third of an instance per time unit, half of the messages relayed.
pub fn ring() -> Plan {
    let one = || ratio(1, 1);
    let platform = platform(
        &["A", "B", "C"],
        &[("A", "B", one()), ("B", "C", one()), ("C", "A", one())],
    );
    let nodes: Vec<NodeId> = platform.node_ids().collect();
    let links = [0, 1, 2].map(LinkId::new);
    // Commodities in order: A=>B, A=>C, B=>A, B=>C, C=>A, C=>B. Link i leaves node i.
    let collective = Collective::all_to_all(nodes.clone());
    let patterns: Vec<Pattern> = collective
        .commodities()
        .iter()
        .enumerate()
        .map(|(index, commodity)| {
            let (from, to) = (commodity.source.index(), commodity.target.index());
            let hops = (to + 3 - from) % 3;
            path(
                index,
                &(0..hops)
                    .map(|hop| links[(from + hop) % 3])
                    .collect::<Vec<_>>(),
            )
        })
        .collect();
    Plan {
        platform,
        collective,
        volumes: Volumes::of_size(one()),
        status: Status::Optimal,
        steady_state: SteadyState {
            throughput: ratio(1, 3),
            patterns: patterns
                .iter()
                .map(|pattern| weighted(pattern, ratio(1, 3)))
                .collect(),
        },
        certificate: Certificate::of_prices(
            nodes
                .iter()
                .map(|&node| (Resource::Send(node), one()))
                .collect(),
        ),
        upper_bound: ratio(1, 3),
        schedule: PeriodicSchedule {
            period: ratio(3, 1),
            instances: 1u32.into(),
            patterns: patterns
                .iter()
                .map(|pattern| scheduled(pattern, 1))
                .collect(),
            slots: vec![Slot {
                shares: Vec::new(),
                length: ratio(3, 1),
                links: links.to_vec(),
            }],
        },
    }
}

/// Distances from one node by Bellman and Ford: the naive twin of the referee's Dijkstra. `None`: unreachable.
pub fn bellman_ford(
    platform: &Platform,
    lengths: &[Rational],
    root: NodeId,
) -> Vec<Option<Rational>> {
    let mut distances: Vec<Option<Rational>> = vec![None; platform.nodes().len()];
    distances[root.index()] = Some(Rational::zero());
    for _ in platform.nodes() {
        for (link, length) in platform.links().iter().zip(lengths) {
            let Some(from) = &distances[link.from.index()] else {
                continue;
            };
            let candidate = from + length;
            let to = &mut distances[link.to.index()];
            if to.as_ref().is_none_or(|to| candidate < *to) {
                *to = Some(candidate);
            }
        }
    }
    distances
}

/// Prices of resources by resource.
pub type Prices<'a> = BTreeMap<Resource, &'a Rational>;

/// A cut and its weight.
pub fn cut(demand: Option<usize>, nodes: Vec<NodeId>, weight: Rational) -> Need {
    Need {
        demand,
        inequality: Inequality::Cut(Cut { nodes }),
        weight,
    }
}

/// The prices of resources, copied.
pub fn prices_of(certificate: &Certificate) -> Vec<(Resource, Rational)> {
    certificate
        .prices()
        .map(|(resource, price)| (resource, price.clone()))
        .collect()
}

/// The bound that the prices prove, by the definition in `Certificate`, commodity by commodity. `None` if they prove
/// none.
pub fn naive_bound(
    platform: &Platform,
    collective: &Collective,
    volumes: &Volumes,
    prices: &[(Resource, Rational)],
) -> Option<Rational> {
    let sum: Rational = prices.iter().map(|(_, price)| price).sum();
    let price: Prices<'_> = prices
        .iter()
        .map(|(resource, price)| (*resource, price))
        .collect();
    let lengths = lengths(platform, &price);
    let mut total = Rational::zero();
    for commodity in collective.commodities() {
        let size = volumes.size.constant().unwrap();
        total += size
            * bellman_ford(platform, &lengths, commodity.source)[commodity.target.index()]
                .clone()?;
    }
    for &target in collective.reductions() {
        total += trees::naive_cheapest(platform, collective, volumes, &price, target)?;
    }
    (!total.is_zero()).then(|| sum / total)
}

/// By link, the price of a message of unit size.
pub fn lengths(platform: &Platform, prices: &Prices<'_>) -> Vec<Rational> {
    let length = |link| {
        let resources = Resource::ends(platform, link)
            .into_iter()
            .flatten()
            .chain([Resource::Link(link)]);
        let priced: Rational = resources
            .filter_map(|resource| prices.get(&resource).copied())
            .sum();
        &platform.link(link).cost * priced
    };
    platform.link_ids().map(length).collect()
}

/// A schedule played for some starting periods, to the letter of `PeriodicSchedule`'s documentation. The n-th
/// copy of a commodity within a period, in the order of the patterns, belongs to the period's n-th instance.
pub fn unroll(plan: &Plan, starting_periods: u64) -> Timeline {
    let schedule = &plan.schedule;
    let instances_per_period = schedule.instances.to_u64().unwrap();
    let clean_up_periods = schedule.depth() as u64 - 1;
    let (mut events, mut merges) = (Vec::new(), Vec::new());
    // By pattern: the indices of its copies among the instances of a period.
    let mut copies_before: BTreeMap<usize, u64> = BTreeMap::new();
    let copies: Vec<std::ops::Range<u64>> = schedule
        .patterns
        .iter()
        .map(|scheduled| {
            let before = copies_before.entry(scheduled.pattern.demand).or_default();
            let first = *before;
            *before += scheduled.copies.to_u64().unwrap();
            first..*before
        })
        .collect();
    for period in 0..starting_periods + clean_up_periods {
        // The slots of a copy before its first and after its last instance stay idle.
        let instance = |stage: usize, copy: u64| {
            let started = period
                .checked_sub(stage as u64)
                .filter(|&p| p < starting_periods)?;
            Some(started * instances_per_period + copy)
        };
        for link in plan.platform.link_ids() {
            let mut windows = windows(schedule, period, link);
            for (scheduled, copies) in schedule.patterns.iter().zip(&copies) {
                let mut uses: Vec<_> = sends(&scheduled.pattern)
                    .into_iter()
                    .filter(|used| used.link == link)
                    .collect();
                uses.sort_by_key(|used| used.stage);
                for used in uses {
                    let message = used.message;
                    for copy in copies.clone() {
                        let time = plan.volumes.size_of(message) * &plan.platform.link(link).cost;
                        let pieces = take(&mut windows, time);
                        if let Some(instance) = instance(used.stage, copy) {
                            events.push(Event {
                                instance,
                                message,
                                link,
                                pieces,
                            });
                        }
                    }
                }
            }
        }
        for node in plan.platform.mergers() {
            let mut start = &schedule.period * whole(period as usize);
            for (scheduled, copies) in schedule.patterns.iter().zip(&copies) {
                let mut uses: Vec<_> = made(&scheduled.pattern)
                    .into_iter()
                    .filter(|used| used.node == node)
                    .collect();
                uses.sort_by_key(|used| used.stage);
                for used in uses {
                    let (message, split) = (used.message, used.split);
                    for copy in copies.clone() {
                        let end = &start
                            + plan
                                .volumes
                                .merge_time(&plan.platform, node, message.part, split);
                        if let Some(instance) = instance(used.stage, copy) {
                            let (start, end) = (start.clone(), end.clone());
                            merges.push(MergeEvent {
                                instance,
                                message,
                                split,
                                node,
                                start,
                                end,
                            });
                        }
                        start = end;
                    }
                }
            }
        }
    }
    let period = schedule.period.clone();
    Timeline {
        period,
        starting_periods,
        instances_per_period,
        clean_up_periods,
        eager: false,
        events,
        merges,
    }
}

/// The slots of one link within one period, as dates, the last first.
fn windows(schedule: &PeriodicSchedule, period: u64, link: LinkId) -> Vec<(Rational, Rational)> {
    let mut at = &schedule.period * whole(period);
    let mut windows = Vec::new();
    for slot in &schedule.slots {
        let end = &at + &slot.length;
        if slot.links.contains(&link) {
            windows.push((at, end.clone()));
        }
        at = end;
    }
    windows.reverse();
    windows
}

/// Cuts the next `time` off the windows.
fn take(windows: &mut Vec<(Rational, Rational)>, mut time: Rational) -> Vec<(Rational, Rational)> {
    let mut pieces = Vec::new();
    while !time.is_zero() {
        let (start, end) = windows.pop().expect("the link has time for its messages");
        let length = (&end - &start).min(time.clone());
        let cut = &start + &length;
        if cut < end {
            windows.push((cut.clone(), end));
        }
        pieces.push((start, cut));
        time -= length;
    }
    pieces
}

/// RR-4872 Fig. 6: three processors, all links of cost 1, P0 merges twice as fast. One reduction per time unit, here by
/// the one tree of period 1 that the paper does not give.
pub fn reduce_toy() -> Plan {
    let mut plan = toy();
    let mut builder = Platform::builder();
    let nodes: Vec<NodeId> = [
        ("P0", ratio(1, 2)),
        ("P1", ratio(1, 1)),
        ("P2", ratio(1, 1)),
    ]
    .map(|(name, compute)| builder.node(Node::processor(name, compute)).unwrap())
    .to_vec();
    for (from, to) in [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)] {
        builder.link(nodes[from], nodes[to], ratio(1, 1)).unwrap();
    }
    plan.platform = builder.build().unwrap();
    plan.collective = Collective::reduce(nodes[0], nodes.clone()).in_order();
    let tasks = vec![
        Task::send(LinkId::new(5), part(2, 2)),
        Task::merge(nodes[1], part(1, 2), 1),
        Task::send(LinkId::new(2), part(1, 2)),
        Task::merge(nodes[0], part(0, 2), 0),
    ];
    let tree = Pattern::tree(0, None, tasks);
    plan.steady_state = SteadyState {
        throughput: ratio(1, 1),
        patterns: vec![weighted(&tree, ratio(1, 1))],
    };
    plan.certificate = Certificate::of_prices(vec![(Resource::Receive(nodes[0]), ratio(1, 1))]);
    plan.upper_bound = ratio(1, 1);
    plan.schedule = PeriodicSchedule {
        period: ratio(1, 1),
        instances: 1u32.into(),
        patterns: vec![scheduled(&tree, 1)],
        slots: vec![Slot {
            shares: Vec::new(),
            length: ratio(1, 1),
            links: vec![LinkId::new(2), LinkId::new(5)],
        }],
    };
    plan
}

/// The value as an integer, if it is one.
pub fn int(value: &Rational) -> Option<i64> {
    value
        .is_integer()
        .then(|| value.to_integer().to_i64())
        .flatten()
}
