//! Schedules are valid, queues agree with the heap, and counting finds the length of the built schedule.

use crate::common;

use common::{PAIRS, TIES, costs, greedy, judge, whole, written};
use num_bigint::{BigInt, BigUint};
use oneport_homogeneous::reference::listing;
use oneport_homogeneous::{EqualCosts, Reduce, Strategy, Tie, Within, values_within};
use oneport_plan::{Concurrency, Dates, Reduction};
use oneport_platform::Rational;
use proptest::prelude::*;

fn limits(values: u64) -> Vec<Concurrency> {
    let some = [1, 2, 3, values / 3, values / 2, values, u64::MAX]
        .into_iter()
        .filter(|&most| most > 0);
    let mut limits = vec![Concurrency::Unlimited];
    for most in some {
        limits.extend([Concurrency::Transfers(most), Concurrency::Reducers(most)])
    }
    limits
}

#[test]
fn schedules_follow_the_model() {
    for pair in PAIRS {
        let dates = (whole(pair.0), whole(pair.1));
        for values in (1..=20).chain([64, 89, 100]) {
            for limit in limits(values) {
                for tie in TIES {
                    let reduction = Reduce::of(values, &costs(pair))
                        .limit(limit)
                        .tie(tie)
                        .schedule()
                        .unwrap();
                    judge(&reduction, dates.clone(), limit);
                    assert_eq!(
                        reduction.length,
                        whole(greedy(values, pair, limit)),
                        "{values}, {pair:?}, {limit:?}"
                    );
                }
            }
            for strategy in [
                Strategy::Binomial,
                Strategy::Fibonacci,
                Strategy::Chain,
                Strategy::Flat,
            ] {
                for tie in TIES {
                    let reduction = Reduce::of(values, &costs(pair))
                        .strategy(strategy)
                        .tie(tie)
                        .schedule()
                        .unwrap();
                    judge(&reduction, dates.clone(), Concurrency::Unlimited);
                    let counted = Reduce::of(values, &costs(pair))
                        .strategy(strategy)
                        .tie(tie)
                        .length()
                        .unwrap();
                    assert_eq!(
                        reduction.length, counted,
                        "{values}, {pair:?}, {strategy:?}, {tie:?}"
                    );
                    assert!(counted >= whole(greedy(values, pair, Concurrency::Unlimited)));
                }
            }
        }
    }
}

#[test]
fn chain_and_flat_are_what_they_say() {
    let receivers = |strategy| {
        Reduce::of(5, &costs((2, 1)))
            .strategy(strategy)
            .schedule()
            .unwrap()
            .receivers
    };
    assert_eq!(receivers(Strategy::Chain), [0, 0, 1, 2, 3]);
    assert_eq!(receivers(Strategy::Flat), [0, 0, 0, 0, 0]);
}

/// Names of preorder, from the heap's tree, children in reverse order of insertion.
fn preorder(children: &[u32]) -> Vec<u32> {
    fn visit(node: u32, children: &[u32], names: &mut Vec<u32>, next: &mut u32) {
        names[node as usize] = *next;
        *next += 1;
        for child in (1..children.len())
            .rev()
            .filter(|&child| children[child] == node)
        {
            visit(child as u32, children, names, next);
        }
    }
    let mut names = vec![0; children.len()];
    visit(0, children, &mut names, &mut 0);
    names
}

/// Receivers and starts, by the heap's tree under its names.
fn same_tree(reduction: &Reduction, children: &[u32]) {
    let names = preorder(children);
    for child in 0..children.len() {
        let receiver = reduction.receivers[names[child] as usize];
        assert_eq!(receiver, names[children[child] as usize]);
    }
}

