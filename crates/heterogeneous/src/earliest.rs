//! Earliest-possible schedules (Liu-Kuo-Wang 2009, section 3) and the choice of receivers (Lemma 1).
//!
//! A transfer needs two free processors: one sends, one receives. At the end the receiver is free again. So the `m`
//! senders of a sequence take `2m` free processors: the `m + 1` that are there at 0 and all that the transfers free but
//! the last. The two transfers that freed what a sender takes are its *predecessors*. Backwards they form a binary tree
//! whose root is the last of the sequence (when it starts, all others have ended).
//!
//! Free processors are taken in the order in which they became free. Any other choice gives the same dates: a start
//! depends on how many are free, not on which.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use num_bigint::BigInt;
use num_traits::Zero;
use oneport_numbers::Exact;
use oneport_plan::{Dates, Reduction, SingleCosts};
use oneport_platform::{Rational, whole};

use crate::integers::{Scaled, scale};
use crate::{Error, Processors};

/// Limit: processors of a schedule. Their indices have 32 bits.
pub const MOST_PROCESSORS: usize = u32::MAX as usize;

/// No predecessor.
const NONE: u32 = u32::MAX;

/// The earliest-possible schedule of a sequence of all senders, receivers as in Lemma 1. O(n log n).
///
/// Receivers: the sender that ends last sends to the destination. Of the predecessors of a sender one sends to it, the
/// other to its receiver. Dates are ticks of 64 bits if the sum of all times fits, rationals otherwise.
///
/// # Errors
/// A sequence that is not a permutation of [`Processors::senders`]. More than 2^32 - 1 processors.
pub fn earliest(processors: &Processors, sequence: &[usize]) -> Result<Reduction, Error> {
    check(processors, sequence)?;
    let n = processors.times().len();
    let destination = processors.destination();
    let (unit, ticks) = ticks_of(processors, sequence);
    let (predecessors, starts, length) = match ticks {
        Scaled::Small(ticks) => {
            let (starts, predecessors) = simulate(&ticks);
            let length = starts
                .last()
                .zip(ticks.last())
                .map_or(0, |(start, time)| start + time);
            let mut dates = vec![0; n];
            for (&sender, start) in sequence.iter().zip(starts) {
                dates[sender] = start;
            }
            (
                predecessors,
                Dates::Ticks {
                    unit: unit.clone(),
                    ticks: dates,
                },
                unit * date(length.into()),
            )
        }
        Scaled::Big(ticks) => {
            let (starts, predecessors) = simulate(&ticks);
            let length = starts
                .last()
                .zip(ticks.last())
                .map_or_else(BigInt::zero, |(start, time)| start + time);
            let mut dates = vec![Rational::zero(); n];
            for (&sender, start) in sequence.iter().zip(starts) {
                dates[sender] = &unit * date(start);
            }
            (predecessors, Dates::Exact(dates), unit * date(length))
        }
    };
    let mut receivers = vec![destination as u32; n];
    for (&sender, &[first, second]) in sequence.iter().zip(&predecessors).rev() {
        // The predecessors come earlier in the sequence, so a receiver is known before it is handed on.
        if first != NONE {
            receivers[sequence[first as usize]] = sender as u32;
        }
        if second != NONE {
            receivers[sequence[second as usize]] = receivers[sender];
        }
    }
    Ok(Reduction {
        costs: SingleCosts::PerSender(processors.times().to_vec()),
        root: destination as u32,
        receivers,
        starts,
        merges: None,
        ready: None,
        length,
    })
}

/// The length of the earliest-possible schedule of a sequence. O(n log n).
///
/// # Errors
/// Those of [`earliest`].
pub fn earliest_length(processors: &Processors, sequence: &[usize]) -> Result<Rational, Error> {
    check(processors, sequence)?;
    let (unit, ticks) = ticks_of(processors, sequence);
    Ok(match ticks {
        Scaled::Small(ticks) => unit * date(length_of(&ticks).into()),
        Scaled::Big(ticks) => unit * date(length_of(&ticks)),
    })
}

