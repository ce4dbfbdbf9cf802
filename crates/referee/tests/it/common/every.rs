//! Random honest plans of every collective under every port model, made naively: random routes, greedy slots.

use std::collections::BTreeMap;

use super::plan::Plan;
use crate::common::ask::bound;
use num_traits::Zero;
use oneport_plan::{
    Amount, Certificate, Collective, Goals, Interval, Member, Pattern, PeriodicSchedule, Resource,
    ScheduledPattern, Slot, Status, SteadyState, Task, Volumes, WeightedPattern,
};
use oneport_platform::{LinkId, Node, NodeId, Platform, PortModel, Rational};

use super::generate::random_path;
use super::{Dice, made, part, sends, whole};

/// A one-way ring with chords. The first three nodes compute and replicate.
pub fn platform(dice: &mut Dice, integer: bool) -> Platform {
    let mut builder = Platform::builder();
    let count = 3 + dice.below(3);
    let one_model = dice.one_in(2).then(|| dice.below(4));
    let cost = |dice: &mut Dice| {
        if integer {
            whole(1 + dice.below(2))
        } else {
            dice.fraction(3)
        }
    };
    for i in 0..count {
        let name = format!("n{i}");
        let node = if i > 2 && dice.one_in(2) {
            let reduces = dice.one_in(2).then(|| cost(dice));
            Node {
                reduces,
                ..Node::router(name)
            }
        } else {
            Node::processor(name, cost(dice))
        };
        let model = PortModel::ALL[one_model.unwrap_or_else(|| dice.below(4))];
        let replicates = i < 3 || dice.one_in(2);
        let ports = Some(1 + dice.below(3) as u32);
        builder
            .node(Node {
                model: Some(model),
                ports,
                replicates,
                ..node
            })
            .unwrap();
    }
    for i in 0..count {
        for j in (0..count).filter(|&j| j != i) {
            if j == (i + 1) % count || dice.one_in(3) {
                builder
                    .link(NodeId::new(i), NodeId::new(j), cost(dice))
                    .unwrap();
            }
        }
    }
    builder.build().unwrap()
}

/// Any collective, or sometimes several at once.
pub fn collective(dice: &mut Dice, platform: &Platform) -> Collective {
    if dice.one_in(5) {
        let member = |dice: &mut Dice| Member {
            collective: single(dice, platform),
            rate: 1 + dice.below(2) as u64,
        };
        return Collective::Groups((0..1 + dice.below(3)).map(|_| member(dice)).collect());
    }
    single(dice, platform)
}

fn single(dice: &mut Dice, platform: &Platform) -> Collective {
    let mut able: Vec<NodeId> = platform
        .processors()
        .filter(|&node| platform.node(node).replicates)
        .collect();
    dice.shuffle(&mut able);
    able.truncate(2 + dice.below(able.len() - 1));
    let (first, rest, participants) = (able[0], able[1..].to_vec(), able);
    let commutative = dice.one_in(2);
    match dice.below(11) {
        0 => Collective::scatter(first, rest),
        1 => Collective::all_to_all(participants),
        2 => Collective::reduce(first, participants).commutative(commutative),
        3 => Collective::reduce_scatter(participants).commutative(commutative),
        4 | 5 => Collective::broadcast(first, rest),
        6 => Collective::all_gather(participants),
        7 | 8 => Collective::all_reduce(participants).commutative(commutative),
        _ => Collective::scan(participants),
    }
}

fn volumes(dice: &mut Dice, collective: &Collective, integer: bool) -> Volumes {
    let number = |dice: &mut Dice| {
        if integer {
            whole(1 + dice.below(2))
        } else {
            dice.fraction(3)
        }
    };
    let affine = |dice: &mut Dice| Amount::Affine {
        fixed: number(dice),
        per_operand: number(dice) * whole(dice.below(2)),
    };
    if collective.combines() && dice.one_in(2) {
        let volumes = Volumes {
            size: affine(dice),
            work: affine(dice),
        };
        if volumes.validate(collective).is_ok() {
            return volumes;
        }
    }
    Volumes {
        size: Amount::Constant(number(dice)),
        work: Amount::Constant(number(dice)),
    }
}

