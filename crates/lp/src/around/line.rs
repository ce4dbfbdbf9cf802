//! Chains along a line: of operands that keep their order.
//!
//! The owners of the operands stand on a line in the operands' order. What is left of a root is combined on the way to
//! it, owner after owner, and so is what is right of it: an interval grows at its end. The root merges both with its
//! own. What all want goes on from the root to both sides.
//!
//! In a reduce-scatter among `n` owners the one at place `i` sends `n - 1 - i` partial results to the right and `i` to
//! the left: `n - 1` messages, as on a ring, and nobody can send fewer. It receives `n - i` and `i + 1`, two more than
//! on a ring. In an all-reduce two messages go over every step of the line, one each way, wherever the root is.

use std::collections::BTreeSet;

use oneport_plan::{Block, Demand, Goals, Interval, Pattern};
use oneport_platform::{LinkId, NodeId, Rational};

use super::link_costs;
use crate::oracles::route::ShortestPaths;
use crate::{LpError, Question};

/// Owners in the order of their operands.
pub(super) struct Line<'q> {
    owners: &'q [NodeId],
    /// From each to the next one; `None` where no way leads.
    right: Vec<Option<Vec<LinkId>>>,
    /// To each from the next one.
    left: Vec<Option<Vec<LinkId>>>,
}

impl<'q> Line<'q> {
    /// `O(n l log l)` for `n` owners and `l` links.
    pub(super) fn new(question: &Question<'_>, owners: &'q [NodeId]) -> Result<Line<'q>, LpError> {
        let costs = link_costs(question);
        let way = |from: NodeId, to: NodeId| {
            question.watch().ask()?;
            let paths = ShortestPaths::new(question.platform(), &costs, from, |_| true);
            Ok(paths.to(to).map(|(_, links)| links))
        };
        let ways = |back: bool| {
            let pair = |pair: &[NodeId]| if back { way(pair[1], pair[0]) } else { way(pair[0], pair[1]) };
            owners.windows(2).map(pair).collect::<Result<_, LpError>>()
        };
        Ok(Line { owners, right: ways(false)?, left: ways(true)? })
    }

    /// A pattern for every demand, and how often; `None` where one meets a gap, or somebody who owns nothing wants
    /// something.
    pub(super) fn patterns(&self, block: &Block<'_>) -> Option<Vec<(Pattern, Rational)>> {
        let rate = Rational::from_integer(block.rate.into());
        let pattern = |(demand, number): (Demand<'_>, usize)| {
            let wanting =
                demand.goals().into_iter().map(|(node, _)| self.place(node)).collect::<Option<BTreeSet<_>>>()?;
            let root = match demand.goals {
                Goals::At(target) => self.place(target)?,
                // Nobody is far from the middle.
                _ => self.owners.len() / 2,
            };
            Some((self.pattern(number, root, &wanting)?, rate.clone()))
        };
        block.demands().zip(block.first..).map(pattern).collect()
    }

    fn place(&self, node: NodeId) -> Option<usize> {
        self.owners.iter().position(|&owner| owner == node)
    }

    /// What is left and what is right of the root is combined on the way to it, the whole goes on to who wants it.
    fn pattern(&self, number: usize, root: usize, wanting: &BTreeSet<usize>) -> Option<Pattern> {
        let end = self.owners.len() - 1;
        let mut pattern = Pattern::new(number);
        let part = |first, last| Interval { first, last };
        let mut from_left = None;
        for place in 0..root {
            if place > 0 {
                from_left = pattern.merge(self.owners[place], part(0, place), place - 1, [from_left, None]);
            }
            from_left = send(&mut pattern, self.right[place].as_ref()?, part(0, place), from_left);
        }
        let mut from_right = None;
        for place in (root + 1..=end).rev() {
            if place < end {
                from_right = pattern.merge(self.owners[place], part(place, end), place, [None, from_right]);
            }
            from_right = send(&mut pattern, self.left[place - 1].as_ref()?, part(place, end), from_right);
        }
        let mut made = None;
        if root > 0 {
            made = pattern.merge(self.owners[root], part(0, root), root - 1, [from_left, None]);
        }
        if root < end {
            made = pattern.merge(self.owners[root], part(0, end), root, [made, from_right]);
        }
        let (mut to_right, mut to_left) = (made, made);
        for place in root..wanting.last().copied().unwrap_or(root) {
            to_right = send(&mut pattern, self.right[place].as_ref()?, part(0, end), to_right);
        }
        for place in (wanting.first().copied().unwrap_or(root)..root).rev() {
            to_left = send(&mut pattern, self.left[place].as_ref()?, part(0, end), to_left);
        }
        Some(pattern)
    }
}

/// Sends a part over the links, one after the other.
fn send(pattern: &mut Pattern, links: &[LinkId], part: Interval, after: Option<u32>) -> Option<u32> {
    links.iter().fold(after, |after, &link| pattern.send(link, part, after))
}
