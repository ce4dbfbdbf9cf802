//! One broadcast and one all-reduction, executed once, with their lengths and bounds.
//!
//! With a time per sender, the referee computes a bound on broadcasts itself, the larger of two. `D_j` is the end of
//! the `j`-th transfer. Each brings the message to one more processor.
//!
//! - *Alike.* If all receivers are as fast as the fastest of them, no broadcast is longer, and their order does not
//!   matter: every processor sends without a pause.
//! - *Rates.* By a date `x`, a processor of time `t` that has the message since `L` ends at most `(x - L) / t`
//!   transfers. The `i`-th processor to have it does not have it before any lower bound `L_i` on `D_i`, and the sum
//!   `sum (x - L_i) / t_i` is largest if the faster ones have it earlier. So `D_j` is at least the least `x` at which
//!   that sum over `i < j`, the source and then the fastest receivers, is `j`. Rates are rounded up.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::Zero;
use oneport_plan::{
    Concurrency, Instance, Proof, Shortest, SingleAllReduce, SingleBroadcast, SingleCosts,
};
use oneport_platform::Rational;

use super::ticks::Clock;
use super::{Recheck, check_broadcast, check_reduction, check_shortest};
use crate::Violation;
use crate::arithmetic::{is_positive, is_sound};
use crate::violation::{bad_number, fault, shown};

/// Fact: rates are multiples of `2^-64`, rounded up, so the bound stays valid.
const SCALE: u32 = 64;

/// Checks the schedule as [`check_broadcast`] does, that the bound is at most the length, and the bound: with equal
/// costs the proof for the reduction that is the broadcast read backwards. With a time per sender by a bound of the
/// referee's own. O(n log n) besides that proof.
///
/// # Errors
/// The first rule broken.
pub fn check_single_broadcast(one: &SingleBroadcast) -> Result<Recheck, Violation> {
    let broadcast = &one.broadcast;
    check_broadcast(broadcast, one.limit)?;
    let bound = &one.lower_bound;
    match (&broadcast.costs, &one.proof) {
        (SingleCosts::Equal { transfer, compute }, Some(proof)) => check_shortest(
            &Shortest {
                instance: Instance::Equal {
                    values: broadcast.senders.len() as u64,
                    transfer: transfer.clone(),
                    compute: compute.clone(),
                    limit: one.limit,
                },
                length: broadcast.length.clone(),
                lower_bound: bound.clone(),
                proof: proof.clone(),
                reduction: None,
            },
            &|| true,
        ),
        (SingleCosts::Equal { .. }, None) => {
            at_most(bound, &broadcast.length)?;
            Ok(Recheck::Unrepeated {
                why: "no proof is given".to_string(),
            })
        }
        (SingleCosts::PerSender(_), Some(_)) => Err(fault!(
            Proof,
            "a broadcast with a time per sender has a proof"; "leave it out: the referee computes the bound"
        )),
        (SingleCosts::PerSender(times), None) => {
            at_most(bound, &broadcast.length)?;
            proved(bound, &spread(times, broadcast.root)?)
        }
    }
}

/// Checks both schedules, that they belong together, that the bound is at most their length, and the bound: by its
/// proof for the reduction into one processor, else by the referee's own bound on broadcasts from the fastest and from
/// the slowest processor.
///
/// # Errors
/// The first rule broken.
pub fn check_all_reduce(all: &SingleAllReduce) -> Result<Recheck, Violation> {
    let (reduction, broadcast) = (&all.reduction, &all.broadcast);
    check_reduction(reduction, Concurrency::Unlimited)?;
    check_broadcast(broadcast, Concurrency::Unlimited)?;
    let (SingleCosts::PerSender(times), true) =
        (&reduction.costs, reduction.costs == broadcast.costs)
    else {
        return Err(fault!(
            Single,
            "reduction and broadcast have different costs, or equal costs for all"; "give both one time per processor, the same"
        ));
    };
    if reduction.root != broadcast.root {
        return Err(fault!(
            Single,
            "the broadcast starts from processor {}, the reduction ends at {}",
            broadcast.root,
            reduction.root
        ));
    }
    if reduction.ready.is_some() {
        return Err(fault!(
            Single,
            "the values are ready at dates of their own"; "leave them out"
        ));
    }
    let (bound, length) = (&all.lower_bound, all.length());
    at_most(bound, &length)?;
    let Some((into, proof)) = &all.proof else {
        let ends = [fastest(times), slowest(times)];
        let mut most = Rational::zero();
        for root in ends.into_iter().flatten() {
            most = most.max(spread(times, root)?);
        }
        return proved(bound, &most);
    };
    if *into as usize >= times.len() {
        return Err(fault!(
            Proof,
            "the bound is one on reductions into processor {into}, and there are {} processors",
            times.len()
        ));
    }
    into_one(times, *into, proof, bound, length)
}

