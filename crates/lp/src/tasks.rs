//! How many tasks every answer to a problem has at least.

use oneport_plan::{Block, Demand, Problem};

/// Most tasks of an answer, whatever the limits: some 5 gigabytes.
pub const MOST: u64 = 1 << 25;
/// Whether some answer is not too large in itself.
pub fn is_possible(problem: Problem<'_>) -> bool {
    least_tasks(problem) <= MOST
}

/// The fewest tasks that the patterns of an answer have together: each goal of a demand is sent to once at least, and
/// each of several operands leaves its owner, but for one that may stay.
pub fn least_tasks(problem: Problem<'_>) -> u64 {
    let of_block = |block: Block<'_>| {
        let Some(demand) = block.demand(0) else { return 0 };
        let (operands, goals) = (demand.operands.len() as u64, demand.targets().len() as u64);
        (block.count as u64).saturating_mul(goals.max(1) + operands.saturating_sub(1))
    };
    if problem.collective().custom().is_empty() {
        return problem.blocks().into_iter().map(of_block).fold(0, u64::saturating_add);
    }
    let of_demand = |demand: Demand<'_>| demand.targets().len().max(1) + demand.operands.len().saturating_sub(1);
    problem.demands().map(of_demand).sum::<usize>() as u64
}
