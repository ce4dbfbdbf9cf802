//! Release dates: valid schedules, true bounds, optimal if all dates are equal, close to the best otherwise.

use crate::common;

use common::{PAIRS, costs, exhaustive, exhaustive_into, greedy, judge, number, whole};
use oneport_homogeneous::{EqualCosts, Error, Released, reduce_released};
use oneport_plan::{Concurrency, Dates};
use oneport_platform::Rational;
use oneport_testkit::Dice;

fn solved(ready: &[u64], pair: (u64, u64)) -> Released {
    solved_into(ready, None, pair)
}

fn solved_into(ready: &[u64], root: Option<u64>, pair: (u64, u64)) -> Released {
    let ready: Vec<Rational> = ready.iter().map(|&date| whole(date)).collect();
    let released = reduce_released(&ready, root, &costs(pair)).unwrap();
    assert!(root.is_none_or(|root| u64::from(released.reduction.root) == root));
    judge(
        &released.reduction,
        (whole(pair.0), whole(pair.1)),
        Concurrency::Unlimited,
    );
    let dates = released.reduction.ready.as_ref().unwrap();
    assert!((0..ready.len()).all(|i| dates.get(i).unwrap() == ready[i]));
    assert!(released.lower_bound <= released.reduction.length);
    released
}

#[test]
fn equal_dates_are_solved() {
    for pair in PAIRS {
        for values in [1, 2, 3, 7, 30, 100] {
            for date in [0, 5] {
                let released = solved(&vec![date; values], pair);
                let optimum = whole(date + greedy(values as u64, pair, Concurrency::Unlimited));
                assert_eq!(
                    (&released.reduction.length, &released.lower_bound),
                    (&optimum, &optimum)
                );
            }
        }
    }
}

/// Against all schedules of up to 6 values: optimal, with a proof.
#[test]
fn lengths_are_optimal() {
    let mut dice = Dice::new(7);
    let mut draw = |below: u64| dice.below(below);
    for pair in PAIRS {
        for _ in 0..150 {
            let horizon = 1 + draw(4 * (pair.0 + pair.1) + 1);
            let ready: Vec<u64> = (0..2 + draw(5)).map(|_| draw(horizon)).collect();
            let released = solved(&ready, pair);
            let optimum = exhaustive(&ready, pair, 99, 99);
            let (length, bound) = (
                number(&released.reduction.length),
                number(&released.lower_bound),
            );
            assert_eq!((length, bound), (optimum, optimum), "{ready:?}, {pair:?}");
        }
    }
}

/// A given root, against all schedules of up to 6 values that end there: optimal, with a proof.
#[test]
fn a_given_root_is_solved() {
    let mut dice = Dice::new(11);
    let mut draw = |below: u64| dice.below(below);
    let mut worse = 0;
    for pair in PAIRS {
        for _ in 0..25 {
            let horizon = 1 + draw(4 * (pair.0 + pair.1) + 1);
            let ready: Vec<u64> = (0..1 + draw(6)).map(|_| draw(horizon)).collect();
            let free = number(&solved(&ready, pair).reduction.length);
            let mut best = u64::MAX;
            for root in 0..ready.len() as u64 {
                let released = solved_into(&ready, Some(root), pair);
                let optimum = exhaustive_into(&ready, root as usize, pair);
                let (length, bound) = (
                    number(&released.reduction.length),
                    number(&released.lower_bound),
                );
                assert_eq!(
                    (length, bound),
                    (optimum, optimum),
                    "{ready:?}, {pair:?}, root {root}"
                );
                best = best.min(length);
                worse += u32::from(length > free);
            }
            assert_eq!(best, free, "{ready:?}, {pair:?}");
        }
    }
    assert!(worse > 100, "the root matters in {worse} cases only");
    let refused = reduce_released(&[whole(1)], Some(1), &costs((1, 1)));
    assert!(matches!(
        refused,
        Err(Error::NoProcessor { processor: 1, .. })
    ));
}

/// Merges shorter than transfers: optima of up to ten values from an exhaustive search of another program.
#[test]
fn merges_shorter_than_transfers() {
    for (ready, pair, optimum) in [
        (&[6, 7, 2, 11, 8, 12, 12][..], (4, 3), 24),
        (&[1, 11, 4, 0, 0, 10, 2, 15, 0], (6, 3), 28),
        (&[8, 7, 4, 4, 13, 5], (5, 2), 23),
        (&[15, 8, 8, 4, 9, 1, 6, 14, 3], (5, 1), 24),
    ] {
        let released = solved(ready, pair);
        assert_eq!(released.reduction.length, whole(optimum), "{ready:?}");
        assert_eq!(released.lower_bound, whole(optimum), "{ready:?}");
    }
}

/// More values than can be decided: the answer is a schedule and a bound below it, soon.
#[test]
fn what_is_not_decided_has_a_gap() {
    let mut dice = Dice::new(3);
    let mut draw = |below: u64| dice.below(below);
    let (mut decided, mut cases) = (0, 0);
    for values in [10, 10, 10, 10, 10, 10, 14, 20, 40, 41] {
        let ready: Vec<u64> = (0..values).map(|_| draw(60)).collect();
        let pair = (5 + draw(4), 1 + draw(4));
        let released = solved(&ready, pair);
        let gap = &released.reduction.length - &released.lower_bound;
        println!("{values} {pair:?} {} gap {gap}", released.reduction.length);
        assert!(gap <= whole(2 * (pair.0 + pair.1)));
        decided += u32::from(values == 10 && gap == whole(0));
        cases += u32::from(values == 10);
    }
    assert_eq!((decided, cases), (6, 6));
}

#[test]
fn many_values_and_spread_dates() {
    let ready: Vec<u64> = (0..2000).map(|i| i * i % 97).collect();
    let released = solved(&ready, (2, 3));
    assert_eq!(released.reduction.length, released.lower_bound);
    let released = solved(&ready, (3, 2));
    assert!(released.reduction.length <= &released.lower_bound + whole(10));
    let late = solved(&[0, 0, 0, 1_000_000], (2, 3));
    assert_eq!(
        late.reduction.length,
        whole(1_000_003),
        "the last value stays where it is and is merged last"
    );
    assert_eq!(late.lower_bound, whole(1_000_003));
}

#[test]
fn odd_numbers_are_exact() {
    let huge = whole(u64::MAX) * whole(u64::MAX);
    let third = Rational::new(1.into(), 3.into());
    let costs = EqualCosts::new(third.clone(), huge.clone()).unwrap();
    let ready = [whole(0), huge.clone(), third.clone(), whole(7)];
    let released = reduce_released(&ready, None, &costs).unwrap();
    judge(&released.reduction, (third, huge), Concurrency::Unlimited);
    assert!(matches!(released.reduction.starts, Dates::Exact(_)));
}

#[test]
fn nonsense_is_refused() {
    assert_eq!(
        reduce_released(&[], None, &costs((1, 1))),
        Err(Error::NoValues)
    );
    let refused = reduce_released(&[whole(1), -whole(2)], None, &costs((1, 1)));
    assert_eq!(
        refused,
        Err(Error::NegativeReady {
            index: 1,
            date: -whole(2)
        })
    );
}
