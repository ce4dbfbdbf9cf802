//! One reduction in words: its bound, its transfers.

use std::fmt::Write as _;

use oneport::plan::{Broadcast, Proof, Reduction, SenderWeights};
use oneport::referee::Recheck;
use oneport::{Rational, Status};

use crate::words::numbers::{percent, readable};

/// Limit on the transfers printed as text.
const LINES: usize = 24;

/// A length with its bound and proof: `12 (optimal: ...)`. A bound that the referee has not `proved` is named, and
/// nothing follows from it.
pub fn length(length: &Rational, lower_bound: &Rational, proved: bool, proof: &str) -> String {
    if proved && length == lower_bound {
        return format!("{} ({}: {proof})", readable(length), Status::Optimal.name());
    }
    let share = if *lower_bound > Rational::default() {
        format!(
            ", {} above it",
            percent(&((length - lower_bound) / lower_bound))
        )
    } else {
        String::new()
    };
    let (length, bound) = (readable(length), readable(lower_bound));
    let feasible = Status::Feasible.name();
    if proved {
        format!("{length} ({feasible}; none is shorter than {bound} ({proof}){share})")
    } else {
        format!("{length} ({feasible}; a bound that is not proved here: {bound} ({proof}){share})")
    }
}

/// The proof that no schedule is shorter, and whether the referee repeated it.
pub fn proof(proof: Option<&Proof>, recheck: &Recheck) -> String {
    let what = match proof {
        Some(Proof::Counting) => "less time combines fewer values".to_string(),
        Some(Proof::LimitedTransfers) => "Theorem 7 of RR-7898".to_string(),
        Some(Proof::Prices(prices)) => format!("prices of {} slots", prices.prices.len()),
        Some(Proof::Weights(weights)) => weighed(weights),
        Some(Proof::Levels) => "no numbers of fast senders per level make it shorter".to_string(),
        Some(Proof::SlowestFirst) => {
            "slowest node first, Theorems 1 and 4 of Liu-Kuo-Wang 2009".to_string()
        }
        Some(Proof::Lowered { proof, .. }) => match &**proof {
            Proof::Weights(weights) => {
                format!("{}, their times lowered to a grid", weighed(weights))
            }
            _ => "the optimum for times lowered until a theorem gives it".to_string(),
        },
        Some(Proof::Exhaustion { states }) => format!("exhaustive search of {states} states"),
        None if *recheck == Recheck::Proved => "fewer values can be combined sooner".to_string(),
        None => "stated, without a proof".to_string(),
    };
    match recheck {
        Recheck::Proved => format!("{what}; the referee repeated it"),
        Recheck::Unrepeated { why } => format!("{what}; not repeated by the referee: {why}"),
    }
}

/// The bound of a broadcast: with equal costs that of the reduction which it is backwards.
pub fn of_broadcast(proof: Option<&Proof>, recheck: &Recheck) -> String {
    match proof {
        Some(_) => format!("read backwards: {}", self::proof(proof, recheck)),
        None => spread(recheck),
    }
}

/// The bound of an all-reduction: that of a reduction into this processor, else of broadcasts.
pub fn of_all_reduce(into: Option<u32>, proof: Option<&Proof>, recheck: &Recheck) -> String {
    match (into, proof) {
        (Some(into), Some(_)) => format!(
            "it contains a reduction into processor {into}; {}",
            self::proof(proof, recheck)
        ),
        _ => format!(
            "it contains a broadcast from every processor; {}",
            spread(recheck)
        ),
    }
}

fn spread(recheck: &Recheck) -> String {
    let what = "alike receivers, and rates transfer by transfer";
    match recheck {
        Recheck::Proved => format!("{what}; the referee repeated it"),
        Recheck::Unrepeated { why } => format!("{what}; not repeated by the referee: {why}"),
    }
}

/// The first transfers of a broadcast, its dates counted from another.
pub fn received(out: &mut String, broadcast: &Broadcast, from: &Rational) {
    let receives = (0..broadcast.senders.len()).filter(|&i| i != broadcast.root as usize);
    let line = |i: usize| {
        (
            broadcast.starts.get(i).map(|start| start + from),
            format!("{} to {i}", broadcast.senders[i]),
        )
    };
    lines(out, receives.map(line).collect());
}

/// How weights prove a bound.
fn weighed(weights: &SenderWeights) -> String {
    match weights.lists.len() {
        1 => "weights of senders".to_string(),
        lists => format!("{lists} lists of weights of senders"),
    }
}

/// The first transfers of a reduction in the order of their dates.
pub fn transfers(out: &mut String, reduction: &Reduction) {
    let sends = (0..reduction.receivers.len()).filter(|&i| i != reduction.root as usize);
    let line = |i: usize| {
        (
            reduction.starts.get(i),
            format!("{i} to {}", reduction.receivers[i]),
        )
    };
    lines(out, sends.map(line).collect());
}

/// The first of these in the order of their dates.
fn lines(out: &mut String, mut transfers: Vec<(Option<Rational>, String)>) {
    transfers.sort_by(|a, b| a.0.cmp(&b.0));
    for (start, what) in transfers.iter().take(LINES) {
        let _ = write!(
            out,
            "\n  at {:>8}  {what}",
            readable(&start.clone().unwrap_or_default())
        );
    }
    if transfers.len() > LINES {
        let _ = write!(out, "\n  ... {} more transfers", transfers.len() - LINES);
    }
}
