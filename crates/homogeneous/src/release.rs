//! Values that are ready at different dates (beyond RR-7898, which names them as future work).
//!
//! **The problem.** Value `i` is ready at `r_i` on processor `i`. A processor may receive before its own value is
//! ready. It merges and sends from then on. The operator is commutative, so a processor may send to any other. The
//! shortest schedule is sought.
//!
//! **Backwards.** Fix a length `T`. A processor there at `s` with `k` children delivers them at
//! `s + c + d + j max(d, c)`, and can have merged the first of them no later than `p = s + k c` backwards. So a tree
//! can be run within `T` if its processors can be given to the values so that `p <= T - r_i =: e_i`, that is, if the
//! sorted `p` are at most the sorted `e`.
//!
//! **The growth.** The tree grows, always from the processor that can deliver first, and values are given positions as
//! late as possible. If the processor suits the most urgent value (least `e`) after this delivery, too, nothing is
//! lost. Otherwise that value must have a position first: one that suits it and loses least. The processor with that
//! value stops when its `p` would be above `e`.
//!
//! **What is proved.** For `d <= c` the next delivery of a processor is prepared at its `p`, so all processors that
//! suit a value that must have a position now stop at once, and the one with the latest `p` loses least: the sorted
//! list of the others is at most, entry by entry, what any other schedule has left, and growing keeps it so. So the
//! growth succeeds if any schedule does, and bisection over `T` is optimal. For `d > c` the choice is a heuristic (the
//! position that could deliver longest with that value), except with `c = 0`: then nothing ever stops. There the bound
//! is the largest of
//! - `r` plus the shortest length for as many values as are ready at `r` or later: backwards, these are among the
//!   processors there within `T - r`,
//! - the last date plus `c`, if there is something to merge,
//! - the optimum for a transfer time of `c`.
//!
//! A given root has the first position from the beginning. Everything else is the same. The bounds hold for it, and the
//! first one counts better: among the values that are ready at `r` or later the root is one more, for it is there at 0
//! backwards.
//!
//! Between this bound and the heuristic's schedule all sequences of up to 40 values are tried, within 200,000 states
//! (`sequences`): ten values are mostly decided.

use std::collections::BTreeSet;

use num_bigint::BigUint;
use num_traits::{Signed, ToPrimitive};
use oneport_plan::{Reduction, SingleCosts};
use oneport_platform::Rational;

use crate::reduce::greedy;
use crate::sequences::{Fits, Sequences};
use crate::strategy::written;
use crate::time::{Pair, Scaled, Time, common_unit, in_units};
use crate::{EqualCosts, Error, Tie, tree};

/// A schedule of values with release dates, and a proved bound.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Released {
    /// The schedule. Processor `i` holds value `i`, the operator is commutative.
    pub reduction: Reduction,
    /// No schedule is shorter. The schedule is optimal if its length is equal.
    pub lower_bound: Rational,
}

/// Values up to which sequences are tried. Trades time for certainty. Not measured.
const TRIED: usize = 40;
/// States visited. Trades time for certainty. Not measured.
const STATES: usize = 200_000;

/// Fact: lengths below this many bits leave room for a transfer per value tried.
const SEQUENCE_BITS: u64 = 56;

/// Fact: dates below this many bits leave room in machine integers.
const MACHINE_BITS: u64 = 62;

