//! Ordered partitions of the nodes and their refinement.
//!
//! Every step depends on the structure of the graph alone, never on the numbers of the nodes: an automorphism takes the
//! partition that follows from individualising `x` to the one that follows from individualising its image.

use std::collections::VecDeque;

use super::graph::{Graph, spread};

/// An ordered partition. A cell is named by the position of its first node.
#[derive(Clone)]
pub(super) struct Partition {
    /// The nodes, cell after cell.
    order: Vec<u32>,
    /// Per node: its index in `order`.
    position: Vec<u32>,
    /// The cell of each node.
    cell: Vec<u32>,
    /// The size of the cell that starts at a position.
    size: Vec<u32>,
    cells: usize,
}

/// Room for one refinement, and the count of the work done so far.
pub(super) struct Scratch {
    queue: VecDeque<u32>,
    queued: Vec<bool>,
    key: Vec<u64>,
    seen: Vec<bool>,
    touched: Vec<u32>,
    splitter: Vec<u32>,
    /// Links and nodes looked at.
    pub work: u64,
}

impl Scratch {
    pub(super) fn new(nodes: usize) -> Self {
        Scratch {
            queue: VecDeque::new(),
            queued: vec![false; nodes],
            key: vec![0; nodes],
            seen: vec![false; nodes],
            touched: Vec::new(),
            splitter: Vec::new(),
            work: 0,
        }
    }

    fn push(&mut self, cell: u32) {
        if !std::mem::replace(&mut self.queued[cell as usize], true) {
            self.queue.push_back(cell);
        }
    }
}

impl Partition {
    /// The coarsest equitable partition: nodes of one cell have the same colour and the same numbers of links, by
    /// cost and direction, to every cell.
    pub(super) fn equitable(graph: &Graph, scratch: &mut Scratch) -> Self {
        let nodes = graph.nodes();
        let mut order: Vec<u32> = (0..nodes as u32).collect();
        order.sort_by_key(|&node| graph.colours[node as usize]);
        let (mut position, mut cell, mut size, mut cells) =
            (vec![0; nodes], vec![0; nodes], vec![0; nodes], Vec::new());
        let mut start = 0;
        for (index, &node) in order.iter().enumerate() {
            if graph.colours[node as usize] != graph.colours[order[start] as usize] {
                start = index;
            }
            if start == index {
                cells.push(start as u32);
            }
            position[node as usize] = index as u32;
            cell[node as usize] = start as u32;
            size[start] += 1;
        }
        let mut partition = Partition {
            order,
            position,
            cell,
            size,
            cells: cells.len(),
        };
        partition.refine(graph, scratch, &cells);
        partition
    }

    /// Whether every node is alone in its cell.
    pub(super) fn is_discrete(&self) -> bool {
        self.cells == self.order.len()
    }

    pub(super) fn cell(&self, node: u32) -> u32 {
        self.cell[node as usize]
    }

    /// How many nodes share the cell of `node`.
    pub(super) fn companions(&self, node: u32) -> u32 {
        self.size[self.cell(node) as usize]
    }

    /// The nodes of the cell that starts at `cell`.
    pub(super) fn members(&self, cell: u32) -> &[u32] {
        &self.order[cell as usize..(cell + self.size[cell as usize]) as usize]
    }

    /// The nodes, cell after cell.
    pub(super) fn order(&self) -> &[u32] {
        &self.order
    }

    /// Splits a node off its cell into a new cell, the last part of the old one. Returns the new cell.
    pub(super) fn individualise(&mut self, node: u32) -> u32 {
        let cell = self.cell(node);
        let last = cell + self.size[cell as usize] - 1;
        self.swap(self.position[node as usize], last);
        self.size[cell as usize] -= 1;
        self.size[last as usize] = 1;
        self.cell[node as usize] = last;
        self.cells += 1;
        last
    }

    fn swap(&mut self, one: u32, other: u32) {
        self.order.swap(one as usize, other as usize);
        self.position[self.order[one as usize] as usize] = one;
        self.position[self.order[other as usize] as usize] = other;
    }

