//! Random honest plans, made as naively as possible: random paths, greedy slots, random prices.

use num_traits::Zero;
use oneport_plan::{
    Certificate, Collective, Pattern, PeriodicSchedule, Plan, Resource, ScheduledPattern, Slot, Status, SteadyState,
    WeightedPattern,
};
use oneport_platform::{LinkId, Node, NodeId, Platform, Rational};

use super::{Dice, naive_bound, whole};

/// A random plan; with whole numbers for all costs and dates if asked.
pub fn plan(dice: &mut Dice, integer: bool) -> Plan {
    let platform = random_platform(dice, integer);
    let collective = random_collective(dice, &platform);
    let size = if integer { whole(1 + dice.below(2)) } else { dice.fraction(3) };
    let instances = 1 + dice.below(3);
    let patterns = random_patterns(dice, &platform, &collective, instances);
    let steady_state = steady_state(&platform, &size, &patterns, instances);
    let schedule = schedule(dice, &platform, &size, patterns, instances, integer);
    let certificate = loop {
        let prices = random_prices(dice, &platform);
        if naive_bound(&platform, &collective, &size, &prices).is_some() {
            break Certificate { prices };
        }
    };
    let upper_bound = naive_bound(&platform, &collective, &size, &certificate.prices).unwrap();
    let status = if upper_bound == steady_state.throughput { Status::Optimal } else { Status::Feasible };
    Plan { platform, collective, size, status, steady_state, certificate, upper_bound, schedule }
}

/// A one-way ring, so that everyone reaches everyone, with random chords and some routers.
pub fn random_platform(dice: &mut Dice, integer: bool) -> Platform {
    let mut builder = Platform::builder();
    let count = 3 + dice.below(4);
    let nodes: Vec<NodeId> = (0..count)
        .map(|i| {
            let router = i >= 2 && dice.one_in(3);
            let name = format!("n{i}");
            builder.node(if router { Node::router(name) } else { Node::processor(name, whole(1)) }).unwrap()
        })
        .collect();
    let mut ends: Vec<(usize, usize)> = (0..count).map(|i| (i, (i + 1) % count)).collect();
    ends.extend(
        (0..count).flat_map(|i| (0..count).map(move |j| (i, j))).filter(|&(i, j)| i != j && (i + 1) % count != j),
    );
    let chords = ends[count..].to_vec();
    ends.truncate(count);
    ends.extend(chords.into_iter().filter(|_| dice.one_in(3)));
    dice.shuffle(&mut ends);
    for (from, to) in ends {
        let cost = if integer { whole(1 + dice.below(3)) } else { dice.fraction(5) };
        builder.link(nodes[from], nodes[to], cost).unwrap();
    }
    builder.build().unwrap()
}

fn random_collective(dice: &mut Dice, platform: &Platform) -> Collective {
    let mut processors: Vec<NodeId> = platform.processors().collect();
    dice.shuffle(&mut processors);
    match dice.below(3) {
        0 => Collective::AllToAll { participants: processors },
        1 => Collective::Scatter { source: processors[0], targets: processors.split_off(1) },
        _ => Collective::Gather { target: processors[0], participants: processors.split_off(1) },
    }
}

/// For each commodity, `instances` copies spread over random simple paths.
fn random_patterns(
    dice: &mut Dice,
    platform: &Platform,
    collective: &Collective,
    instances: usize,
) -> Vec<ScheduledPattern> {
    let mut patterns: Vec<ScheduledPattern> = Vec::new();
    for (place, commodity) in collective.commodities().into_iter().enumerate() {
        for _ in 0..instances {
            let links = random_path(dice, platform, commodity.source, commodity.target);
            let pattern = Pattern { commodity: place, links };
            match patterns.iter_mut().find(|scheduled| scheduled.pattern == pattern) {
                Some(scheduled) => scheduled.copies += 1u32,
                None => patterns.push(ScheduledPattern { pattern, copies: 1u32.into() }),
            }
        }
    }
    patterns
}

