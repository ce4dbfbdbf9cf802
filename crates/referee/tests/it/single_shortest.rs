//! Every kind of proof against lengths found by enumeration: a bound is accepted if and only if it is true.

use crate::common::{broken, told};
use crate::single_support;

use std::collections::BTreeSet;

use num_traits::{One, Zero};
use oneport_plan::{
    Class, Concurrency, Dates, Instance, Proof, Reduction, SenderWeights, Shortest, SingleCosts,
    SlotPrices,
};
use oneport_platform::Rational;
use oneport_referee::{Recheck, Rule, Violation, check_shortest};
use oneport_testkit::whole;
use single_support::{Dice, brute, make, ratio};

fn equal(values: u64, d: &Rational, c: &Rational, limit: Concurrency) -> Instance {
    Instance::Equal {
        values,
        transfer: d.clone(),
        compute: c.clone(),
        limit,
    }
}

fn classes(senders: &[(u64, u64)], unit: &Rational) -> Instance {
    Instance::Classes(
        senders
            .iter()
            .map(|&(time, senders)| Class {
                time: whole(time) * unit,
                senders,
            })
            .collect(),
    )
}

/// The verdict on a bound alone.
fn bound(instance: &Instance, bound: &Rational, proof: Proof) -> Result<Recheck, Violation> {
    check_shortest(
        &Shortest {
            instance: instance.clone(),
            length: bound.clone(),
            lower_bound: bound.clone(),
            proof,
            reduction: None,
        },
        &|| true,
    )
}

/// Accepted exactly up to `optimum`.
#[track_caller]
fn assert_tight(instance: &Instance, optimum: &Rational, largest: &Rational, proof: &Proof) {
    let tick = largest / whole(12);
    for steps in 0..=14 {
        let claimed = &tick * whole(steps);
        let verdict = bound(instance, &claimed, proof.clone());
        assert_eq!(
            verdict == Ok(Recheck::Proved),
            claimed <= *optimum,
            "{claimed} of {optimum}: {verdict:?} {instance:?}"
        );
    }
    let above = optimum + &tick / whole(1_u64 << 40);
    assert_eq!(
        bound(instance, optimum, proof.clone()),
        Ok(Recheck::Proved),
        "{instance:?}"
    );
    let verdict = bound(instance, &above, proof.clone());
    assert!(
        broken(&verdict, Rule::Proof) && told(&verdict).contains(" is not proved: "),
        "{verdict:?} {instance:?}"
    );
}

const COSTS: [(u64, u64); 9] = [
    (0, 0),
    (1, 0),
    (0, 1),
    (1, 1),
    (2, 1),
    (1, 2),
    (3, 2),
    (2, 5),
    (7, 2),
];

#[test]
fn counting_proves_exactly_the_true_bounds() {
    let mut dice = Dice(11);
    for (d, c) in COSTS {
        for n in 1..=7 {
            let unit = make::factor(&mut dice);
            let (transfer, compute) = (&unit * whole(d), &unit * whole(c));
            let limits = (1..=3)
                .map(Concurrency::Reducers)
                .chain([Concurrency::Unlimited, Concurrency::Reducers(u64::MAX)]);
            for limit in limits {
                let optimum = &unit * whole(brute::equal(n, d, c, limit));
                let instance = equal(n as u64, &transfer, &compute, limit);
                assert_tight(&instance, &optimum, &(&optimum + &unit), &Proof::Counting);
            }
        }
    }
}

#[test]
fn limited_transfers_are_proved_by_algorithm_2_or_counting() {
    for (d, c) in COSTS {
        for n in 1..=6 {
            for limit in (1..=3).map(Concurrency::Transfers) {
                let optimum = whole(brute::equal(n, d, c, limit));
                let instance = equal(n as u64, &whole(d), &whole(c), limit);
                let largest = &optimum + whole(1);
                assert_tight(&instance, &optimum, &largest, &Proof::LimitedTransfers);
                assert_tight(
                    &instance,
                    &optimum,
                    &largest,
                    &Proof::Exhaustion { states: 1 },
                );
                if d >= c {
                    assert_tight(&instance, &optimum, &largest, &Proof::Counting);
                } else {
                    // Counting without the limit proves a weaker but valid bound.
                    let free = whole(brute::equal(n, d, c, Concurrency::Unlimited));
                    assert_tight(&instance, &free, &largest, &Proof::Counting);
                }
            }
        }
    }
}

