//! Minimum-cost spanning arborescences with a proof: the algorithm of Chu and Liu, Edmonds, and Bock.
//!
//! An arborescence out of a root reaches every node by exactly one path; so every other node has one entering arc.
//! For one that leads *into* a root, give every arc backwards.
//!
//! **The proof of optimality.** Give non-negative weights to sets of nodes without the root such that for every arc
//! the weights of the sets that it *enters* (its head is inside, its tail is not) add up to at most its cost. An
//! arborescence enters every such set at least once, so it costs at least the sum of all weights. The algorithm ends
//! with weights that add up to the cost of its arborescence, on a laminar family of sets (two of them are disjoint or
//! one contains the other): a [`Dual`]. [`Arborescence::check`] checks all of this anew.
//!
//! **The algorithm** walks backwards from a node over the cheapest entering arc, takes that arc's cost off all arcs
//! that enter (the weight of the set), and contracts the cycle when it meets its own path; entering arcs are kept in
//! mergeable heaps with deferred subtractions. `O(m log m)` operations on costs for `m` arcs.

use std::collections::VecDeque;
use std::ops::{AddAssign, SubAssign};

use num_traits::Zero;

/// Costs: machine integers (whose sums must not overflow), or integers or rationals of any length.
pub trait Number: Clone + Ord + Zero + for<'n> AddAssign<&'n Self> + for<'n> SubAssign<&'n Self> {}

impl<N: Clone + Ord + Zero + for<'n> AddAssign<&'n N> + for<'n> SubAssign<&'n N>> Number for N {}

/// A spanning arborescence of least cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arborescence<N> {
    /// For every node the arc that enters it, by place in the list of arcs; `None` for the root.
    pub entering: Vec<Option<usize>>,
    /// The sum of the costs of these arcs.
    pub cost: N,
    /// The proof that no arborescence costs less.
    pub dual: Dual<N>,
}

/// Weights on a laminar family of sets of nodes.
///
/// The sets are numbered: `0..nodes` are the single nodes, then every set comes after its subsets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dual<N> {
    /// For every set the smallest set that contains it.
    pub within: Vec<Option<usize>>,
    /// For every set its weight.
    pub weights: Vec<N>,
}

/// Why an arborescence or its proof is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ArborescenceFault {
    /// An arc of the arborescence that does not exist or does not enter the node.
    #[error("node {node} needs exactly one entering arc of the graph (the root needs none)")]
    NotEntered {
        /// The node.
        node: usize,
    },
    /// The entering arcs close a cycle.
    #[error("the entering arcs do not lead from the root to node {node}; they have to reach every node")]
    NotReached {
        /// A node that the root does not reach.
        node: usize,
    },
    /// The sets do not form a forest over the nodes.
    #[error("set {set} is not in order: sets come after their subsets, have weights of at least 0 and, to have more, \
             must not contain the root")]
    BadSet {
        /// The set.
        set: usize,
    },
    /// The sets that an arc enters weigh more than the arc costs.
    #[error("the sets that arc {arc} enters weigh more than it costs; they may weigh as much")]
    Overcharged {
        /// The arc.
        arc: usize,
    },
    /// The cost, the costs of the arcs and the weights do not add up to the same.
    #[error("the cost has to be both the sum of the arcs' costs and the sum of the sets' weights")]
    NotEqual,
}

/// The cheapest spanning arborescence out of `root` over arcs `(tail, head, cost)` with costs of at least 0; `None` if
/// the root does not reach every node. Loops and arcs of nodes that do not exist are left aside.
///
/// `O(m log m)` operations on costs for `m` arcs.
pub fn arborescence<N: Number>(nodes: usize, root: usize, arcs: &[(usize, usize, N)]) -> Option<Arborescence<N>> {
    if root >= nodes {
        return None;
    }
    let mut contraction = Contraction::new(nodes, root, arcs);
    (0..nodes).try_for_each(|node| contraction.walk_back(node))?;
    let entering = contraction.expand();
    let mut cost = N::zero();
    entering.iter().flatten().for_each(|&arc| cost += &arcs[arc].2);
    let dual = Dual { within: contraction.within, weights: contraction.weights };
    Some(Arborescence { entering, cost, dual })
}

impl<N: Number> Arborescence<N> {
    /// Checks that this is a spanning arborescence out of `root` and that its proof holds, by arithmetic alone.
    /// `O(m d)` for `m` arcs and sets nested `d` deep.
    ///
    /// # Errors
    /// The first [`ArborescenceFault`].
    pub fn check(&self, root: usize, arcs: &[(usize, usize, N)]) -> Result<(), ArborescenceFault> {
        let cost = self.check_arcs(root, arcs)?;
        self.dual.check(self.entering.len(), root, arcs)?;
        let mut total = N::zero();
        self.dual.weights.iter().for_each(|weight| total += weight);
        if cost == self.cost && total == self.cost { Ok(()) } else { Err(ArborescenceFault::NotEqual) }
    }

