//! Slowest-node-first: lengths by class, theorems, bounds, worst cases.

use crate::common;

use std::collections::BTreeMap;

use common::{
    Dice, check_placement, cluster, cluster_of, endless, int, optimum, processors_of, ratio,
    replay, tree_optimum,
};
use oneport_heterogeneous::slowest_first::{self, Reason, is_optimal_by_theorem, raised};
use oneport_heterogeneous::{Method, bound, shortest};
use oneport_plan::{Proof, Status};
use oneport_platform::Rational;

fn best(times: &[u64]) -> u64 {
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    for &time in times {
        *counts.entry(time).or_default() += 1;
    }
    tree_optimum(
        &counts.into_iter().collect::<Vec<_>>(),
        &mut BTreeMap::new(),
    )
}

#[test]
fn lengths_by_class_are_those_of_the_schedule() {
    let mut random = Dice(11);
    for _ in 0..400 {
        let classes: Vec<_> = (0..random.within(1, 6))
            .map(|_| {
                (
                    ratio(random.within(1, 40) as i64, random.within(1, 3) as i64),
                    random.within(1, 60),
                )
            })
            .collect();
        let cluster = cluster(&classes);
        let reduction = slowest_first::schedule(&processors_of(&cluster)).unwrap();
        assert_eq!(slowest_first::length(&cluster), replay(&reduction));
        let answer = shortest(&cluster, Method::SlowestFirst, &endless()).unwrap();
        assert_eq!(answer.shortest.length, reduction.length);
        assert!(check_placement(&cluster, &answer.placement) <= reduction.length);
        assert_eq!(
            answer.schedule(&processors_of(&cluster)).unwrap(),
            reduction
        );
    }
}

#[test]
fn counts_up_to_two_to_the_63() {
    let one = cluster(&[(ratio(2, 3), 1 << 63)]);
    assert_eq!(slowest_first::length(&one), ratio(128, 3));
    assert_eq!(
        slowest_first::length(&cluster(&[(ratio(2, 3), (1 << 63) - 1)])),
        int(42)
    );
    // Homogeneous rounding encloses the length. A common factor scales it, also beyond machine words.
    let mut random = Dice(12);
    for _ in 0..30 {
        let k = random.within(2, 12);
        let classes: Vec<(Rational, u64)> = (0..k)
            .map(|_| {
                (
                    int(random.within(1, 1000) as i64),
                    random.within(1, 1 << 59),
                )
            })
            .collect();
        let plain = cluster(&classes);
        let length = slowest_first::length(&plain);
        let levels = int(i64::from(u64::BITS - plain.senders().leading_zeros()));
        let (first, last) = (
            &plain.classes()[0].time,
            &plain.classes()[plain.classes().len() - 1].time,
        );
        assert!(length >= &levels * first && length <= &levels * last);
        let factor = int(i64::MAX) * int(i64::MAX) / int(7);
        let large: Vec<_> = classes
            .iter()
            .map(|(time, senders)| (time * &factor, *senders))
            .collect();
        assert_eq!(slowest_first::length(&cluster(&large)), &length * &factor);
        assert!(bound::lower_bound(&plain).length <= length);
        let answer = shortest(&plain, Method::SlowestFirst, &endless()).unwrap();
        assert!(check_placement(&plain, &answer.placement) <= length);
    }
}

/// Theorem 1 and its extension: each time divides the next.
#[test]
fn divisor_chains() {
    let mut random = Dice(13);
    let mut several = 0;
    for round in 0..1500 {
        let mut chain = vec![random.within(1, 2)];
        for _ in 0..random.within(1, 3) {
            chain.push(
                chain[chain.len() - 1] * random.within(2, if round % 3 == 0 { 2 } else { 5 }),
            );
        }
        let n = random.within(2, 11) as usize;
        let times: Vec<u64> = (0..n)
            .map(|_| chain[random.within(0, chain.len() as u64 - 1) as usize])
            .collect();
        let cluster = cluster_of(&times);
        several += u32::from(cluster.classes().len() > 2);
        assert!(is_optimal_by_theorem(&cluster).is_some());
        assert_eq!(
            slowest_first::length(&cluster),
            int(best(&times) as i64),
            "{times:?}"
        );
        let answer = shortest(&cluster, Method::Auto, &endless()).unwrap();
        assert_eq!(
            (answer.shortest.stated_status(), &answer.shortest.proof),
            (Status::Optimal, &Proof::SlowestFirst)
        );
    }
    assert!(several > 300);
}

