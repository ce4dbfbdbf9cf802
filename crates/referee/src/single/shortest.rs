//! The answer to "how short can one reduction be?": the schedule checked, the proof of the bound repeated.

use std::collections::BTreeMap;
use std::fmt;

use num_bigint::BigUint;
use num_traits::Signed;
use oneport_plan::{Class, Concurrency, Instance, Proof, Reduction, Shortest, SingleCosts};
use oneport_platform::Rational;

use super::count::Equal;
use super::levels::TwoClasses;
use super::ticks::Clock;
use super::{
    Finding, algorithm2, check_reduction, exhaustion, not_proved, prices, slowest, weights,
};
use crate::Violation;
use crate::arithmetic::{is_non_negative, is_positive, is_sound};
use crate::violation::{bad_number, fault, shown};

/// Result of rechecking a bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recheck {
    /// The argument was repeated, and proves the bound.
    Proved,
    /// The bound was not refuted, but rechecking it is too much work.
    Unrepeated {
        /// On what.
        why: String,
    },
}

/// Checks the question, the schedule if there is one (it answers the question and has the length given), that the
/// bound is at most the length, and repeats the proof of the bound. A bound of at most 0 needs none.
///
/// - [`Proof::Counting`]: values that can be combined in less than the bound are counted, over dates
///   `a max(d, c) + b (d + c)`. If `d >= c`, limited transfers count as limited reducers (RR-7898, Theorem 10).
///   Microseconds to milliseconds, for any number of values.
/// - [`Proof::LimitedTransfers`]: the recurrence of RR-7898, Algorithm 2, up to 2^21 values, unless counting
///   suffices.
/// - [`Proof::Prices`]: the argument of [`SlotPrices`], over up to 2,000,000 dates of at most 128 bits. O(classes
///   dates).
/// - [`Proof::Weights`]: the argument of [`SenderWeights`], for up to 2000 senders, in up to 400,000 states. One list
///   that excludes the first slot takes O(senders dates) for any number of schedules.
/// - [`Proof::Levels`]: two classes, any number of senders, see the module `levels`.
/// - [`Proof::SlowestFirst`]: its condition, and the length of that schedule.
/// - [`Proof::Lowered`]: no time was raised, and the proof holds for the lowered times.
/// - [`Proof::Exhaustion`]: all schedules of up to 64 senders are tried again, in up to 200,000 states. With equal
///   costs the referee counts, or runs Algorithm 2.
///
/// Without a schedule, `length` is taken on trust: only the bound is proved.
///
/// A search that tries all schedules calls `go_on` now and then, and ends if that returns false: such a search takes up
/// to a second. Every other check takes a moment and is completed.
///
/// # Errors
/// The first rule broken: [`Rule::Proof`](crate::Rule::Proof) when the proof does not prove the bound.
///
/// [`SenderWeights`]: oneport_plan::SenderWeights
/// [`SlotPrices`]: oneport_plan::SlotPrices
pub fn check_shortest(shortest: &Shortest, go_on: &dyn Fn() -> bool) -> Result<Recheck, Violation> {
    check_instance(&shortest.instance)?;
    if !is_non_negative(&shortest.length) {
        return Err(bad_number("length", &shortest.length, "at least 0"));
    }
    let bound = &shortest.lower_bound;
    if !is_sound(bound) {
        return Err(bad_number(
            "lower bound",
            bound,
            "a number with a positive denominator",
        ));
    }
    if let Some(reduction) = &shortest.reduction {
        check_answer(&shortest.instance, reduction, &shortest.length)?;
    }
    if *bound > shortest.length {
        let (bound, length) = (shown(bound), shown(&shortest.length));
        return Err(fault!(
            Claim,
            "the lower bound {bound} is above the length {length}"
        ));
    }
    if !bound.is_positive() {
        return Ok(Recheck::Proved);
    }
    let finding = match &shortest.instance {
        Instance::Equal {
            values,
            transfer,
            compute,
            limit,
        } => {
            let clock = Clock::new(&[transfer, compute, bound], &[])?;
            let equal = Equal {
                transfer: clock.number(transfer),
                compute: clock.number(compute),
            };
            EqualCase {
                values: *values,
                costs: equal,
                limit: *limit,
                clock,
                bound,
            }
            .check(&shortest.proof)?
        }
        Instance::Classes(classes) => check_classes(classes, bound, &shortest.proof, go_on)?,
    };
    Ok(match finding {
        Finding::Proved => Recheck::Proved,
        Finding::Unrepeated(why) => Recheck::Unrepeated { why },
    })
}

