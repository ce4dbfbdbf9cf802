//! Prices of having each partial result at each vertex: an interval dynamic program, with shortest paths between.

use oneport_numbers::Exact;

use super::tasks::{Named, Tasks};

/// No task: the operand at its owner, or nothing leads there.
const NONE: usize = usize::MAX;

/// Prices of cheapest reduction trees, by part and vertex.
pub(super) struct Potentials<N> {
    vertices: usize,
    price: Vec<N>,
    /// The last task of the tree.
    by: Vec<usize>,
}

impl<N: Exact> Potentials<N> {
    /// For the parts within a goal. A price of at least `top` means that no tree exists. `O(n^2 v^2 + n^3 v)` for `n`
    /// operands and `v` vertices.
    pub(super) fn new(tasks: &Tasks, costs: &[N], top: &N, goal: usize) -> Self {
        let vertices = tasks.vertices.len();
        let cells = tasks.parts.len() * vertices;
        let mut all = Potentials {
            vertices,
            price: vec![top.clone(); cells],
            by: vec![NONE; cells],
        };
        for part in tasks.within(goal) {
            if let Some(owner) = tasks.owner(part) {
                all.price[part * vertices + owner] = N::zero();
            }
            for (task, vertex, left, right) in tasks.merges(part) {
                let mut price = all.at(left, vertex).clone();
                price += all.at(right, vertex);
                price += &costs[task];
                all.offer(part * vertices + vertex, price, task);
            }
            all.spread(tasks, costs, top, part);
        }
        all
    }

    fn offer(&mut self, cell: usize, price: N, task: usize) {
        if price < self.price[cell] {
            self.price[cell] = price;
            self.by[cell] = task;
        }
    }

    /// Dijkstra's algorithm from all vertices at once.
    fn spread(&mut self, tasks: &Tasks, costs: &[N], top: &N, part: usize) {
        let first = part * self.vertices;
        let mut done = vec![false; self.vertices];
        loop {
            let open = (0..self.vertices).filter(|&vertex| !done[vertex]);
            let Some(vertex) =
                open.min_by(|&a, &b| self.price[first + a].cmp(&self.price[first + b]))
            else {
                return;
            };
            if self.price[first + vertex] >= *top {
                return;
            }
            done[vertex] = true;
            for &arc in tasks.leaving(vertex) {
                let task = tasks.transfer(part, arc);
                let mut price = self.price[first + vertex].clone();
                price += &costs[task];
                self.offer(first + tasks.arcs[arc].to, price, task);
            }
        }
    }

    /// The price of a part at a vertex.
    pub(super) fn at(&self, part: usize, vertex: usize) -> &N {
        &self.price[part * self.vertices + vertex]
    }

    /// The tasks of the cheapest tree of a part at a vertex. The part has a price.
    pub(super) fn tree(&self, tasks: &Tasks, part: usize, vertex: usize) -> Vec<usize> {
        let mut tree = Vec::new();
        let mut wanted = vec![(part, vertex)];
        while let Some((part, vertex)) = wanted.pop() {
            let task = self.by[part * self.vertices + vertex];
            if task == NONE {
                continue;
            }
            tree.push(task);
            match tasks.name(task) {
                Named::Transfer { arc, part } => wanted.push((part, tasks.arcs[arc].from)),
                Named::Merge {
                    vertex,
                    left,
                    right,
                    ..
                } => wanted.extend([(left, vertex), (right, vertex)]),
            }
        }
        tree
    }
}
