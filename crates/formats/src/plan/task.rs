//! Tasks of reduction trees and schemes, each after those it depends on.

use std::collections::BTreeSet;
use std::fmt::{Display, Write as _};

use oneport_plan::{Interval, Pattern, SchemeTask, Task};
use oneport_platform::{LinkId, NodeId, Platform};

use super::certificate::link_number;
use super::demand::Demands;
use super::question::find;
use super::write::name;
use crate::error::{FormatError, Problem};
use crate::json::{Json, need};

/// What the tasks of one pattern refer to.
#[derive(Clone, Copy)]
pub(super) struct Tasks<'c> {
    pub platform: &'c Platform,
    pub demands: &'c Demands<'c>,
    /// The demand that is carried out, and what is known of it.
    pub commodity: usize,
    pub operands: usize,
    pub commutative: bool,
}

/// The values of a task that trees and schemes have in common.
enum Fields<'a, 'e> {
    Transfer(LinkId, Interval),
    Merge { node: NodeId, part: Interval, split: Json<'a, 'e> },
}

impl Tasks<'_> {
    /// Participants in operand order, by name: each at most once.
    pub fn order(&self, list: &Json<'_, '_>) -> Result<Vec<usize>, FormatError> {
        if !self.commutative {
            let why = "the operator is not commutative, so the participants' own order is the only one";
            return Err(list.fail(Problem::NotHere { key: "order", why }));
        }
        let mut order = Vec::new();
        let mut seen = BTreeSet::new();
        list.each(|_, value| {
            let node = find(&value, self.platform)?;
            let place = self.demands.participant(self.commodity, node);
            let place = place.ok_or_else(|| value.wrong("a participant"))?;
            if !seen.insert(place) {
                return Err(value.wrong("a participant that is not in the order yet; name each once"));
            }
            order.push(place);
            Ok(())
        })?;
        Ok(order)
    }

    /// A task of a reduction tree.
    pub fn task(&self, value: &Json<'_, '_>) -> Result<Task, FormatError> {
        let fields = value.object(["link", "merge", "part", "split"])?;
        self.plain(value, fields)
    }

    /// A task from the values of `link`, `merge`, `part` and `split`.
    pub fn plain(&self, value: &Json<'_, '_>, fields: [Option<Json<'_, '_>>; 4]) -> Result<Task, FormatError> {
        Ok(match self.fields(value, fields)? {
            Fields::Transfer(link, part) => Task::Transfer { link, part },
            Fields::Merge { node, part, split } => Task::Merge { node, part, split: self.operand(&split)? },
        })
    }

    /// A task of a scheme; `before` tasks stand before it.
    pub fn scheme_task(&self, value: &Json<'_, '_>, before: usize) -> Result<SchemeTask, FormatError> {
        let keys = ["link", "merge", "part", "split", "after", "left", "right"];
        let [link, merge, part, split, after, left, right] = value.object(keys)?;
        let input = |input, key, meaning| earlier(&need(value, input, key, meaning)?, "earlier task", before);
        match self.fields(value, [link, merge, part, split])? {
            Fields::Transfer(link, part) => {
                for (key, value) in [("left", left), ("right", right)] {
                    if let Some(value) = value {
                        return Err(value.fail(Problem::NotHere { key, why: "a transfer has one input, 'after'" }));
                    }
                }
                let after = input(after, "after", "the number of the task behind what is sent, or null for the owner")?;
                Ok(SchemeTask::Transfer { link, part, after })
            }
            Fields::Merge { node, part, split } => {
                if let Some(after) = after {
                    let why = "a merge has two inputs, 'left' and 'right'";
                    return Err(after.fail(Problem::NotHere { key: "after", why }));
                }
                let left = input(left, "left", "the number of the task behind the left part, or null for the owner")?;
                let right =
                    input(right, "right", "the number of the task behind the right part, or null for the owner")?;
                Ok(SchemeTask::Merge { node, part, split: self.operand(&split)?, left, right })
            }
        }
    }

    fn fields<'a, 'e>(
        &self,
        value: &Json<'a, '_>,
        [link, merge, part, split]: [Option<Json<'a, 'e>>; 4],
    ) -> Result<Fields<'a, 'e>, FormatError> {
        let interval = |part| self.part(&need(value, part, "part", "the partial result [k,m] that is moved or made")?);
        match (link, merge) {
            (Some(link), None) => {
                if let Some(split) = split {
                    let why = "a transfer moves one partial result";
                    return Err(split.fail(Problem::NotHere { key: "split", why }));
                }
                Ok(Fields::Transfer(link_number(&link, self.platform)?, interval(part)?))
            }
            (None, Some(node)) => {
                let node = find(&node, self.platform)?;
                let split = need(value, split, "split", "the last operand of the left part")?;
                Ok(Fields::Merge { node, part: interval(part)?, split })
            }
            (Some(_), Some(_)) => Err(value.fail(Problem::BothKeys("link", "merge"))),
            (None, None) => {
                let meaning = "the link of a transfer (or give 'merge', the node that computes)";
                Err(value.fail(Problem::MissingKey { key: "link", meaning }))
            }
        }
    }

    fn operand(&self, value: &Json<'_, '_>) -> Result<usize, FormatError> {
        value.place("operand", self.operands)
    }

    /// `[k,m]`: the places of two operands.
    fn part(&self, value: &Json<'_, '_>) -> Result<Interval, FormatError> {
        let mut ends = [None, None];
        value.each(|index, end| {
            let Some(place) = ends.get_mut(index) else { return Err(end.fail(two_operands("a third number"))) };
            *place = Some(self.operand(&end)?);
            Ok(())
        })?;
        let [Some(first), Some(last)] = ends else { return Err(value.fail(two_operands("a shorter list"))) };
        Ok(Interval { first, last })
    }
}

