//! Patterns and steady states.

use std::cmp::Ordering;
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
    /// Place among the collective's [demands](crate::Collective::demand).
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

/// One way to carry out one demand of one instance. Patterns are ordered by demand first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pattern {
    /// A message goes from its source to its target.
    Path(Path),
    /// Partial results travel and are merged until the target has the result.
    Reduction(ReductionTree),
    /// A message is copied to several targets.
    Arborescence(Arborescence),
    /// Partial results travel, are merged, and may be used several times: all-reduce, scan.
    Scheme(Scheme),
}

/// A broadcast tree: every hop carries a copy that an earlier hop brought to its tail.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arborescence {
    /// Place among the collective's [demands](crate::Collective::demand).
    pub commodity: usize,
    /// Every hop after the one it depends on.
    pub hops: Vec<Hop>,
}

/// One copy sent over one link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hop {
    /// The link used.
    pub link: LinkId,
    /// Place of the hop that brought the copy passed on; `None` at the source. At a node that does not replicate, a copy is
    /// passed on once at most.
    pub after: Option<u32>,
}

/// Tasks with explicit inputs. What a task makes or brings may be used by several later tasks, but a copy at a node that
/// does not replicate by one at most.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Scheme {
    /// Place among the collective's [demands](crate::Collective::demand).
    pub commodity: usize,
    /// For commutative operators, as in [`ReductionTree::order`].
    pub order: Option<Vec<usize>>,
    /// Every task after those that it depends on.
    pub tasks: Vec<SchemeTask>,
}

/// A task of a scheme. An input is the place of the task that made it or brought it to the node; `None` is the operand
/// `v[i,i]` at its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SchemeTask {
    /// A copy of a partial result is sent over a link.
    Transfer {
        /// The link used.
        link: LinkId,
        /// What travels.
        part: Interval,
        /// The task that brought it to the link's tail, or made it there.
        after: Option<usize>,
    },
    /// `v[k,l]` and `v[l+1,m]` are combined to `v[k,m]`.
    Merge {
        /// The processor that computes.
        node: NodeId,
        /// The result, `[k,m]`.
        part: Interval,
        /// The last operand of the left part, `l`.
        split: usize,
        /// The task behind the left part.
        left: Option<usize>,
        /// The task behind the right part.
        right: Option<usize>,
    },
}

/// What one task of a pattern occupies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// A link, for a message of this part; `None` travels as it is.
    Link(LinkId, Option<Interval>),
    /// A processor, for a merge with this result.
    Compute(NodeId, Interval),
}

/// Consecutive links from a commodity's source to its target.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path {
    /// Place among the collective's [demands](crate::Collective::demand).
    pub commodity: usize,
    /// The links, in the order of travel.
    pub links: Vec<LinkId>,
}

/// A reduction tree (papers/000 definition 1): tasks, each of whose inputs is made by an earlier task or is the
/// value `v[i,i]` at its owner. Every interval is made once, so an interval names one value that travels.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReductionTree {
    /// Place among the collective's [demands](crate::Collective::demand).
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

impl Ord for Pattern {
    fn cmp(&self, other: &Self) -> Ordering {
        let kind = |pattern: &Pattern| match pattern {
            Pattern::Path(_) => 0,
            Pattern::Reduction(_) => 1,
            Pattern::Arborescence(_) => 2,
            Pattern::Scheme(_) => 3,
        };
        self.commodity().cmp(&other.commodity()).then_with(|| match (self, other) {
            (Pattern::Path(one), Pattern::Path(other)) => one.cmp(other),
            (Pattern::Reduction(one), Pattern::Reduction(other)) => one.cmp(other),
            (Pattern::Arborescence(one), Pattern::Arborescence(other)) => one.cmp(other),
            (Pattern::Scheme(one), Pattern::Scheme(other)) => one.cmp(other),
            _ => kind(self).cmp(&kind(other)),
        })
    }
}

impl PartialOrd for Pattern {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Pattern {
    /// The path of a message.
    pub fn path(commodity: usize, links: Vec<LinkId>) -> Self {
        Pattern::Path(Path { commodity, links })
    }

