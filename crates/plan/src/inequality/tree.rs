//! Every pattern contains a reduction tree for each of its goals, and pays a task once that serves several.

use oneport_platform::{Platform, Rational};

use super::{Column, Statement, none};
use crate::{Demand, Task};

/// One of several goals of a demand whose operands keep their order, and the goal's share in the prices of tasks. The
/// right side is the cheapest reduction tree (a path, for one operand) of the goal's operands to the goal's node.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tree {
    /// Index of the goal among the demand's goals.
    pub goal: usize,
    /// Positive prices, ascending by task. Others are free. A task is a send or merge of a part of the goal's operands,
    /// without its inputs: see [`Task::alone`].
    pub prices: Vec<(Task, Rational)>,
}

impl Statement for Tree {
    /// Its columns are single tasks, finer than these.
    fn coefficient(&self, _: Column) -> Rational {
        none()
    }

    fn right_side(&self, _: &Demand<'_>) -> Option<Rational> {
        None
    }

    fn sentence(&self, _: &Platform) -> String {
        format!(
            "goal {} needs a reduction tree, for its prices of {} tasks",
            self.goal,
            self.prices.len()
        )
    }
}
