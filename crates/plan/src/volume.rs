//! How much data messages hold and how much work merges take.

use num_traits::{One, Signed};
use oneport_platform::{NodeId, Platform, Rational};

use crate::{Block, Collective, Interval, Message};

/// An amount for every partial result `v[k,m]` of a reduction; messages of other collectives only know constants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Amount {
    /// The same for all.
    Constant(Rational),
    /// `fixed + per_operand x (m - k + 1)`.
    Affine {
        /// What every partial result has.
        fixed: Rational,
        /// What every operand combined adds.
        per_operand: Rational,
    },
    /// By interval: entry `j` of row `k` is that of `[k, k + j]`; the row of operand `k` of `n` has `n - k` entries.
    Table(Vec<Vec<Rational>>),
}

impl Amount {
    /// The amount of a partial result; `None` outside the table.
    pub fn of(&self, part: Interval) -> Option<Rational> {
        match self {
            Amount::Constant(amount) => Some(amount.clone()),
            Amount::Affine { fixed, per_operand } => {
                Some(fixed + per_operand * Rational::from_integer(part.operands().into()))
            }
            Amount::Table(rows) => rows.get(part.first)?.get(part.last.checked_sub(part.first)?).cloned(),
        }
    }

    /// Every amount times a factor.
    pub fn times(&self, factor: &Rational) -> Amount {
        let times = |row: &Vec<Rational>| row.iter().map(|value| value * factor).collect();
        match self {
            Amount::Constant(amount) => Amount::Constant(amount * factor),
            Amount::Affine { fixed, per_operand } => {
                Amount::Affine { fixed: fixed * factor, per_operand: per_operand * factor }
            }
            Amount::Table(rows) => Amount::Table(rows.iter().map(times).collect()),
        }
    }

    /// The numbers that it is made of.
    fn numbers(&self) -> Vec<&Rational> {
        match self {
            Amount::Constant(constant) => vec![constant],
            Amount::Affine { fixed, per_operand } => vec![fixed, per_operand],
            Amount::Table(rows) => rows.iter().flatten().collect(),
        }
    }

    /// The amount, if it is the same for all.
    pub fn constant(&self) -> Option<&Rational> {
        match self {
            Amount::Constant(amount) => Some(amount),
            Amount::Affine { .. } | Amount::Table(_) => None,
        }
    }
}

/// Sizes of messages and work of merges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Volumes {
    /// `size(v[k,m])`, in the unit of the platform's costs; positive.
    pub size: Amount,
    /// Work of a merge that makes `v[k,m]`: node `i` takes `work x compute_i` for it, `w(P_i, T[k,l,m])` of RR-4872.
    /// Not negative.
    pub work: Amount,
}

/// Why volumes do not fit a collective.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VolumeError {
    /// A size or an amount of work over zero or less.
    #[error("the {what} {}/{} is no number; give it a positive denominator", .found.numer(), .found.denom())]
    NoNumber {
        /// "size" or "work".
        what: &'static str,
        /// The value.
        found: Box<Rational>,
    },
    /// A size that is not positive.
    #[error("size {found}{place}; a message needs a positive size")]
    BadSize {
        /// Of which partial result; empty where all are alike.
        place: String,
        /// The size.
        found: Box<Rational>,
    },
    /// A negative amount of work.
    #[error("work {found}{place}; give 0 or more")]
    BadWork {
        /// Of which partial result; empty where all are alike.
        place: String,
        /// The work.
        found: Box<Rational>,
    },
    /// Messages that are not partial results have one size.
    #[error("{collective}: the size depends on the operands combined, but nothing is combined; give one number")]
    NotConstant {
        /// The collective's name.
        collective: &'static str,
    },
    /// A commutative operator combines operands in any order, so a partial result is more than an interval.
    #[error(
        "{collective}: a {what} table by interval, but a commutative operator combines operands in any order; \
             give a constant, or an amount that depends on the number of operands"
    )]
    TableOfCommutative {
        /// The collective's name.
        collective: &'static str,
        /// "size" or "work".
        what: &'static str,
    },
    /// A table of the wrong shape.
    #[error("{what} table: {place} has {found} entries; {operands} operands need {operands} rows, and row k \
             (counted from 0) an entry for each of [k,k], [k,k+1], ... [k,{}], {right} here", operands - 1)]
    TableShape {
        /// "size" or "work".
        what: &'static str,
        /// "the list of rows" or "row k".
        place: String,
        /// How many entries there are.
        found: usize,
        /// How many there should be.
        right: usize,
        /// How many operands there are.
        operands: usize,
    },
}

