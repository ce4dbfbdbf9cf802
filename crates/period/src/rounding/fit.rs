//! Which period a rounding needs.

use std::collections::BTreeSet;

use oneport_platform::{Platform, Rational};
use oneport_schedule::ports::{self, LinkSet};
use oneport_watch::Watch;

use super::shares::{Rounded, Shares};
use crate::PeriodError;

/// Rounds in which violated odd sets may change the roundings. Trades time for roundings that fit. Not measured.
pub(super) const ROUNDS: usize = 4;

/// Computes the period of a rounding. It keeps the violated odd sets, so that the next roundings can treat them as
/// resources.
pub(super) struct Fit<'c> {
    pub platform: &'c Platform,
    /// Whether odd sets must be checked besides the busiest resource.
    pub odd_sets: bool,
    found: BTreeSet<LinkSet>,
    pub watch: &'c Watch,
}

impl<'c> Fit<'c> {
    pub(super) fn new(platform: &'c Platform, watch: &'c Watch) -> Self {
        Fit {
            platform,
            odd_sets: ports::has_odd_sets(platform),
            found: BTreeSet::new(),
            watch,
        }
    }

    /// Whether there is time for more roundings.
    pub(super) fn may_continue(&self) -> bool {
        self.watch.ask().is_ok()
    }

    /// The shortest period.
    pub(super) fn period(
        &mut self,
        shares: &Shares<'_>,
        rounded: &Rounded,
    ) -> Result<Rational, PeriodError> {
        let busiest = shares.period(rounded);
        if !self.odd_sets {
            return Ok(busiest);
        }
        let times = shares.link_times(rounded);
        let violated = ports::violated(self.platform, &times, &busiest)?;
        if violated.is_empty() {
            return Ok(busiest);
        }
        self.found.extend(violated);
        Ok(busiest.max(ports::least_period(self.platform, &times)?))
    }

    /// Whether a period is long enough.
    pub(super) fn fits(
        &mut self,
        shares: &Shares<'_>,
        rounded: &Rounded,
        period: &Rational,
    ) -> Result<bool, PeriodError> {
        let fits = rounded.busiest() <= shares.room(period);
        if !fits || !self.odd_sets {
            return Ok(fits);
        }
        let violated = ports::violated(self.platform, &shares.link_times(rounded), period)?;
        let fits = violated.is_empty();
        self.found.extend(violated);
        Ok(fits)
    }

    /// Adds violated odd sets as resources. Returns whether there were any.
    pub(super) fn register_odd_sets(&mut self, shares: &mut Shares<'_>) -> bool {
        let found = std::mem::take(&mut self.found);
        shares.measure.learn(found.iter());
        !found.is_empty()
    }
}
