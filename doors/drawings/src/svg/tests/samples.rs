//! Small platforms with schedules.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::{Signed, Zero};
use oneport_plan::{
    Collective, Event, Interval, Message, Pattern, PeriodicSchedule, Problem, ScheduledPattern,
    Slot, SteadyState, Timeline, Volumes, WeightedPattern,
};
pub(super) use oneport_platform::whole;
use oneport_platform::{LinkId, Node, NodeId, Platform, Rational, parse_rational};
use oneport_testkit::{Dice, toys};

pub(super) fn q(text: &str) -> Rational {
    parse_rational(text).unwrap()
}

/// Messages of one size.
pub(super) fn size(text: &str) -> Volumes {
    Volumes::of_size(q(text))
}

/// The input of all drawings.
pub(super) struct Sample {
    pub platform: Platform,
    pub collective: Collective,
    pub schedule: PeriodicSchedule,
    pub steady_state: SteadyState,
}

impl Sample {
    /// The problem, with messages of size 1.
    pub(super) fn problem(&self) -> Problem {
        Problem::new(&self.platform, &self.collective, Volumes::default()).unwrap()
    }
}

/// The toy platform of RR-4872, figure 2, with its schedule of period 2.
pub(super) fn toy() -> Sample {
    let [ps, p0, p1] = [0, 3, 4].map(NodeId::new);
    let [sa, sb, a0, _b0, b1] = [0, 1, 2, 3, 4].map(LinkId::new);
    let slot = |length, links: &[LinkId]| Slot {
        shares: Vec::new(),
        length: q(length),
        links: links.to_vec(),
    };
    let slots = vec![
        slot("2/3", &[sb, a0]),
        slot("1/3", &[sb, b1]),
        slot("1", &[sa, b1]),
    ];
    let patterns = vec![
        Pattern::path(0, vec![sa, a0]),
        Pattern::path(1, vec![sb, b1]),
    ];
    finish(
        toys::scatter(),
        Collective::scatter(ps, vec![p0, p1]),
        patterns,
        1,
        slots,
        q("2"),
    )
}

pub(super) fn finish(
    platform: Platform,
    collective: Collective,
    patterns: Vec<Pattern>,
    copies: u64,
    slots: Vec<Slot>,
    period: Rational,
) -> Sample {
    let throughput = whole(copies) / &period;
    let weighted = |pattern: &Pattern| WeightedPattern {
        pattern: pattern.clone(),
        weight: throughput.clone(),
    };
    let steady_state = SteadyState {
        patterns: patterns.iter().map(weighted).collect(),
        throughput,
    };
    let scheduled = |pattern| ScheduledPattern {
        pattern,
        copies: copies.into(),
    };
    let patterns = patterns.into_iter().map(scheduled).collect();
    let schedule = PeriodicSchedule {
        period,
        instances: copies.into(),
        patterns,
        slots,
    };
    Sample {
        platform,
        collective,
        schedule,
        steady_state,
    }
}

/// A scatter along a random tree with some further links, sent in greedily chosen matchings.
pub(super) fn random(nodes: usize, seed: u64, copies: u64) -> Sample {
    let mut dice = Dice::new(seed);
    let mut builder = Platform::builder();
    let mut ids = Vec::new();
    for index in 0..nodes {
        let name = format!("n{index}");
        let router = index > 0 && dice.below(4) == 0;
        ids.push(
            builder
                .node(if router {
                    Node::router(name)
                } else {
                    Node::processor(name, q("1"))
                })
                .unwrap(),
        );
    }
    let mut parent = vec![None; nodes];
    let costs = ["1", "2/3", "1/2", "4/3", "3", "22/7"];
    for child in 1..nodes {
        let up = dice.below(child);
        let cost = q(costs[dice.below(costs.len())]);
        parent[child] = Some((up, builder.duplex(ids[up], ids[child], cost).unwrap().0));
        if dice.below(3) == 0 && up > 0 {
            let _ = builder.link(ids[up - 1], ids[child], q("5"));
        }
    }
    let platform = builder.build().unwrap();
    let mut targets: Vec<_> = platform.processors().filter(|&id| id != ids[0]).collect();
    if targets.is_empty() {
        // If the dice make every node a router, nothing could be drawn.
        targets.push(ids[nodes - 1]);
    }
    let path = |(demand, target): (usize, &oneport_platform::NodeId)| {
        let mut links = Vec::new();
        let mut at = target.index();
        while let Some((up, link)) = parent[at] {
            links.push(link);
            at = up;
        }
        links.reverse();
        Pattern::path(demand, links)
    };
    let patterns: Vec<Pattern> = targets.iter().enumerate().map(path).collect();
    let (slots, period) = matchings(&platform, &patterns, copies);
    finish(
        platform,
        Collective::scatter(ids[0], targets),
        patterns,
        copies,
        slots,
        period,
    )
}

