//! The three algorithms against all schedules.

use crate::common;

use common::{PAIRS, all_trees, exhaustive, greedy, judge, tree_length, whole, written};
use oneport_plan::Concurrency;

const NONE: usize = 99;

#[test]
fn algorithm_1_is_as_short_as_the_best_tree() {
    for nodes in 1..=9 {
        let mut best = [u64::MAX; PAIRS.len()];
        all_trees(nodes, &mut |parents| {
            for (best, &pair) in best.iter_mut().zip(&PAIRS) {
                *best = (*best).min(tree_length(parents, pair));
            }
        });
        for (best, &pair) in best.iter().zip(&PAIRS) {
            assert_eq!(
                greedy(nodes as u64, pair, Concurrency::Unlimited),
                *best,
                "{nodes} values, {pair:?}"
            );
        }
    }
}

#[test]
fn algorithm_3_is_as_short_as_the_best_tree_with_few_reducers() {
    for nodes in 2..=8 {
        let mut best = [[u64::MAX; 9]; PAIRS.len()];
        all_trees(nodes, &mut |parents| {
            let mut receives = [false; 8];
            for &parent in parents.iter().skip(1) {
                receives[parent] = true;
            }
            let reducers = receives.iter().filter(|&&receives| receives).count();
            for (best, &pair) in best.iter_mut().zip(&PAIRS) {
                best[reducers] = best[reducers].min(tree_length(parents, pair));
            }
        });
        for (best, &pair) in best.iter().zip(&PAIRS) {
            for most in 1..=nodes {
                let best = best[..=most].iter().min().unwrap();
                assert_eq!(
                    greedy(nodes as u64, pair, Concurrency::Reducers(most as u64)),
                    *best,
                    "{nodes}, {most}, {pair:?}"
                );
            }
        }
    }
}

/// This search has no trees: transfers in any order, between any two processors.
#[test]
fn all_algorithms_are_as_short_as_the_best_schedule() {
    for nodes in 1..=6 {
        for pair in PAIRS {
            let ready = vec![0; nodes];
            let values = nodes as u64;
            assert_eq!(
                greedy(values, pair, Concurrency::Unlimited),
                exhaustive(&ready, pair, NONE, NONE)
            );
            for most in 1..=nodes.div_ceil(2) {
                let limit = Concurrency::Transfers(most as u64);
                assert_eq!(
                    greedy(values, pair, limit),
                    exhaustive(&ready, pair, most, NONE),
                    "{nodes}, {most}, {pair:?}"
                );
                let limit = Concurrency::Reducers(most as u64);
                assert_eq!(
                    greedy(values, pair, limit),
                    exhaustive(&ready, pair, NONE, most),
                    "{nodes}, {most}, {pair:?}"
                );
            }
        }
    }
    for pair in [(1, 2), (2, 3), (1, 5), (1, 1)] {
        for most in 1..=2 {
            let best = exhaustive(&[0; 7], pair, most, NONE);
            assert_eq!(
                greedy(7, pair, Concurrency::Transfers(most as u64)),
                best,
                "{most}, {pair:?}"
            );
        }
    }
}

/// Theorem 10: if transfers take at least as long as merges, limiting reducers limits transfers well.
#[test]
fn limited_reducers_do_for_limited_transfers_that_take_longer() {
    for pair in PAIRS.into_iter().filter(|(d, c)| d >= c) {
        for values in 1..=60 {
            for most in 1..=values {
                let transfers = written(values, pair, Concurrency::Transfers(most)).length;
                assert_eq!(
                    transfers,
                    whole(greedy(values, pair, Concurrency::Reducers(most))),
                    "{values}, {most}, {pair:?}"
                );
            }
        }
    }
}

/// The condition `d >= c` of Theorem 10 is necessary.
#[test]
fn limited_reducers_are_worse_for_transfers_that_take_less() {
    assert_eq!(greedy(4, (1, 2), Concurrency::Reducers(1)), 7);
    assert_eq!(greedy(4, (1, 2), Concurrency::Transfers(1)), 6);
    assert_eq!(greedy(4, (1, 5), Concurrency::Reducers(1)), 16);
    assert_eq!(greedy(4, (1, 5), Concurrency::Transfers(1)), 12);
}

/// Figure 1 of the paper: transfers start at 0, d and 2d... and line 14 of Algorithm 2 needs no `+ c` for it.
#[test]
fn figure_1_comes_out() {
    let reduction = written(4, (1, 1), Concurrency::Transfers(2));
    judge(&reduction, (whole(1), whole(1)), Concurrency::Transfers(2));
    assert_eq!(reduction.length, whole(4));
    let mut starts: Vec<_> = (1..4)
        .map(|processor| reduction.starts.get(processor).unwrap())
        .collect();
    starts.sort();
    assert_eq!(starts, [whole(0), whole(1), whole(2)]);
}

/// All lengths at once equal the lengths one by one, for every strategy, rule and costs. The largest do not fit a
/// machine integer.
#[test]
fn lengths_of_all_numbers_are_those_of_each() {
    use oneport_homogeneous::{Reduce, Strategy, Tie, lengths};
    let large = num_bigint::BigInt::from(1) << 70;
    let pairs = PAIRS.iter().map(|&(d, c)| (whole(d), whole(c)));
    for (d, c) in pairs.chain([(whole(3) * &large, whole(2) * &large)]) {
        let costs = oneport_homogeneous::EqualCosts::new(d, c).unwrap();
        for strategy in [
            Strategy::Greedy,
            Strategy::Binomial,
            Strategy::Fibonacci,
            Strategy::Chain,
            Strategy::Flat,
        ] {
            for tie in [
                Tie::Oldest,
                Tie::Newest,
                Tie::FewestChildren,
                Tie::MostChildren,
            ] {
                let each = (1..=150).map(|values| {
                    Reduce::of(values, &costs)
                        .strategy(strategy)
                        .tie(tie)
                        .length()
                        .unwrap()
                });
                assert_eq!(
                    lengths(150, &costs, strategy, tie).unwrap(),
                    each.collect::<Vec<_>>()
                );
            }
        }
    }
}
