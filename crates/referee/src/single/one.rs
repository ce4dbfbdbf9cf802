//! One reduction with its length and bound: the file `oneport-reduction/1`.

use oneport_plan::{Concurrency, Proof, Shortest, SingleCosts, SingleReduction};

use super::{Recheck, check_dated, check_shortest, released};
use crate::Violation;
use crate::arithmetic::is_sound;
use crate::violation::{bad_number, fault, shown};

/// Checks the schedule as [`check_reduction`](crate::check_reduction) does (the operands keep their order unless the
/// operator is commutative), that the bound is at most the length, and repeats the proof of the bound.
///
/// The proof is that of the question without release dates, which no schedule with them beats. Without a proof the
/// referee counts if costs are equal. Without release dates the count is exact, so that a bound above the optimum is
/// refused. With release dates counting proves some bounds only. Elsewhere the bound is [`Recheck::Unrepeated`].
///
/// # Errors
/// The first rule broken.
pub fn check_single(one: &SingleReduction) -> Result<Recheck, Violation> {
    let reduction = &one.reduction;
    let per_sender = matches!(reduction.costs, SingleCosts::PerSender(_));
    if per_sender && !one.commutative {
        let why = "with a time per sender merging is part of the transfer, and its order is not written down";
        return Err(
            fault!(Single, "the operator is said not to commute, but {why}"; "say that it is commutative"),
        );
    }
    check_dated(reduction, one.limit, !one.commutative)?;
    let bound = &one.lower_bound;
    let proof = match (&one.proof, one.limit) {
        (Some(proof), _) => proof.clone(),
        (None, _) if per_sender || reduction.ready.is_some() => return check_alone(one),
        (None, Concurrency::Transfers(_)) => Proof::LimitedTransfers,
        (None, _) => Proof::Counting,
    };
    check_shortest(
        &Shortest {
            instance: one.instance(),
            length: reduction.length.clone(),
            lower_bound: bound.clone(),
            proof,
            reduction: None,
        },
        &|| true,
    )
}

/// A bound without a proof, of a schedule that has been checked. With release dates it is counted. With a time per
/// sender there is nothing to repeat.
fn check_alone(one: &SingleReduction) -> Result<Recheck, Violation> {
    let (reduction, bound) = (&one.reduction, &one.lower_bound);
    if !is_sound(bound) {
        return Err(bad_number(
            "lower bound",
            bound,
            "a number with a positive denominator",
        ));
    }
    if *bound > reduction.length {
        let (bound, length) = (shown(bound), shown(&reduction.length));
        return Err(fault!(
            Claim,
            "the lower bound {bound} is above the length {length}"
        ));
    }
    match (&reduction.costs, &reduction.ready) {
        (SingleCosts::Equal { transfer, compute }, Some(ready)) => {
            released::check(transfer, compute, ready, bound)
        }
        _ => Ok(Recheck::Unrepeated {
            why: "no proof is given".to_string(),
        }),
    }
}
