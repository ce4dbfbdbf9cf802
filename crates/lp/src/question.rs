//! The question put to the programs: a problem, and the watch that ends the work.

use std::sync::Arc;

use oneport_exact::ExactError;
use oneport_plan::{Block, Collective, Commodity, Interval, Kind, Pattern, Problem, Volumes};
use oneport_platform::{LinkId, NodeId, Platform, Rational};
use oneport_watch::{Limit, Watch};

use crate::in_order::Intervals;
use crate::room;

/// Why a question cannot be answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LpError {
    /// A formulation that the collective does not have.
    #[error("{collective} has no compact formulation here; use the columns formulation")]
    NoCompact {
        /// The collective's name.
        collective: &'static str,
    },
    /// The flow program of copies does not model switches.
    #[error(
        "{collective}: the compact formulation knows no switches (replicates = false); use the columns formulation"
    )]
    CompactSwitches {
        /// The collective's name.
        collective: &'static str,
    },
    /// The flow program has a column for every target and link.
    #[error(
        "{collective}: the compact formulation would have {columns} columns, more than {most}; use the columns formulation"
    )]
    CompactTooLarge {
        /// The collective's name.
        collective: &'static str,
        /// Columns: targets times links, or tasks.
        columns: usize,
        /// The limit.
        most: usize,
    },
    /// Prices of all intervals of operands at all processors would take too much memory.
    #[error(
        "{collective}: {operands} operands in order on {processors} processors are {prices} partial results with a price, \
         more than {most} (half a gigabyte); a commutative operator or fewer participants need less"
    )]
    TooManyOperands {
        /// The collective's name.
        collective: &'static str,
        /// Operands of one demand.
        operands: usize,
        /// Processors of the platform.
        processors: usize,
        /// Intervals of operands times processors.
        prices: u128,
        /// The limit.
        most: u128,
    },
    /// Every answer would be too large.
    #[error(
        "{collective}: every answer has at least {needed} transfers and merges, more than {most}; ask about fewer \
             participants, or for a bound, which needs none"
    )]
    TooManyTasks {
        /// The collective's name.
        collective: &'static str,
        /// Fewest transfers and merges that some patterns have.
        needed: u64,
        /// The limit.
        most: u64,
    },
    /// No tree or acyclic graph of the wanted kind exists.
    #[error("{collective} has no best tree or acyclic graph: {why}")]
    NoShape {
        /// The collective's name.
        collective: &'static str,
        /// The reason.
        why: String,
    },
    /// The compact program of reductions has intervals of operands only.
    #[error(
        "the compact formulation keeps the operands in order; use the columns formulation for a commutative operator"
    )]
    CompactCommutative,
    /// Links of cost 0 where schemes divide by costs.
    #[error(
        "{collective}: '{link}' costs nothing; schemes that combine values for several nodes are solved for positive \
             costs only"
    )]
    FreeLink {
        /// The collective's name.
        collective: &'static str,
        /// The link's name.
        link: String,
    },
    /// An instance can be executed in no time.
    #[error(
        "every message of {collective} gets there in no time, over links like '{link}' that cost nothing: nothing \
             bounds the throughput"
    )]
    Unbounded {
        /// The collective's name.
        collective: &'static str,
        /// The name of a link that costs nothing.
        link: String,
    },
    /// No tree can be executed.
    #[error("no processors can make v[{},{}]{target}{}", part.first, part.last,
            if *by_task { ": the table of work gives them no time for its merges; add entries for some of them" }
            else { "; let a node compute that all owners reach and that reaches the target" })]
    Unmade {
        /// The partial result.
        part: Interval,
        /// " and bring it to 'NAME'" if some node can make it, but it cannot reach the target.
        target: String,
        /// Whether a table of work by task forbids it.
        by_task: bool,
    },
    /// The work was ended before any steady state was known.
    #[error(
        "{0} ended the work before any steady state was known; allow more, or ask about fewer participants"
    )]
    Stopped(Limit),
    /// The linear programming layer failed.
    #[error("the linear program could not be solved: {0}")]
    Exact(#[from] ExactError),
    /// The solver's answer contradicts the theory. This is a defect of oneport.
    #[error("internal contradiction: {0}; please report it with the platform file")]
    Contradiction(&'static str),
}

/// A problem to be solved, with a watch and with its symmetry.
#[derive(Debug, Clone)]
pub struct Question {
    problem: Problem,
    size: Rational,
    commodities: Vec<Commodity>,
    roots: Vec<NodeId>,
    watch: Watch,
    sent: Option<Intervals>,
    known: Vec<Pattern>,
}

/// The message names the limit, so the limit is not listed as a cause.
impl From<Limit> for LpError {
    fn from(limit: Limit) -> Self {
        LpError::Stopped(limit)
    }
}

impl Question {
    /// Refuses an answer of more tasks than there is room for.
    ///
    /// # Errors
    /// [`LpError::TooManyTasks`] if the question is too large in itself, [`LpError::Stopped`] if a limit leaves too
    /// little room.
    pub(crate) fn has_room(&self, needed: u64) -> Result<(), LpError> {
        match room::tasks(self.watch()) {
            (most, _) if needed <= most => Ok(()),
            (most, None) => Err(LpError::TooManyTasks {
                collective: self.collective().name(),
                needed,
                most,
            }),
            (_, Some(limit)) => {
                self.watch().end(limit);
                Err(LpError::Stopped(limit))
            }
        }
    }

    /// The problem, without a limit.
    pub fn new(problem: &Problem) -> Self {
        let platform = problem.platform();
        Question {
            problem: problem.clone(),
            size: problem
                .volumes()
                .size
                .of(Interval { first: 0, last: 0 })
                .unwrap_or_default(),
            commodities: if room::is_possible(problem) {
                problem.collective().commodities()
            } else {
                Vec::new()
            },
            roots: platform
                .node_ids()
                .filter(|&node| platform.node(node).replicates)
                .collect(),
            watch: Watch::unlimited(),
            sent: None,
            known: Vec::new(),
        }
    }

    /// Warm start: these patterns execute the question's demands and are likely to be good. They only decide ties.
    pub fn knowing(mut self, patterns: Vec<Pattern>) -> Self {
        self.known = patterns;
        self
    }

    /// Patterns to start from.
    pub(crate) fn known(&self) -> &[Pattern] {
        &self.known
    }

    /// This question under a watch that can end all work on it.
    pub fn watched(mut self, watch: Watch) -> Self {
        self.watch = watch;
        self
    }

    /// Part of the question, under the same watch: another collective among the same participants.
    pub(crate) fn part(&self, collective: impl Into<Arc<Collective>>) -> Result<Question, LpError> {
        let part = self.problem.asking(collective);
        let part =
            part.map_err(|_| LpError::Contradiction("a part of a problem is not a valid problem"))?;
        Ok(Question::new(&part).watched(self.watch.clone()))
    }

    /// The watch that ends the work.
    pub fn watch(&self) -> &Watch {
        &self.watch
    }

    /// For symmetric platforms: these nodes represent all nodes at which values may be combined or from which they may
    /// be spread.
    pub(crate) fn with_roots(mut self, roots: Vec<NodeId>) -> Self {
        self.roots = roots;
        self
    }

    /// For ordered operators: the question with these partial results as the only ones that may be sent.
    pub(crate) fn sending_only(mut self, sent: Intervals) -> Self {
        self.sent = Some(sent);
        self
    }

    /// The partial results that are sent, if not all may be.
    pub(crate) fn sent(&self) -> Option<&Intervals> {
        self.sent.as_ref()
    }

    /// Nodes at which values may be combined or from which they may be spread: all that replicate, or their
    /// representatives.
    pub(crate) fn roots(&self) -> &[NodeId] {
        &self.roots
    }

    /// The size of messages, if all have the same.
    pub(crate) fn size(&self) -> &Rational {
        &self.size
    }

    /// The problem.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The platform.
    pub fn platform(&self) -> &Platform {
        self.problem.platform()
    }

    /// The collective.
    pub fn collective(&self) -> &Collective {
        self.problem.collective()
    }

    /// Sizes of messages and work of merges.
    pub fn volumes(&self) -> &Volumes {
        self.problem.volumes()
    }

    /// The messages, if all of them travel alone, see [`Collective::commodities`]. Empty if there are too many.
    pub fn commodities(&self) -> &[Commodity] {
        &self.commodities
    }

    /// Time one message takes on a link: `size x c(i, j)`. For collectives whose messages have one size.
    pub fn time(&self, link: LinkId) -> Rational {
        &self.size * &self.platform().link(link).cost
    }

    /// Time a message, or a partial result, takes on a link.
    pub fn transfer_time(&self, link: LinkId, part: Interval) -> Rational {
        match self.volumes().size.constant() {
            Some(_) => self.time(link),
            None => self.problem.transfer_time(link, part),
        }
    }

    /// The only block, if there is one and each of its demands is executed once per instance.
    pub(crate) fn block(&self) -> Option<Block<'_>> {
        let blocks = self.problem.blocks();
        if let [block] = blocks[..] {
            Some(block).filter(|block| block.rate == 1)
        } else {
            None
        }
    }
}

/// Whether values are combined for exactly the nodes that own them: the theorems on all-reduces hold then.
pub(crate) fn is_all_reduce(block: &Block<'_>) -> bool {
    block.kind == Kind::CombineCopy && block.demand(0).is_some_and(|demand| demand.is_mutual())
}
