//! The shallowest cheapest arborescence that a search over tight arcs finds.
//!
//! The dual solution characterises the cheapest arborescences: every arc is *tight* (its cost is the weight of the
//! sets that it enters), and every set of positive weight is entered once. So the search reaches nodes in order of
//! distance, over tight arcs that enter no set of positive weight with a reached node.
//!
//! *This reaches all nodes.* Take a smallest set of the family, or the whole graph, that holds reached nodes and
//! others. Each of its parts holds only reached nodes or only others. The parts lie on a cycle of tight arcs (of the
//! whole graph: the tight arcs of an arborescence reach them), so one such arc leads from a reached part to another
//! one, and all sets that it enters lie within the latter.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use oneport_numbers::Exact;

use super::proof::{Arborescence, Dual};

impl<N: Exact> Arborescence<N> {
    /// An arborescence of the same cost, with the same proof, that is no deeper if arcs count `hops`: see
    /// [`shallow_arborescence`](super::shallow_arborescence). `arcs` is the list that this one was found over.
    pub(super) fn shallow(
        mut self,
        root: usize,
        arcs: &[(usize, usize, N)],
        hops: impl Fn(usize) -> u32,
    ) -> Self {
        let search = EnteredSets::new(&self.dual, arcs, self.entering.len());
        if let Some((entering, depth)) = search.run(root, arcs, &hops)
            && depth <= self.depth(root, arcs, hops)
        {
            self.entering = entering;
        }
        self
    }

    /// The arcs out of the root, one to each other node, if no arc into any node costs less: the weights of single
    /// nodes prove it. `None` also if they differ in `hops` by more than 1, so that other ways might be less deep.
    /// `O(m)`.
    pub(super) fn star(
        nodes: usize,
        root: usize,
        arcs: &[(usize, usize, N)],
        hops: &impl Fn(usize) -> u32,
    ) -> Option<Self> {
        let mut entering: Vec<Option<usize>> = vec![None; nodes];
        let direct = |arc: &usize| arcs[*arc].0 == root;
        for (arc, (tail, head, cost)) in arcs.iter().enumerate() {
            if *tail >= nodes || *head >= nodes || tail == head || *head == root {
                continue;
            }
            let is_better = entering[*head].is_none_or(|known| match cost.cmp(&arcs[known].2) {
                Ordering::Equal if *tail == root => !direct(&known) || hops(arc) < hops(known),
                order => order.is_lt(),
            });
            if is_better {
                entering[*head] = Some(arc);
            }
        }
        let (mut cost, mut weights, mut lengths) = (N::zero(), vec![N::zero(); nodes], Vec::new());
        for node in (0..nodes).filter(|&node| node != root) {
            let arc = entering[node].filter(direct)?;
            cost += &arcs[arc].2;
            weights[node] = arcs[arc].2.clone();
            lengths.push(hops(arc));
        }
        let (least, most) = (lengths.iter().min()?, lengths.iter().max()?);
        (*most <= least + 1).then(|| Arborescence {
            entering,
            cost,
            dual: Dual {
                within: vec![None; nodes],
                weights,
            },
        })
    }

    /// The largest distance of a node from the root, if arcs count `hops`.
    fn depth(&self, root: usize, arcs: &[(usize, usize, N)], hops: impl Fn(usize) -> u32) -> u32 {
        let mut far: Vec<Option<u32>> = vec![None; self.entering.len()];
        if let Some(far) = far.get_mut(root) {
            *far = Some(0);
        }
        let mut path = Vec::new();
        for mut node in 0..far.len() {
            while let (None, Some(arc)) = (far[node], self.entering[node]) {
                path.push((node, hops(arc)));
                node = arcs[arc].0;
            }
            let mut known = far[node].unwrap_or(0);
            while let Some((node, more)) = path.pop() {
                known += more;
                far[node] = Some(known);
            }
        }
        far.into_iter().flatten().max().unwrap_or(0)
    }
}

/// The sets of positive weight, and which of them are entered.
struct EnteredSets {
    /// Per set: the smallest set of positive weight that contains it.
    within: Vec<Option<usize>>,
    /// Per node: the tight arcs that leave it.
    tight: Vec<Vec<usize>>,
    entered: Vec<bool>,
}

impl EnteredSets {
    fn new<N: Exact>(dual: &Dual<N>, arcs: &[(usize, usize, N)], nodes: usize) -> Self {
        let sets = dual.within.len();
        let mut within: Vec<Option<usize>> = vec![None; sets];
        // Per set: the total weight of it and of all sets around it.
        let mut total = vec![N::zero(); sets];
        for set in (0..sets).rev() {
            total[set] = dual.weights[set].clone();
            if let Some(outer) = dual.within[set] {
                within[set] = if dual.weights[outer].is_zero() {
                    within[outer]
                } else {
                    Some(outer)
                };
                total[set] = total[set].plus(&total[outer]);
            }
        }
        let mut search = EnteredSets {
            within,
            tight: vec![Vec::new(); nodes],
            entered: vec![false; sets],
        };
        for (arc, (tail, head, cost)) in arcs.iter().enumerate() {
            if *tail >= nodes || *head >= nodes || tail == head || *cost > total[*head] {
                continue;
            }
            let around = search.around_both(*tail, *head);
            if around.map_or_else(|| cost.clone(), |set| cost.plus(&total[set])) == total[*head] {
                search.tight[*tail].push(arc);
            }
        }
        search
    }

    /// The smallest set of positive weight around two nodes: sets come after their subsets.
    fn around_both(&self, one: usize, other: usize) -> Option<usize> {
        let (mut one, mut other) = (self.within[one]?, self.within[other]?);
        while one != other {
            let smaller = if one < other { &mut one } else { &mut other };
            *smaller = self.within[*smaller]?;
        }
        Some(one)
    }

    /// The entering arcs, and how far the farthest node is.
    fn run<N: Exact>(
        mut self,
        root: usize,
        arcs: &[(usize, usize, N)],
        hops: &impl Fn(usize) -> u32,
    ) -> Option<(Vec<Option<usize>>, u32)> {
        let nodes = self.tight.len();
        let mut entering = vec![None; nodes];
        let mut reached = vec![false; nodes];
        let mut queue = BinaryHeap::new();
        let (mut node, mut far, mut left) = (root, 0, nodes);
        loop {
            reached[node] = true;
            left -= 1;
            self.enter(node);
            if left == 0 {
                return Some((entering, far));
            }
            for &arc in self.tight[node]
                .iter()
                .filter(|&&arc| !reached[arcs[arc].1])
            {
                queue.push(Reverse((far + hops(arc), arc)));
            }
            let arc = loop {
                let Reverse((distance, arc)) = queue.pop()?;
                let (tail, head, _) = arcs[arc];
                if !reached[head] && self.may_enter(tail, head) {
                    far = distance;
                    break arc;
                }
            };
            node = arcs[arc].1;
            entering[node] = Some(arc);
        }
    }

    fn around(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.within[node], |&set| self.within[set])
    }

    /// Whether no set of positive weight that an arc enters holds a node that is reached.
    fn may_enter(&self, tail: usize, head: usize) -> bool {
        let both = self.around_both(tail, head);
        self.around(head)
            .take_while(|&set| Some(set) != both)
            .all(|set| !self.entered[set])
    }

    fn enter(&mut self, node: usize) {
        let mut set = self.within[node];
        while let Some(inner) = set.filter(|&set| !self.entered[set]) {
            self.entered[inner] = true;
            set = self.within[inner];
        }
    }
}
