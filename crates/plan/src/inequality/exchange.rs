//! The exchange theorem: under these lengths, an arborescence into some part and an entrance to every other one.

use oneport_platform::{LinkId, NodeId, Platform, Rational};

use super::{Column, Direction, Statement, family, none};
use crate::Demand;

/// Disjoint parts of the platform, and lengths of links. The right side is the cheapest arborescence into some part
/// from all the others, plus the cheapest entrance of each of the others (`Into`). `OutOf` is the statement with all
/// links turned.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Exchange {
    /// Whether the arborescence leads into a part, or out of one.
    pub direction: Direction,
    /// At least two sets of nodes, each ascending and with a participant.
    pub parts: Vec<Vec<NodeId>>,
    /// Positive lengths, ascending by link. The other links are free.
    pub lengths: Vec<(LinkId, Rational)>,
}

impl Statement for Exchange {
    fn coefficient(&self, column: Column) -> Rational {
        let Column::Transfer {
            link: Some(link), ..
        } = column
        else {
            return none();
        };
        let index = self.lengths.binary_search_by_key(&link, |(link, _)| *link);
        index.map_or_else(|_| none(), |index| self.lengths[index].1.clone())
    }

    fn right_side(&self, _: &Demand<'_>) -> Option<Rational> {
        None
    }

    fn sentence(&self, platform: &Platform) -> String {
        let (links, s) = (
            self.lengths.len(),
            if self.lengths.len() == 1 { "" } else { "s" },
        );
        format!(
            "values are exchanged between {}, for the lengths of {links} link{s}",
            family(platform, &self.parts)
        )
    }
}
