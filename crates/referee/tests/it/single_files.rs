//! One reduction with what is known of its length.

use oneport_plan::{Costs, Dates, Limit, OneReduction, Proof, Reduction, Status};
use oneport_referee::{Recheck, Rule, check_one, check_reduction};

use crate::single_support::{Dice, make, ratio};

fn known(reduction: Reduction) -> OneReduction {
    let commutative = matches!(reduction.costs, Costs::PerSender(_)) || reduction.ready.is_some();
    OneReduction {
        lower_bound: ratio(0, 1),
        reduction,
        limit: Limit::Unlimited,
        commutative,
        proof: None,
    }
}

/// Every schedule that is right by itself is right in its file; one whose length is wrong is refused in both.
#[test]
fn files_are_judged_as_their_schedules() {
    let mut dice = Dice(17);
    for round in 0..300 {
        let n = 1 + dice.index(9);
        let reduction = match round % 3 {
            0 => make::equal(n, false, &mut dice),
            1 => make::equal(n, true, &mut dice),
            _ => make::per_sender(n, &mut dice),
        };
        let mut one = known(reduction);
        assert_eq!(check_reduction(&one.reduction, one.limit), Ok(()));
        assert_eq!(
            check_one(&one),
            Ok(Recheck::Unrepeated {
                why: "no proof is given".into()
            }),
            "{one:?}"
        );
        one.lower_bound = &one.reduction.length + ratio(1, 7);
        assert_eq!(check_one(&one).unwrap_err().rule(), Rule::Claim);
        one.reduction.length += ratio(1, 7);
        assert!(check_one(&one).is_err() && check_reduction(&one.reduction, one.limit).is_err());
    }
}

/// 2 sends to 0 before 1 does: right if the operator commutes, wrong otherwise.
fn out_of_order() -> OneReduction {
    OneReduction {
        reduction: Reduction {
            costs: Costs::Equal {
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
        limit: Limit::Unlimited,
        commutative: true,
        lower_bound: ratio(3, 1),
        proof: Some(Proof::Counting),
    }
}

#[test]
fn the_order_counts_unless_the_operator_commutes() {
    let one = out_of_order();
    assert_eq!(
        (check_one(&one), one.status()),
        (Ok(Recheck::Proved), Status::Optimal)
    );
    let refused = check_one(&OneReduction {
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
    let higher = OneReduction {
        lower_bound: ratio(7, 2),
        ..one.clone()
    };
    assert_eq!(check_one(&higher).unwrap_err().rule(), Rule::Claim);
    // A chain takes 4; no less than 3 is possible, and that is what counting proves.
    let mut chain = one.clone();
    chain.reduction.receivers = vec![0, 0, 1];
    chain.reduction.starts = Dates::Exact([0, 2, 0].map(|date| ratio(date, 1)).to_vec());
    chain.reduction.merges = Some(Dates::Exact([0, 3, 1].map(|date| ratio(date, 1)).to_vec()));
    chain.reduction.length = ratio(4, 1);
    chain.commutative = false;
    assert_eq!(
        (check_one(&chain), chain.status()),
        (Ok(Recheck::Proved), Status::Feasible)
    );
    let claimed = OneReduction {
        lower_bound: ratio(4, 1),
        ..chain.clone()
    };
    assert_eq!(check_one(&claimed).unwrap_err().rule(), Rule::Proof);
    let one_at_once = OneReduction {
        limit: Limit::Reducers(1),
        proof,
        ..chain
    };
    assert!(check_one(&one_at_once).is_err());
    // Release dates: the bound of the question without them holds.
    let mut released = one;
    released.reduction.ready = Some(Dates::Exact([0, 1, 0].map(|date| ratio(date, 1)).to_vec()));
    assert_eq!(check_one(&released), Ok(Recheck::Proved));
    released.reduction.ready = Some(Dates::Exact([0, 2, 0].map(|date| ratio(date, 1)).to_vec()));
    assert!(check_one(&released).is_err());
}

#[test]
fn a_time_per_sender_needs_an_operator_that_commutes() {
    let mut dice = Dice(3);
    let one = known(make::per_sender(5, &mut dice));
    let refused = check_one(&OneReduction {
        commutative: false,
        ..one
    })
    .unwrap_err()
    .to_string();
    assert!(refused.contains("say that it is commutative"), "{refused}");
}