fn into_one(
    times: &[Rational],
    into: u32,
    proof: &Proof,
    bound: &Rational,
    length: Rational,
) -> Result<Recheck, Violation> {
    check_shortest(
        &Shortest {
            instance: Instance::into_one(times, into),
            length,
            lower_bound: bound.clone(),
            proof: proof.clone(),
            reduction: None,
        },
        &|| true,
    )
}

fn at_most(bound: &Rational, length: &Rational) -> Result<(), Violation> {
    if !is_sound(bound) {
        return Err(bad_number(
            "lower bound",
            bound,
            "a number with a positive denominator",
        ));
    }
    if bound <= length {
        return Ok(());
    }
    let (bound, length) = (shown(bound), shown(length));
    Err(fault!(
        Claim,
        "the lower bound {bound} is above the length {length}"
    ))
}

fn proved(bound: &Rational, known: &Rational) -> Result<Recheck, Violation> {
    if bound <= known {
        return Ok(Recheck::Proved);
    }
    let (bound, known) = (shown(bound), shown(known));
    Err(fault!(
        Proof,
        "the lower bound {bound} is not proved: no broadcast is shorter than {known}"
    ))
}

/// A fastest processor.
fn fastest(times: &[Rational]) -> Option<u32> {
    (0..times.len() as u32).min_by_key(|&processor| &times[processor as usize])
}

/// A slowest processor.
fn slowest(times: &[Rational]) -> Option<u32> {
    (0..times.len() as u32).max_by_key(|&processor| &times[processor as usize])
}

/// No broadcast from `root` is shorter.
fn spread(times: &[Rational], root: u32) -> Result<Rational, Violation> {
    // Schedules need the times of senders only.
    if let Some((processor, time)) = times
        .iter()
        .enumerate()
        .find(|(_, time)| times.len() > 1 && !is_positive(time))
    {
        return Err(bad_number(
            &format!("time of processor {processor}"),
            time,
            "positive",
        ));
    }
    let numbers: Vec<&Rational> = times.iter().collect();
    let clock = Clock::new(&numbers, &[])?;
    let mut receivers: Vec<BigUint> = Vec::with_capacity(times.len());
    let mut source = BigUint::ZERO;
    for (processor, time) in times.iter().enumerate() {
        if processor == root as usize {
            source = clock.number(time);
        } else {
            receivers.push(clock.number(time));
        }
    }
    receivers.sort_unstable();
    let Some(fastest) = receivers.first() else {
        return Ok(Rational::zero());
    };
    let bound = alike(&source, fastest, receivers.len()).max(rates(&source, &receivers));
    Ok(clock.rational(&bound))
}

/// The end of the last of `count` transfers, all receivers being as fast as the fastest.
fn alike(source: &BigUint, fastest: &BigUint, count: usize) -> BigUint {
    let mut next = BinaryHeap::from([Reverse((source.clone(), true))]);
    let mut last = BigUint::ZERO;
    for _ in 0..count {
        let Some(Reverse((end, from_source))) = next.pop() else {
            break;
        };
        next.push(Reverse((
            &end + if from_source { source } else { fastest },
            from_source,
        )));
        next.push(Reverse((&end + fastest, false)));
        last = end;
    }
    last
}

/// The bound by rates: of all transfers' ends, the last.
fn rates(source: &BigUint, receivers: &[BigUint]) -> BigUint {
    let one = BigUint::from(1_u8) << SCALE;
    let (mut rate, mut lost, mut date) = (BigUint::ZERO, BigUint::ZERO, BigUint::ZERO);
    let senders = std::iter::once(source).chain(receivers);
    for (transfers, time) in (1..=receivers.len() as u64).zip(senders) {
        // The sender has the message since `date`.
        let own = one.div_ceil(time);
        lost += &own * &date;
        rate += own;
        let wanted = &one * transfers + &lost;
        date = date.max(wanted.div_ceil(&rate));
    }
    date
}