/// The shortest schedule for values that are ready at different dates, if the operator is commutative. For
/// `0 < compute < transfer` a short one with a bound. Processor `i` holds value `i`. Without a `root` the method
/// chooses it, and no root is better. The module's text proves optimality. O(n log n) per step of a bisection, whose
/// range is the shortest length without dates, in a common unit of all numbers.
///
/// # Errors
/// No values, a negative date, a root that is out of range, more than [`MOST_WRITTEN`](crate::MOST_WRITTEN) values.
pub fn reduce_released(
    ready: &[Rational],
    root: Option<u64>,
    costs: &EqualCosts,
) -> Result<Released, Error> {
    if let Some((index, date)) = ready
        .iter()
        .enumerate()
        .find(|(_, date)| date.is_negative())
    {
        return Err(Error::NegativeReady {
            index,
            date: date.clone(),
        });
    }
    let count = match ready.len() as u64 {
        0 => return Err(Error::NoValues),
        values => written(values)?,
    };
    if let Some(processor) = root.filter(|&root| root >= u64::from(count)) {
        return Err(Error::NoProcessor {
            role: "root",
            processor,
            values: u64::from(count),
        });
    }
    let root = root.map(|root| root as u32);
    let unit = common_unit(ready.iter().chain([costs.transfer(), costs.compute()]));
    let scaled = Scaled::with_unit(costs, unit);
    let dates: Vec<BigUint> = ready
        .iter()
        .map(|date| in_units(date, &scaled.unit))
        .collect();
    let mut positions = vec![BigUint::ZERO];
    greedy(count, count, &scaled, Tie::Oldest, |date, count| {
        let there = date + &scaled.transfer + &scaled.compute;
        positions.resize(positions.len() + count as usize, there);
    });
    let last = dates.iter().max().cloned().unwrap_or_default()
        + positions.last().cloned().unwrap_or_default();
    // Sums of a schedule stay below the last date plus one step for every value.
    let most = last + (&scaled.transfer + &scaled.compute) * (u64::from(count) + 1);
    Ok(if most.bits() <= MACHINE_BITS {
        solve::<u64>(&scaled, costs, (&dates, &positions), root)
    } else {
        solve::<BigUint>(&scaled, costs, (&dates, &positions), root)
    })
}

fn solve<N: Time>(
    scaled: &Scaled,
    costs: &EqualCosts,
    (dates, positions): (&[BigUint], &[BigUint]),
    root: Option<u32>,
) -> Released {
    let list = |numbers: &[BigUint]| -> Vec<N> {
        numbers
            .iter()
            .map(|ticks| N::of(ticks).unwrap_or_else(N::zero))
            .collect()
    };
    let (ready, positions) = (list(dates), list(positions));
    let zero = || Pair {
        transfer: N::zero(),
        compute: N::zero(),
    };
    let question = Question::new(ready, positions, scaled.pair().unwrap_or_else(zero), root);
    let (grown, run, bound) = question.answer();
    let receivers = grown
        .receivers
        .iter()
        .map(|&position| grown.values[position as usize])
        .collect();
    let root = grown.values.first().copied().unwrap_or(0);
    Released {
        lower_bound: scaled.rational(&bound),
        reduction: Reduction {
            costs: SingleCosts::Equal {
                transfer: costs.transfer().clone(),
                compute: costs.compute().clone(),
            },
            root,
            receivers: tree::renamed(receivers, &grown.values, 0),
            starts: N::dates(
                &scaled.unit,
                tree::renamed(run.starts, &grown.values, N::zero()),
            ),
            merges: Some(N::dates(
                &scaled.unit,
                tree::renamed(run.merges, &grown.values, N::zero()),
            )),
            length: scaled.rational(&run.length),
            ready: Some(N::dates(&scaled.unit, question.ready)),
        },
    }
}

struct Question<N> {
    ready: Vec<N>,
    /// Values by date, latest first: the most urgent backwards.
    urgent: Vec<u32>,
    /// The value of the first position, if it is given. Then the other values by date, latest first.
    root: Option<u32>,
    waiting: Vec<u32>,
    /// When processors are there in an unhindered growth, ascending.
    positions: Vec<N>,
    pair: Pair<N>,
}

/// A tree in the order of its growth.
struct Grown {
    /// The value at each position.
    values: Vec<u32>,
    /// The position each position sends to. That of position 0 is itself.
    receivers: Vec<u32>,
}

impl<N: Time> Question<N> {
    fn new(ready: Vec<N>, positions: Vec<N>, pair: Pair<N>, root: Option<u32>) -> Question<N> {
        let mut urgent: Vec<u32> = (0..ready.len() as u32).collect();
        urgent.sort_by(|&a, &b| ready[b as usize].cmp(&ready[a as usize]).then(a.cmp(&b)));
        let others = urgent.iter().copied().filter(|&value| Some(value) != root);
        Question {
            waiting: others.collect(),
            ready,
            urgent,
            root,
            positions,
            pair,
        }
    }

    fn date(&self, rank: usize) -> &N {
        &self.ready[self.urgent[rank] as usize]
    }