fn check_instance(instance: &Instance) -> Result<(), Violation> {
    match instance {
        Instance::Equal {
            values,
            transfer,
            compute,
            limit,
        } => {
            for (name, cost) in [("transfer time", transfer), ("compute time", compute)] {
                if !is_non_negative(cost) {
                    return Err(bad_number(name, cost, "at least 0"));
                }
            }
            match (values, limit) {
                (0, _) => Err(fault!(Question, "there are 0 values"; "give at least 1")),
                (2.., Concurrency::Transfers(0)) => Err(
                    fault!(Question, "the limit is 0 transfers"; "with more than one value allow at least 1"),
                ),
                (2.., Concurrency::Reducers(0)) => Err(
                    fault!(Question, "the limit is 0 reducers"; "with more than one value allow at least 1"),
                ),
                _ => Ok(()),
            }
        }
        Instance::Classes(classes) => {
            for (class, Class { time, senders }) in classes.iter().enumerate() {
                if !is_positive(time) {
                    return Err(bad_number(
                        &format!("time of class {class}"),
                        time,
                        "positive",
                    ));
                }
                if *senders == 0 {
                    return Err(fault!(Question, "class {class} has 0 senders"; "leave it out"));
                }
            }
            match classes
                .windows(2)
                .position(|pair| pair[0].time >= pair[1].time)
            {
                None => Ok(()),
                Some(index) => {
                    let (class, time) = (index + 1, shown(&classes[index + 1].time));
                    let found = format!(
                        "class {class} takes {time}, the class before it {}",
                        shown(&classes[index].time)
                    );
                    Err(
                        fault!(Question, "{found}"; "list the classes fastest first, each time once"),
                    )
                }
            }
        }
    }
}

/// The schedule is right, answers the question, and has the length.
fn check_answer(
    instance: &Instance,
    reduction: &Reduction,
    length: &Rational,
) -> Result<(), Violation> {
    let limit = match instance {
        Instance::Equal { limit, .. } => *limit,
        Instance::Classes(_) => Concurrency::Unlimited,
    };
    check_reduction(reduction, limit)?;
    let processors = reduction.receivers.len();
    match (instance, &reduction.costs) {
        (
            Instance::Equal {
                values,
                transfer,
                compute,
                ..
            },
            SingleCosts::Equal {
                transfer: d,
                compute: c,
            },
        ) => {
            same("the number of processors is", &(processors as u64), values)?;
            same("the transfer time is", d, transfer)?;
            same("the compute time is", c, compute)?;
        }
        (Instance::Classes(classes), SingleCosts::PerSender(times)) => {
            let senders = classes
                .iter()
                .map(|class| u128::from(class.senders))
                .sum::<u128>();
            same(
                "the number of senders is",
                &(processors as u128 - 1),
                &senders,
            )?;
            check_times(classes, times, reduction.root)?;
        }
        (Instance::Equal { .. }, SingleCosts::PerSender(_)) => {
            same("the costs are", &"per sender", &"equal")?
        }
        (Instance::Classes(_), SingleCosts::Equal { .. }) => {
            same("the costs are", &"equal", &"per sender")?
        }
    }
    if reduction.ready.is_some() {
        same(
            "the values are there",
            &"at dates of their own",
            &"from 0 on",
        )?;
    }
    if reduction.length == *length {
        return Ok(());
    }
    Err(fault!(
        Claim,
        "the length is given as {}, but the schedule's is {}",
        shown(length),
        shown(&reduction.length)
    ))
}

fn other(what: &str, found: impl fmt::Display, right: impl fmt::Display) -> Violation {
    fault!(
        Claim,
        "the schedule does not answer the question: {what} {found}, not {right}"
    )
}

fn same<T: PartialEq + fmt::Display>(what: &str, found: &T, right: &T) -> Result<(), Violation> {
    if found == right {
        return Ok(());
    }
    Err(other(what, found, right))
}

