//! Alternating trees, blossoms and prices.

use std::collections::VecDeque;

use oneport_numbers::Whole;

use super::proof::Prices;

/// No edge, no node.
const NONE: usize = usize::MAX;

/// How an outermost node was reached from the roots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    /// Not at all.
    Free,
    /// At even distance, the roots included.
    Even,
    /// At odd distance.
    Odd,
}

/// Nodes are vertices, `0..n`, and blossoms, from `n` on. Numbers of blossoms that were opened are used again.
pub(super) struct Forest<'a, W> {
    edges: &'a [(usize, usize, W)],
    vertices: usize,
    /// For each node and vertex outside it, the edge of least slack between them. While a blossom stands, the slacks
    /// of all edges between it and a vertex change alike.
    nearest: Vec<Vec<usize>>,
    /// For each blossom and vertex inside it, the child with the vertex.
    child: Vec<Vec<usize>>,
    /// For each blossom, its children around the odd cycle, the unmatched one first.
    ring: Vec<Vec<usize>>,
    /// For each blossom, the edges of the cycle: each from the child at its position to the next.
    ring_edges: Vec<Vec<usize>>,
    /// For each node, its price.
    price: Vec<W>,
    /// For each vertex, the outermost node with it.
    top: Vec<usize>,
    /// For each node, whether it is outermost.
    outermost: Vec<bool>,
    /// For each node, the edge of the matching that leaves it.
    mate: Vec<usize>,
    label: Vec<Label>,
    /// For each outermost node at odd distance, the edge by which it was reached.
    reached: Vec<usize>,
    /// For each outermost node, the scanned edge of least slack from a node at even distance.
    closest: Vec<usize>,
    /// Vertices at even distance that have to be scanned.
    queue: VecDeque<usize>,
}

impl<'a, W: Whole> Forest<'a, W> {
    pub(super) fn new(vertices: usize, edges: &'a [(usize, usize, W)]) -> Self {
        let mut nearest = vec![vec![NONE; vertices]; vertices];
        for (edge, (a, b, weight)) in edges.iter().enumerate() {
            let known = nearest[*a][*b];
            if a != b && !weight.is_zero() && (known == NONE || edges[known].2 < *weight) {
                nearest[*a][*b] = edge;
                nearest[*b][*a] = edge;
            }
        }
        // The initial price, for doubled weights. It covers every edge.
        let most = edges
            .iter()
            .filter(|(a, b, _)| a != b)
            .map(|(_, _, weight)| weight)
            .max();
        let price = vec![most.cloned().unwrap_or_else(W::zero); vertices];
        Forest {
            edges,
            vertices,
            nearest,
            child: Vec::new(),
            ring: Vec::new(),
            ring_edges: Vec::new(),
            price,
            top: (0..vertices).collect(),
            outermost: vec![true; vertices],
            mate: vec![NONE; vertices],
            label: vec![Label::Free; vertices],
            reached: vec![NONE; vertices],
            closest: vec![NONE; vertices],
            queue: VecDeque::new(),
        }
    }

    /// The edges of the matching, ascending.
    pub(super) fn matching(&self) -> Vec<usize> {
        let mates = self.mate.iter().enumerate().take(self.vertices);
        let mut edges: Vec<usize> = mates
            .filter(|&(v, &edge)| edge != NONE && self.edges[edge].0 == v)
            .map(|(_, &edge)| edge)
            .collect();
        edges.sort_unstable();
        edges
    }

    /// The prices. A blossom's price belongs to its set of vertices.
    pub(super) fn prices(self) -> Prices<W> {
        let mut sets = Vec::new();
        for blossom in self.vertices..self.price.len() {
            if !self.ring[blossom - self.vertices].is_empty() && !self.price[blossom].is_zero() {
                let members = (0..self.vertices)
                    .filter(|&v| self.contains(blossom, v))
                    .collect();
                sets.push((members, self.price[blossom].clone()));
            }
        }
        sets.sort();
        let mut vertices = self.price;
        vertices.truncate(self.vertices);
        Prices { vertices, sets }
    }