    /// A schedule and a bound.
    fn answer(&self) -> (Grown, tree::TreeDates<N>, N) {
        // A given root has the first position, all others have later ones.
        let order = self.root.iter().chain(&self.waiting);
        let counted = order
            .zip(&self.positions)
            .map(|(&value, position)| self.ready[value as usize].plus(position));
        let merged = (self.ready.len() > 1).then(|| self.date(0).plus(&self.pair.compute));
        let bound = counted.chain(merged).max().unwrap_or_else(N::zero);
        let (grown, found) = self.bisect(&self.pair, &bound);
        let run = self.timed(&grown);
        if self.pair.transfer <= self.pair.compute {
            return (grown, run, found);
        }
        if run.length == bound {
            return (grown, run, bound);
        }
        let faster = Pair {
            transfer: self.pair.compute.clone(),
            compute: self.pair.compute.clone(),
        };
        let low = self.date(0).plus(&self.pair.compute).min(bound.clone());
        let (_, relaxed) = self.bisect(&faster, &low);
        self.closed((grown, run), bound.max(relaxed))
    }

    /// Few values: sequences are tried between the bound and a schedule, within the states.
    fn closed(
        &self,
        (mut grown, mut run): (Grown, tree::TreeDates<N>),
        mut bound: N,
    ) -> (Grown, tree::TreeDates<N>, N) {
        let word = |date: &N| date.big().to_u64();
        let ready: Option<Vec<u64>> = self.ready.iter().map(word).collect();
        let (Some(ready), Some(transfer), Some(compute)) =
            (ready, word(&self.pair.transfer), word(&self.pair.compute))
        else {
            return (grown, run, bound);
        };
        if compute == 0 || ready.len() > TRIED || run.length.big().bits() > SEQUENCE_BITS {
            return (grown, run, bound);
        }
        let sequences = Sequences::new(&ready, self.root, transfer, compute);
        let mut states = STATES;
        // Lengths from here on may be met. A length for which the states did not suffice is not tried again.
        let mut low = bound.clone();
        while low < run.length {
            let middle = low.plus(&run.length.minus(&low).half());
            let Some(length) = word(&middle) else { break };
            let mut share = states / 2;
            states -= share;
            match sequences.fit(length, &mut share) {
                Fits::Sequence(values, receivers) => {
                    let found = Grown { values, receivers };
                    let timed = self.timed(&found);
                    if timed.length >= run.length {
                        break;
                    }
                    (grown, run) = (found, timed);
                }
                Fits::Never => {
                    low = middle.plus(&N::one());
                    bound = bound.max(low.clone());
                }
                Fits::Unknown => low = middle.plus(&N::one()),
            }
            states += share;
        }
        (grown, run, bound)
    }

    /// The least length from `low` on for which the growth succeeds, if it succeeds for all longer ones, and its tree.
    fn bisect(&self, pair: &Pair<N>, low: &N) -> (Grown, N) {
        // When all wait for the last value, nothing hinders the growth.
        let mut high = self.date(0).plus(self.positions.last().unwrap_or(low));
        let star = || Grown {
            values: self
                .root
                .into_iter()
                .chain(self.waiting.iter().copied())
                .collect(),
            receivers: vec![0; self.urgent.len()],
        };
        let mut best = self.grow(&high, pair).unwrap_or_else(star);
        let (mut low, mut middle) = (low.clone(), low.clone());
        while low < high {
            match self.grow(&middle, pair) {
                Some(grown) => {
                    high = middle;
                    best = grown;
                }
                None => low = middle.plus(&N::one()),
            }
            middle = low.plus(&high.minus(&low).half());
        }
        (best, high)
    }

    fn timed(&self, grown: &Grown) -> tree::TreeDates<N> {
        let ready: Vec<N> = grown
            .values
            .iter()
            .map(|&value| self.ready[value as usize].clone())
            .collect();
        tree::earliest_released(&grown.receivers, ready, &self.pair)
    }

    /// The tree that the method grows backwards from `length`, if all values find a position.
    fn grow(&self, length: &N, pair: &Pair<N>) -> Option<Grown> {
        if length < self.date(0) {
            return None;
        }
        let mut growth = Growth::new(self, length, pair);
        while growth.positions.len() < self.ready.len() {
            growth.deliver()?;
        }
        growth.settle()
    }
}

/// A processor of the growing tree.
struct Position<N> {
    receiver: u32,
    /// When it is there, plus `compute` for every child: the `p` of the module's text.
    prepared: N,
    /// Its value, once that had to be decided.
    value: Option<u32>,
}

struct Growth<'a, N> {
    question: &'a Question<N>,
    length: &'a N,
    pair: &'a Pair<N>,
    positions: Vec<Position<N>>,
    /// Positions by the date of their next delivery's start.
    able: BTreeSet<(N, u32)>,
    /// Positions without a value: by `prepared` if `d <= c`, else by `there`.
    open: BTreeSet<(N, u32)>,
    /// How many of the most urgent values have positions.
    settled: usize,
}

