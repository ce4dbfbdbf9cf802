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
//! that enter (the weight of the set), and contracts the cycle when it meets its own path. The entering
//! arcs of sets are kept in mergeable heaps with deferred subtractions, `O(m log m)` operations on costs for `m` arcs,
//! or where most of the `n^2` arcs are there in rows, `O(n^2)` operations.

mod heaps;
mod rows;
mod shallow;

use oneport_numbers::Exact;
use petgraph::visit::{IntoEdgeReferences, NodeCompactIndexable};

use crate::Digraph;

use heaps::Heaps;
use rows::Rows;

/// A graph is dense if it has one of so many possible arcs.
const DENSE: usize = 6;

/// A spanning arborescence of least cost, of a list of arcs or of a graph with edges `E`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arborescence<N, E = usize> {
    /// For every node, by index, the arc that enters it (of a list, its place there); `None` for the root.
    pub entering: Vec<Option<E>>,
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
    #[error(
        "set {set} is not in order: sets come after their subsets, have weights of at least 0 and, to have more, \
             must not contain the root"
    )]
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

/// The cheapest arborescence out of `root` that spans a directed graph, with costs of at least 0; `None` if the root
/// does not reach every node. The indices of the nodes have no gaps. [`arborescence`] on the list of its edges, with
/// the same complexity.
///
/// ```
/// use num_rational::BigRational;
/// use oneport_graph::minimum_arborescence;
/// use petgraph::graph::DiGraph;
/// let third = |times: i64| BigRational::new(times.into(), 3.into());
/// let mut graph = DiGraph::new();
/// let [a, b, c] = ["a", "b", "c"].map(|name| graph.add_node(name));
/// graph.extend_with_edges([(a, b, third(4)), (a, c, third(5)), (c, b, third(1)), (b, c, third(1))]);
/// let found = minimum_arborescence(&graph, a, |edge| edge.weight().clone()).ok_or("not spanned")?;
/// assert_eq!(found.cost, third(5));
/// assert_eq!(found.entering[c.index()], graph.find_edge(b, c));
/// found.check_in(&graph, a, |edge| edge.weight().clone())?; // the dual solution proves that nothing is cheaper
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn minimum_arborescence<G, N>(
    graph: G,
    root: G::NodeId,
    cost: impl FnMut(G::EdgeRef) -> N,
) -> Option<Arborescence<N, G::EdgeId>>
where
    G: IntoEdgeReferences + NodeCompactIndexable,
    N: Exact,
{
    let (net, names) = Digraph::of(graph, cost);
    let Arborescence { entering, cost, dual } = arborescence(net.nodes(), graph.to_index(root), net.arcs())?;
    let entering = entering.into_iter().map(|arc| arc.map(|arc| names[arc])).collect();
    Some(Arborescence { entering, cost, dual })
}

/// The cheapest spanning arborescence out of `root` over arcs `(tail, head, cost)` with costs of at least 0; `None` if
/// the root does not reach every node. Loops and arcs of nodes that do not exist are left aside.
///
/// `O(m log m)` operations on costs for `m` arcs; `O(n^2)` for `n` nodes and more than `n^2 / 6` arcs.
pub fn arborescence<N: Exact>(nodes: usize, root: usize, arcs: &[(usize, usize, N)]) -> Option<Arborescence<N>> {
    if root >= nodes {
        return None;
    }
    // Rows take time and room for all pairs of nodes.
    if nodes <= arcs.len() / nodes * DENSE {
        Contraction::new(nodes, root, arcs, Rows::new(nodes, root, arcs)).run(nodes)
    } else {
        Contraction::new(nodes, root, arcs, Heaps::new(nodes, root, arcs)).run(nodes)
    }
}

