//! Lengths without schedules: deliveries counted by classes of equal dates.
//!
//! Read backwards, unlimited, the deliveries of Algorithm 1 happen at `a step + b detour` with `b >= 1` and `a >= 0`,
//! `C(a + b - 1, a)` of them (a path from the root goes down `b` times and waits `a` times). So
//! `N(t) = 1 + sum C(a + b - 1, a)` over `a step + b detour <= t` values can be combined within `t`. The two queues of
//! `shape`, with numbers instead of names, pass these dates in ascending order. Since the number of processors doubles
//! at least every `detour <= 2 step`, fewer than `2 (log2 n + 1)^2` of them.
//!
//! Once the fresh processors run out (limited reducers) or transfers are never again idle (limited transfers), the
//! dates repeat with a period, and the rest is a division.

use std::collections::VecDeque;

use num_bigint::BigUint;
use num_traits::{Signed, ToPrimitive, Zero};
use oneport_plan::Concurrency;
use oneport_platform::{Rational, whole};

use crate::strategy::{check, check_limit, written};
use crate::time::{Pair, Scaled, Time, in_units};
use crate::{EqualCosts, Error, Reduce, Strategy, tree};

/// Limit: classes of dates passed under a limit on transfers shorter than merges, before the dates become periodic.
const CLASSES: u32 = 1 << 22;

/// Fact: costs of fewer bits leave room for 2^64 of each in 128 bits.
const MACHINE_BITS: u64 = 60;

/// Deliveries that go on forever: these classes (date, number), ascending, again every `period > 0`.
pub(crate) struct Periodic<N> {
    classes: Vec<(N, u128)>,
    period: N,
}

/// How a walk over the classes ended.
pub(crate) enum Walk<N> {
    /// The visitor had enough.
    Stopped,
    Periodic(Periodic<N>),
    /// More than [`CLASSES`].
    TooLong,
}

/// Number of processors per date, ascending.
type Queue<N> = VecDeque<(N, u128)>;

impl Reduce<'_> {
    /// The length of the [schedule](Self::schedule), without the schedule.
    ///
    /// O(log^2 n) for any number of values by the greedy strategy without limits or with limited reducers (RR-7898,
    /// Algorithms 1 and 3), and with limited transfers if `d >= c` (Theorem 10: the length under the same number of
    /// reducers) or `d = 0` (a limit of no effect). With limited transfers and `0 < d < c`: Algorithm 2 by classes of
    /// equal dates, until the next transfer has at least `K ceil(c/d)` processors to choose from. From then on `K`
    /// transfers run at any time. Chain and flat: closed forms. Binomial and Fibonacci strategies build the tree: O(n)
    /// time and memory.
    ///
    /// # Errors
    /// Those of [`schedule`](Self::schedule). Only the binomial and the Fibonacci strategy limit the number of values.
    /// With limited transfers and `d < c`, [`Error::TooMany`] if 4,194,304 classes of dates do not suffice.
    pub fn length(&self) -> Result<Rational, Error> {
        check(self.values, self.strategy, self.limit)?;
        let step = || std::cmp::max(self.costs.transfer(), self.costs.compute());
        let detour = || self.costs.transfer() + self.costs.compute();
        match self.strategy {
            _ if self.values == 1 => Ok(Rational::zero()),
            Strategy::Chain => Ok(whole(self.values - 1) * detour()),
            Strategy::Flat => Ok(whole(self.values - 2) * step() + detour()),
            Strategy::Binomial | Strategy::Fibonacci => self.length_of_tree(),
            Strategy::Greedy => {
                let scaled = Scaled::new(self.costs);
                let ticks = match machine(&scaled, &BigUint::ZERO) {
                    Some(pair) => last_delivery(&pair, self.limit, self.values)?.big(),
                    None => last_delivery(&scaled.big(), self.limit, self.values)?,
                };
                Ok(scaled.rational(&ticks))
            }
        }
    }

    /// The length of a strategy's tree under the true costs. The tree is built.
    fn length_of_tree(&self) -> Result<Rational, Error> {
        let scaled = Scaled::new(self.costs);
        let receivers = self.receivers(written(self.values)?, &scaled);
        let machine = scaled
            .pair::<u64>()
            .map(|pair| tree::earliest(&receivers, &pair).length);
        Ok(match machine.filter(|length| !length.saturated()) {
            Some(length) => scaled.rational(&length),
            None => scaled.rational(&tree::earliest(&receivers, &scaled.big()).length),
        })
    }
}

