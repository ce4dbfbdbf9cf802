//! Slot flow against brute force, other methods, and the statement of its certificate.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use num_traits::{Signed, Zero};
use oneport_heterogeneous::{
    Answer, Budget, Cluster, Destination, Error, Method, Processors, shortest,
};
use oneport_plan::{Class, Proof, SlotPrices};
use oneport_platform::Rational;
use oneport_testkit::whole;
use oneport_testkit::{Dice, ratio};

const FREE: Budget = Budget {
    states: u64::MAX,
    watch: &|_| ControlFlow::Continue(()),
};

fn cluster(classes: &[(Rational, u64)]) -> Cluster {
    let class = |(time, senders): &(Rational, u64)| Class {
        time: time.clone(),
        senders: *senders,
    };
    Cluster::new(&classes.iter().map(class).collect::<Vec<_>>()).unwrap()
}

/// The shortest earliest-possible schedule over all orders of the classes: a sender starts when two processors are
/// idle.
fn brute_force(classes: &[Class]) -> Rational {
    fn go(
        left: &mut Vec<Class>,
        idle: usize,
        now: Rational,
        ends: &mut Vec<Rational>,
        best: &mut Option<Rational>,
    ) {
        let latest = ends.iter().max().cloned().unwrap_or_default();
        if best.as_ref().is_some_and(|best| latest >= *best) {
            return;
        }
        if left.iter().all(|class| class.senders == 0) {
            *best = Some(latest);
            return;
        }
        if idle < 2 {
            let next = ends.iter().filter(|end| **end > now).min().unwrap().clone();
            let done = ends.iter().filter(|end| **end == next).count();
            return go(left, idle + done, next, ends, best);
        }
        for class in 0..left.len() {
            if left[class].senders > 0 {
                left[class].senders -= 1;
                ends.push(&now + &left[class].time);
                go(left, idle - 2, now.clone(), ends, best);
                ends.pop();
                left[class].senders += 1;
            }
        }
    }
    let senders: u64 = classes.iter().map(|class| class.senders).sum();
    let mut best = None;
    go(
        &mut classes.to_vec(),
        senders as usize + 1,
        Rational::zero(),
        &mut Vec::new(),
        &mut best,
    );
    best.unwrap()
}

/// Whether the prices prove the bound, by the definition in [`SlotPrices`].
fn proves(prices: &SlotPrices, classes: &[Class], bound: &Rational) -> bool {
    if !prices.prices.windows(2).all(|pair| pair[0].0 < pair[1].0)
        || prices.prices.iter().any(|(_, y)| y.is_negative())
    {
        return false;
    }
    let mut dates = BTreeSet::from([Rational::zero()]);
    let mut queue = vec![Rational::zero()];
    while let Some(date) = queue.pop() {
        for class in classes {
            let sum = &date + &class.time;
            if sum < *bound && dates.insert(sum.clone()) {
                queue.push(sum);
            }
        }
    }
    let listed: BTreeMap<&Rational, &Rational> = prices
        .prices
        .iter()
        .map(|(date, price)| (date, price))
        .collect();
    let y = |date: &Rational| {
        listed
            .get(date)
            .map_or_else(Rational::zero, |price| (*price).clone())
    };
    let mut need = Rational::zero();
    for class in classes {
        let fitting = dates.iter().filter(|date| *date + &class.time < *bound);
        let Some(least) = fitting
            .map(|date| y(date) - y(&(date + &class.time)) * ratio(2, 1))
            .min()
        else {
            return true; // no date at all for this class
        };
        need += least * whole(class.senders);
    }
    need > y(&Rational::zero())
}