/// Every class has as many senders in the schedule as in the question. Their sum agrees already.
fn check_times(classes: &[Class], times: &[Rational], root: u32) -> Result<(), Violation> {
    let mut found = vec![0_u64; classes.len()];
    for (processor, time) in times
        .iter()
        .enumerate()
        .filter(|&(processor, _)| processor != root as usize)
    {
        match classes.binary_search_by(|class| class.time.cmp(time)) {
            Ok(class) => found[class] += 1,
            Err(_) => {
                return Err(other(
                    &format!("the time of processor {processor} is"),
                    time,
                    "that of a class",
                ));
            }
        }
    }
    match classes
        .iter()
        .zip(found)
        .enumerate()
        .find(|(_, (class, found))| class.senders != *found)
    {
        None => Ok(()),
        Some((index, (class, found))) => Err(other(
            &format!("the number of senders of class {index} is"),
            found,
            class.senders,
        )),
    }
}

struct EqualCase<'a> {
    values: u64,
    costs: Equal,
    limit: Concurrency,
    clock: Clock,
    /// Positive.
    bound: &'a Rational,
}

impl EqualCase<'_> {
    fn check(&self, proof: &Proof) -> Result<Finding, Violation> {
        match (proof, self.limit) {
            (Proof::Counting, _) => self.check_count(),
            (Proof::LimitedTransfers, Concurrency::Transfers(limit)) => self.check_transfers(limit),
            (Proof::LimitedTransfers, _) => Err(mismatch("Algorithm 2", "a limit on transfers")),
            // A shorter argument decides for every search.
            (Proof::Exhaustion { .. }, Concurrency::Transfers(limit)) => {
                self.check_transfers(limit)
            }
            (Proof::Exhaustion { .. }, _) => self.check_count(),
            (Proof::Prices(_), _) => Err(mismatch("prices of slots", "classes of senders")),
            (Proof::Weights(_), _) => Err(mismatch("weights", "classes of senders")),
            (Proof::Levels, _) => Err(mismatch("levels", "two classes of senders")),
            (Proof::SlowestFirst, _) => Err(mismatch("slowest first", "classes of senders")),
            (Proof::Lowered { .. }, _) => Err(mismatch("lowered times", "classes of senders")),
        }
    }

    fn time(&self) -> BigUint {
        self.clock.number(self.bound)
    }

    /// Values combined in less than the bound by unlimited means, and by limited ones if those can be counted.
    fn counts(&self) -> (u128, Option<BigUint>) {
        let reducers = match self.limit {
            Concurrency::Reducers(limit) => Some(limit),
            Concurrency::Transfers(limit) if self.costs.transfer >= self.costs.compute => {
                Some(limit)
            }
            _ => None,
        };
        let time = self.time();
        (
            self.costs.values_below(&time),
            reducers.and_then(|limit| self.costs.values_below_by(&time, limit)),
        )
    }

    fn is_counted(&self) -> bool {
        let (free, limited) = self.counts();
        free < u128::from(self.values)
            || limited.is_some_and(|limited| limited < BigUint::from(self.values))
    }

    fn check_count(&self) -> Result<Finding, Violation> {
        if self.is_counted() {
            return Ok(Finding::Proved);
        }
        let values = self.values;
        let uncounted = matches!(self.limit, Concurrency::Transfers(_))
            && self.costs.transfer < self.costs.compute;
        let why = if uncounted {
            format!(
                "without the limit all {values} values can be combined sooner, and limited transfers are counted only where they take at least as long as merges"
            )
        } else {
            format!("all {values} values can be combined sooner")
        };
        not_proved(self.bound, why)
    }

    fn check_transfers(&self, limit: u64) -> Result<Finding, Violation> {
        if self.is_counted() {
            return Ok(Finding::Proved);
        }
        if self.values > algorithm2::VALUES {
            let most = algorithm2::VALUES;
            return Ok(Finding::Unrepeated(format!(
                "the recurrence is repeated for at most {most} values"
            )));
        }
        let length = algorithm2::length(&self.costs, self.values, limit);
        if self.time() <= length {
            return Ok(Finding::Proved);
        }
        not_proved(
            self.bound,
            format!("Algorithm 2 ends at {}", self.clock.date(&length)),
        )
    }
}

