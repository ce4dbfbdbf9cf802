//! Tasks by name, as the figures and slides write them: `1 -> 2: v[1,1]` and `1: T[1,1,2]`.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use num_traits::Zero;
use oneport::plan::{Interval, Pattern, Task, TaskRates};
use oneport::watch::Watch;
use oneport::{NodeId, Platform, Rational};
use oneport_extract::trees::{Reduction, cancel_circulations, extract};

use crate::cases::{self, Case};
use crate::rows::Value;

/// Frequency of every task: the application `A` of RR-4872, section 4.2. Absent means never.
pub type Rates = BTreeMap<Task, Rational>;

/// A partial result at a node: the couple (message, location) of section 4.3.
pub type Holding = (Interval, NodeId);

/// Target and participants of a reduce.
///
/// # Errors
/// The collective is not a reduction.
pub fn ends(case: &Case) -> Result<(NodeId, &[NodeId])> {
    match &case.collective.cast()[..] {
        &[&[target], participants] if case.collective.combines() => Ok((target, participants)),
        _ => anyhow::bail!("{}: not a reduce", case.name),
    }
}

/// Whether a value is unlimited at a node: `v[i,i]` at its owner.
pub fn owns(participants: &[NodeId], (part, node): Holding) -> bool {
    part.first == part.last && participants.get(part.first) == Some(&node)
}

/// Inputs and output of a task.
pub fn flow(platform: &Platform, task: Task) -> (Vec<Holding>, Holding) {
    match task {
        Task::Send { link, part, .. } => {
            let ends = platform.link(link);
            (vec![(part, ends.from)], (part, ends.to))
        }
        Task::Merge {
            node, part, split, ..
        } => (
            <[Interval; 2]>::from(part.split(split))
                .map(|half| (half, node))
                .to_vec(),
            (part, node),
        ),
    }
}

/// `1 -> 2: v[1,1]`, `1: T[1,1,2]`.
pub fn name(platform: &Platform, task: Task) -> String {
    match task {
        Task::Send { link, part, .. } => {
            format!(
                "{}: v[{},{}]",
                platform.link_name(link),
                part.first,
                part.last
            )
        }
        Task::Merge {
            node, part, split, ..
        } => {
            format!(
                "{}: T[{},{split},{}]",
                platform.name(node),
                part.first,
                part.last
            )
        }
    }
}

/// The task of this name.
///
/// # Errors
/// The text names no task of the platform.
pub fn parse(platform: &Platform, text: &str) -> Result<Task> {
    let (holding, what) = text
        .split_once(": ")
        .with_context(|| format!("'{text}' has no ': '"))?;
    let (kind, numbers) = what
        .split_once('[')
        .with_context(|| format!("'{text}' has no '['"))?;
    let numbers = numbers
        .trim_end_matches(']')
        .split(',')
        .map(str::parse::<usize>);
    let numbers: Vec<usize> = numbers
        .collect::<Result<_, _>>()
        .with_context(|| text.to_string())?;
    match (kind, numbers.as_slice()) {
        ("v", &[first, last]) => Ok(Task::send(
            cases::link(platform, holding)?,
            Interval { first, last },
        )),
        ("T", &[first, split, last]) => Ok(Task::merge(
            cases::node(platform, holding)?,
            Interval { first, last },
            split,
        )),
        _ => anyhow::bail!("'{text}' is neither like '1 -> 2: v[1,1]' nor like '1: T[1,1,2]'"),
    }
}

/// A reduction tree from the names of its tasks, each after its inputs.
pub fn tree(platform: &Platform, names: &[&str]) -> Result<Pattern> {
    Ok(of_tasks(
        names
            .iter()
            .map(|text| parse(platform, text))
            .collect::<Result<_>>()?,
    ))
}

/// A reduction tree of operands in their own order.
pub fn of_tasks(tasks: Vec<Task>) -> Pattern {
    Pattern::tree(0, None, tasks)
}

/// Rates from a table of names.
pub fn rates(platform: &Platform, table: &Value) -> Result<Rates> {
    table
        .table()?
        .into_iter()
        .map(|(text, rate)| Ok((parse(platform, text)?, rate.clone())))
        .collect()
}

/// Rates as a table of names.
pub fn by_name(platform: &Platform, rates: &Rates) -> Value {
    Value::Table(
        rates
            .iter()
            .map(|(&task, rate)| (name(platform, task), rate.clone().into()))
            .collect(),
    )
}

/// `sum w(T) chi_T`: the tasks of weighted trees in total.
pub fn sum<'a>(trees: impl IntoIterator<Item = (&'a Pattern, &'a Rational)>) -> Rates {
    let mut rates = Rates::new();
    for (tree, weight) in trees {
        for task in &tree.tasks {
            *rates.entry(task.alone()).or_default() += weight;
        }
    }
    rates
}

/// The trees of a reduction, with their weights.
pub fn trees(
    patterns: &[oneport::plan::WeightedPattern],
) -> impl Iterator<Item = (&Pattern, &Rational)> {
    patterns.iter().map(|one| (&one.pattern, &one.weight))
}

/// A tree as a weighted pattern.
pub fn weighted(tree: Pattern, weight: Rational) -> oneport::plan::WeightedPattern {
    oneport::plan::WeightedPattern {
        pattern: tree,
        weight,
    }
}

/// Rates as our extraction takes them.
pub fn task_rates(rates: &Rates) -> TaskRates {
    let mut found = TaskRates::default();
    for (&task, rate) in rates {
        found.add(task, rate);
    }
    found
}

/// The trees that our extraction makes of rates, with their weights.
///
/// # Errors
/// Rates of no such reduction.
pub fn extracted(
    case: &Case,
    throughput: &Rational,
    rates: &Rates,
) -> Result<Vec<(Pattern, Rational)>> {
    let (target, owners) = ends(case)?;
    let reduction = Reduction {
        platform: &case.platform,
        owners,
        target,
        commutative: false,
    };
    let found = extract(
        &reduction,
        throughput,
        &task_rates(rates),
        &Watch::unlimited(),
    )?;
    Ok(found
        .trees
        .into_iter()
        .map(|(weight, tree)| (tree, weight))
        .collect())
}

/// Rates without their circulations.
pub fn without_circulations(case: &Case, rates: &Rates) -> Rates {
    let mut left = task_rates(rates);
    cancel_circulations(&case.platform, &mut left);
    rates
        .keys()
        .map(|&task| (task, left.of_mut(task).clone()))
        .filter(|(_, rate)| !rate.is_zero())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() -> Result<()> {
        let platform = cases::platform("0 1", &[("0", "1", "1")])?;
        for text in ["0 -> 1: v[0,0]", "1: T[0,0,1]"] {
            assert_eq!(name(&platform, parse(&platform, text)?), text);
        }
        for wrong in [
            "1 -> 0: v[0,0]",
            "2: T[0,0,1]",
            "1: T[0,1]",
            "1: v[0,0,1]",
            "1 T[0,0,1]",
            "1: T[0,a,1]",
        ] {
            assert!(parse(&platform, wrong).is_err(), "{wrong}");
        }
        Ok(())
    }
}