/// A pattern for one demand.
pub fn pattern(
    dice: &mut Dice,
    platform: &Platform,
    collective: &Collective,
    commodity: usize,
) -> Pattern {
    let demand = collective.demand(commodity).unwrap();
    let operands: &[NodeId] = demand.operands;
    let mut order: Vec<usize> = (0..operands.len()).collect();
    let ordered = demand.commutative && demand.goals != Goals::Prefixes && dice.one_in(2);
    if ordered {
        dice.shuffle(&mut order);
    }
    let mut maker = Maker {
        platform,
        values: Vec::new(),
        tasks: Vec::new(),
        reuse: true,
    };
    maker.values.extend(
        order
            .iter()
            .enumerate()
            .map(|(i, &owner)| (part(i, i), operands[owner], None)),
    );
    match (operands.len(), demand.goals) {
        (1, Goals::At(target)) => {
            Pattern::path(commodity, random_path(dice, platform, operands[0], target))
        }
        (1, _) => {
            for (node, part) in demand.goals() {
                maker.obtain(dice, part, node);
            }
            Pattern {
                demand: commodity,
                order: None,
                tasks: maker.tasks,
            }
        }
        (_, Goals::At(target)) => {
            maker.reuse = false;
            maker.obtain(dice, demand.whole(), target);
            Pattern {
                demand: commodity,
                order: ordered.then_some(order),
                tasks: maker.tasks,
            }
        }
        _ => {
            let mut goals = demand.goals();
            dice.shuffle(&mut goals);
            for (node, part) in goals {
                maker.obtain(dice, part, node);
            }
            Pattern {
                demand: commodity,
                order: ordered.then_some(order),
                tasks: maker.tasks,
            }
        }
    }
}

/// Makes schemes from the goals backwards.
struct Maker<'p> {
    platform: &'p Platform,
    /// Each value with its node and its task.
    values: Vec<(Interval, NodeId, Option<u32>)>,
    tasks: Vec<Task>,
    /// Whether values that are already at a node are used again.
    reuse: bool,
}

impl Maker<'_> {
    /// Brings the part to the node. Returns the task.
    fn obtain(&mut self, dice: &mut Dice, wanted: Interval, node: NodeId) -> Option<u32> {
        let keeps = |node: NodeId| self.platform.node(node).replicates;
        let known: Vec<(NodeId, Option<u32>)> = self
            .values
            .iter()
            .filter(|(part, at, _)| *part == wanted && (keeps(*at) || !self.reuse))
            .map(|&(_, at, task)| (at, task))
            .collect();
        let single = wanted.first == wanted.last;
        let (from, mut task) = if let Some(&(at, task)) = known.iter().find(|(at, _)| *at == node) {
            (at, task)
        } else if !known.is_empty() && (single || dice.below(4) > 0) {
            known[dice.below(known.len())]
        } else {
            let processors: Vec<NodeId> = self.platform.mergers().collect();
            let at = processors[dice.below(processors.len())];
            let split = wanted.first + dice.below(wanted.last - wanted.first);
            let left = self.obtain(dice, part(wanted.first, split), at);
            let right = self.obtain(dice, part(split + 1, wanted.last), at);
            (
                at,
                Some(self.push(
                    Task::Merge {
                        node: at,
                        part: wanted,
                        split,
                        left,
                        right,
                    },
                    wanted,
                    at,
                )),
            )
        };
        for link in random_path(dice, self.platform, from, node) {
            let transfer = Task::Send {
                link,
                part: wanted,
                after: task,
            };
            task = Some(self.push(transfer, wanted, self.platform.link(link).to));
        }
        task
    }

    fn push(&mut self, task: Task, part: Interval, at: NodeId) -> u32 {
        let index = self.tasks.len() as u32;
        self.tasks.push(task);
        self.values.push((part, at, Some(index)));
        index
    }
}