/// Checks all claims of an answer except optimality: placement, schedule, prices.
fn check(cluster: &Cluster, answer: &Answer) {
    let shortest = &answer.shortest;
    assert!(shortest.lower_bound <= shortest.length);
    let mut open: BTreeMap<Rational, u128> = BTreeMap::from([(Rational::zero(), 1)]);
    let mut left: Vec<u64> = cluster
        .classes()
        .iter()
        .map(|class| class.senders)
        .collect();
    let mut latest = Rational::zero();
    for row in &answer.placement.rows {
        let end = &row.date + &cluster.classes()[row.class].time;
        let slots = open.get_mut(&row.date).expect("slots of that date");
        *slots = slots
            .checked_sub(row.senders.into())
            .expect("as many slots");
        left[row.class] -= row.senders;
        *open.entry(end.clone()).or_default() += 2 * u128::from(row.senders);
        latest = latest.max(end);
    }
    assert!(left.iter().all(|&left| left == 0));
    assert_eq!(latest, shortest.length);
    if let Proof::Prices(prices) = &shortest.proof {
        assert!(proves(prices, cluster.classes(), &shortest.lower_bound));
        // A later bound that is proved too would make this claim weaker than possible. One tick is enough.
        assert!(shortest.lower_bound.is_positive());
    }
    if cluster.senders() <= 5000 {
        let times = cluster
            .classes()
            .iter()
            .flat_map(|class| (0..class.senders).map(|_| class.time.clone()))
            .collect();
        let processors = Processors::new(times, Destination::Outside).unwrap();
        assert!(answer.schedule(&processors).unwrap().length <= shortest.length);
    }
}

fn solve(cluster: &Cluster, method: Method) -> Answer {
    let answer = shortest(cluster, method, &FREE).unwrap();
    check(cluster, &answer);
    answer
}

/// A random cluster of this number of senders in at most this number of classes.
fn draw_cluster(dice: &mut Dice, senders: u64, classes: u64, span: u64) -> Cluster {
    let whole = dice.below(2) == 0;
    let mut time = || {
        let numerator = (1 + dice.below(span)) as i64;
        ratio(numerator, if whole { 1 } else { 1 + dice.below(6) as i64 })
    };
    let times: Vec<Rational> = (0..classes).map(|_| time()).collect();
    let members: Vec<(Rational, u64)> = (0..senders)
        .map(|_| (times[dice.below(classes) as usize].clone(), 1))
        .collect();
    cluster(&members)
}

#[test]
fn slots_equal_brute_force() {
    let mut dice = Dice::new(1);
    let mut kinds = [0, 0];
    for round in 0..300 {
        let senders = 1 + dice.below(if round % 10 == 0 { 8 } else { 7 });
        let classes = 1 + dice.below(senders.min(4));
        let cluster = draw_cluster(&mut dice, senders, classes, 12);
        let answer = solve(&cluster, Method::Slots);
        let best = brute_force(cluster.classes());
        assert_eq!(answer.shortest.length, best, "{:?}", cluster.classes());
        assert_eq!(answer.shortest.lower_bound, best, "{:?}", cluster.classes());
        kinds[usize::from(matches!(answer.shortest.proof, Proof::Prices(_)))] += 1;
    }
    // Most bounds are met by prices, some are not.
    assert!(kinds[1] > 150 && kinds[0] > 0, "{kinds:?}");
}

#[test]
fn all_distinct_times_by_slots() {
    let mut dice = Dice::new(2);
    for _ in 0..40 {
        let senders = 2 + dice.below(6);
        let cluster = draw_cluster(&mut dice, senders, 30, 30);
        let answer = solve(&cluster, Method::Slots);
        assert_eq!(answer.shortest.length, brute_force(cluster.classes()));
        assert_eq!(answer.shortest.lower_bound, answer.shortest.length);
    }
}

#[test]
fn two_classes_equal_levels() {
    slots_equal_levels(12);
}

#[test]
#[ignore = "long: 60 pairs of classes"]
fn many_two_classes_equal_levels() {
    slots_equal_levels(60);
}

fn slots_equal_levels(draws: usize) {
    let mut dice = Dice::new(3);
    for _ in 0..draws {
        let fast = 2 + dice.below(30) as i64;
        let slow = fast + 1 + dice.below(fast as u64) as i64;
        let bound: u64 = [10, 1000, 1_000_000_000][dice.below(3_usize)];
        let mut counts = |bound| 1 + dice.below(bound);
        let cluster = cluster(&[
            (ratio(fast, 7), counts(bound)),
            (ratio(slow, 7), counts(bound)),
        ]);
        let levels = shortest(&cluster, Method::Levels, &FREE).unwrap().shortest;
        let slots = solve(&cluster, Method::Slots).shortest;
        assert!(
            slots.lower_bound <= levels.length && levels.length <= slots.length,
            "{:?}",
            cluster.classes()
        );
        assert_eq!(slots.length, levels.length, "{:?}", cluster.classes());
        assert_eq!(slots.lower_bound, levels.length, "{:?}", cluster.classes());
    }
}