    fn contains(&self, node: usize, vertex: usize) -> bool {
        if node < self.vertices {
            node == vertex
        } else {
            self.child[node - self.vertices][vertex] != NONE
        }
    }

    fn members(&self, node: usize) -> Vec<usize> {
        if node < self.vertices {
            return vec![node];
        }
        (0..self.vertices)
            .filter(|&v| self.contains(node, v))
            .collect()
    }

    /// The ends of an edge that has one end inside the node: that one first.
    fn oriented(&self, edge: usize, node: usize) -> (usize, usize) {
        let (a, b, _) = self.edges[edge];
        if self.contains(node, a) {
            (a, b)
        } else {
            (b, a)
        }
    }

    /// The outermost node at the other end of an edge that leaves an outermost node.
    fn across(&self, edge: usize, node: usize) -> usize {
        self.top[self.oriented(edge, node).1]
    }

    /// The excess of the prices at the ends over the doubled weight, for edges between different outermost nodes.
    fn slack(&self, edge: usize) -> W {
        let (a, b, weight) = &self.edges[edge];
        self.price[*a]
            .plus(&self.price[*b])
            .surplus(&weight.multiple(2))
    }

    /// Searches until the matching has one edge more. False if the prices prove that it weighs most already.
    pub(super) fn augment(&mut self) -> bool {
        self.label.fill(Label::Free);
        self.closest.fill(NONE);
        self.queue.clear();
        for node in 0..self.price.len() {
            if self.outermost[node] && self.mate[node] == NONE {
                self.make_even(node);
            }
        }
        if self.queue.is_empty() {
            return false;
        }
        loop {
            while let Some(vertex) = self.queue.pop_front() {
                if self.scan(vertex) {
                    return true;
                }
            }
            if !self.adjust() {
                return false;
            }
            for node in 0..self.price.len() {
                let edge = self.closest[node];
                if self.outermost[node]
                    && edge != NONE
                    && self.slack(edge).is_zero()
                    && self.follow(edge)
                {
                    return true;
                }
            }
            for blossom in self.vertices..self.price.len() {
                let odd = self.outermost[blossom] && self.label[blossom] == Label::Odd;
                if odd && self.price[blossom].is_zero() {
                    self.open(blossom);
                }
            }
        }
    }

    /// Labels a node even and has its vertices scanned.
    fn make_even(&mut self, node: usize) {
        self.label[node] = Label::Even;
        self.closest[node] = NONE;
        let members = self.members(node);
        self.queue.extend(members);
    }

    /// Looks along all edges of a vertex at even distance. True if the matching grew.
    fn scan(&mut self, vertex: usize) -> bool {
        for other in 0..self.vertices {
            let edge = self.nearest[vertex][other];
            if edge == NONE || self.top[other] == self.top[vertex] {
                continue;
            }
            let slack = self.slack(edge);
            if slack.is_zero() {
                if self.follow(edge) {
                    return true;
                }
            } else {
                self.offer(self.top[other], edge, &slack);
            }
        }
        false
    }

    fn offer(&mut self, node: usize, edge: usize, slack: &W) {
        let known = self.closest[node];
        if known == NONE || *slack < self.slack(known) {
            self.closest[node] = edge;
        }
    }

    /// Finds the least slack to a node anew.
    fn offer_all(&mut self, node: usize) {
        self.closest[node] = NONE;
        for vertex in 0..self.vertices {
            let edge = self.nearest[node][vertex];
            let outside = self.top[vertex] != node && self.label[self.top[vertex]] == Label::Even;
            if edge != NONE && outside {
                let slack = self.slack(edge);
                self.offer(node, edge, &slack);
            }
        }
    }

