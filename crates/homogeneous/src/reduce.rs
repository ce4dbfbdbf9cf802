//! One reduction: the question, and its schedule.

use num_bigint::BigUint;
use num_traits::Zero;
use oneport_plan::{Concurrency, Reduction, SingleCosts};

use crate::shape::{self, Shape};
use crate::strategy::{check, written};
use crate::time::{Pair, Scaled, Time};
use crate::{EqualCosts, Error, Strategy, Tie, transfers, tree};

/// One reduction with equal costs. All values are ready at 0. Processor `i` holds operand `i`, the root is 0, and the
/// operator need not be commutative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reduce<'c> {
    /// Number of values, one per processor.
    pub values: u64,
    /// Time of a transfer and of a merge.
    pub costs: &'c EqualCosts,
    /// The tree.
    pub strategy: Strategy,
    /// The most transfers, or reducers, at any time. Only [`Strategy::Greedy`] accepts a limit.
    pub limit: Concurrency,
    /// The processor that delivers first among those with equal dates.
    pub tie: Tie,
}

impl<'c> Reduce<'c> {
    /// The reduction of this many values by [`Strategy::Greedy`], without a limit, under the default [`Tie`].
    pub fn of(values: u64, costs: &'c EqualCosts) -> Self {
        Reduce {
            values,
            costs,
            strategy: Strategy::Greedy,
            limit: Concurrency::Unlimited,
            tie: Tie::default(),
        }
    }

    /// This question with another tree.
    pub fn strategy(self, strategy: Strategy) -> Self {
        Reduce { strategy, ..self }
    }

    /// This question under a limit on simultaneous transfers or reducers.
    pub fn limit(self, limit: Concurrency) -> Self {
        Reduce { limit, ..self }
    }

    /// This question with another rule for equal dates.
    pub fn tie(self, tie: Tie) -> Self {
        Reduce { tie, ..self }
    }

    /// The schedule.
    ///
    /// [`Strategy::Greedy`] is optimal: RR-7898, Algorithm 1 (Theorem 4), under [`Concurrency::Transfers`] Algorithm 2
    /// (Theorem 7, line 14 corrected), under [`Concurrency::Reducers`] Algorithm 3 (Theorem 9). The other strategies
    /// build the tree of their description ([`Strategy`]) and take the earliest dates (Proposition 3). Transfers of
    /// Algorithm 2 start at its dates. All other transfers start as early as possible. If both costs are 0, all dates
    /// are 0, and the tree is that of the binomial strategy.
    ///
    /// O(n) time and memory, about 50 bytes per value if all dates fit 64 bits in a common unit.
    ///
    /// # Errors
    /// No values, a limit of 0, a limit with a strategy other than greedy, more than
    /// [`MOST_WRITTEN`](crate::MOST_WRITTEN) values.
    pub fn schedule(&self) -> Result<Reduction, Error> {
        check(self.values, self.strategy, self.limit)?;
        let count = written(self.values)?;
        let scaled = Scaled::new(self.costs);
        if let Some(pair) = scaled.pair::<u64>() {
            let (receivers, dates) = self.dated(count, &scaled, &pair);
            if !dates.length.saturated() {
                let names = tree::names(&receivers);
                return Ok(written_down(receivers, &names, dates, self.costs, &scaled));
            }
        }
        let (receivers, dates) = self.dated(count, &scaled, &scaled.big());
        let names = tree::names(&receivers);
        Ok(written_down(receivers, &names, dates, self.costs, &scaled))
    }

    /// The receiver of each of `count` processors, and the dates, which may saturate.
    fn dated<N: Time>(
        &self,
        count: u32,
        scaled: &Scaled,
        pair: &Pair<N>,
    ) -> (Vec<u32>, tree::TreeDates<N>) {
        match self.limit {
            Concurrency::Transfers(limit) => {
                let deliveries = transfers::deliveries(count, limit, pair, false);
                let dates = tree::reversed(&deliveries.receivers, deliveries.ends, pair);
                (deliveries.receivers, dates)
            }
            Concurrency::Unlimited | Concurrency::Reducers(_) => {
                let receivers = self.receivers(count, scaled);
                let dates = tree::earliest(&receivers, pair);
                (receivers, dates)
            }
        }
    }

    /// The receivers of `count` processors in the order of deliveries, without a limit on transfers.
    pub(crate) fn receivers(&self, count: u32, scaled: &Scaled) -> Vec<u32> {
        let tie = self.tie;
        let reducers = match self.limit {
            Concurrency::Reducers(most) => u32::try_from(most).unwrap_or(count),
            Concurrency::Unlimited | Concurrency::Transfers(_) => count,
        };
        match self.strategy {
            Strategy::Greedy => greedy(count, reducers, scaled, tie, |_, _| ()),
            Strategy::Binomial => {
                shape::receivers(count, reducers, &Shape::BINOMIAL, tie, |_, _| ())
            }
            Strategy::Fibonacci => {
                shape::receivers(count, reducers, &Shape::FIBONACCI, tie, |_, _| ())
            }
            Strategy::Chain => (0..count)
                .map(|processor| processor.saturating_sub(1))
                .collect(),
            Strategy::Flat => vec![0; count as usize],
        }
    }
}

/// A schedule with a name for every processor, the root being the first.
pub(crate) fn written_down<N: Time>(
    receivers: Vec<u32>,
    names: &[u32],
    dates: tree::TreeDates<N>,
    costs: &EqualCosts,
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
        length: scaled.rational(&dates.length),
        starts: N::dates(&scaled.unit, tree::renamed(dates.starts, names, N::zero())),
        merges: Some(N::dates(
            &scaled.unit,
            tree::renamed(dates.merges, names, N::zero()),
        )),
        ready: None,
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
    // EqualCosts below 2^64 and fewer than 2^32 steps: no date reaches 2^128.
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
