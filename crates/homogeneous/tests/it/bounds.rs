//! Bounds, special trees and the two strategies (RR-7898, sections 5 to 7).

use crate::common;

use common::{PAIRS, TIES, all_trees, costs, greedy, tree_length, whole};
use num_traits::{One, Zero};
use oneport_homogeneous::{EqualCosts, Reduce, Strategy, Tie, Within, bounds, values_within};
use oneport_plan::{BigUint, Concurrency};
use oneport_platform::Rational;

fn optimum(values: u64, pair: (u64, u64)) -> Rational {
    whole(greedy(values, pair, Concurrency::Unlimited))
}

#[test]
fn lemma_5_and_proposition_6_hold_and_are_tight_without_one_cost() {
    for pair in PAIRS {
        for values in (1..=300).chain([1 << 40, (1 << 40) + 1, u64::MAX]) {
            let (lower, upper) = (
                bounds::lower(values, &costs(pair)),
                bounds::upper(values, &costs(pair)),
            );
            let optimum = optimum(values, pair);
            assert!(lower <= optimum && optimum <= upper, "{values}, {pair:?}");
            assert_eq!(lower == upper, pair.0.min(pair.1) == 0 || values == 1);
        }
    }
}

#[test]
fn degree_and_depth_bound_every_tree() {
    all_trees(7, &mut |parents| {
        let mut degrees = [0; 7];
        let mut levels = [1; 7];
        for child in 1..7 {
            degrees[parents[child]] += 1;
            levels[child] = levels[parents[child]] + 1;
        }
        for pair in PAIRS {
            let length = whole(tree_length(parents, pair));
            assert!(length >= bounds::of_degree(*degrees.iter().max().unwrap(), &costs(pair)));
            assert!(length >= bounds::of_depth(*levels.iter().max().unwrap(), &costs(pair)));
        }
    });
    assert_eq!(
        bounds::of_degree(3, &costs((2, 5))),
        whole(17),
        "a star attains it"
    );
    assert_eq!(
        bounds::of_depth(3, &costs((2, 5))),
        whole(14),
        "a chain attains it"
    );
    assert_eq!(bounds::of_degree(0, &costs((2, 5))), whole(0));
}

/// Proposition 8 and Corollary 11: the corrected bound holds for both limits. The printed one fails exactly if `K` is
/// not a power of two, for some numbers of values.
#[test]
fn proposition_8_holds_corrected_and_fails_as_printed() {
    let mut violations = [0, 0];
    for pair in [(1, 1), (1, 0), (0, 1), (1, 2), (2, 1), (3, 7), (7, 3)] {
        for values in 2..=80 {
            for most in 1..=values / 2 {
                let corrected = bounds::limited(values, most, &costs(pair)).unwrap();
                let printed = bounds::limited_as_printed(values, most, &costs(pair)).unwrap();
                for (count, limit) in violations
                    .iter_mut()
                    .zip([Concurrency::Transfers(most), Concurrency::Reducers(most)])
                {
                    let optimum = whole(greedy(values, pair, limit));
                    assert!(optimum <= corrected, "{values}, {most}, {pair:?}");
                    if optimum > printed {
                        assert!(!most.is_power_of_two());
                        *count += 1;
                    }
                }
            }
        }
    }
    assert!(
        violations.iter().all(|&count| count > 1000),
        "{violations:?}"
    );
    assert_eq!(greedy(6, (1, 0), Concurrency::Transfers(3)), 3);
    assert_eq!(
        bounds::limited_as_printed(6, 3, &costs((1, 0))),
        Some(whole(2))
    );
    assert!(
        bounds::lower(6, &costs((1, 0))) > whole(2),
        "the printed bound contradicts Lemma 5"
    );
    assert_eq!(bounds::limited(6, 4, &costs((1, 0))), None);
    assert_eq!(bounds::limited_as_printed(6, 0, &costs((1, 0))), None);
}

/// Definition 12 as a list of parents.
fn binomial(order: u32) -> Vec<usize> {
    if order == 0 {
        vec![0]
    } else {
        joined(&binomial(order - 1), &binomial(order - 1))
    }
}

/// Definition 15.
fn fibonacci(order: i32) -> Vec<usize> {
    if order <= 0 {
        vec![0]
    } else {
        joined(&fibonacci(order - 2), &fibonacci(order - 1))
    }
}

