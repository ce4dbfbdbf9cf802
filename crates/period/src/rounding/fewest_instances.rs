//! The fewest instances per period that lose little.
//!
//! The loss of rounding falls roughly with the number of instances, but not steadily. So all small numbers are tried,
//! then numbers that grow by half, up to the limit. When one of them loses little enough, numbers between it and the
//! previous one are tried by bisection.

use num_bigint::BigInt;
use num_traits::{One, Signed};
use oneport_platform::Rational;

use super::discrepancy::Discrepancy;
use super::fit::{self, Fit};
use super::shares::{Rounded, Shares};
use crate::PeriodError;

/// Numbers of instances tried one by one, at most. Trades time for shorter periods. Not measured.
const ONE_BY_ONE: usize = 512;
/// Numbers of instances tried one by one, at least. Trades time for shorter periods. Not measured.
const AT_LEAST: usize = 8;
/// Work for exchanges of copies per rounding, in multiples of the work of rounding. Trades time for roundings that fit.
/// Not measured.
const BRIEFLY: usize = 4;
/// The limit if few numbers are tried. Trades time for roundings that fit. Not measured.
const THOROUGHLY: usize = 64;
/// Additions for numbers tried one by one. Trades time for shorter periods. Not measured.
const EFFORT: usize = 10_000_000;

/// The fewest instances found, at most `limit` of them, that lose at most the share `loss` of the throughput, and their
/// period. If the number is at most 512 (8 if roundings take long), it is the least one whose rounding loses no more.
/// Above, some smaller number may do as well.
pub(super) fn fewest(
    fit: &mut Fit<'_>,
    shares: &mut Shares<'_>,
    loss: &Rational,
    limit: u64,
) -> Result<Option<(Rounded, Rational)>, PeriodError> {
    let kept = (Rational::one() - loss) * &shares.steady_state.throughput;
    if !kept.is_positive() {
        return Ok(None);
    }
    let per_instance = kept.recip();
    let mut best: Option<(Rounded, Rational)> = None;
    let mut limit = limit;
    for _ in 0..fit::ROUNDS {
        if let Some((count, rounded, period)) =
            RoundingSearch::new(fit, shares, &per_instance).run(limit)?
        {
            best = Some((rounded, period));
            limit = count - 1;
        }
        // With odd sets known, fewer instances may do.
        if limit == 0 || !fit.register_odd_sets(shares) {
            break;
        }
    }
    Ok(best)
}

/// Some instances, rounded, and their period.
type RoundedInstances = (u64, Rounded, Rational);

struct RoundingSearch<'s, 'c, 'a> {
    fit: &'s mut Fit<'c>,
    shares: &'s Shares<'a>,
    discrepancy: Discrepancy<'s, 'a>,
    /// Time allowed per instance.
    per_instance: &'s Rational,
    /// This time, as an excess.
    excess: i64,
    exchanging: usize,
    one_by_one: u64,
}

impl<'s, 'c, 'a> RoundingSearch<'s, 'c, 'a> {
    fn new(fit: &'s mut Fit<'c>, shares: &'s Shares<'a>, per_instance: &'s Rational) -> Self {
        let discrepancy = Discrepancy::new(shares);
        let excess = discrepancy.excess_within(per_instance);
        let exchanging = (EFFORT / discrepancy.effort() / ONE_BY_ONE).clamp(BRIEFLY, THOROUGHLY);
        let one_by_one =
            (EFFORT / discrepancy.effort() / (1 + BRIEFLY)).clamp(AT_LEAST, ONE_BY_ONE) as u64;
        RoundingSearch {
            fit,
            shares,
            discrepancy,
            per_instance,
            excess,
            exchanging,
            one_by_one,
        }
    }

    fn run(&mut self, limit: u64) -> Result<Option<RoundedInstances>, PeriodError> {
        // At their own number the shares are whole and lose nothing.
        let own = self.shares.own_instances(limit);
        let limit = own.unwrap_or(limit);
        for count in 1..=self.one_by_one.min(limit) {
            if !self.fit.may_continue() {
                return Ok(None);
            }
            if let Some(found) = self.fits(count)? {
                return Ok(Some(found));
            }
        }
        let (mut below, mut best) = (self.one_by_one, None);
        while best.is_none() && below < limit && self.fit.may_continue() {
            let count = below.saturating_add(below.div_ceil(2)).min(limit);
            best = self.fits(count)?;
            below = if best.is_none() { count } else { below };
        }
        while let Some((count, ..)) = best
            && below + 1 < count
            && self.fit.may_continue()
        {
            let middle = below.midpoint(count);
            match self.fits(middle)? {
                Some(found) => best = Some(found),
                None => below = middle,
            }
        }
        Ok(best)
    }

    /// The rounding of `count` instances, if it loses little enough.
    fn fits(&mut self, count: u64) -> Result<Option<RoundedInstances>, PeriodError> {
        let instances = BigInt::from(count);
        let trial = self.discrepancy.round(&instances, self.exchanging);
        // Fixed-point numbers are not exact. They only spare the exact check of periods that are clearly too long.
        if trial.excess
            > self
                .excess
                .saturating_mul(i64::try_from(count).unwrap_or(i64::MAX))
        {
            return Ok(None);
        }
        let rounded = self.shares.rounded(&instances, trial.copies);
        if !self
            .fit
            .fits(self.shares, &rounded, &(self.per_instance * instances))?
        {
            return Ok(None);
        }
        let period = self.fit.period(self.shares, &rounded)?;
        Ok(Some((count, rounded, period)))
    }
}
