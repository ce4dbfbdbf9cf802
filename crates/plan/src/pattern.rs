//! Patterns and steady states.

use std::collections::BTreeMap;

use oneport_platform::{LinkId, NodeId, Rational};

/// Consecutive operands `first..=last` of a demand: the `[k, m]` of a partial result `v[k,m]` (RR-4872 section 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Interval {
    /// The first operand combined, counted from 0: `k`.
    pub first: usize,
    /// The last operand combined: `m`.
    pub last: usize,
}

impl Interval {
    /// One operand as it is: `[i, i]`. A message that nothing is combined with is [`single(0)`](Self::single).
    pub const fn single(operand: usize) -> Self {
        Interval {
            first: operand,
            last: operand,
        }
    }

    /// How many operands are combined. A single value counts 1.
    pub fn operands(self) -> usize {
        self.last.saturating_add(1).saturating_sub(self.first)
    }

    /// Both inputs of the merge `T[k,l,m]` behind `v[k,m]`, with `l = at`: `v[k,l]` and `v[l+1,m]`. Expects
    /// `first <= at < last`.
    ///
    /// ```
    /// use oneport_plan::Interval;
    /// let (left, right) = Interval { first: 2, last: 5 }.split(3);
    /// assert_eq!(left, Interval { first: 2, last: 3 });
    /// assert_eq!(right, Interval { first: 4, last: 5 });
    /// ```
    pub const fn split(self, at: usize) -> (Self, Self) {
        let left = Interval {
            first: self.first,
            last: at,
        };
        let right = Interval {
            first: at.saturating_add(1),
            last: self.last,
        };
        (left, right)
    }
}

/// A kind of message: every instance of the collective has at most one of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Message {
    /// Index among the collective's [demands](crate::Collective::demand).
    pub demand: usize,
    /// Which operands it combines: `[0,0]` for a message that travels as it is.
    pub part: Interval,
}

/// A pattern performs one demand of one instance: a path, an arborescence, a reduction tree, or any other tasks that
/// bring the wanted values to their receivers. Patterns are ordered by demand first.
///
/// Later tasks may use the result of a task: several of them, unless
/// - it is a copy at a node that does not replicate. Such a copy is passed on once at most.
/// - the demand has one result at one node. Then every partial result is made once and used once, and a node that sends
///   a value on no longer holds it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pattern {
    /// Index among the collective's [demands](crate::Collective::demand).
    pub demand: usize,
    /// For commutative operators: the participant (index in the participants' list) whose value is operand `i` of
    /// this pattern. `None` is the participants' own order, the only one for other operators.
    pub order: Option<Vec<usize>>,
    /// Tasks, each after its inputs.
    pub tasks: Vec<Task>,
}

/// A task of a pattern. An input is the index of the task that made it or brought it to the node. `None` is the operand
/// `v[i,i]` at its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Task {
    /// A message, or a partial result, is sent over a link: `send(P_i -> P_j, v[k,m])`.
    Send {
        /// The link used.
        link: LinkId,
        /// The interval of operands that is sent.
        part: Interval,
        /// The task that brought it to the link's tail, or made it there.
        after: Option<u32>,
    },
    /// `v[k,l]` and `v[l+1,m]` are combined to `v[k,m]`: `cons(P_i, T[k,l,m])`.
    Merge {
        /// The processor that computes.
        node: NodeId,
        /// The result, `[k,m]`.
        part: Interval,
        /// The last operand of the left part, `l`: `first <= split < last`.
        split: usize,
        /// The task behind the left part.
        left: Option<u32>,
        /// The task behind the right part.
        right: Option<u32>,
    },
}

impl Task {
    /// A send whose input is the owner's, or is not known yet.
    pub fn send(link: LinkId, part: Interval) -> Self {
        Task::Send {
            link,
            part,
            after: None,
        }
    }

    /// A merge whose inputs are the owners', or are not known yet.
    pub fn merge(node: NodeId, part: Interval, split: usize) -> Self {
        Task::Merge {
            node,
            part,
            split,
            left: None,
            right: None,
        }
    }

    /// The interval of operands that is sent or made.
    pub fn part(&self) -> Interval {
        match *self {
            Task::Send { part, .. } | Task::Merge { part, .. } => part,
        }
    }

    /// The tasks behind the inputs, as indices in the pattern. A send has one input at most.
    pub fn inputs(&self) -> impl Iterator<Item = usize> + use<> {
        let inputs = match *self {
            Task::Send { after, .. } => [after, None],
            Task::Merge { left, right, .. } => [left, right],
        };
        inputs.into_iter().flatten().map(|input| input as usize)
    }

    /// The task without its inputs, to compare tasks of different patterns.
    pub fn alone(self) -> Self {
        match self {
            Task::Send { link, part, .. } => Task::send(link, part),
            Task::Merge {
                node, part, split, ..
            } => Task::merge(node, part, split),
        }
    }
}

impl Pattern {
    /// A pattern without tasks, in the participants' own order.
    pub fn new(demand: usize) -> Self {
        Pattern {
            demand,
            order: None,
            tasks: Vec::new(),
        }
    }