/// Of the cheapest arborescences one in which nodes are near the root, where every arc (by its place) counts `hops`: no
/// deeper than that of [`arborescence`], with the same proof. Where only single nodes have a weight in the proof, no
/// arborescence of this cost has any node nearer to the root; in general that is not claimed.
///
/// `O(m log m + m d)` for `m` arcs and sets nested `d` deep, beside what [`arborescence`] takes.
///
/// ```
/// use oneport_graph::arborescence::shallow_arborescence;
/// let arcs = [(0, 1, 1u32), (1, 2, 1), (0, 2, 1)];
/// let found = shallow_arborescence(3, 0, &arcs, |_| 1).ok_or("not spanned")?;
/// assert_eq!(found.entering, [None, Some(0), Some(2)]);
/// # Ok::<(), &str>(())
/// ```
pub fn shallow_arborescence<N: Exact>(
    nodes: usize,
    root: usize,
    arcs: &[(usize, usize, N)],
    hops: impl Fn(usize) -> u32,
) -> Option<Arborescence<N>> {
    Some(arborescence(nodes, root, arcs)?.shallow(root, arcs, hops))
}

impl<N: Exact, E: Copy + PartialEq> Arborescence<N, E> {
    /// [`check`](Arborescence::check) on the graph that this is an arborescence of.
    ///
    /// # Errors
    /// The first [`ArborescenceFault`]; it counts edges in the order of the graph.
    pub fn check_in<G>(
        &self,
        graph: G,
        root: G::NodeId,
        cost: impl FnMut(G::EdgeRef) -> N,
    ) -> Result<(), ArborescenceFault>
    where
        G: IntoEdgeReferences<EdgeId = E> + NodeCompactIndexable,
    {
        let (net, names) = Digraph::of(graph, cost);
        let mut entering = vec![None; self.entering.len()];
        for (place, (_, head, _)) in net.arcs().iter().enumerate() {
            if self.entering.get(*head).copied().flatten() == Some(names[place]) {
                entering[*head] = Some(place);
            }
        }
        let found = Arborescence { entering, cost: self.cost.clone(), dual: self.dual.clone() };
        found.check(graph.to_index(root), net.arcs())
    }
}

