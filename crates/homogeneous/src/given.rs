//! A given tree with its earliest dates (RR-7898, proposition 3).
//!
//! The proposition gives the date at which the value of processor `i` with `m` children is complete:
//! `t_i = max_j (t_i^j + d + (m - j) max(d, c) + c)`, `t_i^j` being the **j-th smallest** of its children's dates. The
//! paper says the j-th largest, which a chain and a star in one tree refute (`docs/errata.md`).

use oneport_plan::Reduction;
use oneport_platform::{Rational, whole};

use crate::reduce::written_down;
use crate::strategy::written;
use crate::time::{Scaled, Time};
use crate::{EqualCosts, Error, tree};

/// The earliest schedule of a tree: processor `i` sends to `receivers[i]`, the root to itself. Values arrive in the
/// order of their readiness. No other order is shorter, so the operator must be commutative, unless neighbours happen
/// to meet. O(n log n).
///
/// # Errors
/// No values, too many, a receiver that does not exist, no root or several, processors that do not reach the root.
pub fn reduce_tree(receivers: &[u32], costs: &EqualCosts) -> Result<Reduction, Error> {
    let order = parents_first(receivers)?;
    let mut position = vec![0_u32; order.len()];
    for (index, &processor) in order.iter().enumerate() {
        position[processor as usize] = index as u32;
    }
    let within: Vec<u32> = order
        .iter()
        .map(|&processor| position[receivers[processor as usize] as usize])
        .collect();
    let scaled = Scaled::new(costs);
    let zero = |count: usize| vec![0_u64; count];
    let machine = scaled
        .pair::<u64>()
        .map(|pair| tree::earliest_released(&within, zero(within.len()), &pair));
    Ok(match machine.filter(|run| !run.length.saturated()) {
        Some(run) => written_down(within, &order, run, costs, &scaled),
        None => {
            let ready = vec![Time::zero(); within.len()];
            let run = tree::earliest_released(&within, ready, &scaled.big());
            written_down(within, &order, run, costs, &scaled)
        }
    })
}

/// The length of a tree by the formula of proposition 3, without a schedule. O(n log n).
///
/// # Errors
/// Those of [`reduce_tree`].
pub fn tree_length(receivers: &[u32], costs: &EqualCosts) -> Result<Rational, Error> {
    let order = parents_first(receivers)?;
    let step = std::cmp::max(costs.transfer(), costs.compute());
    let mut children: Vec<Vec<Rational>> = vec![Vec::new(); receivers.len()];
    let mut last = Rational::default();
    for &processor in order.iter().rev() {
        let mut dates = std::mem::take(&mut children[processor as usize]);
        dates.sort();
        let count = dates.len();
        let ends = dates
            .into_iter()
            .zip(1..)
            .map(|(date, position): (Rational, usize)| {
                date + costs.transfer() + step * whole(count - position) + costs.compute()
            });
        last = ends.max().unwrap_or_default();
        children[receivers[processor as usize] as usize].push(last.clone());
    }
    Ok(last)
}

/// All processors, each after its receiver. Of one processor's senders the nearest come first. Senders that are ready
/// at the same date are merged in this order, which keeps operands together if the tree can.
fn parents_first(receivers: &[u32]) -> Result<Vec<u32>, Error> {
    match receivers.len() as u64 {
        0 => return Err(Error::NoValues),
        values => written(values)?,
    };
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); receivers.len()];
    let mut root = None;
    for (processor, &receiver) in receivers.iter().enumerate() {
        let processor = processor as u32;
        if receiver == processor {
            if let Some(other) = root.replace(processor) {
                return Err(Error::NoTree(format!(
                    "processors {other} and {processor} both have no receiver"
                )));
            }
            continue;
        }
        match children.get_mut(receiver as usize) {
            Some(list) => list.push(processor),
            None => {
                let last = receivers.len() - 1;
                let why = format!(
                    "processor {processor} sends to {receiver}; the last processor is {last}"
                );
                return Err(Error::NoTree(why));
            }
        }
    }
    let Some(root) = root else {
        return Err(Error::NoTree(
            "every processor sends; one, the root, must not".into(),
        ));
    };
    let mut order = vec![root];
    let mut next = 0;
    while let Some(&processor) = order.get(next) {
        let mut senders = std::mem::take(&mut children[processor as usize]);
        senders.sort_by_key(|sender| sender.abs_diff(processor));
        order.extend(senders);
        next += 1;
    }
    if order.len() < receivers.len() {
        let mut reached = vec![false; receivers.len()];
        for &processor in &order {
            reached[processor as usize] = true;
        }
        let lost = reached.iter().position(|reached| !reached).unwrap_or(0);
        return Err(Error::NoTree(format!(
            "processor {lost} never reaches the root, processor {root}: it sends in a circle"
        )));
    }
    Ok(order)
}
