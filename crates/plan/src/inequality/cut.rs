//! Cuts: a value that is owned inside a set and wanted outside leaves it.

use oneport_platform::{NodeId, Platform, Rational};

use super::{Column, Statement, has, integer, none, set};
use crate::Demand;

/// A set of nodes that something has to leave.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cut {
    /// The nodes, ascending.
    pub nodes: Vec<NodeId>,
}

impl Statement for Cut {
    fn coefficient(&self, column: Column) -> Rational {
        match column {
            Column::Transfer { from, to, .. }
                if has(&self.nodes, from) && !has(&self.nodes, to) =>
            {
                integer(1)
            }
            _ => none(),
        }
    }

    fn right_side(&self, _: &Demand<'_>) -> Option<Rational> {
        Some(integer(1))
    }

    fn concerns(&self, demand: &Demand<'_>) -> bool {
        demand.crosses(|node| has(&self.nodes, node))
    }

    fn sentence(&self, platform: &Platform) -> String {
        format!("at least 1 transfer leaves {}", set(platform, &self.nodes))
    }
}
