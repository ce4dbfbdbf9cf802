//! Schedules of the user next to the best, and all-reductions with the best reduction.

use oneport::heterogeneous::{Budget, Destination, Method, Processors, all_reduce as theorem_3};
use oneport::homogeneous::EqualCosts;
use oneport::plan::Concurrency;
use oneport::referee::{Recheck, check_single};
use oneport::{
    Rational, Status, all_reduce, broadcast_heterogeneous, judge_sequence, judge_tree, reduce_into,
};
use oneport_testkit::whole;

fn times(list: &[u64]) -> Vec<Rational> {
    list.iter().map(|&time| whole(time)).collect()
}

#[test]
fn sequences_beside_the_best() {
    let list = [5, 5, 5, 4, 2, 2];
    let processors = Processors::new(times(&list), Destination::Outside).unwrap();
    let budget = Budget::of_states(u64::MAX);
    let judged =
        |sequence: &[usize]| judge_sequence(&processors, sequence, Method::Auto, &budget).unwrap();
    for (sequence, length) in [
        ([0, 1, 2, 3, 4, 5], 11),
        ([4, 5, 3, 0, 1, 2], 14),
        ([0, 3, 4, 1, 2, 5], 12),
    ] {
        let found = judged(&sequence);
        let one = found.answer.claim();
        assert_eq!(
            (one.reduction.length.clone(), found.best.clone()),
            (whole(length), whole(11))
        );
        assert_eq!(
            (one.lower_bound.clone(), found.answer.recheck()),
            (whole(11), &Recheck::Proved)
        );
        assert_eq!(check_single(one), Ok(Recheck::Proved));
    }
    assert!(judge_sequence(&processors, &[0, 1], Method::Auto, &budget).is_err());
}

/// A tree that combines only neighbours is not a commutative one. The bound is the optimum of all trees.
#[test]
fn trees_beside_the_best() {
    let costs = EqualCosts::new(whole(2), whole(3)).unwrap();
    for (receivers, length, commutative) in [
        (&[0, 0, 1][..], 10, false),
        (&[0, 0, 0, 0], 11, false),
        (&[0, 0, 0, 1], 10, true),
        (&[2, 2, 2], 8, false),
    ] {
        let found = judge_tree(receivers, &costs).unwrap();
        let one = found.answer.claim();
        assert_eq!(one.commutative, commutative, "{receivers:?}");
        assert_eq!(one.reduction.length, whole(length), "{receivers:?}");
        assert!(found.best <= one.reduction.length && found.best == one.lower_bound);
        assert_eq!(check_single(one), Ok(Recheck::Proved));
    }
    assert!(judge_tree(&[0, 1], &costs).is_err());
}

#[test]
fn any_root_is_checked() {
    let costs = EqualCosts::new(whole(1), whole(1)).unwrap();
    for root in [0, 7, 99] {
        let answer = reduce_into(100, root, &costs, Concurrency::Unlimited).unwrap();
        assert_eq!(answer.status(), Status::Optimal);
        let one = answer.into_claim();
        assert!(!one.commutative);
        assert_eq!(u64::from(one.reduction.root), root);
    }
    assert!(reduce_into(100, 100, &costs, Concurrency::Unlimited).is_err());
}

/// With slowest-node-first it is Theorem 3. With the best reduction it is never longer, and the bound never lower.
#[test]
fn all_reductions_by_the_best_reduction() {
    let mut shorter = 0;
    for seed in 0..30_u64 {
        let mut list: Vec<u64> = (0..1 + seed % 8)
            .map(|index| 1 + (seed * 7 + index * 13 + index * index * 5) % 11)
            .collect();
        if seed == 0 {
            // The smallest cluster for which slowest-node-first is not optimal: four fast senders and four slow ones.
            list = vec![2, 2, 2, 2, 2, 3, 3, 3, 3];
        }
        let (own, budget) = (times(&list), Budget::of_states(u64::MAX));
        let simple = theorem_3(&own).unwrap();
        let same = all_reduce(&own, None, Method::SlowestFirst, &budget)
            .unwrap()
            .answer
            .into_claim();
        assert_eq!(
            (&same.reduction, &same.length()),
            (&simple.reduction, &simple.length)
        );
        let answer = all_reduce(&own, None, Method::Auto, &budget).unwrap();
        assert!(answer.answer.is_proved(), "{list:?}");
        let (best, found) = (answer.answer.into_claim(), answer.found);
        assert!(
            best.length() <= simple.length && best.lower_bound >= simple.lower_bound,
            "{list:?}"
        );
        assert_eq!(best.reduction.length, found.answer.claim().length);
        assert!(best.lower_bound <= best.length());
        shorter += u32::from(best.length() < simple.length);
        for destination in 0..own.len() {
            let all = all_reduce(&own, Some(destination), Method::Auto, &budget)
                .unwrap()
                .answer
                .into_claim();
            assert_eq!(
                (all.reduction.root as usize, all.broadcast.root as usize),
                (destination, destination)
            );
            let answer = broadcast_heterogeneous(&own, destination).unwrap();
            assert!(answer.is_proved());
            let one = answer.into_claim();
            let (broadcast, bound) = (one.broadcast, one.lower_bound);
            assert_eq!(&all.reduction.length + &broadcast.length, all.length());
            assert!(
                bound <= broadcast.length
                    && bound <= all.length()
                    && all.lower_bound <= all.length()
            );
        }
    }
    assert!(shorter >= 1, "{shorter}");
    assert!(all_reduce(&[], None, Method::Auto, &Budget::of_states(9)).is_err());
    assert!(
        all_reduce(
            &times(&[1, 2]),
            Some(2),
            Method::Auto,
            &Budget::of_states(9)
        )
        .is_err()
    );
    assert!(broadcast_heterogeneous(&times(&[1, 2]), 2).is_err());
}
