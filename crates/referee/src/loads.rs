//! What weighted patterns ask of links and processors, as integers over common denominators.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;
use num_traits::Zero;
use oneport_plan::{Amount, Interval, Pattern, Task};
use oneport_platform::Rational;

use crate::Violation;
use crate::arithmetic::Scale;
use crate::case::Case;

/// The totals of some patterns, each times its weight.
#[derive(Debug)]
pub(crate) struct Loads {
    /// By link: the sum of weight x size, times [`size_denominator`](Self::size_denominator).
    pub(crate) traffic: Vec<BigUint>,
    /// By node: the sum of weight x work, times [`work_denominator`](Self::work_denominator).
    pub(crate) work: Vec<BigUint>,
    sizes: Measure,
    works: Measure,
}

impl Loads {
    /// Adds up patterns that have been checked. O(tasks) products and additions of integers.
    pub(crate) fn new(case: &Case<'_>, patterns: &[(&Pattern, BigUint)]) -> Result<Loads, Violation> {
        let (links, nodes) = (case.platform.links().len(), case.platform.nodes().len());
        let (mut sent, mut made) = (BTreeSet::new(), BTreeSet::new());
        for task in patterns.iter().flat_map(|(pattern, _)| &pattern.tasks) {
            match *task {
                Task::Send { part, .. } => drop(sent.insert(part)),
                Task::Merge { part, .. } => drop(made.insert(part)),
            }
        }
        let mut loads = Loads {
            traffic: vec![BigUint::zero(); links],
            work: vec![BigUint::zero(); nodes],
            sizes: Measure::new("the sizes", &case.volumes.size, &sent, links)?,
            works: Measure::new("the amounts of work", &case.volumes.work, &made, nodes)?,
        };
        for (pattern, weight) in patterns {
            for task in &pattern.tasks {
                match *task {
                    Task::Send { link, part, .. } => loads.traffic[link.index()] += weight * loads.sizes.of(part),
                    Task::Merge { node, part, .. } => loads.work[node.index()] += weight * loads.works.of(part),
                }
            }
        }
        Ok(loads)
    }

    pub(crate) fn size_denominator(&self) -> &BigUint {
        self.sizes.scale.denominator()
    }

    pub(crate) fn work_denominator(&self) -> &BigUint {
        self.works.scale.denominator()
    }
}

/// An amount by part, over one denominator.
#[derive(Debug)]
struct Measure {
    scale: Scale,
    /// Where it is the same for all.
    constant: Option<BigUint>,
    by_part: BTreeMap<Interval, BigUint>,
}

static ZERO: BigUint = BigUint::ZERO;

impl Measure {
    fn new(what: &'static str, amount: &Amount, parts: &BTreeSet<Interval>, sums: usize) -> Result<Measure, Violation> {
        if let Some(constant) = amount.constant() {
            let scale = Scale::new(what, std::iter::once(constant), sums)?;
            let constant = Some(scale.scaled(constant));
            return Ok(Measure { scale, constant, by_part: BTreeMap::new() });
        }
        let amounts: Vec<(Interval, Rational)> =
            parts.iter().map(|&part| (part, amount.of(part).unwrap_or_default())).collect();
        let scale = Scale::new(what, amounts.iter().map(|(_, amount)| amount), amounts.len() + sums)?;
        let by_part = amounts.iter().map(|(part, amount)| (*part, scale.scaled(amount))).collect();
        Ok(Measure { scale, constant: None, by_part })
    }

    fn of(&self, part: Interval) -> &BigUint {
        self.constant.as_ref().or_else(|| self.by_part.get(&part)).unwrap_or(&ZERO)
    }
}
