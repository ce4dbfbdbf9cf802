//! Lemma 2 of RR-4872 as a property: rates of tasks are a weighted sum of reduction trees and a circulation.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::{One, Zero};
use oneport_extract::ExtractError;
use oneport_extract::trees::{Reduction, cancel_circulations, extract};
use oneport_plan::{Interval, Pattern, Task, TaskRates, Value};
use oneport_platform::{Link, LinkId, Node, NodeId, Platform, Rational, whole};
use oneport_watch::Watch;
use proptest::prelude::*;

use crate::rank::rank;

fn part(first: usize, last: usize) -> Interval {
    Interval { first, last }
}

fn node(index: usize) -> NodeId {
    NodeId::new(index)
}

/// Every cost is 1. The nodes from `processors` on are routers.
fn platform(
    processors: usize,
    nodes: usize,
    links: impl IntoIterator<Item = (usize, usize)>,
) -> Platform {
    let mut builder = Platform::builder();
    for i in 0..nodes {
        let name = format!("P{i}");
        builder
            .node(if i < processors {
                Node::processor(name, Rational::one())
            } else {
                Node::router(name)
            })
            .unwrap();
    }
    for (from, to) in links {
        // A loop or a second link is refused, as intended.
        let _ = builder.link(node(from), node(to), Rational::one());
    }
    builder.build().unwrap()
}

fn complete(nodes: usize) -> Platform {
    platform(
        nodes,
        nodes,
        (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to))),
    )
}

/// A problem with rates.
#[derive(Debug, Clone)]
struct Case {
    platform: Platform,
    participants: Vec<NodeId>,
    target: NodeId,
    throughput: Rational,
    rates: TaskRates,
}

impl Case {
    fn extract(&self) -> Result<Vec<(Rational, Pattern)>, ExtractError> {
        let (platform, owners, target) = (&self.platform, &self.participants[..], self.target);
        let reduction = Reduction {
            platform,
            owners,
            target,
            commutative: false,
        };
        let found = extract(
            &reduction,
            &self.throughput,
            &self.rates,
            &Watch::unlimited(),
        )?;
        let mut rates = self.rates.clone();
        assert_eq!(found.left_over, cancel_circulations(platform, &mut rates));
        Ok(found.trees)
    }

    fn result(&self) -> Interval {
        part(0, self.participants.len() - 1)
    }

    fn link(&self, from: usize, to: usize) -> LinkId {
        self.platform.link_between(node(from), node(to)).unwrap()
    }

    fn send(&mut self, from: usize, to: usize, value: Interval, rate: i64) {
        let link = self.link(from, to);
        self.rates.add(Task::send(link, value), &whole(rate));
    }

    fn merge(&mut self, at: usize, value: Interval, split: usize, rate: i64) {
        self.rates
            .add(Task::merge(node(at), value, split), &whole(rate));
    }

    fn without_rates(
        platform: Platform,
        participants: &[usize],
        target: usize,
        throughput: i64,
    ) -> Case {
        Case {
            platform,
            participants: participants.iter().copied().map(node).collect(),
            target: node(target),
            throughput: whole(throughput),
            rates: TaskRates::default(),
        }
    }
}

fn add(rates: &mut TaskRates, tasks: &[Task], weight: &Rational) {
    for &task in tasks {
        rates.add(task, weight);
    }
}

/// `sum w(T) chi_T`.
fn sum(trees: &[(Rational, Pattern)]) -> TaskRates {
    let mut rates = TaskRates::default();
    for (weight, tree) in trees {
        add(&mut rates, &tree.tasks, weight);
    }
    rates
}

fn positive(mut rates: TaskRates) -> TaskRates {
    rates.sends.retain(|_, rate| !rate.is_zero());
    rates.merges.retain(|_, rate| !rate.is_zero());
    rates
}

