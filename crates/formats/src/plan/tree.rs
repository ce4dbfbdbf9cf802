//! Reduction trees of a plan: a list of tasks, each after those it depends on.

use std::fmt::Write as _;

use oneport_plan::{Collective, Interval, Pattern, ReductionTree, Task};
use oneport_platform::{LinkId, NodeId, Platform};

use super::commodity::Commodities;
use super::question::find;
use super::write::name;
use crate::error::{FormatError, Problem};
use crate::json::{Json, need};

/// What the trees of a plan refer to.
#[derive(Clone, Copy)]
pub(super) struct Reductions<'c> {
    pub platform: &'c Platform,
    pub commodities: &'c Commodities<'c>,
    pub operands: &'c [NodeId],
    pub commutative: bool,
}

impl<'c> Reductions<'c> {
    /// `None` where nothing is combined.
    pub fn of(platform: &'c Platform, collective: &'c Collective, commodities: &'c Commodities<'c>) -> Option<Self> {
        let operands = collective.operands()?;
        Some(Reductions { platform, commodities, operands, commutative: collective.is_commutative() })
    }

    /// A tree from the values of `to`, `order` and `tasks`. Every name and number exists; whether the tasks fit
    /// together is the referee's part.
    pub fn read(
        &self,
        entry: &Json<'_, '_>,
        to: Option<Json<'_, '_>>,
        order: Option<Json<'_, '_>>,
        tasks: Option<Json<'_, '_>>,
    ) -> Result<Pattern, FormatError> {
        let to = need(entry, to, "to", "the node that receives the result")?;
        let target = find(&to, self.platform)?;
        let commodity = self
            .commodities
            .reduction(target)
            .ok_or_else(|| to.wrong("the target of the plan's collective, or of one of its reductions"))?;
        let order = order.map(|order| self.order(&order)).transpose()?;
        let mut list = Vec::new();
        need(entry, tasks, "tasks", "the tree's transfers and merges")?.each(|_, task| {
            list.push(self.task(&task)?);
            Ok(())
        })?;
        Ok(Pattern::Reduction(ReductionTree { commodity, order, tasks: list }))
    }

    /// Participants in operand order, by name: each at most once.
    fn order(&self, list: &Json<'_, '_>) -> Result<Vec<usize>, FormatError> {
        if !self.commutative {
            let why = "the operator is not commutative, so the participants' own order is the only one";
            return Err(list.fail(Problem::NotHere { key: "order", why }));
        }
        let mut order = Vec::new();
        let mut seen = vec![false; self.operands.len()];
        list.each(|_, value| {
            let node = find(&value, self.platform)?;
            let place = self.commodities.participant(node).ok_or_else(|| value.wrong("a participant"))?;
            if seen.get_mut(place).is_some_and(|seen| std::mem::replace(seen, true)) {
                return Err(value.wrong("a participant that is not in the order yet; name each once"));
            }
            order.push(place);
            Ok(())
        })?;
        Ok(order)
    }

    fn task(&self, value: &Json<'_, '_>) -> Result<Task, FormatError> {
        let [link, merge, part, split] = value.object(["link", "merge", "part", "split"])?;
        let interval = |part| self.part(&need(value, part, "part", "the partial result [k,m] that is moved or made")?);
        match (link, merge) {
            (Some(link), None) => {
                if let Some(split) = split {
                    let why = "a transfer moves one partial result";
                    return Err(split.fail(Problem::NotHere { key: "split", why }));
                }
                let link = LinkId::new(link.place("link", self.platform.links().len())?);
                Ok(Task::Transfer { link, part: interval(part)? })
            }
            (None, Some(node)) => {
                let node = find(&node, self.platform)?;
                let split = need(value, split, "split", "the last operand of the left part")?;
                let split = split.place("operand", self.operands.len())?;
                Ok(Task::Merge { node, part: interval(part)?, split })
            }
            (Some(_), Some(_)) => Err(value.fail(Problem::BothKeys("link", "merge"))),
            (None, None) => {
                let meaning = "the link of a transfer (or give 'merge', the node that computes)";
                Err(value.fail(Problem::MissingKey { key: "link", meaning }))
            }
        }
    }

    /// `[k,m]`: the places of two operands.
    fn part(&self, value: &Json<'_, '_>) -> Result<Interval, FormatError> {
        let mut ends = [None, None];
        value.each(|index, end| {
            let Some(place) = ends.get_mut(index) else { return Err(end.fail(two_operands("a third number"))) };
            *place = Some(end.place("operand", self.operands.len())?);
            Ok(())
        })?;
        let [Some(first), Some(last)] = ends else { return Err(value.fail(two_operands("a shorter list"))) };
        Ok(Interval { first, last })
    }
}

fn two_operands(found: &str) -> Problem {
    Problem::WrongValue {
        value: found.to_string(),
        expected: "a partial result: [k,m], its first and last operand".into(),
    }
}

/// The tree as [`Reductions::read`] reads it, but for the braces.
pub(super) fn write(out: &mut String, platform: &Platform, collective: &Collective, tree: &ReductionTree) {
    let target = collective.reductions().get(tree.commodity);
    let known = |node: Option<&NodeId>| node.map_or_else(|| "null".to_string(), |&node| name(platform, node));
    let _ = write!(out, "\"to\": {}", known(target));
    if let Some(order) = &tree.order {
        let operands = collective.operands().unwrap_or_default();
        let names: Vec<String> = order.iter().map(|&place| known(operands.get(place))).collect();
        let _ = write!(out, ", \"order\": [{}]", names.join(","));
    }
    out.push_str(", \"tasks\": [");
    for (index, task) in tree.tasks.iter().enumerate() {
        out.push_str(if index == 0 { "{" } else { ",{" });
        let _ = match task {
            Task::Transfer { link, part } => write!(out, "\"link\":{link},\"part\":[{},{}]", part.first, part.last),
            Task::Merge { node, part, split } => {
                let (node, first, last) = (name(platform, *node), part.first, part.last);
                write!(out, "\"merge\":{node},\"part\":[{first},{last}],\"split\":{split}")
            }
        };
        out.push('}');
    }
    out.push(']');
}