    /// Uses an edge without slack that leaves a node at even distance. True if the matching grew.
    fn follow(&mut self, edge: usize) -> bool {
        let (a, b, _) = self.edges[edge];
        let (mut from, mut to) = (self.top[a], self.top[b]);
        if self.label[from] != Label::Even {
            (from, to) = (to, from);
        }
        if from == to || self.label[from] != Label::Even {
            return false;
        }
        match self.label[to] {
            Label::Odd => false,
            Label::Free => {
                // Every unmatched node is even, so this one has a mate.
                self.label[to] = Label::Odd;
                self.reached[to] = edge;
                self.closest[to] = NONE;
                let next = self.across(self.mate[to], to);
                self.make_even(next);
                false
            }
            Label::Even => {
                let (left, right) = (self.way_up(from), self.way_up(to));
                let meets = left
                    .iter()
                    .find(|(node, _)| right.iter().any(|(other, _)| other == node));
                match meets.map(|&(node, _)| node) {
                    Some(node) => {
                        self.shrink(edge, node, &left, &right);
                        false
                    }
                    None => {
                        self.exchange(from, edge);
                        self.exchange(to, edge);
                        true
                    }
                }
            }
        }
    }

    /// The nodes from one at even distance to its root, each with the edge towards the next.
    fn way_up(&self, mut node: usize) -> Vec<(usize, usize)> {
        let mut way = Vec::new();
        loop {
            let edge = self.mate[node];
            way.push((node, edge));
            if edge == NONE {
                return way;
            }
            let odd = self.across(edge, node);
            let next = self.reached[odd];
            way.push((odd, next));
            node = self.across(next, odd);
        }
    }

    /// Exchanges the matching on the path from a node to its root. The node then has the edge.
    fn exchange(&mut self, mut node: usize, mut edge: usize) {
        loop {
            let before = self.mate[node];
            let odd = (before != NONE).then(|| self.across(before, node));
            self.match_with(node, edge);
            let Some(odd) = odd else { return };
            let next = self.reached[odd];
            self.match_with(odd, next);
            node = self.across(next, odd);
            edge = next;
        }
    }

    /// Gives a node a new edge of the matching, and the inside of a blossom the matching that goes with it. As deep
    /// as blossoms nest.
    fn match_with(&mut self, node: usize, edge: usize) {
        self.mate[node] = edge;
        if node < self.vertices {
            return;
        }
        let entry = self.turned(node, edge);
        let position = node - self.vertices;
        let (ring, edges) = (
            self.ring[position].clone(),
            self.ring_edges[position].clone(),
        );
        for pair in (0..entry).step_by(2) {
            self.match_with(ring[pair], edges[pair]);
            self.match_with(ring[pair + 1], edges[pair]);
        }
        self.match_with(ring[entry], edge);
        self.ring[position].rotate_left(entry);
        self.ring_edges[position].rotate_left(entry);
    }

    /// The position in the ring of the child with an end of the edge, after the ring was turned so that it is even.
    fn turned(&mut self, blossom: usize, edge: usize) -> usize {
        let (inside, _) = self.oriented(edge, blossom);
        let position = blossom - self.vertices;
        let child = self.child[position][inside];
        let entry = self.ring[position]
            .iter()
            .position(|&other| other == child)
            .unwrap_or_default();
        if entry.is_multiple_of(2) {
            return entry;
        }
        self.ring[position][1..].reverse();
        self.ring_edges[position].reverse();
        self.ring[position].len() - entry
    }

    /// Shrinks the odd cycle that an edge closes: both paths up to the node at which they meet.
    fn shrink(
        &mut self,
        edge: usize,
        meets: usize,
        left: &[(usize, usize)],
        right: &[(usize, usize)],
    ) {
        let until_meeting = |way: &[(usize, usize)]| -> Vec<(usize, usize)> {
            way.iter()
                .copied()
                .take_while(|&(node, _)| node != meets)
                .collect()
        };
        let (mut ring, mut edges) = (vec![meets], Vec::new());
        for (node, towards) in until_meeting(left).into_iter().rev() {
            edges.push(towards);
            ring.push(node);
        }
        edges.push(edge);
        for (node, towards) in until_meeting(right) {
            ring.push(node);
            edges.push(towards);
        }
        let blossom = self.vertex_for_blossom();
        let position = blossom - self.vertices;
        self.mate[blossom] = self.mate[meets];
        for &node in &ring {
            self.outermost[node] = false;
            for vertex in self.members(node) {
                self.child[position][vertex] = node;
                self.top[vertex] = blossom;
                if self.label[node] == Label::Odd {
                    self.queue.push_back(vertex);
                }
            }
        }
        for vertex in 0..self.vertices {
            let nearest = ring
                .iter()
                .map(|&node| self.nearest[node][vertex])
                .filter(|&edge| edge != NONE);
            let outside = self.top[vertex] != blossom;
            self.nearest[blossom][vertex] = nearest
                .filter(|_| outside)
                .min_by_key(|&edge| self.slack(edge))
                .unwrap_or(NONE);
        }
        self.ring[position] = ring;
        self.ring_edges[position] = edges;
        self.label[blossom] = Label::Even;
        self.offer_all(blossom);
    }

