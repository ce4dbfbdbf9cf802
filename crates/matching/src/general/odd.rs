//! Odd-set inequalities that times violate.
//!
//! With `slack(v) = b(v) D - x(delta(v))`, twice the violation of `x(E(U)) + x(F) <= D (b(U) + |F| - 1) / 2` is `D -
//! (slack(U) + x(delta(U) - F) + sum over F of (D - x))`. So `(U, F)` is violated if and only if a cut, in the graph
//! with one more vertex that the slacks lead to, weighs less than `D`, where an edge in `F` weighs `D - x` and makes
//! the parity of `b(U)` jump. Padberg and Rao put a vertex in the middle of every edge that may be in `F`: odd, with
//! links of weight `x` to one end and `D - x` to the other, whose parity changes. If the cut separates the ends, the
//! middle goes to the side that the parity requires. An edge that has an end of capacity 1 needs no bound of its own,
//! hence need not be in `F`, and weighs `x`.

use super::cuts::odd_cuts;
use oneport_numbers::Whole;

/// The graph: vertices with capacities, and edges. An end without a limit is `None`.
pub(super) struct Ports<'a> {
    pub capacities: &'a [u64],
    pub ends: &'a [[Option<usize>; 2]],
}

/// A violated odd-set inequality.
pub(super) struct Violated<W> {
    /// `U`, ascending.
    pub vertices: Vec<usize>,
    /// `F`, ascending.
    pub edges: Vec<usize>,
    /// Sum of the times of the edges in `U` and in `F`.
    pub load: W,
    /// How many of them are allowed simultaneously.
    pub capacity: u64,
}

impl Ports<'_> {
    /// Whether the edge needs a separate bound: neither end has capacity 1.
    pub(super) fn is_loose(&self, e: usize) -> bool {
        self.ends[e]
            .iter()
            .all(|end| end.is_none_or(|v| self.capacities[v] != 1))
    }
}

/// Inequalities that `x`, within the period `total`, violates. Empty only if it violates none at all, provided that it
/// keeps the bounds of the vertices and of the edges. `O(n)` maximum flows in the worst case.
pub(super) fn violated<W: Whole>(ports: &Ports<'_>, x: &[W], total: &W) -> Vec<Violated<W>> {
    let Some(scene) = Scene::new(ports, x, total) else {
        return Vec::new();
    };
    let (odd, links) = scene.links();
    let mut sets: Vec<Vec<usize>> = Vec::new();
    for cut in odd_cuts(odd, links, total) {
        // The others are middles of edges.
        let set: Vec<usize> = cut
            .into_iter()
            .filter_map(|v| scene.vertex.get(v).copied())
            .collect();
        // A part of a set is violated at least as much as the whole.
        sets.extend(scene.components(&set));
        sets.push(set);
    }
    sets.sort();
    sets.dedup();
    sets.into_iter()
        .filter_map(|set| scene.inequality(set))
        .collect()
}

/// The part of the graph in which violated sets can be.
struct Scene<'a, W> {
    ports: &'a Ports<'a>,
    x: &'a [W],
    total: &'a W,
    /// The vertices left, ascending, and the index of each in this list.
    vertex: Vec<usize>,
    index: Vec<Option<usize>>,
    /// Edges of positive time at each vertex of the graph.
    incident: Vec<Vec<usize>>,
}

impl<'a, W: Whole> Scene<'a, W> {
    /// None if no set can be violated.
    ///
    /// A violated set may be taken connected, and bipartite components have none (their constraint matrix is totally
    /// unimodular). A vertex of capacity 1 with one edge, to another vertex of capacity 1, is in no violated set that
    /// would not be violated without the two.
    fn new(ports: &'a Ports<'a>, x: &'a [W], total: &'a W) -> Option<Self> {
        let vertices = ports.capacities.len();
        let mut incident = vec![Vec::new(); vertices];
        for (e, ends) in ports
            .ends
            .iter()
            .enumerate()
            .filter(|&(e, _)| !x[e].is_zero())
        {
            for &v in ends.iter().flatten() {
                incident[v].push(e);
            }
        }
        let mut scene = Scene {
            ports,
            x,
            total,
            vertex: Vec::new(),
            index: vec![None; vertices],
            incident,
        };
        let mut alive = scene.odd_components();
        scene.prune(&mut alive);
        scene.vertex = (0..vertices).filter(|&v| alive[v]).collect();
        for (i, &v) in scene.vertex.iter().enumerate() {
            scene.index[v] = Some(i);
        }
        (!scene.vertex.is_empty()).then_some(scene)
    }

    fn other(&self, e: usize, v: usize) -> Option<usize> {
        let [a, b] = self.ports.ends[e];
        if a == Some(v) { b } else { a }
    }

    /// Marks the vertices of components that have an odd cycle.
    fn odd_components(&self) -> Vec<bool> {
        let vertices = self.incident.len();
        let mut colour = vec![None; vertices];
        let mut alive = vec![false; vertices];
        for start in 0..vertices {
            if colour[start].is_some() {
                continue;
            }
            colour[start] = Some(false);
            let mut component = vec![start];
            let (mut next, mut odd) = (0, false);
            while let Some(&v) = component.get(next) {
                next += 1;
                for w in self.incident[v].iter().filter_map(|&e| self.other(e, v)) {
                    if colour[w].is_none() {
                        colour[w] = colour[v].map(|colour: bool| !colour);
                        component.push(w);
                    }
                    odd |= colour[w] == colour[v];
                }
            }
            for v in component {
                alive[v] = odd;
            }
        }
        alive
    }