/// Hundreds of senders' worth of small instances, with integer times, up to 7 senders.
fn small_instances(dice: &mut Dice, rounds: usize) -> Vec<Vec<(u64, u64)>> {
    let one = |dice: &mut Dice| {
        let range = [4, 12, 30][dice.below(3)];
        let mut times: Vec<u64> = (0..=dice.below(7)).map(|_| 2 + dice.below(range)).collect();
        times.sort_unstable();
        let mut classes: Vec<(u64, u64)> = Vec::new();
        for time in times {
            match classes.last_mut() {
                Some(class) if class.0 == time => class.1 += 1,
                _ => classes.push((time, 1)),
            }
        }
        classes
    };
    (0..rounds).map(|_| one(dice)).collect()
}

#[test]
fn exhaustion_proves_exactly_the_true_bounds() {
    let mut dice = Dice(12);
    for senders in small_instances(&mut dice, 250) {
        let unit = if dice.chance(50) {
            ratio(1, 1)
        } else {
            ratio(2, 7)
        };
        let optimum = whole(brute::classes(&senders)) * &unit;
        let proof = Proof::Exhaustion { states: 1 };
        assert_tight(
            &classes(&senders, &unit),
            &optimum,
            &(&optimum + &unit),
            &proof,
        );
    }
}

#[test]
fn slowest_first_is_accepted_where_it_is_optimal() {
    let mut dice = Dice(13);
    let mut applies = 0;
    let chains = (0..150).map(|_| {
        let (mut time, mut left) = (1 + dice.below(3), 6);
        let mut senders = Vec::new();
        while left > 0 {
            let count = 1 + dice.below(left);
            senders.push((time, count));
            left -= count.min(left);
            time *= 2 + dice.below(3);
            if dice.chance(30) {
                break;
            }
        }
        senders
    });
    let chains: Vec<Vec<(u64, u64)>> = chains.collect();
    let wide = [(2, 5), (2, 7), (3, 7), (4, 9)].map(|(fast, slow)| vec![(fast, 4), (slow, 3)]);
    for senders in chains
        .into_iter()
        .chain(wide)
        .chain(small_instances(&mut Dice(14), 100))
    {
        let optimum = whole(brute::classes(&senders));
        let instance = classes(&senders, &ratio(1, 1));
        let divides = senders.windows(2).all(|pair| pair[1].0 % pair[0].0 == 0);
        if divides || senders.len() == 2 && senders[1].0 >= 2 * senders[0].0 {
            assert_tight(
                &instance,
                &optimum,
                &(&optimum + whole(1)),
                &Proof::SlowestFirst,
            );
            applies += 1;
        } else {
            let verdict = bound(&instance, &optimum, Proof::SlowestFirst);
            assert!(
                broken(&verdict, Rule::Proof) && told(&verdict).starts_with("a proof by "),
                "{verdict:?}"
            );
        }
    }
    assert!(applies > 150, "{applies}");
}

#[test]
fn levels_prove_exactly_the_true_bounds() {
    for (fast, slow) in [
        (10, 11),
        (10, 13),
        (2, 3),
        (10, 17),
        (10, 19),
        (1, 2),
        (10, 23),
        (3, 8),
        (2, 9),
        (1, 70),
    ] {
        let mut table = brute::Table::new(fast, slow);
        for f in 1..=22 {
            for s in 1..=22 {
                let optimum = whole(table.length(f, s));
                let instance = classes(&[(fast, f), (slow, s)], &ratio(1, 3));
                assert_eq!(
                    bound(&instance, &(&optimum / whole(3)), Proof::Levels),
                    Ok(Recheck::Proved),
                    "{instance:?}"
                );
                let above = (optimum + ratio(1, 1000)) / whole(3);
                let verdict = bound(&instance, &above, Proof::Levels);
                let refused =
                    broken(&verdict, Rule::Proof) && told(&verdict).contains(" is not proved: ");
                assert!(refused, "{above} {instance:?} {verdict:?}");
            }
        }
    }
    // The table itself against all sequences.
    for (f, s) in [(1, 6), (3, 4), (4, 4), (5, 2), (2, 5)] {
        for (fast, slow) in [(2, 3), (10, 11), (10, 19), (2, 5)] {
            assert_eq!(
                brute::Table::new(fast, slow).length(f, s),
                brute::classes(&[(fast, f), (slow, s)])
            );
        }
    }
}