/// Executes the tasks in their order, and panics if an input is not at its task, a value is made or used twice, goes
/// through a node twice, or anything except the result at the target remains.
#[track_caller]
fn check_tree(case: &Case, tree: &Pattern) {
    assert_eq!((tree.demand, &tree.order), (0, &None));
    let leaves = case.participants.iter().enumerate();
    let mut at: BTreeMap<Interval, NodeId> =
        leaves.map(|(k, &owner)| (part(k, k), owner)).collect();
    let mut visited: BTreeSet<(Interval, NodeId)> =
        at.iter().map(|(&value, &owner)| (value, owner)).collect();
    for &task in &tree.tasks {
        let (value, arrives) = match task {
            Task::Send { link, part, .. } => {
                let ends = case.platform.link(link);
                assert_eq!(at.get(&part), Some(&ends.from), "{task:?}");
                (part, ends.to)
            }
            Task::Merge {
                node,
                part: value,
                split,
                ..
            } => {
                assert!(case.platform.node(node).is_processor(), "{task:?}");
                for input in [part(value.first, split), part(split + 1, value.last)] {
                    assert_eq!(at.remove(&input), Some(node), "{task:?}");
                }
                (value, node)
            }
        };
        at.insert(value, arrives);
        assert!(visited.insert((value, arrives)), "{task:?} comes back");
    }
    assert_eq!(
        at,
        BTreeMap::from([(case.result(), case.target)]),
        "left over"
    );
}

/// The tasks that make `value`, in canonical order, written down by recursion.
fn canonical(
    platform: &Platform,
    tasks: &[Task],
    value: Interval,
    from: Option<NodeId>,
) -> Vec<Task> {
    let merge = tasks
        .iter()
        .find(|task| matches!(task, Task::Merge { part, .. } if *part == value));
    let (mut all, mut at) = (Vec::new(), from);
    if let Some(&Task::Merge { node, split, .. }) = merge {
        let inputs = [part(value.first, split), part(split + 1, value.last)];
        for input in inputs {
            all.extend(canonical(platform, tasks, input, None));
        }
        all.push(*merge.unwrap());
        at = Some(node);
    }
    let hops = tasks
        .iter()
        .filter(|task| matches!(task, Task::Send { part, .. } if *part == value));
    let mut hops: Vec<(&Link, Task)> = hops
        .map(|task| match task {
            Task::Send { link, .. } => (platform.link(*link), *task),
            Task::Merge { .. } => unreachable!(),
        })
        .collect();
    // A value that no task makes starts at the node at which no transfer of it ends.
    let start = hops
        .iter()
        .map(|(hop, _)| hop.from)
        .find(|&start| hops.iter().all(|(hop, _)| hop.to != start));
    let mut at = at.or(start);
    while let Some(index) = hops.iter().position(|(hop, _)| Some(hop.from) == at) {
        let (hop, task) = hops.remove(index);
        all.push(task);
        at = Some(hop.to);
    }
    all
}

/// Messages of each type gained by each node, by sends alone.
fn gains(
    platform: &Platform,
    sends: &BTreeMap<(LinkId, Value), Rational>,
) -> BTreeMap<(Value, NodeId), Rational> {
    let mut gains: BTreeMap<_, Rational> = BTreeMap::new();
    for ((link, value), rate) in sends {
        *gains
            .entry((value.clone(), platform.link(*link).from))
            .or_default() -= rate;
        *gains
            .entry((value.clone(), platform.link(*link).to))
            .or_default() += rate;
    }
    gains.retain(|_, gain| !gain.is_zero());
    gains
}

/// Whether the sends of some type contain a directed cycle: naively, by removing nodes without incoming sends.
fn has_cycle(platform: &Platform, sends: &BTreeMap<(LinkId, Value), Rational>) -> bool {
    let types: BTreeSet<&Value> = sends.keys().map(|(_, value)| value).collect();
    types.into_iter().any(|value| {
        let of_type = sends
            .iter()
            .filter(|((_, other), rate)| other == value && !rate.is_zero());
        let mut arcs: Vec<&Link> = of_type.map(|((link, _), _)| platform.link(*link)).collect();
        loop {
            let before = arcs.len();
            let entered: BTreeSet<NodeId> = arcs.iter().map(|arc| arc.to).collect();
            arcs.retain(|arc| entered.contains(&arc.from));
            if arcs.len() == before {
                return before > 0;
            }
        }
    })
}