    /// The sum of the arcs' costs, if they span.
    fn check_arcs(&self, root: usize, arcs: &[(usize, usize, N)]) -> Result<N, ArborescenceFault> {
        let mut cost = N::zero();
        let mut next = vec![Vec::new(); self.entering.len()];
        for (node, &entering) in self.entering.iter().enumerate() {
            let arc = entering.map(|arc| arcs.get(arc).filter(|&&(_, head, _)| head == node));
            match arc {
                None if node == root => {}
                Some(Some((tail, _, price))) if node != root && *tail < next.len() => {
                    next[*tail].push(node);
                    cost += price;
                }
                _ => return Err(ArborescenceFault::NotEntered { node }),
            }
        }
        let mut reached = vec![false; next.len()];
        let mut wanted = vec![root];
        while let Some(node) = wanted.pop() {
            if let Some(seen) = reached.get_mut(node) {
                *seen = true;
                wanted.append(&mut next[node]);
            }
        }
        match reached.iter().position(|&seen| !seen) {
            Some(node) => Err(ArborescenceFault::NotReached { node }),
            None => Ok(cost),
        }
    }
}

impl<N: Number> Dual<N> {
    fn check(&self, nodes: usize, root: usize, arcs: &[(usize, usize, N)]) -> Result<(), ArborescenceFault> {
        let sets = self.within.len();
        let holds_root = self.around(root).fold(vec![false; sets], |mut holds, set| {
            holds[set] = true;
            holds
        });
        for (set, &outer) in self.within.iter().enumerate() {
            let ordered = outer.is_none_or(|outer| outer > set && outer >= nodes && outer < sets);
            let zero = N::zero();
            let weighted = self.weights.get(set).is_some_and(|weight| *weight == zero || *weight > zero && !holds_root[set]);
            if !ordered || !weighted || self.weights.len() != sets || sets < nodes {
                return Err(ArborescenceFault::BadSet { set });
            }
        }
        for (arc, (tail, head, cost)) in arcs.iter().enumerate() {
            let inside: Vec<usize> = self.around(*tail).collect();
            let mut charge = N::zero();
            // Sets around a node have ascending numbers.
            let entered = self.around(*head).filter(|set| inside.binary_search(set).is_err());
            entered.filter_map(|set| self.weights.get(set)).for_each(|weight| charge += weight);
            if *tail < nodes && *head < nodes && charge > *cost {
                return Err(ArborescenceFault::Overcharged { arc });
            }
        }
        Ok(())
    }

    /// The sets around a node, from the inside outwards; stops where sets are out of order.
    fn around(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let outer = |&set: &usize| self.within.get(set).copied().flatten().filter(|&outer| outer > set);
        std::iter::successors((node < self.within.len()).then_some(node), outer)
            .take_while(|&set| set < self.within.len())
    }
}

/// How far the walk has come with a set of nodes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Walk {
    NotYet,
    OnPath,
    Finished,
}

/// Sets of nodes, of which those that are no subset of another one are *on top*: contracted to a node each.
struct Contraction<'a, N> {
    nodes: usize,
    arcs: &'a [(usize, usize, N)],
    /// The entering arcs of every set on top.
    heaps: Heaps<N>,
    roots: Vec<Option<usize>>,
    within: Vec<Option<usize>>,
    weights: Vec<N>,
    /// The arc chosen to enter each set.
    chosen: Vec<Option<usize>>,
    walks: Vec<Walk>,
    /// A set around each set, for [`top`](Self::top): union-find with halved paths.
    above: Vec<usize>,
}

impl<'a, N: Number> Contraction<'a, N> {
    fn new(nodes: usize, root: usize, arcs: &'a [(usize, usize, N)]) -> Self {
        let mut heaps = Heaps { cells: Vec::with_capacity(arcs.len()) };
        let mut entering = vec![VecDeque::new(); nodes];
        for (arc, (tail, head, cost)) in arcs.iter().enumerate() {
            if *tail < nodes && *head < nodes && tail != head && *head != root {
                entering[*head].push_back(heaps.single(arc, cost.clone()));
            }
        }
        let mut walks = vec![Walk::NotYet; nodes];
        walks[root] = Walk::Finished;
        Contraction {
            nodes,
            arcs,
            roots: entering.into_iter().map(|singles| heaps.meld_all(singles)).collect(),
            heaps,
            within: vec![None; nodes],
            weights: vec![N::zero(); nodes],
            chosen: vec![None; nodes],
            walks,
            above: (0..nodes).collect(),
        }
    }

    /// The set on top around a set.
    fn top(&mut self, mut set: usize) -> usize {
        while self.above[set] != set {
            self.above[set] = self.above[self.above[set]];
            set = self.above[set];
        }
        set
    }