/// The classes with lowered times. Every schedule of the given ones is one of these, at the same starts.
fn lowered(
    classes: &[Class],
    times: &[Rational],
    may_be: fn(&Rational) -> bool,
) -> Result<Vec<Class>, Violation> {
    let lower = classes
        .iter()
        .zip(times)
        .all(|(class, time)| may_be(time) && *time <= class.time);
    if !lower || times.len() != classes.len() {
        return Err(mismatch(
            "lowered times",
            "one time per class, positive and at most its own",
        ));
    }
    let mut counts: BTreeMap<&Rational, u64> = BTreeMap::new();
    for (class, time) in classes.iter().zip(times) {
        // Fewer senders than there are would still prove a bound.
        let count = counts.entry(time).or_default();
        *count = count.saturating_add(class.senders);
    }
    Ok(counts
        .into_iter()
        .map(|(time, senders)| Class {
            time: time.clone(),
            senders,
        })
        .collect())
}

fn mismatch(proof: &'static str, needs: &'static str) -> Violation {
    fault!(Proof, "a proof by {proof} needs {needs}")
}

fn searched(states: u64) -> String {
    format!("the bound rests on a search through {states} states")
}

fn check_classes(
    classes: &[Class],
    bound: &Rational,
    proof: &Proof,
    go_on: &dyn Fn() -> bool,
) -> Result<Finding, Violation> {
    let numbers: Vec<&Rational> = classes
        .iter()
        .map(|class| &class.time)
        .chain([bound])
        .collect();
    let clock = Clock::new(&numbers, &[])?;
    let senders: Vec<(BigUint, u64)> = classes
        .iter()
        .map(|class| (clock.number(&class.time), class.senders))
        .collect();
    let end: BigUint = clock.number(bound);
    let sooner = || "some schedule ends sooner".to_string();
    match proof {
        Proof::Prices(list) => prices::check(classes, bound, list),
        Proof::Weights(lists) => weights::check(classes, bound, lists),
        Proof::Levels => {
            let [(fast, fast_senders), (slow, slow_senders)] = senders.as_slice() else {
                return Err(mismatch("levels", "two classes of senders"));
            };
            let (fast_senders, slow_senders) = (*fast_senders, *slow_senders);
            let two = TwoClasses {
                fast: fast.clone(),
                slow: slow.clone(),
                fast_senders,
                slow_senders,
            };
            match two.end_before(&end) {
                Some(false) => Ok(Finding::Proved),
                Some(true) => not_proved(bound, sooner()),
                None => Ok(Finding::Unrepeated(
                    "the numbers of senders per level were not all tried again".into(),
                )),
            }
        }
        Proof::SlowestFirst => {
            let times: Vec<BigUint> = senders.iter().map(|(time, _)| time.clone()).collect();
            if !slowest::is_optimal(&times) {
                let needs =
                    "times that divide one another, or two classes with a ratio of at least 2";
                return Err(mismatch("slowest first", needs));
            }
            match slowest::length(&senders) {
                None => Ok(Finding::Unrepeated(
                    "slowest first has too many dates".into(),
                )),
                Some(length) if end <= length => Ok(Finding::Proved),
                Some(length) => not_proved(
                    bound,
                    format!("slowest first ends at {}", clock.date(&length)),
                ),
            }
        }
        Proof::Lowered { times, proof } => {
            if !matches!(
                **proof,
                Proof::SlowestFirst | Proof::Levels | Proof::Weights(_)
            ) {
                return Err(mismatch(
                    "lowered times",
                    "slowest first, levels or weights for what is proved with them",
                ));
            }
            // Weights are added for senders that take no time, too.
            let least = if matches!(**proof, Proof::Weights(_)) {
                is_non_negative
            } else {
                is_positive
            };
            check_classes(&lowered(classes, times, least)?, bound, proof, go_on)
        }
        Proof::Exhaustion { states } => {
            if !clock.is_small() {
                return Ok(Finding::Unrepeated(searched(*states)));
            }
            let senders: Vec<(u128, u64)> = classes
                .iter()
                .map(|class| (clock.number(&class.time), class.senders))
                .collect();
            match exhaustion::ends_before(&senders, clock.number(bound), go_on) {
                Some(false) => Ok(Finding::Proved),
                Some(true) => not_proved(bound, sooner()),
                None => Ok(Finding::Unrepeated(searched(*states))),
            }
        }
        Proof::Counting | Proof::LimitedTransfers => Err(mismatch("counting", "equal costs")),
    }
}
