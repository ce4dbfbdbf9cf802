//! Our schedules with equal costs, passed by the referee, and the costs that sweeps try.

use anyhow::Result;
use oneport::homogeneous::{self, EqualCosts, Strategy};
use oneport::plan::{Concurrency, Reduction};
use oneport::referee;

use crate::numbers::{whole, whole_number};

/// Pairs of costs (d, c) for sweeps.
pub const COSTS: [(u64, u64); 18] = [
    (0, 0),
    (0, 1),
    (1, 0),
    (1, 1),
    (1, 2),
    (2, 1),
    (1, 3),
    (3, 1),
    (2, 3),
    (3, 2),
    (3, 5),
    (5, 3),
    (1, 5),
    (5, 1),
    (1, 10),
    (10, 1),
    (7, 4),
    (4, 7),
];

/// EqualCosts as integers.
pub fn costs(d: u64, c: u64) -> Result<EqualCosts> {
    Ok(EqualCosts::new(whole(d), whole(c))?)
}

/// A schedule that the referee has passed.
pub fn reduce(n: u64, d: u64, c: u64, strategy: Strategy, limit: Concurrency) -> Result<Reduction> {
    let reduction = homogeneous::Reduce::of(n, &costs(d, c)?)
        .strategy(strategy)
        .limit(limit)
        .schedule()?;
    referee::check_reduction(&reduction, limit)?;
    Ok(reduction)
}

/// Our length, as an integer.
pub fn length(n: u64, d: u64, c: u64, strategy: Strategy, limit: Concurrency) -> Result<u64> {
    whole_number(
        &homogeneous::Reduce::of(n, &costs(d, c)?)
            .strategy(strategy)
            .limit(limit)
            .length()?,
    )
}