    /// Refines until equitable again after the cells `changed` appeared. Returns a trace: partitions that correspond
    /// under an automorphism have the same. O((links of the nodes whose cells split) log n), after Hopcroft.
    pub(super) fn refine(&mut self, graph: &Graph, scratch: &mut Scratch, changed: &[u32]) -> u64 {
        let mut trace = 0;
        for &cell in changed {
            scratch.push(cell);
        }
        while let Some(cell) = scratch.queue.pop_front() {
            scratch.queued[cell as usize] = false;
            if self.is_discrete() {
                continue;
            }
            let mut splitter = std::mem::take(&mut scratch.splitter);
            splitter.clear();
            splitter.extend_from_slice(self.members(cell));
            for &node in &splitter {
                for &(other, weight) in graph.neighbours(node) {
                    if !std::mem::replace(&mut scratch.seen[other as usize], true) {
                        scratch.touched.push(other);
                    }
                    let key = &mut scratch.key[other as usize];
                    *key = key.wrapping_add(weight);
                }
                scratch.work += 1 + graph.neighbours(node).len() as u64;
            }
            scratch.splitter = splitter;
            trace = spread(trace ^ u64::from(cell)).wrapping_add(self.split(scratch));
        }
        trace
    }

    /// Splits the cells of the touched nodes by their keys and clears both.
    fn split(&mut self, scratch: &mut Scratch) -> u64 {
        let mut touched = std::mem::take(&mut scratch.touched);
        touched.sort_unstable_by_key(|&node| (self.cell(node), scratch.key[node as usize]));
        scratch.work += touched.len() as u64;
        let mut trace = 0;
        let mut rest = touched.as_slice();
        while let Some(&first) = rest.first() {
            let cell = self.cell(first);
            let length = rest.partition_point(|&node| self.cell(node) == cell);
            let (group, others) = rest.split_at(length);
            trace = spread(trace ^ self.split_cell(group, scratch));
            rest = others;
        }
        for &node in &touched {
            scratch.key[node as usize] = 0;
            scratch.seen[node as usize] = false;
        }
        touched.clear();
        scratch.touched = touched;
        trace
    }

    /// Splits one cell: the members that were not touched stay in front, then follow the touched ones by key.
    fn split_cell(&mut self, group: &[u32], scratch: &mut Scratch) -> u64 {
        let key = |scratch: &Scratch, node: u32| scratch.key[node as usize];
        let cell = self.cell(group[0]);
        let size = self.size[cell as usize];
        let untouched = size - group.len() as u32;
        let mut trace = spread(u64::from(cell) << 32 | u64::from(untouched));
        let uniform = key(scratch, group[0]) == key(scratch, group[group.len() - 1]);
        if untouched == 0 && uniform {
            return spread(trace ^ key(scratch, group[0]));
        }
        for (position, &node) in (cell + untouched..).zip(group) {
            self.swap(self.position[node as usize], position);
        }
        let mut parts = Vec::new();
        if untouched > 0 {
            self.size[cell as usize] = untouched;
            parts.push((cell, untouched));
        }
        let mut start = cell + untouched;
        for part in group.chunk_by(|&a, &b| key(scratch, a) == key(scratch, b)) {
            let length = part.len() as u32;
            for &node in part {
                self.cell[node as usize] = start;
            }
            self.size[start as usize] = length;
            parts.push((start, length));
            trace = spread(trace ^ key(scratch, part[0]).wrapping_add(u64::from(length)));
            start += length;
        }
        self.cells += parts.len() - 1;
        // The largest part may be left out, because the others determine it, unless the whole cell was still to be
        // used.
        let largest = parts.iter().map(|part| part.1).max();
        let spared = parts.iter().position(|part| Some(part.1) == largest);
        let waiting = scratch.queued[cell as usize];
        for (index, &(part, _)) in parts.iter().enumerate() {
            if waiting || Some(index) != spared {
                scratch.push(part);
            }
        }
        trace
    }
}
