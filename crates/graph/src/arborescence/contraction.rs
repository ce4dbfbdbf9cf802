//! The walk of Chu and Liu, Edmonds, and Bock: contracts cycles of cheapest entering arcs, then expands them.

use oneport_numbers::Exact;

use super::entering::{Entering, Tops};
use super::proof::{Arborescence, Dual};

/// How far the walk has come with a set of nodes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Walk {
    NotYet,
    OnPath,
    Finished,
}

/// A laminar family of sets of nodes. The maximal sets are *on top*: contracted to a node each.
pub(super) struct Contraction<'a, N, E> {
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
    pub(super) fn new(
        nodes: usize,
        root: usize,
        arcs: &'a [(usize, usize, N)],
        entering: E,
    ) -> Self {
        let mut walks = vec![Walk::NotYet; nodes];
        walks[root] = Walk::Finished;
        Contraction {
            arcs,
            entering,
            tops: Tops {
                above: (0..nodes).collect(),
            },
            within: vec![None; nodes],
            weights: vec![N::zero(); nodes],
            chosen: vec![None; nodes],
            walks,
        }
    }

    pub(super) fn run(mut self, nodes: usize) -> Option<Arborescence<N>> {
        (0..nodes).try_for_each(|node| self.walk_back(node))?;
        self.expand();
        self.chosen.truncate(nodes);
        let mut cost = N::zero();
        for &arc in self.chosen.iter().flatten() {
            cost += &self.arcs[arc].2;
        }
        let dual = Dual {
            within: self.within,
            weights: self.weights,
        };
        Some(Arborescence {
            entering: self.chosen,
            cost,
            dual,
        })
    }

    /// Walks backwards from a node until the root, or a node that the root reaches. `None` if no arc enters.
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
            set = if self.walks[tail] == Walk::OnPath {
                self.contract(&mut path, tail)
            } else {
                tail
            };
        }
        for set in path {
            self.walks[set] = Walk::Finished;
        }
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

    /// Converts chosen arcs from sets to nodes. The arc that enters a set also enters its subsets that hold the arc's
    /// head. The other subsets keep their arcs.
    fn expand(&mut self) {
        let mut settled = vec![false; self.within.len()];
        for set in (0..self.within.len()).rev() {
            let Some(arc) = self.chosen[set].filter(|_| !settled[set]) else {
                continue;
            };
            let mut inner = self.arcs[arc].1;
            while inner != set {
                self.chosen[inner] = Some(arc);
                settled[inner] = true;
                let Some(outer) = self.within[inner] else {
                    break;
                };
                inner = outer;
            }
        }
    }
}
