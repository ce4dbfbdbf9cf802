//! Random honest plans, made as naively as possible: random paths, greedy slots, random prices.

use super::plan::Plan;
use num_traits::Zero;
use oneport_plan::{
    Amount, Certificate, Collective, Pattern, PeriodicSchedule, Resource, ScheduledPattern, Slot,
    Status, SteadyState, Volumes, WeightedPattern,
};
use oneport_platform::{LinkId, Node, NodeId, Platform, Rational};
use oneport_testkit::Reductions;

use super::{Dice, made, naive_bound, sends, trees, whole};

/// A random plan, with whole numbers for all costs and dates if `integer` is set.
pub fn plan(dice: &mut Dice, integer: bool) -> Plan {
    let platform = random_platform(dice, integer);
    let collective = if dice.one_in(2) {
        paths(dice, &platform)
    } else {
        reductions(dice, &platform)
    };
    answer(dice, platform, collective, integer)
}

/// A random plan of paths.
pub fn path_plan(dice: &mut Dice, integer: bool) -> Plan {
    let platform = random_platform(dice, integer);
    let collective = paths(dice, &platform);
    answer(dice, platform, collective, integer)
}

/// A random plan of reduction trees.
pub fn reduction_plan(dice: &mut Dice, integer: bool) -> Plan {
    let platform = random_platform(dice, integer);
    let collective = reductions(dice, &platform);
    answer(dice, platform, collective, integer)
}

/// A random answer to a problem.
fn answer(dice: &mut Dice, platform: Platform, collective: Collective, integer: bool) -> Plan {
    let volumes = random_volumes(dice, &collective, integer);
    let instances = 1 + dice.below(3);
    let patterns = random_patterns(dice, &platform, &collective, instances);
    let steady_state = steady_state(&platform, &volumes, &patterns, instances);
    let schedule = schedule(dice, &platform, &volumes, patterns, instances, integer);
    let certificate = loop {
        let prices = random_prices(dice, &platform);
        if naive_bound(&platform, &collective, &volumes, &prices).is_some() {
            break Certificate::of_prices(prices);
        }
    };
    let upper_bound = naive_bound(
        &platform,
        &collective,
        &volumes,
        &super::prices_of(&certificate),
    )
    .unwrap();
    let status = if upper_bound == steady_state.throughput {
        Status::Optimal
    } else {
        Status::Feasible
    };
    Plan {
        platform,
        collective,
        volumes,
        status,
        steady_state,
        certificate,
        upper_bound,
        schedule,
    }
}

/// Sizes, and for reductions work, of all kinds. Work may be 0.
pub fn random_volumes(dice: &mut Dice, collective: &Collective, integer: bool) -> Volumes {
    let number = |dice: &mut Dice| {
        if integer {
            whole(1 + dice.below(2))
        } else {
            dice.fraction(3)
        }
    };
    let Some(operands) = collective.operands().map(<[NodeId]>::len) else {
        return Volumes::of_size(number(dice));
    };
    let amount = |dice: &mut Dice, least: usize| match dice.below(3) {
        0 => Amount::Constant(number(dice)),
        1 if !collective.is_commutative() => Amount::Table(
            (0..operands)
                .map(|first| {
                    (first..operands)
                        .map(|_| number(dice) * whole(least.max(dice.below(3))))
                        .collect()
                })
                .collect(),
        ),
        _ => Amount::Affine {
            fixed: number(dice),
            per_operand: number(dice) * whole(dice.below(3)),
        },
    };
    let size = amount(dice, 1);
    // Sometimes merging takes most of the time.
    let work = match dice.below(5) {
        0 => Amount::Constant(whole(0)),
        1 => Amount::Constant(number(dice) * whole(9)),
        2 => Amount::Affine {
            fixed: number(dice),
            per_operand: number(dice) * whole(4),
        },
        _ => amount(dice, 0),
    };
    Volumes { size, work }
}

