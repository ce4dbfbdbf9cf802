//! The gathering theorem: `m` merges inside a set with `p` participants need `m + 2 - p` transfers into it, one less if
//! all operands are joined inside.

use oneport_platform::{NodeId, Platform, Rational};

use super::{Column, Statement, has, integer, none, set};
use crate::Demand;

/// A set of nodes with a participant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gathering {
    /// The nodes, ascending.
    pub nodes: Vec<NodeId>,
}

impl Statement for Gathering {
    fn coefficient(&self, column: Column) -> Rational {
        let inside = |node| has(&self.nodes, node);
        match column {
            Column::Transfer { from, to, .. } if inside(to) && !inside(from) => integer(1),
            Column::Merge(node) if inside(node) => integer(-1),
            Column::Place(node) if inside(node) => integer(1),
            _ => none(),
        }
    }

    fn right_side(&self, demand: &Demand<'_>) -> Option<Rational> {
        let inside = demand
            .operands
            .iter()
            .filter(|&&owner| has(&self.nodes, owner))
            .count();
        Some(integer(2) - integer(inside))
    }

    fn sentence(&self, platform: &Platform) -> String {
        format!(
            "to be merged inside {}, values have to come there",
            set(platform, &self.nodes)
        )
    }
}
