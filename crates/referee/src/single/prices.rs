//! Prices of slots, checked as [`SlotPrices`] states them.

use num_bigint::{BigInt, BigUint};
use num_traits::Zero;
use oneport_plan::{Class, SlotPrices};
use oneport_platform::Rational;

use super::ticks::Clock;
use super::{Finding, not_proved};
use crate::Violation;
use crate::arithmetic::is_non_negative;
use crate::violation::{bad_number, fault, shown};

/// Limit: dates looked at.
const DATES: usize = 2_000_000;

/// Whether the prices prove that no schedule ends before `bound`, which is positive. O(k dates).
///
/// # Errors
/// Malformed prices. [`Rule::Proof`](crate::Rule::Proof).
pub(super) fn check(
    classes: &[Class],
    bound: &Rational,
    prices: &SlotPrices,
) -> Result<Finding, Violation> {
    check_list(prices)?;
    let dates: Vec<&Rational> = prices.prices.iter().map(|(date, _)| date).collect();
    let numbers: Vec<&Rational> = classes
        .iter()
        .map(|class| &class.time)
        .chain([bound])
        .chain(dates.iter().copied())
        .collect();
    let clock = Clock::new(&numbers, &[])?;
    if !clock.is_small() {
        return Ok(Finding::Unrepeated(
            "dates with this common denominator exceed 128 bits".into(),
        ));
    }
    let time = |value: &Rational| clock.number::<u128>(value);
    let (times, end) = (
        classes
            .iter()
            .map(|class| time(&class.time))
            .collect::<Vec<_>>(),
        time(bound),
    );
    let Some(sums) = sums(&times, end) else {
        return Ok(Finding::Unrepeated(format!(
            "there are more than {DATES} dates below the bound"
        )));
    };
    let worth: Vec<&Rational> = prices.prices.iter().map(|(_, price)| price).collect();
    let money = Clock::new(&worth, &[])?;
    let priced: Vec<(u128, BigUint)> = prices
        .prices
        .iter()
        .map(|(date, price)| (time(date), money.number(price)))
        .collect();
    let mut used = BigInt::zero();
    for (class, &time) in classes.iter().zip(&times) {
        // A sender that fits nowhere is a proof by itself.
        let Some(least) = least(&sums, &priced, time, end) else {
            return Ok(Finding::Proved);
        };
        used += least * class.senders;
    }
    let open = BigInt::from(price(&priced, 0).clone());
    if used > open {
        return Ok(Finding::Proved);
    }
    let show = |value: BigInt| {
        let magnitude = money.date(value.magnitude());
        if value < BigInt::zero() {
            format!("-{magnitude}")
        } else {
            magnitude
        }
    };
    not_proved(
        bound,
        format!(
            "all senders use up at least {}, not more than the {} there is",
            show(used),
            show(open)
        ),
    )
}

fn check_list(prices: &SlotPrices) -> Result<(), Violation> {
    for (index, (date, price)) in prices.prices.iter().enumerate() {
        if !is_non_negative(date) {
            return Err(bad_number(
                &format!("date of price {index}"),
                date,
                "at least 0",
            ));
        }
        if !is_non_negative(price) {
            return Err(bad_number(&format!("price {index}"), price, "at least 0"));
        }
    }
    for (index, pair) in prices.prices.windows(2).enumerate() {
        let [(before, _), (date, _)] = pair else {
            continue;
        };
        if before >= date {
            let (index, date, before) = (index + 1, shown(date), shown(before));
            let found = format!("price {index} is for date {date}, the one before it for {before}");
            return Err(fault!(Proof, "{found}"; "list the dates ascending, each once, from 0 on"));
        }
    }
    Ok(())
}

/// All sums of times after which the fastest sender still ends before `end`, ascending, each once. `None` if there
/// are too many. `times` ascend. O(k dates).
fn sums(times: &[u128], end: u128) -> Option<Vec<u128>> {
    let Some(&fastest) = times.first() else {
        return Some(Vec::new());
    };
    let mut sums = vec![0];
    // Class i has been added to the first next[i] sums.
    let mut next = vec![0; times.len()];
    loop {
        let sum = next
            .iter()
            .zip(times)
            .map(|(&index, time)| sums[index] + time)
            .min()
            .unwrap_or(end);
        if sum + fastest >= end {
            return Some(sums);
        }
        if sums.len() == DATES {
            return None;
        }
        sums.push(sum);
        for (index, time) in next.iter_mut().zip(times) {
            if sums[*index] + time == sum {
                *index += 1;
            }
        }
    }
}

/// Least price that a sender of this time uses up. `None` if it fits nowhere.
fn least(sums: &[u128], priced: &[(u128, BigUint)], time: u128, end: u128) -> Option<BigInt> {
    let mut free = false;
    let mut least: Option<BigInt> = None;
    let (mut here, mut there) = (0, 0);
    for &date in sums.iter().take_while(|&&date| date + time < end) {
        let taken = price_from(priced, &mut here, date);
        let opened = price_from(priced, &mut there, date + time);
        if taken.is_none() && opened.is_none() {
            free = true;
            continue;
        }
        let signed = |price: Option<&BigUint>| {
            price.map_or_else(BigInt::zero, |price| BigInt::from(price.clone()))
        };
        let used: BigInt = signed(taken) - signed(opened) * 2;
        least = Some(match least {
            Some(least) => least.min(used),
            None => used,
        });
    }
    match least {
        Some(least) if free => Some(least.min(BigInt::zero())),
        None if free => Some(BigInt::zero()),
        least => least,
    }
}

/// The price of `date`. `next` is the index of the first price that may be of this date or a later one. It moves on.
fn price_from<'p>(
    priced: &'p [(u128, BigUint)],
    next: &mut usize,
    date: u128,
) -> Option<&'p BigUint> {
    while priced.get(*next).is_some_and(|(other, _)| *other < date) {
        *next += 1;
    }
    priced
        .get(*next)
        .filter(|(other, _)| *other == date)
        .map(|(_, price)| price)
}

/// The price of `date`, 0 if none is listed.
fn price(priced: &[(u128, BigUint)], date: u128) -> &BigUint {
    const FREE: &BigUint = &BigUint::ZERO;
    priced
        .binary_search_by_key(&date, |(other, _)| *other)
        .map_or(FREE, |index| &priced[index].1)
}
