//! Platforms and plans at random.

use std::collections::{BTreeMap, VecDeque};

use oneport_exports::{File, Pieces, Preloaded, Request, Written};
use oneport_plan::{
    Collective, Goals, Interval, Pattern, PeriodicSchedule, Problem, ScheduledPattern, Volumes,
    WholePatterns,
};
use oneport_platform::{LinkId, Node, NodeId, Platform};
use oneport_schedule::{Watch, periodic, tightened};
use oneport_testkit::{Dice, whole};

/// A connected platform: processors, some routers, links both ways of costs 1 to 4.
pub fn platform(processors: usize, routers: usize, dice: &mut Dice) -> Platform {
    let mut builder = Platform::builder();

    let mut nodes = Vec::new();
    for number in 0..processors {
        nodes.push(
            builder
                .node(Node::processor(
                    format!("p{number}"),
                    whole(1 + dice.below(2)),
                ))
                .unwrap(),
        );
    }
    for number in 0..routers {
        nodes.push(builder.node(Node::router(format!("r{number}"))).unwrap());
    }
    let mut known = std::collections::BTreeSet::new();
    for later in 1..nodes.len() {
        known.insert((dice.below(later), later));
    }
    for _ in 0..nodes.len() {
        let (one, other) = (dice.below(nodes.len()), dice.below(nodes.len()));
        known.extend((one < other).then_some((one, other)));
    }
    for (one, other) in known {
        let cost = whole(1 + dice.below(4));
        builder
            .link(nodes[one], nodes[other], cost.clone())
            .unwrap();
        builder.link(nodes[other], nodes[one], cost).unwrap();
    }
    builder.build().unwrap()
}

/// Links to every node from one, at random among the shortest: the link that reaches it.
fn reached(platform: &Platform, from: NodeId, dice: &mut Dice) -> BTreeMap<NodeId, LinkId> {
    let mut by: BTreeMap<NodeId, LinkId> = BTreeMap::new();
    let mut queue = VecDeque::from([from]);
    while let Some(node) = queue.pop_front() {
        let links: Vec<LinkId> = platform
            .link_ids()
            .filter(|&link| platform.link(link).from == node)
            .collect();
        let turn = dice.below(links.len());
        for link in links[turn..].iter().chain(&links[..turn]) {
            let to = platform.link(*link).to;
            if to != from && !by.contains_key(&to) {
                by.insert(to, *link);
                queue.push_back(to);
            }
        }
    }
    by
}

fn way(platform: &Platform, from: NodeId, to: NodeId, dice: &mut Dice) -> Vec<LinkId> {
    let by = reached(platform, from, dice);
    let mut links = Vec::new();
    let mut at = to;
    while at != from {
        links.push(by[&at]);
        at = platform.link(by[&at]).from;
    }
    links.reverse();
    links
}

/// Copies a part from a node to all these, each node forwarding it.
fn spread(
    pattern: &mut Pattern,
    platform: &Platform,
    part: Interval,
    from: NodeId,
    made: Option<u32>,
    to: &[NodeId],
    dice: &mut Dice,
) {
    let by = reached(platform, from, dice);
    let mut at: BTreeMap<NodeId, Option<u32>> = BTreeMap::from([(from, made)]);
    for &goal in to {
        let mut links = Vec::new();
        let mut node = goal;
        while !at.contains_key(&node) {
            links.push(by[&node]);
            node = platform.link(by[&node]).from;
        }
        for link in links.into_iter().rev() {
            let after = at[&platform.link(link).from];
            let task = pattern.send(link, part, after);
            at.insert(platform.link(link).to, task);
        }
    }
}

