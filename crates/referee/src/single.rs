//! Single reductions and broadcasts (Liu-Kuo-Wang 2009 and RR-7898): schedules checked date by date, and the arguments
//! why none is shorter repeated.
//!
//! No check depends on the method that made a schedule. A schedule is checked processor by processor, in integers over
//! the common denominator of all its numbers.

mod algorithm2;
mod answer;
mod count;
mod everywhere;
mod exhaustion;
mod follow;
mod levels;
mod one;
mod order;
mod prices;
mod released;
mod shortest;
mod slowest;
mod ticks;
mod tree;
mod weights;
mod written_schedule;

use oneport_plan::{Broadcast, Concurrency, Reduction, SingleCosts};
use oneport_platform::Rational;

pub use answer::{SingleAnswer, SingleClaim};
pub use everywhere::{check_all_reduce, check_single_broadcast};
pub use one::check_single;
pub use shortest::{Recheck, check_shortest};

use ticks::{Clock, Number};
use tree::Tree;
use written_schedule::Sheet;

use crate::Violation;
use crate::violation::{fault, shown};

/// Result of repeating an argument for a bound.
enum Finding {
    Proved,
    Unrepeated(String),
}

fn not_proved(bound: &Rational, why: String) -> Result<Finding, Violation> {
    Err(fault!(
        Proof,
        "the lower bound {} is not proved: {why}",
        shown(bound)
    ))
}

/// Checks the schedule of one reduction.
///
/// - Every list has one entry per processor. The receivers form a tree into the root. The root is its own receiver, and
///   its dates are 0. Costs are at least 0, times of senders are positive, no date is negative.
/// - A processor takes part in one transfer at a time. Windows may touch. A transfer of no time occupies nothing.
/// - A transfer starts when the sender's value is complete: its own value is there, and all merges (under
///   [`SingleCosts::PerSender`]: all receptions) have ended.
/// - Under [`SingleCosts::Equal`], a merge starts when its value has arrived and the receiver's own is there. It takes
///   `compute`. A processor runs one merge at a time, and may receive meanwhile. The merges, executed by date, combine
///   neighbours only: processor `i` holds operand `i`. Merges of one processor with equal dates are accepted if they
///   combine neighbours in some order. With release dates ([`Reduction::ready`]) the operator counts as commutative,
///   and every order is accepted.
/// - Under [`SingleCosts::PerSender`] the operator is commutative. Every processor sends once, after all its
///   receptions. So every processor reaches the root by a chain of windows that do not overlap (Liu-Kuo-Wang 2009,
///   section 2). A release date holds back the processor's own transfer, not its receptions.
/// - `length` is the date at which the last transfer or merge ends, or the date of the root's own value if that is
///   later.
/// - The limit (RR-7898, section 6) is kept.
///
/// O(n log n), in machine integers if the numbers fit.
///
/// # Errors
/// The first rule broken.
pub fn check_reduction(reduction: &Reduction, limit: Concurrency) -> Result<(), Violation> {
    let ordered = matches!(reduction.costs, SingleCosts::Equal { .. }) && reduction.ready.is_none();
    check_dated(reduction, limit, ordered)
}

/// Does the checks of [`check_reduction`]. `ordered`: the operands keep their order. It requires equal costs.
fn check_dated(reduction: &Reduction, limit: Concurrency, ordered: bool) -> Result<(), Violation> {
    let sheet = Sheet::of_reduction(reduction);
    let tree = sheet.tree()?;
    let clock = sheet.clock(&tree)?;
    if clock.is_small() {
        judge_reduction::<u128>(&sheet, &tree, &clock, limit, ordered)
    } else {
        judge_reduction::<num_bigint::BigUint>(&sheet, &tree, &clock, limit, ordered)
    }
}

fn judge_reduction<N: Number>(
    sheet: &Sheet<'_>,
    tree: &Tree,
    clock: &Clock,
    limit: Concurrency,
    ordered: bool,
) -> Result<(), Violation> {
    let run = sheet.run::<N>(tree, clock);
    follow::follow_reduction(&run)?;
    if let Some(merges) = run.works.as_ref().filter(|_| ordered) {
        order::check_order(tree, merges)?;
    }
    follow::check_limit(&run, limit, "receive")
}

/// Checks the schedule of one broadcast: the mirror image of [`check_reduction`].
///
/// - Lists, tree and numbers meet the conditions of a reduction. The root has the message at 0, every other processor
///   when its transfer ends.
/// - Under [`SingleCosts::Equal`], the sender prepares a transfer for `compute` once it has the message. The transfer
///   starts when it is prepared. A processor prepares one transfer at a time, and may send meanwhile. Under
///   [`SingleCosts::PerSender`] the transfer to processor `i` starts once its sender has the message, and takes the
///   sender's time. Only processors that send need a time.
/// - A processor takes part in one transfer at a time.
/// - `length` is the date of the last arrival.
/// - [`Concurrency::Transfers`] limits transfers, [`Concurrency::Reducers`] the processors that send.
///
/// O(n log n), in machine integers if the numbers fit.
///
/// # Errors
/// The first rule broken.
pub fn check_broadcast(broadcast: &Broadcast, limit: Concurrency) -> Result<(), Violation> {
    let sheet = Sheet::of_broadcast(broadcast);
    let tree = sheet.tree()?;
    let clock = sheet.clock(&tree)?;
    if clock.is_small() {
        judge_broadcast(&sheet.run::<u128>(&tree, &clock), limit)
    } else {
        judge_broadcast(&sheet.run::<num_bigint::BigUint>(&tree, &clock), limit)
    }
}

fn judge_broadcast<N: Number>(
    run: &written_schedule::WrittenSchedule<'_, N>,
    limit: Concurrency,
) -> Result<(), Violation> {
    follow::follow_broadcast(run)?;
    follow::check_limit(run, limit, "send")
}
