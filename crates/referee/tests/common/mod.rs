//! Plans to try the referee on, and naive twins of what it computes.
#![allow(dead_code, reason = "every test file uses its own part")]

pub mod generate;
pub mod mutate;

use std::collections::BTreeMap;

use num_traits::{One, ToPrimitive, Zero};
use oneport_plan::{
    Certificate, Collective, Event, Message, Pattern, PeriodicSchedule, Plan, Resource, ScheduledPattern, Slot, Status,
    SteadyState, Timeline, WeightedPattern,
};
use oneport_platform::{LinkId, Node, NodeId, Platform, Rational};

pub fn ratio(numerator: i64, denominator: i64) -> Rational {
    Rational::new(numerator.into(), denominator.into())
}

pub fn path(commodity: usize, links: &[LinkId]) -> Pattern {
    Pattern { commodity, links: links.to_vec() }
}

pub fn weighted(pattern: &Pattern, weight: Rational) -> WeightedPattern {
    WeightedPattern { pattern: pattern.clone(), weight }
}

pub fn scheduled(pattern: &Pattern, copies: u32) -> ScheduledPattern {
    ScheduledPattern { pattern: pattern.clone(), copies: copies.into() }
}

/// Named nodes (names that begin with a small letter are routers) and links with their costs.
pub fn platform(nodes: &[&str], links: &[(&str, &str, Rational)]) -> Platform {
    let mut builder = Platform::builder();
    for &name in nodes {
        let router = name.starts_with(|c: char| c.is_ascii_lowercase());
        let node = if router { Node::router(name) } else { Node::processor(name, ratio(1, 1)) };
        builder.node(node).unwrap();
    }
    for (from, to, cost) in links {
        let (from, to) = (builder.find(from).unwrap(), builder.find(to).unwrap());
        builder.link(from, to, cost.clone()).unwrap();
    }
    builder.build().unwrap()
}

/// papers/000 Fig. 2 (costs as in its slides): the scatter toy with its optimum of 1/2, reached with period 2.
pub fn toy() -> Plan {
    let links = [
        ("Ps", "Pa", ratio(1, 1)),
        ("Ps", "Pb", ratio(1, 1)),
        ("Pa", "P0", ratio(2, 3)),
        ("Pb", "P0", ratio(4, 3)),
        ("Pb", "P1", ratio(4, 3)),
    ];
    let platform = platform(&["Ps", "Pa", "Pb", "P0", "P1"], &links);
    let [source, _, _, p0, p1] = [0, 1, 2, 3, 4].map(NodeId::new);
    let [sa, sb, a0, _, b1] = [0, 1, 2, 3, 4].map(LinkId::new);
    let (to_0, to_1) = (path(0, &[sa, a0]), path(1, &[sb, b1]));
    let slot = |length, links: &[LinkId]| Slot { length, links: links.to_vec() };
    Plan {
        platform,
        collective: Collective::Scatter { source, targets: vec![p0, p1] },
        size: ratio(1, 1),
        status: Status::Optimal,
        steady_state: SteadyState {
            throughput: ratio(1, 2),
            patterns: vec![weighted(&to_0, ratio(1, 2)), weighted(&to_1, ratio(1, 2))],
        },
        certificate: Certificate { prices: vec![(Resource::Send(source), ratio(1, 1))] },
        upper_bound: ratio(1, 2),
        schedule: PeriodicSchedule {
            period: ratio(2, 1),
            instances: 1u32.into(),
            patterns: vec![scheduled(&to_0, 1), scheduled(&to_1, 1)],
            slots: vec![slot(ratio(2, 3), &[sb, a0]), slot(ratio(1, 3), &[sb, b1]), slot(ratio(1, 1), &[sa, b1])],
        },
    }
}

/// The solution that papers/000 prints for the same toy (Fig. 2 to 4): routes to P0 by both sides, period 12.
pub fn paper_toy() -> Plan {
    let mut plan = toy();
    let [sa, sb, a0, b0, b1] = [0, 1, 2, 3, 4].map(LinkId::new);
    let (by_a, by_b, to_1) = (path(0, &[sa, a0]), path(0, &[sb, b0]), path(1, &[sb, b1]));
    plan.steady_state.patterns =
        vec![weighted(&by_a, ratio(1, 4)), weighted(&by_b, ratio(1, 4)), weighted(&to_1, ratio(1, 2))];
    let slot = |length, links: &[LinkId]| Slot { length: ratio(length, 1), links: links.to_vec() };
    plan.schedule = PeriodicSchedule {
        period: ratio(12, 1),
        instances: 6u32.into(),
        patterns: vec![scheduled(&by_a, 3), scheduled(&by_b, 3), scheduled(&to_1, 6)],
        slots: vec![slot(6, &[sb, b1]), slot(3, &[sa, b0]), slot(2, &[sb, a0, b1]), slot(1, &[sb, b0])],
    };
    plan
}

