//! Values that are ready at different dates (beyond RR-7898, which names them as future work).
//!
//! **The problem.** Value `i` is ready at `r_i` on processor `i`. A processor may receive before its own value is
//! ready; it merges and sends from then on. The operator is commutative: which processor sends to which is free. The
//! shortest schedule is sought.
//!
//! **Backwards.** Fix a length `T`. A processor there at `s` with `k` children delivers them at
//! `s + c + d + j max(d, c)`, and can have merged the first of them no later than `p = s + k c` backwards. So a tree
//! can be run within `T` if its processors can be given to the values so that `p <= T - r_i =: e_i`, that is, if the
//! sorted `p` are at most the sorted `e`.
//!
//! **The growth.** The tree grows, always from the processor that can deliver first, and values are given places as
//! late as possible. If the processor suits the most urgent value (least `e`) after this delivery, too, nothing is
//! lost. Otherwise that value must have a place first: one that suits it and loses least. The processor with that value
//! stops when its `p` would be above `e`.
//!
//! **What is proved.** For `d <= c` the next delivery of a processor is prepared at its `p`, so all processors that
//! suit a value that must have a place now stop at once, and the one with the latest `p` loses least: the sorted list
//! of the others is at most, entry by entry, what any other schedule has left, and growing keeps it so. So the growth
//! succeeds if any schedule does, and bisection over `T` is optimal. For `d > c` the choice is a heuristic (the place
//! that could deliver longest with that value), except with `c = 0`, where nothing ever stops. There the bound is the
//! largest of
//! - `r` plus the shortest length for as many values as are ready at `r` or later: backwards, these are among the
//!   processors there within `T - r`;
//! - the last date plus `c`, if there is something to merge;
//! - the optimum for a transfer time of `c`.
//!
//! A given root has the first place from the beginning; everything else is the same. The bounds hold for it, and the
//! first one counts better: among the values that are ready at `r` or later the root is one more, for it is there at 0
//! backwards.
//!
//! Between this bound and the heuristic's schedule all sequences of up to 40 values are tried, as far as 200,000 states
//! go (`sequences`): ten values are mostly decided.

use std::collections::BTreeSet;

use num_bigint::BigUint;
use num_traits::{Signed, ToPrimitive};
use oneport_plan::{Costs as PlanCosts, Reduction};
use oneport_platform::Rational;

use crate::reduce::greedy;
use crate::sequences::{Fits, Sequences};
use crate::strategy::written;
use crate::time::{Pair, Scaled, Time, common_unit, in_units};
use crate::{Costs, Error, Tie, tree};

/// A schedule of values with release dates, and a proved bound.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Released {
    /// The schedule; processor `i` holds value `i`, the operator is commutative.
    pub reduction: Reduction,
    /// No schedule is shorter; the schedule is optimal if it is as short.
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

/// The shortest schedule for values that are ready at different dates, the operator being commutative; for `0 < compute
/// < transfer` a short one with a bound. Processor `i` holds value `i`; without a `root` the method chooses it, and no
/// root is better. The module's text proves what is optimal. O(n log n) per step of a bisection, whose range is the
/// shortest length without dates, in a common unit of all numbers.
///
/// # Errors
/// No values, a negative date, a root that is out of range, more than [`MOST_WRITTEN`](crate::MOST_WRITTEN) values.
pub fn reduce_released(
    ready: &[Rational],
    root: Option<u64>,
    costs: &Costs,
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
    let mut places = vec![BigUint::ZERO];
    greedy(count, count, &scaled, Tie::Oldest, |date, count| {
        let there = date + &scaled.transfer + &scaled.compute;
        places.resize(places.len() + count as usize, there);
    });
    let last = dates.iter().max().cloned().unwrap_or_default()
        + places.last().cloned().unwrap_or_default();
    // Sums of a schedule stay below the last date plus one step for every value.
    let most = last + (&scaled.transfer + &scaled.compute) * (u64::from(count) + 1);
    Ok(if most.bits() <= MACHINE_BITS {
        solve::<u64>(&scaled, costs, (&dates, &places), root)
    } else {
        solve::<BigUint>(&scaled, costs, (&dates, &places), root)
    })
}