/// A tree whose root ("sink") sends to the root of the other.
fn joined(sending: &[usize], receiving: &[usize]) -> Vec<usize> {
    let sent = sending.iter().enumerate().map(|(node, parent)| {
        if node == 0 {
            0
        } else {
            parent + receiving.len()
        }
    });
    receiving.iter().copied().chain(sent).collect()
}

#[test]
fn propositions_13_and_16_give_lengths_and_sizes() {
    for order in 0..=9 {
        let (tree, values) = (binomial(order), bounds::binomial_values(order));
        assert_eq!(BigUint::from(tree.len()), values);
        for pair in PAIRS {
            assert_eq!(
                whole(tree_length(&tree, pair)),
                bounds::binomial_length(order.into(), &costs(pair))
            );
        }
    }
    for order in 0..=12 {
        let (tree, values) = (fibonacci(order as i32), bounds::fibonacci_values(order));
        assert_eq!(BigUint::from(tree.len()), values);
        for pair in PAIRS {
            assert_eq!(
                whole(tree_length(&tree, pair)),
                bounds::fibonacci_length(order.into(), &costs(pair))
            );
        }
    }
    assert_eq!(bounds::fibonacci_values(10), BigUint::from(144_u32));
}

/// Theorems 14 and 17: no more values fit these lengths, and the tree is the only one (all trees, by canonical form).
#[test]
fn theorems_14_and_17_give_maxima_and_the_only_trees() {
    for order in 0..100 {
        let most = bounds::binomial_values(order);
        for pair in [(3, 0), (0, 5)] {
            let time = bounds::binomial_length(order.into(), &costs(pair));
            assert_eq!(
                values_within(&time, &costs(pair), Concurrency::Unlimited),
                Ok(Within::Most(most.clone()))
            );
        }
    }
    for order in (1..100).chain([199, 300, 5000]) {
        let most = bounds::fibonacci_values(order);
        let time = bounds::fibonacci_length(order.into(), &costs((4, 4)));
        assert_eq!(
            values_within(&time, &costs((4, 4)), Concurrency::Unlimited),
            Ok(Within::Most(most))
        );
    }
    let cases = [
        ((3, 0), binomial(3)),
        ((0, 5), binomial(3)),
        ((1, 0), binomial(2)),
    ];
    for (pair, tree) in cases.into_iter().chain([
        ((4, 4), fibonacci(3)),
        ((4, 4), fibonacci(4)),
        ((1, 1), fibonacci(2)),
    ]) {
        let (best, only) = (tree_length(&tree, pair), canonical(&tree));
        all_trees(tree.len(), &mut |parents| {
            assert!(tree_length(parents, pair) > best || canonical(parents) == only);
        });
    }
}

/// Nested parentheses, children sorted: equal for equal shapes.
fn canonical(parents: &[usize]) -> String {
    let mut children = vec![Vec::new(); parents.len()];
    let mut text = String::new();
    for node in (0..parents.len()).rev() {
        children[node].sort();
        text = format!("({})", std::mem::take(&mut children[node]).concat());
        if node > 0 {
            children[parents[node]].push(text.clone());
        }
    }
    text
}

fn strategy_length(values: u64, pair: (u64, u64), strategy: Strategy, tie: Tie) -> Rational {
    Reduce::of(values, &costs(pair))
        .strategy(strategy)
        .tie(tie)
        .length()
        .unwrap()
}

#[test]
fn theorems_18_and_19_bound_the_strategies() {
    for pair in PAIRS {
        for values in 1..=150 {
            for tie in TIES {
                let optimum = optimum(values, pair);
                let binomial = strategy_length(values, pair, Strategy::Binomial, tie);
                assert!(
                    binomial <= bounds::binomial_ratio(&costs(pair)) * &optimum,
                    "{values}, {pair:?}, {tie:?}"
                );
                let fibonacci = strategy_length(values, pair, Strategy::Fibonacci, tie);
                assert!(
                    fibonacci <= bounds::fibonacci_ratio() * &optimum,
                    "{values}, {pair:?}, {tie:?}"
                );
            }
        }
    }
    assert_eq!(
        bounds::binomial_ratio(&costs((2, 3))),
        Rational::new(5.into(), 3.into())
    );
    assert_eq!(
        bounds::binomial_ratio(&EqualCosts::new(Rational::zero(), Rational::zero()).unwrap()),
        Rational::one()
    );
}