/// How many values can be combined within a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Within {
    /// Any number: transfers and merges take no time.
    Any,
    /// This many and no more.
    Most(BigUint),
    /// More than are counted: at least 2 to this power.
    PowerOfTwo(BigUint),
}

/// Limit: steps of `d + c` up to which values are counted. Their number doubles at least with every step.
const DOUBLINGS: u64 = 1 << 16;

/// How many values can be combined within `time`. 0 if it is negative.
///
/// Without a limit it is `N(t) = 1 + sum C(a + b - 1, a)` over `a >= 0`, `b >= 1` with `a max(d, c) + b (d + c) <= t`,
/// a closed form of the deliveries of RR-7898, Algorithm 1, backwards. A limit has the meaning of [`Reduce::limit`].
/// O(log^2) of an answer below 2^128. Beyond, without a limit, O(log) operations on integers of its length, up to
/// 65,536 steps of `d + c`.
///
/// # Errors
/// A limit of 0. [`Error::TooLong`] if [`Reduce::length`] would refuse.
pub fn values_within(
    time: &Rational,
    costs: &EqualCosts,
    limit: Concurrency,
) -> Result<Within, Error> {
    check_limit(limit)?;
    if time.is_negative() {
        return Ok(Within::Most(BigUint::ZERO));
    }
    let scaled = Scaled::new(costs);
    let time = in_units(time, &scaled.unit);
    let pair = scaled.big();
    if pair.detour().is_zero() {
        return Ok(Within::Any);
    }
    let free = limit == Concurrency::Unlimited
        || matches!(limit, Concurrency::Transfers(_)) && pair.transfer.is_zero();
    let counted = match machine(&scaled, &time).zip(u128::of(&time)) {
        Some((pair, time)) if free => {
            Some(count(&pair, limit, &time)?).filter(|&count| count < u128::MAX)
        }
        Some((pair, time)) => return Ok(Within::Most(limited(&pair, limit, &time)?)),
        None if free => None,
        None => return Ok(Within::Most(limited(&pair, limit, &time)?)),
    };
    Ok(counted.map_or_else(
        || unlimited(&pair, &time),
        |count| Within::Most(count.into()),
    ))
}

/// `N(t) = 1 + sum C(A + b, b)` over `b >= 1`, with `A` the largest `a` for this `b`: the binomial coefficients of one
/// `b`, `C(a + b - 1, a)` for `a <= A`, add up to that. From one `b` to the next `A` falls by 1 or 2, so `A + b` stays
/// or falls by 1, and a coefficient follows from the one before.
fn unlimited(pair: &Pair<BigUint>, time: &BigUint) -> Within {
    let (step, detour) = (pair.step(), pair.detour());
    let last = time / &detour;
    if last > BigUint::from(DOUBLINGS) {
        return Within::PowerOfTwo(last);
    }
    let waits = |b: u64| (time - &detour * b) / &step + b;
    let last = last.to_u64().unwrap_or(DOUBLINGS);
    let (mut sum, mut chosen, mut of) = (BigUint::from(1_u8), BigUint::from(1_u8), time / &step);
    for b in 1..=last {
        // C(of, b) from C(of, b - 1), then C(next, b).
        chosen = chosen * (&of - (b - 1)) / b;
        let next = waits(b);
        while of > next {
            chosen = chosen * (&of - b) / &of;
            of -= 1_u8;
        }
        sum += &chosen;
    }
    Within::Most(sum)
}

/// Number of values combined under a limit.
fn limited<N: Time>(pair: &Pair<N>, limit: Concurrency, time: &N) -> Result<BigUint, Error> {
    let mut total = BigUint::from(1_u8);
    let walk = walk(pair, limit, |date, count| {
        let is_late = date > time;
        if !is_late {
            total += count;
        }
        is_late
    });
    match walk {
        Walk::Stopped => Ok(total),
        Walk::Periodic(periodic) => Ok(total + periodic.within(time)),
        Walk::TooLong => Err(Error::TooLong {
            counted: total.to_u128().unwrap_or(u128::MAX),
        }),
    }
}