fn date(ticks: BigInt) -> Rational {
    whole(ticks)
}

fn check(processors: &Processors, sequence: &[usize]) -> Result<(), Error> {
    let n = processors.times().len();
    if n > MOST_PROCESSORS {
        return Err(Error::TooMany {
            senders: n as u64 - 1,
            purpose: "to write the schedule down",
            most: MOST_PROCESSORS as u64 - 1,
        });
    }
    let mut seen = vec![false; n];
    for &sender in sequence {
        if sender >= n {
            return Err(Error::NoSequence(format!(
                "there is no processor {sender}; the last is {}",
                n - 1
            )));
        }
        if sender == processors.destination() {
            return Err(Error::NoSequence(format!(
                "processor {sender} is the destination, which sends nothing"
            )));
        }
        if std::mem::replace(&mut seen[sender], true) {
            return Err(Error::NoSequence(format!(
                "processor {sender} stands in it twice"
            )));
        }
    }
    match processors.senders().find(|&sender| !seen[sender]) {
        Some(sender) => Err(Error::NoSequence(format!("processor {sender} is missing"))),
        None => Ok(()),
    }
}

/// The times of the sequence in their common unit. Every date is a sum of times of different senders.
fn ticks_of(processors: &Processors, sequence: &[usize]) -> (Rational, Scaled) {
    let times = processors.times();
    let mut classes: BTreeMap<&Rational, usize> = BTreeMap::new();
    let mut members: Vec<u64> = Vec::new();
    let class_of: Vec<usize> = sequence
        .iter()
        .map(|&sender| {
            let fresh = classes.len();
            let class = *classes.entry(&times[sender]).or_insert(fresh);
            if class == fresh {
                members.push(0);
            }
            members[class] += 1;
            class
        })
        .collect();
    let mut distinct: Vec<&Rational> = vec![&times[processors.destination()]; classes.len()];
    for (time, class) in classes {
        distinct[class] = time;
    }
    let (unit, ticks) = scale(&distinct, |ticks| {
        ticks
            .iter()
            .zip(&members)
            .map(|(ticks, &count)| ticks * BigInt::from(count))
            .sum()
    });
    let spread = match ticks {
        Scaled::Small(ticks) => {
            Scaled::Small(class_of.into_iter().map(|class| ticks[class]).collect())
        }
        Scaled::Big(ticks) => Scaled::Big(
            class_of
                .into_iter()
                .map(|class| ticks[class].clone())
                .collect(),
        ),
    };
    (unit, spread)
}

/// Starts and predecessors (as positions) of a sequence of times.
fn simulate<T: Exact>(times: &[T]) -> (Vec<T>, Vec<[u32; 2]>) {
    let mut idle = times.len() + 1;
    let mut ends: BinaryHeap<Reverse<(T, u32)>> = BinaryHeap::new();
    let mut now = T::zero();
    let mut starts = Vec::with_capacity(times.len());
    let mut predecessors = Vec::with_capacity(times.len());
    for (position, time) in times.iter().enumerate() {
        let mut taken = [NONE; 2];
        for slot in taken.iter_mut().rev() {
            if idle > 0 {
                idle -= 1;
            } else if let Some(Reverse((end, done))) = ends.pop() {
                now = end;
                *slot = done;
            }
        }
        ends.push(Reverse((now.plus(time), position as u32)));
        starts.push(now.clone());
        predecessors.push(taken);
    }
    (starts, predecessors)
}

/// When the last of a sequence ends.
pub(crate) fn length_of<T: Exact>(times: &[T]) -> T {
    let mut idle = times.len() + 1;
    let mut ends: BinaryHeap<Reverse<T>> = BinaryHeap::new();
    let mut end = T::zero();
    for time in times {
        let waits = 2 - idle.min(2);
        idle -= 2 - waits;
        for _ in 0..waits {
            if let Some(Reverse(freed)) = ends.pop() {
                end = freed;
            }
        }
        ends.push(Reverse(end.plus(time)));
    }
    ends.into_iter()
        .map(|Reverse(end)| end)
        .max()
        .unwrap_or_else(T::zero)
}
