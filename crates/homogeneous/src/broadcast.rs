//! One broadcast: a reduction read backwards.

use num_bigint::BigUint;
use oneport_plan::{Broadcast, Concurrency, Dates, SingleCosts};

use crate::reduce::greedy;
use crate::strategy::{check, written};
use crate::time::{Scaled, Time};
use crate::{EqualCosts, Error, Strategy, Tie, transfers};

/// The schedule of one broadcast from processor 0 to `values` processors in all. Processor `i` is the `i`-th that the
/// message reaches.
///
/// A sender prepares every transfer for `compute`, once it has the message, and may send meanwhile. It prepares one
/// transfer at a time, and a processor takes part in one transfer at a time. Every such schedule read backwards is a
/// schedule of a reduction of the same length, so the broadcast is optimal if the reduction is: RR-7898, Theorems 4, 7
/// and 9. With `compute` 0 it is the binomial broadcast, of length `ceil(log2 n) d`. [`Concurrency::Reducers`] limits
/// how many processors send. It is optimal in this model only: preparing once for all receivers, or a message in
/// pieces, is another model. O(n) time and memory.
///
/// # Errors
/// Those of [`Reduce::schedule`](crate::Reduce::schedule).
pub fn broadcast(values: u64, costs: &EqualCosts, limit: Concurrency) -> Result<Broadcast, Error> {
    check(values, Strategy::Greedy, limit)?;
    let count = written(values)?;
    let scaled = Scaled::new(costs);
    let (senders, dates) = match limit {
        Concurrency::Transfers(most) => {
            let machine = scaled
                .pair::<u64>()
                .map(|pair| transfers::deliveries(count, most, &pair, true));
            match machine
                .filter(|deliveries| deliveries.ends.last().is_some_and(|end| !end.saturated()))
            {
                Some(found) => (
                    found.receivers,
                    sending(&scaled, found.preparations, found.ends),
                ),
                None => {
                    let found = transfers::deliveries(count, most, &scaled.big(), true);
                    (
                        found.receivers,
                        sending(&scaled, found.preparations, found.ends),
                    )
                }
            }
        }
        Concurrency::Reducers(most) => eager(count, u32::try_from(most).unwrap_or(count), &scaled),
        Concurrency::Unlimited => eager(count, count, &scaled),
    };
    let (preparations, starts, last) = dates;
    Ok(Broadcast {
        costs: SingleCosts::Equal {
            transfer: costs.transfer().clone(),
            compute: costs.compute().clone(),
        },
        root: 0,
        senders,
        starts,
        preparations: Some(preparations),
        length: scaled.rational(&last),
    })
}

/// Preparations, starts, and the last arrival.
type Sending = (Dates, Dates, BigUint);

/// From arrivals to starts.
fn sending<N: Time>(scaled: &Scaled, preparations: Vec<N>, mut arrivals: Vec<N>) -> Sending {
    let transfer = N::of(&scaled.transfer).unwrap_or_else(N::zero);
    let last = arrivals.last().map_or(BigUint::ZERO, N::big);
    for arrival in &mut arrivals {
        *arrival = arrival.minus(&transfer);
    }
    (
        N::dates(&scaled.unit, preparations),
        N::dates(&scaled.unit, arrivals),
        last,
    )
}

/// Every processor prepares and sends without a pause.
fn eager(values: u32, senders: u32, scaled: &Scaled) -> (Vec<u32>, Sending) {
    let mut batches = Vec::new();
    let senders = greedy(values, senders, scaled, Tie::Oldest, |date, count| {
        batches.push((date, count))
    });
    let detour = &scaled.transfer + &scaled.compute;
    let last = batches
        .last()
        .map_or(BigUint::ZERO, |(date, _)| date + &detour);
    let sending = match u64::of(&last) {
        Some(_) => spread::<u64>(scaled, values, &batches, last),
        None => spread::<BigUint>(scaled, values, &batches, last),
    };
    (senders, sending)
}

fn spread<N: Time>(
    scaled: &Scaled,
    values: u32,
    batches: &[(BigUint, u32)],
    last: BigUint,
) -> Sending {
    let list = |added: &BigUint| {
        let mut dates = Vec::with_capacity(values as usize);
        dates.push(N::zero());
        for (date, count) in batches {
            let date = N::of(&(date + added)).unwrap_or_else(N::zero);
            dates.resize(dates.len() + *count as usize, date);
        }
        N::dates(&scaled.unit, dates)
    };
    (list(&BigUint::ZERO), list(&scaled.compute), last)
}
