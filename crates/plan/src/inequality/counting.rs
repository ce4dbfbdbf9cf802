//! The counting theorem: the transfers of an all-reduce enter (leave) `k` sets `2 (k - 1)` times.

use oneport_platform::{LinkId, NodeId, PerLink, Platform, Rational};

use super::{Column, Direction, Statement, family, has, integer, none};
use crate::Demand;

/// A lower bound on how often transfers enter (leave) sets of nodes. A transfer that enters two of them counts twice.
///
/// - One set that holds a participant, but not all of them: at least once, in either direction.
/// - `k >= 2` sets, each with a participant: at least `2 (k - 1)` times. The condition: every node that could join two
///   of the messages (into: every processor; out of: every node that replicates) lies in exactly one of the sets. The
///   other nodes may lie in none, in one or in several. See the counting theorem in docs/theory.md.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Border {
    /// Whether entries or exits are counted.
    pub direction: Direction,
    /// The sets, each ascending.
    pub sets: Vec<Vec<NodeId>>,
}

impl Border {
    /// 1 for a single set, `2 (k - 1)` for `k` of them.
    pub fn crossings(&self) -> usize {
        if self.sets.len() == 1 {
            1
        } else {
            2 * self.sets.len().saturating_sub(1)
        }
    }

    /// Per link, how many of the sets a transfer over it enters (leaves). `O(links of their nodes log n)`.
    pub fn crossed(&self, platform: &Platform) -> PerLink<usize> {
        let mut crossed = platform.per_link(0);
        for set in &self.sets {
            for &node in set {
                let links = match self.direction {
                    Direction::Into => platform.incoming(node),
                    Direction::OutOf => platform.outgoing(node),
                };
                let far_end = |link: LinkId| match self.direction {
                    Direction::Into => platform.link(link).from,
                    Direction::OutOf => platform.link(link).to,
                };
                for link in links.iter().filter(|link| !has(set, far_end(**link))) {
                    crossed[*link] += 1;
                }
            }
        }
        crossed
    }
}

impl Statement for Border {
    fn coefficient(&self, column: Column) -> Rational {
        let Column::Transfer { from, to, .. } = column else {
            return none();
        };
        let (inside, outside) = match self.direction {
            Direction::Into => (to, from),
            Direction::OutOf => (from, to),
        };
        integer(
            self.sets
                .iter()
                .filter(|set| has(set, inside) && !has(set, outside))
                .count(),
        )
    }

    fn of_links(&self, platform: &Platform) -> Vec<Rational> {
        self.crossed(platform).into_iter().map(integer).collect()
    }

    fn right_side(&self, _: &Demand<'_>) -> Option<Rational> {
        Some(integer(self.crossings()))
    }

    fn sentence(&self, platform: &Platform) -> String {
        let (crossings, sets) = (self.crossings(), family(platform, &self.sets));
        let lead = match (crossings, self.sets.len()) {
            (1, _) => "transfer leads",
            (_, 1) => "transfers lead",
            _ => "transfers in all lead",
        };
        format!("at least {crossings} {lead} {} {sets}", self.direction)
    }
}