/// Capacity prices: `y(a)` is the number of senders of time `t` that fit below a slot of date `a`. They prove the bound
/// of counting all senders as if they took `t`.
fn capacity(times: &[u64], t: u64, bound: u64) -> SlotPrices {
    let dates = sums(times, bound);
    let room = |a: u64| {
        (Rational::one() + Rational::one()).pow(((bound - 1 - a) / t) as i32) - Rational::one()
    };
    SlotPrices {
        prices: dates
            .into_iter()
            .map(|a| (whole(a), room(a)))
            .filter(|(_, price)| !price.is_zero())
            .collect(),
    }
}

/// All sums of times below `bound`.
fn sums(times: &[u64], bound: u64) -> BTreeSet<u64> {
    let mut sums = BTreeSet::new();
    let mut next = vec![0];
    while let Some(sum) = next.pop() {
        if sum < bound && sums.insert(sum) {
            next.extend(times.iter().map(|time| sum + time));
        }
    }
    sums
}

/// The statement of `SlotPrices`, word by word.
fn prices_prove(senders: &[(u64, u64)], bound: u64, prices: &SlotPrices) -> bool {
    let price = |date: u64| {
        let found = prices
            .prices
            .iter()
            .find(|(other, _)| *other == whole(date));
        found.map_or_else(Rational::zero, |(_, price)| price.clone())
    };
    let times: Vec<u64> = senders.iter().map(|class| class.0).collect();
    let mut used = Rational::zero();
    for &(time, count) in senders {
        let dates = sums(&times, bound).into_iter().filter(|a| a + time < bound);
        match dates.map(|a| price(a) - whole(2) * price(a + time)).min() {
            Some(least) => used += least * whole(count),
            None => return true,
        }
    }
    used > price(0)
}

#[test]
fn prices_are_judged_as_stated_and_prove_nothing_false() {
    let mut dice = Dice(15);
    let (mut proved, mut refused) = (0, 0);
    for senders in small_instances(&mut dice, 150) {
        let optimum = brute::classes(&senders);
        let instance = classes(&senders, &ratio(3, 2));
        let times: Vec<u64> = senders.iter().map(|class| class.0).collect();
        for below in 0..5_u64 {
            let claimed = (optimum + 1)
                .saturating_sub(below * (1 + optimum / 8))
                .max(1);
            let mut prices = capacity(&times, times[dice.below(times.len())], claimed);
            for _ in 0..4 {
                let scaled = SlotPrices {
                    prices: prices
                        .prices
                        .iter()
                        .map(|(date, price)| (date * ratio(3, 2), price.clone()))
                        .collect(),
                };
                let verdict = bound(
                    &instance,
                    &(whole(claimed) * ratio(3, 2)),
                    Proof::Prices(scaled),
                );
                assert_eq!(
                    verdict.is_ok(),
                    prices_prove(&senders, claimed, &prices),
                    "{verdict:?}"
                );
                if verdict.is_ok() {
                    assert_eq!(verdict, Ok(Recheck::Proved));
                    assert!(
                        claimed <= optimum,
                        "{claimed} is no bound for {senders:?}: {optimum}"
                    );
                    proved += 1;
                } else {
                    refused += 1;
                }
                if prices.prices.is_empty() {
                    break;
                }
                let index = dice.below(prices.prices.len());
                match dice.below(3) {
                    0 => prices.prices[index].1 += ratio(1, 3),
                    1 => prices.prices[index].1 = ratio(1, 5),
                    _ => drop(prices.prices.remove(index)),
                }
            }
        }
    }
    assert!(
        proved > 300 && refused > 300,
        "{proved} proved, {refused} refused"
    );
}