#[test]
fn large_counts_are_certified() {
    let of = |classes: &[(i64, u64)]| {
        cluster(
            &classes
                .iter()
                .map(|&(t, n)| (ratio(t, 2), n))
                .collect::<Vec<_>>(),
        )
    };
    let large = [
        of(&[(24, 20_058), (30, 36_947), (39, 42_994)]),
        of(&[(38, 30_483), (41, 34_051), (51, 35_465)]),
        of(&[(17, 186_086_193), (25, 383_235_232), (36, 430_678_574)]),
        of(&[(7, 1 << 40), (9, 1 << 41), (11, 1 << 42)]),
        of(&[
            (5, 300),
            (6, 350),
            (11, 280),
            (16, 420),
            (26, 300),
            (39, 350),
        ]),
    ];
    for cluster in large {
        let answer = solve(&cluster, Method::Slots);
        assert_eq!(
            answer.shortest.lower_bound,
            answer.shortest.length,
            "{:?}",
            cluster.classes()
        );
        let slowest_first = shortest(&cluster, Method::SlowestFirst, &FREE)
            .unwrap()
            .shortest;
        assert!(answer.shortest.length <= slowest_first.length);
        assert!(slowest_first.lower_bound <= answer.shortest.length);
    }
}

#[test]
fn prices_are_refused_where_they_prove_nothing() {
    // The checker of these tests can refuse: above the optimum, and with one price changed.
    let cluster = cluster(&[(ratio(3, 1), 4), (ratio(4, 1), 9), (ratio(5, 1), 9)]);
    let shortest = solve(&cluster, Method::Slots).shortest;
    let Proof::Prices(prices) = shortest.proof else {
        panic!("prices")
    };
    assert!(proves(&prices, cluster.classes(), &shortest.lower_bound));
    assert!(!proves(
        &prices,
        cluster.classes(),
        &(&shortest.length + ratio(1, 1))
    ));
    let mut dearer = prices;
    dearer.prices[0].1 *= ratio(2, 1);
    assert!(!proves(&dearer, cluster.classes(), &shortest.lower_bound));
}

#[test]
fn stopped_early_the_bounds_hold() {
    let mut dice = Dice::new(4);
    for _ in 0..30 {
        let cluster = draw_cluster(&mut dice, 7, 4, 12);
        let best = brute_force(cluster.classes());
        for method in [Method::Slots, Method::Search] {
            for patience in [0, 1, 2, 5, 20] {
                let asked = AtomicU64::new(0);
                let watch = |_: &oneport_heterogeneous::SearchProgress| match asked
                    .fetch_add(1, Ordering::Relaxed)
                {
                    count if count < patience => ControlFlow::Continue(()),
                    _ => ControlFlow::Break(()),
                };
                for budget in [
                    Budget {
                        states: u64::MAX,
                        watch: &watch,
                    },
                    Budget {
                        states: patience,
                        ..FREE
                    },
                ] {
                    let answer = shortest(&cluster, method, &budget).unwrap();
                    check(&cluster, &answer);
                    assert!(answer.shortest.lower_bound <= best && best <= answer.shortest.length);
                }
            }
        }
    }
}

#[test]
fn too_many_dates_are_refused_by_name() {
    let mut dice = Dice::new(5);
    let classes: Vec<(Rational, u64)> = (0..16)
        .map(|_| {
            (
                ratio((1_000_000 + dice.below(2_000_000)) as i64, 1),
                1_000_000,
            )
        })
        .collect();
    let refused = shortest(&cluster(&classes), Method::Slots, &FREE);
    assert!(matches!(
        refused,
        Err(Error::Method {
            method: "slots",
            ..
        })
    ));
}
