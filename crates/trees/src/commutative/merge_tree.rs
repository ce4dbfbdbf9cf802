//! The merges of a reduction tree, without its transfers.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use oneport_plan::{Interval, Pattern, Task};
use oneport_platform::{LinkId, NodeId};

use super::scaled::{Fixed, Priced};

/// Partial results, each after its operands. The last is the result.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Shape {
    parts: Vec<Part>,
}

/// A set of operands combined.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    /// The processor at which it is made. A single operand is made at its owner.
    at: usize,
    /// How many operands it holds.
    count: usize,
    /// The first participant among them.
    least: usize,
    /// The longest chain of merges and paths.
    depth: usize,
    /// The parts merged, that with the first participant before the other. `None` for a single operand.
    operands: Option<[usize; 2]>,
}

impl Shape {
    /// Adds the value of a participant.
    pub(super) fn single(&mut self, participant: usize) -> usize {
        self.parts.push(Part {
            at: participant,
            count: 1,
            least: participant,
            depth: 0,
            operands: None,
        });
        self.parts.len() - 1
    }

    /// Adds the merge of two disjoint parts.
    pub(super) fn merge(&mut self, at: usize, first: usize, second: usize) -> usize {
        let [one, two] = [&self.parts[first], &self.parts[second]];
        let operands = Some(if one.least <= two.least {
            [first, second]
        } else {
            [second, first]
        });
        let (count, least) = (one.count + two.count, one.least.min(two.least));
        let depth = 1 + one.depth_at(at).max(two.depth_at(at));
        self.parts.push(Part {
            at,
            count,
            least,
            depth,
            operands,
        });
        self.parts.len() - 1
    }

    /// Adds merges at one processor until one part is left, always of the two smallest: for work that grows with the
    /// number of operands by a constant per operand this is cheapest (Huffman). If every merge costs the same
    /// (`alike`), it merges the two least deep: this is shallowest (Golumbic 1976). `None` if there are no parts.
    pub(super) fn merge_all(&mut self, at: usize, parts: &[usize], alike: bool) -> Option<usize> {
        let key = |shape: &Shape, part: usize| {
            let Part { count, least, .. } = shape.parts[part];
            Reverse((
                if alike {
                    shape.parts[part].depth_at(at)
                } else {
                    0
                },
                count,
                least,
                part,
            ))
        };
        let mut queue: BinaryHeap<_> = parts.iter().map(|&part| key(self, part)).collect();
        loop {
            let Reverse((.., first)) = queue.pop()?;
            let Some(Reverse((.., second))) = queue.pop() else {
                return Some(first);
            };
            let merged = self.merge(at, first, second);
            queue.push(key(self, merged));
        }
    }

    /// The longest chain of merges and paths.
    pub(super) fn depth(&self) -> usize {
        self.parts.last().map_or(0, |result| result.depth)
    }

    /// The price with the result brought to a node. `None` if a path or merge does not exist.
    pub(super) fn price<N: Fixed>(&self, priced: &Priced<N>, target: NodeId) -> Option<N> {
        self.sum(
            |count, from, to| priced.transfer(count, from, *priced.processors.get(to)?),
            |count, at| priced.merge(count, at),
            |count, from| priced.transfer(count, from, target),
        )
    }

    /// This tree with its parts numbered in the order of the tasks. Two trees are equal if these are.
    pub(super) fn canonical(&self) -> Shape {
        let mut order = Vec::with_capacity(self.parts.len());
        let mut wanted: Vec<usize> = self.parts.len().checked_sub(1).into_iter().collect();
        while let Some(part) = wanted.pop() {
            order.push(part);
            wanted.extend(self.parts[part].operands.into_iter().flatten());
        }
        order.reverse();
        let mut numbers = vec![0; self.parts.len()];
        for (number, &part) in order.iter().enumerate() {
            numbers[part] = number;
        }
        let renumber = |&part: &usize| {
            let part = self.parts[part].clone();
            Part {
                operands: part
                    .operands
                    .map(|pair| pair.map(|operand| numbers[operand])),
                ..part
            }
        };
        Shape {
            parts: order.iter().map(renumber).collect(),
        }
    }

    /// The sum of the prices of transfers (by number of operands, sender and receiver), merges (number and processor)
    /// and the last path (number and processor).
    pub(super) fn sum<N: Fixed>(
        &self,
        transfer: impl Fn(usize, usize, usize) -> Option<N>,
        merge: impl Fn(usize, usize) -> Option<N>,
        last: impl Fn(usize, usize) -> Option<N>,
    ) -> Option<N> {
        let result = self.parts.last()?;
        let mut price = last(result.count, result.at)?;
        for part in &self.parts {
            let Some(operands) = part.operands else {
                continue;
            };
            price += &merge(part.count, part.at)?;
            for operand in operands.map(|operand| &self.parts[operand]) {
                price += &transfer(operand.count, operand.at, part.at)?;
            }
        }
        Some(price)
    }

    /// The tasks, in the order: left part, right part, their transfers, merge. The result's transfer is the last.
    /// `path` gives the links from a processor to a node.
    pub(super) fn tree(
        &self,
        processors: &[NodeId],
        target: NodeId,
        path: impl Fn(usize, NodeId) -> Vec<LinkId>,
    ) -> Option<Pattern> {
        // From the result back to the single operands.
        let mut reversed = Vec::new();
        let transfer = |reversed: &mut Vec<Task>, from: usize, to: NodeId, part: Interval| {
            let links = path(from, to);
            reversed.extend(links.into_iter().rev().map(|link| Task::send(link, part)));
        };
        let result = self.parts.last()?;
        let mut order = vec![0; result.count];
        transfer(&mut reversed, result.at, target, interval(0, result));
        let mut wanted = vec![(self.parts.len() - 1, 0)];
        while let Some((part, first)) = wanted.pop() {
            let part = &self.parts[part];
            let Some([left, right]) = part.operands else {
                order[first] = part.least;
                continue;
            };
            let node = *processors.get(part.at)?;
            let next = first + self.parts[left].count;
            reversed.push(Task::merge(node, interval(first, part), next - 1));
            for (operand, first) in [(right, next), (left, first)] {
                let part = &self.parts[operand];
                transfer(&mut reversed, part.at, node, interval(first, part));
            }
            wanted.extend([(left, first), (right, next)]);
        }
        Some(Pattern::tree(0, Some(order), reversed.into_iter().rev()))
    }
}

impl Part {
    /// Its depth when it has come to a processor.
    fn depth_at(&self, at: usize) -> usize {
        self.depth + usize::from(self.at != at)
    }
}

fn interval(first: usize, part: &Part) -> Interval {
    Interval {
        first,
        last: first + part.count - 1,
    }
}