#[test]
fn malformed_prices_are_refused() {
    let instance = classes(&[(1, 4)], &ratio(1, 1));
    let told = |prices: Vec<(Rational, Rational)>| {
        bound(
            &instance,
            &ratio(3, 1),
            Proof::Prices(SlotPrices { prices }),
        )
        .unwrap_err()
        .to_string()
    };
    let [zero, one, two] = [0, 1, 2].map(|value| ratio(value, 1));
    // Three levels take 7, two 3.
    let right = vec![(zero.clone(), ratio(3, 1)), (one.clone(), one.clone())];
    assert_eq!(
        bound(
            &instance,
            &ratio(3, 1),
            Proof::Prices(SlotPrices {
                prices: right.clone()
            })
        ),
        Ok(Recheck::Proved)
    );
    let swapped = vec![right[1].clone(), right[0].clone()];
    assert_eq!(
        told(swapped),
        "price 1 is for date 0, the one before it for 1; list the dates ascending, each once, from 0 on"
    );
    let negative = vec![(zero.clone(), ratio(-3, 1))];
    assert_eq!(told(negative), "the price 0 is -3; it must be at least 0");
    let early = vec![(ratio(-1, 1), one.clone())];
    assert_eq!(
        told(early),
        "the date of price 0 is -1; it must be at least 0"
    );
    let weak = vec![(zero, two.clone()), (one.clone(), one)];
    assert_eq!(
        told(weak),
        "the lower bound 3 is not proved: all senders use up at least 0, not more than the 2 there is"
    );
}

/// An argument that is too long to repeat is not accepted and not refused.
#[test]
fn long_arguments_are_left_open() {
    let open = |instance: &Instance, at: Rational, proof: Proof| match bound(instance, &at, proof) {
        Ok(Recheck::Unrepeated { why }) => why,
        verdict => panic!("{verdict:?}"),
    };
    let prices = SlotPrices {
        prices: vec![(ratio(0, 1), ratio(1, 1))],
    };
    let near = classes(&[(1_000_003, 10), (1_000_033, 10)], &ratio(1, 1));
    let why = open(
        &near,
        ratio(3_000_000_000_i64, 1),
        Proof::Prices(prices.clone()),
    );
    assert_eq!(why, "there are more than 2000000 dates below the bound");
    let fine = Rational::new(1.into(), num_bigint::BigInt::from(3).pow(90));
    let why = open(
        &classes(&[(2, 10), (3, 10)], &fine),
        ratio(1, 1),
        Proof::Prices(prices),
    );
    assert_eq!(why, "dates with this common denominator exceed 128 bits");
    let many = classes(&[(2, 1), (3, 1_000_000)], &ratio(1, 1));
    let why = open(&many, ratio(4, 1), Proof::Exhaustion { states: 77 });
    assert_eq!(why, "the bound rests on a search through 77 states");
    let crowd = equal(
        1 << 40,
        &ratio(1, 1),
        &ratio(2, 1),
        Concurrency::Transfers(1 << 20),
    );
    let why = open(&crowd, ratio(1 << 20, 1), Proof::LimitedTransfers);
    assert_eq!(why, "the recurrence is repeated for at most 2097152 values");
}

/// Large counts: answers at once, and monotone.
#[test]
fn large_counts_are_judged_quickly() {
    let billion = 1_000_000_000_u64;
    for n in [billion, billion * billion, u64::MAX] {
        for (d, c) in [
            (3, 5),
            (1_000_000_000_000_u64, 1),
            (1, 1_000_000_000_000_u64),
            (1, 1),
        ] {
            for limit in [
                Concurrency::Unlimited,
                Concurrency::Reducers(n / 3),
                Concurrency::Reducers(5),
                Concurrency::Reducers(billion),
            ] {
                let instance = equal(n, &whole(d), &whole(c), limit);
                let holds =
                    |bound_at: &Rational| bound(&instance, bound_at, Proof::Counting).is_ok();
                let [mut low, mut high] = [whole(0), whole(n) * whole(d + c)];
                for _ in 0..120 {
                    let middle = ((&low + &high) / whole(2)).floor();
                    let side = if holds(&middle) { &mut low } else { &mut high };
                    *side = middle;
                }
                assert_eq!(&high - &low, whole(1), "{instance:?}");
                // At the threshold, n values take longer than n - 1 do, or as long.
                let fewer = equal(n - 1, &whole(d), &whole(c), limit);
                assert!(bound(&fewer, &(low + whole(1)), Proof::Counting).is_err());
            }
        }
    }
    let mut repeated = 0;
    for f in [1, 77, billion, u64::MAX / 2] {
        for s in [1, 1000, billion, u64::MAX / 2] {
            for (fast, slow) in [
                (10, 11),
                (2, 3),
                (17, 31),
                (1, 2),
                (7, 101),
                (1, 1_000_000_007),
            ] {
                let instance = classes(&[(fast, f), (slow, s)], &ratio(1, 1));
                let holds = |at: u64| bound(&instance, &whole(at), Proof::Levels);
                let (mut low, mut high) = (0, 70 * slow);
                while high - low > 1 {
                    let middle = low + (high - low) / 2;
                    match holds(middle) {
                        Ok(Recheck::Proved) => low = middle,
                        Ok(Recheck::Unrepeated { why }) => panic!("{middle} {instance:?}: {why}"),
                        Err(_) => high = middle,
                    }
                    repeated += 1;
                }
                if slow >= 2 * fast {
                    assert_eq!(
                        bound(&instance, &whole(low), Proof::SlowestFirst),
                        Ok(Recheck::Proved),
                        "{instance:?}"
                    );
                    assert!(
                        bound(&instance, &whole(high), Proof::SlowestFirst).is_err(),
                        "{instance:?}"
                    );
                }
            }
        }
    }
    assert!(repeated > 500);
}

