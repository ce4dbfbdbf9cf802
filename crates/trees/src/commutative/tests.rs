//! The methods against one another: exact methods agree, and bounds hold.

use num_bigint::BigUint;
use num_traits::{One, Zero};
use oneport_plan::{Amount, Task, Volumes};
use oneport_platform::generate::{Costs, Options, random_connected};
use oneport_platform::{NodeId, Platform, Rational, ratio, whole};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::Commutative;
use super::arborescences::Streams;
use super::merge_tree::Shape;
use super::methods::{Method, answers};
use super::near::Near;
use super::scaled::{Fixed, Priced};
use super::steiner;
use crate::cheapest::Prices;

/// A random platform of processors with random prices of `words` words. The first processors participate.
#[derive(Debug, Clone)]
struct Case {
    platform: Platform,
    participants: usize,
    volumes: Volumes,
    prices: Prices<BigUint>,
}

impl Case {
    fn priced(&self) -> Priced<BigUint> {
        let participants: Vec<NodeId> = self.platform.node_ids().take(self.participants).collect();
        let commutative = Commutative::new(&self.platform, &participants, &self.volumes);
        let (factors, _) = commutative.factors.as_ref().unwrap();
        commutative
            .priced(factors, &self.prices, &Rational::one())
            .with_paths(&self.platform)
    }

    fn targets(&self) -> Vec<NodeId> {
        self.platform.node_ids().collect()
    }
}

fn cases(
    participants: std::ops::RangeInclusive<usize>,
    helpers: std::ops::RangeInclusive<usize>,
    words: usize,
    constant: bool,
) -> impl Strategy<Value = Case> {
    let volumes =
        (1..=4i64, 0..=4i64, 0..=3i64, 0..=3i64).prop_map(move |(size, work, more, more_work)| {
            let amount = |fixed: i64, per_operand: i64| {
                if constant {
                    Amount::Constant(ratio(fixed, 1))
                } else {
                    Amount::Affine {
                        fixed: ratio(fixed - 1, 2),
                        per_operand: ratio(per_operand + 1, 3),
                    }
                }
            };
            Volumes {
                size: amount(size, more),
                work: amount(work + 1, more_work),
            }
        });
    (participants, helpers, any::<u64>(), 2..=3usize, volumes).prop_flat_map(
        move |(participants, helpers, seed, degree, volumes)| {
            let nodes = participants + helpers;
            let costs = Costs::Uniform { low: 1, high: 9 };
            let options = Options { seed, link_cost: costs.clone(), compute: costs };
            let platform = random_connected(nodes, degree.min(nodes - 1), &options).unwrap();
            let word = prop_oneof![1 => Just(0u32), 3 => any::<u32>()];
            let price = prop_oneof![
                1 => Just(BigUint::zero()),
                3 => prop::collection::vec(word, words).prop_map(|words| BigUint::from_slice(&words)),
            ];
            let prices = [(); 3].map(|()| prop::collection::vec(price.clone(), nodes));
            prices.prop_map(move |[send, receive, compute]| Case {
                platform: platform.clone(),
                participants,
                volumes: volumes.clone(),
                prices: Prices::of_ports(&platform, &send, &receive, compute),
            })
        },
    )
}

