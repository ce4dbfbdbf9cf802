//! Work by task and processor, `w(P_i, T[k,l,m])` of RR-4872: a list of entries, in plans and in separate files.

use std::fmt::Write as _;

use num_traits::{ToPrimitive, Zero};
use oneport_plan::{Interval, MergeTask, TaskTable};
use oneport_platform::{NodeId, Platform, Rational};

use crate::error::FormatError;
use crate::json::{Json, need};
use crate::native::quote;
use crate::nodes::find;
use crate::number::{natural, rational};

/// Whether a list holds entries, and not rows of a table: its first element is an object.
pub(crate) fn are_entries(value: &Json<'_, '_>) -> Result<bool, FormatError> {
    if value.opening() != Some(b'[') {
        return Ok(false);
    }
    let mut first = None;
    value.each(|_, entry| {
        first = first.or(entry.opening());
        Ok(())
    })?;
    Ok(first == Some(b'{'))
}

/// The entries of a list. Linear in it, apart from the numbers.
pub(crate) fn read(list: &Json<'_, '_>, platform: &Platform) -> Result<TaskTable, FormatError> {
    let mut table = TaskTable::default();
    list.each(|_, entry| read_entry(&entry, platform, &mut table))?;
    Ok(table)
}

fn read_entry(
    entry: &Json<'_, '_>,
    platform: &Platform,
    table: &mut TaskTable,
) -> Result<(), FormatError> {
    let [task, node, work, time] = entry.object(["task", "node", "work", "time"])?;
    let task = read_task(&need(entry, task, "task", "the merge, [k, l, m]")?)?;
    let node = node
        .map(|name| Ok((find(&name, platform)?, name)))
        .transpose()?;
    let (key, amount) = match (work, time) {
        (Some(work), None) => ("work", work),
        (None, Some(time)) => ("time", time),
        _ => return Err(entry.wrong("an entry with either \"work\" or \"time\"")),
    };
    let found = optional(&amount)?;
    let twice = |what: String| entry.wrong(format!("one entry for {what}"));
    let Some((node, name)) = node else {
        let Some(found) = found.filter(|_| key == "work") else {
            return Err(entry.wrong("a node: a time, and null, are those of one node"));
        };
        let before = table.everywhere.insert(task, found);
        return before.map_or(Ok(()), |_| Err(twice(format!("{task} at every processor"))));
    };
    let Some(compute) = platform.node(node).merge_time() else {
        return Err(name.wrong("a processor: routers merge nothing"));
    };
    let timed = key == "time" && found.as_ref().is_some_and(|found| !found.is_zero());
    if timed && compute.is_zero() {
        return Err(amount.wrong("0, or \"work\": merges take no time there (reduces = true)"));
    }
    let found = found.map(|found| if timed { found / compute } else { found });
    let before = table.at.insert((task, node), found);
    before.map_or(Ok(()), |_| {
        Err(twice(format!("{task} at '{}'", platform.name(node))))
    })
}

/// `[k, l, m]` with `k <= l < m`.
fn read_task(value: &Json<'_, '_>) -> Result<MergeTask, FormatError> {
    let wrong = || value.wrong("a merge [k, l, m] with k <= l < m, operands counted from 0");
    let mut numbers: Vec<usize> = Vec::new();
    value.each(|_, number| {
        numbers.push(natural(number)?.to_usize().ok_or_else(wrong)?);
        Ok(())
    })?;
    match numbers[..] {
        [first, split, last] if first <= split && split < last => {
            Ok(MergeTask::new(Interval { first, last }, split))
        }
        _ => Err(wrong()),
    }
}

/// A number that is not negative, or `null`.
fn optional(value: &Json<'_, '_>) -> Result<Option<Rational>, FormatError> {
    if value.opening() == Some(b'n') {
        Ok(None)
    } else {
        rational(*value).map(Some)
    }
}

/// The table as [`read`] reads it, an entry a line.
pub(crate) fn write(out: &mut String, table: &TaskTable, platform: &Platform) {
    out.push('[');
    for (index, (task, node, work)) in table.entries().enumerate() {
        let MergeTask { part, split } = task;
        let comma = if index == 0 { "" } else { "," };
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "{comma}\n    {{\"task\": [{}, {split}, {}]",
            part.first, part.last
        );
        if let Some(node) = node {
            let _ = write!(out, ", \"node\": {}", name(platform, node));
        }
        let _ = match work {
            Some(work) => write!(out, ", \"work\": \"{work}\"}}"),
            None => write!(out, ", \"work\": null}}"),
        };
    }
    out.push_str("\n  ]");
}

/// A node's name. `null`, which readers refuse, of one that the platform does not have.
fn name(platform: &Platform, node: NodeId) -> String {
    platform
        .nodes()
        .get(node.index())
        .map_or_else(|| "null".to_string(), |node| quote(&node.name))
}