    /// An unused node for a blossom, of price 0, outermost and empty.
    fn vertex_for_blossom(&mut self) -> usize {
        let unused = (0..self.ring.len()).find(|&position| self.ring[position].is_empty());
        let position = unused.unwrap_or_else(|| {
            self.ring.push(Vec::new());
            self.ring_edges.push(Vec::new());
            self.child.push(Vec::new());
            self.nearest.push(vec![NONE; self.vertices]);
            self.price.push(W::zero());
            self.outermost.push(false);
            self.mate.push(NONE);
            self.label.push(Label::Free);
            self.reached.push(NONE);
            self.closest.push(NONE);
            self.ring.len() - 1
        });
        let node = self.vertices + position;
        self.child[position] = vec![NONE; self.vertices];
        self.price[node] = W::zero();
        self.outermost[node] = true;
        node
    }

    /// Opens a blossom at odd distance whose price is 0: the path through it stays in the tree.
    fn open(&mut self, blossom: usize) {
        let entry = self.turned(blossom, self.reached[blossom]);
        let position = blossom - self.vertices;
        let (ring, edges) = (
            std::mem::take(&mut self.ring[position]),
            std::mem::take(&mut self.ring_edges[position]),
        );
        self.outermost[blossom] = false;
        self.closest[blossom] = NONE;
        for &node in &ring {
            self.outermost[node] = true;
            self.label[node] = Label::Free;
            for vertex in self.members(node) {
                self.top[vertex] = node;
            }
        }
        for (at, &node) in ring.iter().enumerate().take(entry + 1) {
            if at.is_multiple_of(2) {
                self.label[node] = Label::Odd;
                self.reached[node] = if at == entry {
                    self.reached[blossom]
                } else {
                    edges[at]
                };
                self.closest[node] = NONE;
            } else {
                self.make_even(node);
            }
        }
        for &node in &ring[entry + 1..] {
            self.offer_all(node);
        }
    }

    /// Changes the prices until something can be done. False if the roots' price is 0: the matching weighs most.
    fn adjust(&mut self) -> bool {
        let even = |forest: &Self, vertex: usize| forest.label[forest.top[vertex]] == Label::Even;
        let roots = (0..self.vertices)
            .filter(|&v| even(self, v))
            .map(|v| &self.price[v])
            .min();
        let mut by = roots.cloned().unwrap_or_else(W::zero);
        for node in (0..self.price.len()).filter(|&node| self.outermost[node]) {
            let edge = self.closest[node];
            let limit = match self.label[node] {
                Label::Free if edge != NONE => self.slack(edge),
                Label::Even if edge != NONE => half(&self.slack(edge)),
                Label::Odd if node >= self.vertices => half(&self.price[node]),
                _ => continue,
            };
            by = by.min(limit);
        }
        let mut ended = false;
        for vertex in 0..self.vertices {
            match self.label[self.top[vertex]] {
                Label::Even => {
                    self.price[vertex] -= &by;
                    ended |= self.price[vertex].is_zero();
                }
                Label::Odd => self.price[vertex] += &by,
                Label::Free => {}
            }
        }
        let twice = by.multiple(2);
        for blossom in (self.vertices..self.price.len()).filter(|&node| self.outermost[node]) {
            match self.label[blossom] {
                Label::Even => self.price[blossom] += &twice,
                Label::Odd => self.price[blossom] -= &twice,
                Label::Free => {}
            }
        }
        !ended
    }
}

fn half<W: Whole>(number: &W) -> W {
    number.div_floor(&W::from(2))
}
