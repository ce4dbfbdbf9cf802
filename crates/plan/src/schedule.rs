//! Periodic schedules: slots, and whole patterns started per period.

use num_bigint::BigUint;
use num_traits::Zero;
use oneport_platform::{LinkId, Rational, whole};

use crate::Pattern;

/// A pattern and how many copies of it each period starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduledPattern {
    /// The pattern.
    pub pattern: Pattern,
    /// Whole copies started in each period. Positive.
    pub copies: BigUint,
}

/// Whole copies of patterns for one period: the input of a periodic schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WholePatterns {
    /// Length of the period, in units of time. Long enough for every port and processor.
    pub period: Rational,
    /// Instances of the collective per period.
    pub instances: BigUint,
    /// For every demand the copies add up to `instances` (times its rate).
    pub patterns: Vec<ScheduledPattern>,
}

/// A stretch of the period during which the same links are busy without a break: a matching of send and
/// receive ports, beside links of shared capacities, which transfer at parts of their rates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// Duration. Positive. Slots follow one another from the start of the period.
    pub length: Rational,
    /// The busy links, ascending.
    pub links: Vec<LinkId>,
    /// Members of `links` that transfer at a part of their full rate 1 / cost, ascending, with that part: above 0,
    /// below 1, and equal in all slots of a link. Only links without ports at their ends have a part. The others have
    /// the full rate.
    pub shares: Vec<(LinkId, Rational)>,
}

impl Slot {
    /// A slot in which all links transfer at full rate.
    pub fn full(length: Rational, links: Vec<LinkId>) -> Slot {
        Slot {
            length,
            links,
            shares: Vec::new(),
        }
    }

    /// The part of its full rate at which a link of the slot transfers. `None` for all of it. `O(log n)`.
    pub fn share(&self, link: LinkId) -> Option<&Rational> {
        let index = self.shares.binary_search_by_key(&link, |(link, _)| *link);
        index.ok().map(|index| &self.shares[index].1)
    }
}

/// The schedule of one period of the steady state, which repeats.
///
/// Within a period a link sends its messages during the slots that name it, in any order that is the same in all
/// periods, and a processor computes its merges. A task runs at its dates within a period, in the first period by which
/// its inputs have arrived. A message goes on without a break from a slot to the next one if both name its link.
/// Otherwise it is cut: it pauses, and goes on in the link's next slot of the same period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeriodicSchedule {
    /// Length of the period, in units of time.
    pub period: Rational,
    /// Instances of the collective started, and in steady state finished, per period.
    pub instances: BigUint,
    /// For every demand the copies add up to `instances` (times its rate).
    pub patterns: Vec<ScheduledPattern>,
    /// Consecutive slots. The rest of the period is idle.
    pub slots: Vec<Slot>,
}

impl PeriodicSchedule {
    /// Instances per unit of time.
    pub fn throughput(&self) -> Rational {
        if self.period.is_zero() {
            return Rational::zero();
        }
        whole(self.instances.clone()) / &self.period
    }

    /// The longest pattern's number of stages. An instance takes no more periods under any order within a period.
    pub fn depth(&self) -> usize {
        self.patterns
            .iter()
            .map(|scheduled| scheduled.pattern.depth())
            .max()
            .unwrap_or(0)
    }
}