/// The dynamic program over sets, nothing rounded, nothing left out.
fn plain<N: Fixed>(priced: &Priced<N>, target: NodeId) -> N {
    let all = (1usize << priced.participants) - 1;
    let processors = 0..priced.processors.len();
    let mut held: Vec<Vec<N>> = vec![Vec::new()];
    for set in 1..=all {
        let count = set.count_ones() as usize;
        let made = |at: usize| {
            if count == 1 {
                return (set == 1 << at).then(N::zero);
            }
            let parts = (1..set).filter(|part| part & !set == 0);
            let price = |part: usize| held[part][at].plus(&held[set ^ part][at]);
            parts
                .map(price)
                .min()
                .map(|price| price.plus(&priced.merge(count, at).unwrap()))
        };
        let made: Vec<Option<N>> = processors.clone().map(made).collect();
        let bring = |to: NodeId| {
            let way = |at: usize| {
                Some(
                    made[at]
                        .as_ref()?
                        .plus(&priced.transfer(count, at, to).unwrap()),
                )
            };
            processors.clone().filter_map(way).min().unwrap()
        };
        if set == all {
            return bring(target);
        }
        held.push(priced.processors.iter().map(|&to| bring(to)).collect());
    }
    N::zero()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Rounding decides nothing: long prices, the table's unit far above their last digits.
    #[test]
    fn sets_are_exact(case in cases(2..=5, 0..=2, 8, false)) {
        let priced = case.priced();
        for (answer, target) in answers(&priced, Method::Sets, &case.targets(), 3).into_iter().zip(case.targets()) {
            let answer = answer.unwrap();
            prop_assert_eq!(&answer.bound, &plain(&priced, target));
            for (price, shape) in &answer.trees {
                prop_assert_eq!(Some(price.clone()), shape.price(&priced, target));
            }
        }
    }

    /// The theorem once more, on larger problems than can be solved naively.
    #[test]
    fn sets_and_streams_agree(case in cases(6..=8, 0..=3, 3, true)) {
        let priced = case.priced();
        let targets = case.targets();
        let sets = answers(&priced, Method::Sets, &targets, 1);
        for (one, two) in sets.into_iter().zip(answers(&priced, Method::Streams, &targets, 1)) {
            let (one, two) = (one.unwrap(), two.unwrap());
            prop_assert_eq!(&one.bound, &two.bound);
            prop_assert_eq!(&two.bound, &two.trees[0].0);
        }
    }

    /// The answers with and without the distances of all pairs are equal if no other processor helps. The tree's price
    /// is the stated one.
    #[test]
    fn near_and_streams_agree(case in cases(2..=24, 0..=3, 1, true), first in 2..=3usize) {
        let priced = case.priced();
        let streams = Streams::new(&priced, &priced.sizes[0], &priced.works[1]);
        let near = Near::of(&case.platform, &priced, first);
        prop_assert_eq!(near.is_some(), streams.helpers.is_empty());
        let Some(mut near) = near else { return Ok(()) };
        let targets = case.targets();
        for (answer, target) in answers(&priced, Method::Streams, &targets, 1).into_iter().zip(targets) {
            let (least, offer) = (answer.unwrap().bound, near.offer(target).unwrap());
            let [(price, tree)] = &offer.trees[..] else { panic!("one tree") };
            prop_assert_eq!((price, &offer.bound), (&least, &priced.amount(least.clone())));
            let mut sum = BigUint::zero();
            for task in &tree.tasks {
                match *task {
                    Task::Send { link, .. } => sum += &priced.links[link.index()] * &priced.sizes[0],
                    Task::Merge { node, .. } => {
                        let processor = priced.processors.iter().position(|&processor| processor == node).unwrap();
                        sum += priced.merge(2, processor).unwrap();
                    }
                }
            }
            prop_assert_eq!(&sum, price);
        }
    }

    /// The Steiner arborescence is the cheapest tree. If it only guides, there is a bound and a tree.
    #[test]
    fn steiner_bounds(case in cases(3..=6, 0..=6, 2, true)) {
        let (priced, guide) = (case.priced(), case.priced().guiding());
        let streams = Streams::new(&priced, &priced.sizes[0], &priced.works[1]);
        let guiding = Streams::new(&guide, &guide.sizes[0], &guide.works[1]);
        for (answer, target) in answers(&priced, Method::Sets, &case.targets(), 1).into_iter().zip(case.targets()) {
            let least = answer.unwrap().bound;
            let to_target = streams.to_target(target);
            let (bound, found) = steiner::best(&streams, &to_target).unwrap();
            let price = streams.price(&streams.shape(&found).unwrap(), &to_target).unwrap();
            prop_assert_eq!(&price, &found.price);
            prop_assert!(bound == least && least == price);
            let (bound, found) = steiner::best(&guiding, &to_target).unwrap();
            prop_assert!(bound <= least && least <= found.price);
            // Without helpers both are the algorithm of Chu, Liu and Edmonds.
            prop_assert!(!streams.helpers.is_empty() || bound == least && least == found.price);
        }
    }

    /// Problems of one size bound problems of several sizes.
    #[test]
    fn relaxed_bounds(case in cases(3..=8, 0..=3, 2, false)) {
        let priced = case.priced();
        let targets = case.targets();
        let exact = answers(&priced, Method::Sets, &targets, 1);
        for (exact, relaxed) in exact.into_iter().zip(answers(&priced, Method::Relaxed, &targets, 3)) {
            let (exact, relaxed) = (exact.unwrap(), relaxed.unwrap());
            prop_assert!(relaxed.bound <= exact.bound && exact.bound <= relaxed.trees[0].0);
            prop_assert!(relaxed.trees.is_sorted_by(|one, two| one.0 <= two.0));
        }
    }

    /// Rounded prices give a bound that is short of the exact price by rounding only.
    #[test]
    fn rounding_is_down_and_small(case in cases(3..=5, 0..=2, 2, false), fine in any::<bool>()) {
        let long = |amount: &Amount| match amount {
            Amount::Affine { fixed, per_operand } => Amount::Affine {
                fixed: fixed + ratio(1, BigUint::from(3u32).pow(90)),
                per_operand: per_operand.clone(),
            },
            other => other.clone(),
        };
        let volumes = if fine { case.volumes.clone() } else {
            Volumes { size: long(&case.volumes.size), work: long(&case.volumes.work) }
        };
        let low = |prices: &[BigUint]| prices.iter().map(|price| price.iter_u64_digits().next().unwrap_or(0)).collect();
        let prices: Prices<u64> =
            Prices { links: low(&case.prices.links), compute: low(&case.prices.compute) };
        let big = |prices: &[u64]| prices.iter().map(|&price| whole(price)).collect();
        let rational = Prices { links: big(&prices.links), compute: big(&prices.compute) };
        let targets = case.targets();
        let commutative = Commutative::new(&case.platform, &targets[..case.participants], &volumes);
        let guide = commutative.guide(&prices, &targets);
        for (guide, exact) in guide.into_iter().zip(commutative.cheapest(&rational, &targets)) {
            let (bound, least) = (guide.unwrap().0, exact.unwrap().0);
            prop_assert!(bound <= least);
            prop_assert!((&least - &bound) * ratio(1 << 16, 1) <= least);
            prop_assert!(!fine || bound == least);
        }
    }
}

