//! What can be wrong with a reduction tree, or with the merges of a run.

use oneport_plan::Interval;
use oneport_platform::Rational;

use crate::violation::{part_name, shown};

/// A broken rule of a reduction. Operands and tasks count from 0; `v[k,m]` combines operands `k` to `m`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReductionFault {
    // The order of the operands.
    /// An order of its own for an operator that is not commutative.
    #[error("the operands have an order of their own, but the operator is not commutative; leave the order out")]
    Reordered,
    /// An order of the wrong length.
    #[error("the order lists {found} participants; list all {operands}, each once")]
    OrderLength {
        /// How many it lists.
        found: usize,
        /// How many there are.
        operands: usize,
    },
    /// An order that repeats a participant, or names one that does not exist.
    #[error(
        "entry {place} of the order is participant {participant}; list each of the {operands} participants, numbered from 0, once"
    )]
    OrderEntry {
        /// The entry, from 0.
        place: usize,
        /// What it says.
        participant: usize,
        /// How many participants there are.
        operands: usize,
    },

    // Tasks.
    /// A part that no instance has.
    #[error("{} does not exist; parts are v[k,m] with 0 <= k <= m <= {last}", part_name(.part))]
    PartRange {
        /// The part.
        part: Interval,
        /// The last operand.
        last: usize,
    },
    /// A merge that does not put two parts together.
    #[error("{} split after operand {split}; a merge splits v[k,m] after one of k, ... m-1", part_name(.part))]
    SplitRange {
        /// The result.
        part: Interval,
        /// The last operand of the left part.
        split: usize,
    },
    /// A merge at a node outside the platform.
    #[error("node id {id} does not exist; the platform has {nodes} nodes, numbered from 0")]
    UnknownNode {
        /// The id's number.
        id: usize,
        /// How many nodes there are.
        nodes: usize,
    },
    /// A merge at a router.
    #[error("a merge at '{node}', which is a router; only processors merge")]
    Router {
        /// The node's name.
        node: String,
    },
    /// A value that is used before it is made, or never made.
    #[error("{} is needed, but not made before", part_name(.part))]
    NotMade {
        /// The part.
        part: Interval,
    },
    /// A value made twice.
    #[error("{} is made twice; make every part once", part_name(.part))]
    MadeTwice {
        /// The part.
        part: Interval,
    },
    /// A value that is used twice where one node wants the result.
    #[error("{} is used again; where one node wants the result, every value is used once", part_name(.part))]
    UsedAgain {
        /// The part.
        part: Interval,
    },
    /// A value used where it is not.
    #[error("{} is needed at '{node}', but is at '{holder}' then", part_name(.part))]
    Elsewhere {
        /// The part.
        part: Interval,
        /// Where it is needed.
        node: String,
        /// Where it is.
        holder: String,
    },
    /// A value that comes to a node where it has been.
    #[error("{} comes to '{node}' twice; cut the detour out", part_name(.part))]
    Returned {
        /// The part.
        part: Interval,
        /// The node.
        node: String,
    },
    /// A tree that ends before everything is merged.
    #[error("{} is left at '{node}'; everything must be merged into one result", part_name(.part))]
    Unfinished {
        /// A part that is left.
        part: Interval,
        /// Where it is.
        node: String,
    },

    // Runs.
    /// A value that no merge takes.
    #[error("{} is never merged; everything must be merged into one result", part_name(.part))]
    Unused {
        /// The part.
        part: Interval,
    },
    /// Merge dates that are no stretch of time.
    #[error("lasts from {} to {}; dates start at 0 and ascend", shown(.start), shown(.end))]
    MergeDates {
        /// The start.
        start: Box<Rational>,
        /// The end.
        end: Box<Rational>,
    },
    /// A merge that takes too long or too short.
    #[error("takes {}; the merge takes {}", shown(.found), shown(.needed))]
    MergeTime {
        /// How long it takes.
        found: Box<Rational>,
        /// work * compute.
        needed: Box<Rational>,
    },
    /// A merge after the end of the run.
    #[error("ends at {}; the run ends at {}", shown(.end), shown(.horizon))]
    MergeAfterHorizon {
        /// End of the merge.
        end: Box<Rational>,
        /// End of the run.
        horizon: Box<Rational>,
    },
    /// A merge before its operand has arrived.
    #[error("starts at {}, but {} is at '{node}' only from {}", shown(.start), part_name(.part), shown(.arrival))]
    TooEarly {
        /// The operand.
        part: Interval,
        /// The processor.
        node: String,
        /// Start of the merge.
        start: Box<Rational>,
        /// When the operand has arrived, or is made.
        arrival: Box<Rational>,
    },
    /// A result that combines the wrong values.
    #[error("the result combines the values of {found}; it must combine those of {right}")]
    WrongResult {
        /// The owners of the values combined.
        found: String,
        /// The participants.
        right: String,
    },
}
