//! SSR (RR-4872 section 4.2), corrected: its optimum is attained by valid trees and proved by its prices, both
//! checked here with nothing but sums and an interval dynamic program.

use oneport_testkit::Reductions;
use std::collections::BTreeMap;

use num_traits::{One, Zero};
use oneport_lp::{Formulation, Options, Question, Solution, solve};
use oneport_plan::{Amount, Collective, Interval, Message, Problem, Resource, Task, Volumes};
use oneport_platform::{Node, NodeId, Platform, Rational, ratio};
use proptest::prelude::*;

#[derive(Debug, Clone)]
struct Case {
    platform: Platform,
    collective: Collective,
    volumes: Volumes,
}

impl Case {
    fn operands(&self) -> &[NodeId] {
        self.collective.operands().unwrap()
    }

    fn size(&self, part: Interval) -> Rational {
        self.volumes.size_of(Message { demand: 0, part })
    }

    #[track_caller]
    fn solve(&self, formulation: Formulation) -> Solution {
        let question =
            Question::new(&Problem::new(&self.platform, &self.collective, &self.volumes).unwrap());
        let options = Options::from(formulation);
        solve(&question, &options).unwrap()
    }

    /// The resources that a task takes, and its time on them.
    fn load(&self, task: Task) -> (Vec<Resource>, Rational) {
        match task {
            Task::Send { link, part, .. } => {
                let ends = self.platform.link(link);
                (
                    vec![Resource::Send(ends.from), Resource::Receive(ends.to)],
                    self.size(part) * &ends.cost,
                )
            }
            Task::Merge { node, part, .. } => {
                let work = self.volumes.work.of(part).unwrap();
                (
                    vec![Resource::Compute(node)],
                    work * self.platform.node(node).compute.clone().unwrap(),
                )
            }
        }
    }
}

/// Executes a tree, and panics if an input is not at its task or anything except the result remains.
#[track_caller]
fn check_tree(case: &Case, tasks: &[Task], target: NodeId) {
    let owners = case.operands().iter().enumerate();
    let mut at: BTreeMap<Interval, NodeId> = owners
        .map(|(k, &node)| (Interval { first: k, last: k }, node))
        .collect();
    for &task in tasks {
        match task {
            Task::Send { link, part, .. } => {
                let ends = case.platform.link(link);
                assert_eq!(
                    at.insert(part, ends.to),
                    Some(ends.from),
                    "{case:?}: {task:?}"
                );
            }
            Task::Merge {
                node, part, split, ..
            } => {
                assert!(
                    case.platform.node(node).is_processor(),
                    "{case:?}: {task:?}"
                );
                for (first, last) in [(part.first, split), (split + 1, part.last)] {
                    assert_eq!(
                        at.remove(&Interval { first, last }),
                        Some(node),
                        "{case:?}: {task:?}"
                    );
                }
                at.insert(part, node);
            }
        }
    }
    let result = Interval {
        first: 0,
        last: case.operands().len() - 1,
    };
    assert_eq!(at, BTreeMap::from([(result, target)]), "{case:?}");
}

/// The steady state: valid trees, no resource busy for longer than the unit of time, the throughput for every
/// reduction.
#[track_caller]
fn check_steady_state(case: &Case, solution: &Solution) {
    let targets = case.collective.reductions();
    let mut busy: BTreeMap<Resource, Rational> = BTreeMap::new();
    let mut served = vec![Rational::zero(); targets.len()];
    let mut last = 0;
    for weighted in &solution.steady_state.patterns {
        let tree = &weighted.pattern;
        assert!(weighted.weight > Rational::zero() && tree.demand >= last && tree.order.is_none());
        last = tree.demand;
        check_tree(case, &tree.tasks, targets[tree.demand]);
        served[tree.demand] += &weighted.weight;
        for &task in &tree.tasks {
            let (resources, time) = case.load(task);
            for resource in resources {
                *busy.entry(resource).or_default() += &time * &weighted.weight
            }
        }
    }
    assert!(
        busy.values().all(|time| *time <= Rational::one()),
        "{case:?}: {busy:?}"
    );
    assert!(
        served
            .iter()
            .all(|sum| *sum == solution.steady_state.throughput),
        "{case:?}: {served:?}"
    );
}