impl<N: Exact> Arborescence<N> {
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

impl<N: Exact> Dual<N> {
    fn check(&self, nodes: usize, root: usize, arcs: &[(usize, usize, N)]) -> Result<(), ArborescenceFault> {
        let sets = self.within.len();
        let holds_root = self.around(root).fold(vec![false; sets], |mut holds, set| {
            holds[set] = true;
            holds
        });
        for (set, &outer) in self.within.iter().enumerate() {
            let ordered = outer.is_none_or(|outer| outer > set && outer >= nodes && outer < sets);
            let zero = N::zero();
            let weighted =
                self.weights.get(set).is_some_and(|weight| *weight == zero || *weight > zero && !holds_root[set]);
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

/// The entering arcs of the sets on top.
trait Entering<N> {
    /// Takes the cheapest arc that enters a set on top from another one, and takes its cost off all that enter.
    fn take(&mut self, set: usize, tops: &mut Tops) -> Option<(usize, N)>;
    /// Makes one set, the next in number, of several on top; their entering arcs enter it.
    fn join(&mut self, parts: &[usize]);
}

/// Finds the set on top around a set: union-find with halved paths.
struct Tops {
    above: Vec<usize>,
}

impl Tops {
    fn find(&mut self, mut set: usize) -> usize {
        while self.above[set] != set {
            self.above[set] = self.above[self.above[set]];
            set = self.above[set];
        }
        set
    }
}

/// Sets of nodes, of which those that are no subset of another one are *on top*: contracted to a node each.
struct Contraction<'a, N, E> {
    arcs: &'a [(usize, usize, N)],
    entering: E,
    tops: Tops,
    within: Vec<Option<usize>>,
    weights: Vec<N>,
    /// The arc chosen to enter each set.
    chosen: Vec<Option<usize>>,
    walks: Vec<Walk>,
}

impl<'a, N: Exact, E: Entering<N>> Contraction<'a, N, E> {
    fn new(nodes: usize, root: usize, arcs: &'a [(usize, usize, N)], entering: E) -> Self {
        let mut walks = vec![Walk::NotYet; nodes];
        walks[root] = Walk::Finished;
        Contraction {
            arcs,
            entering,
            tops: Tops { above: (0..nodes).collect() },
            within: vec![None; nodes],
            weights: vec![N::zero(); nodes],
            chosen: vec![None; nodes],
            walks,
        }
    }

    fn run(mut self, nodes: usize) -> Option<Arborescence<N>> {
        (0..nodes).try_for_each(|node| self.walk_back(node))?;
        self.expand();
        self.chosen.truncate(nodes);
        let mut cost = N::zero();
        self.chosen.iter().flatten().for_each(|&arc| cost += &self.arcs[arc].2);
        let dual = Dual { within: self.within, weights: self.weights };
        Some(Arborescence { entering: self.chosen, cost, dual })
    }

    /// Walks backwards from a node until the root, or what is known to be reached from it; `None` if nothing enters.
    fn walk_back(&mut self, node: usize) -> Option<()> {
        let mut path = Vec::new();
        let mut set = self.tops.find(node);
        while self.walks[set] != Walk::Finished {
            let (arc, cost) = self.entering.take(set, &mut self.tops)?;
            self.weights[set] = cost;
            self.chosen[set] = Some(arc);
            self.walks[set] = Walk::OnPath;
            path.push(set);
            let tail = self.tops.find(self.arcs[arc].0);
            set = if self.walks[tail] == Walk::OnPath { self.contract(&mut path, tail) } else { tail };
        }
        path.into_iter().for_each(|set| self.walks[set] = Walk::Finished);
        Some(())
    }

    /// Makes one set of the path's last sets, from `first` on.
    fn contract(&mut self, path: &mut Vec<usize>, first: usize) -> usize {
        let new = self.within.len();
        let start = path.iter().rposition(|&set| set == first).unwrap_or(0);
        let parts: Vec<usize> = path.drain(start..).collect();
        for &set in &parts {
            self.within[set] = Some(new);
            self.tops.above[set] = new;
        }
        self.entering.join(&parts);
        self.tops.above.push(new);
        self.within.push(None);
        self.weights.push(N::zero());
        self.chosen.push(None);
        self.walks.push(Walk::NotYet);
        new
    }

    /// From sets to nodes: the arc that enters a set also enters those of its subsets that hold its head; the other
    /// subsets keep their arcs.
    fn expand(&mut self) {
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
    }
}

/// The arcs that may be chosen: `(place, tail, head, cost)`.
fn useful<N>(nodes: usize, root: usize, arcs: &[(usize, usize, N)]) -> impl Iterator<Item = (usize, usize, usize, &N)> {
    let useful = move |&(_, tail, head, _): &(usize, usize, usize, &N)| {
        tail < nodes && head < nodes && tail != head && head != root
    };
    arcs.iter().enumerate().map(|(arc, (tail, head, cost))| (arc, *tail, *head, cost)).filter(useful)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        /// Heaps and rows, each with its proof.
        #[test]
        fn both_ways(
            nodes in 2..20usize,
            arcs in prop::collection::vec((0..20usize, 0..20usize, 0..30u64), 0..120),
        ) {
            let heaps = Contraction::new(nodes, 0, &arcs, Heaps::new(nodes, 0, &arcs)).run(nodes);
            let rows = Contraction::new(nodes, 0, &arcs, Rows::new(nodes, 0, &arcs)).run(nodes);
            prop_assert_eq!(heaps.as_ref().map(|found| found.cost), rows.as_ref().map(|found| found.cost));
            for found in heaps.into_iter().chain(rows) {
                prop_assert_eq!(found.check(0, &arcs), Ok(()));
            }
        }
    }
}
