//! Lower bounds from shorter times: lower the times of the classes until a theorem gives the optimum.
//!
//! With shorter times every schedule can be repeated at the same starts, so the optimum does not grow.

use oneport_plan::Proof;
use oneport_platform::Rational;

use crate::{Cluster, levels, slowest_first};

/// How a bound of [`lower_bound`] was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Times lowered until each divides the next: slowest-node-first is optimal (Theorem 1 and its extension, see
    /// [`slowest_first`]).
    DivisorChain,
    /// Times lowered to two: [`levels`].
    TwoClasses,
}

/// No reduction is shorter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LowerBound {
    /// The bound.
    pub length: Rational,
    /// The lowered times, one per class, fastest first. The optimum for them is `length`.
    pub times: Vec<Rational>,
    /// Why that is their optimum.
    pub rule: Rule,
}

impl LowerBound {
    /// The bound as the referee checks it.
    pub fn proof(self) -> Proof {
        let proof = match self.rule {
            Rule::DivisorChain => Proof::SlowestFirst,
            Rule::TwoClasses => Proof::Levels,
        };
        Proof::Lowered {
            times: self.times,
            proof: Box::new(proof),
        }
    }
}

/// Bases and thresholds tried, evenly spread over the classes if there are more. Trades a tighter bound for time. Not
/// measured.
const MOST_TRIES: usize = 64;

/// The best bound of these, deterministic, in `O(k)` tries of `O(k log n)` each, at most 64 of each kind:
/// - each time lowered to `b 2^k`, for each base `b` at which some time keeps its value (between these bases the bound
///   grows with `b`, so that no other base does better),
/// - each time lowered to a multiple of the next faster one's, from the largest base below the fastest that divides
///   some class's time,
/// - times lowered to the fastest below some class, to that class's from there on: two classes.
pub fn lower_bound(cluster: &Cluster) -> LowerBound {
    let classes = cluster.classes();
    let times: Vec<Rational> = classes.iter().map(|class| class.time.clone()).collect();
    let Some(fastest) = times.first() else {
        return LowerBound {
            length: Rational::default(),
            times,
            rule: Rule::DivisorChain,
        };
    };
    let lowest = vec![fastest.clone(); times.len()];
    let mut best = try_chain(cluster, lowest);
    let step = times.len().div_ceil(MOST_TRIES).max(1);
    for base in times.iter().step_by(step) {
        let powers = times
            .iter()
            .map(|time| slowest_first::power_below(time, base))
            .collect();
        better(&mut best, try_chain(cluster, powers));
        let parts = (base / fastest).ceil();
        let base = base / parts;
        let mut previous = base;
        let chain = times.iter().map(|time| {
            previous = (time / &previous).floor() * &previous;
            previous.clone()
        });
        let chain = chain.collect();
        better(&mut best, try_chain(cluster, chain));
    }
    for threshold in times.iter().skip(1).step_by(step) {
        let lowered: Vec<Rational> = times
            .iter()
            .map(|time| {
                if time < threshold {
                    fastest.clone()
                } else {
                    threshold.clone()
                }
            })
            .collect();
        if let Ok(found) = levels::solve(&cluster.with_times(lowered.iter().cloned())) {
            better(
                &mut best,
                LowerBound {
                    length: found.length,
                    times: lowered,
                    rule: Rule::TwoClasses,
                },
            );
        }
    }
    best
}

fn try_chain(cluster: &Cluster, times: Vec<Rational>) -> LowerBound {
    let length = slowest_first::length(&cluster.with_times(times.iter().cloned()));
    LowerBound {
        length,
        times,
        rule: Rule::DivisorChain,
    }
}

fn better(best: &mut LowerBound, other: LowerBound) {
    if other.length > best.length {
        *best = other;
    }
}