#[test]
fn queues_and_heap_agree() {
    for pair in PAIRS.into_iter().filter(|&pair| pair != (0, 0)) {
        for values in [1, 2, 3, 10, 77, 300] {
            for most in [1, 2, 5, 40, values] {
                for limit in [
                    Concurrency::Unlimited,
                    Concurrency::Reducers(most),
                    Concurrency::Transfers(most),
                ] {
                    let heap = listing(values as u32, &pair.0, &pair.1, limit);
                    let reduction = written(values, pair, limit);
                    assert_eq!(
                        reduction.length,
                        whole(heap.length().unwrap()),
                        "{values}, {pair:?}, {limit:?}"
                    );
                    if !matches!(limit, Concurrency::Transfers(_)) {
                        same_tree(&reduction, &heap.children);
                        continue;
                    }
                    // Ties differ, dates do not.
                    let end = heap.length().unwrap();
                    let mut starts: Vec<_> = (1..values as usize)
                        .map(|i| reduction.starts.get(i).unwrap())
                        .collect();
                    starts.sort();
                    let reversed: Vec<_> = heap
                        .dates
                        .iter()
                        .skip(1)
                        .rev()
                        .map(|date| whole(end - date))
                        .collect();
                    assert_eq!(starts, reversed, "{values}, {pair:?}, {limit:?}");
                }
            }
        }
    }
}

/// Every rule by the definition: the processor with the least date, then the rule.
#[test]
fn ties_are_broken_by_the_rule() {
    for (pair, strategy) in [
        ((1, 1), Strategy::Greedy),
        ((1, 0), Strategy::Greedy),
        ((2, 3), Strategy::Greedy),
    ]
    .into_iter()
    .chain([
        ((2, 3), Strategy::Binomial),
        ((3, 2), Strategy::Fibonacci),
        ((0, 0), Strategy::Binomial),
    ]) {
        let (step, detour) = match strategy {
            Strategy::Binomial => (1, 1),
            Strategy::Fibonacci => (1, 2),
            _ => (pair.0.max(pair.1), pair.0 + pair.1),
        };
        for tie in TIES {
            for values in [2_usize, 7, 33, 120] {
                let mut dates = vec![0];
                let mut counts = vec![0_i64];
                let mut children = vec![0_u32];
                for _ in 1..values {
                    let rule = |i: usize| match tie {
                        Tie::Oldest => (0, i as i64),
                        Tie::Newest => (0, -(i as i64)),
                        Tie::FewestChildren => (counts[i], i as i64),
                        Tie::MostChildren => (-counts[i], i as i64),
                    };
                    let chosen = (0..dates.len())
                        .min_by_key(|&i| (dates[i], rule(i)))
                        .unwrap();
                    dates.push(dates[chosen] + detour);
                    dates[chosen] += step;
                    counts.push(0);
                    counts[chosen] += 1;
                    children.push(chosen as u32);
                }
                let reduction = Reduce::of(values as u64, &costs(pair))
                    .strategy(strategy)
                    .tie(tie)
                    .schedule()
                    .unwrap();
                same_tree(&reduction, &children);
            }
        }
    }
}

/// Lengths found by counting are those of built schedules, and `values_within` is the inverse.
#[test]
fn counting_agrees_with_building() {
    let listed = |values: u64, pair: (u64, u64), limit| {
        listing(values as u32, &pair.0, &pair.1, limit).dates
    };
    for pair in PAIRS.into_iter().filter(|&pair| pair != (0, 0)) {
        let most_values = 300_u64;
        for most in 1..=most_values {
            for limit in [
                Concurrency::Reducers(most),
                Concurrency::Transfers(most),
                Concurrency::Unlimited,
            ] {
                let dates = listed(most_values, pair, limit);
                let mut longest = 0;
                for values in (1..=most_values)
                    .filter(|values| *values >= most && (values + most).is_multiple_of(7))
                {
                    longest = *dates[..values as usize].iter().max().unwrap().max(&longest);
                    assert_eq!(
                        greedy(values, pair, limit),
                        longest,
                        "{values}, {pair:?}, {limit:?}"
                    );
                }
                if most % 20 == 1 {
                    for time in (0..*dates.last().unwrap()).step_by(3) {
                        let within = dates.iter().filter(|&&date| date <= time).count();
                        let counted = values_within(&whole(time), &costs(pair), limit).unwrap();
                        assert_eq!(
                            counted,
                            Within::Most(within.into()),
                            "{time}, {pair:?}, {limit:?}"
                        );
                    }
                }
            }
        }
    }
}