/// The number of one of the `count` tasks before this one, or null.
pub(super) fn earlier(value: &Json<'_, '_>, what: &'static str, count: usize) -> Result<Option<usize>, FormatError> {
    if value.is_null() { Ok(None) } else { value.place(what, count).map(Some) }
}

fn two_operands(found: &str) -> Problem {
    Problem::WrongValue {
        value: found.to_string(),
        expected: "a partial result: [k,m], its first and last operand".into(),
    }
}

/// `link`, or `merge` and `split`, and `part`.
pub(super) fn write_plain(out: &mut String, platform: &Platform, task: Task) {
    let _ = match task {
        Task::Transfer { link, part } => write!(out, "\"link\":{link},\"part\":[{},{}]", part.first, part.last),
        Task::Merge { node, part: Interval { first, last }, split } => {
            let node = name(platform, node);
            write!(out, "\"merge\":{node},\"part\":[{first},{last}],\"split\":{split}")
        }
    };
}

/// The tasks of a reduction tree or scheme as [`Tasks`] reads them, with their key.
pub(super) fn write(out: &mut String, platform: &Platform, pattern: &Pattern) {
    let input = |out: &mut String, key: &str, input: Option<usize>| {
        let _ = write!(out, ",\"{key}\":");
        write_input(out, input);
    };
    match pattern {
        Pattern::Reduction(tree) => objects(out, &tree.tasks, |out, task| write_plain(out, platform, *task)),
        Pattern::Scheme(scheme) => objects(out, &scheme.tasks, |out, task| match *task {
            SchemeTask::Transfer { link, part, after } => {
                write_plain(out, platform, Task::Transfer { link, part });
                input(out, "after", after);
            }
            SchemeTask::Merge { node, part, split, left, right } => {
                write_plain(out, platform, Task::Merge { node, part, split });
                input(out, "left", left);
                input(out, "right", right);
            }
        }),
        Pattern::Path(_) | Pattern::Arborescence(_) => {}
    }
}

fn objects<T>(out: &mut String, tasks: &[T], mut one: impl FnMut(&mut String, &T)) {
    out.push_str("\"tasks\": [");
    for (index, task) in tasks.iter().enumerate() {
        out.push_str(if index == 0 { "{" } else { ",{" });
        one(out, task);
        out.push('}');
    }
    out.push(']');
}

/// The number of an earlier task, or null.
pub(super) fn write_input(out: &mut String, input: Option<impl Display>) {
    let _ = match input {
        Some(input) => write!(out, "{input}"),
        None => write!(out, "null"),
    };
}
