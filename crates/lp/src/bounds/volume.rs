//! The smallest transfers and merges that a bound may count on.

use num_traits::Zero;
use oneport_plan::{Amount, Interval};
use oneport_platform::Rational;

use crate::Question;

/// The smallest transfers and merges of an all-reduce.
#[derive(Debug, Clone)]
pub(super) struct Volume {
    /// Size of a partial result.
    pub size: Rational,
    /// Work of a merge.
    pub work: Rational,
}

impl Volume {
    /// That of the question's all-reduce.
    pub(super) fn new(question: &Question, operands: usize) -> Self {
        let volumes = question.volumes();
        Volume {
            size: least(&volumes.size, operands, 1).1,
            work: least(&volumes.work, operands, 2).1,
        }
    }
}

/// The interval of at least `at_least` operands with the least amount, and that amount.
pub(super) fn least(amount: &Amount, operands: usize, at_least: usize) -> (Interval, Rational) {
    let last = operands.saturating_sub(1);
    let sized = |part: Interval| Some((amount.of(part)?, part));
    let found = match amount {
        Amount::Constant(_) => sized(Interval {
            first: 0,
            last: (at_least - 1).min(last),
        }),
        // Monotone in the number of operands.
        Amount::Affine { .. } => [(at_least - 1).min(last), last]
            .into_iter()
            .filter_map(|last| sized(Interval { first: 0, last }))
            .min(),
        Amount::Table(_) => (0..operands)
            .flat_map(|first| {
                (first + at_least - 1..operands).map(move |last| Interval { first, last })
            })
            .filter_map(sized)
            .min(),
        Amount::Tasks(table) => return (Interval { first: 0, last: 0 }, table.least()),
    };
    found.map_or_else(
        || (Interval { first: 0, last: 0 }, Rational::zero()),
        |(amount, part)| (part, amount),
    )
}
