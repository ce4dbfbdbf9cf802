//! An arborescence with the dual solution that proves it cheapest, and the check of both.

use oneport_numbers::Exact;
use petgraph::visit::{IntoEdgeReferences, NodeCompactIndexable};

use crate::Digraph;

/// A spanning arborescence of least cost, of a list of arcs or of a graph with edges `E`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arborescence<N, E = usize> {
    /// For every node, by index, the arc that enters it (of a list, its index there). `None` for the root.
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
    #[error(
        "the entering arcs do not lead from the root to node {node}; they have to reach every node"
    )]
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

impl<N: Exact, E: Copy + PartialEq> Arborescence<N, E> {
    /// [`check`](Arborescence::check) on the graph that this is an arborescence of.
    ///
    /// # Errors
    /// The first [`ArborescenceFault`], with edges counted in the order of the graph.
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
        for (index, (_, head, _)) in net.arcs().iter().enumerate() {
            if self.entering.get(*head).copied().flatten() == Some(names[index]) {
                entering[*head] = Some(index);
            }
        }
        let found = Arborescence {
            entering,
            cost: self.cost.clone(),
            dual: self.dual.clone(),
        };
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
        for weight in &self.dual.weights {
            total += weight;
        }
        if cost == self.cost && total == self.cost {
            Ok(())
        } else {
            Err(ArborescenceFault::NotEqual)
        }
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
    fn check(
        &self,
        nodes: usize,
        root: usize,
        arcs: &[(usize, usize, N)],
    ) -> Result<(), ArborescenceFault> {
        let sets = self.within.len();
        let holds_root = self.around(root).fold(vec![false; sets], |mut holds, set| {
            holds[set] = true;
            holds
        });
        for (set, &outer) in self.within.iter().enumerate() {
            let ordered = outer.is_none_or(|outer| outer > set && outer >= nodes && outer < sets);
            let zero = N::zero();
            let weighted = self
                .weights
                .get(set)
                .is_some_and(|weight| *weight == zero || *weight > zero && !holds_root[set]);
            if !ordered || !weighted || self.weights.len() != sets || sets < nodes {
                return Err(ArborescenceFault::BadSet { set });
            }
        }
        for (arc, (tail, head, cost)) in arcs.iter().enumerate() {
            let inside: Vec<usize> = self.around(*tail).collect();
            let mut charge = N::zero();
            // Sets around a node have ascending numbers.
            let entered = self
                .around(*head)
                .filter(|set| inside.binary_search(set).is_err());
            for weight in entered.filter_map(|set| self.weights.get(set)) {
                charge += weight;
            }
            if *tail < nodes && *head < nodes && charge > *cost {
                return Err(ArborescenceFault::Overcharged { arc });
            }
        }
        Ok(())
    }

    /// The sets around a node, from the inside outwards. Stops at a set out of order.
    fn around(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let outer = |&set: &usize| {
            self.within
                .get(set)
                .copied()
                .flatten()
                .filter(|&outer| outer > set)
        };
        std::iter::successors((node < self.within.len()).then_some(node), outer)
            .take_while(|&set| set < self.within.len())
    }
}
