//! Patterns and steady states.

use std::collections::BTreeMap;

use oneport_platform::{LinkId, NodeId, Rational};

/// Consecutive operands `first..=last` of a reduction: the `[k, m]` of a partial result `v[k,m]` (papers/000 section 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Interval {
    /// The first operand combined, counted from 0: `k`.
    pub first: usize,
    /// The last operand combined: `m`.
    pub last: usize,
}

impl Interval {
    /// How many operands are combined; a single value counts 1.
    pub fn operands(self) -> usize {
        self.last.saturating_add(1).saturating_sub(self.first)
    }
}

/// A kind of message: every instance of the collective has at most one of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Message {
    /// Place in [`Collective::commodities`](crate::Collective::commodities), or in
    /// [`Collective::reductions`](crate::Collective::reductions).
    pub commodity: usize,
    /// Which partial result of a reduction; `None` for a message that travels as it is.
    pub part: Option<Interval>,
}

/// One use of a link by a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// The link used.
    pub link: LinkId,
    /// What travels.
    pub message: Message,
    /// Periods after the pattern's start: 0 where nothing has to happen before.
    pub stage: usize,
}

/// One merge by a pattern: the task `T[k,l,m]`, which makes `v[k,m]` of `v[k,l]` and `v[l+1,m]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Merge {
    /// The processor that computes.
    pub node: NodeId,
    /// The result; its `part` is present.
    pub message: Message,
    /// The last operand of the left part: `l`.
    pub split: usize,
    /// Periods after the pattern's start: 0 where nothing has to happen before.
    pub stage: usize,
}

/// One way to carry out one commodity of one instance.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pattern {
    /// A message goes from its source to its target.
    Path(Path),
    /// Partial results travel and are merged until the target has the result.
    Reduction(ReductionTree),
}

/// Consecutive links from a commodity's source to its target.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path {
    /// Place in [`Collective::commodities`](crate::Collective::commodities).
    pub commodity: usize,
    /// The links, in the order of travel.
    pub links: Vec<LinkId>,
}

/// A reduction tree (papers/000 definition 1): tasks, each of whose inputs is made by an earlier task or is the
/// value `v[i,i]` at its owner. Every interval is made once, so an interval names one value that travels.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReductionTree {
    /// Place in [`Collective::reductions`](crate::Collective::reductions).
    pub commodity: usize,
    /// For commutative operators: the participant (place in the participants' list) whose value is operand `i` of
    /// this tree. `None` is the participants' own order, the only one for other operators.
    pub order: Option<Vec<usize>>,
    /// Every task after those that it depends on.
    pub tasks: Vec<Task>,
}

/// A task of a reduction tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Task {
    /// `send(P_i -> P_j, v[k,m])`.
    Transfer {
        /// The link used.
        link: LinkId,
        /// What travels.
        part: Interval,
    },
    /// `cons(P_i, T[k,l,m])`.
    Merge {
        /// The processor that computes.
        node: NodeId,
        /// The result, `[k,m]`.
        part: Interval,
        /// The last operand of the left part, `l`: `first <= split < last`.
        split: usize,
    },
}

/// A step of a pattern: what happens in one of its stages.
enum Step {
    Transfer(Transfer),
    Merge(Merge),
}

impl Pattern {
    /// The path of a message.
    pub fn path(commodity: usize, links: Vec<LinkId>) -> Self {
        Pattern::Path(Path { commodity, links })
    }

    /// Place in [`Collective::commodities`](crate::Collective::commodities), or in
    /// [`Collective::reductions`](crate::Collective::reductions).
    pub fn commodity(&self) -> usize {
        match self {
            Pattern::Path(path) => path.commodity,
            Pattern::Reduction(tree) => tree.commodity,
        }
    }

    /// The reduction tree, if it is one.
    pub fn tree(&self) -> Option<&ReductionTree> {
        match self {
            Pattern::Path(_) => None,
            Pattern::Reduction(tree) => Some(tree),
        }
    }

    /// The links used, each as often as it is used, in the order of the tasks.
    pub fn links(&self) -> impl Iterator<Item = LinkId> + '_ {
        let (path, tasks) = match self {
            Pattern::Path(path) => (path.links.as_slice(), [].as_slice()),
            Pattern::Reduction(tree) => ([].as_slice(), tree.tasks.as_slice()),
        };
        let of_task = |task: &Task| match task {
            Task::Transfer { link, .. } => Some(*link),
            Task::Merge { .. } => None,
        };
        path.iter().copied().chain(tasks.iter().filter_map(of_task))
    }

    /// The pattern's uses of links, each after those it depends on.
    pub fn transfers(&self) -> impl Iterator<Item = Transfer> + '_ {
        self.steps().into_iter().filter_map(|step| match step {
            Step::Transfer(transfer) => Some(transfer),
            Step::Merge(_) => None,
        })
    }

    /// The pattern's merges, each after those it depends on.
    pub fn merges(&self) -> impl Iterator<Item = Merge> + '_ {
        self.steps().into_iter().filter_map(|step| match step {
            Step::Merge(merge) => Some(merge),
            Step::Transfer(_) => None,
        })
    }

    /// Number of stages: periods from the start to the end when every task takes a period of its own.
    pub fn depth(&self) -> usize {
        match self {
            Pattern::Path(path) => path.links.len(),
            Pattern::Reduction(_) => {
                let stage = |step: &Step| match step {
                    Step::Transfer(transfer) => transfer.stage,
                    Step::Merge(merge) => merge.stage,
                };
                self.steps().iter().map(stage).max().map_or(0, |last| last + 1)
            }
        }
    }

    fn steps(&self) -> Vec<Step> {
        match self {
            Pattern::Path(path) => {
                let message = Message { commodity: path.commodity, part: None };
                let hop = |(stage, &link)| Step::Transfer(Transfer { link, message, stage });
                path.links.iter().enumerate().map(hop).collect()
            }
            Pattern::Reduction(tree) => tree.steps(),
        }
    }
}

impl ReductionTree {
    /// Tasks with their stages: one later than the latest task that makes or moves an input.
    fn steps(&self) -> Vec<Step> {
        // The stage from which each value may be used. An interval is one value, wherever it is.
        let mut ready: BTreeMap<Interval, usize> = BTreeMap::new();
        let commodity = self.commodity;
        let mut steps = Vec::with_capacity(self.tasks.len());
        for &task in &self.tasks {
            let at = |part: Interval| ready.get(&part).copied().unwrap_or(0);
            let (part, stage, step) = match task {
                Task::Transfer { link, part } => {
                    let (stage, message) = (at(part), Message { commodity, part: Some(part) });
                    (part, stage, Step::Transfer(Transfer { link, message, stage }))
                }
                Task::Merge { node, part, split } => {
                    let left = Interval { first: part.first, last: split };
                    let right = Interval { first: split.saturating_add(1), last: part.last };
                    let (stage, message) = (at(left).max(at(right)), Message { commodity, part: Some(part) });
                    (part, stage, Step::Merge(Merge { node, message, split, stage }))
                }
            };
            ready.insert(part, stage + 1);
            steps.push(step);
        }
        steps
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
