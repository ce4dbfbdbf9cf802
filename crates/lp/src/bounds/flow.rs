//! Minimum cuts of small networks, by maximum flow (Dinic 1970).

use std::collections::VecDeque;

use oneport_numbers::Exact;

/// A network with a source and a sink. Arc `2 i` is the i-th given, arc `2 i + 1` runs against it.
pub struct Network<N> {
    heads: Vec<usize>,
    room: Vec<N>,
    leaving: Vec<Vec<usize>>,
    /// By node: how many arcs it is away from the source; `None` where no room leads.
    levels: Vec<Option<usize>>,
    /// By node: the place of the arc to try next.
    next: Vec<usize>,
}

/// Where flows start.
pub const SOURCE: usize = 0;
/// Where they end.
pub const SINK: usize = 1;

impl<N: Exact> Network<N> {
    /// Nodes without arcs; [`SOURCE`] and [`SINK`] are two of them.
    pub fn new(nodes: usize) -> Self {
        let nodes = nodes.max(2);
        Network {
            heads: Vec::new(),
            room: Vec::new(),
            leaving: vec![Vec::new(); nodes],
            levels: Vec::new(),
            next: Vec::new(),
        }
    }

    /// One more arc with its capacity, which is not negative.
    pub fn arc(&mut self, from: usize, to: usize, capacity: N) {
        if from != to && !capacity.is_zero() {
            for (from, to, room) in [(from, to, capacity), (to, from, N::zero())] {
                self.leaving[from].push(self.heads.len());
                self.heads.push(to);
                self.room.push(room);
            }
        }
    }

    /// The capacity of a minimum cut, and by node whether it is on the sink's side of the one with the most nodes
    /// there. `O(n^2 m)`, in practice a few searches of the graph.
    pub fn minimum_cut(mut self) -> (N, Vec<bool>) {
        let mut flow = N::zero();
        while self.layer() {
            self.next = vec![0; self.leaving.len()];
            while let Some(sent) = self.augment() {
                flow += &sent;
            }
        }
        (flow, self.levels.iter().map(Option::is_none).collect())
    }

    /// Numbers the nodes by their distance from the source; whether the sink has one.
    fn layer(&mut self) -> bool {
        self.levels = vec![None; self.leaving.len()];
        self.levels[SOURCE] = Some(0);
        let mut queue = VecDeque::from([(SOURCE, 0)]);
        while let Some((node, level)) = queue.pop_front() {
            for &arc in &self.leaving[node] {
                let head = self.heads[arc];
                if self.levels[head].is_none() && !self.room[arc].is_zero() {
                    self.levels[head] = Some(level + 1);
                    queue.push_back((head, level + 1));
                }
            }
        }
        self.levels[SINK].is_some()
    }

    /// Sends as much as fits along one path of ascending levels.
    fn augment(&mut self) -> Option<N> {
        let mut path: Vec<usize> = Vec::new();
        let mut node = SOURCE;
        while node != SINK {
            match self.leaving[node].get(self.next[node]) {
                Some(&arc) => {
                    let head = self.heads[arc];
                    let below =
                        self.levels[head].is_some_and(|level| Some(level) == self.levels[node].map(|own| own + 1));
                    if below && !self.room[arc].is_zero() {
                        path.push(arc);
                        node = head;
                    } else {
                        self.next[node] += 1;
                    }
                }
                None => {
                    let last = path.pop()?;
                    node = self.heads[last ^ 1];
                    self.next[node] += 1;
                }
            }
        }
        let sent = path.iter().map(|&arc| &self.room[arc]).min()?.clone();
        for arc in path {
            self.room[arc] -= &sent;
            self.room[arc ^ 1] += &sent;
        }
        Some(sent)
    }
}