/// A random walk without the loops that it made.
fn random_path(dice: &mut Dice, platform: &Platform, source: NodeId, target: NodeId) -> Vec<LinkId> {
    let mut links: Vec<LinkId> = Vec::new();
    let mut at = source;
    while at != target {
        let choices = platform.outgoing(at);
        let link = choices[dice.below(choices.len())];
        links.push(link);
        at = platform.link(link).to;
        if let Some(before) = links.iter().position(|&link| platform.link(link).from == at) {
            links.truncate(before);
        }
    }
    links
}

/// The copies as weights, sped up until the busiest port is busy all the time.
fn steady_state(platform: &Platform, size: &Rational, patterns: &[ScheduledPattern], instances: usize) -> SteadyState {
    let copies = |scheduled: &ScheduledPattern| Rational::from_integer(scheduled.copies.clone().into());
    let mut busy = vec![Rational::zero(); 2 * platform.nodes().len()];
    for scheduled in patterns {
        for &link in &scheduled.pattern.links {
            let link = platform.link(link);
            let time = copies(scheduled) * size * &link.cost;
            busy[2 * link.from.index()] += &time;
            busy[2 * link.to.index() + 1] += time;
        }
    }
    let busiest = busy.into_iter().max().unwrap();
    SteadyState {
        throughput: whole(instances) / &busiest,
        patterns: patterns
            .iter()
            .map(|scheduled| WeightedPattern {
                pattern: scheduled.pattern.clone(),
                weight: copies(scheduled) / &busiest,
            })
            .collect(),
    }
}

/// Slots by a greedy matching in random order, sometimes cut short, so that messages are preempted.
fn schedule(
    dice: &mut Dice,
    platform: &Platform,
    size: &Rational,
    mut patterns: Vec<ScheduledPattern>,
    instances: usize,
    integer: bool,
) -> PeriodicSchedule {
    let mut left = vec![Rational::zero(); platform.links().len()];
    for scheduled in &patterns {
        for link in &scheduled.pattern.links {
            let copies = Rational::from_integer(scheduled.copies.clone().into());
            left[link.index()] += copies * size * &platform.link(*link).cost;
        }
    }
    let mut slots = Vec::new();
    let mut period = Rational::zero();
    loop {
        let mut open: Vec<LinkId> = platform.link_ids().filter(|link| !left[link.index()].is_zero()).collect();
        if open.is_empty() {
            break;
        }
        dice.shuffle(&mut open);
        let mut links: Vec<LinkId> = Vec::new();
        for id in open {
            let link = platform.link(id);
            let free = |taken: &LinkId| platform.link(*taken).from != link.from && platform.link(*taken).to != link.to;
            if links.iter().all(free) {
                links.push(id);
            }
        }
        links.sort_unstable();
        let mut length = links.iter().map(|link| &left[link.index()]).min().unwrap().clone();
        if integer && length > whole(1) && dice.one_in(3) {
            length -= whole(1);
        } else if !integer && dice.one_in(4) {
            length /= whole(2);
        }
        for link in &links {
            left[link.index()] -= &length;
        }
        period += &length;
        slots.push(Slot { length, links });
    }
    period += whole(dice.below(2));
    dice.shuffle(&mut patterns);
    PeriodicSchedule { period, instances: instances.into(), patterns, slots }
}

/// Prices on some ports, sorted.
pub fn random_prices(dice: &mut Dice, platform: &Platform) -> Vec<(Resource, Rational)> {
    let kinds: [fn(NodeId) -> Resource; 2] = [Resource::Send, Resource::Receive];
    let resources = kinds.into_iter().flat_map(|kind| platform.node_ids().map(kind));
    let mut prices = Vec::new();
    for resource in resources {
        if dice.one_in(2) {
            prices.push((resource, dice.fraction(6)));
        }
    }
    prices
}
