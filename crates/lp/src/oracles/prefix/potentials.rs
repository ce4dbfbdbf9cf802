//! Prices of having each partial result at each place: an interval dynamic program, with shortest paths between.

use oneport_numbers::Exact;

use super::tasks::{Named, Tasks};

/// No task: the operand at its owner, or nothing leads there.
const NONE: usize = usize::MAX;

/// Prices of cheapest reduction trees, by part and place.
pub(super) struct Potentials<N> {
    places: usize,
    price: Vec<N>,
    /// The last task of the tree.
    by: Vec<usize>,
}

impl<N: Exact> Potentials<N> {
    /// For the parts within a goal. `O(n^2 v^2 + n^3 v)` for `n` operands and `v` places; a price of at least `top`
    /// means that no tree exists.
    pub(super) fn new(tasks: &Tasks, costs: &[N], top: &N, goal: usize) -> Self {
        let places = tasks.places.len();
        let cells = tasks.parts.len() * places;
        let mut all = Potentials {
            places,
            price: vec![top.clone(); cells],
            by: vec![NONE; cells],
        };
        for part in tasks.within(goal) {
            if let Some(owner) = tasks.owner(part) {
                all.price[part * places + owner] = N::zero();
            }
            for (task, place, left, right) in tasks.merges(part) {
                let mut price = all.at(left, place).clone();
                price += all.at(right, place);
                price += &costs[task];
                all.offer(part * places + place, price, task);
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

    /// Dijkstra's algorithm from all places at once.
    fn spread(&mut self, tasks: &Tasks, costs: &[N], top: &N, part: usize) {
        let first = part * self.places;
        let mut done = vec![false; self.places];
        loop {
            let open = (0..self.places).filter(|&place| !done[place]);
            let Some(place) =
                open.min_by(|&a, &b| self.price[first + a].cmp(&self.price[first + b]))
            else {
                return;
            };
            if self.price[first + place] >= *top {
                return;
            }
            done[place] = true;
            for &arc in tasks.leaving(place) {
                let task = tasks.transfer(part, arc);
                let mut price = self.price[first + place].clone();
                price += &costs[task];
                self.offer(first + tasks.arcs[arc].to, price, task);
            }
        }
    }

    /// The price of a part at a place.
    pub(super) fn at(&self, part: usize, place: usize) -> &N {
        &self.price[part * self.places + place]
    }

    /// The tasks of the cheapest tree of a part at a place; the part has a price.
    pub(super) fn tree(&self, tasks: &Tasks, part: usize, place: usize) -> Vec<usize> {
        let mut tree = Vec::new();
        let mut wanted = vec![(part, place)];
        while let Some((part, place)) = wanted.pop() {
            let task = self.by[part * self.places + place];
            if task == NONE {
                continue;
            }
            tree.push(task);
            match tasks.name(task) {
                Named::Transfer { arc, part } => wanted.push((part, tasks.arcs[arc].from)),
                Named::Merge {
                    place, left, right, ..
                } => wanted.extend([(left, place), (right, place)]),
            }
        }
        tree
    }
}
