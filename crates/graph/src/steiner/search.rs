//! One piece: bounds and trees that improve each other, and enumeration if they do not meet.

use std::collections::BTreeMap;

use oneport_watch::Watch;

use super::ascent::{Ascent, Order};
use super::graph::{Graph, Task, Tree};
use super::{dominators, subsets, trees};
use crate::arborescence::arborescence;
use oneport_numbers::Exact;

/// Dual ascents per piece without enumeration. Trades time for a better bound. Not measured.
const QUICK: usize = 3;
/// Dual ascents per piece before enumeration. Trades time for fewer branches. Not measured.
const THOROUGH: usize = 4;
/// Rounds of local search over all nodes. Trades time for cheaper trees. Not measured.
const EXCHANGES: usize = 3;
/// Optional nodes times arcs up to which the local search runs. Trades cheaper trees for time: an arborescence per
/// optional node. Not measured alone.
const MOST_EXCHANGED: usize = 1 << 20;
/// Terminals up to which the dynamic program over their subsets (Dreyfus and Wagner) always runs. Trades `3^8` steps
/// per node for certainty. Not measured.
const FEW: usize = 8;
/// Subsets times nodes up to which the dynamic program is preferred to branching. Trades memory for time. Not measured.
const SUBSETS: usize = 4_000_000;

/// The best tree of a piece and a proved bound. The sum of the cuts' weights may be less.
pub(super) struct SolvedPiece<N> {
    pub(super) tree: Tree<N>,
    pub(super) at_least: N,
    pub(super) cuts: Vec<(Vec<usize>, N)>,
}

/// Limits of a search, and whether the proof is wanted. Without a budget nothing is enumerated, as in
/// [`heuristic`](super::heuristic). The watch ends the enumeration as the budget does. The rest then has the bound of
/// the dual ascents only.
#[derive(Debug, Clone, Copy)]
pub struct Effort<'a> {
    /// Subproblems that may still be solved. `None`: nothing is enumerated.
    pub budget: Option<usize>,
    /// Whether the sets that prove the bound are wanted. They take `O(n)` searches of the graph.
    pub cuts: bool,
    /// Ends the enumeration.
    pub watch: &'a Watch,
}

/// Solves a piece within the budget. Without a budget or after the end of the watch, nothing is enumerated.
pub(super) fn solve<N: Exact>(
    graph: &Graph<N>,
    task: &Task,
    effort: &mut Effort<'_>,
) -> Option<SolvedPiece<N>> {
    if (0..graph.nodes()).all(|node| task.needed[node] || node == graph.root) {
        return spanning(graph, effort.cuts);
    }
    let watch = effort.watch;
    let mut search = PieceSearch {
        graph,
        best: None,
        few: FEW,
        subsets: SUBSETS,
        watch,
    };
    let ascent = search.ascents(
        task,
        if effort.budget.is_some() {
            THOROUGH
        } else {
            QUICK
        },
        effort.cuts,
    )?;
    let mut at_least = ascent.bound.clone();
    if search.above(&at_least) {
        let mut task = task.clone();
        search.close(&mut task, &ascent);
        let optional = task.needed.iter().filter(|needed| !**needed).count();
        let exchanged = optional * graph.net.arcs.len() <= MOST_EXCHANGED;
        if let Some(best) = search.best.as_mut().filter(|_| exchanged) {
            trees::improve(graph, &task, best, EXCHANGES);
        }
        search.close(&mut task, &ascent);
        if let Some(budget) = effort.budget.as_mut().filter(|_| watch.ask().is_ok()) {
            at_least = search.enumerate(task, &ascent, budget)?;
        }
    }
    let tree = search.best?;
    let at_least = at_least.min(tree.cost.clone());
    Some(SolvedPiece {
        tree,
        at_least,
        cuts: ascent.cuts,
    })
}

