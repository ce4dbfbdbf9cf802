//! Reduction trees: random ones, all of them, and the cheapest by methods other than the referee's.

use oneport_testkit::Reductions;
use std::collections::BTreeMap;

use num_traits::Zero;
use oneport_plan::{Collective, Interval, Pattern, Resource, Task, Volumes};
use oneport_platform::{LinkId, NodeId, Platform, Rational};

use super::{Dice, Prices, lengths, part};

/// A random tree: values next to each other meet at random processors, by random simple paths.
pub fn random_tree(
    dice: &mut Dice,
    platform: &Platform,
    collective: &Collective,
    commodity: usize,
) -> Pattern {
    let owners = collective.operands().unwrap();
    let mut order: Vec<usize> = (0..owners.len()).collect();
    let ordered = collective.is_commutative() && !dice.one_in(4);
    if ordered {
        dice.shuffle(&mut order);
    }
    let processors: Vec<NodeId> = platform.mergers().collect();
    let mut values: Vec<(Interval, NodeId)> = order
        .iter()
        .enumerate()
        .map(|(operand, &participant)| (part(operand, operand), owners[participant]))
        .collect();
    let mut tasks = Vec::new();
    while values.len() > 1 {
        let index = dice.below(values.len() - 1);
        let node = processors[dice.below(processors.len())];
        let (left, at) = values[index];
        transfers(dice, platform, left, at, node, &mut tasks);
        let (right, at) = values.remove(index + 1);
        transfers(dice, platform, right, at, node, &mut tasks);
        values[index] = (part(left.first, right.last), node);
        tasks.push(Task::merge(node, values[index].0, left.last));
    }
    transfers(
        dice,
        platform,
        values[0].0,
        values[0].1,
        collective.reductions()[commodity],
        &mut tasks,
    );
    Pattern::tree(commodity, ordered.then_some(order), tasks)
}

fn transfers(
    dice: &mut Dice,
    platform: &Platform,
    part: Interval,
    from: NodeId,
    to: NodeId,
    tasks: &mut Vec<Task>,
) {
    let links = super::generate::random_path(dice, platform, from, to);
    tasks.extend(links.into_iter().map(|link| Task::send(link, part)));
}

/// The price of a tree's tasks.
pub fn price(
    platform: &Platform,
    volumes: &Volumes,
    prices: &Prices<'_>,
    tasks: &[Task],
) -> Rational {
    let lengths = lengths(platform, prices);
    let of_task = |task: &Task| match *task {
        Task::Send { link, part, .. } => volumes.size.of(part).unwrap() * &lengths[link.index()],
        Task::Merge {
            node, part, split, ..
        } => merge_price(platform, volumes, prices, node, part, split),
    };
    tasks.iter().map(of_task).sum()
}

fn merge_price(
    platform: &Platform,
    volumes: &Volumes,
    prices: &Prices<'_>,
    node: NodeId,
    part: Interval,
    split: usize,
) -> Rational {
    let price = prices
        .get(&Resource::Compute(node))
        .map_or_else(Rational::zero, |price| (*price).clone());
    volumes.merge_time(platform, node, part, split) * price
}

/// The cheapest tree to a target: intervals or sets, values spread link by link over all nodes as Bellman and Ford do.
/// `None` if there is no tree.
pub fn naive_cheapest(
    platform: &Platform,
    collective: &Collective,
    volumes: &Volumes,
    prices: &Prices<'_>,
    target: NodeId,
) -> Option<Rational> {
    let operands = collective.operands().unwrap().len();
    let mut known = BTreeMap::new();
    let all: Vec<usize> = (0..operands).collect();
    let question = (platform, collective, volumes, prices);
    spread(question, &lengths(platform, prices), &all, &mut known)[target.index()].clone()
}

type Question<'a> = (&'a Platform, &'a Collective, &'a Volumes, &'a Prices<'a>);

