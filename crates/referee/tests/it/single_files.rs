//! One reduction with bounds on its length.

use oneport_plan::{
    Concurrency, Dates, Instance, Proof, Reduction, SingleCosts, SingleReduction, Status,
};
use oneport_platform::Rational;
use oneport_referee::{Recheck, Rule, SingleAnswer, check_reduction, check_single};

use crate::single_support::{Dice, make, ratio};

fn known(reduction: Reduction) -> SingleReduction {
    let commutative =
        matches!(reduction.costs, SingleCosts::PerSender(_)) || reduction.ready.is_some();
    SingleReduction {
        lower_bound: ratio(0, 1),
        reduction,
        limit: Concurrency::Unlimited,
        commutative,
        proof: None,
    }
}

/// Every schedule that is right alone is right in its file. One whose length is wrong is refused in both.
#[test]
fn files_are_judged_as_their_schedules() {
    let mut dice = Dice(17);
    for round in 0..300 {
        let n = 1 + dice.below(9);
        let reduction = match round % 3 {
            0 => make::equal(n, false, &mut dice),
            1 => make::equal(n, true, &mut dice),
            _ => make::per_sender(n, &mut dice),
        };
        let mut one = known(reduction);
        assert_eq!(check_reduction(&one.reduction, one.limit), Ok(()));
        let unproved = Recheck::Unrepeated {
            why: "no proof is given".into(),
        };
        let right = match one.reduction.costs {
            // A bound of 0 needs no proof.
            SingleCosts::Equal { .. } => Recheck::Proved,
            SingleCosts::PerSender(_) => unproved,
        };
        assert_eq!(check_single(&one), Ok(right), "{one:?}");
        one.lower_bound = &one.reduction.length + ratio(1, 7);
        assert_eq!(check_single(&one).unwrap_err().rule(), Rule::Claim);
        one.reduction.length += ratio(1, 7);
        assert!(check_single(&one).is_err() && check_reduction(&one.reduction, one.limit).is_err());
    }
}

/// 2 sends to 0 before 1 does: right if the operator commutes, wrong otherwise.
fn out_of_order() -> SingleReduction {
    SingleReduction {
        reduction: Reduction {
            costs: SingleCosts::Equal {
                transfer: ratio(1, 1),
                compute: ratio(1, 1),
            },
            root: 0,
            receivers: vec![0, 0, 0],
            starts: Dates::Exact([0, 1, 0].map(|date| ratio(date, 1)).to_vec()),
            merges: Some(Dates::Exact([0, 2, 1].map(|date| ratio(date, 1)).to_vec())),
            ready: None,
            length: ratio(3, 1),
        },
        limit: Concurrency::Unlimited,
        commutative: true,
        lower_bound: ratio(3, 1),
        proof: Some(Proof::Counting),
    }
}

#[test]
fn the_order_counts_unless_the_operator_commutes() {
    let one = out_of_order();
    assert_eq!(
        (check_single(&one), one.stated_status()),
        (Ok(Recheck::Proved), Status::Optimal)
    );
    let refused = check_single(&SingleReduction {
        commutative: false,
        ..one
    })
    .unwrap_err()
    .to_string();
    assert!(
        refused.contains("only neighbours may be merged"),
        "{refused}"
    );
}