/// EqualCosts in machine integers, if they and the time leave room.
pub(crate) fn machine(scaled: &Scaled, time: &BigUint) -> Option<Pair<u128>> {
    let bits = scaled.transfer.bits().max(scaled.compute.bits());
    if bits <= MACHINE_BITS && time.bits() <= 2 * MACHINE_BITS {
        scaled.pair()
    } else {
        None
    }
}

/// Date of the last of `values - 1` deliveries, for `values >= 2`.
pub(crate) fn last_delivery<N: Time>(
    pair: &Pair<N>,
    limit: Concurrency,
    values: u64,
) -> Result<N, Error> {
    if pair.detour() == N::zero() {
        return Ok(N::zero());
    }
    let mut left = u128::from(values) - 1;
    let mut found = N::zero();
    let walk = walk(pair, limit, |date, count| {
        found = date.clone();
        let enough = count >= left;
        left = left.saturating_sub(count);
        enough
    });
    match walk {
        Walk::Stopped => Ok(found),
        Walk::Periodic(periodic) => Ok(periodic.nth(left)),
        Walk::TooLong => Err(Error::TooMany {
            values,
            purpose: "to count under a limit on transfers shorter than merges",
            most: u64::try_from(u128::from(values) - left).unwrap_or(u64::MAX),
        }),
    }
}

pub(crate) fn count<N: Time>(pair: &Pair<N>, limit: Concurrency, time: &N) -> Result<u128, Error> {
    if pair.detour() == N::zero() {
        return Ok(u128::MAX);
    }
    let mut total = 1_u128;
    let walk = walk(pair, limit, |date, count| {
        if date > time {
            return true;
        }
        total = total.saturating_add(count);
        total == u128::MAX
    });
    match walk {
        Walk::Stopped => Ok(total),
        Walk::Periodic(periodic) => {
            let more = periodic.within(time).to_u128().unwrap_or(u128::MAX);
            Ok(total.saturating_add(more))
        }
        Walk::TooLong => Err(Error::TooLong { counted: total }),
    }
}

impl<N: Time> Periodic<N> {
    /// Date of the `nth` delivery, from 1.
    fn nth(&self, nth: u128) -> N {
        let round = self
            .classes
            .iter()
            .fold(0_u128, |sum, (_, count)| sum.saturating_add(*count))
            .max(1);
        let rounds = nth.saturating_sub(1) / round;
        let mut left = nth - rounds * round;
        let mut found = N::zero();
        for (date, count) in &self.classes {
            found = date.plus(&self.period.times(rounds));
            if *count >= left {
                break;
            }
            left -= count;
        }
        found
    }

    /// How many deliveries end within `time`.
    fn within(&self, time: &N) -> BigUint {
        let class = |(date, count): &(N, u128)| {
            let rounds = time.minus(date).big() / self.period.big() + 1_u8;
            rounds * *count
        };
        let ended = self.classes.iter().filter(|(date, _)| date <= time);
        ended.map(class).sum()
    }
}

/// Visits the deliveries by date until the visitor returns true. Not both costs are 0.
pub(crate) fn walk<N: Time>(
    pair: &Pair<N>,
    limit: Concurrency,
    visit: impl FnMut(&N, u128) -> bool,
) -> Walk<N> {
    match limit {
        Concurrency::Unlimited => by_reducers(pair, u128::MAX, visit),
        Concurrency::Reducers(most) => by_reducers(pair, most.into(), visit),
        // Transfers of no time never wait: the one `K` positions before ended when the one just before did, at the
        // latest.
        Concurrency::Transfers(_) if pair.transfer == N::zero() => {
            by_reducers(pair, u128::MAX, visit)
        }
        Concurrency::Transfers(most) if pair.transfer >= pair.compute => {
            by_reducers(pair, most.into(), visit)
        }
        Concurrency::Transfers(most) => by_transfers(pair, most.into(), visit),
    }
}