/// Equations (10) over the tasks that occur, except for the result at the target.
fn balances(case: &Case, rates: &TaskRates) -> Vec<Vec<Rational>> {
    let tasks = rates.sends.len() + rates.merges.len();
    let mut rows: BTreeMap<(Value, NodeId), Vec<Rational>> = BTreeMap::new();
    let mut count = |value: &Value, at: NodeId, task: usize, sign: i64| {
        let owned = value
            .alone()
            .is_some_and(|operand| case.participants[operand] == at);
        if !owned && (at != case.target || *value != Value::from(case.result())) {
            let row = rows
                .entry((value.clone(), at))
                .or_insert_with(|| vec![Rational::zero(); tasks]);
            row[task] += whole(sign);
        }
    };
    for (task, (link, value)) in rates.sends.keys().enumerate() {
        count(value, case.platform.link(*link).from, task, -1);
        count(value, case.platform.link(*link).to, task, 1);
    }
    for (task, (at, left, right)) in rates.merges.keys().enumerate() {
        let task = rates.sends.len() + task;
        count(left, *at, task, -1);
        count(right, *at, task, -1);
        count(&left.join(right).unwrap(), *at, task, 1);
    }
    rows.into_values().collect()
}

/// Everything that extraction promises, about rates that are a sum of trees and a circulation.
#[track_caller]
fn check_extraction(case: &Case) {
    let original = positive(case.rates.clone());
    let mut cancelled = case.rates.clone();
    let removed = cancel_circulations(&case.platform, &mut cancelled);
    assert!(!has_cycle(&case.platform, &cancelled.sends));
    assert_eq!(
        gains(&case.platform, &removed),
        BTreeMap::new(),
        "what is removed is a circulation"
    );
    assert!(removed.values().all(|rate| *rate > Rational::zero()));
    let mut restored = cancelled.clone();
    for (key, rate) in &removed {
        *restored.sends.entry(key.clone()).or_default() += rate;
    }
    assert_eq!(positive(restored), original, "nothing else is removed");
    let trees = case.extract().unwrap();
    let cancelled = positive(cancelled);
    assert_eq!(sum(&trees), cancelled, "lemma 2");
    let total: Rational = trees.iter().map(|(weight, _)| weight).sum();
    assert_eq!(total, case.throughput);
    assert!(trees.iter().all(|(weight, _)| *weight > Rational::zero()));
    assert!(
        trees.windows(2).all(|pair| pair[0].0 >= pair[1].0),
        "widest first"
    );
    let tasks = cancelled.sends.len() + cancelled.merges.len();
    assert!(
        trees.len() <= tasks - rank(balances(case, &cancelled)),
        "the lemma"
    );
    for (_, tree) in &trees {
        check_tree(case, tree);
        assert_eq!(
            tree.tasks,
            canonical(&case.platform, &tree.tasks, case.result(), None)
        );
    }
    // Cancelled rates give the same trees.
    assert_eq!(
        Case {
            rates: cancelled,
            ..case.clone()
        }
        .extract()
        .unwrap(),
        trees
    );
}

/// Decisions read off a list of random numbers.
struct Tape<'a> {
    numbers: &'a [u32],
    at: usize,
}

impl Tape<'_> {
    fn below(&mut self, limit: usize) -> usize {
        self.at += 1;
        self.numbers[self.at % self.numbers.len()] as usize % limit
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// A random walk from one node to another, loops cut out: a simple path.
    fn path(&mut self, platform: &Platform, from: NodeId, to: NodeId) -> Vec<LinkId> {
        let mut path: Vec<LinkId> = Vec::new();
        let mut at = from;
        while at != to {
            let link = self.pick(platform.outgoing(at));
            at = platform.link(link).to;
            match path
                .iter()
                .position(|&earlier| platform.link(earlier).from == at)
            {
                Some(index) => path.truncate(index),
                None => path.push(link),
            }
        }
        path
    }

    /// Random tasks that bring `value` to `to`.
    fn tasks(&mut self, case: &Case, value: Interval, to: NodeId, tasks: &mut Vec<Task>) {
        let processors: Vec<NodeId> = case.platform.processors().collect();
        let made_at = if value.first == value.last {
            case.participants[value.first]
        } else {
            let (node, split) = (
                self.pick(&processors),
                value.first + self.below(value.last - value.first),
            );
            self.tasks(case, part(value.first, split), node, tasks);
            self.tasks(case, part(split + 1, value.last), node, tasks);
            tasks.push(Task::merge(node, value, split));
            node
        };
        let path = self.path(&case.platform, made_at, to);
        tasks.extend(path.into_iter().map(|link| Task::send(link, value)));
    }

    /// A simple directed cycle.
    fn cycle(&mut self, platform: &Platform) -> Vec<LinkId> {
        let first = self.pick(&platform.link_ids().collect::<Vec<_>>());
        let ends = platform.link(first).clone();
        let mut cycle = vec![first];
        cycle.extend(self.path(platform, ends.to, ends.from));
        cycle
    }
}