impl Default for Volumes {
    /// Messages of size 1, merges of one unit of work.
    fn default() -> Self {
        Volumes::of_size(Rational::one())
    }
}

impl VolumeError {
    /// Whether it is the work that does not fit, and not the size.
    pub fn is_of_work(&self) -> bool {
        match self {
            VolumeError::BadWork { .. } => true,
            VolumeError::BadSize { .. } | VolumeError::NotConstant { .. } => false,
            VolumeError::NoNumber { what, .. }
            | VolumeError::TableOfCommutative { what, .. }
            | VolumeError::TableShape { what, .. } => *what == "work",
        }
    }
}

impl Volumes {
    /// Messages of one size, merges of one unit of work.
    pub fn of_size(size: Rational) -> Self {
        Volumes { size: Amount::Constant(size), work: Amount::Constant(Rational::one()) }
    }

    /// The size of a message; a partial result outside a table counts 0, which [`validate`](Self::validate) excludes.
    pub fn size_of(&self, message: Message) -> Rational {
        self.size.of(message.part).unwrap_or_default()
    }

    /// Time node `node` takes for a merge that makes `part`; 0 for a router and outside a table.
    pub fn merge_time(&self, platform: &Platform, node: NodeId, part: Interval) -> Rational {
        let compute = platform.nodes().get(node.index()).and_then(|node| node.compute.as_ref());
        compute.zip(self.work.of(part)).map(|(compute, work)| compute * work).unwrap_or_default()
    }

    /// Checks signs and shapes against a valid collective. `O(n^2)` for `n` operands with tables.
    ///
    /// # Errors
    /// See [`VolumeError`].
    pub fn validate(&self, collective: &Collective) -> Result<(), VolumeError> {
        for (what, amount) in [("size", &self.size), ("work", &self.work)] {
            if let Some(found) = amount.numbers().into_iter().find(|number| !number.denom().is_positive()) {
                return Err(VolumeError::NoNumber { what, found: Box::new(found.clone()) });
            }
        }
        collective.blocks().iter().try_for_each(|block| self.validate_block(block))
    }

    fn validate_block(&self, block: &Block<'_>) -> Result<(), VolumeError> {
        let collective = block.name;
        if !block.kind.combines() {
            let size = self.size.constant().ok_or(VolumeError::NotConstant { collective })?;
            return positive(size, String::new());
        }
        let operands = block.operands().len();
        for (what, amount) in [("size", &self.size), ("work", &self.work)] {
            if let Amount::Table(rows) = amount {
                if block.is_commutative() {
                    return Err(VolumeError::TableOfCommutative { collective, what });
                }
                check_shape(what, rows, operands)?;
            }
        }
        for (part, place) in samples(&self.size, operands) {
            positive(&self.size.of(part).unwrap_or_default(), place)?;
        }
        for (part, place) in samples(&self.work, operands).filter(|(part, _)| part.first < part.last) {
            let found = self.work.of(part).unwrap_or_default();
            if found.is_negative() {
                return Err(VolumeError::BadWork { place, found: Box::new(found) });
            }
        }
        Ok(())
    }
}

fn positive(size: &Rational, place: String) -> Result<(), VolumeError> {
    if size.is_positive() { Ok(()) } else { Err(VolumeError::BadSize { place, found: Box::new(size.clone()) }) }
}

fn check_shape(what: &'static str, rows: &[Vec<Rational>], operands: usize) -> Result<(), VolumeError> {
    let wrong = |place, found, right| Err(VolumeError::TableShape { what, place, found, right, operands });
    if rows.len() != operands {
        return wrong("the list of rows".to_string(), rows.len(), operands);
    }
    match rows.iter().enumerate().find(|(first, row)| row.len() != operands - first) {
        Some((first, row)) => wrong(format!("row {first}"), row.len(), operands - first),
        None => Ok(()),
    }
}

/// The intervals at which an amount has to be checked: its extremes, or all of a table.
fn samples(amount: &Amount, operands: usize) -> Box<dyn Iterator<Item = (Interval, String)>> {
    let last = operands.saturating_sub(1);
    let named = |part: Interval| (part, format!(" of v[{},{}]", part.first, part.last));
    match amount {
        Amount::Constant(_) => Box::new(std::iter::once((Interval { first: 0, last }, String::new()))),
        Amount::Affine { .. } => {
            Box::new([0, last.min(1), last].map(|last| named(Interval { first: 0, last })).into_iter())
        }
        Amount::Table(_) => Box::new(
            (0..operands).flat_map(move |first| (first..operands).map(move |last| named(Interval { first, last }))),
        ),
    }
}