/// `N(t)` by its formula, with exact binomial coefficients.
#[test]
fn counting_agrees_with_the_closed_form() {
    for pair in PAIRS.into_iter().filter(|&pair| pair != (0, 0)) {
        let (step, detour) = (pair.0.max(pair.1), pair.0 + pair.1);
        for time in [0, 1, 2, 5, 11, 30, 47, 100, 301] {
            let mut count = BigUint::from(1_u8);
            for b in (1..).take_while(|b| b * detour <= time) {
                let mut paths = BigUint::from(1_u8);
                for a in 0..=(time - b * detour) / step {
                    if a > 0 {
                        paths = paths * (a + b - 1) / a;
                    }
                    count += &paths;
                }
            }
            assert_eq!(
                values_within(&whole(time), &costs(pair), Concurrency::Unlimited),
                Ok(Within::Most(count)),
                "{time}, {pair:?}"
            );
        }
    }
    let half = Rational::new(1.into(), 2.into());
    assert_eq!(
        values_within(&-half.clone(), &costs((1, 1)), Concurrency::Unlimited),
        Ok(Within::Most(0_u8.into()))
    );
    assert_eq!(
        values_within(&(whole(2) - &half), &costs((1, 1)), Concurrency::Unlimited),
        Ok(Within::Most(1_u8.into()))
    );
    assert_eq!(
        values_within(&whole(0), &costs((0, 0)), Concurrency::Unlimited),
        Ok(Within::Any)
    );
}

/// Beyond 128 bits: Fibonacci's numbers if both costs are 1, every child of a few reducers, one by one, and powers of
/// two if nothing is counted any more.
#[test]
fn more_values_than_machine_integers_hold() {
    let ones = costs((1, 1));
    let (mut within, mut before) = (BigUint::from(1_u8), BigUint::from(1_u8));
    for time in 2..500_u64 {
        (within, before) = (&within + &before, within);
        // The first values are 1, 1 and 2, within 0, 1 and 2.
        assert_eq!(
            values_within(&whole(time), &ones, Concurrency::Unlimited),
            Ok(Within::Most(within.clone())),
            "{time}"
        );
    }
    let far = Rational::from_integer(BigInt::from(10).pow(60));
    for limit in [Concurrency::Reducers(1), Concurrency::Transfers(1)] {
        // One processor receives repeatedly, first after 5 and then every 3.
        let most = (BigUint::from(10_u8).pow(60) - 5_u8) / 3_u8 + 2_u8;
        assert_eq!(
            values_within(&far, &costs((3, 2)), limit),
            Ok(Within::Most(most))
        );
    }
    assert_eq!(
        values_within(&far, &costs((3, 2)), Concurrency::Unlimited),
        Ok(Within::PowerOfTwo(BigUint::from(10_u8).pow(60) / 5_u8))
    );
}

#[test]
fn huge_numbers_of_values_are_counted() {
    let billions = 1_000_000_000_000_000_000;
    assert_eq!(greedy(billions, (3, 5), Concurrency::Unlimited), 386);
    assert_eq!(greedy(1 << 63, (1, 0), Concurrency::Unlimited), 63);
    assert_eq!(greedy(u64::MAX, (0, 7), Concurrency::Unlimited), 7 * 64);
    // One reducer: d + (n - 2) max + c.
    assert_eq!(
        greedy(billions, (3, 2), Concurrency::Reducers(1)),
        3 * (billions - 1) + 2
    );
    // K transfers at any time, except at the start.
    let limited = greedy(billions, (1, 3), Concurrency::Transfers(1_000_000));
    assert!(
        (billions / 1_000_000..billions / 1_000_000 + 200).contains(&limited),
        "{limited}"
    );
    assert_eq!(
        limited
            - greedy(
                billions - 1_000_000,
                (1, 3),
                Concurrency::Transfers(1_000_000)
            ),
        1
    );
    let refused = Reduce::of(billions, &costs((1, 1_000_000_000_000)))
        .limit(Concurrency::Transfers(1))
        .length();
    assert!(
        matches!(refused, Err(oneport_homogeneous::Error::TooMany { most, .. }) if most > 4_000_000),
        "{refused:?}"
    );
}