fn solve<N: Time>(
    scaled: &Scaled,
    costs: &Costs,
    (dates, places): (&[BigUint], &[BigUint]),
    root: Option<u32>,
) -> Released {
    let list = |numbers: &[BigUint]| -> Vec<N> {
        numbers
            .iter()
            .map(|ticks| N::of(ticks).unwrap_or_else(N::zero))
            .collect()
    };
    let (ready, places) = (list(dates), list(places));
    let zero = || Pair {
        transfer: N::zero(),
        compute: N::zero(),
    };
    let question = Question::new(ready, places, scaled.pair().unwrap_or_else(zero), root);
    let (grown, run, bound) = question.answer();
    let receivers = grown
        .receivers
        .iter()
        .map(|&place| grown.values[place as usize])
        .collect();
    let root = grown.values.first().copied().unwrap_or(0);
    Released {
        lower_bound: scaled.rational(&bound),
        reduction: Reduction {
            costs: PlanCosts::Equal {
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
    /// The value of the first place, if it is given; and the other values by date, latest first.
    root: Option<u32>,
    waiting: Vec<u32>,
    /// When processors are there in an unhindered growth, ascending.
    places: Vec<N>,
    pair: Pair<N>,
}

/// A tree in the order of its growth.
struct Grown {
    /// The value at each place.
    values: Vec<u32>,
    /// The place each place sends to; that of place 0 is itself.
    receivers: Vec<u32>,
}

impl<N: Time> Question<N> {
    fn new(ready: Vec<N>, places: Vec<N>, pair: Pair<N>, root: Option<u32>) -> Question<N> {
        let mut urgent: Vec<u32> = (0..ready.len() as u32).collect();
        urgent.sort_by(|&a, &b| ready[b as usize].cmp(&ready[a as usize]).then(a.cmp(&b)));
        let others = urgent.iter().copied().filter(|&value| Some(value) != root);
        Question {
            waiting: others.collect(),
            ready,
            urgent,
            root,
            places,
            pair,
        }
    }

    fn date(&self, rank: usize) -> &N {
        &self.ready[self.urgent[rank] as usize]
    }

    /// A schedule and a bound.
    fn answer(&self) -> (Grown, tree::TreeDates<N>, N) {
        // A given root has the first place, all others have later ones.
        let order = self.root.iter().chain(&self.waiting);
        let counted = order
            .zip(&self.places)
            .map(|(&value, place)| self.ready[value as usize].plus(place));
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

    /// Few values: sequences are tried between the bound and a schedule, as far as the states go.
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
        // Lengths from here on may be met; a length that the states did not suffice for is not asked about again.
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
        let mut high = self.date(0).plus(self.places.last().unwrap_or(low));
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

    /// The tree that the method grows backwards from `length`, if all values find a place.
    fn grow(&self, length: &N, pair: &Pair<N>) -> Option<Grown> {
        if length < self.date(0) {
            return None;
        }
        let mut growth = Growth::new(self, length, pair);
        while growth.places.len() < self.ready.len() {
            growth.deliver()?;
        }
        growth.settle()
    }
}

/// A processor of the growing tree.
struct Place<N> {
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
    places: Vec<Place<N>>,
    /// Places by the date of their next delivery's start.
    able: BTreeSet<(N, u32)>,
    /// Places without a value: by `prepared` if `d <= c`, else by `there`.
    open: BTreeSet<(N, u32)>,
    /// How many of the most urgent values have places.
    settled: usize,
}

/// Places compared if the best choice is not known. Trades time for shorter schedules. Not measured.
const COMPARED: usize = 64;

impl<'a, N: Time> Growth<'a, N> {
    fn new(question: &'a Question<N>, length: &'a N, pair: &'a Pair<N>) -> Growth<'a, N> {
        let mut growth = Growth {
            question,
            length,
            pair,
            places: Vec::with_capacity(question.ready.len()),
            able: BTreeSet::new(),
            open: BTreeSet::new(),
            settled: 0,
        };
        growth.add(0, N::zero());
        if let (Some(root), Some(first)) = (question.root, growth.places.first_mut()) {
            first.value = Some(root);
            growth.open.clear();
        }
        growth
    }

    fn add(&mut self, receiver: u32, there: N) {
        let place = self.places.len() as u32;
        self.able.insert((there.clone(), place));
        self.open.insert((there.clone(), place));
        self.places.push(Place {
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

    /// One delivery, or one place that delivers no more. `None` if a value finds no place.
    fn deliver(&mut self) -> Option<()> {
        let (date, place) = self.able.pop_first()?;
        let prepared = self.places[place as usize]
            .prepared
            .plus(&self.pair.compute);
        while self.places[place as usize].value.is_none()
            && prepared > self.until(self.next_value()?)
        {
            let value = self.next_value()?;
            let chosen = if self.slow() {
                self.lasting(value)
            } else {
                self.latest(value)
            }?;
            self.settled += 1;
            self.places[chosen.1 as usize].value = Some(value);
            self.open.remove(&chosen);
        }
        match self.places[place as usize].value {
            Some(value) if prepared > self.until(value) => return Some(()),
            Some(_) => {}
            None if self.slow() => {}
            None => {
                self.open
                    .remove(&(self.places[place as usize].prepared.clone(), place));
                self.open.insert((prepared.clone(), place));
            }
        }
        self.places[place as usize].prepared = prepared;
        self.add(place, date.plus(&self.pair.detour()));
        self.able.insert((date.plus(&self.pair.step()), place));
        Some(())
    }

    /// The most urgent value without a place.
    fn next_value(&self) -> Option<u32> {
        self.question.waiting.get(self.settled).copied()
    }

    /// The open place with the latest `prepared` that suits the value.
    fn latest(&self, value: u32) -> Option<(N, u32)> {
        self.open
            .range(..=(self.until(value), u32::MAX))
            .next_back()
            .cloned()
    }

    /// Among the first open places that suit the value the one that could deliver longest with it.
    fn lasting(&self, value: u32) -> Option<(N, u32)> {
        let until = self.until(value);
        let stop = |there: &N| {
            let deliveries = until.minus(there).over(&self.pair.compute);
            there.plus(&self.pair.transfer.times(deliveries))
        };
        let suits = |entry: &&(N, u32)| self.places[entry.1 as usize].prepared <= until;
        let suited = self.open.iter().filter(suits).take(COMPARED);
        suited
            .max_by_key(|(there, place)| (stop(there), std::cmp::Reverse(*place)))
            .cloned()
    }

    /// Gives the other values the open places, sorted against sorted.
    fn settle(mut self) -> Option<Grown> {
        let mut open: Vec<(N, u32)> = self
            .open
            .iter()
            .map(|(_, place)| (self.places[*place as usize].prepared.clone(), *place))
            .collect();
        open.sort_unstable();
        for (prepared, place) in open {
            let value = self.next_value()?;
            if prepared > self.until(value) {
                return None;
            }
            self.places[place as usize].value = Some(value);
            self.settled += 1;
        }
        Some(Grown {
            values: self
                .places
                .iter()
                .map(|place| place.value)
                .collect::<Option<_>>()?,
            receivers: self.places.iter().map(|place| place.receiver).collect(),
        })
    }
}
