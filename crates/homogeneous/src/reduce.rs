//! Schedules written down.

use num_bigint::BigUint;
use num_traits::Zero;
use oneport_plan::{Concurrency, Reduction, SingleCosts};

use crate::shape::{self, Shape};
use crate::strategy::{check, written};
use crate::time::{Pair, Scaled, Time};
use crate::{Costs, Error, Strategy, Tie, transfers, tree};

/// The schedule of one reduction of `values` values, all ready at 0. Processor `i` holds operand `i`, the root is 0,
/// and the operator need not be commutative.
///
/// [`Strategy::Greedy`] is optimal: RR-7898, Algorithm 1 (Theorem 4); under [`Concurrency::Transfers`] Algorithm 2
/// (Theorem 7, line 14 corrected); under [`Concurrency::Reducers`] Algorithm 3 (Theorem 9). The other strategies take
/// the tree as described at [`Strategy`] and the earliest dates (Proposition 3). Transfers start as early as possible;
/// transfers of Algorithm 2 start as it says. `tie` chooses among equals, see [`Tie`]. If both costs are 0, all dates
/// are 0, and the tree is that of the binomial strategy.
///
/// O(n) time and memory, about 50 bytes per value if all dates fit 64 bits in a common unit.
///
/// # Errors
/// No values, a limit of 0, a limit with a strategy other than greedy, more than [`MOST_WRITTEN`](crate::MOST_WRITTEN)
/// values.
pub fn reduce(
    values: u64,
    costs: &Costs,
    strategy: Strategy,
    limit: Concurrency,
    tie: Tie,
) -> Result<Reduction, Error> {
    check(values, strategy, limit)?;
    let count = written(values)?;
    let scaled = Scaled::new(costs);
    if let Some(pair) = scaled.pair::<u64>() {
        let (receivers, dates) = dated(count, &scaled, &pair, strategy, limit, tie);
        if !dates.length.saturated() {
            let names = tree::names(&receivers);
            return Ok(written_down(receivers, &names, dates, costs, &scaled));
        }
    }
    let (receivers, dates) = dated(count, &scaled, &scaled.big(), strategy, limit, tie);
    let names = tree::names(&receivers);
    Ok(written_down(receivers, &names, dates, costs, &scaled))
}

/// The receiver of each processor, and the dates, which may saturate.
fn dated<N: Time>(
    values: u32,
    scaled: &Scaled,
    pair: &Pair<N>,
    strategy: Strategy,
    limit: Concurrency,
    tie: Tie,
) -> (Vec<u32>, tree::TreeDates<N>) {
    match limit {
        Concurrency::Transfers(limit) => {
            let deliveries = transfers::deliveries(values, limit, pair, false);
            let run = tree::reversed(&deliveries.receivers, deliveries.ends, pair);
            (deliveries.receivers, run)
        }
        Concurrency::Unlimited | Concurrency::Reducers(_) => {
            let receivers = receivers(values, scaled, strategy, limit, tie);
            let run = tree::earliest(&receivers, pair);
            (receivers, run)
        }
    }
}

/// A schedule with a name for every processor, the root being the first.
pub(crate) fn written_down<N: Time>(
    receivers: Vec<u32>,
    names: &[u32],
    run: tree::TreeDates<N>,
    costs: &Costs,
    scaled: &Scaled,
) -> Reduction {
    let senders = receivers
        .into_iter()
        .map(|receiver| names[receiver as usize])
        .collect();
    Reduction {
        costs: SingleCosts::Equal {
            transfer: costs.transfer().clone(),
            compute: costs.compute().clone(),
        },
        root: names.first().copied().unwrap_or(0),
        receivers: tree::renamed(senders, names, 0),
        length: scaled.rational(&run.length),
        starts: N::dates(&scaled.unit, tree::renamed(run.starts, names, N::zero())),
        merges: Some(N::dates(
            &scaled.unit,
            tree::renamed(run.merges, names, N::zero()),
        )),
        ready: None,
    }
}

/// Receivers in the order of deliveries, without a limit on transfers.
pub(crate) fn receivers(
    values: u32,
    scaled: &Scaled,
    strategy: Strategy,
    limit: Concurrency,
    tie: Tie,
) -> Vec<u32> {
    let reducers = match limit {
        Concurrency::Reducers(most) => u32::try_from(most).unwrap_or(values),
        Concurrency::Unlimited | Concurrency::Transfers(_) => values,
    };
    match strategy {
        Strategy::Greedy => greedy(values, reducers, scaled, tie, |_, _| ()),
        Strategy::Binomial => shape::receivers(values, reducers, &Shape::BINOMIAL, tie, |_, _| ()),
        Strategy::Fibonacci => {
            shape::receivers(values, reducers, &Shape::FIBONACCI, tie, |_, _| ())
        }
        Strategy::Chain => (0..values)
            .map(|processor| processor.saturating_sub(1))
            .collect(),
        Strategy::Flat => vec![0; values as usize],
    }
}

/// Algorithms 1 and 3. `batch` receives dates, and numbers of deliveries.
pub(crate) fn greedy(
    values: u32,
    reducers: u32,
    scaled: &Scaled,
    tie: Tie,
    mut batch: impl FnMut(BigUint, u32),
) -> Vec<u32> {
    if scaled.transfer.is_zero() && scaled.compute.is_zero() {
        return shape::receivers(values, reducers, &Shape::BINOMIAL, tie, |_, count| {
            batch(BigUint::ZERO, count)
        });
    }
    // Costs below 2^64 and fewer than 2^32 steps: no date reaches 2^128.
    match scaled.pair::<u64>() {
        Some(pair) => {
            let pair = Pair {
                transfer: u128::from(pair.transfer),
                compute: u128::from(pair.compute),
            };
            shape::receivers(
                values,
                reducers,
                &Shape::greedy(&pair),
                tie,
                |date, count| batch(date.big(), count),
            )
        }
        None => {
            let shape = Shape::greedy(&scaled.big());
            shape::receivers(values, reducers, &shape, tie, |date, count| {
                batch(date.clone(), count)
            })
        }
    }
}
