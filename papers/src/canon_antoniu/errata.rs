//! One counterexample per erratum of RR-7898.

use anyhow::{Context, Result, ensure};
use oneport::Rational;
use oneport::homogeneous::{Strategy, bounds};
use oneport::plan::Concurrency;

use super::brute;
use super::checked::{costs, length};
use crate::errata::Sides;
use crate::liu_kuo_wang::figures::slow_destination;
use crate::numbers::{number, whole};
use crate::rows::{Paper, Value};

/// When `ready` machines with these dates have been merged on one machine, by simulation.
fn merged(dates: &[u64], d: u64, c: u64) -> u64 {
    let (mut port, mut end) = (0, 0);
    for &date in dates {
        port = date.max(port) + d;
        end = port.max(end) + c;
    }
    end
}

/// E002-1: the formula of proposition 2 with the j-th largest transfer time.
pub fn largest_first() -> Result<Sides> {
    let (dates, d, c) = ([0, 10], 1, 1);
    let formula = |sorted: [u64; 2]| {
        let term = |(position, date): (usize, u64)| date + d + (1 - position as u64) * d.max(c) + c;
        sorted.into_iter().enumerate().map(term).max().unwrap_or(0)
    };
    let right = formula(dates);
    ensure!(
        right == merged(&dates, d, c),
        "the j-th smallest is wrong too"
    );
    Ok(Sides::new(whole(formula([10, 0])), whole(right)))
}

/// E002-2: how many values the two parts of a reduction of 2^(k+1) + 1 values have, k = 1.
pub fn sizes_in_the_proof() -> Sides {
    let k = 1;
    Sides::new(whole((1 << (k + 2)) + 1), whole((1 << (k + 1)) + 1))
}

/// Algorithm 2 for two values with the last loop as printed: the end of the merge. Then ours.
pub fn starts_too_late() -> Result<Sides> {
    let (d, c) = (1, 1);
    // Lines 5 to 9: machine 1 computes, then sends.
    let (last, own) = (c + d, c + d);
    let start = last - own + c;
    Ok(Sides::new(
        whole(start + d + c),
        whole(length(
            2,
            d,
            c,
            Strategy::Greedy,
            Concurrency::Transfers(1),
        )?),
    ))
}

/// E002-4: the indices for which line 8 needs a separate value if n = 4 and K = 2.
pub fn before_the_first() -> Result<Sides> {
    let (n, k) = (4i64, 2);
    let looked_up: Vec<i64> = (2..=n).map(|i| i - k).collect();
    let computed = 2..=n;
    let missing: Vec<i64> = looked_up
        .into_iter()
        .filter(|index| !computed.contains(index))
        .collect();
    ensure!(missing.iter().all(|&index| index <= 1), "{missing:?}");
    ensure!(
        missing.iter().all(|&index| index < n),
        "the printed rule covers one of {missing:?}"
    );
    Ok(Sides::new(
        Value::Words("i >= n".to_string()),
        Value::Words("i <= 1".to_string()),
    ))
}

fn bound(limit: Concurrency) -> Result<Sides> {
    let (n, k, costs) = (6, 3, costs(1, 0)?);
    let right = bounds::limited(n, k, &costs).context("K = 0")?;
    ensure!(
        right == whole(length(n, 1, 0, Strategy::Greedy, limit)?),
        "the corrected bound is not met"
    );
    Ok(Sides::new(
        bounds::limited_as_printed(n, k, &costs).context("K = 0")?,
        right,
    ))
}

/// E002-5: the printed bound for six values and three transfers, and the corrected one, which is the length. No fewer
/// values and no smaller limit contradict the printed bound.
pub fn bound_of_limited_transfers() -> Result<Sides> {
    bound(Concurrency::Transfers(3))
}

/// E002-6: the same for three reducers.
pub fn bound_of_limited_reducers() -> Result<Sides> {
    bound(Concurrency::Reducers(3))
}

/// E002-8: values that fit into no time, and values up to 10 that do in every tree, for k = 1, d = c = 0. By theorem 14
/// it is `2^k`, by theorem 17 `F_(k+2)`.
fn no_costs(printed: u64) -> Result<Sides> {
    let most = 10;
    let mut right = 0;
    for n in 1..=most {
        let mut lengths = brute::trees(n)
            .into_iter()
            .map(|tree| brute::length(&tree, 0, 0));
        let ours = length(n as u64, 0, 0, Strategy::Greedy, Concurrency::Unlimited)?;
        if lengths.all(|length| length == 0) && ours == 0 {
            right = n;
        }
    }
    Ok(Sides::new(whole(printed), right))
}

/// E002-8, theorem 14: `2^k` for k = 1.
pub fn no_costs_binomial() -> Result<Sides> {
    no_costs(1 << 1)
}

/// E002-8, theorem 17: `F_(k+2)` for k = 1, with `F_1 = F_2 = 1`.
pub fn no_costs_fibonacci() -> Result<Sides> {
    no_costs((2..1 + 2).fold((1, 1), |(a, b), _| (b, a + b)).1)
}

/// E002-9: which statement of the paper has the number that is cited as a proposition's, and bounds the length below.
pub fn cited_bound(paper: &Paper) -> Result<Value> {
    let numbered: Vec<&str> = paper
        .rows
        .iter()
        .filter_map(|row| row.id.strip_suffix("-5"))
        .filter(|kind| !kind.contains('-'))
        .collect();
    let [kind] = numbered[..] else {
        anyhow::bail!("{} statements have the number 5", numbered.len())
    };
    for n in [2, 3, 5, 9] {
        ensure!(
            bounds::lower(n, &costs(1, 2)?)
                <= whole(length(n, 1, 2, Strategy::Greedy, Concurrency::Unlimited)?),
            "n = {n}"
        );
    }
    Ok(Value::Words(format!("{kind} 5")))
}

/// E002-9: the schedule of Liu, Kuo and Wang over the optimum, on their own counterexample.
pub fn slowest_first_over_optimum() -> Result<Rational> {
    let [ours, best] = slow_destination(&number("3/2")?)?;
    Ok(ours / best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errata::tests::check;

    #[test]
    fn e002_1_transfers_are_counted_from_the_first() {
        check(largest_first(), "13", "12");
    }

    #[test]
    fn e002_2_the_parts_add_up_to_the_whole() {
        assert_eq!(sizes_in_the_proof(), Sides::new(whole(9), whole(5)));
    }

    #[test]
    fn e002_3_the_first_transfer_starts_at_zero() {
        check(starts_too_late(), "3", "2");
    }

    #[test]
    fn e002_4_what_comes_before_the_first_transfer_is_zero() {
        assert!(before_the_first().is_ok());
    }

    #[test]
    fn e002_5_proposition_8_holds_for_powers_of_two_only() {
        check(bound_of_limited_transfers(), "2", "3");
    }

    #[test]
    fn e002_6_corollary_11_holds_for_powers_of_two_only() {
        check(bound_of_limited_reducers(), "2", "3");
    }

    #[test]
    fn e002_9_slips_in_citations() -> Result<()> {
        assert_eq!(
            cited_bound(&Paper::load("canon_antoniu")?)?,
            Value::Words("lemma 5".to_string())
        );
        assert_eq!(slowest_first_over_optimum()?, number("9/8")?);
        Ok(())
    }

    #[test]
    fn e002_8_theorems_14_and_17_need_a_cost() {
        check(no_costs_binomial(), "2", "10");
        check(no_costs_fibonacci(), "2", "10");
    }
}