/// A one-way ring, so that every node reaches every other, with random chords and some routers.
pub fn random_platform(dice: &mut Dice, integer: bool) -> Platform {
    let mut builder = Platform::builder();
    let count = 3 + dice.below(4);
    let cost = |dice: &mut Dice| {
        if integer {
            whole(1 + dice.below(2))
        } else {
            dice.fraction(3)
        }
    };
    let nodes: Vec<NodeId> = (0..count)
        .map(|i| {
            let router = i >= 2 && dice.one_in(3);
            let name = format!("n{i}");
            builder
                .node(if router {
                    Node::router(name)
                } else {
                    Node::processor(name, cost(dice))
                })
                .unwrap()
        })
        .collect();
    let mut ends: Vec<(usize, usize)> = (0..count).map(|i| (i, (i + 1) % count)).collect();
    ends.extend(
        (0..count)
            .flat_map(|i| (0..count).map(move |j| (i, j)))
            .filter(|&(i, j)| i != j && (i + 1) % count != j),
    );
    let chords = ends[count..].to_vec();
    ends.truncate(count);
    ends.extend(chords.into_iter().filter(|_| dice.one_in(3)));
    dice.shuffle(&mut ends);
    for (from, to) in ends {
        let cost = if integer {
            whole(1 + dice.below(3))
        } else {
            dice.fraction(5)
        };
        builder.link(nodes[from], nodes[to], cost).unwrap();
    }
    builder.build().unwrap()
}

fn paths(dice: &mut Dice, platform: &Platform) -> Collective {
    let mut processors: Vec<NodeId> = platform.processors().collect();
    dice.shuffle(&mut processors);
    match dice.below(3) {
        0 => Collective::all_to_all(processors),
        1 => Collective::scatter(processors[0], processors.split_off(1)),
        _ => Collective::gather(processors[0], processors.split_off(1)),
    }
}

/// Some processors own values, in any order. A reduction goes to any processor.
fn reductions(dice: &mut Dice, platform: &Platform) -> Collective {
    let mut processors: Vec<NodeId> = platform.processors().collect();
    let target = processors[dice.below(processors.len())];
    dice.shuffle(&mut processors);
    processors.truncate(2 + dice.below(3));
    let (participants, commutative) = (processors, dice.one_in(2));
    if dice.one_in(3) {
        Collective::reduce_scatter(participants).commutative(commutative)
    } else {
        Collective::reduce(target, participants).commutative(commutative)
    }
}

/// For each commodity, `instances` copies spread over random simple paths. For each reduction, over random trees.
fn random_patterns(
    dice: &mut Dice,
    platform: &Platform,
    collective: &Collective,
    instances: usize,
) -> Vec<ScheduledPattern> {
    let mut patterns: Vec<ScheduledPattern> = Vec::new();
    for (index, commodity) in collective.commodities().into_iter().enumerate() {
        for _ in 0..instances {
            let links = random_path(dice, platform, commodity.source, commodity.target);
            add(&mut patterns, Pattern::path(index, links));
        }
    }
    for index in 0..collective.reductions().len() {
        for _ in 0..instances {
            let tree = trees::random_tree(dice, platform, collective, index);
            add(&mut patterns, tree);
        }
    }
    patterns
}

fn add(patterns: &mut Vec<ScheduledPattern>, pattern: Pattern) {
    match patterns
        .iter_mut()
        .find(|scheduled| scheduled.pattern == pattern)
    {
        Some(scheduled) => scheduled.copies += 1u32,
        None => patterns.push(ScheduledPattern {
            pattern,
            copies: 1u32.into(),
        }),
    }
}

/// A random walk without the loops that it made.
pub fn random_path(
    dice: &mut Dice,
    platform: &Platform,
    source: NodeId,
    target: NodeId,
) -> Vec<LinkId> {
    let mut links: Vec<LinkId> = Vec::new();
    let mut at = source;
    while at != target {
        let choices = platform.outgoing(at);
        let link = choices[dice.below(choices.len())];
        links.push(link);
        at = platform.link(link).to;
        if let Some(before) = links
            .iter()
            .position(|&link| platform.link(link).from == at)
        {
            links.truncate(before);
        }
    }
    links
}

