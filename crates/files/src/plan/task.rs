//! Tasks of patterns, each after those it depends on.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use oneport_plan::{Interval, Task};
use oneport_platform::Platform;

use super::cells::{link_number, name};
use super::demand::Demands;
use crate::error::{FormatError, Mistake};
use crate::json::{Json, need};
use crate::nodes::find;

/// The context that the tasks of one pattern refer to.
#[derive(Clone, Copy)]
pub(super) struct Tasks<'c> {
    pub platform: &'c Platform,
    pub demands: &'c Demands<'c>,
    /// The demand that is executed, and its properties.
    pub demand: usize,
    pub operands: usize,
    pub commutative: bool,
}

impl Tasks<'_> {
    /// Participants in operand order, by name: each at most once.
    pub(super) fn order(&self, list: &Json<'_, '_>) -> Result<Vec<usize>, FormatError> {
        if !self.commutative {
            let why =
                "the operator is not commutative, so the participants' own order is the only one";
            return Err(list.fail(Mistake::NotHere { key: "order", why }));
        }
        let mut order = Vec::new();
        let mut seen = BTreeSet::new();
        list.each(|_, value| {
            let node = find(&value, self.platform)?;
            let index = self.demands.participant(self.demand, node);
            let index = index.ok_or_else(|| value.wrong("a participant"))?;
            if !seen.insert(index) {
                return Err(
                    value.wrong("a participant that is not in the order yet; name each once")
                );
            }
            order.push(index);
            Ok(())
        })?;
        Ok(order)
    }

    /// A task from the values of `link`, `merge`, `part` and `split`, without its inputs.
    pub(super) fn plain(
        &self,
        value: &Json<'_, '_>,
        fields: [Option<Json<'_, '_>>; 4],
    ) -> Result<Task, FormatError> {
        let [link, merge, part, split] = fields;
        let part = || match part {
            None if self.operands == 1 => Ok(Interval::single(0)),
            part => self.part(&need(
                value,
                part,
                "part",
                "the partial result [k,m] that is moved or made",
            )?),
        };
        match (link, merge) {
            (Some(link), None) => {
                if let Some(split) = split {
                    let why = "a transfer moves one partial result";
                    return Err(split.fail(Mistake::NotHere { key: "split", why }));
                }
                Ok(Task::send(link_number(&link, self.platform)?, part()?))
            }
            (None, Some(node)) => {
                let node = find(&node, self.platform)?;
                let split = need(value, split, "split", "the last operand of the left part")?;
                Ok(Task::merge(node, part()?, self.operand(&split)?))
            }
            (Some(_), Some(_)) => Err(value.fail(Mistake::BothKeys("link", "merge"))),
            (None, None) => {
                let meaning = "the link of a transfer (or give 'merge', the node that computes)";
                Err(value.fail(Mistake::MissingKey {
                    key: "link",
                    meaning,
                }))
            }
        }
    }

    /// A task, after `before` earlier tasks. A send without `after` uses the result of the task before it.
    pub(super) fn task(&self, value: &Json<'_, '_>, before: usize) -> Result<Task, FormatError> {
        let keys = ["link", "merge", "part", "split", "after", "left", "right"];
        let [link, merge, part, split, after, left, right] = value.object(keys)?;
        let mut task = self.plain(value, [link, merge, part, split])?;
        let (misplaced, why) = match task {
            Task::Send { .. } => (
                [("left", left), ("right", right)],
                "a transfer has one input, 'after'",
            ),
            Task::Merge { .. } => (
                [("after", after), ("after", None)],
                "a merge has two inputs, 'left' and 'right'",
            ),
        };
        if let Some((key, value)) = misplaced
            .into_iter()
            .find_map(|(key, value)| Some((key, value?)))
        {
            return Err(value.fail(Mistake::NotHere { key, why }));
        }
        match &mut task {
            Task::Send { after: input, .. } => {
                *input = after.map_or(Ok(last(before)), |after| earlier(&after, before))?;
            }
            Task::Merge {
                left: first,
                right: second,
                ..
            } => {
                let input =
                    |input, key, meaning| earlier(&need(value, input, key, meaning)?, before);
                *first = input(
                    left,
                    "left",
                    "the number of the task behind the left part, or null for the owner",
                )?;
                *second = input(
                    right,
                    "right",
                    "the number of the task behind the right part, or null for the owner",
                )?;
            }
        }
        Ok(task)
    }

    fn operand(&self, value: &Json<'_, '_>) -> Result<usize, FormatError> {
        value.index("operand", self.operands)
    }

    /// `[k,m]`: the indices of two operands.
    fn part(&self, value: &Json<'_, '_>) -> Result<Interval, FormatError> {
        let mut ends = [None, None];
        value.each(|index, end| {
            let Some(index) = ends.get_mut(index) else {
                return Err(end.fail(two_operands("a third number")));
            };
            *index = Some(self.operand(&end)?);
            Ok(())
        })?;
        let [Some(first), Some(last)] = ends else {
            return Err(value.fail(two_operands("a shorter list")));
        };
        Ok(Interval { first, last })
    }
}

/// The number of one of the `count` tasks before this one, or null.
fn earlier(value: &Json<'_, '_>, count: usize) -> Result<Option<u32>, FormatError> {
    let count = count.min(u32::MAX as usize);
    let index = (!value.is_null())
        .then(|| value.index("earlier task", count))
        .transpose()?;
    Ok(index.and_then(|index| u32::try_from(index).ok()))
}

/// The last of `before` tasks, as an input. `None`, the owner's value, if `before` is 0.
fn last(before: usize) -> Option<u32> {
    before
        .checked_sub(1)
        .and_then(|index| u32::try_from(index).ok())
}

fn two_operands(found: &str) -> Mistake {
    Mistake::WrongValue {
        value: found.to_string(),
        expected: "a partial result: [k,m], its first and last operand".into(),
    }
}

/// `link` and `part`, or `merge`, `part` and `split`. The part of a message goes without saying.
pub(super) fn write_plain(out: &mut String, platform: &Platform, task: Task, message: bool) {
    let _ = match task {
        Task::Send { link, .. } => write!(out, "\"link\":{link}"),
        Task::Merge { node, .. } => write!(out, "\"merge\":{}", name(platform, node)),
    };
    let part = task.part();
    if !message || part != Interval::single(0) {
        let _ = write!(out, ",\"part\":[{},{}]", part.first, part.last);
    }
    if let Task::Merge { split, .. } = task {
        let _ = write!(out, ",\"split\":{split}");
    }
}

/// A task as [`Tasks::task`] reads it, without the braces, after `before` earlier tasks.
pub(super) fn write(
    out: &mut String,
    platform: &Platform,
    before: usize,
    task: Task,
    message: bool,
) {
    write_plain(out, platform, task, message);
    let input = |out: &mut String, key: &str, input: Option<u32>| {
        let _ = match input {
            Some(input) => write!(out, ",\"{key}\":{input}"),
            None => write!(out, ",\"{key}\":null"),
        };
    };
    match task {
        Task::Send { after, .. } if after == last(before) => {}
        Task::Send { after, .. } => input(out, "after", after),
        Task::Merge { left, right, .. } => {
            input(out, "left", left);
            input(out, "right", right);
        }
    }
}