/// Combines operands at some node. Returns the node, and the task that made the result.
fn combine(
    pattern: &mut Pattern,
    platform: &Platform,
    owners: &[NodeId],
    part: Interval,
    dice: &mut Dice,
) -> (NodeId, Option<u32>) {
    if part.first == part.last {
        let operand = pattern
            .order
            .as_ref()
            .map_or(part.first, |order| order[part.first]);
        return (owners[operand], None);
    }
    let split = part.first + dice.below(part.last - part.first);
    let (left, right) = (
        Interval {
            last: split,
            ..part
        },
        Interval {
            first: split + 1,
            ..part
        },
    );
    let mut left = combine(pattern, platform, owners, left, dice);
    let mut right = combine(pattern, platform, owners, right, dice);
    let node = if dice.below(2) == 0 { left.0 } else { right.0 };
    for (side, part) in [
        (
            &mut left,
            Interval {
                last: split,
                ..part
            },
        ),
        (
            &mut right,
            Interval {
                first: split + 1,
                ..part
            },
        ),
    ] {
        for link in way(platform, side.0, node, dice) {
            side.1 = pattern.send(link, part, side.1);
        }
    }
    (node, pattern.merge(node, part, split, [left.1, right.1]))
}

/// A random pattern of a demand.
pub fn pattern(problem: &Problem, number: usize, dice: &mut Dice) -> Pattern {
    let (platform, demand) = (
        problem.platform(),
        problem.collective().demand(number).unwrap(),
    );
    let mut pattern = Pattern::new(number);
    let owners = demand.operands;
    if demand.commutative && owners.len() > 1 {
        let mut order: Vec<usize> = (0..owners.len()).collect();
        dice.shuffle(&mut order);
        pattern.order = Some(order);
    }
    if let Goals::Prefixes = demand.goals {
        let mut made = None;
        for (last, &node) in owners.iter().enumerate().skip(1) {
            let part = Interval {
                first: 0,
                last: last - 1,
            };
            for link in way(platform, owners[last - 1], node, dice) {
                made = pattern.send(link, part, made);
            }
            made = pattern.merge(node, Interval { first: 0, last }, last - 1, [made, None]);
        }
        return pattern;
    }
    let whole = demand.whole();
    let (root, made) = combine(&mut pattern, platform, owners, whole, dice);
    let goals: Vec<NodeId> = demand.goals().into_iter().map(|(node, _)| node).collect();
    spread(&mut pattern, platform, whole, root, made, &goals, dice);
    pattern
}

/// A schedule of some instances, each demand by two patterns.
pub fn schedule(problem: &Problem, instances: usize, dice: &mut Dice) -> PeriodicSchedule {
    let mut patterns = Vec::new();
    for demand in 0..problem.collective().demands() {
        let instances = instances * problem.collective().rate(demand) as usize;
        let first = 1 + dice.below(instances);
        patterns.push(ScheduledPattern {
            pattern: pattern(problem, demand, dice),
            copies: first.into(),
        });
        if first < instances {
            let other = pattern(problem, demand, dice);
            patterns.push(ScheduledPattern {
                pattern: other,
                copies: (instances - first).into(),
            });
        }
    }
    let whole = WholePatterns {
        period: whole(1),
        instances: instances.into(),
        patterns,
    };
    periodic(
        problem,
        tightened(problem, whole).unwrap(),
        &Watch::unlimited(),
    )
    .unwrap()
}

/// The collective of this name among processors. Counts are 2, 0, 3, 1, 2 and so on.
pub fn collective(name: &str, nodes: &[NodeId]) -> Collective {
    let all = nodes.to_vec();
    if let Some(plain) = name.strip_suffix("-v") {
        let plain = collective(plain, nodes);
        let counts: Vec<u64> = [2, 0, 3, 1]
            .into_iter()
            .cycle()
            .take(plain.demands())
            .collect();
        return plain.with_counts(&counts).unwrap();
    }
    match name {
        "all-gather" => Collective::all_gather(all),
        "all-to-all" => Collective::all_to_all(all),
        "reduce-scatter" => Collective::reduce_scatter(all).in_order(),
        "all-reduce" => Collective::all_reduce(all),
        "broadcast" => Collective::broadcast(all[1], [&all[..1], &all[2..]].concat()),
        "scatter" => Collective::scatter(all[1], [&all[..1], &all[2..]].concat()),
        "gather" => Collective::gather(all[1], [&all[..1], &all[2..]].concat()),
        "reduce" => Collective::reduce(all[1], all).in_order(),
        "scan" => Collective::scan(all),
        other => panic!("{other}"),
    }
}

