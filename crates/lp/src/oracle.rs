//! Defines pricing oracles.

use oneport_plan::Pattern;
use oneport_platform::Rational;
use oneport_trees::cheapest::Prices;

use crate::LpError;

/// Finds cheapest patterns for some of the demands.
///
/// An answer may be cut short, and wrong, if the question's watch ends the work: the caller checks the watch before
/// using it.
pub(crate) trait Oracle: Sync {
    /// Cheap patterns for each demand under guiding prices.
    fn guide(&self, prices: &Prices<u64>) -> Result<Vec<Priced>, LpError>;

    /// A cheapest pattern for each demand.
    fn cheapest(&self, prices: &Prices<Rational>) -> Result<Vec<Priced>, LpError>;

    /// Whether cheapest patterns are found for all prices, and not only bounds.
    fn is_exact(&self) -> bool {
        true
    }
}

/// Patterns for one demand.
pub(crate) struct Priced {
    /// No pattern for the demand costs less.
    pub at_least: Rational,
    /// Patterns, the cheapest first. At least one.
    pub patterns: Vec<Pattern>,
}

impl Priced {
    /// A pattern at its price.
    pub(crate) fn one((at_least, pattern): (Rational, Pattern)) -> Self {
        Priced {
            at_least,
            patterns: vec![pattern],
        }
    }
}
