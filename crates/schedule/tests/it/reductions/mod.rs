//! Random steady states of reduction trees: any bracketing, any processors, any port or processor as the bottleneck.

pub use oneport_platform::ratio;
use oneport_testkit::{Reductions, toys};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use num_traits::Zero;
use oneport_plan::{
    Amount, Collective, Interval, Pattern, Resource, SteadyState, Task, Volumes, WeightedPattern,
};
use oneport_platform::{NodeId, Platform, PortModel, Rational};
use proptest::prelude::*;

use crate::models::{Dice, Models, path, platform};

/// A platform, a question, and trees that answer it with a busiest resource that is always busy.
#[derive(Clone)]
pub struct Case {
    pub platform: Platform,
    pub collective: Collective,
    pub volumes: Volumes,
    pub steady_state: SteadyState,
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}, {:?};", self.collective, self.volumes)?;
        for node in self.platform.nodes() {
            write!(
                f,
                " {} {};",
                node.name,
                node.compute.clone().unwrap_or_default()
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
            write!(f, " {weight} x {}", pattern.demand)?;
            if pattern
                .tasks
                .iter()
                .any(|task| matches!(task, Task::Merge { .. }))
            {
                write!(f, " {:?}", pattern.order)?;
                for task in &pattern.tasks {
                    match task {
                        Task::Send { link, part, .. } => {
                            write!(f, " [{},{}] over {link}", part.first, part.last)?
                        }
                        Task::Merge {
                            node, part, split, ..
                        } => write!(f, " [{},{split},{}] at {node}", part.first, part.last)?,
                    }
                }
            }
            write!(f, ";")?;
        }
        Ok(())
    }
}

/// A tree over participants in this order, with this result.
fn tree(
    platform: &Platform,
    owners: &[NodeId],
    commodity: usize,
    target: NodeId,
    order: Option<Vec<usize>>,
    dice: &mut Dice<'_>,
) -> Pattern {
    let owner = |operand: usize| owners[order.as_ref().map_or(operand, |order| order[operand])];
    let nodes: Vec<NodeId> = (0..owners.len()).map(owner).collect();
    let mut tasks = Vec::new();
    let at = value(
        platform,
        &nodes,
        Interval {
            first: 0,
            last: owners.len() - 1,
        },
        dice,
        &mut tasks,
    );
    carry(
        platform,
        at,
        target,
        Interval {
            first: 0,
            last: owners.len() - 1,
        },
        dice,
        &mut tasks,
    );
    Pattern::tree(commodity, order, tasks)
}

/// Makes a partial result somewhere.
fn value(
    platform: &Platform,
    nodes: &[NodeId],
    part: Interval,
    dice: &mut Dice<'_>,
    tasks: &mut Vec<Task>,
) -> NodeId {
    if part.first == part.last {
        return nodes[part.first];
    }
    let split = part.first + dice.below(part.last - part.first);
    let processors: Vec<NodeId> = platform.processors().collect();
    let node = processors[dice.below(processors.len())];
    for half in [
        Interval {
            last: split,
            ..part
        },
        Interval {
            first: split + 1,
            ..part
        },
    ] {
        let at = value(platform, nodes, half, dice, tasks);
        carry(platform, at, node, half, dice, tasks);
    }
    tasks.push(Task::merge(node, part, split));
    node
}

/// Along a path with the fewest links.
fn carry(
    platform: &Platform,
    from: NodeId,
    to: NodeId,
    part: Interval,
    dice: &mut Dice<'_>,
    tasks: &mut Vec<Task>,
) {
    let links = path(platform, from, to, dice).into_iter();
    tasks.extend(links.map(|link| Task::send(link, part)));
}

/// Busy time of every resource used, task by task.
pub fn loads<'p>(
    platform: &Platform,
    volumes: &Volumes,
    patterns: impl Iterator<Item = (&'p Pattern, Rational)>,
) -> BTreeMap<Resource, Rational> {
    let mut loads: BTreeMap<Resource, Rational> = BTreeMap::new();
    for (pattern, count) in patterns {
        for task in &pattern.tasks {
            match *task {
                Task::Send { link, part, .. } => {
                    let time = &count * volumes.size.of(part).unwrap() * &platform.link(link).cost;
                    for port in Resource::uses(platform, link).map(|used| used.resource) {
                        *loads.entry(port).or_default() += &time;
                    }
                }
                Task::Merge {
                    node, part, split, ..
                } => {
                    let time = &count * volumes.merge_time(platform, node, part, split);
                    *loads.entry(Resource::Compute(node)).or_default() += time;
                }
            }
        }
    }
    loads
}