/// All-to-all on a one-way ring of three: a third of an instance per time unit, half of the messages relayed.
pub fn ring() -> Plan {
    let one = || ratio(1, 1);
    let platform = platform(&["A", "B", "C"], &[("A", "B", one()), ("B", "C", one()), ("C", "A", one())]);
    let nodes: Vec<NodeId> = platform.node_ids().collect();
    let links = [0, 1, 2].map(LinkId::new);
    // Commodities in order: A=>B, A=>C, B=>A, B=>C, C=>A, C=>B; link i leaves node i.
    let collective = Collective::AllToAll { participants: nodes.clone() };
    let patterns: Vec<Pattern> = collective
        .commodities()
        .iter()
        .enumerate()
        .map(|(place, commodity)| {
            let (from, to) = (commodity.source.index(), commodity.target.index());
            let hops = (to + 3 - from) % 3;
            path(place, &(0..hops).map(|hop| links[(from + hop) % 3]).collect::<Vec<_>>())
        })
        .collect();
    Plan {
        platform,
        collective,
        size: one(),
        status: Status::Optimal,
        steady_state: SteadyState {
            throughput: ratio(1, 3),
            patterns: patterns.iter().map(|pattern| weighted(pattern, ratio(1, 3))).collect(),
        },
        certificate: Certificate { prices: nodes.iter().map(|&node| (Resource::Send(node), one())).collect() },
        upper_bound: ratio(1, 3),
        schedule: PeriodicSchedule {
            period: ratio(3, 1),
            instances: 1u32.into(),
            patterns: patterns.iter().map(|pattern| scheduled(pattern, 1)).collect(),
            slots: vec![Slot { length: ratio(3, 1), links: links.to_vec() }],
        },
    }
}

/// Distances from one node by Bellman and Ford: the naive twin of the referee's Dijkstra. `None`: unreachable.
pub fn bellman_ford(platform: &Platform, lengths: &[Rational], root: NodeId) -> Vec<Option<Rational>> {
    let mut distances: Vec<Option<Rational>> = vec![None; platform.nodes().len()];
    distances[root.index()] = Some(Rational::zero());
    for _ in platform.nodes() {
        for (link, length) in platform.links().iter().zip(lengths) {
            let Some(from) = &distances[link.from.index()] else { continue };
            let candidate = from + length;
            let to = &mut distances[link.to.index()];
            if to.as_ref().is_none_or(|to| candidate < *to) {
                *to = Some(candidate);
            }
        }
    }
    distances
}

/// What the prices prove, by the definition in `Certificate`, commodity by commodity; `None` if nothing.
pub fn naive_bound(
    platform: &Platform,
    collective: &Collective,
    size: &Rational,
    prices: &[(Resource, Rational)],
) -> Option<Rational> {
    let sum: Rational = prices.iter().map(|(_, price)| price).sum();
    let price: BTreeMap<Resource, &Rational> = prices.iter().map(|(resource, price)| (*resource, price)).collect();
    let lengths: Vec<Rational> = platform
        .link_ids()
        .map(|link| {
            let [send, receive] = Resource::of_link(platform, link);
            let priced: Rational = [send, receive].iter().filter_map(|resource| price.get(resource).copied()).sum();
            size * &platform.link(link).cost * priced
        })
        .collect();
    let mut total = Rational::zero();
    for commodity in collective.commodities() {
        total += bellman_ford(platform, &lengths, commodity.source)[commodity.target.index()].clone()?;
    }
    (!total.is_zero()).then(|| sum / total)
}

/// A schedule played for some starting periods, to the letter of `PeriodicSchedule`'s documentation. The n-th
/// copy of a commodity within a period, in the order of the patterns, belongs to the period's n-th instance.
pub fn unroll(plan: &Plan, starting_periods: u64) -> Timeline {
    let schedule = &plan.schedule;
    let instances_per_period = schedule.instances.to_u64().unwrap();
    let clean_up_periods = schedule.depth() as u64 - 1;
    let mut events = Vec::new();
    for period in 0..starting_periods + clean_up_periods {
        for link in plan.platform.link_ids() {
            let mut windows = windows(schedule, period, link);
            let mut copies_before: BTreeMap<usize, u64> = BTreeMap::new();
            for scheduled in &schedule.patterns {
                let commodity = scheduled.pattern.commodity;
                let first = *copies_before.entry(commodity).or_default();
                let copies = scheduled.copies.to_u64().unwrap();
                *copies_before.entry(commodity).or_default() += copies;
                for (stage, _) in scheduled.pattern.links.iter().enumerate().filter(|&(_, &used)| used == link) {
                    for copy in first..first + copies {
                        let started = period.checked_sub(stage as u64).filter(|&p| p < starting_periods);
                        // The time of a copy that does not exist yet, or no longer, stays idle.
                        let pieces = take(&mut windows, &plan.size * &plan.platform.link(link).cost);
                        if let Some(started) = started {
                            let instance = started * instances_per_period + copy;
                            events.push(Event { instance, message: Message { commodity }, link, pieces });
                        }
                    }
                }
            }
        }
    }
    Timeline { period: schedule.period.clone(), starting_periods, instances_per_period, clean_up_periods, events }
}

/// The slots of one link within one period, as dates, the last first.
fn windows(schedule: &PeriodicSchedule, period: u64, link: LinkId) -> Vec<(Rational, Rational)> {
    let mut at = &schedule.period * Rational::from_integer(period.into());
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

/// A small deterministic generator of pseudo-random numbers (splitmix64).
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.roll() % limit as u64) as usize
    }

    pub fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    pub fn fraction(&mut self, largest: usize) -> Rational {
        ratio(1 + self.below(largest) as i64, 1 + self.below(largest) as i64)
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

pub fn whole(value: usize) -> Rational {
    Rational::one() * ratio(value as i64, 1)
}
