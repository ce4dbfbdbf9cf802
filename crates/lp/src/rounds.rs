//! The state that one round of column generation leaves to the next: the best prices so far, and how the gap shrinks.

use std::fmt;

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use oneport_platform::{Rational, percent, ratio, whole};

use crate::resources::Resources;

/// How far a search has come.
pub(crate) struct Progress {
    /// Patterns found so far. For an all-reduce, their stages.
    pub patterns: usize,
    /// Their throughput, up to rounding.
    pub throughput: Rational,
    /// Upper bound on the throughput.
    pub upper_bound: Rational,
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Progress {
            patterns,
            throughput,
            upper_bound,
        } = self;
        write!(f, "{patterns} patterns")?;
        // While exchange inequalities are separated, a bound below the throughput found is not a proof.
        if upper_bound > throughput && upper_bound.is_positive() {
            write!(
                f,
                ", {} below the bound",
                percent(&((upper_bound - throughput) / upper_bound))
            )?;
        }
        Ok(())
    }
}

/// The best guiding prices so far and the bound they prove.
pub(crate) struct Best {
    prices: Vec<u64>,
    /// `None` if nothing is proved yet.
    pub bound: Option<Rational>,
}

impl Best {
    /// Nothing known.
    pub(crate) fn none() -> Self {
        Best {
            prices: Vec::new(),
            bound: None,
        }
    }

    /// The prices, one for every row. Equal for all rows if nothing is proved yet.
    pub(crate) fn exact(&self, resources: &Resources) -> Vec<Rational> {
        if self.prices.is_empty() {
            return vec![Rational::one(); resources.count()];
        }
        let mut prices: Vec<Rational> = self.prices.iter().map(|&price| whole(price)).collect();
        prices.resize(resources.count(), Rational::zero());
        prices
    }

    /// Keeps prices that prove a smaller bound.
    pub(crate) fn offer(&mut self, resources: &Resources, prices: &[u64], at_least: &Rational) {
        if !at_least.is_positive() {
            return;
        }
        let exact: Vec<Rational> = prices.iter().map(|&price| whole(price)).collect();
        let bound = resources.worth(&exact) / at_least;
        if self.bound.as_ref().is_none_or(|known| bound < *known) {
            self.prices = prices.to_vec();
            self.bound = Some(bound);
        }
    }

    /// Between the best prices and the given ones.
    pub(crate) fn smoothed(&self, prices: &[u64], part: u64) -> Vec<u64> {
        if self.prices.is_empty() {
            return prices.to_vec();
        }
        // Rows added after `best` was recorded have price 0 in it.
        let best = self.prices.iter().copied().chain(std::iter::repeat(0));
        best.zip(prices)
            .map(|(best, own)| (part * best + (20 - part) * own) / 20)
            .collect()
    }
}

/// Decides when to switch from floating point to the exact program. Floating point shows no gap below its tolerance,
/// and rounds would go on for long without gain.
#[derive(Default)]
pub(crate) struct Pace {
    gap: Option<Rational>,
    /// Rounds in which a small gap hardly shrank.
    stalled: u32,
}

impl Pace {
    /// Gaps below `2^-34` of the throughput count as closed. Trades floating-point rounds for exact ones. Not measured.
    const NONE: u32 = 34;
    // Gaps below `2^-26` of the throughput may be invisible to HiGHS. Trades floating-point rounds for exact ones. Not
    // measured.
    const SMALL: u32 = 26;
    /// Rounds without gain while the gap is small. Trades floating-point rounds for exact ones. Not measured.
    const PATIENCE: u32 = 3;

    /// Whether the exact program is to be solved next.
    pub(crate) fn is_near(&mut self, progress: &Progress) -> bool {
        let gap = &progress.upper_bound - &progress.throughput;
        let is_below = |bits: u32| &gap * whole(BigInt::one() << bits) < progress.throughput;
        if is_below(Self::NONE) {
            return true;
        }
        let shrank = self
            .gap
            .as_ref()
            .is_none_or(|known| &gap * ratio(9, 8) < *known);
        self.stalled = if shrank || !is_below(Self::SMALL) {
            0
        } else {
            self.stalled + 1
        };
        self.gap = Some(gap);
        self.stalled >= Self::PATIENCE
    }
}