/// Constant, by the number of operands, or by interval, and at least `least`.
fn amount(operands: usize, kind: usize, least: i64, dice: &mut Dice<'_>) -> Amount {
    let mut some = |most| ratio(least, 1) + dice.number(most, 3) - ratio(1, 3);
    match kind {
        0 => Amount::Constant(some(4)),
        1 => Amount::Affine {
            fixed: some(3),
            per_operand: some(2),
        },
        _ => Amount::Table(
            (0..operands)
                .map(|first| (first..operands).map(|_| some(4)).collect())
                .collect(),
        ),
    }
}

/// Everything decided by a list of numbers.
pub fn case(
    nodes: usize,
    participants: usize,
    trees: usize,
    scatter: bool,
    commutative: bool,
    kind: usize,
    numbers: &[usize],
) -> Case {
    let dice = &mut Dice::of(numbers);
    let nodes = nodes.max(participants);
    let platform = platform(
        nodes,
        participants,
        Models::All(PortModel::FullDuplex),
        dice,
    );
    let mut owners: Vec<NodeId> = (0..participants).map(NodeId::new).collect();
    owners.rotate_left(dice.below(participants));
    let processors: Vec<NodeId> = platform.processors().collect();
    let collective = if scatter {
        Collective::reduce_scatter(owners.clone()).commutative(commutative)
    } else {
        let target = processors[dice.below(processors.len())];
        Collective::reduce(target, owners.clone()).commutative(commutative)
    };
    let kind = if commutative { kind % 2 } else { kind % 3 };
    let size = amount(participants, kind, 1, dice);
    let work = if dice.below(6) == 0 {
        Amount::Constant(Rational::zero())
    } else {
        amount(participants, kind, 0, dice)
    };
    let volumes = Volumes { size, work };
    volumes.validate(&collective).unwrap();
    let mut patterns: Vec<(Pattern, Rational)> = Vec::new();
    for (commodity, &target) in collective.reductions().iter().enumerate() {
        let mut distinct = BTreeSet::new();
        for _ in 0..1 + dice.below(trees) {
            let order = (commutative && dice.below(3) > 0).then(|| {
                let mut order: Vec<usize> = (0..participants).collect();
                order.rotate_left(dice.below(participants));
                order.swap(0, dice.below(participants));
                order
            });
            distinct.insert(tree(&platform, &owners, commodity, target, order, dice));
        }
        let shares: Vec<i64> = distinct.iter().map(|_| 1 + dice.below(6) as i64).collect();
        let total: i64 = shares.iter().sum();
        patterns.extend(
            distinct
                .into_iter()
                .zip(shares)
                .map(|(tree, share)| (tree, ratio(share, total))),
        );
    }
    let one = loads(
        &platform,
        &volumes,
        patterns
            .iter()
            .map(|(pattern, share)| (pattern, share.clone())),
    );
    let throughput = one.values().max().unwrap().recip();
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
    }
}

/// Reduce and reduce-scatter on up to `nodes` nodes, with up to `trees` trees per reduction.
pub fn cases(nodes: usize, trees: usize) -> impl Strategy<Value = Case> {
    let numbers = prop::collection::vec(0..10_000usize, 1..60);
    (
        2..=nodes,
        2..=nodes.min(5),
        1..=trees,
        prop::bool::weighted(0.3),
        any::<bool>(),
        0..3usize,
        numbers,
    )
        .prop_map(
            |(nodes, participants, trees, scatter, commutative, kind, numbers)| {
                case(
                    nodes,
                    participants,
                    trees,
                    scatter,
                    commutative,
                    kind,
                    &numbers,
                )
            },
        )
}

/// Figure 6 of RR-4872: three nodes, all links of cost 1, node 0 computes twice as fast. Trees have weights 1/3 and
/// 2/3.
pub fn figure_6() -> Case {
    let platform = toys::reduce();
    let [p0, p1, p2] = [0, 1, 2].map(NodeId::new);
    let link = |from, to| platform.link_between(from, to).unwrap();
    let part = |first, last| Interval { first, last };
    let through = |node: NodeId, other: NodeId, leaf: usize| {
        let tasks = vec![
            Task::send(link(other, node), part(leaf, leaf)),
            Task::merge(node, part(1, 2), 1),
            Task::send(link(node, p0), part(1, 2)),
            Task::merge(p0, part(0, 2), 0),
        ];
        Pattern::tree(0, None, tasks)
    };
    let patterns = vec![
        WeightedPattern {
            pattern: through(p1, p2, 2),
            weight: ratio(1, 3),
        },
        WeightedPattern {
            pattern: through(p2, p1, 1),
            weight: ratio(2, 3),
        },
    ];
    Case {
        platform: platform.clone(),
        collective: Collective::reduce(p0, vec![p0, p1, p2]).in_order(),
        volumes: Volumes::of_size(ratio(1, 1)),
        steady_state: SteadyState {
            throughput: ratio(1, 1),
            patterns,
        },
    }
}
