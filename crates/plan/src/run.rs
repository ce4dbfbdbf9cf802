//! One operation executed once: every message with its date.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use oneport_platform::{LinkId, NodeId, Rational};

/// A part of a demand's values that travels by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Index among the collective's [demands](crate::Collective::demand).
    pub demand: usize,
    /// How many of the demand's messages it is, positive: the pieces of a demand add up to its
    /// [rate](crate::Collective::rate), which is 1 if it has no count.
    pub share: Rational,
}

/// A send or merge of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunTask {
    /// A message over a link. It occupies the link for its overhead and size times cost, over the [share](Run::shares)
    /// of the link, and arrives a latency later.
    Send {
        /// The link.
        link: LinkId,
        /// The pieces in it, each once, and the task that made or brought it. `None`: the sender's own operand.
        carried: Vec<(u32, Option<u32>)>,
    },
    /// Two partial results of a piece are combined, for work times compute times the piece's share.
    Merge {
        /// The processor.
        node: NodeId,
        /// The piece.
        piece: u32,
        /// The task behind the left part. `None`: the processor's own operand.
        left: Option<u32>,
        /// The task behind the right part.
        right: Option<u32>,
    },
}

/// A task with its start date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimedTask {
    /// When it starts, in units of the run.
    pub start: BigUint,
    /// The task.
    pub task: RunTask,
}

/// One operation, with dates.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Run {
    /// The pieces of the values.
    pub pieces: Vec<Piece>,
    /// The time that dates count. Positive.
    pub unit: Rational,
    /// Links with shared capacities that transfer at a part of their full rate 1 / cost, with that part: above 0,
    /// below 1. The others have the full rate.
    pub shares: BTreeMap<LinkId, Rational>,
    /// Tasks with dates, each after the tasks whose results it uses.
    pub tasks: Vec<TimedTask>,
}
