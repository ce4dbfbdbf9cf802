//! A router merges nothing, so it sends on at least as much as it receives. A switch copies nothing, so at most that.

use oneport_platform::{NodeId, Platform, Rational};

use super::{Column, Statement, integer, none};
use crate::Demand;

/// The limit of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Keeps {
    /// It does not merge: no more transfers enter than leave.
    AllThatArrives,
    /// It does not copy: no more transfers leave than enter.
    NoMoreThanArrives,
}

/// A node that takes no part.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Balance {
    /// The node.
    pub node: NodeId,
    /// Its limit.
    pub keeps: Keeps,
}

impl Statement for Balance {
    fn coefficient(&self, column: Column) -> Rational {
        let Column::Transfer { from, to, .. } = column else {
            return none();
        };
        let out = i64::from(from == self.node) - i64::from(to == self.node);
        integer(if self.keeps == Keeps::AllThatArrives {
            out
        } else {
            -out
        })
    }

    fn right_side(&self, _: &Demand<'_>) -> Option<Rational> {
        Some(none())
    }

    fn sentence(&self, platform: &Platform) -> String {
        let name = platform.name(self.node);
        match self.keeps {
            Keeps::AllThatArrives => {
                format!("'{name}' merges nothing: no more enters it than leaves it")
            }
            Keeps::NoMoreThanArrives => {
                format!("'{name}' copies nothing: no more leaves it than enters it")
            }
        }
    }
}