/// All nodes are needed: the sets of the dual solution are the cuts.
fn spanning<N: Exact>(graph: &Graph<N>, cuts: bool) -> Option<SolvedPiece<N>> {
    let found = arborescence(graph.nodes(), graph.root, &graph.net.arcs)?;
    let mut members = vec![Vec::new(); found.dual.within.len()];
    for node in (0..graph.nodes()).filter(|_| cuts) {
        let around = std::iter::successors(Some(node), |&set| {
            found.dual.within.get(set).copied().flatten()
        });
        for set in around {
            members[set].push(node);
        }
    }
    let cuts = members
        .into_iter()
        .zip(found.dual.weights)
        .filter(|(set, weight): &(Vec<usize>, N)| !set.is_empty() && !weight.is_zero())
        .collect();
    let tree = Tree {
        arcs: found.entering.into_iter().flatten().collect(),
        cost: found.cost.clone(),
    };
    Some(SolvedPiece {
        tree,
        at_least: found.cost,
        cuts,
    })
}

struct PieceSearch<'a, N> {
    graph: &'a Graph<N>,
    best: Option<Tree<N>>,
    /// See [`FEW`] and [`SUBSETS`].
    few: usize,
    subsets: usize,
    watch: &'a Watch,
}

/// A subproblem whose bound does not rule it out.
struct Open<N> {
    task: Task,
    ascent: Ascent<N>,
    /// The optional node to decide on.
    node: usize,
}