#[test]
fn the_schedule_must_answer_the_question() {
    let instance = classes(&[(2, 1), (3, 1)], &ratio(1, 2));
    let reduction = Reduction {
        costs: SingleCosts::PerSender(vec![ratio(3, 2), ratio(9, 1), ratio(1, 1)]),
        root: 1,
        receivers: vec![1, 1, 1],
        starts: Dates::Ticks {
            unit: ratio(1, 2),
            ticks: vec![0, 0, 3],
        },
        merges: None,
        ready: None,
        length: ratio(5, 2),
    };
    let right = Shortest {
        instance,
        length: ratio(5, 2),
        lower_bound: ratio(5, 2),
        proof: Proof::Levels,
        reduction: Some(reduction),
    };
    assert_eq!(check_shortest(&right, &|| true), Ok(Recheck::Proved));
    let told = |change: &dyn Fn(&mut Shortest)| {
        let mut changed = right.clone();
        change(&mut changed);
        check_shortest(&changed, &|| true).unwrap_err().to_string()
    };
    let question = "the schedule does not answer the question:";
    assert_eq!(
        told(&|s| s.length = ratio(3, 1)),
        "the length is given as 3, but the schedule's is 5/2"
    );
    assert_eq!(
        told(&|s| s.lower_bound = ratio(3, 1)),
        "the lower bound 3 is above the length 5/2"
    );
    assert_eq!(
        told(&|s| s.instance = classes(&[(2, 2), (3, 1)], &ratio(1, 2))),
        format!("{question} the number of senders is 2, not 3")
    );
    assert_eq!(
        told(&|s| s.instance = classes(&[(3, 2)], &ratio(1, 2))),
        format!("{question} the time of processor 2 is 1, not that of a class")
    );
    assert_eq!(
        told(&|s| s.instance = equal(3, &ratio(1, 1), &ratio(1, 1), Concurrency::Unlimited)),
        format!("{question} the costs are per sender, not equal")
    );
    assert_eq!(
        told(&|s| s.instance = classes(&[(3, 1), (2, 1)], &ratio(1, 2))),
        "class 1 takes 1, the class before it 3/2; list the classes fastest first, each time once"
    );
    assert_eq!(
        told(&|s| s.instance = classes(&[(3, 0)], &ratio(1, 2))),
        "class 0 has 0 senders; leave it out"
    );
    assert_eq!(
        told(&|s| s.proof = Proof::SlowestFirst),
        "a proof by slowest first needs times that divide one another, or two classes with a ratio of at least 2"
    );
    assert_eq!(
        told(&|s| s.proof = Proof::Counting),
        "a proof by counting needs equal costs"
    );
    // Without a bound there is no proof.
    let mut unproved = right.clone();
    unproved.lower_bound = ratio(0, 1);
    unproved.proof = Proof::Counting;
    assert_eq!(check_shortest(&unproved, &|| true), Ok(Recheck::Proved));
}