#[test]
fn reasons() {
    let reason = |times: &[u64]| is_optimal_by_theorem(&cluster_of(times));
    assert_eq!(reason(&[]), Some(Reason::OneClass));
    assert_eq!(reason(&[3, 3, 3]), Some(Reason::OneClass));
    assert_eq!(reason(&[3, 6, 6, 18]), Some(Reason::DivisorChain));
    assert_eq!(reason(&[3, 7]), Some(Reason::TwoClasses));
    assert_eq!(reason(&[3, 5]), None);
    assert_eq!(reason(&[3, 6, 15]), None);
}

/// Theorem 2, with its comparison and lower bounds, over random clusters.
#[test]
fn at_most_twice_the_optimum() {
    let mut random = Dice(14);
    let (mut worse, mut closed) = (0, 0);
    for _ in 0..1500 {
        let n = random.within(1, 9) as usize;
        let most = random.within(2, 30);
        let times: Vec<u64> = (0..n)
            .map(|_| random.within(1.max(most / 4), most))
            .collect();
        let cluster = cluster_of(&times);
        let optimum = int(best(&times) as i64);
        let length = slowest_first::length(&cluster);
        let raised = raised(&cluster);
        assert!(is_optimal_by_theorem(&raised).is_some());
        assert!(length <= slowest_first::length(&raised));
        assert!(slowest_first::length(&raised) <= int(2) * &optimum);
        worse += u32::from(length > optimum);
        let bound = bound::lower_bound(&cluster);
        assert!(bound.length <= optimum, "{times:?}");
        closed += u32::from(bound.length == optimum);
        let lowered = bound
            .times
            .iter()
            .zip(cluster.classes())
            .all(|(lowered, class)| *lowered <= class.time);
        assert!(lowered && bound.times.len() == cluster.classes().len());
        assert!(
            bound.length * int(2) >= length,
            "the bound is within Theorem 2"
        );
    }
    assert!(worse > 10 && closed > 500, "{worse} {closed}");
}

#[test]
fn worst_cases_known() {
    for (times, length, optimum) in [
        ([4, 6, 6, 6, 9, 9, 9, 10], 25, 22),
        ([4, 11, 11, 11, 17, 17, 17, 17], 43, 38),
        ([2, 2, 2, 2, 3, 3, 3, 3], 9, 8),
    ] {
        let cluster = cluster_of(&times);
        assert_eq!(slowest_first::length(&cluster), int(length));
        assert_eq!(common::optimum(&times), optimum);
        assert_eq!(best(&times), optimum);
        let dynamic = shortest(&cluster, Method::DynamicProgram, &endless()).unwrap();
        assert_eq!(dynamic.shortest.length, int(optimum as i64));
    }
}

/// Observation 1: trees with the fastest sender at the root of every part (the dynamic program's) are as good as any.
#[test]
fn the_fastest_may_be_on_top() {
    let mut random = Dice(15);
    for _ in 0..200 {
        let n = random.within(2, 8) as usize;
        let times: Vec<u64> = (0..n).map(|_| random.within(3, 9)).collect();
        let cluster = cluster_of(&times);
        let answer = shortest(&cluster, Method::DynamicProgram, &endless()).unwrap();
        assert_eq!(
            check_placement(&cluster, &answer.placement),
            int(optimum(&times) as i64)
        );
        let reduction = answer.schedule(&processors_of(&cluster)).unwrap();
        assert_eq!(replay(&reduction), answer.shortest.length);
    }
}