/// By node: the least price of having the combination of these operands there.
fn spread(
    question: Question<'_>,
    lengths: &[Rational],
    operands: &[usize],
    known: &mut BTreeMap<Vec<usize>, Vec<Option<Rational>>>,
) -> Vec<Option<Rational>> {
    if let Some(known) = known.get(operands) {
        return known.clone();
    }
    let (platform, collective, volumes, prices) = question;
    let mut there: Vec<Option<Rational>> = vec![None; platform.nodes().len()];
    // Only the number of operands matters if the operator is commutative.
    let whole = part(operands[0], operands[0] + operands.len() - 1);
    let whole = if collective.is_commutative() {
        part(0, operands.len() - 1)
    } else {
        whole
    };
    if let [operand] = operands {
        there[collective.operands().unwrap()[*operand].index()] = Some(Rational::zero());
    }
    for (left, right) in splits(operands, collective.is_commutative()) {
        let split = whole.first + left.len() - 1;
        let left = spread(question, lengths, &left, known);
        let right = spread(question, lengths, &right, known);
        for node in platform
            .mergers()
            .filter(|&node| volumes.can_merge(node, whole, split))
        {
            if let (Some(left), Some(right)) = (&left[node.index()], &right[node.index()]) {
                let merge = merge_price(platform, volumes, prices, node, whole, split);
                improve(&mut there[node.index()], left + right + merge);
            }
        }
    }
    let size = volumes.size.of(whole).unwrap();
    for _ in platform.nodes() {
        for (link, length) in platform.links().iter().zip(lengths) {
            if let Some(from) = there[link.from.index()].clone() {
                improve(&mut there[link.to.index()], from + &size * length);
            }
        }
    }
    known.insert(operands.to_vec(), there.clone());
    there
}

fn improve(best: &mut Option<Rational>, candidate: Rational) {
    if best.as_ref().is_none_or(|best| candidate < *best) {
        *best = Some(candidate);
    }
}

/// The splits of a list: at any point, or into any two sets.
fn splits(operands: &[usize], sets: bool) -> Vec<(Vec<usize>, Vec<usize>)> {
    if !sets {
        return (1..operands.len())
            .map(|cut| (operands[..cut].to_vec(), operands[cut..].to_vec()))
            .collect();
    }
    let in_left = |choice: usize, index: usize| choice >> index & 1 == 1;
    (1..(1 << operands.len()) - 1)
        .map(|choice| {
            let side = |left: bool| {
                operands
                    .iter()
                    .enumerate()
                    .filter(|&(index, _)| in_left(choice, index) == left)
                    .map(|(_, &o)| o)
                    .collect()
            };
            (side(true), side(false))
        })
        .collect()
}

/// Every tree, with each value taking every simple path between the node that makes it and the node that merges it.
/// Only for the smallest platforms.
pub fn all_trees(platform: &Platform, collective: &Collective, commodity: usize) -> Vec<Pattern> {
    let owners = collective.operands().unwrap();
    let orders = if collective.is_commutative() {
        permutations(owners.len())
    } else {
        vec![(0..owners.len()).collect()]
    };
    let mut trees = Vec::new();
    for order in orders {
        let all = part(0, owners.len() - 1);
        let leaves: Vec<NodeId> = order
            .iter()
            .map(|&participant| owners[participant])
            .collect();
        for tasks in all_ways(platform, &leaves, all, collective.reductions()[commodity]) {
            let order = collective.is_commutative().then(|| order.clone());
            trees.push(Pattern::tree(commodity, order, tasks));
        }
    }
    trees
}

/// Every list of tasks that brings a part to a node.
fn all_ways(platform: &Platform, owners: &[NodeId], whole: Interval, to: NodeId) -> Vec<Vec<Task>> {
    let mut made: Vec<(NodeId, Vec<Task>)> = Vec::new();
    if whole.first == whole.last {
        made.push((owners[whole.first], Vec::new()));
    }
    for split in whole.first..whole.last {
        for node in platform.mergers() {
            for left in all_ways(platform, owners, part(whole.first, split), node) {
                for right in all_ways(platform, owners, part(split + 1, whole.last), node) {
                    let merge = Task::merge(node, whole, split);
                    made.push((node, [left.as_slice(), &right, &[merge]].concat()));
                }
            }
        }
    }
    let mut ways = Vec::new();
    for (at, tasks) in made {
        for path in simple_paths(platform, at, to, &mut vec![at]) {
            let moves = path.into_iter().map(|link| Task::send(link, whole));
            ways.push(tasks.iter().copied().chain(moves).collect());
        }
    }
    ways
}

fn simple_paths(
    platform: &Platform,
    from: NodeId,
    to: NodeId,
    visited: &mut Vec<NodeId>,
) -> Vec<Vec<LinkId>> {
    if from == to {
        return vec![Vec::new()];
    }
    let mut paths = Vec::new();
    for &id in platform.outgoing(from) {
        let next = platform.link(id).to;
        if visited.contains(&next) {
            continue;
        }
        visited.push(next);
        for mut rest in simple_paths(platform, next, to, visited) {
            rest.insert(0, id);
            paths.push(rest);
        }
        visited.pop();
    }
    paths
}

pub fn permutations(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let shorter = permutations(count - 1);
    let with_last = |rest: &Vec<usize>, index: usize| {
        let mut order = rest.clone();
        order.insert(index, count - 1);
        order
    };
    shorter
        .iter()
        .flat_map(|rest| (0..count).map(|index| with_last(rest, index)))
        .collect()
}
