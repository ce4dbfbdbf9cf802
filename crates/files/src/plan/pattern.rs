//! Patterns of a plan: the demand that is executed, and its tasks.

use std::fmt::Write as _;

use oneport_plan::{Demand, Pattern};
use oneport_platform::{NodeId, Platform};

use super::cells::name;
use super::demand::Demands;
use super::task::{self, Tasks};
use crate::error::FormatError;
use crate::json::{Json, need};

/// The platform and demands that patterns refer to.
pub(super) struct Patterns<'c> {
    platform: &'c Platform,
    demands: &'c Demands<'c>,
}

/// A pattern, and the value that gives how often it is executed.
type Counted<'a, 'e> = (Pattern, Option<Json<'a, 'e>>);

impl<'c> Patterns<'c> {
    pub(super) fn new(platform: &'c Platform, demands: &'c Demands<'c>) -> Self {
        Patterns { platform, demands }
    }

    /// A pattern and the value of `last`: how often. Every name and number exists. The referee checks whether the
    /// pattern executes its demand.
    pub(super) fn read<'a, 'e>(
        &self,
        entry: &'e Json<'a, '_>,
        last: &'static str,
    ) -> Result<Counted<'a, 'e>, FormatError> {
        let [index, order, tasks, last] = entry.object(["demand", "order", "tasks", last])?;
        let (index, demand) = self.demand(entry, index)?;
        let (operands, commutative) = (demand.operands.len(), demand.commutative);
        let reader = Tasks {
            platform: self.platform,
            demands: self.demands,
            demand: index,
            operands,
            commutative,
        };
        let mut pattern = Pattern::new(index);
        pattern.order = order.map(|order| reader.order(&order)).transpose()?;
        need(
            entry,
            tasks,
            "tasks",
            "the sends and merges that carry it out",
        )?
        .each(|index, task| {
            pattern.tasks.push(reader.task(&task, index)?);
            Ok(())
        })?;
        Ok((pattern, last))
    }

    /// `demand`: its number.
    fn demand(
        &self,
        entry: &Json<'_, '_>,
        value: Option<Json<'_, '_>>,
    ) -> Result<(usize, Demand<'c>), FormatError> {
        let value = need(
            entry,
            value,
            "demand",
            "the index of the pattern's demand, counted from 0",
        )?;
        let index = value.index("demand", self.demands.count())?;
        let demand = self
            .demands
            .get(index)
            .ok_or_else(|| value.wrong("a demand of the plan's collective"))?;
        Ok((index, demand))
    }
}

/// The pattern in the form of [`Patterns::read`], without the braces.
pub(super) fn write(
    out: &mut String,
    platform: &Platform,
    demands: &Demands<'_>,
    pattern: &Pattern,
) {
    let demand = demands.get(pattern.demand);
    let operands = demand
        .as_ref()
        .map(|demand| demand.operands)
        .unwrap_or_default();
    let _ = write!(out, "\"demand\": {}, ", pattern.demand);
    if let Some(order) = &pattern.order {
        let known = |node: Option<&NodeId>| {
            node.map_or_else(|| "null".to_string(), |&node| name(platform, node))
        };
        let names: Vec<String> = order
            .iter()
            .map(|&index| known(operands.get(index)))
            .collect();
        let _ = write!(out, "\"order\": [{}], ", names.join(","));
    }
    out.push_str("\"tasks\": [");
    for (index, task) in pattern.tasks.iter().enumerate() {
        out.push_str(if index == 0 { "{" } else { ",{" });
        task::write(out, platform, index, *task, operands.len() == 1);
        out.push('}');
    }
    out.push(']');
}
