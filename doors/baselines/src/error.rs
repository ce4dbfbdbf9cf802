//! Mistakes of an algorithm.

use oneport_plan::{NodeId, Platform};
use oneport_schedule::ScheduleError;
use oneport_watch::Limit;

/// The reason why an algorithm does not perform its collective on its platform.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// Two ranks that exchange messages are not connected.
    #[error("no path leads from '{from}' to '{to}'; connect them")]
    NoWay {
        /// The sender.
        from: String,
        /// The receiver.
        to: String,
    },
    /// Something is sent over a link that does not exist.
    #[error(
        "step {step} sends from '{from}' to '{to}', but no link joins them, nor a way over routers alone; \
             send along the links, and list what a processor passes on as a send of its own"
    )]
    MissingLink {
        /// The step, counted from 1.
        step: usize,
        /// The sender.
        from: String,
        /// The receiver.
        to: String,
    },
    /// A node in a ring or tree that takes no part.
    #[error("'{node}' takes no part in this collective; leave it out of the list")]
    NoPart {
        /// The node.
        node: String,
    },
    /// A ring that misses a node.
    #[error("the ring misses '{node}'; list every node that takes part once")]
    NotListed {
        /// The node.
        node: String,
    },
    /// A ring that comes by twice.
    #[error("the ring lists '{node}' twice; list every node that takes part once")]
    ListedTwice {
        /// The node.
        node: String,
    },
    /// A node below two others.
    #[error("'{node}' has two parents in the tree; every node but the root has one")]
    TwoParents {
        /// The node.
        node: String,
    },
    /// Nodes whose parents go round.
    #[error("'{node}' is not below the tree's root: its parents go round in a circle")]
    InCircle {
        /// The node.
        node: String,
    },
    /// A forest.
    #[error("the tree has {} nodes without a parent ({}); give every node that takes part but one a parent",
            .roots.len(), .roots.join(", "))]
    NotOneRoot {
        /// The first nodes without a parent.
        roots: Vec<String>,
    },
    /// A circle through every node, or several.
    #[error(
        "every node has a parent, so the tree is a circle; let one node that takes part be without a parent"
    )]
    NoRoot,
    /// A tree with another root than the collective's.
    #[error(
        "the tree's root is '{root}', but the collective's is '{wanted}'; let '{wanted}' be without a parent"
    )]
    OtherRoot {
        /// The collective's root.
        wanted: String,
        /// The tree's.
        root: String,
    },
    /// A shape that does not perform the collective.
    #[error("{shape} does no {collective}; list rounds of sends")]
    NotDone {
        /// The shape that the user supplied.
        shape: &'static str,
        /// The collective.
        collective: &'static str,
    },
    /// A schedule of a file among other ranks.
    #[error(
        "the schedule is among {found} ranks, and the question among {ranks}; give it as many --participants"
    )]
    OtherRanks {
        /// The question's ranks.
        ranks: usize,
        /// The schedule's.
        found: usize,
    },
    /// A schedule of a file whose moves combine parts of different results.
    #[error(
        "the schedule combines chunks of different results; here only chunks of one result are combined"
    )]
    MixedBlocks,
    /// Pieces of a message that must stay whole.
    #[error(
        "{collective}: the list cuts every value into {pieces} pieces, but a token is whole; leave `pieces` out"
    )]
    TokenCut {
        /// The collective.
        collective: &'static str,
        /// The pieces of a value.
        pieces: u32,
    },
    /// Sizes or work depend on the combined operands.
    #[error(
        "named algorithms are counted for one size and one amount of work; give --size and --work as numbers"
    )]
    NotConstant,
    /// Nothing is sent at all.
    #[error("nothing is sent; list at least one message")]
    Nothing,
    /// A rank sends a block that it does not have.
    #[error(
        "step {step}: '{node}' sends block {block}, which it does not have yet; let it arrive in an earlier step"
    )]
    NotHeld {
        /// The step, counted from 1.
        step: usize,
        /// The sender.
        node: String,
        /// The block, counted from 0.
        block: u32,
    },
    /// A rank combines operands that are combined already.
    #[error(
        "step {step}: '{node}' would combine the operand of '{operand}' twice in block {block}; combine each once"
    )]
    Twice {
        /// The step, counted from 1.
        step: usize,
        /// The node that combines.
        node: String,
        /// Whose operand.
        operand: String,
        /// The block, counted from 0.
        block: u32,
    },
    /// A block that does not exist.
    #[error("step {step} sends block {block}; there are {blocks}, numbered from 0")]
    UnknownBlock {
        /// The step, counted from 1.
        step: usize,
        /// The block.
        block: u32,
        /// How many there are.
        blocks: usize,
    },
    /// Something wanted does not arrive.
    #[error("in the end '{node}' lacks block {block}: {found}; send it what is wanted there")]
    Lacks {
        /// The node that wants the block.
        node: String,
        /// The block, counted from 0.
        block: u32,
        /// The operands that it has instead.
        found: String,
    },
    /// Operands are combined in another order, and the operator is not commutative.
    #[error(
        "block {block} is combined out of the operands' order; that needs a commutative operator (--commutative)"
    )]
    OutOfOrder {
        /// The block, counted from 0.
        block: u32,
    },
    /// The half-duplex ports cannot be looked at.
    #[error(transparent)]
    Ports(#[from] ScheduleError),
    /// The watch ended the count of the messages.
    #[error("{0} ended the count of the messages; allow more")]
    Stopped(Limit),
}

impl From<Limit> for BaselineError {
    fn from(limit: Limit) -> Self {
        BaselineError::Stopped(limit)
    }
}

impl BaselineError {
    pub(crate) fn no_way(platform: &Platform, from: NodeId, to: NodeId) -> Self {
        BaselineError::NoWay {
            from: platform.name(from).to_string(),
            to: platform.name(to).to_string(),
        }
    }
}
