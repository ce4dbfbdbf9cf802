//! Chains along a line: of operands that keep their order.
//!
//! The owners of the operands are on a line in the operands' order. The operands left of a root are combined towards
//! it, owner after owner, and so are the operands right of it: an interval grows at its end. The root merges both with
//! its own. A result that all receive goes on from the root to both sides.
//!
//! In a reduce-scatter among `n` owners the one at position `i` sends `n - 1 - i` partial results to the right and `i`
//! to the left: `n - 1` messages, as on a ring, and no owner can send fewer. It receives `n - i` and `i + 1`, two more
//! than on a ring. In an all-reduce two messages go over every step of the line, one in each direction, wherever the
//! root is.

use std::collections::BTreeSet;

use oneport_plan::{Block, Demand, Goals, Interval, Pattern};
use oneport_platform::{LinkId, NodeId, whole};
use oneport_watch::Watch;

use super::ways::{Shares, Ways};
use crate::LpError;

/// Owners in the order of their operands.
pub(super) struct Line<'q> {
    owners: &'q [NodeId],
    /// The path from each owner to the next one. `None` if no path leads there.
    right: Vec<Option<Vec<LinkId>>>,
    /// To each from the next one.
    left: Vec<Option<Vec<LinkId>>>,
}

impl<'q> Line<'q> {
    /// At most a run of Dijkstra's algorithm for every owner.
    pub(super) fn new(ways: &mut Ways<'_>, owners: &'q [NodeId]) -> Result<Line<'q>, LpError> {
        let right = owners
            .windows(2)
            .map(|pair| ways.way(pair[0], pair[1]))
            .collect::<Result<_, LpError>>()?;
        let left = owners
            .windows(2)
            .map(|pair| ways.way(pair[1], pair[0]))
            .collect::<Result<_, LpError>>()?;
        Ok(Line {
            owners,
            right,
            left,
        })
    }

    /// How many tasks all patterns have together, at most.
    pub(super) fn tasks(&self, block: &Block<'_>) -> u64 {
        let links: usize = self
            .right
            .iter()
            .chain(&self.left)
            .flatten()
            .map(Vec::len)
            .sum();
        (links + self.owners.len()).saturating_mul(block.count) as u64
    }

    /// A pattern for every demand, and how often it is executed per instance. `None` if one meets a gap, or if a node
    /// that owns nothing receives a value.
    ///
    /// # Errors
    /// [`LpError::Stopped`] by the watch.
    pub(super) fn patterns(&self, block: &Block<'_>, watch: &Watch) -> Result<Shares, LpError> {
        let rate = whole(block.rate);
        let pattern = |demand: Demand<'_>, number: usize| {
            let wanting = demand
                .goals()
                .into_iter()
                .map(|(node, _)| self.position(node))
                .collect::<Option<BTreeSet<_>>>()?;
            let root = match demand.goals {
                Goals::At(target) => self.position(target)?,
                // The root is the middle: this minimises the longest distance.
                _ => self.owners.len() / 2,
            };
            Some((self.pattern(number, root, &wanting)?, rate.clone()))
        };
        let mut patterns = Vec::new();
        for (demand, number) in block.demands().zip(block.first..) {
            watch.ask()?;
            let Some(found) = pattern(demand, number) else {
                return Ok(None);
            };
            patterns.push(found);
        }
        Ok(Some(patterns))
    }

    fn position(&self, node: NodeId) -> Option<usize> {
        self.owners.iter().position(|&owner| owner == node)
    }

    /// The operands left and right of the root are combined towards it. Then the whole result goes to the nodes that
    /// receive it.
    fn pattern(&self, number: usize, root: usize, wanting: &BTreeSet<usize>) -> Option<Pattern> {
        let end = self.owners.len() - 1;
        let mut pattern = Pattern::new(number);
        let part = |first, last| Interval { first, last };
        let mut from_left = None;
        for position in 0..root {
            if position > 0 {
                from_left = pattern.merge(
                    self.owners[position],
                    part(0, position),
                    position - 1,
                    [from_left, None],
                );
            }
            from_left = pattern.route(
                self.right[position].as_ref()?.iter().copied(),
                part(0, position),
                from_left,
            );
        }
        let mut from_right = None;
        for position in (root + 1..=end).rev() {
            if position < end {
                from_right = pattern.merge(
                    self.owners[position],
                    part(position, end),
                    position,
                    [None, from_right],
                );
            }
            from_right = pattern.route(
                self.left[position - 1].as_ref()?.iter().copied(),
                part(position, end),
                from_right,
            );
        }
        let mut made = None;
        if root > 0 {
            made = pattern.merge(
                self.owners[root],
                part(0, root),
                root - 1,
                [from_left, None],
            );
        }
        if root < end {
            made = pattern.merge(self.owners[root], part(0, end), root, [made, from_right]);
        }
        let (mut to_right, mut to_left) = (made, made);
        for position in root..wanting.last().copied().unwrap_or(root) {
            to_right = pattern.route(
                self.right[position].as_ref()?.iter().copied(),
                part(0, end),
                to_right,
            );
        }
        for position in (wanting.first().copied().unwrap_or(root)..root).rev() {
            to_left = pattern.route(
                self.left[position].as_ref()?.iter().copied(),
                part(0, end),
                to_left,
            );
        }
        Some(pattern)
    }
}