/// For all weights, bounds are accepted exactly up to the optimum, also if times are lowered to 0.
#[test]
fn weights_of_senders_prove_exactly_the_true_bounds() {
    let mut dice = Dice(23);
    for senders in small_instances(&mut dice, 60) {
        let count: u64 = senders.iter().map(|class| class.1).sum();
        let mut list = |most: u64| (0..most).map(|_| dice.below(30) as i64 - 6).collect();
        let lists = (1..=count.min(4))
            .map(|most| list(count.min(2 * most)))
            .collect();
        let weights = Proof::Weights(SenderWeights { lists });
        let optimum = whole(brute::classes(&senders)) * ratio(3, 2);
        let instance = classes(&senders, &ratio(3, 2));
        assert_tight(&instance, &optimum, &(&optimum + whole(3)), &weights);
        let lowered: Vec<(u64, u64)> = senders
            .iter()
            .map(|&(time, count)| (time / 4 * 3, count))
            .collect();
        let proof = Proof::Lowered {
            times: lowered
                .iter()
                .map(|&(time, _)| whole(time) * ratio(3, 2))
                .collect(),
            proof: Box::new(weights),
        };
        let optimum = whole(brute::classes(&lowered)) * ratio(3, 2);
        assert_tight(&instance, &optimum, &(&optimum + whole(3)), &proof);
    }
}

/// One list is enough for many senders, and the limits are kept.
#[test]
fn weights_of_many_senders() {
    // With equal weights the 40 like senders are counted: 5 levels of slots have room for 31, 6 for 63.
    let even = |lists, list: usize| {
        Proof::Weights(SenderWeights {
            lists: vec![vec![1; list]; lists],
        })
    };
    let instance = classes(&[(3, 40)], &ratio(1, 7));
    let claim = |ticks: u64, proof| bound(&instance, &(whole(ticks) * ratio(1, 7)), proof);
    assert_eq!(claim(18, even(1, 40)), Ok(Recheck::Proved));
    assert_ne!(claim(19, even(1, 40)), Ok(Recheck::Proved));
    for (list, weight) in [(0, 1), (41, 1), (3, i64::MAX), (3, i64::MIN)] {
        let lists = vec![vec![weight; list]];
        let verdict = claim(18, Proof::Weights(SenderWeights { lists }));
        assert!(told(&verdict).contains("list 0 has "), "{verdict:?}");
    }
    let many = classes(&[(3, 2001)], &ratio(1, 7));
    assert!(matches!(
        bound(&many, &ratio(1, 7), even(1, 1)),
        Ok(Recheck::Unrepeated { .. })
    ));
    let equal = equal(3, &ratio(1, 1), &ratio(1, 1), Concurrency::Unlimited);
    assert!(told(&bound(&equal, &ratio(1, 1), even(1, 1))).starts_with("a proof by weights"));
}

/// Lowered times prove their own optimum, for all classes. Raised ones prove nothing.
#[test]
fn lowered_times_prove_their_own_optimum() {
    let mut dice = Dice(19);
    let one = Rational::one();
    for _ in 0..60 {
        let senders: Vec<(u64, u64)> = (0..3)
            .map(|class| (4 * class + 4 + dice.below(4), dice.below(3) + 1))
            .collect();
        let instance = classes(&senders, &one);
        let lowered: Vec<u64> = vec![4, 4 + 4 * dice.below(2), 8];
        let pairs: Vec<(u64, u64)> = lowered
            .iter()
            .zip(&senders)
            .map(|(&time, &(_, count))| (time, count))
            .collect();
        let optimum = whole(brute::classes(&pairs));
        let proof = |times: &[u64]| Proof::Lowered {
            times: times.iter().map(|&time| whole(time)).collect(),
            proof: Box::new(Proof::SlowestFirst),
        };
        assert_tight(&instance, &optimum, &whole(60), &proof(&lowered));
        let raised = [lowered[0], senders[1].0 + 1, lowered[2]];
        // If times double, slowest first is the best: the third is wrong only because one time is raised.
        for wrong in [&raised[..], &lowered[..2], &[4, 8, 16], &[0, 4, 8]] {
            let verdict = bound(&instance, &one, proof(wrong));
            assert!(
                told(&verdict).starts_with("a proof by "),
                "{wrong:?}: {verdict:?}"
            );
        }
        let nested = Proof::Lowered {
            times: vec![one.clone(); 3],
            proof: Box::new(proof(&lowered)),
        };
        assert!(told(&bound(&instance, &one, nested)).starts_with("a proof by "));
    }
}