/// The least depth in which parts of these depths become one, over all orders of merges.
fn least_depth(depths: &[usize]) -> usize {
    let mut best = usize::MAX;
    for (index, one) in depths.iter().enumerate() {
        for (more, other) in depths.iter().enumerate().skip(index + 1) {
            let others = depths
                .iter()
                .enumerate()
                .filter(|(own, _)| *own != index && *own != more);
            let merged = others
                .map(|(_, depth)| *depth)
                .chain([1 + one.max(other)])
                .collect::<Vec<_>>();
            best = best.min(least_depth(&merged));
        }
    }
    if let [depth] = depths { *depth } else { best }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Parts with chains of merges behind them, made at the processor or at another one.
    #[test]
    fn no_order_of_merges_is_shallower(chains in prop::collection::vec((0..5usize, 0..=1usize), 2..=6)) {
        let processor = 100;
        let (mut shape, mut parts, mut depths) = (Shape::default(), Vec::new(), Vec::new());
        let mut participants = 0..processor;
        for (merges, away) in chains {
            let mut part = shape.single(participants.next().unwrap());
            for _ in 0..merges {
                let other = shape.single(participants.next().unwrap());
                part = shape.merge(processor + away, part, other);
            }
            parts.push(part);
            // A value comes to its first merge. A result of another processor comes to this one.
            depths.push(if merges == 0 { 1 } else { 1 + merges + away });
        }
        shape.merge_all(processor, &parts, true).unwrap();
        prop_assert_eq!(shape.depth(), least_depth(&depths));
    }
}

/// How many of these exact prices, bounds and tree prices agree: `(bounds, trees, all)`.
fn agreeing(prices: &[[BigUint; 3]]) -> (usize, usize, usize) {
    let count = |column: usize| {
        prices
            .iter()
            .filter(|prices| prices[column] == prices[0])
            .count()
    };
    (count(1), count(2), prices.len())
}

fn drawn(strategy: impl Strategy<Value = Case>) -> Vec<Case> {
    let mut runner = TestRunner::deterministic();
    (0..60)
        .map(|_| strategy.new_tree(&mut runner).unwrap().current())
        .collect()
}

/// Without a guarantee, most bounds and nearly all trees are still right.
#[test]
fn bounds_are_near() {
    let mut steiner = Vec::new();
    for case in drawn(cases(3..=6, 1..=6, 2, true)) {
        let priced = case.priced().guiding();
        let streams = Streams::new(&priced, &priced.sizes[0], &priced.works[1]);
        for (answer, target) in answers(&priced, Method::Sets, &case.targets(), 1)
            .into_iter()
            .zip(case.targets())
        {
            let to_target = streams.to_target(target);
            let (bound, found) = steiner::best(&streams, &to_target).unwrap();
            steiner.push([answer.unwrap().bound, bound, found.price]);
        }
    }
    let (bounds, trees, all) = agreeing(&steiner);
    assert!(
        bounds * 10 >= all * 8 && trees * 100 >= all * 95,
        "{bounds} bounds, {trees} trees of {all}"
    );

    let mut relaxed = Vec::new();
    for case in drawn(cases(3..=7, 0..=3, 2, false)) {
        let (priced, targets) = (case.priced(), case.targets());
        let exact = answers(&priced, Method::Sets, &targets, 1);
        for (exact, answer) in exact
            .into_iter()
            .zip(answers(&priced, Method::Relaxed, &targets, 1))
        {
            let (exact, answer) = (exact.unwrap().bound, answer.unwrap());
            relaxed.push([exact, answer.bound, answer.trees[0].0.clone()]);
        }
    }
    let (bounds, trees, all) = agreeing(&relaxed);
    assert!(
        bounds * 10 >= all && trees * 10 >= all * 8,
        "{bounds} bounds, {trees} trees of {all}"
    );
}
