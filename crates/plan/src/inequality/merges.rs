//! Combining `n` operands takes `n - 1` merges, the last one at one node.

use oneport_platform::{Platform, Rational};

use super::{Column, Statement, integer, none};
use crate::Demand;

/// The least number of merges: `sum of merges >= n - 1`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Merges;

/// One node joins all operands: `- sum over nodes of [joins] >= -1`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place;

impl Statement for Merges {
    fn coefficient(&self, column: Column) -> Rational {
        if let Column::Merge(_) = column {
            integer(1)
        } else {
            none()
        }
    }

    fn right_side(&self, demand: &Demand<'_>) -> Option<Rational> {
        Some(integer(demand.operands.len().saturating_sub(1)))
    }

    fn concerns(&self, demand: &Demand<'_>) -> bool {
        demand.operands.len() > 1
    }

    fn sentence(&self, _: &Platform) -> String {
        "combining n operands takes n - 1 merges".to_string()
    }
}

impl Statement for Place {
    fn coefficient(&self, column: Column) -> Rational {
        if let Column::Place(_) = column {
            integer(-1)
        } else {
            none()
        }
    }

    fn right_side(&self, _: &Demand<'_>) -> Option<Rational> {
        Some(integer(-1))
    }

    fn sentence(&self, _: &Platform) -> String {
        "all operands are joined at one place".to_string()
    }
}
