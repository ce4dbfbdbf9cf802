//! The instances that a periodic schedule completes within a given time, and the time for a given number of instances
//! (RR-4872 section 3.4).
//!
//! Every period starts the same instances, and each is complete at the same delay after its period's start. So the
//! number of complete instances at a date is a sum over the instances of one period, for any date. No run is listed.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use oneport_plan::Problem;
use oneport_platform::{Rational, ratio, whole};

use crate::Execution;

/// When the instances of one period are complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Horizon {
    /// Units of time per unit: all other numbers are in units.
    units: BigInt,
    period: BigInt,
    /// For each instance of a period: the date at which all of it has arrived, from the start of the period. Ascending.
    ends: Vec<BigInt>,
    depth: u64,
}

impl Horizon {
    /// Prepares the sum. `O(E + d log d)` for `E` tasks and `d` instances per period.
    pub fn new(problem: &Problem, execution: &Execution) -> Horizon {
        let mut ends = vec![BigInt::zero(); usize::try_from(execution.instances).unwrap_or(0)];
        for dated in &execution.tasks {
            let rate = problem.collective().rate(dated.message.demand).max(1);
            let index = usize::try_from(dated.copy / rate).ok();
            let Some(last) = index.and_then(|index| ends.get_mut(index)) else {
                continue;
            };
            let end = execution.end(dated);
            if end > *last {
                *last = end;
            }
        }
        ends.sort();
        let (units, period) = (execution.units.clone(), execution.period.clone());
        Horizon {
            units,
            period,
            ends,
            depth: execution.depth as u64,
        }
    }

    /// How many periods an instance touches, `D`: after `D - 1` periods the run is steady, and after the last start
    /// `D - 1` periods clean up.
    pub fn depth(&self) -> u64 {
        self.depth
    }

    /// The time of a number of periods.
    fn periods(&self, count: &BigInt) -> Rational {
        ratio(&self.period * count, self.units.clone())
    }

    /// `I`, the time to fill the buffers, and the most that the clean-up takes: `(D - 1) T`.
    pub fn initialisation(&self) -> Rational {
        self.periods(&self.depth.saturating_sub(1).into())
    }

    /// Instances complete by a date, if periods start while that helps. `O(d)`.
    pub fn delivered(&self, until: &Rational) -> BigUint {
        self.complete((until * whole(self.units.clone())).floor().to_integer())
    }

    fn complete(&self, until: BigInt) -> BigUint {
        if !self.period.is_positive() {
            return BigUint::zero();
        }
        let complete = |end: &BigInt| (&until - end).div_floor(&self.period) + 1u32;
        let counts = self
            .ends
            .iter()
            .take_while(|end| **end <= until)
            .map(complete);
        counts.sum::<BigInt>().magnitude().clone()
    }

    /// The least time by which that many instances are complete, by bisection: `O(d log(D d))` sums.
    pub fn time_of(&self, instances: &BigUint) -> Rational {
        let count: BigInt = instances.clone().into();
        let (Some(last), true) = (self.ends.last(), count.is_positive()) else {
            return Rational::zero();
        };
        // The first `full` periods have enough instances. `depth` periods fewer have too few.
        let full = count.div_ceil(&BigInt::from(self.ends.len()));
        let mut enough = (&full - 1u32) * &self.period + last;
        let mut few = BigInt::from(-1).max(&enough - &self.period * (self.depth + 1));
        while &enough - &few > BigInt::one() {
            let middle = (&enough + &few).div_floor(&2.into());
            if self.complete(middle.clone()) >= *instances {
                enough = middle
            } else {
                few = middle
            }
        }
        ratio(enough, self.units.clone())
    }

    /// Periods in which instances start that are complete by a date.
    pub fn starting_periods(&self, until: &Rational) -> BigUint {
        let until = (until * whole(self.units.clone())).floor().to_integer();
        match self.ends.first() {
            Some(first) if *first <= until && self.period.is_positive() => {
                ((until - first).div_floor(&self.period) + 1u32)
                    .magnitude()
                    .clone()
            }
            _ => BigUint::zero(),
        }
    }

    /// Periods all of whose instances are complete by a date.
    pub fn full_periods(&self, until: &Rational) -> BigUint {
        let until = (until * whole(self.units.clone())).floor().to_integer();
        match self.ends.last() {
            Some(last) if *last <= until && self.period.is_positive() => {
                ((until - last).div_floor(&self.period) + 1u32)
                    .magnitude()
                    .clone()
            }
            _ => BigUint::zero(),
        }
    }

    /// `r = floor((K - 2 I - T) / T)`: the papers' steady periods between filling and emptying the buffers, 0 if that
    /// is negative.
    pub fn rounds(&self, until: &Rational) -> BigUint {
        let period = self.periods(&BigInt::one());
        let left = until - self.initialisation() * whole(2) - &period;
        if !period.is_positive() || left.is_negative() {
            return BigUint::zero();
        }
        (left / period).floor().to_integer().magnitude().clone()
    }

    /// The papers' lower bound `steady(G, K) = r T TP`: instances of that many periods.
    pub fn steady(&self, until: &Rational) -> BigUint {
        self.rounds(until) * BigUint::from(self.ends.len())
    }
}
