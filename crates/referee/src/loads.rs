//! Loads of links and processors under weighted patterns, as integers over common denominators.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;
use num_traits::Zero;
use oneport_plan::{Amount, Interval, Pattern, Task};
use oneport_platform::{NodeId, PerLink, PerNode, Rational};

use crate::Violation;
use crate::arithmetic::Scale;
use crate::case::Case;

/// The totals of some patterns, each times its weight.
#[derive(Debug)]
pub(crate) struct Loads {
    /// Per link: the sum of weight x size, times [`size_denominator`](Self::size_denominator).
    pub(crate) traffic: PerLink<BigUint>,
    /// Per node: the sum of weight x work, times [`work_denominator`](Self::work_denominator).
    pub(crate) work: PerNode<BigUint>,
    sizes: Measure<Interval>,
    works: Measure<Merge>,
}

impl Loads {
    /// Adds up patterns that have been checked. O(tasks) products and additions of integers.
    pub(crate) fn new(
        case: &Case<'_>,
        patterns: &[(&Pattern, BigUint)],
    ) -> Result<Loads, Violation> {
        let (links, nodes) = (case.platform.links().len(), case.platform.nodes().len());
        let (mut sent, mut made) = (BTreeSet::new(), BTreeSet::new());
        for task in patterns.iter().flat_map(|(pattern, _)| &pattern.tasks) {
            match *task {
                Task::Send { part, .. } => _ = sent.insert(part),
                Task::Merge {
                    node, part, split, ..
                } => {
                    made.insert(work_key(&case.volumes.work, node, part, split));
                }
            }
        }
        let mut loads = Loads {
            traffic: case.platform.per_link(BigUint::zero()),
            work: case.platform.per_node(BigUint::zero()),
            sizes: Measure::new(
                "the sizes",
                &case.volumes.size,
                &sent,
                links,
                |amount, part| amount.of(*part),
            )?,
            works: Measure::new(
                "the amounts of work",
                &case.volumes.work,
                &made,
                nodes,
                |amount, merge| amount.of_merge(merge.0, merge.1, merge.2),
            )?,
        };
        for (pattern, weight) in patterns {
            case.ask()?;
            for task in &pattern.tasks {
                match *task {
                    Task::Send { link, part, .. } => {
                        loads.traffic[link] += weight * loads.sizes.of(&part)
                    }
                    Task::Merge {
                        node, part, split, ..
                    } => {
                        let key = work_key(&case.volumes.work, node, part, split);
                        loads.work[node] += weight * loads.works.of(&key);
                    }
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

/// A merge: its node, its result and its split.
type Merge = (NodeId, Interval, usize);

/// The merge by which work is looked up: if it depends on the result alone, the first split at the first node.
fn work_key(work: &Amount, node: NodeId, part: Interval, split: usize) -> Merge {
    match work {
        Amount::Tasks(_) => (node, part, split),
        Amount::Constant(_) | Amount::Affine { .. } | Amount::Table(_) => {
            (NodeId::new(0), part, part.first)
        }
    }
}

/// An amount by part, or by merge, over one denominator.
#[derive(Debug)]
struct Measure<K> {
    scale: Scale,
    /// The work of all merges, if it is equal.
    constant: Option<BigUint>,
    by_key: BTreeMap<K, BigUint>,
}

static ZERO: BigUint = BigUint::ZERO;

impl<K: Ord + Copy> Measure<K> {
    fn new(
        what: &'static str,
        amount: &Amount,
        keys: &BTreeSet<K>,
        sums: usize,
        of: impl Fn(&Amount, &K) -> Option<Rational>,
    ) -> Result<Measure<K>, Violation> {
        if let Some(constant) = amount.constant() {
            let scale = Scale::new(what, std::iter::once(constant), sums)?;
            let constant = Some(scale.scaled(constant));
            return Ok(Measure {
                scale,
                constant,
                by_key: BTreeMap::new(),
            });
        }
        let amounts: Vec<(K, Rational)> = keys
            .iter()
            .map(|key| (*key, of(amount, key).unwrap_or_default()))
            .collect();
        let scale = Scale::new(
            what,
            amounts.iter().map(|(_, amount)| amount),
            amounts.len() + sums,
        )?;
        let by_key = amounts
            .iter()
            .map(|(key, amount)| (*key, scale.scaled(amount)))
            .collect();
        Ok(Measure {
            scale,
            constant: None,
            by_key,
        })
    }

    fn of(&self, key: &K) -> &BigUint {
        self.constant
            .as_ref()
            .or_else(|| self.by_key.get(key))
            .unwrap_or(&ZERO)
    }
}