/// Costs that fit no machine integer: the answers are those of small ones, in another unit.
#[test]
fn the_unit_of_costs_does_not_matter() {
    let unit = Rational::new((num_bigint::BigInt::from(1) << 200) + 1, 3.into());
    for (d, c) in COSTS {
        let (transfer, compute) = (&unit * whole(d), &unit * whole(c));
        for n in [2, 4, 5] {
            for limit in [1, 2] {
                let optimum = &unit * whole(brute::equal(n, d, c, Concurrency::Transfers(limit)));
                let instance = equal(n as u64, &transfer, &compute, Concurrency::Transfers(limit));
                assert_tight(
                    &instance,
                    &optimum,
                    &(&optimum + &unit),
                    &Proof::LimitedTransfers,
                );
            }
            let optimum = &unit * whole(brute::equal(n, d, c, Concurrency::Reducers(2)));
            let instance = equal(n as u64, &transfer, &compute, Concurrency::Reducers(2));
            assert_tight(&instance, &optimum, &(&optimum + &unit), &Proof::Counting);
        }
    }
    for senders in [[(2, 3), (3, 3)], [(2, 2), (5, 4)], [(10, 4), (11, 2)]] {
        let optimum = whole(brute::classes(&senders)) * &unit;
        assert_tight(
            &classes(&senders, &unit),
            &optimum,
            &(&optimum + &unit),
            &Proof::Levels,
        );
    }
}

/// Under a limit of 0 no values can be combined, and an empty instance is not a problem.
#[test]
fn questions_without_an_answer_are_refused() {
    let one = ratio(1, 1);
    let with = |values, limit| {
        bound(
            &equal(values, &one, &one, limit),
            &ratio(0, 1),
            Proof::Counting,
        )
    };
    assert_eq!(
        told(&with(0, Concurrency::Unlimited)),
        "there are 0 values; give at least 1"
    );
    assert_eq!(
        told(&with(0, Concurrency::Transfers(0))),
        "there are 0 values; give at least 1"
    );
    for values in [2, 3, u64::MAX] {
        for (limit, what) in [
            (Concurrency::Transfers(0), "transfers"),
            (Concurrency::Reducers(0), "reducers"),
        ] {
            let right = format!("the limit is 0 {what}; with more than one value allow at least 1");
            assert_eq!(told(&with(values, limit)), right);
        }
    }
    // A single value is there already.
    for limit in [
        Concurrency::Transfers(0),
        Concurrency::Reducers(0),
        Concurrency::Unlimited,
    ] {
        assert_eq!(with(1, limit), Ok(Recheck::Proved));
    }
    for (transfer, compute) in [(-1, 1), (1, -1)] {
        let instance = equal(
            2,
            &ratio(transfer, 1),
            &ratio(compute, 1),
            Concurrency::Unlimited,
        );
        let verdict = bound(&instance, &ratio(0, 1), Proof::Counting);
        assert!(
            told(&verdict).ends_with(" is -1; it must be at least 0"),
            "{verdict:?}"
        );
    }
}

/// Twenty values, transfers of 1 and merges of 2: one transfer at a time takes 22, two at a time 15 (by the recurrence
/// of RR-7898, Algorithm 2, by hand). Counting proves less, and long numbers give the same result.
#[test]
fn limited_transfers_are_followed_in_numbers_of_any_length() {
    for bits in [0, 60, 94, 95, 96, 200] {
        let unit = Rational::from_integer(num_bigint::BigInt::from(1) << bits);
        for (limit, length) in [(1, 22), (2, 15)] {
            let instance = equal(
                20,
                &unit,
                &(&unit * whole(2)),
                Concurrency::Transfers(limit),
            );
            let right = &unit * whole(length);
            for proof in [Proof::LimitedTransfers, Proof::Exhaustion { states: 1 }] {
                assert_eq!(
                    bound(&instance, &right, proof.clone()),
                    Ok(Recheck::Proved),
                    "{bits} {limit}"
                );
                let more = bound(&instance, &(&right + ratio(1, 1000)), proof);
                assert!(broken(&more, Rule::Proof), "{bits} {limit}: {more:?}");
            }
            assert!(broken(
                &bound(&instance, &right, Proof::Counting),
                Rule::Proof
            ));
        }
    }
}
