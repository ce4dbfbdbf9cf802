//! On small problems: the program over all reduction trees has the throughput of the rates.

use std::collections::BTreeMap;

use num_traits::{One, Zero};
use oneport_exact::{LinearProgram, Options, Outcome, Relation, Sense, Solver};
use oneport_extract::trees::{Reduction, Trees, extract};
use oneport_plan::{TaskRates, Value};
use oneport_platform::{LinkId, Node, NodeId, Platform, Rational};
use oneport_testkit::ratio;
use oneport_watch::Watch;
use proptest::prelude::*;

/// A task as the rates name it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Send(LinkId, Value),
    Merge(NodeId, Value, Value),
}

/// Three nodes, all linked, with the given owners and target of the operands.
struct Case {
    platform: Platform,
    owners: Vec<NodeId>,
    target: NodeId,
    commutative: bool,
}

impl Case {
    fn new(owners: &[usize], target: usize, commutative: bool) -> Case {
        let mut builder = Platform::builder();
        for node in 0..3 {
            builder
                .node(Node::processor(format!("P{node}"), Rational::one()))
                .unwrap();
        }
        for (from, to) in [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)] {
            builder
                .link(NodeId::new(from), NodeId::new(to), Rational::one())
                .unwrap();
        }
        let owners = owners.iter().map(|&node| NodeId::new(node)).collect();
        Case {
            platform: builder.build().unwrap(),
            owners,
            target: NodeId::new(target),
            commutative,
        }
    }

    /// All schemes that bring a value to a node: tasks, each once.
    fn ways(&self, operands: &[usize], node: NodeId) -> Vec<Vec<Key>> {
        let value = Value::of(operands.iter().copied());
        let mut all = Vec::new();
        for start in self.platform.node_ids() {
            let made = self.made(operands, start);
            for path in self.paths(start, node) {
                let sends: Vec<Key> = path
                    .iter()
                    .map(|&link| Key::Send(link, value.clone()))
                    .collect();
                all.extend(made.iter().map(|tasks| [&tasks[..], &sends[..]].concat()));
            }
        }
        all
    }

    /// All schemes that make a value at a node, or own it there.
    fn made(&self, operands: &[usize], node: NodeId) -> Vec<Vec<Key>> {
        if let [operand] = operands {
            return if self.owners[*operand] == node {
                vec![Vec::new()]
            } else {
                Vec::new()
            };
        }
        let mut all = Vec::new();
        for set in 0..1usize << operands.len() {
            let part = |inside: bool| -> Vec<usize> {
                let chosen = (0..operands.len()).filter(|index| (set >> index & 1 == 1) == inside);
                chosen.map(|index| operands[index]).collect()
            };
            let (left, right) = (part(true), part(false));
            if left.is_empty() || right.is_empty() || left[0] > right[0] {
                continue;
            }
            let consecutive = |part: &[usize]| part.last().unwrap() - part[0] + 1 == part.len();
            if !(self.commutative || consecutive(&left) && consecutive(&right)) {
                continue;
            }
            let merge = Key::Merge(
                node,
                Value::of(left.iter().copied()),
                Value::of(right.iter().copied()),
            );
            for one in self.ways(&left, node) {
                for other in self.ways(&right, node) {
                    all.push([&one[..], &other[..], std::slice::from_ref(&merge)].concat());
                }
            }
        }
        all
    }

    /// Simple paths.
    fn paths(&self, from: NodeId, to: NodeId) -> Vec<Vec<LinkId>> {
        if from == to {
            return vec![Vec::new()];
        }
        let third = self
            .platform
            .node_ids()
            .find(|node| ![from, to].contains(node))
            .unwrap();
        let link = |from, to| self.platform.link_between(from, to).unwrap();
        vec![
            vec![link(from, to)],
            vec![link(from, third), link(third, to)],
        ]
    }

    fn extract(&self, throughput: &Rational, rates: &TaskRates) -> Trees {
        let (platform, owners, target) = (&self.platform, &self.owners[..], self.target);
        let reduction = Reduction {
            platform,
            owners,
            target,
            commutative: self.commutative,
        };
        extract(&reduction, throughput, rates, &Watch::unlimited()).unwrap()
    }
}