/// The price of the cheapest tree, naively: partial results by ascending length, each spread by Bellman and Ford.
fn cheapest(case: &Case, prices: &BTreeMap<Resource, Rational>, target: NodeId) -> Rational {
    let price = |task: Task| {
        let (resources, time) = case.load(task);
        resources
            .iter()
            .filter_map(|resource| prices.get(resource))
            .sum::<Rational>()
            * time
    };
    let mut best: BTreeMap<(Interval, NodeId), Rational> = BTreeMap::new();
    let operands = case.operands();
    for length in 0..operands.len() {
        for (first, &owner) in operands.iter().enumerate().take(operands.len() - length) {
            let part = Interval {
                first,
                last: first + length,
            };
            if length == 0 {
                best.insert((part, owner), Rational::zero());
            }
            for node in case.platform.processors() {
                for split in part.first..part.last {
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
                    let (Some(a), Some(b)) = (best.get(&(left, node)), best.get(&(right, node)))
                    else {
                        continue;
                    };
                    let total = a + b + price(Task::merge(node, part, split));
                    if best.get(&(part, node)).is_none_or(|known| total < *known) {
                        best.insert((part, node), total);
                    }
                }
            }
            for _ in case.platform.nodes() {
                for link in case.platform.link_ids() {
                    let ends = case.platform.link(link);
                    let Some(start) = best.get(&(part, ends.from)) else {
                        continue;
                    };
                    let total = start + price(Task::send(link, part));
                    if best
                        .get(&(part, ends.to))
                        .is_none_or(|known| total < *known)
                    {
                        best.insert((part, ends.to), total);
                    }
                }
            }
        }
    }
    best[&(
        Interval {
            first: 0,
            last: operands.len() - 1,
        },
        target,
    )]
        .clone()
}

/// The certificate: no schedule is faster than `sum of prices / price of the cheapest trees`, and that is the
/// throughput.
#[track_caller]
fn check_certificate(case: &Case, solution: &Solution) {
    let prices: BTreeMap<Resource, Rational> = solution
        .certificate
        .prices()
        .map(|(one, price)| (one, price.clone()))
        .collect();
    assert!(
        prices.values().all(|price| *price > Rational::zero()),
        "{case:?}: {prices:?}"
    );
    assert!(
        solution
            .certificate
            .rows
            .windows(2)
            .all(|pair| pair[0].0 < pair[1].0),
        "{case:?}: {prices:?}"
    );
    let needed: Rational = case
        .collective
        .reductions()
        .iter()
        .map(|&target| cheapest(case, &prices, target))
        .sum();
    let bound = prices.values().sum::<Rational>() / needed;
    assert_eq!(
        bound, solution.steady_state.throughput,
        "{case:?}: {prices:?}"
    );
    assert_eq!(bound, solution.upper_bound);
}

#[track_caller]
fn check(case: &Case) -> Rational {
    let solution = case.solve(Formulation::Compact);
    check_steady_state(case, &solution);
    check_certificate(case, &solution);
    let throughput = solution.steady_state.throughput;
    assert_eq!(
        case.solve(Formulation::Columns).steady_state.throughput,
        throughput,
        "{case:?}: trees disagree"
    );
    throughput
}

/// The platform of figure 6: three nodes, all linked at one cost. Node 0 computes twice as fast and is the target.
fn figure_6(cost: Rational, work: Rational) -> Case {
    let mut builder = Platform::builder();
    let computes = [ratio(1, 2), Rational::one(), Rational::one()];
    let ids = computes.into_iter().enumerate();
    let ids: Vec<_> = ids
        .map(|(i, time)| {
            builder
                .node(Node::processor(format!("P{i}"), time))
                .unwrap()
        })
        .collect();
    for &from in &ids {
        for &to in ids.iter().filter(|&&to| to != from) {
            builder.link(from, to, cost.clone()).unwrap();
        }
    }
    Case {
        platform: builder.build().unwrap(),
        collective: Collective::reduce(ids[0], ids).in_order(),
        volumes: Volumes {
            size: Amount::Constant(Rational::one()),
            work: Amount::Constant(work),
        },
    }
}

/// The platform of figure 6 with equally slow nodes.
fn equal_speeds(time: Rational) -> Case {
    let mut case = figure_6(Rational::one(), Rational::one());
    let mut builder = Platform::builder();
    for node in case.platform.nodes() {
        builder
            .node(Node {
                compute: Some(time.clone()),
                ..node.clone()
            })
            .unwrap();
    }
    for link in case.platform.links() {
        builder.link(link.from, link.to, link.cost.clone()).unwrap();
    }
    case.platform = builder.build().unwrap();
    case
}