/// Greedy matchings, longest transfers first.
pub(super) fn matchings(
    platform: &Platform,
    patterns: &[Pattern],
    copies: u64,
) -> (Vec<Slot>, Rational) {
    let mut busy: BTreeMap<LinkId, Rational> = BTreeMap::new();
    for link in patterns.iter().flat_map(Pattern::links) {
        *busy.entry(link).or_insert_with(Rational::zero) +=
            &platform.link(link).cost * whole(copies);
    }
    let (mut slots, mut period) = (Vec::new(), Rational::zero());
    while !busy.is_empty() {
        let mut waiting: Vec<_> = busy
            .iter()
            .map(|(&link, time)| (time.clone(), link))
            .collect();
        waiting.sort();
        let (mut senders, mut receivers, mut links) =
            (BTreeSet::new(), BTreeSet::new(), Vec::new());
        for (_, id) in waiting.into_iter().rev() {
            let link = platform.link(id);
            if !senders.contains(&link.from) && !receivers.contains(&link.to) {
                senders.insert(link.from);
                receivers.insert(link.to);
                links.push(id);
            }
        }
        links.sort();
        let length = links.iter().map(|link| busy[link].clone()).min().unwrap();
        for link in &links {
            *busy.get_mut(link).unwrap() -= &length;
        }
        busy.retain(|_, time| time.is_positive());
        period += &length;
        slots.push(Slot {
            shares: Vec::new(),
            length,
            links,
        });
    }
    (slots, period)
}

/// The naive twin of the drawings' own traversal: every copy of every message separately, cut slot by slot, without
/// joining. Gives (link, demand, number of the copy, pieces).
pub(super) fn naive_pieces(
    sample: &Sample,
    size: &Rational,
) -> Vec<(LinkId, usize, u64, usize, Pieces)> {
    let mut all = Vec::new();
    for link in sample.platform.link_ids() {
        let mut free: Vec<(Rational, Rational)> = Vec::new();
        let mut start = Rational::zero();
        for slot in &sample.schedule.slots {
            let end = &start + &slot.length;
            if slot.links.contains(&link) {
                free.push((start, end.clone()));
            }
            start = end;
        }
        free.reverse();
        for scheduled in &sample.schedule.patterns {
            for (stage, _) in scheduled
                .pattern
                .links()
                .enumerate()
                .filter(|(_, used)| *used == link)
            {
                for copy in 0..u64::try_from(scheduled.copies.clone()).unwrap() {
                    let mut left = size * &sample.platform.link(link).cost;
                    let mut pieces = Vec::new();
                    while left.is_positive() {
                        let (start, end) = free.pop().expect("a schedule with enough time");
                        let stop = (&start + &left).min(end.clone());
                        left -= &stop - &start;
                        if stop < end {
                            free.push((stop.clone(), end));
                        }
                        pieces.push((start, stop));
                    }
                    all.push((link, scheduled.pattern.demand, copy, stage, pieces));
                }
            }
        }
    }
    all
}

pub(super) type Pieces = Vec<(Rational, Rational)>;

/// A run of `periods` starting periods. Every demand has one pattern here, so copy c is instance c of its period.
pub(super) fn timeline(sample: &Sample, periods: u64) -> Timeline {
    let instances = u64::try_from(sample.schedule.instances.clone()).unwrap();
    let mut events = Vec::new();
    for (link, demand, copy, stage, pieces) in naive_pieces(sample, &q("1")) {
        for period in 0..periods {
            let shift = &sample.schedule.period * whole(period + stage as u64);
            let pieces = pieces
                .iter()
                .map(|(start, end)| (start + &shift, end + &shift))
                .collect();
            let message = Message {
                demand,
                part: Interval::single(0),
            };
            events.push(Event {
                instance: period * instances + copy,
                message,
                link,
                pieces,
            });
        }
    }
    Timeline {
        period: sample.schedule.period.clone(),
        starting_periods: periods,
        instances_per_period: instances,
        clean_up_periods: sample.schedule.depth() as u64 - 1,
        eager: false,
        events,
        merges: Vec::new(),
    }
}
