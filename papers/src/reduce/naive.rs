//! Section 4.3's naive schedule: three reductions of figure 6(b), which the next three follow a period later.
//!
//! All durations, and the period, are multiples of 1/2. A choice of the first task on each resource leaves inequalities
//! between two dates and such multiples. So the earliest dates are multiples of 1/2, and trying these covers all
//! schedules.

use anyhow::{Result, bail};
use num_traits::Zero;
use oneport::Rational;
use oneport::plan::Resource;
use oneport::plan::Task;
use oneport_numbers::ratio;

use super::tasks;
use super::toy::{AT_1, AT_2, Toy};
use crate::numbers::whole;
use crate::rows::{Finding, Value};

/// A task in halves of the unit of time: its duration, and the resources it occupies.
type Job = (usize, Vec<Resource>);

/// Busy resources in each half.
type Busy = Vec<(usize, Resource)>;

/// The reductions still to be placed, and whether dates are taken modulo the period.
struct Table {
    period: Option<usize>,
    length: usize,
    /// Dates are multiples of this many halves.
    grain: usize,
}

impl Table {
    /// Whether all reductions can be placed. Each is a list of jobs in sequence.
    fn has_room(&self, reductions: &[Vec<Job>], date: usize, busy: &mut Busy) -> bool {
        let Some((jobs, others)) = reductions.split_first() else {
            return true;
        };
        let Some(((length, needs), later)) = jobs.split_first() else {
            return self.has_room(others, 0, busy);
        };
        let rest: usize = later.iter().map(|(length, _)| length).sum();
        let mut start = date;
        while start + length + rest <= self.length {
            let halves = (start..start + length)
                .map(|half| self.period.map_or(half, |period| half % period));
            let wanted: Busy = halves
                .flat_map(|half| needs.iter().map(move |&port| (half, port)))
                .collect();
            if wanted.iter().all(|one| !busy.contains(one)) {
                let before = busy.len();
                busy.extend(wanted);
                let left: Vec<Vec<Job>> = std::iter::once(later.to_vec())
                    .chain(others.iter().cloned())
                    .collect();
                if self.has_room(&left, start + length, busy) {
                    return true;
                }
                busy.truncate(before);
            }
            start += self.grain;
        }
        false
    }
}

/// The three reductions. In columns of whole units every task takes a column.
fn reductions(toy: &Toy, columns: bool) -> Result<Vec<Vec<Job>>> {
    let platform = &toy.case.platform;
    let job = |task: &Task| {
        let (time, needs) = match *task {
            Task::Send { link, .. } => (
                platform.link(link).cost.clone(),
                Resource::uses(platform, link)
                    .map(|used| used.resource)
                    .collect(),
            ),
            Task::Merge { node, .. } => (
                platform
                    .node(node)
                    .compute
                    .clone()
                    .unwrap_or_else(Rational::zero),
                vec![Resource::Compute(node)],
            ),
        };
        let halves = usize::try_from((time * whole(2)).to_integer())?;
        Ok((if columns { 2 } else { halves }, needs))
    };
    [AT_1, AT_2, AT_2]
        .iter()
        .map(|names| {
            tasks::tree(platform, names)?
                .tasks
                .iter()
                .map(job)
                .collect()
        })
        .collect()
}

/// The least time in halves from the first transfer to the last merge.
fn least(pipelined: bool, columns: bool) -> Result<usize> {
    let toy = Toy::load()?;
    let reductions = reductions(&toy, columns)?;
    let period = usize::try_from(toy.period() * 2)?;
    for length in 1..=10 * period {
        let table = Table {
            period: pipelined.then_some(period),
            length,
            grain: if columns { 2 } else { 1 },
        };
        if table.has_room(&reductions, 0, &mut Vec::new()) {
            return Ok(length);
        }
    }
    bail!("no placement within ten periods")
}

/// The least time from the first transfer to the last merge, no message cut.
pub fn shortest(pipelined: bool) -> Result<Rational> {
    Ok(ratio(least(pipelined, false)?, 2))
}

/// The least times: pipelined, not pipelined, and pipelined in columns of whole units.
pub fn lengths() -> Result<Finding> {
    let columns = ratio(least(true, true)?, 2);
    let found = [shortest(true)?, shortest(false)?, columns];
    Ok(Finding::value(Value::List(found.map(Value::Number).to_vec()))
        .note("all placements tried; the valid figure 6(d) below is one of the shortest that are pipelined"))
}