    /// Walks backwards from a node until the root, or what is known to be reached from it; `None` if nothing enters.
    fn walk_back(&mut self, node: usize) -> Option<()> {
        let mut path = Vec::new();
        let mut set = self.top(node);
        while self.walks[set] != Walk::Finished {
            let tail = self.enter(set)?;
            self.walks[set] = Walk::OnPath;
            path.push(set);
            set = if self.walks[tail] == Walk::OnPath { self.contract(&mut path, tail) } else { tail };
        }
        path.into_iter().for_each(|set| self.walks[set] = Walk::Finished);
        Some(())
    }

    /// Chooses the cheapest arc that enters a set on top, and charges its cost to the set; returns the set on top
    /// that it comes from.
    fn enter(&mut self, set: usize) -> Option<usize> {
        loop {
            let cell = self.roots[set]?;
            let (arc, cost) = (self.heaps.cells[cell].arc, self.heaps.cells[cell].cost.clone());
            self.roots[set] = self.heaps.pop(cell);
            let tail = self.top(self.arcs[arc].0);
            if tail == set {
                continue;
            }
            if let Some(rest) = self.roots[set] {
                self.heaps.reduce(rest, &cost);
            }
            self.weights[set] = cost;
            self.chosen[set] = Some(arc);
            return Some(tail);
        }
    }

    /// Makes one set of the path's last sets, from `first` on.
    fn contract(&mut self, path: &mut Vec<usize>, first: usize) -> usize {
        let new = self.within.len();
        let start = path.iter().rposition(|&set| set == first).unwrap_or(0);
        let mut parts = VecDeque::new();
        for set in path.drain(start..) {
            self.within[set] = Some(new);
            self.above[set] = new;
            parts.extend(self.roots[set].take());
        }
        self.roots.push(self.heaps.meld_all(parts));
        self.within.push(None);
        self.weights.push(N::zero());
        self.chosen.push(None);
        self.walks.push(Walk::NotYet);
        self.above.push(new);
        new
    }

    /// The arc that enters each node: the arc that enters a set also enters those of its subsets that hold its head;
    /// the other subsets keep their arcs.
    fn expand(&mut self) -> Vec<Option<usize>> {
        let mut settled = vec![false; self.within.len()];
        for set in (0..self.within.len()).rev() {
            let Some(arc) = self.chosen[set].filter(|_| !settled[set]) else { continue };
            let mut inner = self.arcs[arc].1;
            while inner != set {
                self.chosen[inner] = Some(arc);
                settled[inner] = true;
                let Some(outer) = self.within[inner] else { break };
                inner = outer;
            }
        }
        self.chosen.truncate(self.nodes);
        std::mem::take(&mut self.chosen)
    }
}

/// Leftist heaps with deferred subtractions.
struct Heaps<N> {
    cells: Vec<Cell<N>>,
}

struct Cell<N> {
    arc: usize,
    cost: N,
    /// Still to be taken off the costs of all cells below.
    due: N,
    children: [Option<usize>; 2],
    /// Cells on the way to the nearest missing child.
    rank: u32,
}

impl<N: Number> Heaps<N> {
    fn single(&mut self, arc: usize, cost: N) -> usize {
        self.cells.push(Cell { arc, cost, due: N::zero(), children: [None; 2], rank: 1 });
        self.cells.len() - 1
    }

    /// Takes an amount off all costs of a heap.
    fn reduce(&mut self, root: usize, amount: &N) {
        if !amount.is_zero() {
            self.cells[root].cost -= amount;
            self.cells[root].due += amount;
        }
    }

    fn settle(&mut self, cell: usize) {
        let due = std::mem::replace(&mut self.cells[cell].due, N::zero());
        for child in self.cells[cell].children.into_iter().flatten() {
            self.reduce(child, &due);
        }
    }

    /// The heap without its root.
    fn pop(&mut self, root: usize) -> Option<usize> {
        self.settle(root);
        match std::mem::take(&mut self.cells[root].children) {
            [Some(left), Some(right)] => Some(self.meld(left, right)),
            [left, right] => left.or(right),
        }
    }

    /// One heap of two. The recursion is as deep as the ranks: logarithmic.
    fn meld(&mut self, first: usize, second: usize) -> usize {
        let (root, other) =
            if self.cells[second].cost < self.cells[first].cost { (second, first) } else { (first, second) };
        self.settle(root);
        let [left, right] = self.cells[root].children;
        let right = right.map_or(other, |right| self.meld(right, other));
        let rank = |cell: Option<usize>| cell.map_or(0, |cell| self.cells[cell].rank);
        let children = if rank(left) < rank(Some(right)) { [Some(right), left] } else { [left, Some(right)] };
        let ranks = children.map(rank);
        self.cells[root].children = children;
        self.cells[root].rank = ranks[1] + 1;
        root
    }

    /// One heap of many, linear in their number.
    fn meld_all(&mut self, mut heaps: VecDeque<usize>) -> Option<usize> {
        while let Some(first) = heaps.pop_front() {
            let Some(second) = heaps.pop_front() else { return Some(first) };
            heaps.push_back(self.meld(first, second));
        }
        None
    }
}