/// The copies as weights, sped up until the busiest port or processor is busy all the time.
fn steady_state(
    platform: &Platform,
    volumes: &Volumes,
    patterns: &[ScheduledPattern],
    instances: usize,
) -> SteadyState {
    let copies = |scheduled: &ScheduledPattern| whole(scheduled.copies.clone());
    let mut busy = vec![Rational::zero(); 3 * platform.nodes().len()];
    for scheduled in patterns {
        for used in sends(&scheduled.pattern) {
            let link = platform.link(used.link);
            let time = copies(scheduled) * volumes.size_of(used.message) * &link.cost;
            busy[3 * link.from.index()] += &time;
            busy[3 * link.to.index() + 1] += time;
        }
        for used in made(&scheduled.pattern) {
            let time = volumes.merge_time(platform, used.node, used.message.part, used.split);
            busy[3 * used.node.index() + 2] += copies(scheduled) * time;
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
    volumes: &Volumes,
    mut patterns: Vec<ScheduledPattern>,
    instances: usize,
    integer: bool,
) -> PeriodicSchedule {
    let mut left = vec![Rational::zero(); platform.links().len()];
    let mut merging = vec![Rational::zero(); platform.nodes().len()];
    for scheduled in &patterns {
        let copies = whole(scheduled.copies.clone());
        for used in sends(&scheduled.pattern) {
            left[used.link.index()] +=
                &copies * volumes.size_of(used.message) * &platform.link(used.link).cost;
        }
        for used in made(&scheduled.pattern) {
            let time = volumes.merge_time(platform, used.node, used.message.part, used.split);
            merging[used.node.index()] += &copies * time;
        }
    }
    let mut slots = Vec::new();
    let merging = merging.into_iter().max().unwrap();
    let mut period = Rational::zero();
    loop {
        let mut open: Vec<LinkId> = platform
            .link_ids()
            .filter(|link| !left[link.index()].is_zero())
            .collect();
        if open.is_empty() {
            break;
        }
        dice.shuffle(&mut open);
        let mut links: Vec<LinkId> = Vec::new();
        for id in open {
            let link = platform.link(id);
            let free = |taken: &LinkId| {
                platform.link(*taken).from != link.from && platform.link(*taken).to != link.to
            };
            if links.iter().all(free) {
                links.push(id);
            }
        }
        links.sort_unstable();
        let mut length = links
            .iter()
            .map(|link| &left[link.index()])
            .min()
            .unwrap()
            .clone();
        if integer && length > whole(1) && dice.one_in(3) {
            length -= whole(1);
        } else if !integer && dice.one_in(4) {
            length /= whole(2);
        }
        for link in &links {
            left[link.index()] -= &length;
        }
        period += &length;
        slots.push(Slot {
            shares: Vec::new(),
            length,
            links,
        });
    }
    period = period.max(merging) + whole(dice.below(2));
    dice.shuffle(&mut patterns);
    PeriodicSchedule {
        period,
        instances: instances.into(),
        patterns,
        slots,
    }
}

/// Prices on some ports and processors, sorted.
pub fn random_prices(dice: &mut Dice, platform: &Platform) -> Vec<(Resource, Rational)> {
    let ports: [fn(NodeId) -> Resource; 2] = [Resource::Send, Resource::Receive];
    let mut resources: Vec<Resource> = ports
        .into_iter()
        .flat_map(|kind| platform.node_ids().map(kind))
        .collect();
    resources.extend(platform.mergers().map(Resource::Compute));
    let mut prices = Vec::new();
    for resource in resources {
        if dice.one_in(2) {
            prices.push((resource, dice.fraction(6)));
        }
    }
    prices
}
