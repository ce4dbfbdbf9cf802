//! Finds the least speed-up of a class that gains as much as doubling it.
//!
//! Let a class of links or processors be `f` times as fast, `1 <= f <= 2`: their times are multiplied by `g = 1/f`. The
//! optimum `T(f)` never falls with `f`, and is often `T(2)` long before 2, because something else limits then.
//!
//! **Theorem.** Let a certificate prove less than `T(2)` at some `f`, and exactly `T(2)` at a larger `f'`. Then no
//! factor between is enough.
//! **Proof.** Under its prices, worth `P`, an instance costs at least `C(g)`, the least cost of a pattern. Each
//! pattern's cost is linear in `g`: so `C` is concave, and `T <= P / C(g)`. The certificate proves `C(1/f) > P / T(2)`
//! and `C(1/f') >= P / T(2)`. Strictly between, `C(g) > P / T(2)`.
//!
//! From `f = 1` on, the search solves the `f'` of the current optimum's certificate, until `T(f') = T(2)`. This factor
//! is the least, since optima never fall with `f`. If it takes too many steps, the search uses a steady state found for
//! `f = 2`. This occupies every resource for a time linear in `g`, known from its loads at `f = 1` and `f = 2`. At the
//! least `f` that overloads no resource, `T(f) = T(2)`. The steady state found there may allow a smaller factor again.
//! If no smaller factor follows, 3/2 is tried.

use std::sync::Arc;

use num_bigint::BigInt;
use num_traits::{One, Zero};
use oneport_plan::{Certificate, Problem, Status};
use oneport_platform::{Number, Rational, ratio, whole};
use oneport_referee as referee;

use super::classes::Class;
use crate::loads::Loads;
use crate::{Answer, Error, Goal, Options, solve};

/// A speed-up between 1 and 2.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enough {
    /// Speed-up that suffices for the throughput of doubling.
    pub factor: Rational,
    /// Whether smaller factors are proved not to suffice.
    pub is_least: bool,
}

/// Factors solved per class. Trades an exact factor for time. Not measured.
const TRIES: usize = 4;
/// Chords tried: piecewise linear costs have few pieces. Trades an exact factor for time. Not measured.
const CHORDS: usize = 8;

/// The factor that suffices for the throughput of a doubled class. `None` if doubling gains nothing, if an optimum is
/// not proved, or if capacities are shared.
pub(super) fn enough(
    base: &Answer,
    class: &Class,
    doubled: &Answer,
    options: &Options,
) -> Result<Option<Enough>, Error> {
    let problem = base.problem();
    // The cost of a link that shares capacities is not linear in its own.
    if !problem.platform().shared().is_empty() {
        return Ok(None);
    }
    let (Some(before), Some(wanted)) = (optimum(base), optimum(doubled)) else {
        return Ok(None);
    };
    if wanted <= before {
        return Ok(None);
    }
    // The next solves start from the doubled class.
    let mut known = Arc::new(doubled.clone());
    if let Some(least) = least_factor(base, class, &known, wanted, options)? {
        return Ok(Some(Enough {
            factor: least,
            is_least: true,
        }));
    }
    let mut enough = whole(2);
    for index in 0..TRIES {
        let half_more = || (index == 0).then(|| ratio(3, 2));
        let Some(less) = factor(problem, &known, &enough).or_else(half_more) else {
            break;
        };
        let Some(there) = times(problem, class, less.recip()) else {
            break;
        };
        let found = solve(&there, &rate_from(&known, options))?.answer;
        if optimum(&found) != Some(wanted) {
            break;
        }
        (enough, known) = (less, Arc::new(found));
    }
    Ok(Some(Enough {
        factor: enough,
        is_least: false,
    }))
}

/// The throughput of an answer with patterns, if it is proved to be optimal.
fn optimum(answer: &Answer) -> Option<&Rational> {
    let state = answer.patterns()?;
    (answer.status() == Status::Optimal).then_some(&state.throughput)
}