#[test]
fn figure_6_sustains_one_reduction() {
    assert_eq!(
        check(&figure_6(Rational::one(), Rational::one())),
        Rational::one()
    );
}

/// The printed program gives 1 here: the result goes to and fro between the target and a neighbour.
#[test]
fn slow_processors_cannot_be_circumvented() {
    assert_eq!(check(&equal_speeds(ratio(10, 1))), ratio(3, 20));
}

/// Links four times as fast: processors are the bottleneck, and vertices with circulations appear (notes on lemma 2).
#[test]
fn quick_links_leave_the_processors() {
    assert_eq!(check(&figure_6(ratio(1, 4), Rational::one())), ratio(2, 1));
}

/// Every reduction merges twice: three targets, 3 merges per unit of time with processors of equal speed.
#[test]
fn reduce_scatter_shares_the_processors() {
    let mut case = equal_speeds(ratio(10, 1));
    let participants = case.operands().to_vec();
    case.collective = Collective::reduce_scatter(participants).in_order();
    assert_eq!(check(&case), ratio(3, 10) / ratio(6, 1));
}

/// Merges that take no time, and partial results that grow: a gather.
#[test]
fn concatenation_is_a_gather() {
    let mut case = figure_6(Rational::one(), Rational::zero());
    case.volumes.size = Amount::Affine {
        fixed: Rational::zero(),
        per_operand: Rational::one(),
    };
    assert_eq!(check(&case), ratio(1, 2));
}

/// Links `(from, to, numerator, denominator)`, speeds, participants, target, kind, size, work.
fn cases() -> impl Strategy<Value = Case> {
    const NODES: usize = 5;
    let links = prop::collection::vec((0..NODES, 0..NODES, 1..=6i64, 1..=3i64), 0..=8);
    let order = Just((0..NODES).collect::<Vec<_>>()).prop_shuffle();
    let numbers = prop::collection::vec((1..=8i64, 1..=4i64), 64);
    let raw = (
        2..=NODES,
        2..=4usize,
        links,
        order,
        0..NODES,
        prop::bool::weighted(0.3),
        0..3usize,
        numbers,
    );
    raw.prop_map(
        |(nodes, operands, links, order, target, scatter, kind, numbers)| {
            let number =
                |position: usize| ratio(numbers[position % 64].0, numbers[position % 64].1);
            let members: Vec<NodeId> = order
                .into_iter()
                .filter(|&i| i < nodes)
                .take(operands)
                .map(NodeId::new)
                .collect();
            let target = NodeId::new(target % nodes);
            let mut builder = Platform::builder();
            for i in 0..nodes {
                let needed = members.contains(&NodeId::new(i)) || target.index() == i;
                let name = format!("n{i}");
                let router = !needed && i % 2 == 0;
                builder
                    .node(if router {
                        Node::router(name)
                    } else {
                        Node::processor(name, number(i))
                    })
                    .unwrap();
            }
            let ring = (0..nodes).map(|i| (i, (i + 1) % nodes, 1 + i as i64 % 2, 1));
            for (from, to, p, q) in links
                .into_iter()
                .chain(ring)
                .filter(|link| link.0 < nodes && link.1 < nodes)
            {
                // A loop or a second link is refused, as intended.
                let _ = builder.link(NodeId::new(from), NodeId::new(to), ratio(p, q));
            }
            let table = |from: usize| {
                let n = members.len();
                Amount::Table(
                    (0..n)
                        .map(|k| (k..n).map(|m| number(from + 5 * k + m)).collect())
                        .collect(),
                )
            };
            let (size, work) = match kind {
                0 => (Amount::Constant(number(10)), Amount::Constant(number(11))),
                1 => (
                    Amount::Affine {
                        fixed: number(12),
                        per_operand: number(13),
                    },
                    Amount::Constant(Rational::zero()),
                ),
                _ => (table(20), table(40)),
            };
            let collective = if scatter {
                Collective::reduce_scatter(members).in_order()
            } else {
                Collective::reduce(target, members).in_order()
            };
            Case {
                platform: builder.build().unwrap(),
                collective,
                volumes: Volumes { size, work },
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_optimum_is_attained_and_proved(case in cases()) {
        check(&case);
    }
}
