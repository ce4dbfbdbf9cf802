//! Defines pricing oracles.

use oneport_plan::Pattern;
use oneport_platform::Rational;
use oneport_trees::cheapest::Prices;

use crate::LpError;

/// Finds cheapest patterns for some of the demands.
pub trait Oracle: Sync {
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
pub struct Priced {
    /// No pattern for the demand costs less.
    pub at_least: Rational,
    /// Patterns, the cheapest first; at least one.
    pub patterns: Vec<Pattern>,
}

/// The pricing of column generation: the oracles of all demands as one.
///
/// An answer may be cut short, and wrong, if the question's watch ends the work: the caller checks the watch before
/// using it.
pub trait Pricing: Sync {
    /// Per demand: its executions per instance.
    fn rates(&self) -> &[Rational];

    /// Cheap patterns under guiding prices, one or a few of every demand.
    fn guide(&self, prices: &Prices<u64>) -> Result<Guided, LpError>;

    /// A cheapest pattern for each demand, with its price; where [`is_exact`](Self::is_exact) does not hold, a cheap
    /// pattern, with what no pattern is cheaper than.
    fn cheapest(&self, prices: &Prices<Rational>) -> Result<Vec<(Rational, Pattern)>, LpError>;

    /// Whether cheapest patterns are found for all prices, and not only bounds.
    fn is_exact(&self) -> bool {
        true
    }
}

/// Patterns that guiding prices suggest.
pub struct Guided {
    /// No patterns serve all demands, as often as an instance does, for less: a valid bound, whatever was rounded.
    pub at_least: Rational,
    /// Patterns, cheap ones of every demand.
    pub patterns: Vec<Pattern>,
}