impl<N: Exact> PieceSearch<'_, N> {
    /// Whether the best tree costs more than a bound.
    fn above(&self, bound: &N) -> bool {
        self.best.as_ref().is_none_or(|best| best.cost > *bound)
    }

    fn offer(&mut self, tree: Option<Tree<N>>) {
        if let Some(tree) = tree.filter(|tree| self.above(&tree.cost)) {
            self.best = Some(tree);
        }
    }

    /// The best of some dual ascents, each guided by the best tree so far, with its cuts if these are recorded. `None`
    /// if a needed node is not reached.
    fn ascents(&mut self, task: &Task, rounds: usize, record: bool) -> Option<Ascent<N>> {
        let mut best: Option<Ascent<N>> = None;
        for round in 0..rounds {
            let tree = self.best.as_ref().map(|tree| self.marks(tree));
            let mut ascent = Ascent::new(self.graph);
            let order = Order {
                tree: tree.as_deref(),
                by_nodes: round % 2 == 1,
                record,
                stop: None,
            };
            ascent.climb(self.graph, task, &order)?;
            let tree = trees::best_of(self.graph, task, |arc| ascent.slack[arc].is_zero());
            if round == 0 {
                self.offer(trees::best_of(self.graph, task, |_| true));
            }
            self.offer(tree);
            if best.as_ref().is_none_or(|best| best.bound < ascent.bound) {
                best = Some(ascent);
            }
            if best.as_ref().is_some_and(|best| !self.above(&best.bound)) {
                break;
            }
        }
        best
    }

    fn marks(&self, tree: &Tree<N>) -> Vec<bool> {
        let mut marks = vec![false; self.graph.net.arcs.len()];
        for &arc in &tree.arcs {
            marks[arc] = true;
        }
        marks
    }

    /// Closes arcs that no tree below the best one uses: with the ascent's weights, such a tree costs at least the
    /// bound and the slack of a path from the root over the arc to a needed node. Returns the number of arcs closed.
    fn close(&self, task: &mut Task, ascent: &Ascent<N>) -> usize {
        let Some(best) = &self.best else { return 0 };
        let graph = self.graph;
        let slack = |arc: usize| &ascent.slack[arc];
        let down = graph.distances(task, slack, [(graph.root, ascent.bound.clone())], false);
        let needed = (0..graph.nodes())
            .filter(|&node| task.needed[node])
            .map(|node| (node, N::zero()));
        let up = graph.distances(task, slack, needed, true);
        let mut closed = 0;
        for (arc, (tail, head, _)) in graph.net.arcs.iter().enumerate() {
            if !task.open[arc] {
                continue;
            }
            let useful = match (&down[*tail], &up[*head]) {
                (Some(down), Some(up)) => {
                    let mut least = down.clone();
                    least += up;
                    least += &ascent.slack[arc];
                    least < best.cost
                }
                _ => false,
            };
            closed += usize::from(!useful);
            task.open[arc] = useful;
        }
        closed
    }

    /// A proved bound on all trees of the task, better ones being left in `best`.
    fn enumerate(&mut self, task: Task, ascent: &Ascent<N>, budget: &mut usize) -> Option<N> {
        let needed = (0..self.graph.nodes())
            .filter(|&node| task.needed[node])
            .count();
        let work = 3usize
            .checked_pow(needed as u32)
            .and_then(|pairs| pairs.checked_mul(self.graph.nodes()));
        if needed <= self.few || work.is_some_and(|work| work <= self.subsets) {
            let cheapest = subsets::cheapest(self.graph, &task, self.watch);
            if self.watch.ask().is_err() {
                return Some(ascent.bound.clone());
            }
            self.offer(cheapest);
            return self.best.as_ref().map(|best| best.cost.clone());
        }
        let ascent = Ascent {
            slack: ascent.slack.clone(),
            bound: ascent.bound.clone(),
            cuts: Vec::new(),
        };
        // Best first. Of equal ones the latest.
        let mut open: BTreeMap<(N, std::cmp::Reverse<usize>), Open<N>> = BTreeMap::new();
        let mut count = 0;
        let mut left_aside: Option<N> = None;
        let mut first = Some((task, ascent));
        loop {
            let children = match first.take() {
                Some(whole) => vec![whole],
                None => {
                    let Some(((bound, _), parent)) = open.pop_first() else {
                        break;
                    };
                    if !self.above(&bound) {
                        break;
                    }
                    if *budget == 0 || self.watch.ask().is_err() {
                        left_aside = Some(bound);
                        break;
                    }
                    self.branch(parent)
                }
            };
            for (task, ascent) in children {
                *budget = budget.saturating_sub(1);
                if let Some(child) = self.bound(task, ascent) {
                    count += 1;
                    open.insert(
                        (child.ascent.bound.clone(), std::cmp::Reverse(count)),
                        child,
                    );
                }
            }
        }
        left_aside.or_else(|| self.best.as_ref().map(|best| best.cost.clone()))
    }

    /// With the node and without it. The parent's weights remain a proof for both.
    fn branch(&self, parent: Open<N>) -> Vec<(Task, Ascent<N>)> {
        let mut with = parent.task.clone();
        with.needed[parent.node] = true;
        let mut without = parent.task;
        without.leave_out(self.graph, parent.node);
        vec![(without, parent.ascent.clone()), (with, parent.ascent)]
    }

    /// Raises weights and closes arcs while that helps. `None` if every tree of the task costs at least the best known
    /// one.
    fn bound(&mut self, mut task: Task, mut ascent: Ascent<N>) -> Option<Open<N>> {
        let graph = self.graph;
        for round in 0.. {
            dominators::require(graph, &mut task);
            let stop = self.best.as_ref().map(|best| best.cost.clone());
            let order = Order {
                tree: None,
                by_nodes: false,
                record: false,
                stop: stop.as_ref(),
            };
            ascent.climb(graph, &task, &order)?;
            if !self.above(&ascent.bound) {
                return None;
            }
            let tree = trees::best_of(graph, &task, |arc| ascent.slack[arc].is_zero());
            let marks = tree.as_ref().map(|tree| self.marks(tree));
            self.offer(tree);
            let mut anew = Ascent::new(graph);
            let order = Order {
                tree: marks.as_deref(),
                by_nodes: false,
                record: false,
                stop: stop.as_ref(),
            };
            anew.climb(graph, &task, &order)?;
            let mut closed = self.close(&mut task, &ascent);
            closed += self.close(&mut task, &anew);
            if anew.bound > ascent.bound {
                ascent = anew;
            }
            if !self.above(&ascent.bound) {
                return None;
            }
            if closed * 20 < graph.net.arcs.len() || round == 4 {
                break;
            }
        }
        let reached = graph.reached(&task, |_| true);
        // The last arcs closed may have been the last ones to a needed node.
        if (0..graph.nodes()).any(|node| task.needed[node] && !reached[node]) {
            return None;
        }
        let open = |arc: &&usize| task.open[**arc] && reached[graph.net.arcs[**arc].0];
        let optional = (0..graph.nodes())
            .filter(|&node| !task.needed[node] && node != graph.root && reached[node]);
        let choice = optional
            .filter(|&node| graph.net.out[node].iter().any(|arc| open(&arc)))
            .max_by_key(|&node| {
                let free = graph.net.out[node]
                    .iter()
                    .filter(open)
                    .filter(|&&arc| ascent.slack[arc].is_zero())
                    .count();
                let entering = graph.net.into[node]
                    .iter()
                    .filter(open)
                    .filter(|&&arc| ascent.slack[arc].is_zero())
                    .count();
                (entering.min(1), free, entering)
            });
        let Some(node) = choice else {
            // No choice is left but that of arcs.
            let marked: Vec<bool> = (0..graph.nodes())
                .map(|node| task.needed[node] || node == graph.root)
                .collect();
            self.offer(trees::span(graph, &task, &marked));
            return None;
        };
        Some(Open { task, ascent, node })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Branching alone, from the weakest start: no weights, no tree.
    fn branching(graph: &Graph<u64>, task: &Task, mut budget: usize) -> (Option<u64>, Option<u64>) {
        let watch = &Watch::unlimited();
        let mut search = PieceSearch {
            graph,
            best: None,
            few: 0,
            subsets: 0,
            watch,
        };
        let at_least = search.enumerate(task.clone(), &Ascent::new(graph), &mut budget);
        (search.best.map(|best| cost(graph, task, &best)), at_least)
    }

    /// The cost of a tree that reaches all needed nodes.
    fn cost(graph: &Graph<u64>, task: &Task, tree: &Tree<u64>) -> u64 {
        let reached = graph.reached(task, |arc| tree.arcs.contains(&arc));
        assert!((0..graph.nodes()).all(|node| reached[node] || !task.needed[node]));
        tree.arcs.iter().map(|&arc| graph.net.arcs[arc].2).sum()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(375))]

        /// Branching and the subsets of the needed nodes give one cost, and the result of branching that is stopped is
        /// valid.
        #[test]
        fn both_ways(
            nodes in 3..16usize,
            arcs in prop::collection::vec((0..16usize, 1..16usize, 1..12u64), 20..90),
            needed in prop::collection::vec(1..16usize, 1..7),
            budget in 0..6usize,
        ) {
            let arcs = arcs.into_iter().filter(|&(tail, head, _)| tail < nodes && head < nodes && tail != head);
            let graph = Graph::new(nodes, 0, arcs.collect());
            let mut task = Task { needed: vec![false; nodes], open: vec![true; graph.net.arcs.len()] };
            for node in needed {
                task.needed[1 + node % (nodes - 1)] = true;
            }
            let best = subsets::cheapest(&graph, &task, &Watch::unlimited()).map(|tree| tree.cost);
            prop_assert_eq!(branching(&graph, &task, 1000), (best, best));
            let (cost, at_least) = branching(&graph, &task, budget);
            if let Some(best) = best {
                prop_assert!(at_least.is_some_and(|at_least| at_least <= best));
                prop_assert!(cost.is_none_or(|cost| cost >= best));
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        /// Too many needed nodes for their subsets, and many ties: the result still is a tree, and the proofs agree
        /// with each other.
        #[test]
        fn ties(
            arcs in prop::collection::vec((0..60usize, 1..60usize, 1..6u64), 150..250),
            needed in prop::collection::vec(1..60usize, 10..25),
        ) {
            let arcs = arcs.into_iter().filter(|&(tail, head, _)| tail != head);
            let graph = Graph::new(60, 0, arcs.collect());
            let mut task = Task { needed: vec![false; 60], open: vec![true; graph.net.arcs.len()] };
            let reached = graph.reached(&task, |_| true);
            for node in needed {
                task.needed[node] = reached[node];
            }
            let (cost, at_least) = branching(&graph, &task, 100);
            let effort = &mut Effort { budget: Some(100), cuts: true, watch: &Watch::unlimited() };
            let whole = solve(&graph, &task, effort).map(|found| (found.tree.cost, found.at_least));
            if let (Some(cost), Some(at_least), Some((other, bound))) = (cost, at_least, whole) {
                prop_assert!(at_least <= other && bound <= cost);
            } else {
                prop_assert!(false, "all needed nodes are reached");
            }
        }
    }
}