    fn prune(&self, alive: &mut [bool]) {
        let live = |alive: &[bool], v: usize| -> Vec<usize> {
            let others = self.incident[v].iter().map(|&e| self.other(e, v));
            others
                .filter(|other| other.is_none_or(|w| alive[w]))
                .map(|w| w.unwrap_or(usize::MAX))
                .collect()
        };
        let mut open: Vec<usize> = (0..alive.len()).filter(|&v| alive[v]).collect();
        while let Some(v) = open.pop() {
            if !alive[v] || self.ports.capacities[v] != 1 {
                continue;
            }
            match live(alive, v)[..] {
                [] => alive[v] = false,
                [w] if w < alive.len() && self.ports.capacities[w] == 1 => {
                    alive[v] = false;
                    open.push(w);
                }
                _ => {}
            }
        }
    }

    /// The graph with the odd cuts: the vertices of the scene, the middles of edges, and last the vertex to which the
    /// slacks lead. Also the parity of each vertex.
    fn links(&self) -> (Vec<bool>, Vec<(usize, usize, W)>) {
        let vertices = self.vertex.len();
        let mut links = Vec::new();
        let mut degree = vec![W::zero(); vertices];
        let mut odd: Vec<bool> = self
            .vertex
            .iter()
            .map(|&v| self.ports.capacities[v] % 2 == 1)
            .collect();
        for (e, ends) in self
            .ports
            .ends
            .iter()
            .enumerate()
            .filter(|&(e, _)| !self.x[e].is_zero())
        {
            let loose = self.ports.is_loose(e);
            let (a, b) = match ends.map(|end| end.and_then(|v| self.index[v])) {
                [Some(a), b] if loose || b.is_some() => (a, b),
                [None, Some(a)] if loose => (a, None),
                // An edge out of the scene that is in no `F` counts as slack.
                _ => continue,
            };
            for v in [Some(a), b].into_iter().flatten() {
                degree[v] += &self.x[e];
            }
            if loose {
                let middle = odd.len();
                odd.push(true);
                if let Some(b) = b {
                    odd[b] ^= true;
                }
                links.push((a, Some(middle), self.x[e].clone()));
                links.push((middle, b, self.total.surplus(&self.x[e])));
            } else {
                links.push((a, b, self.x[e].clone()));
            }
        }
        for (index, degree) in degree.iter().enumerate() {
            let room = self
                .total
                .multiple(self.ports.capacities[self.vertex[index]]);
            links.push((index, None, room.surplus(degree)));
        }
        // The last vertex is never in the set sought. Its parity makes the number of odd ones even.
        odd.push(odd.iter().filter(|&&odd| odd).count() % 2 == 1);
        let last = odd.len() - 1;
        links.retain(|(_, _, weight)| !weight.is_zero());
        (
            odd,
            links
                .into_iter()
                .map(|(a, b, weight)| (a, b.unwrap_or(last), weight))
                .collect(),
        )
    }

    /// The connected parts of a set, if it has more than one.
    fn components(&self, set: &[usize]) -> Vec<Vec<usize>> {
        let mut fresh = set.to_vec();
        let mut parts = Vec::new();
        while let Some(start) = fresh.pop() {
            let mut part = vec![start];
            let mut next = 0;
            while let Some(&v) = part.get(next) {
                next += 1;
                for w in self.incident[v].iter().filter_map(|&e| self.other(e, v)) {
                    if let Ok(at) = fresh.binary_search(&w) {
                        part.push(fresh.remove(at));
                    }
                }
            }
            part.sort_unstable();
            parts.push(part);
        }
        if parts.len() == 1 { Vec::new() } else { parts }
    }

    /// The inequality of `set` with the best `F`, if it is violated.
    fn inequality(&self, set: Vec<usize>) -> Option<Violated<W>> {
        let in_set = |end: Option<usize>| end.is_some_and(|v| set.binary_search(&v).is_ok());
        let mut load = W::zero();
        let mut capacity: u64 = set.iter().map(|&v| self.ports.capacities[v]).sum();
        let mut edges = Vec::new();
        let mut cheapest: Option<(W, usize)> = None;
        let mut touching: Vec<usize> = set
            .iter()
            .flat_map(|&v| self.incident[v].iter().copied())
            .collect();
        touching.sort_unstable();
        touching.dedup();
        for e in touching {
            let [a, b] = self.ports.ends[e];
            let x = &self.x[e];
            if in_set(a) && in_set(b) {
                load += x;
            } else if self.ports.is_loose(e) {
                let rest = self.total.surplus(x);
                let price = if *x > rest {
                    x.surplus(&rest)
                } else {
                    rest.surplus(x)
                };
                if cheapest.as_ref().is_none_or(|(least, _)| price < *least) {
                    cheapest = Some((price, e));
                }
                if *x > rest {
                    edges.push(e);
                }
            }
        }
        if (capacity + edges.len() as u64).is_multiple_of(2) {
            let (_, e) = cheapest?;
            match edges.binary_search(&e) {
                Ok(at) => {
                    edges.remove(at);
                }
                Err(at) => edges.insert(at, e),
            }
        }
        for &e in &edges {
            load += &self.x[e];
        }
        capacity = (capacity + edges.len() as u64) / 2;
        let violated = load > self.total.multiple(capacity);
        violated.then_some(Violated {
            vertices: set,
            edges,
            load,
            capacity,
        })
    }
}