/// Random weighted trees with random circulations of values. Strongly connected platforms with routers.
fn cases() -> impl Strategy<Value = (Case, usize, usize)> {
    let links = prop::collection::vec((0..7usize, 0..7usize), 0..=12);
    let tape = prop::collection::vec(any::<u32>(), 400);
    let raw = (
        2..=5usize,
        0..=2usize,
        links,
        2..=5usize,
        0..=4usize,
        0..=3usize,
        prop_oneof![Just(2), Just(60)],
        tape,
    );
    raw.prop_map(
        |(processors, routers, links, operands, trees, cycles, heaviest, numbers)| {
            let nodes = processors + routers;
            let ring = (0..nodes).map(|i| (i, (i + 1) % nodes));
            let links: Vec<_> = links
                .into_iter()
                .filter(|&(from, to)| from < nodes && to < nodes)
                .chain(ring)
                .collect();
            let mut tape = Tape {
                numbers: &numbers,
                at: 0,
            };
            let mut order: Vec<usize> = (0..processors).collect();
            for i in 1..processors {
                order.swap(i, tape.below(i + 1));
            }
            order.truncate(operands.max(2));
            let target = tape.below(processors);
            let mut case =
                Case::without_rates(platform(processors, nodes, links), &order, target, 0);
            let heaviest: usize = heaviest;
            for _ in 0..trees {
                let weight = whole(1 + tape.below(heaviest) as i64);
                let mut tasks = Vec::new();
                tape.tasks(&case, case.result(), case.target, &mut tasks);
                add(&mut case.rates, &tasks, &weight);
                case.throughput += weight;
            }
            for _ in 0..cycles {
                // Through the owner, through the target, or through other nodes.
                let first = tape.below(order.len());
                let last = first + tape.below(order.len() - first);
                let value = if tape.below(3) == 0 {
                    case.result()
                } else {
                    part(first, last)
                };
                let cycle = tape.cycle(&case.platform);
                let tasks: Vec<Task> = cycle
                    .into_iter()
                    .map(|link| Task::send(link, value))
                    .collect();
                add(
                    &mut case.rates,
                    &tasks,
                    &whole(1 + tape.below(heaviest) as i64),
                );
            }
            (case, trees, cycles)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_sum_of_trees_and_circulations_is_extracted_exactly((case, _, _) in cases()) {
        check_extraction(&case);
    }

    /// Without circulations nothing is removed, so the extracted sum is the initial one. A single tree is extracted
    /// unchanged.
    #[test]
    fn nothing_is_cancelled_where_nothing_goes_round((case, trees, cycles) in cases()) {
        let mut rates = positive(case.rates.clone());
        let goes_round = has_cycle(&case.platform, &rates.sends);
        prop_assert!(goes_round || cycles == 0);
        prop_assert_eq!(cancel_circulations(&case.platform, &mut rates).is_empty(), !goes_round);
        if !goes_round {
            let extracted = case.extract().unwrap();
            prop_assert_eq!(sum(&extracted), positive(case.rates));
            prop_assert!(trees > 1 || extracted.len() == trees);
        }
    }

    /// Any single wrong rate is noticed, and so is a wrong throughput.
    #[test]
    fn a_wrong_rate_is_refused((case, _, _) in cases(), position in any::<prop::sample::Index>(), more in any::<bool>()) {
        let mut wrong = case.clone();
        let off = if more { Rational::one() } else { -Rational::one() };
        let TaskRates { sends, merges } = &mut wrong.rates;
        let mut all: Vec<&mut Rational> = sends.values_mut().chain(merges.values_mut()).chain([&mut wrong.throughput]).collect();
        let position = position.index(all.len());
        *all[position] += &off;
        let error = wrong.extract().unwrap_err();
        let balance = matches!(
            error,
            ExtractError::Unbalanced { .. } | ExtractError::WrongThroughput { .. } | ExtractError::Negative { .. }
        );
        prop_assert!(balance, "{}", error);
    }
}

/// Figure 6(b) of RR-4872.
fn figure_6() -> Case {
    let mut case = Case::without_rates(complete(3), &[0, 1, 2], 0, 3);
    case.send(1, 2, part(1, 1), 2);
    case.send(2, 1, part(2, 2), 1);
    case.send(1, 0, part(1, 2), 1);
    case.send(2, 0, part(1, 2), 2);
    case.merge(1, part(1, 2), 1, 1);
    case.merge(2, part(1, 2), 1, 2);
    case.merge(0, part(0, 2), 0, 3);
    case
}

/// The platform of figure 6 with all costs 1/4: an optimal vertex (`TP = 2`) that sends `v[1,2]` in circles.
fn circling_vertex() -> Case {
    let mut case = Case::without_rates(complete(3), &[0, 1, 2], 0, 2);
    case.send(2, 1, part(2, 2), 1);
    case.send(1, 2, part(1, 1), 1);
    case.merge(1, part(1, 2), 1, 1);
    case.merge(2, part(1, 2), 1, 1);
    case.merge(0, part(0, 2), 0, 2);
    case.send(1, 0, part(1, 2), 3);
    case.send(2, 0, part(1, 2), 1);
    case.send(0, 1, part(1, 2), 2);
    case
}

#[test]
fn figure_6_has_the_two_trees_of_figure_7() {
    let case = figure_6();
    check_extraction(&case);
    let merge = |at, value, split| Task::merge(node(at), value, split);
    let send = |from, to, value| Task::send(case.link(from, to), value);
    let through = |worker: usize, other: usize, leaf: Interval| {
        vec![
            send(other, worker, leaf),
            merge(worker, part(1, 2), 1),
            send(worker, 0, part(1, 2)),
            merge(0, part(0, 2), 0),
        ]
    };
    let tree = |tasks| Pattern::tree(0, None, tasks);
    let expected = [
        (whole(2), tree(through(2, 1, part(1, 1)))),
        (whole(1), tree(through(1, 2, part(2, 2)))),
    ];
    assert_eq!(case.extract().unwrap(), expected);
}

/// The links of figure 6 that figure 6(b) uses, all work at 2: four tasks, one tree, nothing to cancel.
#[test]
fn figure_6_on_four_links_has_a_single_tree() {
    let links = [(1, 0), (2, 0), (1, 2), (2, 1)];
    let mut case = Case::without_rates(platform(3, 3, links), &[0, 1, 2], 0, 1);
    case.send(1, 2, part(1, 1), 1);
    case.merge(2, part(1, 2), 1, 1);
    case.send(2, 0, part(1, 2), 1);
    case.merge(0, part(0, 2), 0, 1);
    check_extraction(&case);
    assert_eq!(case.extract().unwrap().len(), 1);
    // Half of it through P1: two trees, and the lemma allows no more.
    case.throughput = whole(2);
    case.send(2, 1, part(2, 2), 1);
    case.merge(1, part(1, 2), 1, 1);
    case.send(1, 0, part(1, 2), 1);
    case.merge(0, part(0, 2), 0, 1);
    check_extraction(&case);
    assert_eq!(case.extract().unwrap().len(), 2);
}

/// The result of the printed algorithm.
#[derive(Debug, PartialEq)]
enum Printed {
    Trees {
        extracted: Vec<(Rational, Vec<Task>)>,
        left_over: TaskRates,
    },
    /// FIND_TREE took more steps than the number of tasks.
    GoesOn,
    Stuck,
}

/// FIND_TREE and EXTRACT_TREES as printed, with corrected line errors (deviation 2), without cancellation. Senders are
/// tried in order of node, or in reverse.
fn as_printed(case: &Case, reverse: bool) -> Printed {
    let mut rates = case.rates.clone();
    let (mut extracted, mut done) = (Vec::new(), Rational::zero());
    let limit = 10 * (rates.sends.len() + rates.merges.len());
    while done < case.throughput {
        let (mut inputs, mut tasks) = (vec![(case.result(), case.target)], Vec::new());
        let owned = |(value, at): (Interval, NodeId)| {
            value.first == value.last && case.participants[value.first] == at
        };
        while let Some(index) = inputs.iter().position(|&input| !owned(input)) {
            let (value, at) = inputs.remove(index);
            if tasks.len() > limit {
                return Printed::GoesOn;
            }
            let split = (value.first..value.last)
                .find(|&split| !rates.of_mut(Task::merge(at, value, split)).is_zero());
            if let Some(split) = split {
                inputs.extend([
                    (part(value.first, split), at),
                    (part(split + 1, value.last), at),
                ]);
                tasks.push(Task::merge(at, value, split));
                continue;
            }
            let mut senders = case.platform.incoming(at).to_vec();
            senders.sort_by_key(|&link| case.platform.link(link).from);
            if reverse {
                senders.reverse();
            }
            let sent = |link: &LinkId| !rates.of_mut(Task::send(*link, value)).is_zero();
            let Some(link) = senders.into_iter().find(sent) else {
                return Printed::Stuck;
            };
            inputs.push((value, case.platform.link(link).from));
            tasks.push(Task::send(link, value));
        }
        let weight = tasks
            .iter()
            .map(|&task| rates.of_mut(task).clone())
            .min()
            .unwrap();
        for &task in &tasks {
            *rates.of_mut(task) -= &weight;
        }
        done += &weight;
        extracted.push((weight, tasks));
    }
    Printed::Trees {
        extracted,
        left_over: positive(rates),
    }
}

#[test]
fn the_printed_algorithm_agrees_where_nothing_goes_round() {
    let case = figure_6();
    for reverse in [false, true] {
        let Printed::Trees {
            extracted,
            left_over,
        } = as_printed(&case, reverse)
        else {
            panic!("two trees")
        };
        assert_eq!(left_over, TaskRates::default());
        let sorted = |trees: Vec<(Rational, Vec<Task>)>| -> BTreeSet<(Rational, BTreeSet<Task>)> {
            trees
                .into_iter()
                .map(|(weight, tasks)| (weight, tasks.into_iter().collect()))
                .collect()
        };
        let tasks = |tree: Pattern| tree.tasks.into_iter().map(Task::alone).collect();
        let ours = case
            .extract()
            .unwrap()
            .into_iter()
            .map(|(weight, tree)| (weight, tasks(tree)))
            .collect();
        assert_eq!(sorted(extracted), sorted(ours));
    }
}

#[test]
fn the_printed_algorithm_does_not_end_where_ours_does() {
    let case = circling_vertex();
    assert_eq!(as_printed(&case, false), Printed::GoesOn);
    check_extraction(&case);
    let mut rates = case.rates.clone();
    let circle = BTreeMap::from([
        ((case.link(0, 1), part(1, 2).into()), whole(2)),
        ((case.link(1, 0), part(1, 2).into()), whole(2)),
    ]);
    assert_eq!(cancel_circulations(&case.platform, &mut rates), circle);
    assert_eq!(case.extract().unwrap().len(), 2);
}

/// With lucky choices the printed algorithm ends, but its trees do not add up to its input (lemma 2).
#[test]
fn the_printed_algorithm_leaves_the_circulation_over() {
    let mut case = circling_vertex();
    let lucky = as_printed(&case, true);
    let Printed::Trees {
        extracted,
        left_over,
    } = lucky
    else {
        panic!("{lucky:?}")
    };
    assert_eq!(extracted.len(), 2);
    let removed = cancel_circulations(&case.platform, &mut case.rates);
    assert_eq!(
        left_over,
        TaskRates {
            sends: removed,
            merges: BTreeMap::new()
        }
    );
}

/// Returns to the owner and sends out of the target are circulations, too.
#[test]
fn useless_returns_are_dropped() {
    let mut case = figure_6();
    let useful = case.rates.clone();
    case.send(1, 2, part(1, 1), 5);
    case.send(2, 1, part(1, 1), 5);
    case.send(0, 2, part(0, 2), 7);
    case.send(2, 0, part(0, 2), 7);
    check_extraction(&case);
    cancel_circulations(&case.platform, &mut case.rates);
    assert_eq!(case.rates, useful);
}

/// The printed (11) counts receptions only: `v[0,2]` sent to and fro would be throughput without any merge.
#[test]
fn a_result_that_goes_to_and_fro_is_no_throughput() {
    let mut case = Case::without_rates(complete(3), &[0, 1, 2], 0, 1);
    case.send(0, 1, part(0, 2), 1);
    case.send(1, 0, part(0, 2), 1);
    let error = case.extract().unwrap_err();
    assert_eq!(
        error.to_string(),
        "'P0' gains 0 results v[0,2]; the throughput says 1"
    );
    case.throughput = Rational::zero();
    assert_eq!(case.extract(), Ok(Vec::new()));
}

#[test]
fn errors_name_the_task() {
    let refused = |change: &dyn Fn(&mut Case)| {
        let mut case = figure_6();
        change(&mut case);
        case.extract().unwrap_err().to_string()
    };
    let message = refused(&|case| case.participants.truncate(1));
    assert_eq!(
        message,
        "the target owns the only operand, so nothing has to be done; name another target"
    );
    let message = refused(&|case| case.participants.clear());
    assert_eq!(message, "0 operands; a reduction combines at least 1");
    let message = refused(&|case| case.target = node(3));
    assert_eq!(
        message,
        "node id 3 does not exist; the platform has 3 nodes, numbered from 0"
    );
    let message = refused(&|case| case.participants[1] = node(9));
    assert_eq!(
        message,
        "node id 9 does not exist; the platform has 3 nodes, numbered from 0"
    );
    let message = refused(&|case| case.merge(4, part(0, 1), 0, 1));
    assert_eq!(
        message,
        "node id 4 does not exist; the platform has 3 nodes, numbered from 0"
    );
    let message = refused(&|case| {
        drop(
            case.rates
                .sends
                .insert((LinkId::new(6), part(0, 1).into()), Rational::one()),
        )
    });
    assert_eq!(
        message,
        "link id 6 does not exist; the platform has 6 links, numbered from 0"
    );
    for value in [part(1, 3), part(2, 1), part(usize::MAX, usize::MAX)] {
        let message = refused(&|case| case.send(0, 1, value, 1));
        let task = format!(
            "send(P0 -> P1, {}): no such task among 3 operands;",
            Value::from(value)
        );
        assert!(message.starts_with(&task), "{message}");
    }
    for (value, split) in [
        (part(0, 1), 1),
        (part(1, 2), 3),
        (part(1, 1), 1),
        (part(0, usize::MAX), 0),
    ] {
        let message = refused(&|case| case.merge(0, value, split, 1));
        assert!(
            message.contains("no such task among 3 operands; v[k,m] has k <= m < 3"),
            "{message}"
        );
    }
    let message = refused(&|case| case.merge(0, part(0, 1), 0, -1));
    assert_eq!(message, "cons(P0, T[0,0,1]): rate -1; a rate is 0 or more");
    let message = refused(&|case| case.send(1, 0, part(1, 2), 1));
    assert_eq!(
        message,
        "v[1,2] at 'P0': 4 made or received, but 3 merged or sent; the two have to be equal"
    );
    let mut case = Case::without_rates(platform(2, 3, [(0, 2), (1, 2), (2, 0)]), &[0, 1], 0, 1);
    case.send(0, 2, part(0, 0), 1);
    case.send(1, 2, part(1, 1), 1);
    case.merge(2, part(0, 1), 0, 1);
    case.send(2, 0, part(0, 1), 1);
    let message = case.extract().unwrap_err().to_string();
    assert_eq!(
        message,
        "cons(P2, T[0,0,1]): 'P2' is a router; only processors merge"
    );
}

/// A value from a distant node and a long chain of merges: the code does not recurse, and its time is not quadratic in
/// the length.
#[test]
fn long_paths_and_deep_trees() {
    let nodes = 3000;
    let line = platform(nodes, nodes, (1..nodes).map(|i| (i, i - 1)));
    let participants: Vec<usize> = (0..nodes).collect();
    let mut case = Case::without_rates(line.clone(), &participants, 0, 4);
    for i in 0..nodes - 1 {
        case.send(i + 1, i, part(i + 1, nodes - 1), 4);
        case.merge(i, part(i, nodes - 1), i, 4);
    }
    let trees = case.extract().unwrap();
    assert_eq!(trees.len(), 1);
    check_tree(&case, &trees[0].1);
    let mut case = Case::without_rates(line, &[0, nodes - 1], 0, 4);
    for i in 1..nodes {
        case.send(i, i - 1, part(1, 1), 4);
    }
    case.merge(0, part(0, 1), 0, 4);
    check_extraction(&case);
}