/// A plan whose schedule attains its throughput. Prices are random, and the bound is the one that they prove.
pub fn plan(dice: &mut Dice, integer: bool) -> Plan {
    let platform = platform(dice, integer);
    let collective = collective(dice, &platform);
    let volumes = volumes(dice, &collective, integer);
    let instances = 1 + dice.below(2);
    let mut patterns: Vec<ScheduledPattern> = Vec::new();
    for index in 0..collective.demands() {
        for _ in 0..instances * collective.rate(index) as usize {
            patterns.push(ScheduledPattern {
                pattern: pattern(dice, &platform, &collective, index),
                copies: 1u32.into(),
            });
        }
    }
    let (slots, period) = slots(dice, &platform, &volumes, &patterns, integer);
    let schedule = PeriodicSchedule {
        period,
        instances: instances.into(),
        patterns,
        slots,
    };
    let weight = whole(1) / &schedule.period;
    let weighted = |scheduled: &ScheduledPattern| WeightedPattern {
        pattern: scheduled.pattern.clone(),
        weight: weight.clone(),
    };
    let steady_state = SteadyState {
        throughput: schedule.throughput(),
        patterns: schedule.patterns.iter().map(weighted).collect(),
    };
    let (certificate, upper_bound) = loop {
        let certificate = prices(dice, &platform);
        if let Ok(bound) = bound(&platform, &collective, &volumes, &certificate) {
            break (certificate, bound);
        }
    };
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

/// Prices on ports, links and processors.
pub fn prices(dice: &mut Dice, platform: &Platform) -> Certificate {
    let mut resources = Resource::of_platform(platform);
    resources.extend(platform.mergers().map(Resource::Compute));
    resources.extend(platform.link_ids().map(Resource::Link));
    resources.sort_unstable();
    resources.dedup();
    let prices = resources
        .into_iter()
        .filter(|_| dice.below(3) > 0)
        .collect::<Vec<_>>();
    Certificate::of_prices(prices.into_iter().map(|r| (r, dice.fraction(4))).collect())
}

/// Greedy slots, in random order, and a period that holds them and the merges.
fn slots(
    dice: &mut Dice,
    platform: &Platform,
    volumes: &Volumes,
    patterns: &[ScheduledPattern],
    integer: bool,
) -> (Vec<Slot>, Rational) {
    let mut left = vec![Rational::zero(); platform.links().len()];
    let mut merging = vec![Rational::zero(); platform.nodes().len()];
    for scheduled in patterns {
        for used in sends(&scheduled.pattern) {
            left[used.link.index()] +=
                volumes.size_of(used.message) * &platform.link(used.link).cost;
        }
        for used in made(&scheduled.pattern) {
            merging[used.node.index()] +=
                volumes.merge_time(platform, used.node, used.message.part, used.split);
        }
    }
    let (mut slots, mut period) = (Vec::new(), Rational::zero());
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
        for link in open {
            links.push(link);
            if !fits(platform, &links) {
                links.pop();
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
    (
        slots,
        period.max(merging.into_iter().max().unwrap()) + whole(dice.below(2)),
    )
}

/// Whether links can be busy at the same time, by the words of the port models.
pub fn fits(platform: &Platform, links: &[LinkId]) -> bool {
    let mut counts: BTreeMap<(NodeId, bool), u32> = BTreeMap::new();
    for &link in links {
        let link = platform.link(link);
        *counts.entry((link.from, true)).or_default() += 1;
        *counts.entry((link.to, false)).or_default() += 1;
    }
    let of = |node, sends| counts.get(&(node, sends)).copied().unwrap_or(0);
    let once = (1..links.len()).all(|i| !links[..i].contains(&links[i]));
    once && platform.node_ids().all(|node| {
        let (sends, receives) = (of(node, true), of(node, false));
        match platform.model_of(node) {
            PortModel::FullDuplex => sends <= 1 && receives <= 1,
            PortModel::HalfDuplex => sends + receives <= 1,
            PortModel::Multiport => sends.max(receives) <= platform.node(node).ports.unwrap_or(1),
            PortModel::Links => true,
        }
    })
}
