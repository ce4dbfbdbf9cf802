//! FIND_TREE and EXTRACT_TREES of RR-4872, figure 8, line by line. Each wrong line can be enabled separately.

use num_traits::{Signed, Zero};
use oneport::plan::Task;
use oneport::{NodeId, Platform, Rational};

use super::tasks::{Holding, Rates, flow, owns};

/// Lines to execute as printed. All false: the intended algorithm.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lines {
    /// E000-19: line 13 looks for a message sent, `send(P_i -> P_j, v[k,m])`.
    pub looks_for_sends: bool,
    /// E000-20: lines 12 and 18 go on with line 6, and the same input.
    pub same_input: bool,
    /// E000-22: line 7 of EXTRACT_TREES is inside the loop over the tasks.
    pub pushes_per_task: bool,
}

/// Rule for choosing among several senders. The paper leaves it open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// The one with the smallest number.
    First,
    /// The one with the largest number.
    Last,
}

/// Result of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeSearch {
    /// Tasks, each after its inputs.
    Tree(Vec<Task>),
    /// The search never ends.
    Endless,
}

/// The weighted trees pushed, in order, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extraction {
    /// TREES.
    pub trees: Vec<(Rational, Vec<Task>)>,
    /// Rest of `A`. Empty by Lemma 2.
    pub rest: Rates,
    /// Whether some search did not end.
    pub endless: bool,
}

/// The problem and the reading of figure 8.
#[derive(Debug, Clone, Copy)]
pub struct Figure8<'a> {
    /// The platform.
    pub platform: &'a Platform,
    /// Owners of the values.
    pub participants: &'a [NodeId],
    /// Receiver of the result.
    pub target: NodeId,
    /// Which lines are as printed.
    pub lines: Lines,
    /// Which sender is taken.
    pub choice: Choice,
}

impl Figure8<'_> {
    /// FIND_TREE.
    pub fn find_tree(&self, rates: &Rates) -> TreeSearch {
        let happens = |task: &Task| rates.get(task).is_some_and(Rational::is_positive);
        // No task occurs twice in a tree, since no value is merged with itself: a longer list is not a tree.
        let longest = rates.keys().filter(|task| happens(task)).count();
        let mut found = Vec::new();
        let last = self.participants.len().saturating_sub(1);
        let mut inputs: Vec<Holding> =
            vec![(oneport::plan::Interval { first: 0, last }, self.target)];
        while let Some(at) = inputs
            .iter()
            .rposition(|&input| !owns(self.participants, input))
        {
            let input = inputs.remove(at);
            let Some(task) = self.maker(input, &happens) else {
                return TreeSearch::Endless;
            };
            found.push(task);
            if found.len() > longest || self.lines.same_input {
                // The search with the same input finds the same task again and never ends.
                return TreeSearch::Endless;
            }
            match task {
                Task::Merge {
                    node, part, split, ..
                } => {
                    let (left, right) = part.split(split);
                    inputs.extend([(left, node), (right, node)]);
                }
                Task::Send { .. } => inputs.extend(flow(self.platform, task).0),
            }
        }
        found.reverse();
        TreeSearch::Tree(found)
    }

    /// Lines 6 and 13: the task that makes or delivers an input. If there is none, the loop of line 3 never ends.
    fn maker(&self, (part, node): Holding, happens: &dyn Fn(&Task) -> bool) -> Option<Task> {
        let mut merges = (part.first..part.last).map(|split| Task::merge(node, part, split));
        if let Some(merge) = merges.find(|merge| happens(merge)) {
            return Some(merge);
        }
        let received = self
            .platform
            .incoming(node)
            .iter()
            .map(|&link| Task::send(link, part));
        let looked_at = |task: &Task| match *task {
            // Line 13 as printed tests P_i -> P_j, and line 17 adds P_j -> P_i.
            Task::Send { link, .. } if self.lines.looks_for_sends => {
                let ends = self.platform.link(link);
                let back = self.platform.link_between(ends.to, ends.from);
                back.is_some_and(|link| happens(&Task::send(link, part)))
            }
            _ => happens(task),
        };
        let mut senders = received.filter(looked_at);
        match self.choice {
            Choice::First => senders.next(),
            Choice::Last => senders.last(),
        }
    }

    /// EXTRACT_TREES, until the weights pushed add up to `until`, the `TP` of line 2.
    pub fn extract(&self, rates: &Rates, until: &Rational) -> Extraction {
        let mut found = Extraction {
            trees: Vec::new(),
            rest: rates.clone(),
            endless: false,
        };
        let mut pushed = Rational::zero();
        while pushed < *until {
            let TreeSearch::Tree(tree) = self.find_tree(&found.rest) else {
                found.endless = true;
                break;
            };
            let weight = tree
                .iter()
                .filter_map(|task| found.rest.get(task))
                .min()
                .cloned()
                .unwrap_or_default();
            if !weight.is_positive() {
                found.endless = true;
                break;
            }
            for task in &tree {
                *found.rest.entry(*task).or_default() -= &weight;
            }
            let times = if self.lines.pushes_per_task {
                tree.len()
            } else {
                1
            };
            for _ in 0..times {
                pushed += &weight;
                found.trees.push((weight.clone(), tree.clone()));
            }
        }
        found.rest.retain(|_, rate| !rate.is_zero());
        found
    }
}
