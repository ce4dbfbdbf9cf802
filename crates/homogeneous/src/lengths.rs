//! The lengths of a strategy for all numbers of values at once.

use oneport_plan::Concurrency;
use oneport_platform::Rational;

use crate::strategy::{check, written};
use crate::time::{Pair, Scaled, Time};
use crate::{EqualCosts, Error, Reduce, Strategy, Tie};

/// Entry `n - 1` is [`Reduce::length`] of `n` values without a limit, for `n` from 1 to `most`.
///
/// Without its last delivery, the tree for `n` values is the tree for `n - 1`, under every rule for ties (RR-7898,
/// Algorithm 1 adds processors one by one). One more processor changes the dates of the processors above it alone, and
/// each of them has O(log n) children. So all lengths together take O(n log^2 n) time and O(n) memory. Separate runs
/// take O(n^2). Chain and flat: a closed form for each.
///
/// # Errors
/// No values. More than [`MOST_WRITTEN`](crate::MOST_WRITTEN) values.
pub fn lengths(
    most: u64,
    costs: &EqualCosts,
    strategy: Strategy,
    tie: Tie,
) -> Result<Vec<Rational>, Error> {
    check(most, strategy, Concurrency::Unlimited)?;
    let count = written(most)?;
    if matches!(strategy, Strategy::Chain | Strategy::Flat) {
        return (1..=most)
            .map(|values| Reduce::of(values, costs).strategy(strategy).length())
            .collect();
    }
    let scaled = Scaled::new(costs);
    let question = Reduce::of(most, costs).strategy(strategy).tie(tie);
    let receivers = question.receivers(count, &scaled);
    let machine = scaled.pair::<u64>().map(|pair| growing(&receivers, &pair));
    // The lengths ascend, so the last shows whether any was cut off.
    let trusted = machine.filter(|lengths| lengths.last().is_some_and(|last| !last.saturated()));
    Ok(match trusted {
        Some(lengths) => lengths
            .iter()
            .map(|length| scaled.rational(length))
            .collect(),
        None => growing(&receivers, &scaled.big())
            .iter()
            .map(|length| scaled.rational(length))
            .collect(),
    })
}

/// The lengths of all prefixes of a list of receivers.
fn growing<N: Time>(receivers: &[u32], pair: &Pair<N>) -> Vec<N> {
    let mut complete = vec![N::zero(); receivers.len()];
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); receivers.len()];
    let mut lengths = vec![N::zero()];
    for (child, &receiver) in receivers.iter().enumerate().skip(1) {
        children[receiver as usize].push(child as u32);
        let mut above = receiver as usize;
        loop {
            complete[above] = completed(&children[above], &complete, pair);
            if above == 0 {
                break;
            }
            above = receivers[above] as usize;
        }
        lengths.push(complete[0].clone());
    }
    lengths
}

/// When a processor has merged all its children (Proposition 3): they arrive in reverse order of delivery.
fn completed<N: Time>(children: &[u32], complete: &[N], pair: &Pair<N>) -> N {
    let (mut port, mut done) = (N::zero(), N::zero());
    for &child in children.iter().rev() {
        port = N::max(port, complete[child as usize].clone()).plus(&pair.transfer);
        done = N::max(done, port.clone()).plus(&pair.compute);
    }
    done
}