    /// Place among the collective's [demands](crate::Collective::demand).
    pub fn commodity(&self) -> usize {
        match self {
            Pattern::Path(path) => path.commodity,
            Pattern::Reduction(tree) => tree.commodity,
            Pattern::Arborescence(tree) => tree.commodity,
            Pattern::Scheme(scheme) => scheme.commodity,
        }
    }

    /// The same pattern for another demand.
    pub fn with_commodity(mut self, place: usize) -> Self {
        match &mut self {
            Pattern::Path(path) => path.commodity = place,
            Pattern::Reduction(tree) => tree.commodity = place,
            Pattern::Arborescence(tree) => tree.commodity = place,
            Pattern::Scheme(scheme) => scheme.commodity = place,
        }
        self
    }

    /// The reduction tree, if it is one.
    pub fn tree(&self) -> Option<&ReductionTree> {
        match self {
            Pattern::Reduction(tree) => Some(tree),
            Pattern::Path(_) | Pattern::Arborescence(_) | Pattern::Scheme(_) => None,
        }
    }

    /// What the tasks occupy, in their order.
    pub fn uses(&self) -> impl Iterator<Item = Use> + '_ {
        let (links, hops, tasks, scheme): (&[LinkId], &[Hop], &[Task], &[SchemeTask]) = match self {
            Pattern::Path(path) => (&path.links, &[], &[], &[]),
            Pattern::Arborescence(tree) => (&[], &tree.hops, &[], &[]),
            Pattern::Reduction(tree) => (&[], &[], &tree.tasks, &[]),
            Pattern::Scheme(scheme) => (&[], &[], &[], &scheme.tasks),
        };
        let of_task = |task: &Task| match *task {
            Task::Transfer { link, part } => Use::Link(link, Some(part)),
            Task::Merge { node, part, .. } => Use::Compute(node, part),
        };
        let of_scheme = |task: &SchemeTask| match *task {
            SchemeTask::Transfer { link, part, .. } => Use::Link(link, Some(part)),
            SchemeTask::Merge { node, part, .. } => Use::Compute(node, part),
        };
        let plain = links.iter().copied().chain(hops.iter().map(|hop| hop.link));
        plain.map(|link| Use::Link(link, None)).chain(tasks.iter().map(of_task)).chain(scheme.iter().map(of_scheme))
    }

    /// The links used, each as often as it is used, in the order of the tasks.
    pub fn links(&self) -> impl Iterator<Item = LinkId> + '_ {
        self.uses().filter_map(|one| match one {
            Use::Link(link, _) => Some(link),
            Use::Compute(..) => None,
        })
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
            Pattern::Reduction(_) | Pattern::Arborescence(_) | Pattern::Scheme(_) => {
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
            Pattern::Arborescence(tree) => tree.steps(),
            Pattern::Scheme(scheme) => scheme.steps(),
        }
    }
}

impl Arborescence {
    fn steps(&self) -> Vec<Step> {
        let message = Message { commodity: self.commodity, part: None };
        let mut stages: Vec<usize> = Vec::with_capacity(self.hops.len());
        for hop in &self.hops {
            let stage = hop.after.map_or(0, |after| stages.get(after as usize).map_or(0, |stage| stage + 1));
            stages.push(stage);
        }
        let step = |(hop, stage): (&Hop, usize)| Step::Transfer(Transfer { link: hop.link, message, stage });
        self.hops.iter().zip(stages).map(step).collect()
    }
}

impl Scheme {
    fn steps(&self) -> Vec<Step> {
        let mut stages: Vec<usize> = Vec::with_capacity(self.tasks.len());
        let mut steps = Vec::with_capacity(self.tasks.len());
        for &task in &self.tasks {
            let at = |input: Option<usize>| input.and_then(|task| stages.get(task)).map_or(0, |stage| stage + 1);
            let message = |part| Message { commodity: self.commodity, part: Some(part) };
            let (stage, step) = match task {
                SchemeTask::Transfer { link, part, after } => {
                    let stage = at(after);
                    (stage, Step::Transfer(Transfer { link, message: message(part), stage }))
                }
                SchemeTask::Merge { node, part, split, left, right } => {
                    let stage = at(left).max(at(right));
                    (stage, Step::Merge(Merge { node, message: message(part), split, stage }))
                }
            };
            stages.push(stage);
            steps.push(step);
        }
        steps
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
