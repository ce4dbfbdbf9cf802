//! Refusals and their words, and trivial problems.

use crate::common;

use common::{costs, whole};
use oneport_homogeneous::{
    EqualCosts, Error, MOST_WRITTEN, Reduce, Strategy, broadcast, values_within,
};
use oneport_plan::Concurrency;

fn both(values: u64, strategy: Strategy, limit: Concurrency) -> [Option<Error>; 2] {
    let pair = costs((1, 2));
    [
        Reduce::of(values, &pair)
            .strategy(strategy)
            .limit(limit)
            .schedule()
            .err(),
        Reduce::of(values, &pair)
            .strategy(strategy)
            .limit(limit)
            .length()
            .err(),
    ]
}

#[test]
fn questions_without_sense_are_refused() {
    for error in both(0, Strategy::Greedy, Concurrency::Unlimited) {
        assert_eq!(error, Some(Error::NoValues));
    }
    for error in both(5, Strategy::Greedy, Concurrency::Transfers(0)) {
        assert_eq!(error, Some(Error::ZeroLimit { what: "transfers" }));
    }
    for error in both(5, Strategy::Flat, Concurrency::Reducers(0)) {
        assert_eq!(error, Some(Error::ZeroLimit { what: "reducers" }));
    }
    for error in both(5, Strategy::Binomial, Concurrency::Reducers(2)) {
        assert_eq!(
            error,
            Some(Error::StrategyWithLimit {
                strategy: "binomial"
            })
        );
    }
    assert_eq!(
        values_within(&whole(3), &costs((1, 1)), Concurrency::Transfers(0)),
        Err(Error::ZeroLimit { what: "transfers" })
    );
    assert_eq!(
        broadcast(0, &costs((1, 1)), Concurrency::Unlimited),
        Err(Error::NoValues)
    );
    assert!(matches!(
        EqualCosts::new(whole(1), -whole(1)),
        Err(Error::NegativeCost {
            name: "compute",
            ..
        })
    ));
}

#[test]
fn endless_schedules_are_not_written_down() {
    let most = MOST_WRITTEN;
    let refused = Reduce::of(most + 1, &costs((1, 1))).schedule().unwrap_err();
    assert_eq!(
        refused,
        Error::TooMany {
            values: most + 1,
            purpose: "to write a schedule down",
            most
        }
    );
    assert_eq!(
        refused.to_string(),
        "100000001 values are too many to write a schedule down; at most 100000000"
    );
    assert!(
        Reduce::of(most + 1, &costs((1, 1)))
            .strategy(Strategy::Binomial)
            .length()
            .is_err()
    );
    assert_eq!(
        Reduce::of(u64::MAX, &costs((2, 1)))
            .strategy(Strategy::Chain)
            .length()
            .unwrap(),
        whole(u64::MAX - 1) * whole(3)
    );
}

#[test]
fn one_value_is_done_at_once() {
    for strategy in [
        Strategy::Greedy,
        Strategy::Binomial,
        Strategy::Fibonacci,
        Strategy::Chain,
        Strategy::Flat,
    ] {
        let reduction = Reduce::of(1, &costs((4, 2)))
            .strategy(strategy)
            .schedule()
            .unwrap();
        assert_eq!(
            (reduction.length, reduction.receivers, reduction.root),
            (whole(0), vec![0], 0)
        );
        assert_eq!(
            Reduce::of(1, &costs((4, 2)))
                .strategy(strategy)
                .length()
                .unwrap(),
            whole(0)
        );
    }
}
