//! The least improvement that gains all that doubling gains.
//!
//! Let a class of links or processors be `f` times as fast, `1 <= f <= 2`: their times are multiplied by `g = 1/f`. The
//! optimum `T(f)` never falls with `f`, and is often `T(2)` long before 2, because something else limits then.
//!
//! The steady state found for `f = 2` occupies every resource for a time linear in `g`, known from its loads at `f = 1`
//! and `f = 2`; so the least `f` at which nothing is too busy for it follows, and `T(f) = T(2)` there.
//!
//! **Theorem.** If the certificate of the platform as it is proves `T(2)` at this `f`, no smaller one is enough.
//! **Proof.** Under its prices, worth `P`, an instance costs at least `C(g)`, the least over all ways to carry one out,
//! each linear in `g`: so `C` is concave, and `T <= P / C(g)`. The certificate proves `C(1) >= P / T(1) > P / T(2)` and
//! `C(1/f) >= P / T(2)`. Strictly between, `C(g) > P / T(2)`.

use anyhow::Result;
use num_bigint::BigInt;
use num_traits::One;
use oneport::platform::Number;
use oneport::{Options, Problem, Rated, Rating, Rational, Status, rate, referee};

use super::classes::Class;
use crate::bottleneck::busy;

/// Between 1 and 2.
pub struct Enough {
    /// How many times as fast is enough for the throughput of twice as fast.
    pub factor: Rational,
    /// Whether less is proved not to be.
    pub is_least: bool,
}

/// What is enough, where doubling the class gains something and less than doubling would do; `None` elsewhere, and
/// where it could not be proved.
pub fn of(
    problem: Problem<'_>,
    base: &Rated,
    class: &Class,
    doubled: (Problem<'_>, &Rated),
    options: &Options,
) -> Result<Option<Enough>> {
    let (faster, rated) = doubled;
    let wanted = &rated.steady_state.throughput;
    let optimal = [base, rated].into_iter().all(|rated| rated.status == Status::Optimal);
    if !optimal || *wanted <= base.steady_state.throughput {
        return Ok(None);
    }
    let Some(factor) = factor(problem, faster, rated) else { return Ok(None) };
    let platform = problem.platform().changed(&class.times(&Number::Times(factor.recip())))?.platform;
    let there = Problem::new(&platform, problem.collective(), problem.volumes())?;
    let Rating::Rated(attained) = rate(there, options, Some((faster, rated)))? else { return Ok(None) };
    if attained.status != Status::Optimal || attained.steady_state.throughput != *wanted {
        return Ok(None);
    }
    let bound = referee::bound_watched(there, &base.certificate, &options.watch);
    Ok(Some(Enough { factor, is_least: bound.is_ok_and(|bound| bound == *wanted) }))
}

/// The least factor at which nothing is too busy for the steady state of the doubled platform; `None` if that is 2.
fn factor(problem: Problem<'_>, faster: Problem<'_>, rated: &Rated) -> Option<Rational> {
    let (one, two) = (Rational::one(), Rational::from_integer(BigInt::from(2)));
    let loads = busy(faster, &rated.steady_state);
    let mut share = one.clone();
    for (resource, slow) in busy(problem, &rated.steady_state) {
        let fast = loads.get(&resource).cloned().unwrap_or_default();
        if slow > one {
            // From `fast` at 1/2 linearly to `slow` at 1.
            share = share.min((&one + (&one - &fast) / (slow - fast)) / &two);
        }
    }
    let factor = share.recip();
    (factor > one && factor < two).then_some(factor)
}
