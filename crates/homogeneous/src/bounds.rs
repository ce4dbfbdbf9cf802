//! Bounds on lengths (RR-7898, sections 5, 6 and 7), as they should read, and one as it is printed.

use num_bigint::BigUint;
use num_traits::{One, Zero};
use oneport_platform::{Rational, whole};

use crate::EqualCosts;

fn step(costs: &EqualCosts) -> &Rational {
    std::cmp::max(costs.transfer(), costs.compute())
}

fn detour(costs: &EqualCosts) -> Rational {
    costs.transfer() + costs.compute()
}

/// `ceil(log2 n)`, 0 for `n = 0`.
fn log2_ceil(n: u64) -> u64 {
    (u64::BITS - n.saturating_sub(1).leading_zeros()).into()
}

/// Lemma 5: no schedule of `values` values is shorter than `ceil(log2 n) max(d, c)`. Tight if a cost is 0.
pub fn lower(values: u64, costs: &EqualCosts) -> Rational {
    whole(log2_ceil(values)) * step(costs)
}

/// Proposition 6: the shortest schedule is not longer than `ceil(log2 n) (d + c)`.
pub fn upper(values: u64, costs: &EqualCosts) -> Rational {
    whole(log2_ceil(values)) * detour(costs)
}

/// Section 5: a schedule in which one processor receives `degree` times takes `d + (degree - 1) max(d, c) + c` or more.
pub fn of_degree(degree: u64, costs: &EqualCosts) -> Rational {
    if degree == 0 {
        Rational::zero()
    } else {
        whole(degree - 1) * step(costs) + detour(costs)
    }
}

/// Section 5: a schedule with `levels` processors on one path to the root takes `(levels - 1) (d + c)` or more.
pub fn of_depth(levels: u64, costs: &EqualCosts) -> Rational {
    whole(levels.saturating_sub(1)) * detour(costs)
}

/// Proposition 8 and Corollary 11 corrected: the shortest schedule with at most `limit` transfers at once, or with at
/// most `limit` processors that receive, is not longer than
/// `(floor(log2 K) + 1 + ceil((n - 2^(floor(log2 K) + 1)) / K)) (d + c)`.
///
/// `None` unless `1 <= limit <= values / 2`, for which the formula is stated. The proof is the paper's: in
/// `floor(log2 K) + 1` steps of `d + c` the number of processors doubles, then every step adds `K`.
pub fn limited(values: u64, limit: u64, costs: &EqualCosts) -> Option<Rational> {
    let doublings = u64::from(limit.checked_ilog2()?) + 1;
    if limit > values / 2 {
        return None;
    }
    // 2^doublings <= 2 limit <= values.
    let rest = values - (1 << doublings);
    Some((whole(doublings) + whole(rest.div_ceil(limit))) * detour(costs))
}

/// Proposition 8 and Corollary 11 as printed: `(floor(log2 K + 1) + ceil(n/K - 2)) (d + c)`. **No bound** unless
/// `limit` is a power of two: it takes `2^(floor(log2 K) + 1)`, which is at most `2 K`, for at least `2 K`. For 6
/// values, `K = 3`, `d = 1` and `c = 0` it says 2, less than Lemma 5 allows. Kept for comparison.
pub fn limited_as_printed(values: u64, limit: u64, costs: &EqualCosts) -> Option<Rational> {
    let doublings = u64::from(limit.checked_ilog2()?) + 1;
    if limit > values / 2 {
        return None;
    }
    Some((whole(doublings) + whole(values.div_ceil(limit) - 2)) * detour(costs))
}

/// Proposition 13: the length `k (d + c)` of a binomial tree of order `k`.
pub fn binomial_length(order: u64, costs: &EqualCosts) -> Rational {
    whole(order) * detour(costs)
}

/// Proposition 13: the number of values of a binomial tree of order `k`, `2^k`. If exactly one cost is 0, this is the
/// most that can be reduced in its length (Theorem 14). The theorem says "d = 0 or c = 0", which includes both: then
/// every tree reduces any number in no time. This crate takes the binomial tree then, by convention.
pub fn binomial_values(order: u32) -> BigUint {
    BigUint::one() << order
}

/// Proposition 16: the length `d + (k - 1) max(d, c) + c` of a Fibonacci tree of order `k >= 1`. 0 for order 0.
pub fn fibonacci_length(order: u64, costs: &EqualCosts) -> Rational {
    of_degree(order, costs)
}

/// Proposition 16: the number of values of a Fibonacci tree of order `k`, the Fibonacci number `F_(k+2)`. If the costs
/// are equal, this is the most that can be reduced in its length (Theorem 17). O(k) additions.
pub fn fibonacci_values(order: u32) -> BigUint {
    let (mut last, mut next) = (BigUint::one(), BigUint::one());
    for _ in 0..order {
        let sum = last + &next;
        (last, next) = (next, sum);
    }
    next
}

/// Theorem 18: the binomial strategy is at most `1 + min(d, c) / max(d, c)` times as long as the shortest schedule. 1
/// if both costs are 0.
pub fn binomial_ratio(costs: &EqualCosts) -> Rational {
    let least = std::cmp::min(costs.transfer(), costs.compute());
    if least.is_zero() {
        Rational::one()
    } else {
        Rational::one() + least / step(costs)
    }
}

/// Theorem 19: the Fibonacci strategy is at most twice as long as the shortest schedule.
pub fn fibonacci_ratio() -> Rational {
    whole(2)
}