    /// The path of a message: links in the order of travel.
    pub fn path(demand: usize, links: impl IntoIterator<Item = LinkId>) -> Self {
        let send = |(index, link)| Task::Send {
            link,
            part: Interval::single(0),
            after: before(index),
        };
        Pattern {
            demand,
            order: None,
            tasks: links.into_iter().enumerate().map(send).collect(),
        }
    }

    /// Copies of a message: hops over links, each with the index of the hop that brought its value, `None` at the
    /// source.
    pub fn arborescence(
        demand: usize,
        hops: impl IntoIterator<Item = (LinkId, Option<u32>)>,
    ) -> Self {
        let mut pattern = Pattern::new(demand);
        pattern.copy(Interval::single(0), None, hops);
        pattern
    }

    /// A reduction tree: every interval is made once, so it names one value that travels, and the inputs of each task
    /// are found by their intervals: the task before that last made or moved it. Inputs that are given do not count.
    /// (RR-4872's definition 1 also admits circulations and unused values: E000-27 in docs/errata.md.)
    /// `O(t log t)` for `t` tasks.
    pub fn tree(
        demand: usize,
        order: Option<Vec<usize>>,
        tasks: impl IntoIterator<Item = Task>,
    ) -> Self {
        let mut latest: BTreeMap<Interval, u32> = BTreeMap::new();
        let mut pattern = Pattern {
            demand,
            order,
            tasks: Vec::new(),
        };
        for task in tasks {
            let find = |part: Interval| latest.get(&part).copied();
            let index = match task {
                Task::Send { link, part, .. } => pattern.send(link, part, find(part)),
                Task::Merge {
                    node, part, split, ..
                } => {
                    let (left, right) = part.split(split);
                    pattern.merge(node, part, split, [find(left), find(right)])
                }
            };
            latest.extend(index.map(|index| (task.part(), index)));
        }
        pattern
    }

    /// Adds a send. Returns its index, by which later tasks name it as an input.
    pub fn send(&mut self, link: LinkId, part: Interval, after: Option<u32>) -> Option<u32> {
        self.tasks.push(Task::Send { link, part, after });
        self.last()
    }

    /// Adds sends of a part over these links in sequence. Returns the index of the last, or that of the input if
    /// there are no links.
    pub fn route(
        &mut self,
        links: impl IntoIterator<Item = LinkId>,
        part: Interval,
        after: Option<u32>,
    ) -> Option<u32> {
        links
            .into_iter()
            .fold(after, |after, link| self.send(link, part, after))
    }

    /// Adds a merge with the indices of its left and its right input. Returns its own index.
    pub fn merge(
        &mut self,
        node: NodeId,
        part: Interval,
        split: usize,
        [left, right]: [Option<u32>; 2],
    ) -> Option<u32> {
        self.tasks.push(Task::Merge {
            node,
            part,
            split,
            left,
            right,
        });
        self.last()
    }

    /// Adds hops that copy the result of a task (`None`: the owner's operand), each with the index among them of the
    /// hop that brought its value, `None` at the node that has the result.
    pub fn copy(
        &mut self,
        part: Interval,
        from: Option<u32>,
        hops: impl IntoIterator<Item = (LinkId, Option<u32>)>,
    ) {
        let first = self.tasks.len();
        for (link, after) in hops {
            let after = after.map_or(from, |hop| u32::try_from(first + hop as usize).ok());
            self.send(link, part, after);
        }
    }

    /// The index of the last task.
    pub fn last(&self) -> Option<u32> {
        before(self.tasks.len())
    }

    /// This pattern for another demand.
    pub fn with_demand(self, demand: usize) -> Self {
        Pattern { demand, ..self }
    }

    /// A message of this pattern.
    pub fn message(&self, part: Interval) -> Message {
        Message {
            demand: self.demand,
            part,
        }
    }

    /// The links used, each as often as it is used, in the order of the tasks.
    pub fn links(&self) -> impl Iterator<Item = LinkId> + '_ {
        self.tasks.iter().filter_map(|task| match task {
            Task::Send { link, .. } => Some(*link),
            Task::Merge { .. } => None,
        })
    }

    /// Per task: the length of the longest chain of tasks before it. 0 without inputs, else one more than the latest
    /// input's.
    pub fn stages(&self) -> Vec<usize> {
        let mut stages: Vec<usize> = Vec::with_capacity(self.tasks.len());
        for task in &self.tasks {
            let inputs = task.inputs().filter_map(|input| stages.get(input));
            stages.push(inputs.max().map_or(0, |stage| stage + 1));
        }
        stages
    }

    /// Number of stages: the periods from start to end if every task takes a separate period. No schedule takes more.
    pub fn depth(&self) -> usize {
        self.stages().into_iter().max().map_or(0, |last| last + 1)
    }

    /// The tasks, each with its stage, by stage and then in their own order.
    pub fn by_stage(&self) -> Vec<(usize, Task)> {
        let mut tasks: Vec<(usize, Task)> = self
            .stages()
            .into_iter()
            .zip(self.tasks.iter().copied())
            .collect();
        tasks.sort_by_key(|&(stage, _)| stage);
        tasks
    }
}