/// EqualCosts that fill 64 bits, or more, or less: the dates are those of small costs, scaled.
#[test]
fn large_and_odd_costs_are_exact() {
    for pair in PAIRS {
        for factor in [
            Rational::new(3.into(), 7.into()),
            whole(u64::MAX / 13),
            whole(u64::MAX) * whole(u64::MAX),
        ] {
            let scaled = EqualCosts::new(whole(pair.0) * &factor, whole(pair.1) * &factor).unwrap();
            // A common unit hides the factor. This one does not.
            let odd = EqualCosts::new(whole(pair.0) * &factor + whole(1), whole(pair.1) * &factor)
                .unwrap();
            for values in [1, 2, 9, 40] {
                for limit in [
                    Concurrency::Unlimited,
                    Concurrency::Transfers(3),
                    Concurrency::Reducers(3),
                ] {
                    let expected = whole(greedy(values, pair, limit)) * &factor;
                    assert_eq!(
                        Reduce::of(values, &scaled).limit(limit).length().unwrap(),
                        expected
                    );
                    let reduction = Reduce::of(values, &odd).limit(limit).schedule().unwrap();
                    judge(
                        &reduction,
                        (odd.transfer().clone(), odd.compute().clone()),
                        limit,
                    );
                    let counted = Reduce::of(values, &odd).limit(limit).length().unwrap();
                    assert_eq!(reduction.length, counted);
                    let within = values_within(&counted, &odd, limit);
                    assert!(matches!(within, Ok(Within::Most(most)) if most >= values.into()));
                }
                let built = Reduce::of(values, &odd)
                    .strategy(Strategy::Fibonacci)
                    .length()
                    .unwrap();
                let reduction = Reduce::of(values, &odd)
                    .strategy(Strategy::Fibonacci)
                    .schedule()
                    .unwrap();
                assert_eq!(reduction.length, built);
            }
        }
    }
    let huge = EqualCosts::new(whole(u64::MAX), whole(u64::MAX - 1)).unwrap();
    let reduction = Reduce::of(3, &huge).schedule().unwrap();
    assert!(
        matches!(reduction.starts, Dates::Exact(_)),
        "beyond 64 bits"
    );
}

/// The path for transfers shorter than merges, with costs in machine and in big integers.
#[test]
fn short_transfers_are_counted_alike_in_all_numbers() {
    let huge = whole(u64::MAX);
    for (d, c) in [(1_u64, 3_u64), (2, 7), (1, 40)] {
        let big = EqualCosts::new(whole(d) * &huge + whole(1), whole(c) * &huge).unwrap();
        for values in [2, 30, 400] {
            for most in [1, 2, 9] {
                let limit = Concurrency::Transfers(most);
                let counted = Reduce::of(values, &big).limit(limit).length().unwrap();
                assert_eq!(
                    counted,
                    Reduce::of(values, &big)
                        .limit(limit)
                        .schedule()
                        .unwrap()
                        .length
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn counting_agrees_with_the_heap(values in 1_u32..3000, d in 0_u64..60, c in 0_u64..60, most in 1_u64..400) {
        prop_assume!(d + c > 0);
        for limit in [Concurrency::Unlimited, Concurrency::Reducers(most), Concurrency::Transfers(most)] {
            let heap = listing(values, &d, &c, limit).length().unwrap();
            prop_assert_eq!(greedy(values.into(), (d, c), limit), heap);
            prop_assert_eq!(written(values.into(), (d, c), limit).length, whole(heap));
        }
    }
}