#[test]
fn proofs_are_repeated_and_limits_kept() {
    let one = out_of_order();
    let proof = Some(Proof::Counting);
    let higher = SingleReduction {
        lower_bound: ratio(7, 2),
        ..one.clone()
    };
    assert_eq!(check_single(&higher).unwrap_err().rule(), Rule::Claim);
    // A chain takes 4. Counting proves that at least 3 is needed.
    let mut chain = one.clone();
    chain.reduction.receivers = vec![0, 0, 1];
    chain.reduction.starts = Dates::Exact([0, 2, 0].map(|date| ratio(date, 1)).to_vec());
    chain.reduction.merges = Some(Dates::Exact([0, 3, 1].map(|date| ratio(date, 1)).to_vec()));
    chain.reduction.length = ratio(4, 1);
    chain.commutative = false;
    assert_eq!(
        (check_single(&chain), chain.stated_status()),
        (Ok(Recheck::Proved), Status::Feasible)
    );
    let claimed = SingleReduction {
        lower_bound: ratio(4, 1),
        ..chain.clone()
    };
    assert_eq!(check_single(&claimed).unwrap_err().rule(), Rule::Proof);
    let one_at_once = SingleReduction {
        limit: Concurrency::Reducers(1),
        proof,
        ..chain
    };
    assert!(check_single(&one_at_once).is_err());
    // Release dates: the bound of the problem without them holds.
    let mut released = one;
    released.reduction.ready = Some(Dates::Exact([0, 1, 0].map(|date| ratio(date, 1)).to_vec()));
    assert_eq!(check_single(&released), Ok(Recheck::Proved));
    released.reduction.ready = Some(Dates::Exact([0, 2, 0].map(|date| ratio(date, 1)).to_vec()));
    assert!(check_single(&released).is_err());
}

/// Without a proof: with equal costs the referee counts, so a bound up to the optimum is proved and one above it
/// refused, also under limits. With a time per sender no bound is proved.
#[test]
fn without_a_proof_equal_costs_are_counted() {
    let mut dice = Dice(29);
    for round in 0..200 {
        let limit = [
            Concurrency::Unlimited,
            Concurrency::Transfers(2),
            Concurrency::Reducers(2),
        ][round % 3];
        let n = 2 + dice.below(7);
        let mut one = known(make::equal(n, false, &mut dice));
        one.limit = limit;
        if check_reduction(&one.reduction, limit).is_err() {
            continue;
        }
        let Instance::Equal {
            values,
            transfer,
            compute,
            ..
        } = one.instance()
        else {
            panic!("equal costs");
        };
        let optimum = shortest(values, [&transfer, &compute], limit);
        for bound in [
            &optimum - ratio(1, 5),
            optimum.clone(),
            &optimum + ratio(1, 1000),
        ] {
            one.lower_bound = bound;
            if one.lower_bound > one.reduction.length {
                continue;
            }
            let right = one.lower_bound <= optimum;
            match check_single(&one) {
                Ok(recheck) => assert!(right && recheck == Recheck::Proved, "{one:?}"),
                Err(refused) => assert!(!right && refused.rule() == Rule::Proof, "{refused}"),
            }
        }
    }
    let mut one = known(make::per_sender(5, &mut dice));
    one.lower_bound = one.reduction.length.clone();
    assert!(matches!(check_single(&one), Ok(Recheck::Unrepeated { .. })));
    assert_eq!(one.stated_status(), Status::Feasible);
}

/// A file may state an optimum by a search that is too long to repeat. Then the answer is feasible.
#[test]
fn an_optimum_that_is_not_repeated_is_feasible() {
    let mut dice = Dice(7);
    let mut one = known(make::per_sender(80, &mut dice));
    one.lower_bound = one.reduction.length.clone();
    one.proof = Some(Proof::Exhaustion { states: 1 });
    assert_eq!(one.stated_status(), Status::Optimal);
    let answer = SingleAnswer::judge(one).unwrap();
    assert!(!answer.is_proved() && answer.status() == Status::Feasible);
}

/// The shortest length by growing the tree backwards, one transfer at a time: always the delivery that ends first.
fn shortest(values: u64, [transfer, compute]: [&Rational; 2], limit: Concurrency) -> Rational {
    // Per processor: the date of its next delivery's preparation, and whether it has received.
    let mut next = vec![(ratio(0, 1), false)];
    let mut ends: Vec<Rational> = Vec::new();
    let mut length = ratio(0, 1);
    for _ in 1..values {
        let receivers = next.iter().filter(|(_, receives)| *receives).count() as u64;
        let able = |&index: &usize| match limit {
            Concurrency::Reducers(most) => next[index].1 || receivers < most,
            _ => true,
        };
        let index = (0..next.len())
            .filter(able)
            .min_by(|&one, &other| next[one].0.cmp(&next[other].0))
            .unwrap();
        let prepared = &next[index].0 + compute;
        let free = match limit {
            Concurrency::Transfers(most) if ends.len() as u64 >= most => {
                ends[ends.len() - most as usize].clone()
            }
            _ => ratio(0, 1),
        };
        length = prepared.clone().max(free) + transfer;
        ends.push(length.clone());
        next[index] = (prepared.max(&length - compute), true);
        next.push((length.clone(), false));
    }
    length
}