/// The options of a throughput that starts from a known one.
fn rate_from(known: &Arc<Answer>, options: &Options) -> Options {
    let options = options.clone().goal(Goal::Rate);
    options.knowing(Arc::clone(known))
}

/// The least factor that suffices, from a sequence of certificates. `None` if it is not found in [`TRIES`] steps, or if
/// an optimum is not proved.
fn least_factor(
    base: &Answer,
    class: &Class,
    doubled: &Arc<Answer>,
    wanted: &Rational,
    options: &Options,
) -> Result<Option<Rational>, Error> {
    let problem = base.problem();
    let (mut slow, mut certificate) = (Rational::one(), base.certificate().clone());
    for _ in 0..TRIES {
        let Some(share) = chord(problem, &certificate, class, &slow, wanted, options)? else {
            return Ok(None);
        };
        let Some(there) = times(problem, class, share.clone()) else {
            return Ok(None);
        };
        let found = solve(&there, &rate_from(doubled, options))?.answer;
        match optimum(&found) {
            None => return Ok(None),
            Some(attained) if attained == wanted => return Ok(Some(share.recip())),
            Some(_) => (slow, certificate) = (share, found.certificate().clone()),
        }
    }
    Ok(None)
}

/// The multiple of a class's times, at least 1/2 and below `slow`, at which the certificate's bound equals `wanted`.
/// `None` if it is not found in [`CHORDS`] steps.
fn chord(
    problem: &Problem,
    certificate: &Certificate,
    class: &Class,
    slow: &Rational,
    wanted: &Rational,
    options: &Options,
) -> Result<Option<Rational>, Error> {
    let target = wanted.recip();
    // Least cost of an instance, relative to the total of the prices: concave, so chords are below.
    let cost = |share: &Rational| -> Result<Option<Rational>, Error> {
        let Some(there) = times(problem, class, share.clone()) else {
            return Ok(None);
        };
        let bound = referee::bound(&there, certificate, &options.watch);
        Ok(bound
            .ok()
            .filter(|bound| !bound.is_zero())
            .map(|bound| bound.recip()))
    };
    let half = Rational::new(BigInt::one(), BigInt::from(2));
    let (Some(low), Some(high)) = (cost(&half)?, cost(slow)?) else {
        return Ok(None);
    };
    let (low, mut high) = ((half, low), (slow.clone(), high));
    if low.1 == target {
        return Ok(Some(low.0));
    }
    for _ in 0..CHORDS {
        if low.1 >= target || high.1 <= target {
            return Ok(None);
        }
        let share = &low.0 + (&target - &low.1) * (&high.0 - &low.0) / (&high.1 - &low.1);
        match cost(&share)? {
            Some(cost) if cost == target => return Ok(Some(share)),
            Some(cost) => high = (share, cost),
            None => return Ok(None),
        }
    }
    Ok(None)
}

/// The question on the platform with the costs of a class multiplied by `times`.
fn times(problem: &Problem, class: &Class, times: Rational) -> Option<Problem> {
    let changes = class.times(&Number::Times(times));
    problem
        .on(problem.platform().changed(&changes).ok()?.platform)
        .ok()
}

/// The least factor at which the steady state found at `factor` overloads no resource. `None` unless it is in (1,
/// `factor`).
fn factor(problem: &Problem, fast: &Answer, factor: &Rational) -> Option<Rational> {
    let state = fast.patterns()?;
    let one = Rational::one();
    let least = factor.recip();
    let loads = Loads::of(fast.problem(), state).busy();
    let mut share = one.clone();
    for (resource, slow) in Loads::of(problem, state).busy() {
        let fast = loads.get(&resource).cloned().unwrap_or_default();
        if slow > one {
            // From `fast` at `least` linearly to `slow` at 1.
            share = share.min(&least + (&one - &fast) * (&one - &least) / (slow - fast));
        }
    }
    let less = share.recip();
    (less > one && less < *factor).then_some(less)
}
