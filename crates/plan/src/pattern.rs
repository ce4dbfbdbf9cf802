//! Patterns and steady states.

use oneport_platform::{LinkId, Rational};

/// A kind of message: every instance of the collective sends one of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Message {
    /// Place in [`Collective::commodities`](crate::Collective::commodities).
    pub commodity: usize,
}

/// One use of a link by a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// The link used.
    pub link: LinkId,
    /// What travels.
    pub message: Message,
    /// How many transfers must have happened before: 0 for the first hop.
    pub stage: usize,
}

/// One way to carry one commodity of one instance: for the scatter family, a path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pattern {
    /// Place in [`Collective::commodities`](crate::Collective::commodities).
    pub commodity: usize,
    /// Consecutive links from the commodity's source to its target.
    pub links: Vec<LinkId>,
}

impl Pattern {
    /// The pattern's uses of links, each after those it depends on.
    pub fn transfers(&self) -> impl Iterator<Item = Transfer> + '_ {
        let message = Message { commodity: self.commodity };
        self.links.iter().enumerate().map(move |(stage, &link)| Transfer { link, message, stage })
    }

    /// Number of stages: periods between the first send and the last arrival when every hop takes one period.
    pub fn depth(&self) -> usize {
        self.links.len()
    }
}

/// A pattern and how often it is carried out per unit of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeightedPattern {
    /// The pattern.
    pub pattern: Pattern,
    /// Carried out this often per unit of time; positive.
    pub weight: Rational,
}

/// Weighted patterns that respect every resource: for each commodity the weights add up to the throughput.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SteadyState {
    /// `TP`: instances of the collective per unit of time.
    pub throughput: Rational,
    /// The patterns, sorted by commodity.
    pub patterns: Vec<WeightedPattern>,
}