/// With release dates: of few values the shortest of all schedules is proved, and nothing above it.
#[test]
fn release_dates_are_counted() {
    let mut dice = Dice(31);
    for _ in 0..150 {
        let mut one = known(make::equal(2 + dice.below(3), true, &mut dice));
        let (SingleCosts::Equal { transfer, compute }, Some(ready)) =
            (&one.reduction.costs, &one.reduction.ready)
        else {
            panic!("equal costs and dates");
        };
        let ready: Vec<Rational> = (0..ready.len())
            .map(|value| ready.get(value).unwrap())
            .collect();
        let optimum = released(&ready, [transfer, compute]);
        assert!(optimum <= one.reduction.length);
        one.lower_bound = &optimum + ratio(1, 1000);
        // In big integers not all orders are tried.
        let small = one.reduction.length.numer().bits() < 60;
        if one.lower_bound <= one.reduction.length {
            let above = check_single(&one).unwrap();
            assert!(matches!(above, Recheck::Unrepeated { .. }), "{one:?}");
        }
        one.lower_bound = ready.iter().max().unwrap().clone();
        assert_eq!(check_single(&one), Ok(Recheck::Proved));
        one.lower_bound = optimum;
        let exact = check_single(&one).unwrap();
        assert!(!small || exact == Recheck::Proved, "{one:?}");
    }
}

/// The shortest schedule of values with dates, by trying every next sender and receiver: each transfer as early as
/// possible.
fn released(ready: &[Rational], costs: [&Rational; 2]) -> Rational {
    /// When a processor's value is there, its port is free, and its unit is free.
    #[derive(Clone)]
    struct Processor {
        ready: Rational,
        port: Rational,
        unit: Rational,
        sent: bool,
    }
    fn go(
        all: &mut Vec<Processor>,
        [transfer, compute]: [&Rational; 2],
        best: &mut Option<Rational>,
    ) {
        let left: Vec<usize> = (0..all.len()).filter(|&index| !all[index].sent).collect();
        if let [last] = left[..] {
            let end = all[last].ready.clone().max(all[last].unit.clone());
            if best.as_ref().is_none_or(|best| end < *best) {
                *best = Some(end);
            }
            return;
        }
        for &from in &left {
            for &to in left.iter().filter(|&&to| to != from) {
                let before = all.clone();
                let complete = all[from].ready.clone().max(all[from].unit.clone());
                let start = complete
                    .max(all[from].port.clone())
                    .max(all[to].port.clone());
                let arrived = start + transfer;
                all[from].sent = true;
                let merge = arrived
                    .clone()
                    .max(all[to].unit.clone())
                    .max(all[to].ready.clone());
                all[to].port = arrived;
                all[to].unit = merge + compute;
                go(all, [transfer, compute], best);
                *all = before;
            }
        }
    }
    let processor = |ready: &Rational| Processor {
        ready: ready.clone(),
        port: ratio(0, 1),
        unit: ratio(0, 1),
        sent: false,
    };
    let mut best = None;
    go(&mut ready.iter().map(processor).collect(), costs, &mut best);
    best.unwrap()
}

#[test]
fn a_time_per_sender_needs_an_operator_that_commutes() {
    let mut dice = Dice(3);
    let one = known(make::per_sender(5, &mut dice));
    let refused = check_single(&SingleReduction {
        commutative: false,
        ..one
    })
    .unwrap_err()
    .to_string();
    assert!(refused.contains("say that it is commutative"), "{refused}");
}
