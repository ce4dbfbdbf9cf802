//! Entering arcs in leftist heaps with deferred subtractions.

use std::collections::VecDeque;

use oneport_numbers::Exact;

use super::entering::{Entering, Tops, useful};

/// One heap for each set.
pub(super) struct Heaps<N> {
    cells: Vec<Cell<N>>,
    roots: Vec<Option<usize>>,
}

struct Cell<N> {
    arc: usize,
    tail: usize,
    cost: N,
    /// Still to be taken off the costs of all cells below.
    due: N,
    children: [Option<usize>; 2],
    /// Length of the shortest path to a missing child.
    rank: u32,
}

impl<N: Exact> Entering<N> for Heaps<N> {
    fn take(&mut self, set: usize, tops: &mut Tops) -> Option<(usize, N)> {
        loop {
            let root = self.roots[set]?;
            let (arc, tail, cost) = (
                self.cells[root].arc,
                self.cells[root].tail,
                self.cells[root].cost.clone(),
            );
            self.roots[set] = self.pop(root);
            if tops.find(tail) != set {
                if let Some(rest) = self.roots[set] {
                    self.reduce(rest, &cost);
                }
                return Some((arc, cost));
            }
        }
    }

    fn join(&mut self, parts: &[usize]) {
        let heaps = parts
            .iter()
            .filter_map(|&set| self.roots[set].take())
            .collect();
        let heap = self.meld_all(heaps);
        self.roots.push(heap);
    }
}

impl<N: Exact> Heaps<N> {
    pub(super) fn new(nodes: usize, root: usize, arcs: &[(usize, usize, N)]) -> Self {
        let mut heaps = Heaps {
            cells: Vec::with_capacity(arcs.len()),
            roots: Vec::with_capacity(2 * nodes),
        };
        let mut entering = vec![VecDeque::new(); nodes];
        for (arc, tail, head, cost) in useful(nodes, root, arcs) {
            entering[head].push_back(heaps.cells.len());
            heaps.cells.push(Cell {
                arc,
                tail,
                cost: cost.clone(),
                due: N::zero(),
                children: [None; 2],
                rank: 1,
            });
        }
        for cells in entering {
            let heap = heaps.meld_all(cells);
            heaps.roots.push(heap);
        }
        heaps
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
        let (root, other) = if self.cells[second].cost < self.cells[first].cost {
            (second, first)
        } else {
            (first, second)
        };
        self.settle(root);
        let [left, right] = self.cells[root].children;
        let right = right.map_or(other, |right| self.meld(right, other));
        let rank = |cell: Option<usize>| cell.map_or(0, |cell| self.cells[cell].rank);
        let children = if rank(left) < rank(Some(right)) {
            [Some(right), left]
        } else {
            [left, Some(right)]
        };
        let ranks = children.map(rank);
        self.cells[root].children = children;
        self.cells[root].rank = ranks[1] + 1;
        root
    }

    /// One heap of many, linear in their number.
    fn meld_all(&mut self, mut heaps: VecDeque<usize>) -> Option<usize> {
        while let Some(first) = heaps.pop_front() {
            let Some(second) = heaps.pop_front() else {
                return Some(first);
            };
            heaps.push_back(self.meld(first, second));
        }
        None
    }
}
