//! Reasons why rates are not a weighted sum of patterns.

use oneport_plan::{MergeTask, RatesError};
use oneport_platform::Rational;
use oneport_watch::Limit;

/// The reason why rates are not a weighted sum of patterns: nodes, links and amounts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExtractError {
    /// The mistake in the rates of one of several demands.
    #[error("demand {demand} (counted from 0): {error}")]
    InDemand {
        /// The index of the demand.
        demand: usize,
        /// The mistake.
        error: Box<ExtractError>,
    },
    /// A kind of demand with ambiguous rates.
    #[error(transparent)]
    Rates(#[from] RatesError),
    /// Rates for another number of demands.
    #[error("rates of {found} demands; the collective has {right}")]
    Demands {
        /// How many are given.
        found: usize,
        /// How many there should be.
        right: usize,
    },
    /// Rates of a demand of another kind.
    #[error("rates of {found}; the demand asks for {right}")]
    OtherKind {
        /// The kind of the rates.
        found: &'static str,
        /// The kind that the demand needs.
        right: &'static str,
    },
    /// A reduction of nothing.
    #[error("0 operands; a reduction combines at least 1")]
    NoOperands,
    /// A single value at its owner.
    #[error("the target owns the only operand, so nothing has to be done; name another target")]
    OwnResult,
    /// A node or link id outside the platform.
    #[error("{what} id {id} does not exist; the platform has {count} {what}s, numbered from 0")]
    UnknownId {
        /// "node" or "link".
        what: &'static str,
        /// The id's number.
        id: usize,
        /// How many there are.
        count: usize,
    },
    /// A partial result or a split that does not exist.
    #[error(
        "{task}: no such task among {operands} operands; v[k,m] has k <= m < {operands}, and T[k,l,m] k <= l < m < \
             {operands}"
    )]
    UnknownTask {
        /// The task.
        task: String,
        /// How many operands there are.
        operands: usize,
    },
    /// A set of operands, or a merge of sets, that does not exist.
    #[error(
        "{task}: no such task among {operands} operands; operands are numbered from 0, and a merge takes two values \
             that share none, that with the smallest operand on the left"
    )]
    UnknownTaskOfSets {
        /// The task.
        task: String,
        /// How many operands there are.
        operands: usize,
    },
    /// A merge at a node without a processor.
    #[error("{task}: '{node}' is a router; only processors merge")]
    Router {
        /// The task.
        task: String,
        /// The node's name.
        node: String,
    },
    /// A merge at a processor that cannot do it.
    #[error(
        "{task} at '{node}': the table of work gives it no time there; only other processors can do it"
    )]
    Unable {
        /// The merge.
        task: MergeTask,
        /// The node's name.
        node: String,
    },
    /// A negative rate of a task.
    #[error("{task}: rate {rate}; a rate is 0 or more")]
    Negative {
        /// The task.
        task: String,
        /// Its rate.
        rate: Box<Rational>,
    },
    /// Equation (10) does not hold.
    #[error(
        "{value} at '{node}': {made} made or received, but {used} merged or sent; the two have to be equal"
    )]
    Unbalanced {
        /// The partial result.
        value: String,
        /// The node's name.
        node: String,
        /// Made or received.
        made: Box<Rational>,
        /// Merged or sent.
        used: Box<Rational>,
    },
    /// Equation (11) does not hold.
    #[error("'{target}' gains {found} results {value}; the throughput says {throughput}")]
    WrongThroughput {
        /// The target's name.
        target: String,
        /// The final result.
        value: String,
        /// Results made or received at the target, less those sent away.
        found: Box<Rational>,
        /// The throughput given.
        throughput: Box<Rational>,
    },
    /// Equation (5) of RR-4872 does not hold: messages appear or vanish.
    #[error(
        "'{node}' receives {received} messages and sends {sent}; between source and target the two have to be equal"
    )]
    Lost {
        /// The node's name.
        node: String,
        /// Messages received.
        received: Box<Rational>,
        /// Messages sent.
        sent: Box<Rational>,
    },
    /// Equation (6) of RR-4872 does not hold.
    #[error("'{target}' gains {found} messages; the throughput says {throughput}")]
    WrongGain {
        /// The target's name.
        target: String,
        /// Messages received at the target, less those sent away.
        found: Box<Rational>,
        /// The throughput given, times the demand's rate.
        throughput: Box<Rational>,
    },
    /// A cut lets less pass than the throughput.
    #[error(
        "'{target}' can be reached by {found} copies at most; the throughput says {throughput}"
    )]
    Cut {
        /// The target's name.
        target: String,
        /// The capacity of a minimum cut between source and target.
        found: Box<Rational>,
        /// The throughput given, times the demand's rate.
        throughput: Box<Rational>,
    },
    /// A helper passes on more than it receives, and does not receive all.
    #[error(
        "helper '{node}' sends {sent} and receives {received}: it copies, and copies made by helpers are a Steiner problem; \
         the flows promise {throughput}, trees may attain less; ask `solve`"
    )]
    HelperCopies {
        /// The node's name.
        node: String,
        /// Copies sent.
        sent: Box<Rational>,
        /// Copies received.
        received: Box<Rational>,
        /// The throughput given, times the demand's rate.
        throughput: Box<Rational>,
    },
    /// Copies of several messages that do not name their message.
    #[error(
        "copies that do not name their demand can be told apart only where every demand is a message to the same nodes, \
         its source among them, as in an all-gather; name the demand of each"
    )]
    Together,
    /// A limit ended the work.
    #[error("{0} ended the work before all rates were given to patterns; allow more")]
    Stopped(#[from] Limit),
    /// The theory excludes this. It is a defect of oneport.
    #[error("internal contradiction: {0}; please report it with the platform file and the rates")]
    Contradiction(&'static str),
}

impl ExtractError {
    /// An error of one of several demands.
    pub(crate) fn in_demand(self, demand: usize, several: bool) -> Self {
        match self {
            ExtractError::Stopped(_) => self,
            error if several => ExtractError::InDemand {
                demand,
                error: Box::new(error),
            },
            error => error,
        }
    }
}