/// Figure 2: the largest ratios over 2..=2000 values and the first values that attain them, for every tie rule.
#[test]
fn figure_2_depends_on_ties() {
    let largest = |pair, strategy, tie| {
        let mut best = (whole(0), 0);
        for values in 2..=2000 {
            let ratio = strategy_length(values, pair, strategy, tie) / optimum(values, pair);
            if ratio > best.0 {
                best = (ratio, values);
            }
        }
        best
    };
    let expected = [
        (Tie::Oldest, None, ((3, 2), 4)),
        (Tie::Newest, Some(((7, 5), 86)), ((7, 5), 987)),
        (Tie::FewestChildren, Some(((3, 2), 5)), ((7, 5), 987)),
    ];
    for (tie, binomial, fibonacci) in expected {
        if let Some(((over, under), values)) = binomial {
            assert_eq!(
                largest((1, 1), Strategy::Binomial, tie),
                (whole(over) / whole(under), values),
                "{tie:?}"
            );
        }
        let ((over, under), values) = fibonacci;
        for pair in [(0, 1), (1, 0)] {
            assert_eq!(
                largest(pair, Strategy::Fibonacci, tie),
                (whole(over) / whole(under), values),
                "{tie:?}"
            );
        }
    }
    let four_thirds = whole(4) / whole(3);
    assert_eq!(
        strategy_length(4096, (1, 1), Strategy::Binomial, Tie::Oldest) / optimum(4096, (1, 1)),
        four_thirds
    );
    for values in 2..=500 {
        let most = strategy_length(values, (1, 1), Strategy::Binomial, Tie::MostChildren);
        assert_eq!(
            most,
            strategy_length(values, (1, 1), Strategy::Binomial, Tie::Oldest),
            "{values}"
        );
    }
}

/// Section 7.3 conjectures that the worst ratio of each strategy is met with the other's costs. For single numbers of
/// values this is false.
#[test]
fn the_conjecture_of_figure_2_fails_for_22_values() {
    let ratio =
        |pair| strategy_length(22, pair, Strategy::Binomial, Tie::Oldest) / optimum(22, pair);
    assert_eq!(ratio((2, 3)), whole(21) / whole(20));
    assert_eq!(ratio((1, 1)), whole(1));
}

/// Theorem 14 has the condition "d = 0 or c = 0". If both are 0, any number of values is reduced in no time, and by
/// convention the binomial tree does it.
#[test]
fn theorem_14_needs_one_cost() {
    let free = costs((0, 0));
    assert_eq!(bounds::binomial_length(5, &free), whole(0));
    assert_eq!(
        values_within(&whole(0), &free, Concurrency::Unlimited),
        Ok(Within::Any)
    );
    for order in 0..=6 {
        let values = 1_u64 << order;
        let reduction = Reduce::of(values, &free).schedule().unwrap();
        let parents: Vec<usize> = reduction
            .receivers
            .iter()
            .map(|&receiver| receiver as usize)
            .collect();
        assert_eq!(canonical(&parents), canonical(&binomial(order)));
    }
}

/// The strategies' trees of the right sizes are those of definitions 12 and 15, for every rule for ties.
#[test]
fn strategies_build_the_defined_trees() {
    let same = |values: usize, strategy, tree: &[usize]| {
        for tie in TIES {
            let reduction = Reduce::of(values as u64, &costs((3, 2)))
                .strategy(strategy)
                .tie(tie)
                .schedule()
                .unwrap();
            let parents: Vec<usize> = reduction
                .receivers
                .iter()
                .map(|&receiver| receiver as usize)
                .collect();
            assert_eq!(
                canonical(&parents),
                canonical(tree),
                "{strategy:?} {values} {tie:?}"
            );
        }
    };
    for tree in (0..=7).map(binomial) {
        same(tree.len(), Strategy::Binomial, &tree);
    }
    for tree in (0..=10).map(fibonacci) {
        same(tree.len(), Strategy::Fibonacci, &tree);
    }
}
