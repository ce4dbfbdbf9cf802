//! How busy a steady state keeps everything.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::Zero;
use oneport_plan::{OddSet, Problem, Resource, SteadyState, WeightedPattern};
use oneport_platform::{Platform, Rational, whole};
use oneport_schedule::{Measure, common_denominator};

/// The loads of a steady state. Sums are integers, over the common denominator of the weights.
pub(crate) struct Loads<'a> {
    platform: &'a Platform,
    measure: Measure<'a>,
    unit: BigInt,
    totals: Vec<BigInt>,
}

impl<'a> Loads<'a> {
    pub(crate) fn of(problem: &'a Problem, steady_state: &SteadyState) -> Loads<'a> {
        let measure = Measure::new(problem);
        let unit = common_denominator(
            steady_state
                .patterns
                .iter()
                .map(|weighted| &weighted.weight),
        );
        let mut totals = vec![BigInt::zero(); measure.carriers()];
        for WeightedPattern { pattern, weight } in &steady_state.patterns {
            measure.add(
                pattern,
                &(weight.numer() * (&unit / weight.denom())),
                &mut totals,
            );
        }
        Loads {
            platform: problem.platform(),
            measure,
            unit,
            totals,
        }
    }

    /// The busy shares of the time of all resources, by number.
    fn shares(&self) -> impl Iterator<Item = Rational> {
        let whole = &self.unit * self.measure.scale();
        let loads: Vec<Rational> = self
            .measure
            .loads(&self.totals, |resource| self.measure.time(resource));
        loads.into_iter().map(move |load| load / &whole)
    }

    /// The busy share of the busiest resource's time. `None` if there is no resource.
    pub(crate) fn busiest(&self) -> Option<Rational> {
        self.shares().max()
    }

    /// The busy share of each used resource's time.
    pub(crate) fn busy(&self) -> BTreeMap<Resource, Rational> {
        let used = self
            .shares()
            .enumerate()
            .filter(|(_, load)| !load.is_zero());
        used.filter_map(|(number, load)| Some((self.measure.resource(number)?, load)))
            .collect()
    }

    /// [`busy`](Self::busy), and the busy share of each used link's time, also if its ports limit it.
    pub(crate) fn with_links(&self) -> BTreeMap<Resource, Rational> {
        let mut busy = self.busy();
        for (link, time) in self.measure.link_times(&self.totals) {
            let share = time / &self.unit;
            busy.entry(Resource::Link(link)).or_insert(share);
        }
        busy
    }

    /// The busy share of an odd set's time.
    pub(crate) fn odd_set(&self, set: &OddSet) -> Rational {
        let members = set.members(self.platform);
        let times = self.measure.link_times(&self.totals);
        let inside = times
            .iter()
            .filter(|(link, _)| members.binary_search(link).is_ok());
        let busy: Rational = inside.map(|(_, time)| time).sum();
        busy / &self.unit / whole(set.capacity(self.platform))
    }
}