/// Algorithms 1 and 3 by classes.
fn by_reducers<N: Time>(
    pair: &Pair<N>,
    reducers: u128,
    mut visit: impl FnMut(&N, u128) -> bool,
) -> Walk<N> {
    let (step, detour) = (pair.step(), pair.detour());
    let mut fresh: Queue<N> = VecDeque::from([(N::zero(), 1)]);
    let mut used: Queue<N> = VecDeque::new();
    let mut room = reducers - 1;
    while let Some(date) = [&fresh, &used]
        .into_iter()
        .filter_map(VecDeque::front)
        .map(|(date, _)| date)
        .min()
        .cloned()
    {
        if fresh.is_empty() {
            let classes = used
                .into_iter()
                .map(|(date, count)| (date.plus(&detour), count))
                .collect();
            return Walk::Periodic(Periodic {
                classes,
                period: step,
            });
        }
        let count = take(&mut fresh, &date).saturating_add(take(&mut used, &date));
        let there = date.plus(&detour);
        if visit(&there, count) {
            break;
        }
        used.push_back((date.plus(&step), count));
        let able = count.min(room);
        if able > 0 {
            fresh.push_back((there, able));
        }
        if reducers != u128::MAX {
            room -= able;
        }
    }
    Walk::Stopped
}

fn take<N: Time>(queue: &mut Queue<N>, date: &N) -> u128 {
    queue
        .pop_front_if(|(head, _)| head == date)
        .map_or(0, |(_, count)| count)
}

/// Algorithm 2 by classes, `0 < d < c`.
///
/// Why saturation is permanent: let `x` be the date at which a delivery must be prepared to start when the transfer `K`
/// positions before ends, and let `P` processors be there by `x`. One of them that is not free at `x` was last used by
/// a transfer that ended after `x + d` (its next date is at most that end minus `d`). The `K r` transfers before the
/// last `K`, with `r = ceil(c/d) - 1`, are the last that can have ended so late (ends `K` positions apart differ by `d`
/// or more). So `P >= K ceil(c/d)` leaves one that is free. `x` only grows, and so does `P`.
fn by_transfers<N: Time>(
    pair: &Pair<N>,
    limit: u128,
    mut visit: impl FnMut(&N, u128) -> bool,
) -> Walk<N> {
    let Pair { transfer, compute } = pair;
    let rounds = compute.plus(transfer).minus(&N::one()).over(transfer);
    let enough = limit.saturating_mul(rounds);
    let mut fresh: Queue<N> = VecDeque::from([(N::zero(), 1)]);
    let mut used: Queue<N> = VecDeque::new();
    // Ends of the last `limit` transfers, and processors that arrive later than the next preparation can have to start.
    let mut running: Queue<N> = VecDeque::from([(N::zero(), limit)]);
    let mut later: Queue<N> = VecDeque::new();
    let mut there = 1_u128;
    for _ in 0..CLASSES {
        let free = running.front().map_or_else(N::zero, |(end, _)| end.clone());
        while let Some((_, count)) = later.pop_front_if(|(date, _)| date.plus(compute) <= free) {
            there = there.saturating_add(count);
        }
        if there >= enough && free >= *compute {
            let classes = running
                .into_iter()
                .map(|(end, count)| (end.plus(transfer), count))
                .collect();
            return Walk::Periodic(Periodic {
                classes,
                period: transfer.clone(),
            });
        }
        let source = match (fresh.front(), used.front()) {
            (Some((young, _)), Some((old, _))) if young < old => &mut fresh,
            (_, Some(_)) => &mut used,
            _ => &mut fresh,
        };
        let most = source
            .front()
            .map_or(0, |(_, count)| *count)
            .min(running.front().map_or(0, |(_, count)| *count));
        let date = pop(source, most);
        pop(&mut running, most);
        let ready = date.plus(compute);
        let end = N::max(ready.clone(), free).plus(transfer);
        if visit(&end, most) {
            return Walk::Stopped;
        }
        push(&mut used, ready.max(end.minus(compute)), most);
        push(&mut fresh, end.clone(), most);
        push(&mut later, end.clone(), most);
        push(&mut running, end, most);
    }
    Walk::TooLong
}

/// Takes `count` from the head, which has as many.
fn pop<N: Time>(queue: &mut Queue<N>, count: u128) -> N {
    let Some((date, head)) = queue.front_mut() else {
        return N::zero();
    };
    let date = date.clone();
    *head -= count;
    if *head == 0 {
        queue.pop_front();
    }
    date
}

fn push<N: Time>(queue: &mut Queue<N>, date: N, count: u128) {
    match queue.back_mut() {
        Some((back, there)) if *back == date => *there = there.saturating_add(count),
        _ => queue.push_back((date, count)),
    }
}
