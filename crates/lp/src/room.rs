//! The largest answer that the time and memory left allow, computed before anything is built.
//!
//! Every task of an answer is rounded, scheduled, checked and written after it was found. So an answer that is found
//! at the last moment comes too late, and is too large, if it has many.

use oneport_plan::{Block, Demand, Problem};
use oneport_watch::{Limit, Watch};

/// Limit: tasks of an answer, some 5 GB.
const MOST: u64 = 1 << 25;
/// Fact: bytes of a task when it is checked: in the steady state, in the schedule, and in the checks' notes.
const BYTES: u64 = 150;
/// Tasks per millisecond of the program's time. The stages after it have the same time again. Trades answers with a
/// schedule for lateness. Not measured alone: an all-gather on a star of 1024 takes 3.5 s for 1 million tasks.
const A_MILLISECOND: u64 = 500;
/// Tasks for which there is always room. Trades some megabytes for answers with a schedule. Not measured.
const FEW: u64 = 1 << 14;

/// How many tasks there is room for, and the limit that sets this number.
pub fn tasks(watch: &Watch) -> (u64, Option<Limit>) {
    let left = watch.left();
    let time = left.time.map(|time| {
        (
            u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
            Limit::Time,
        )
    });
    let time =
        time.map(|(milliseconds, limit)| (milliseconds.saturating_mul(A_MILLISECOND), Some(limit)));
    let memory = left.bytes.map(|bytes| (bytes / BYTES, Some(Limit::Memory)));
    let least = |least: (u64, Option<Limit>), next: (u64, Option<Limit>)| {
        if next.0 < least.0 { next } else { least }
    };
    let (room, limit) = [time, memory]
        .into_iter()
        .flatten()
        .fold((MOST, None), least);
    (room.max(FEW), limit)
}

/// Whether an answer of the least number of tasks is below the limit.
pub(crate) fn is_possible(problem: &Problem) -> bool {
    least_tasks(problem) <= MOST
}

/// Lower bound on the tasks of all patterns of an answer: each goal of a demand is sent to at least once, and each of
/// several operands leaves its owner, except one that may stay.
pub fn least_tasks(problem: &Problem) -> u64 {
    let of_demand = |demand: Demand<'_>| {
        let (operands, targets) = (demand.operands, demand.targets());
        // A message that travels alone is not sent to its owner.
        let own = operands.len() == 1 && targets.contains(&operands[0]);
        targets.len().max(1) + operands.len().saturating_sub(1) - usize::from(own)
    };
    if problem.collective().custom().is_empty() {
        let of_block = |block: Block<'_>| {
            block.demand(0).map_or(0, |demand| {
                (block.count as u64).saturating_mul(of_demand(demand) as u64)
            })
        };
        return problem
            .blocks()
            .into_iter()
            .map(of_block)
            .fold(0, u64::saturating_add);
    }
    problem.demands().map(of_demand).sum::<usize>() as u64
}