/// The index before this one, as inputs hold it.
fn before(index: usize) -> Option<u32> {
    index
        .checked_sub(1)
        .and_then(|index| u32::try_from(index).ok())
}

/// A pattern with its rate per unit of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeightedPattern {
    /// The pattern.
    pub pattern: Pattern,
    /// Executions per unit of time. Positive.
    pub weight: Rational,
}

/// Weighted patterns that respect every resource: for each demand the weights add up to the throughput (times its
/// rate).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SteadyState {
    /// `TP`: instances of the collective per unit of time.
    pub throughput: Rational,
    /// The patterns, sorted by demand.
    pub patterns: Vec<WeightedPattern>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(first: usize, last: usize) -> Interval {
        Interval { first, last }
    }

    fn links(list: &[usize]) -> Vec<LinkId> {
        list.iter().map(|&link| LinkId::new(link)).collect()
    }

    #[test]
    fn a_path_is_an_arborescence_without_branches() {
        let path = Pattern::path(3, links(&[5, 2, 9]));
        let hops =
            [(5, None), (2, Some(0)), (9, Some(1))].map(|(link, after)| (LinkId::new(link), after));
        assert_eq!(path, Pattern::arborescence(3, hops));
        assert_eq!(
            (path.links().collect(), path.stages(), path.depth()),
            (links(&[5, 2, 9]), vec![0, 1, 2], 3)
        );
        assert_eq!(
            path.message(path.tasks[0].part()),
            Message {
                demand: 3,
                part: part(0, 0)
            }
        );
        assert_eq!(Pattern::path(3, []), Pattern::new(3));
        assert_eq!(Pattern::new(3).depth(), 0);
    }

    /// Operand 2 goes to node 1, which merges it with its own. The result goes to node 0, which merges it with its own.
    fn tree() -> Pattern {
        let [zero, one] = [0, 1].map(NodeId::new);
        let tasks = [
            Task::send(LinkId::new(4), part(2, 2)),
            Task::merge(one, part(1, 2), 1),
            Task::send(LinkId::new(7), part(1, 2)),
            Task::send(LinkId::new(8), part(1, 2)),
            Task::merge(zero, part(0, 2), 0),
        ];
        Pattern::tree(0, Some(vec![2, 1, 0]), tasks)
    }

    #[test]
    fn a_tree_finds_its_inputs_by_their_intervals() {
        let tree = tree();
        let inputs: Vec<Vec<usize>> = tree
            .tasks
            .iter()
            .map(|task| task.inputs().collect())
            .collect();
        assert_eq!(inputs, [vec![], vec![0], vec![1], vec![2], vec![3]]);
        let Task::Merge { left, right, .. } = tree.tasks[1] else {
            panic!("a merge")
        };
        assert_eq!((left, right), (None, Some(0)));
        assert_eq!((tree.stages(), tree.depth()), (vec![0, 1, 2, 3, 4], 5));
        // Inputs that are given do not count.
        assert_eq!(
            Pattern::tree(0, tree.order.clone(), tree.tasks.clone()),
            tree
        );
        assert!(
            tree.tasks
                .iter()
                .all(|task| task.alone().inputs().next().is_none())
        );
    }

    #[test]
    fn the_result_is_copied_from_where_it_is() {
        let mut pattern = tree();
        let hops =
            [(1, None), (2, Some(0)), (3, None)].map(|(link, after)| (LinkId::new(link), after));
        pattern.copy(part(0, 2), pattern.last(), hops);
        let inputs: Vec<usize> = pattern.tasks[5..].iter().flat_map(Task::inputs).collect();
        assert_eq!(inputs, [4, 5, 4]);
        assert_eq!(pattern.stages()[5..], [5, 6, 5]);
        // In the order of stages, then of tasks.
        let order: Vec<usize> = pattern.by_stage().iter().map(|(stage, _)| *stage).collect();
        assert_eq!(order, [0, 1, 2, 3, 4, 5, 5, 6]);
        assert_eq!(pattern.by_stage()[6].1, pattern.tasks[7]);
    }

    /// A task that names itself or a later one is invalid in a pattern, and must not cause a panic.
    #[test]
    fn nonsense_has_stages() {
        let send = |after| Task::Send {
            link: LinkId::new(0),
            part: part(0, 0),
            after,
        };
        let pattern = Pattern {
            demand: 0,
            order: None,
            tasks: vec![send(Some(0)), send(Some(9)), send(Some(1))],
        };
        assert_eq!(pattern.stages(), [0, 0, 1]);
    }

    #[test]
    fn demands_come_first_in_the_order() {
        let mut patterns = [
            Pattern::path(1, links(&[0])),
            Pattern::path(0, links(&[2, 1])),
            Pattern::path(0, links(&[2])),
        ];
        patterns.sort();
        let listed: Vec<(usize, usize)> = patterns
            .iter()
            .map(|one| (one.demand, one.tasks.len()))
            .collect();
        assert_eq!(listed, [(0, 1), (0, 2), (1, 1)]);
    }
}