fn add(rates: &mut BTreeMap<Key, Rational>, tasks: &[Key], weight: &Rational) {
    for task in tasks {
        *rates.entry(task.clone()).or_default() += weight;
    }
}

fn task_rates(rates: &BTreeMap<Key, Rational>) -> TaskRates {
    let mut found = TaskRates::default();
    for (key, rate) in rates {
        match key.clone() {
            Key::Send(link, value) => found.sends.insert((link, value), rate.clone()),
            Key::Merge(node, left, right) => found.merges.insert((node, left, right), rate.clone()),
        };
    }
    found
}

/// The most that all trees together make of the rates.
fn most(trees: &[Vec<Key>], rates: &BTreeMap<Key, Rational>) -> Rational {
    let mut program = LinearProgram::new(Sense::Maximize);
    let rows: BTreeMap<&Key, _> = rates
        .iter()
        .map(|(key, rate)| (key, program.add_row(Relation::AtMost, rate.clone())))
        .collect();
    for tree in trees {
        let entries: Option<Vec<_>> = tree
            .iter()
            .map(|task| Some((*rows.get(task)?, Rational::one())))
            .collect();
        if let Some(entries) = entries {
            program.add_column(Rational::one(), entries).unwrap();
        }
    }
    let Outcome::Optimal(optimum) = Solver::new(program).solve(&Options::default()).unwrap() else {
        panic!("bounded")
    };
    optimum.objective
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Sums of some of all trees, with a circulation. Owners may own several operands, the target some or all.
    #[test]
    fn all_trees_make_no_more(
        owners in prop::collection::vec(0..3usize, 1..=3),
        target in 0..3usize,
        commutative in any::<bool>(),
        chosen in prop::collection::vec((any::<prop::sample::Index>(), 1..7i64), 1..5),
        around in 0..4i64,
    ) {
        let case = Case::new(&owners, target, commutative);
        prop_assume!(owners != [target]);
        let operands: Vec<usize> = (0..owners.len()).collect();
        let trees = case.ways(&operands, case.target);
        let (mut rates, mut throughput) = (BTreeMap::new(), Rational::zero());
        for (index, weight) in chosen {
            let weight = ratio(weight, 4);
            add(&mut rates, &trees[index.index(trees.len())], &weight);
            throughput += weight;
        }
        let value = Value::of(operands.iter().copied());
        if around > 0 {
            let there = case.paths(NodeId::new(0), NodeId::new(1))[0][0];
            let back = case.paths(NodeId::new(1), NodeId::new(0))[0][0];
            let cycle = [there, back].map(|link| Key::Send(link, value.clone()));
            add(&mut rates, &cycle, &ratio(around, 3));
        }
        let found = case.extract(&throughput, &task_rates(&rates));
        let total: Rational = found.trees.iter().map(|(weight, _)| weight).sum();
        prop_assert_eq!(&total, &throughput);
        // With the circulation there may be more: its links could carry operands.
        for ((link, value), rate) in &found.left_over {
            *rates.get_mut(&Key::Send(*link, value.clone())).unwrap() -= rate;
        }
        prop_assert_eq!(most(&trees, &rates), throughput);
        prop_assert!(found.trees.len() <= rates.len());
    }
}

/// One operand away from the target: the tree is a path.
#[test]
fn a_single_operand_travels() {
    let case = Case::new(&[1], 0, false);
    let link = case.paths(NodeId::new(1), NodeId::new(0))[0][0];
    let rates = BTreeMap::from([(Key::Send(link, Value::single(0)), Rational::one())]);
    let found = case.extract(&Rational::one(), &task_rates(&rates));
    assert_eq!(found.trees.len(), 1);
    assert_eq!(found.trees[0].1.links().collect::<Vec<_>>(), [link]);
}