/// Positions compared if the best choice is not known. Trades time for shorter schedules. Not measured.
const COMPARED: usize = 64;

impl<'a, N: Time> Growth<'a, N> {
    fn new(question: &'a Question<N>, length: &'a N, pair: &'a Pair<N>) -> Growth<'a, N> {
        let mut growth = Growth {
            question,
            length,
            pair,
            positions: Vec::with_capacity(question.ready.len()),
            able: BTreeSet::new(),
            open: BTreeSet::new(),
            settled: 0,
        };
        growth.add(0, N::zero());
        if let (Some(root), Some(first)) = (question.root, growth.positions.first_mut()) {
            first.value = Some(root);
            growth.open.clear();
        }
        growth
    }

    fn add(&mut self, receiver: u32, there: N) {
        let position = self.positions.len() as u32;
        self.able.insert((there.clone(), position));
        self.open.insert((there.clone(), position));
        self.positions.push(Position {
            receiver,
            prepared: there,
            value: None,
        });
    }

    fn slow(&self) -> bool {
        self.pair.transfer > self.pair.compute
    }

    /// `e` of a value.
    fn until(&self, value: u32) -> N {
        self.length.minus(&self.question.ready[value as usize])
    }

    /// One delivery, or one position that delivers no more. `None` if a value finds no position.
    fn deliver(&mut self) -> Option<()> {
        let (date, position) = self.able.pop_first()?;
        let prepared = self.positions[position as usize]
            .prepared
            .plus(&self.pair.compute);
        while self.positions[position as usize].value.is_none()
            && prepared > self.until(self.next_value()?)
        {
            let value = self.next_value()?;
            let chosen = if self.slow() {
                self.lasting(value)
            } else {
                self.latest(value)
            }?;
            self.settled += 1;
            self.positions[chosen.1 as usize].value = Some(value);
            self.open.remove(&chosen);
        }
        match self.positions[position as usize].value {
            Some(value) if prepared > self.until(value) => return Some(()),
            Some(_) => {}
            None if self.slow() => {}
            None => {
                self.open
                    .remove(&(self.positions[position as usize].prepared.clone(), position));
                self.open.insert((prepared.clone(), position));
            }
        }
        self.positions[position as usize].prepared = prepared;
        self.add(position, date.plus(&self.pair.detour()));
        self.able.insert((date.plus(&self.pair.step()), position));
        Some(())
    }

    /// The most urgent value without a position.
    fn next_value(&self) -> Option<u32> {
        self.question.waiting.get(self.settled).copied()
    }

    /// The open position with the latest `prepared` that suits the value.
    fn latest(&self, value: u32) -> Option<(N, u32)> {
        self.open
            .range(..=(self.until(value), u32::MAX))
            .next_back()
            .cloned()
    }

    /// Among the first open positions that suit the value the one that could deliver longest with it.
    fn lasting(&self, value: u32) -> Option<(N, u32)> {
        let until = self.until(value);
        let stop = |there: &N| {
            let deliveries = until.minus(there).over(&self.pair.compute);
            there.plus(&self.pair.transfer.times(deliveries))
        };
        let suits = |entry: &&(N, u32)| self.positions[entry.1 as usize].prepared <= until;
        let suited = self.open.iter().filter(suits).take(COMPARED);
        suited
            .max_by_key(|(there, position)| (stop(there), std::cmp::Reverse(*position)))
            .cloned()
    }

    /// Gives the other values the open positions, sorted against sorted.
    fn settle(mut self) -> Option<Grown> {
        let mut open: Vec<(N, u32)> = self
            .open
            .iter()
            .map(|(_, position)| {
                (
                    self.positions[*position as usize].prepared.clone(),
                    *position,
                )
            })
            .collect();
        open.sort_unstable();
        for (prepared, position) in open {
            let value = self.next_value()?;
            if prepared > self.until(value) {
                return None;
            }
            self.positions[position as usize].value = Some(value);
            self.settled += 1;
        }
        Some(Grown {
            values: self
                .positions
                .iter()
                .map(|position| position.value)
                .collect::<Option<_>>()?,
            receivers: self
                .positions
                .iter()
                .map(|position| position.receiver)
                .collect(),
        })
    }
}