/// Writes a random plan of a collective in a format of one file.
pub fn export(name: &str, format: &str, seed: u64, pieces: Option<u64>) -> Result<String, String> {
    Ok(files(name, format, seed, pieces)?[0].text().into_owned())
}

/// Writes a random plan of a collective in a format. `pieces` is `None` for a number that fits the format.
pub fn files(
    name: &str,
    format: &str,
    seed: u64,
    pieces: Option<u64>,
) -> Result<Vec<File>, String> {
    let pieces = pieces.map_or(Pieces::Fitting, Pieces::Number);
    Ok(written(name, format, seed, |request| Request { pieces, ..request })?.files)
}

/// Writes a random plan of a collective in a format, as `asked`.
pub fn written(
    name: &str,
    format: &str,
    seed: u64,
    asked: impl Fn(Request<'_>) -> Request<'_>,
) -> Result<Written, String> {
    let mut dice = Dice(seed);
    let processors = 2 + dice.below(5);
    let routers = dice.below(3);
    let platform = platform(processors, routers, &mut dice);
    let nodes: Vec<NodeId> = platform.node_ids().take(processors).collect();
    let (collective, volumes) = (collective(name, &nodes), Volumes::default());
    let problem = Problem::new(&platform, &collective, &volumes).unwrap();
    let instances = 1 + dice.below(4);
    let schedule = schedule(&problem, instances, &mut dice);
    let request = asked(Request::new(&problem, &schedule));
    oneport_exports::format(format)
        .unwrap()
        .write(&request)
        .map_err(|error| error.to_string())
}

/// A library for LD_PRELOAD of random plans among processors, a plan for each collective and number of bytes. In the
/// plans that `backwards` names the participants are in the opposite order.
pub fn library(
    plans: &[(&str, u64)],
    processors: usize,
    backwards: &[&str],
    hosts: Option<&[&str]>,
) -> Result<Vec<File>, String> {
    let mut dice = Dice(processors as u64);
    let platform = match hosts {
        None => platform(processors, 2, &mut dice),
        Some(names) => hosts_of(names),
    };
    let nodes: Vec<NodeId> = platform.node_ids().take(processors).collect();
    let volumes = Volumes::default();
    let collectives: Vec<Collective> = plans
        .iter()
        .map(|(name, _)| {
            let mut nodes = nodes.clone();
            if backwards.contains(name) {
                nodes.reverse();
            }
            collective(name, &nodes)
        })
        .collect();
    let problems: Vec<Problem> = collectives
        .iter()
        .map(|it| Problem::new(&platform, it, &volumes).unwrap())
        .collect();
    let schedules: Vec<PeriodicSchedule> = problems
        .iter()
        .map(|problem| schedule(problem, 2 + dice.below(3), &mut dice))
        .collect();
    let plans: Vec<Preloaded<'_>> = problems
        .iter()
        .zip(&schedules)
        .zip(plans)
        .map(|((problem, schedule), &(_, at_least))| Preloaded {
            request: Request::new(problem, schedule),
            at_least,
        })
        .collect();
    oneport_exports::preload(&plans, hosts.is_some()).map_err(|error| error.to_string())
}

/// Hosts, each linked with each.
fn hosts_of(names: &[&str]) -> Platform {
    let mut builder = Platform::builder();
    let nodes: Vec<NodeId> = names
        .iter()
        .map(|name| builder.node(Node::processor(*name, whole(1))).unwrap())
        .collect();
    for &from in &nodes {
        for &to in nodes.iter().filter(|&&to| to != from) {
            builder.link(from, to, whole(2)).unwrap();
        }
    }
    builder.build().unwrap()
}
