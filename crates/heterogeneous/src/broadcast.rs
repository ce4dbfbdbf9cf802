//! Fastest-node-first broadcast (FNF; Liu-Kuo-Wang 2009, section 5.2 after its references \[2\], \[22\], \[25\]), and
//! lower bounds.
//!
//! A transfer takes the time of its sender, and occupies sender and receiver. Every processor that has the message
//! sends without a pause until all have it. Each transfer, in the order of their ends, goes to the fastest processor
//! that has not been served. Khuller and Kim show that this is at most 1.5 times the optimum from the fastest source,
//! Liu (J. Algorithms 42, 2002, reference \[25\]) at most twice from any.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};
use oneport_numbers::Exact;
use oneport_plan::{Broadcast, Dates, SingleCosts};
use oneport_platform::{Rational, whole};

use crate::cluster::common_unit;
use crate::integers::{Scaled, scale};
use crate::{Error, MOST_PROCESSORS};

/// The fastest-node-first broadcast from `source`. O(n log n).
///
/// Dates are ticks of 64 bits if the sum of all times fits, rationals otherwise. The processor with the next end of a
/// transfer serves. On a tie the one that has had the message longer, on a tie of receivers the lower index.
///
/// # Errors
/// No processor, a time that is not positive (that of a single processor does not matter), a source out of range, more
/// than 2^32 - 1 processors.
pub fn fastest_first(times: &[Rational], source: usize) -> Result<Broadcast, Error> {
    check(times, source)?;
    let order = receivers(times, source);
    let references: Vec<&Rational> = times.iter().collect();
    let (unit, ticks) = scale(&references, |ticks| ticks.iter().sum());
    let (senders, starts, length) = match ticks {
        Scaled::Small(ticks) => {
            let (senders, starts, length) = simulate(&ticks, source, &order);
            (
                senders,
                Dates::Ticks {
                    unit: unit.clone(),
                    ticks: starts,
                },
                &unit * whole(length),
            )
        }
        Scaled::Big(ticks) => {
            let (senders, starts, length) = simulate(&ticks, source, &order);
            let dates = starts
                .into_iter()
                .map(|start| &unit * whole(start))
                .collect();
            (senders, Dates::Exact(dates), &unit * whole(length))
        }
    };
    Ok(Broadcast {
        costs: SingleCosts::PerSender(times.to_vec()),
        root: source as u32,
        senders,
        starts,
        preparations: None,
        length,
    })
}

fn check(times: &[Rational], source: usize) -> Result<(), Error> {
    if times.is_empty() {
        return Err(Error::NoProcessor);
    }
    if source >= times.len() {
        return Err(Error::DestinationOutOfRange {
            destination: source,
            processors: times.len(),
        });
    }
    if times.len() > MOST_PROCESSORS {
        let senders = times.len() as u64;
        return Err(Error::TooMany {
            senders,
            purpose: "to broadcast to",
            most: MOST_PROCESSORS as u64,
        });
    }
    for (index, time) in times.iter().enumerate() {
        crate::cluster::positive(time, || format!("processor {index}"))?;
    }
    Ok(())
}

/// All but the source, fastest first.
fn receivers(times: &[Rational], source: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..times.len())
        .filter(|&processor| processor != source)
        .collect();
    order.sort_by(|&a, &b| times[a].cmp(&times[b]));
    order
}

/// Senders and starts by processor, and the end.
fn simulate<T: Exact>(times: &[T], source: usize, order: &[usize]) -> (Vec<u32>, Vec<T>, T) {
    let mut senders = vec![source as u32; times.len()];
    let mut starts = vec![T::zero(); times.len()];
    // Sorted by end of the next transfer. Ties go to the processor that has had the message longer.
    let mut ends = BinaryHeap::from([Reverse((times[source].clone(), 0, source))]);
    let mut length = T::zero();
    for (&receiver, turn) in order.iter().zip(1..) {
        let Some(Reverse((end, age, sender))) = ends.pop() else {
            break;
        };
        senders[receiver] = sender as u32;
        let mut start = end.clone();
        start -= &times[sender];
        starts[receiver] = start;
        ends.push(Reverse((end.plus(&times[sender]), age, sender)));
        ends.push(Reverse((end.plus(&times[receiver]), turn, receiver)));
        length = end;
    }
    (senders, starts, length)
}

/// No broadcast from `source` is shorter. O(n log n).
///
/// The larger of two relaxations, transfer by transfer (`D_j`, the end of the j-th transfer):
/// - all receivers are as fast as the fastest of them: then their order does not matter, and sending without a pause is
///   best,
/// - by a date `x`, processors that have the message since `D_i` end at most `sum (x - D_i) / t` transfers. That sum is
///   largest if the faster ones had it earlier. So `D_j` is at least the least tick `x` with
///   `sum_{i<j} (x - L_i) / t_(i) >= j`, `L_i` the bounds on earlier ends, `t_(i)` the i-th fastest receiver (after the
///   source). Rates are rounded up.
///
/// # Errors
/// Those of [`fastest_first`].
pub fn lower_bound(times: &[Rational], source: usize) -> Result<Rational, Error> {
    check(times, source)?;
    let order = receivers(times, source);
    let mut sorted = vec![times[source].clone()];
    sorted.extend(order.into_iter().map(|receiver| times[receiver].clone()));
    Ok(bound(&sorted))
}

/// The bound for times with the source first, then the receivers, fastest first.
fn bound(sorted: &[Rational]) -> Rational {
    let alike = alike(sorted);
    fluid(sorted).map_or(alike.clone(), |fluid| fluid.max(alike))
}

/// All receivers like the first of them.
fn alike(sorted: &[Rational]) -> Rational {
    let [source, fastest, ..] = sorted else {
        return Rational::zero();
    };
    let (unit, ticks) = common_unit(&[source, fastest]);
    let [source, fastest] = &ticks[..] else {
        return Rational::zero();
    };
    let mut ends = BinaryHeap::from([Reverse((source.clone(), true))]);
    let mut last = BigInt::zero();
    for _ in 1..sorted.len() {
        let Some(Reverse((end, from_source))) = ends.pop() else {
            break;
        };
        ends.push(Reverse((
            &end + if from_source { source } else { fastest },
            from_source,
        )));
        ends.push(Reverse((&end + fastest, false)));
        last = end;
    }
    unit * whole(last)
}

/// The second relaxation. `None` if its sums do not fit 128 bits.
fn fluid(sorted: &[Rational]) -> Option<Rational> {
    // Fact: rates are multiples of `2^-40`, rounded up, so the bound stays valid.
    const SCALE: u32 = 40;
    let references: Vec<&Rational> = sorted.iter().collect();
    let (unit, ticks) = common_unit(&references);
    let (mut rates, mut used, mut date) = (0u128, 0u128, 0u128);
    for (transfers, time) in (1u128..sorted.len() as u128).zip(&ticks) {
        let rate = (1u128 << SCALE).div_ceil(time.to_u128()?);
        rates = rates.checked_add(rate)?;
        used = used.checked_add(rate.checked_mul(date)?)?;
        let wanted = (transfers << SCALE).checked_add(used)?;
        date = date.max(wanted.div_ceil(rates));
    }
    Some(unit * whole(date))
}
